#include <weir/error.h>

#include <weir/bytes.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace weir {
namespace {

struct Rule {
  ErrorCode code;
  CloseCode close_code;
  std::string_view name;
  std::string_view text;
};

constexpr std::array<Rule, 26> rules{{
    {ErrorCode::none, CloseCode::normal_closure, "none", "no error"},
    {ErrorCode::reserved_bit_set, CloseCode::protocol_error, "reserved_bit_set",
     "reserved bit set without an extension that uses it (RFC 6455 5.2)"},
    {ErrorCode::unknown_opcode, CloseCode::protocol_error, "unknown_opcode", "unknown opcode (RFC 6455 5.2)"},
    {ErrorCode::control_frame_fragmented, CloseCode::protocol_error, "control_frame_fragmented",
     "fragmented control frame (RFC 6455 5.5)"},
    {ErrorCode::control_frame_too_long, CloseCode::protocol_error, "control_frame_too_long",
     "control frame longer than 125 bytes (RFC 6455 5.5)"},
    {ErrorCode::continuation_without_message, CloseCode::protocol_error, "continuation_without_message",
     "continuation frame without a message to continue (RFC 6455 5.4)"},
    {ErrorCode::message_interleaved, CloseCode::protocol_error, "message_interleaved",
     "new message before the last fragment of the one under way (RFC 6455 5.4)"},
    {ErrorCode::frame_not_masked, CloseCode::protocol_error, "frame_not_masked",
     "frame from a client is not masked (RFC 6455 5.1)"},
    {ErrorCode::frame_masked, CloseCode::protocol_error, "frame_masked",
     "frame from a server is masked (RFC 6455 5.1)"},
    {ErrorCode::length_not_minimal, CloseCode::protocol_error, "length_not_minimal",
     "payload length not in its shortest form (RFC 6455 5.2)"},
    {ErrorCode::length_msb_set, CloseCode::protocol_error, "length_msb_set",
     "top bit of the 64-bit payload length is set (RFC 6455 5.2)"},
    {ErrorCode::rsv1_misplaced, CloseCode::protocol_error, "rsv1_misplaced",
     "RSV1 set on a frame that does not begin a data message (RFC 7692 6)"},
    {ErrorCode::close_payload_one_byte, CloseCode::protocol_error, "close_payload_one_byte",
     "Close payload of one byte has no room for a code (RFC 6455 5.5.1)"},
    {ErrorCode::close_code_not_allowed, CloseCode::protocol_error, "close_code_not_allowed",
     "Close code that must not be sent (RFC 6455 7.4)"},
    {ErrorCode::close_reason_not_utf8, CloseCode::invalid_payload_data, "close_reason_not_utf8",
     "Close reason is not UTF-8 (RFC 6455 5.5.1)"},
    {ErrorCode::text_not_utf8, CloseCode::invalid_payload_data, "text_not_utf8",
     "text message is not UTF-8 (RFC 6455 8.1)"},
    {ErrorCode::text_ends_in_character, CloseCode::invalid_payload_data, "text_ends_in_character",
     "text message ends within a UTF-8 character (RFC 6455 8.1)"},
    {ErrorCode::frame_too_big, CloseCode::message_too_big, "frame_too_big",
     "frame longer than the limit (RFC 6455 7.4.1, 10.4)"},
    {ErrorCode::message_too_big, CloseCode::message_too_big, "message_too_big",
     "message longer than the limit (RFC 6455 7.4.1, 10.4)"},
    {ErrorCode::too_many_fragments, CloseCode::policy_violation, "too_many_fragments",
     "more fragments in a message than the limit (RFC 6455 10.4)"},
    {ErrorCode::too_many_empty_fragments, CloseCode::policy_violation, "too_many_empty_fragments",
     "more empty fragments in a row than the limit (RFC 6455 10.4)"},
    {ErrorCode::out_of_memory, CloseCode::internal_error, "out_of_memory",
     "no memory for the message (RFC 6455 7.4.1)"},
    {ErrorCode::frame_after_close, CloseCode::protocol_error, "frame_after_close",
     "frame after a Close frame (RFC 6455 5.5.1)"},
    {ErrorCode::deflate_data_invalid, CloseCode::invalid_payload_data, "deflate_data_invalid",
     "compressed payload is not DEFLATE (RFC 7692 7.2.2, RFC 1951)"},
    {ErrorCode::deflate_block_unfinished, CloseCode::invalid_payload_data, "deflate_block_unfinished",
     "compressed message ends within a block (RFC 7692 7.2.1)"},
    {ErrorCode::deflate_ratio_exceeded, CloseCode::message_too_big, "deflate_ratio_exceeded",
     "message inflates to more for its size than the limit (RFC 6455 7.4.1, 10.4)"},
}};

const Rule& rule_for(ErrorCode code) noexcept {
  const auto* rule = std::find_if(rules.begin(), rules.end(), [code](const Rule& r) { return r.code == code; });
  check(rule != rules.end());
  return *rule;
}

}  // namespace

CloseCode close_code_of(ErrorCode code) noexcept { return rule_for(code).close_code; }
std::string_view rule_of(ErrorCode code) noexcept { return rule_for(code).text; }
std::string_view name_of(ErrorCode code) noexcept { return rule_for(code).name; }

ErrorText::ErrorText(const Error& error) noexcept {
  if (error.code != ErrorCode::none) {
    append("frame at offset ");
    append(error.frame_offset);
    append(": ");
  }
  append(rule_of(error.code));
  if (error.code == ErrorCode::none) return;
  append(", seen at offset ");
  append(error.offset);
}

void ErrorText::append(std::string_view text) noexcept {
  check(text.size() <= text_.size() - size_);
  std::copy(text.begin(), text.end(), std::next(text_.begin(), static_cast<std::ptrdiff_t>(size_)));
  size_ += text.size();
}

void ErrorText::append(std::uint64_t number) noexcept {
  std::array<char, 20> digits{};
  const char* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  append(std::string_view(digits.begin(), static_cast<std::size_t>(end - digits.begin())));
}

}  // namespace weir
