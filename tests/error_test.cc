#include <gtest/gtest.h>

#include <limits>
#include <set>

#include <weir/error.h>

namespace weir::tests {
namespace {

TEST(ErrorText, NamesTheRuleItsSectionAndThePlace) {
  const Error error{ErrorCode::control_frame_too_long, 1043, 1042};
  const ErrorText text(error);
  EXPECT_EQ(text.view(),
            "frame at offset 1042: control frame longer than 125 bytes (RFC 6455 5.5), seen at offset 1043");
  const ErrorText none{Error{}};
  EXPECT_EQ(none.view(), "no error");
}

TEST(ErrorText, HasRoomForEveryRuleAtTheLargestOffsets) {
  std::set<std::string_view> names;
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  for (int number = 0; number <= 22; ++number) {
    const auto code = static_cast<ErrorCode>(number);
    const ErrorText text(Error{code, largest, largest});
    EXPECT_NE(text.view().find(rule_of(code)), std::string_view::npos);
    EXPECT_TRUE(names.insert(name_of(code)).second);
    if (code != ErrorCode::none) EXPECT_NE(rule_of(code).find("(RFC "), std::string_view::npos);
  }
}

TEST(CloseCodeOf, IsTheOneOfRfc6455Section741) {
  EXPECT_EQ(close_code_of(ErrorCode::unknown_opcode), CloseCode::protocol_error);
  EXPECT_EQ(close_code_of(ErrorCode::text_not_utf8), CloseCode::invalid_payload_data);
  EXPECT_EQ(close_code_of(ErrorCode::too_many_fragments), CloseCode::policy_violation);
  EXPECT_EQ(close_code_of(ErrorCode::message_too_big), CloseCode::message_too_big);
  EXPECT_EQ(close_code_of(ErrorCode::out_of_memory), CloseCode::internal_error);
}

TEST(ErrorDeathTest, ANumberThatIsNoErrorCodeStopsTheProcess) {
  EXPECT_DEATH((void)rule_of(static_cast<ErrorCode>(200)), "");
}

}  // namespace
}  // namespace weir::tests
