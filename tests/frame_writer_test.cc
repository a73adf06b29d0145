#include <gtest/gtest.h>

#include <vector>

#include <weir/close_payload.h>
#include <weir/frame_writer.h>

namespace weir::tests {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes copy(ByteView view) { return Bytes(view.begin(), view.end()); }

FrameHeader header(Opcode opcode, std::uint64_t length, bool fin = true) {
  FrameHeader made;
  made.opcode = opcode;
  made.fin = fin;
  made.payload_length = length;
  return made;
}

TEST(FrameWriter, WritesTheShortestLength) {  // RFC 6455 5.2
  const auto encoded = [](std::uint64_t length) {
    FrameWriter writer(Role::server);
    EncodedHeader out;
    EXPECT_EQ(writer.write_header(header(Opcode::binary, length), out), ErrorCode::none);
    return copy(out.view());
  };
  EXPECT_EQ(encoded(0), (Bytes{0x82, 0x00}));
  EXPECT_EQ(encoded(125), (Bytes{0x82, 125}));
  EXPECT_EQ(encoded(126), (Bytes{0x82, 126, 0, 126}));
  EXPECT_EQ(encoded(65535), (Bytes{0x82, 126, 0xFF, 0xFF}));
  EXPECT_EQ(encoded(65536), (Bytes{0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(FrameWriter, AClientsFrameCarriesItsKey) {
  FrameWriter writer(Role::client);
  OutgoingFrame frame;
  ASSERT_EQ(writer.write(Opcode::text, as_bytes("Hi"), {{1, 2, 3, 4}}, frame), ErrorCode::none);
  EXPECT_EQ(copy(frame.header.view()), (Bytes{0x81, 0x82, 1, 2, 3, 4}));
  EXPECT_EQ(frame.masking_key, (MaskingKey{{1, 2, 3, 4}}));
  EXPECT_EQ(as_text(frame.payload), "Hi");
}

TEST(FrameWriter, CutsAMessageIntoFragments) {  // RFC 6455 5.4
  FrameWriter writer(Role::server, Rsv1::negotiated);
  ByteView left = as_bytes("abcde");
  OutgoingFrame frame;
  ASSERT_EQ(writer.write_fragment(Opcode::text, left, 2, {}, frame, true), ErrorCode::none);
  EXPECT_EQ(copy(frame.header.view()), (Bytes{0x41, 2}));
  OutgoingFrame ping;
  EXPECT_EQ(writer.write(Opcode::ping, {}, {}, ping), ErrorCode::none);
  EXPECT_EQ(writer.write(Opcode::text, {}, {}, ping), ErrorCode::message_interleaved);
  ASSERT_EQ(writer.write_fragment(Opcode::text, left, 2, {}, frame, true), ErrorCode::none);
  EXPECT_EQ(copy(frame.header.view()), (Bytes{0x00, 2}));
  ASSERT_EQ(writer.write_fragment(Opcode::text, left, 0, {}, frame, true), ErrorCode::none);
  EXPECT_EQ(copy(frame.header.view()), (Bytes{0x80, 1}));
  EXPECT_FALSE(writer.message_open());
}

TEST(FrameWriter, RefusesWhatRfc6455ForbidsToSend) {
  EncodedHeader out;
  const auto judge = [&out](const FrameHeader& wrong) { return FrameWriter(Role::server).write_header(wrong, out); };
  EXPECT_EQ(judge(header(Opcode::ping, 126)), ErrorCode::control_frame_too_long);
  EXPECT_EQ(judge(header(Opcode::ping, 0, false)), ErrorCode::control_frame_fragmented);
  EXPECT_EQ(judge(header(Opcode::continuation, 0)), ErrorCode::continuation_without_message);
  EXPECT_EQ(judge(header(static_cast<Opcode>(3), 0)), ErrorCode::unknown_opcode);
  EXPECT_EQ(judge(header(static_cast<Opcode>(0x12), 0)), ErrorCode::unknown_opcode);
  EXPECT_EQ(judge(header(Opcode::binary, std::uint64_t{1} << 63U)), ErrorCode::length_msb_set);
  EXPECT_EQ(judge(header(Opcode::close, 1)), ErrorCode::close_payload_one_byte);
  FrameHeader compressed = header(Opcode::text, 0);
  compressed.rsv1 = true;
  EXPECT_EQ(judge(compressed), ErrorCode::reserved_bit_set);
  FrameHeader masked = header(Opcode::text, 0);
  masked.masked = true;
  EXPECT_EQ(judge(masked), ErrorCode::frame_masked);
  EXPECT_EQ(FrameWriter(Role::client).write_header(header(Opcode::text, 0), out), ErrorCode::frame_not_masked);
  ByteView left;
  OutgoingFrame frame;
  FrameWriter writer(Role::server);
  EXPECT_EQ(writer.write_fragment(Opcode::ping, left, 1, {}, frame), ErrorCode::control_frame_fragmented);
  const Bytes bad_code = {0x03, 0xED};  // 1005
  EXPECT_EQ(writer.write(Opcode::close, bad_code, {}, frame), ErrorCode::close_code_not_allowed);
}

TEST(FrameWriter, NothingIsSentAfterAClose) {  // RFC 6455 5.5.1
  FrameWriter writer(Role::server);
  OutgoingFrame frame;
  const auto close = encode_close_payload(CloseCode::going_away, "bye");
  ASSERT_TRUE(close);
  ASSERT_EQ(writer.write(Opcode::close, close->view(), {}, frame), ErrorCode::none);
  EXPECT_EQ(copy(frame.payload), (Bytes{0x03, 0xE9, 'b', 'y', 'e'}));
  EXPECT_TRUE(writer.closed());
  EXPECT_EQ(writer.write(Opcode::text, {}, {}, frame), ErrorCode::frame_after_close);
  const Bytes bad_code = {0x03, 0xED};  // 1005: the rule broken first is that nothing follows a Close
  EXPECT_EQ(writer.write(Opcode::close, bad_code, {}, frame), ErrorCode::frame_after_close);
}

TEST(ClosePayload, IsRefusedWithACodeThatMustNotTravelOrAReasonThatIsNotUtf8) {
  EXPECT_FALSE(encode_close_payload(CloseCode::abnormal_closure));
  EXPECT_FALSE(encode_close_payload(static_cast<CloseCode>(2999)));
  EXPECT_FALSE(encode_close_payload(CloseCode::normal_closure, "\xff"));
  EXPECT_TRUE(encode_close_payload(static_cast<CloseCode>(4999)));
  const CloseBytes none;
  EXPECT_TRUE(none.view().empty());
}

TEST(ClosePayload, AReasonIsCutAtACharacterTo123Bytes) {
  const std::string reason = std::string(121, 'r') + "\xe4\xb8\xad";
  const auto close = encode_close_payload(CloseCode::normal_closure, reason);
  ASSERT_TRUE(close);
  EXPECT_EQ(close->view().size(), 2U + 121U);
}

}  // namespace
}  // namespace weir::tests
