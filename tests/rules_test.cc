// Every rule of RFC 6455 5 and 7.4, a row a rule: the bytes, and what a receiver makes of them.
#include <gtest/gtest.h>

#include <sstream>

#include "reference_model.h"
#include "weir_trace.h"

namespace weir::tests {
namespace {

struct Row {
  const char* rule;
  Role role;
  const char* bytes;  // hex
  std::vector<TraceEvent> events;
  End end;
  Error error = {};
};

Bytes bytes_of(const std::string& text) {
  Bytes bytes;
  std::istringstream words(text);
  for (std::string word; words >> word;) bytes.push_back(static_cast<unsigned char>(std::stoi(word, nullptr, 16)));
  return bytes;
}

Bytes text(const char* characters) {
  return Bytes(characters, characters + std::char_traits<char>::length(characters));
}

constexpr Role server = Role::server;
constexpr Role client = Role::client;

const Row rows[] = {
    // 5.7, the RFC's own examples
    {"5.7 unmasked text", client, "81 05 48 65 6c 6c 6f", {{"text", text("Hello"), {}}}, End::open},
    {"5.7 masked text", server, "81 85 37 fa 21 3d 7f 9f 4d 51 58", {{"text", text("Hello"), {}}}, End::open},
    {"5.7 fragmented text", client, "01 03 48 65 6c 80 02 6c 6f", {{"text", text("Hello"), {}}}, End::open},
    {"5.7 ping", client, "89 05 48 65 6c 6c 6f", {{"ping", text("Hello"), {}}}, End::open},
    {"5.7 masked pong", server, "8a 85 37 fa 21 3d 7f 9f 4d 51 58", {{"pong", text("Hello"), {}}}, End::open},
    // 5.1
    {"5.1 a client's frame is masked", server, "81 05", {}, End::fail, {ErrorCode::frame_not_masked, 1, 0}},
    {"5.1 a server's frame is not masked", client, "81 85", {}, End::fail, {ErrorCode::frame_masked, 1, 0}},
    // 5.2
    {"5.2 RSV1 is 0", client, "c1 00", {}, End::fail, {ErrorCode::reserved_bit_set, 0, 0}},
    {"5.2 RSV2 is 0", client, "a1 00", {}, End::fail, {ErrorCode::reserved_bit_set, 0, 0}},
    {"5.2 RSV3 is 0", client, "91 00", {}, End::fail, {ErrorCode::reserved_bit_set, 0, 0}},
    {"5.2 opcode 3 is reserved", client, "83 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode 4 is reserved", client, "84 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode 5 is reserved", client, "85 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode 6 is reserved", client, "86 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode 7 is reserved", client, "87 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode B is reserved", client, "8b 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode C is reserved", client, "8c 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode D is reserved", client, "8d 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode E is reserved", client, "8e 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 opcode F is reserved", client, "8f 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"5.2 16-bit length of 125", client, "82 7e 00 7d", {}, End::fail, {ErrorCode::length_not_minimal, 3, 0}},
    {"5.2 16-bit length of 126", client, "82 7e 00 7e", {}, End::need},
    {"5.2 64-bit length of 65535",
     client,
     "82 7f 00 00 00 00 00 00 ff ff",
     {},
     End::fail,
     {ErrorCode::length_not_minimal, 9, 0}},
    {"5.2 64-bit length of 65536", client, "82 7f 00 00 00 00 00 01 00 00", {}, End::need},
    {"5.2 top bit of a 64-bit length",
     client,
     "82 7f 80 00 00 00 00 01 00 00",
     {},
     End::fail,
     {ErrorCode::length_msb_set, 9, 0}},
    {"5.2 a header may be cut", client, "82 7f 00 00", {}, End::need},
    // 5.3
    {"5.3 an empty masked frame has its key", server, "82 80 01 02 03 04", {{"binary", {}, {}}}, End::open},
    {"5.3 octet i meets key octet i mod 4",
     server,
     "82 86 01 02 03 04 01 02 03 04 01 02",
     {{"binary", {0, 0, 0, 0, 0, 0}, {}}},
     End::open},
    // 5.4
    {"5.4 continuation without a message",
     client,
     "80 00",
     {},
     End::fail,
     {ErrorCode::continuation_without_message, 0, 0}},
    {"5.4 continuation after the end",
     client,
     "81 00 80 00",
     {{"text", {}, {}}},
     End::fail,
     {ErrorCode::continuation_without_message, 2, 2}},
    {"5.4 text within a message", client, "01 01 61 81 01 62", {}, End::fail, {ErrorCode::message_interleaved, 3, 3}},
    {"5.4 binary within a message", client, "01 01 61 02 01 62", {}, End::fail, {ErrorCode::message_interleaved, 3, 3}},
    {"5.4 control frames between fragments",
     client,
     "01 01 61 89 00 8a 01 70 80 01 62",
     {{"ping", {}, {}}, {"pong", text("p"), {}}, {"text", text("ab"), {}}},
     End::open},
    {"5.4 fragments may be empty", client, "01 00 00 00 80 00", {{"text", {}, {}}}, End::open},
    {"5.4 a message may stay unfinished", client, "02 01 61", {}, End::need_fin},
    // 5.5
    {"5.5 ping of 126 bytes", client, "89 7e 00 7e", {}, End::fail, {ErrorCode::control_frame_too_long, 1, 0}},
    {"5.5 pong with a 64-bit length", client, "8a 7f", {}, End::fail, {ErrorCode::control_frame_too_long, 1, 0}},
    {"5.5 close of 126 bytes", client, "88 7e", {}, End::fail, {ErrorCode::control_frame_too_long, 1, 0}},
    {"5.5 fragmented ping", client, "09 00", {}, End::fail, {ErrorCode::control_frame_fragmented, 0, 0}},
    {"5.5 fragmented pong", client, "0a 00", {}, End::fail, {ErrorCode::control_frame_fragmented, 0, 0}},
    {"5.5 fragmented close", client, "08 00", {}, End::fail, {ErrorCode::control_frame_fragmented, 0, 0}},
    // 5.5.1
    {"5.5.1 close may be empty", client, "88 00", {{"close", {}, {}}}, End::closed},
    {"5.5.1 close with a code", client, "88 02 03 e8", {{"close", {}, 1000}}, End::closed},
    {"5.5.1 close with a reason", client, "88 05 03 e8 62 79 65", {{"close", text("bye"), 1000}}, End::closed},
    {"5.5.1 close of one byte", client, "88 01 03", {}, End::fail, {ErrorCode::close_payload_one_byte, 2, 0}},
    {"5.5.1 reason that is not UTF-8",
     client,
     "88 04 03 e8 61 ff",
     {},
     End::fail,
     {ErrorCode::close_reason_not_utf8, 5, 0}},
    {"5.5.1 reason cut within a character",
     client,
     "88 04 03 e8 e2 82",
     {},
     End::fail,
     {ErrorCode::close_reason_not_utf8, 5, 0}},
    {"1.4 what follows a close is discarded", client, "88 00 ff ff ff", {{"close", {}, {}}}, End::closed},
    {"5.5.1 close within a message", client, "01 01 61 88 00", {{"close", {}, {}}}, End::closed},
    // 5.6, 8.1
    {"8.1 text is UTF-8", client, "81 02 c3 28", {}, End::fail, {ErrorCode::text_not_utf8, 3, 0}},
    {"8.1 overlong form", client, "81 02 c0 80", {}, End::fail, {ErrorCode::text_not_utf8, 2, 0}},
    {"8.1 surrogate", client, "81 03 ed a0 80", {}, End::fail, {ErrorCode::text_not_utf8, 3, 0}},
    {"8.1 above U+10FFFF", client, "81 04 f4 90 80 80", {}, End::fail, {ErrorCode::text_not_utf8, 3, 0}},
    {"8.1 ends within a character", client, "81 02 e2 82", {}, End::fail, {ErrorCode::text_ends_in_character, 3, 0}},
    {"8.1 ends within a character, empty last frame",
     client,
     "01 02 e2 82 80 00",
     {},
     End::fail,
     {ErrorCode::text_ends_in_character, 5, 4}},
    {"8.1 a character may span frames", client, "01 01 e2 80 02 82 ac", {{"text", {0xe2, 0x82, 0xac}, {}}}, End::open},
    {"8.1 fails before the end of the message", client, "01 01 ff", {}, End::fail, {ErrorCode::text_not_utf8, 2, 0}},
    {"8.1 lead F5", client, "81 01 f5", {}, End::fail, {ErrorCode::text_not_utf8, 2, 0}},
    {"8.1 continuation without a lead", client, "81 02 61 80", {}, End::fail, {ErrorCode::text_not_utf8, 3, 0}},
    {"8.1 overlong form of 3 bytes", client, "81 03 e0 9f bf", {}, End::fail, {ErrorCode::text_not_utf8, 3, 0}},
    {"8.1 overlong form of 4 bytes", client, "81 04 f0 8f bf bf", {}, End::fail, {ErrorCode::text_not_utf8, 3, 0}},
    {"8.1 the last character before and the first after the surrogates",
     client,
     "81 06 ed 9f bf ee 80 80",
     {{"text", {0xed, 0x9f, 0xbf, 0xee, 0x80, 0x80}, {}}},
     End::open},
    {"8.1 the first and the last character of every length",
     client,
     "81 14 00 7f c2 80 df bf e0 a0 80 ef bf bf f0 90 80 80 f4 8f bf bf",
     {{"text",
       {0x00, 0x7f, 0xc2, 0x80, 0xdf, 0xbf, 0xe0, 0xa0, 0x80, 0xef,
        0xbf, 0xbf, 0xf0, 0x90, 0x80, 0x80, 0xf4, 0x8f, 0xbf, 0xbf},
       {}}},
     End::open},
    {"8.1 a ping within a character",
     client,
     "01 01 e2 89 01 82 80 02 82 ac",
     {{"ping", {0x82}, {}}, {"text", {0xe2, 0x82, 0xac}, {}}},
     End::open},
    {"8.1 a character broken by the next fragment",
     client,
     "01 02 e2 82 89 00 80 01 28",
     {{"ping", {}, {}}},
     End::fail,
     {ErrorCode::text_not_utf8, 8, 6}},
    {"8.1 masked text, the place is that of the wire",
     server,
     "81 82 01 02 03 04 c2 2a",
     {},
     End::fail,
     {ErrorCode::text_not_utf8, 7, 0}},
    // Where two rules are broken, the byte that comes first is told, and at one byte the rule of the field.
    {"RSV goes before the opcode", client, "bb 00", {}, End::fail, {ErrorCode::reserved_bit_set, 0, 0}},
    {"the opcode goes before FIN", client, "0b 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
    {"the mask goes before the length", server, "89 7e", {}, End::fail, {ErrorCode::frame_not_masked, 1, 0}},
    {"the mask goes before the length, in a client", client, "88 ff", {}, End::fail, {ErrorCode::frame_masked, 1, 0}},
    {"a frame is judged before its payload is there",
     client,
     "81 01 61 c2 7f",
     {{"text", text("a"), {}}},
     End::fail,
     {ErrorCode::reserved_bit_set, 3, 3}},
    {"a masked close is unmasked before it is judged",
     server,
     "88 82 01 02 03 04 02 ea",
     {{"close", {}, 1000}},
     End::closed},
    {"a close code and a reason are both wrong",
     client,
     "88 03 03 ec ff",
     {},
     End::fail,
     {ErrorCode::close_code_not_allowed, 3, 0}},
    {"a close is judged only when it is whole", client, "88 03 03 ec", {}, End::need},
    {"5.6 binary is any bytes", client, "82 02 ff fe", {{"binary", {0xff, 0xfe}, {}}}, End::open},
};

TEST(Rules, EveryRuleOfSections5And7HoldsHoweverTheStreamIsCut) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.rule);
    const Trace expected{row.events, row.end, row.error};
    const Bytes stream = bytes_of(row.bytes);
    EXPECT_EQ(reference(row.role, {}, stream), expected);
    expect_all_cuts(row.role, {}, stream, expected);
  }
}

TEST(Rules, EveryRuleOfFramesHoldsInTheParserOfFramesToo) {
  const auto expect_frames = [](const Row& row, bool allow_rsv1, const Trace& expected) {
    SCOPED_TRACE(row.rule);
    const Bytes stream = bytes_of(row.bytes);
    EXPECT_EQ(reference_frames(row.role, {}, stream, allow_rsv1), expected);
    for (std::size_t cut = 1; cut <= stream.size(); ++cut) {
      EXPECT_EQ(weir_frames(row.role, {}, stream, {cut, stream.size()}, allow_rsv1), expected) << cut;
    }
    EXPECT_EQ(weir_frames(row.role, {}, stream, {1}, allow_rsv1), expected);
  };
  for (const Row& row : rows) expect_frames(row, false, reference_frames(row.role, {}, bytes_of(row.bytes), false));

  const Row negotiated[] = {
      // RFC 7692 6
      {"RSV1 on a message", client, "c1 01 61", {{"text fin rsv1", text("a"), {}}}, End::open},
      {"RSV1 on a first fragment",
       client,
       "42 00 80 00",
       {{"binary rsv1", {}, {}}, {"continuation fin", {}, {}}},
       End::open},
      {"RSV1 on a continuation",
       client,
       "41 00 c0 00",
       {{"text rsv1", {}, {}}},
       End::fail,
       {ErrorCode::rsv1_misplaced, 2, 2}},
      {"RSV1 on a continuation without a message", client, "c0 00", {}, End::fail, {ErrorCode::rsv1_misplaced, 0, 0}},
      {"RSV1 on a ping", client, "c9 00", {}, End::fail, {ErrorCode::rsv1_misplaced, 0, 0}},
      {"RSV1 on a fragmented ping", client, "49 00", {}, End::fail, {ErrorCode::control_frame_fragmented, 0, 0}},
      {"RSV1 on an unknown opcode", client, "c3 00", {}, End::fail, {ErrorCode::unknown_opcode, 0, 0}},
      {"RSV1 with RSV2", client, "e1 00", {}, End::fail, {ErrorCode::reserved_bit_set, 0, 0}},
      {"RSV1 within a message",
       client,
       "01 00 c1 00",
       {{"text", {}, {}}},
       End::fail,
       {ErrorCode::message_interleaved, 2, 2}},
  };
  for (const Row& row : negotiated) expect_frames(row, true, {row.events, row.end, row.error});
}

TEST(Rules, EveryEventTellsWhereItsFirstFrameBegins) {
  // An unfragmented text; a binary in two fragments with a ping between; a text that ends in a cut character; a close.
  const Bytes stream = bytes_of("81 01 61  02 01 62  89 01 70  80 01 63  01 02 64 e2  80 02 82 ac  88 02 03 e8");
  const std::vector<std::pair<MessageKind, std::uint64_t>> expected = {{MessageKind::text, 0},
                                                                       {MessageKind::ping, 6},
                                                                       {MessageKind::binary, 3},
                                                                       {MessageKind::text, 12},
                                                                       {MessageKind::close, 20}};
  for (const Delivery delivery : {Delivery::messages, Delivery::pieces}) {
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      MessageReader reader(client, {}, delivery);
      std::vector<std::pair<MessageKind, std::uint64_t>> seen;
      for (const ByteView slice : {ByteView(stream).first(cut), ByteView(stream).drop(cut)}) {
        ByteReader in(slice);
        drain(reader, in, [&](MessageKind kind, const Message& message) {
          if (message.ends) seen.emplace_back(kind, message.offset);
        });
      }
      ASSERT_EQ(seen, expected) << "cut " << cut;
    }
  }
}

// RFC 6455 7.4.1 and 7.4.2, with 1012 to 1014 of the IANA registry (11.7).
TEST(CloseCodes, OnlyTheAssignedAndTheApplicationsOwnAreAccepted) {
  for (unsigned code = 0; code <= 0xFFFF; ++code) {
    const bool assigned = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
    const bool own = code >= 3000 && code <= 4999;
    Bytes stream = {0x88, 0x02, static_cast<unsigned char>(code >> 8U), static_cast<unsigned char>(code & 0xFFU)};
    Trace expected;
    if (assigned || own) expected = {{{"close", {}, code}}, End::closed, {}};
    else expected = {{}, End::fail, {ErrorCode::close_code_not_allowed, 3, 0}};
    ASSERT_EQ(weir_trace(client, {}, stream, {4}, Mode::const_messages), expected) << code;
  }
}

struct LimitRow {
  const char* rule;
  Limits limits;
  const char* bytes;
  std::vector<TraceEvent> events;
  End end;
  Error error = {};
};

TEST(Limits, ExactlyAtALimitIsAcceptedAndOneMoreIsNot) {
  Limits frame;
  frame.max_frame_size = 3;
  Limits message;
  message.max_message_size = 3;
  Limits fragments;
  fragments.max_fragment_count = 2;
  Limits empty;
  empty.max_empty_fragment_count = 1;
  const TraceEvent abc{"binary", text("abc"), {}};
  const LimitRow limit_rows[] = {
      {"frame at the limit", frame, "82 03 61 62 63", {abc}, End::open},
      {"frame over the limit", frame, "82 04", {}, End::fail, {ErrorCode::frame_too_big, 1, 0}},
      {"control frames are not data", frame, "89 04 61 62 63 64", {{"ping", text("abcd"), {}}}, End::open},
      {"grammar goes before limits", frame, "82 7e 00 7d", {}, End::fail, {ErrorCode::length_not_minimal, 3, 0}},
      {"message at the limit", message, "02 01 61 00 01 62 80 01 63", {abc}, End::open},
      {"message over the limit", message, "02 01 61 00 01 62 80 02", {}, End::fail, {ErrorCode::message_too_big, 7, 6}},
      {"one frame over the message limit", message, "82 04", {}, End::fail, {ErrorCode::message_too_big, 1, 0}},
      {"sum that wraps",
       message,
       "02 01 61 80 7f 7f ff ff ff ff ff ff ff",
       {},
       End::fail,
       {ErrorCode::message_too_big, 12, 3}},
      {"fragments at the limit", fragments, "02 01 61 80 02 62 63", {abc}, End::open},
      {"fragments over the limit",
       fragments,
       "02 01 61 00 01 62 80 01",
       {},
       End::fail,
       {ErrorCode::too_many_fragments, 7, 6}},
      {"empty fragments at the limit", empty, "02 00 00 01 61 00 00 80 02 62 63", {abc}, End::open},
      {"a message's size is counted afresh",
       message,
       "02 01 61 80 02 62 63 02 01 61 80 02 62 63",
       {abc, abc},
       End::open},
      {"a message's fragments are counted afresh",
       fragments,
       "02 01 61 80 02 62 63 02 01 61 80 02 62 63",
       {abc, abc},
       End::open},
      {"empty fragments are counted afresh", empty, "02 00 80 03 61 62 63 02 00 80 03 61 62 63", {abc, abc}, End::open},
      {"control frames do not end a row of empty fragments",
       empty,
       "02 00 89 00 00 00",
       {{"ping", {}, {}}},
       End::fail,
       {ErrorCode::too_many_empty_fragments, 5, 4}},
      {"control frames are not fragments",
       fragments,
       "02 01 61 89 00 89 00 80 02 62 63",
       {{"ping", {}, {}}, {"ping", {}, {}}, abc},
       End::open},
      {"empty fragments over the limit",
       empty,
       "02 00 00 00",
       {},
       End::fail,
       {ErrorCode::too_many_empty_fragments, 3, 2}},
  };
  for (const LimitRow& row : limit_rows) {
    SCOPED_TRACE(row.rule);
    const Trace expected{row.events, row.end, row.error};
    EXPECT_EQ(reference(client, row.limits, bytes_of(row.bytes)), expected);
    expect_all_cuts(client, row.limits, bytes_of(row.bytes), expected);
  }
}

}  // namespace
}  // namespace weir::tests
