// The six lines of the contract of next(), for both stages.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include <weir/frame_parser.h>
#include <weir/message_reader.h>

#include "trace.h"

namespace weir::tests {
namespace {

// Streams that reach deep: valid frames with a byte changed now and then.
rc::Gen<Bytes> streams() {
  return rc::gen::exec([] {
    Bytes stream;
    const auto count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i) {
      const auto first = *rc::gen::element<int>(0x81, 0x82, 0x01, 0x00, 0x80, 0x89, 0x8a);
      const auto payload = *rc::gen::container<Bytes>(rc::gen::inRange<unsigned char>(0x20, 0x7f));
      stream.push_back(static_cast<unsigned char>(first));
      stream.push_back(static_cast<unsigned char>(std::min<std::size_t>(payload.size(), 125)));
      stream.insert(stream.end(), payload.begin(),
                    payload.begin() + std::min<std::ptrdiff_t>(std::ssize(payload), 125));
    }
    return stream;
  });
}

// seen is what a call of next() left behind, comparable.
struct Seen {
  int kind;
  std::size_t position;
  Bytes payload;
  Error error;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen step(FrameParser& parser, ByteReader& in) {
  FramePiece piece;
  const EventKind kind = parser.next(in, piece);
  Seen seen{static_cast<int>(kind), in.position(), {}, parser.error()};
  if (kind != EventKind::piece) return seen;
  seen.payload.resize(piece.payload.size());
  piece.payload.copy_to(seen.payload);
  return seen;
}

Seen step(MessageReader& reader, ByteReader& in) {
  Message message;
  const MessageKind kind = reader.next(in, message);
  Seen seen{static_cast<int>(kind), in.position(), {}, reader.error()};
  if (kind != MessageKind::need_input && kind != MessageKind::error)
    seen.payload.assign(message.payload.begin(), message.payload.end());
  return seen;
}

template <typename Stage>
struct Kinds;
template <>
struct Kinds<FrameParser> {
  static constexpr int need_input = static_cast<int>(EventKind::need_input);
  static constexpr int error = static_cast<int>(EventKind::error);
};
template <>
struct Kinds<MessageReader> {
  static constexpr int need_input = static_cast<int>(MessageKind::need_input);
  static constexpr int error = static_cast<int>(MessageKind::error);
};

template <typename Stage>
class Contract : public testing::Test {};
using Stages = testing::Types<FrameParser, MessageReader>;
TYPED_TEST_SUITE(Contract, Stages);

// Feeds the stream in two slices and calls `law(stage, in, seen_before_call)` around every call.
template <typename Stage, typename Law>
void for_every_call(const Bytes& stream, std::size_t cut, Law law) {
  Stage stage(Role::client);
  const ByteView whole(stream);
  for (const ByteView slice : {whole.first(cut), whole.drop(cut)}) {
    ByteReader in(slice);
    for (int kind = -1; kind != Kinds<Stage>::need_input && kind != Kinds<Stage>::error;) kind = law(stage, in);
  }
}

template <typename Law>
void check_streams(Law law) {
  const bool held = rc::check([&law] {
    const Bytes stream = *streams();
    law(stream, *rc::gen::inRange<std::size_t>(0, stream.size() + 1));
  });
  EXPECT_TRUE(held);
}

TYPED_TEST(Contract, NeedInputMeansThatTheCursorIsEmptyAndElseAByteWasTaken) {
  check_streams([](const Bytes& stream, std::size_t cut) {
    for_every_call<TypeParam>(stream, cut, [](TypeParam& stage, ByteReader& in) {
      const std::size_t before = in.position();
      const Seen seen = step(stage, in);
      if (seen.kind == Kinds<TypeParam>::need_input) RC_ASSERT(in.empty());
      else if (seen.kind != Kinds<TypeParam>::error) RC_ASSERT(in.position() > before);
      return seen.kind;
    });
  });
}

TYPED_TEST(Contract, AnErrorStaysTheSameForEver) {
  check_streams([](const Bytes& stream, std::size_t cut) {
    Bytes broken = stream;
    broken.push_back(0xFF);  // RSV and opcode: no frame begins so
    for_every_call<TypeParam>(broken, std::min(cut, broken.size()), [](TypeParam& stage, ByteReader& in) {
      const Seen seen = step(stage, in);
      if (seen.kind != Kinds<TypeParam>::error) return seen.kind;
      RC_ASSERT(seen.error.code != ErrorCode::none);
      const Bytes more = {0x81, 0x00};
      ByteReader again{ByteView(more)};
      RC_ASSERT(step(stage, again).kind == Kinds<TypeParam>::error);
      RC_ASSERT(stage.error() == seen.error);
      RC_ASSERT(stage.finish() == StreamEnd::failed);
      return seen.kind;
    });
  });
}

TYPED_TEST(Contract, ACopyMadeBetweenTwoCallsGoesOnAlike) {
  check_streams([](const Bytes& stream, std::size_t cut) {
    for_every_call<TypeParam>(stream, cut, [](TypeParam& stage, ByteReader& in) {
      Seen of_copy;
      {
        TypeParam copy(stage);
        ByteReader copied_in = in;
        of_copy = step(copy, copied_in);
      }
      const Seen seen = step(stage, in);
      RC_ASSERT(seen == of_copy);
      return seen.kind;
    });
  });
}

RC_GTEST_PROP(FrameParserContract, WhatAPieceBorrowsIsTheSlice, ()) {
  const Bytes stream = *streams();
  FrameParser parser(Role::client);
  ByteReader in{ByteView(stream)};
  FramePiece piece;
  while (parser.next(in, piece) == EventKind::piece) {
    if (piece.payload.empty()) continue;
    const ByteView wire = piece.payload.wire();
    RC_ASSERT(std::greater_equal<>()(wire.begin(), stream.data()));
    RC_ASSERT(std::less_equal<>()(wire.end(), stream.data() + stream.size()));
  }
}

}  // namespace
}  // namespace weir::tests
