#include <gtest/gtest.h>

#include <vector>

#include <weir/frame_parser.h>

namespace weir::tests {
namespace {

using Bytes = std::vector<unsigned char>;

TEST(FrameParser, FitsOneCacheLine) { EXPECT_LE(sizeof(FrameParser), 64U); }

TEST(FrameParser, AWholeFrameIsOnePieceWithItsHeader) {
  const Bytes stream = {0x82, 0x83, 1, 2, 3, 4, 'a' ^ 1, 'b' ^ 2, 'c' ^ 3, 0x89, 0x80, 0, 0, 0, 0};
  FrameParser parser(Role::server);
  ByteReader in{ByteView(stream)};
  FramePiece piece;
  ASSERT_EQ(parser.next(in, piece), EventKind::piece);
  EXPECT_EQ(piece.header, (FrameHeader{Opcode::binary, true, false, true, {{1, 2, 3, 4}}, 3}));
  EXPECT_TRUE(piece.frame_begins && piece.frame_ends);
  EXPECT_EQ(piece.payload[1], 'b');
  EXPECT_EQ(piece.stream_offset(), 6U);
  ASSERT_EQ(parser.next(in, piece), EventKind::piece);
  EXPECT_EQ(piece.header.opcode, Opcode::ping);
  EXPECT_EQ(piece.frame_offset, 9U);
  EXPECT_TRUE(piece.payload.empty() && piece.frame_begins && piece.frame_ends);
  EXPECT_EQ(parser.next(in, piece), EventKind::need_input);
}

TEST(FrameParser, ACutFrameComesInPiecesWithTheKeyTurned) {
  const Bytes stream = {0x82, 0x85, 1, 2, 3, 4, 'a' ^ 1, 'b' ^ 2, 'c' ^ 3, 'd' ^ 4, 'e' ^ 1};
  FrameParser parser(Role::server);
  FramePiece piece;
  ByteReader front{ByteView(stream).first(8)};
  ASSERT_EQ(parser.next(front, piece), EventKind::piece);
  EXPECT_TRUE(piece.frame_begins && !piece.frame_ends);
  EXPECT_EQ(parser.finish(), StreamEnd::inside_frame);
  ByteReader back{ByteView(stream).drop(8)};
  ASSERT_EQ(parser.next(back, piece), EventKind::piece);
  EXPECT_TRUE(!piece.frame_begins && piece.frame_ends);
  EXPECT_EQ(piece.payload_offset, 2U);
  EXPECT_EQ(piece.payload[0], 'c');
  EXPECT_EQ(piece.payload[2], 'e');
  EXPECT_EQ(parser.finish(), StreamEnd::open);
}

TEST(FrameParser, Rsv1StandsOnTheFirstFrameOfADataMessageIfNegotiated) {
  const auto judge = [](Bytes stream) {
    FrameParser parser(Role::client, {}, Rsv1::negotiated);
    ByteReader in{ByteView(stream)};
    drain(parser, in, [](const FramePiece&) {});
    return parser.error().code;
  };
  EXPECT_EQ(judge({0xC1, 0x00}), ErrorCode::none);
  EXPECT_EQ(judge({0x41, 0x00, 0x80, 0x00}), ErrorCode::none);
  EXPECT_EQ(judge({0x41, 0x00, 0xC0, 0x00}), ErrorCode::rsv1_misplaced);
  EXPECT_EQ(judge({0xC9, 0x00}), ErrorCode::rsv1_misplaced);
  EXPECT_EQ(judge({0xE1, 0x00}), ErrorCode::reserved_bit_set);
}

TEST(Drain, AHandlerThatReturnsFalseStopsThere) {
  const Bytes stream = {0x81, 0x00, 0x82, 0x00, 0x89, 0x00};
  FrameParser parser(Role::client);
  ByteReader in{ByteView(stream)};
  int count = 0;
  EXPECT_EQ(drain(parser, in, [&](const FramePiece&) { return ++count < 2; }), EventKind::piece);
  EXPECT_EQ(in.position(), 4U);
  EXPECT_EQ(drain(parser, in, [&](const FramePiece&) { ++count; }), EventKind::need_input);
  EXPECT_EQ(count, 3);
}

TEST(FrameParser, ALimitOfNoFragmentsStillAllowsUnfragmentedMessages) {
  Limits limits;
  limits.max_fragment_count = 0;
  FrameParser parser(Role::client, limits);
  const Bytes stream = {0x81, 0x00, 0x01, 0x00, 0x80, 0x00};
  ByteReader in{ByteView(stream)};
  EXPECT_EQ(drain(parser, in, [](const FramePiece&) {}), EventKind::error);
  EXPECT_EQ(parser.error(), (Error{ErrorCode::too_many_fragments, 5, 4}));
}

}  // namespace
}  // namespace weir::tests
