// The six lines of the contract of next(), for both stages, on streams that reach every rule and limit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>

#include <weir/frame_parser.h>
#include <weir/message_reader.h>

#include "reference_model.h"
#include "weir_trace.h"

namespace weir::tests {
namespace {

struct Case {
  Role role = Role::client;
  Limits limits;
  Bytes stream;
  std::vector<std::size_t> cuts;  // sizes of the slices, the last one repeated
};

void showValue(const Case& tried, std::ostream& out) {
  out << (tried.role == Role::server ? "server " : "client ") << hex(tried.stream) << " limits "
      << tried.limits.max_frame_size << ' ' << tried.limits.max_message_size << ' ' << tried.limits.max_fragment_count
      << ' ' << static_cast<unsigned>(tried.limits.max_empty_fragment_count) << " cuts";
  for (const std::size_t cut : tried.cuts) out << ' ' << cut;
}

Limits limits_of(std::uint64_t frame, std::uint64_t message, std::uint32_t fragments, std::uint8_t empty_fragments) {
  Limits limits;
  limits.max_frame_size = frame;
  limits.max_message_size = message;
  limits.max_fragment_count = fragments;
  limits.max_empty_fragment_count = empty_fragments;
  return limits;
}

// So low that a stream of a few frames comes to each of them.
Limits any_limits() {
  constexpr auto off = no_limit<std::uint64_t>;
  return *rc::gen::element(Limits{}, limits_of(off, off, 3, no_limit<std::uint8_t>), limits_of(off, off, 12, 1),
                           limits_of(off, 24, no_limit<std::uint32_t>, no_limit<std::uint8_t>),
                           limits_of(9, 40, no_limit<std::uint32_t>, no_limit<std::uint8_t>));
}

Bytes any_text() {
  const auto characters =
      *rc::gen::scale(0.2, rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
                               "a", "Z ", "\xd0\xb6", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "sixteen letters.")));
  Bytes text;
  for (const std::string& character : characters) text.insert(text.end(), character.begin(), character.end());
  return text;
}

void add_frame(Role role, unsigned first, const Bytes& payload, Bytes& stream) {
  const unsigned mask_bit = role == Role::server ? 0x80 : 0;
  stream.push_back(static_cast<unsigned char>(first));
  if (payload.size() <= 125) {
    stream.push_back(static_cast<unsigned char>(payload.size() | mask_bit));
  } else {
    stream.push_back(static_cast<unsigned char>(126 | mask_bit));
    stream.push_back(static_cast<unsigned char>(payload.size() >> 8U));
    stream.push_back(static_cast<unsigned char>(payload.size() & 0xFFU));
  }
  Bytes key(4, 0);
  if (role == Role::server) {
    key = *rc::gen::container<Bytes>(4, rc::gen::arbitrary<unsigned char>());
    stream.insert(stream.end(), key.begin(), key.end());
  }
  for (std::size_t i = 0; i < payload.size(); ++i)
    stream.push_back(static_cast<unsigned char>(payload[i] ^ key[i % 4]));
}

// A message in fragments that may end within a character, with control frames between them.
void add_message(Role role, Bytes& stream) {
  const Bytes text = any_text();
  const auto fragment_count = *rc::gen::weightedElement<int>({{6, 1}, {3, 2}, {2, 3}, {2, 5}});
  std::size_t begin = 0;
  for (int i = 0; i < fragment_count; ++i) {
    const bool fin = i + 1 == fragment_count;
    const std::size_t left = text.size() - begin;
    const std::size_t size = fin ? left : *rc::gen::inRange<std::size_t>(0, left + 1);
    const unsigned opcode = i == 0 ? *rc::gen::weightedElement<unsigned>({{3, 1}, {1, 2}}) : 0;
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(begin);
    add_frame(role, opcode | (fin ? 0x80U : 0U), Bytes(from, from + static_cast<std::ptrdiff_t>(size)), stream);
    begin += size;
    if (!fin && *rc::gen::inRange(0, 4) == 0) add_frame(role, *rc::gen::element(0x89U, 0x8AU), {'?'}, stream);
  }
}

void add_close(Role role, Bytes& stream) {
  const std::vector<Bytes> payloads = {
      {},           {0x03, 0xe8}, {0x03, 0xe8, 0xe2, 0x82, 0xac}, {0x03, 0xe8, 0xe2, 0x82},
      {0x03, 0xed}, {0x03},       {0x0f, 0xa0, 'x', 0xff}};
  add_frame(role, 0x88, *rc::gen::elementOf(payloads), stream);
}

rc::Gen<Case> cases() {
  return rc::gen::exec([] {
    Case made;
    made.role = *rc::gen::element(Role::server, Role::client);
    made.limits = any_limits();
    const auto message_count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < message_count; ++i) add_message(made.role, made.stream);
    if (*rc::gen::inRange(0, 4) == 0) add_close(made.role, made.stream);
    if (!made.stream.empty() && *rc::gen::inRange(0, 2) == 0) {
      const auto at = *rc::gen::inRange<std::size_t>(0, made.stream.size());
      if (*rc::gen::inRange(0, 3) == 0) made.stream.resize(at);
      else made.stream[at] ^= static_cast<unsigned char>(*rc::gen::inRange(1, 256));
    }
    made.cuts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::weightedOneOf<std::size_t>(
        {{3, rc::gen::inRange<std::size_t>(1, 4)}, {1, rc::gen::inRange<std::size_t>(4, 80)}})));
    return made;
  });
}

void classify(const Trace& trace) {
  const char* const ends[] = {"open", "need", "need_fin", "closed"};
  RC_TAG(trace.end == End::fail ? std::string(name_of(trace.error.code)) : ends[static_cast<int>(trace.end)]);
}

// The stages, each with the kind of input it reads.
struct Frames {
  using Stage = FrameParser;
  using Kind = EventKind;
  using View = ByteView;
  static Stage make(const Case& made, std::pmr::memory_resource* /*memory*/) { return Stage(made.role, made.limits); }
  static ByteView payload(const FramePiece& piece) { return piece.payload.wire(); }
};

template <typename InputView, Delivery delivery>
struct Messages {
  using Stage = MessageReader;
  using Kind = MessageKind;
  using View = InputView;
  static Stage make(const Case& made, std::pmr::memory_resource* memory) {
    return Stage(made.role, made.limits, delivery, Rsv1::reserved, memory);
  }
  static ByteView payload(const Message& message) { return message.payload; }
};

// Memory that knows what it has lent.
class KnownMemory : public std::pmr::memory_resource {
 public:
  bool holds(ByteView bytes) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&](ByteView block) { return within(bytes, block); });
  }
  static bool within(ByteView part, ByteView whole) {
    return std::greater_equal<>()(part.begin(), whole.begin()) && std::less_equal<>()(part.end(), whole.end());
  }

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    void* block = std::pmr::new_delete_resource()->allocate(size, alignment);
    blocks_.emplace_back(static_cast<const unsigned char*>(block), size);
    return block;
  }
  void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
    std::erase_if(blocks_, [&](ByteView held) { return held.data() == block; });
    std::pmr::new_delete_resource()->deallocate(block, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::vector<ByteView> blocks_;
};

// What one call left behind.
template <typename Traits>
struct Call {
  typename Traits::Kind kind;
  typename Traits::Stage::Event event;
  bool cursor_is_empty;
  std::size_t taken_size;
};

// Feeds a case slice by slice, each slice in a heap block of its size, and calls law(stage, call, slice, memory) after
// every call of next. The law may replace the stage.
template <typename Traits, typename Law>
void for_every_call(const Case& tried, Law law) {
  KnownMemory memory;
  std::optional<typename Traits::Stage> stage(Traits::make(tried, &memory));
  std::size_t cut = 0;
  for (std::size_t at = 0; at < tried.stream.size();) {
    const std::size_t size = std::min(tried.stream.size() - at, tried.cuts[std::min(cut++, tried.cuts.size() - 1)]);
    const auto block = std::make_unique<unsigned char[]>(size);
    std::copy_n(tried.stream.begin() + static_cast<std::ptrdiff_t>(at), size, block.get());
    const typename Traits::View slice(block.get(), size);
    BasicByteReader<typename Traits::View> in(slice);
    Call<Traits> call{};
    do {
      const std::size_t before = in.position();
      call.kind = stage->next(in, call.event);
      call.cursor_is_empty = in.empty();
      call.taken_size = in.position() - before;
      law(stage, call, ByteView(slice), memory);
    } while (call.kind != Traits::Kind::need_input && call.kind != Traits::Kind::error);
    if (std::is_same_v<typename Traits::View, ByteView>)
      RC_ASSERT(std::equal(block.get(), block.get() + size, tried.stream.begin() + static_cast<std::ptrdiff_t>(at)));
    if (call.kind == Traits::Kind::error) return;
    at += size;
  }
}

template <typename Traits>
class Contract : public testing::Test {};
using Stages =
    testing::Types<Frames, Messages<ByteView, Delivery::messages>, Messages<ByteView, Delivery::pieces>,
                   Messages<MutableByteView, Delivery::messages>, Messages<MutableByteView, Delivery::pieces>>;
TYPED_TEST_SUITE(Contract, Stages);

template <typename Law>
void check_cases(Law law) {
  EXPECT_TRUE(rc::check([&law] {
    const Case tried = *cases();
    classify(reference(tried.role, tried.limits, tried.stream));
    law(tried);
  }));
}

TYPED_TEST(Contract, NeedInputMeansThatTheCursorIsEmpty) {
  check_cases([](const Case& tried) {
    for_every_call<TypeParam>(tried, [](auto&, const auto& call, ByteView, const KnownMemory&) {
      if (call.kind == TypeParam::Kind::need_input) RC_ASSERT(call.cursor_is_empty);
    });
  });
}

TYPED_TEST(Contract, AnEventTookAtLeastOneByte) {
  check_cases([](const Case& tried) {
    for_every_call<TypeParam>(tried, [](auto&, const auto& call, ByteView, const KnownMemory&) {
      if (call.kind == TypeParam::Kind::need_input || call.kind == TypeParam::Kind::error) return;
      RC_ASSERT(call.taken_size >= 1U);
    });
  });
}

TYPED_TEST(Contract, AnErrorStaysTheSameForEver) {
  check_cases([](const Case& tried) {
    Bytes more = *rc::gen::container<Bytes>(rc::gen::arbitrary<unsigned char>());
    more.insert(more.begin(), {0x81, 0x00, 0x88, 0x00});
    for_every_call<TypeParam>(tried, [&more](auto& stage, const auto& call, ByteView, const KnownMemory&) {
      const Error error = stage->error();
      RC_ASSERT((error.code == ErrorCode::none) == (call.kind != TypeParam::Kind::error));
      if (error.code == ErrorCode::none) return;
      RC_ASSERT(error.frame_offset <= error.offset);
      for (int i = 0; i < 3; ++i) {
        BasicByteReader<typename TypeParam::View> in{typename TypeParam::View(more)};
        typename TypeParam::Stage::Event event;
        RC_ASSERT(stage->next(in, event) == TypeParam::Kind::error);
        RC_ASSERT(stage->error() == error);
        RC_ASSERT(stage->finish() == StreamEnd::failed);
      }
    });
  });
}

TYPED_TEST(Contract, AStageMayBeReplacedByItsCopyBetweenAnyTwoCalls) {
  using Stage = typename TypeParam::Stage;
  // What every call gave, of the stage itself or of copy after copy, each destroyed when the next is made.
  const auto calls = [](const Case& tried, bool replace) {
    std::vector<std::pair<int, Bytes>> seen;
    Error error;
    for_every_call<TypeParam>(tried, [&](auto& stage, const auto& call, ByteView, const KnownMemory&) {
      Bytes payload;
      if (call.kind != TypeParam::Kind::need_input && call.kind != TypeParam::Kind::error) {
        const ByteView borrowed = TypeParam::payload(call.event);
        payload.assign(borrowed.begin(), borrowed.end());
      }
      seen.emplace_back(static_cast<int>(call.kind), payload);
      error = stage->error();
      if (!replace) return;
      Stage copy(*stage);
      stage.reset();
      stage.emplace(copy);
    });
    return std::pair(seen, error);
  };
  check_cases([&calls](const Case& tried) { RC_ASSERT(calls(tried, true) == calls(tried, false)); });
}

TYPED_TEST(Contract, WhatAnEventBorrowsIsTheSliceOrTheStagesOwnMemory) {
  check_cases([](const Case& tried) {
    for_every_call<TypeParam>(tried, [](auto& stage, const auto& call, ByteView slice, const KnownMemory& memory) {
      if (call.kind == TypeParam::Kind::need_input || call.kind == TypeParam::Kind::error) return;
      const ByteView payload = TypeParam::payload(call.event);
      if (payload.empty() || KnownMemory::within(payload, slice)) return;
      RC_ASSERT((!std::is_same_v<typename TypeParam::Stage, FrameParser>));
      const ByteView object(reinterpret_cast<const unsigned char*>(&*stage), sizeof(*stage));
      RC_ASSERT(memory.holds(payload) || KnownMemory::within(payload, object));
    });
  });
}

RC_GTEST_PROP(CutInvariance, FramesAreTheReferencesHoweverTheStreamIsCut, ()) {
  const Case tried = *cases();
  const bool allow_rsv1 = *rc::gen::arbitrary<bool>();
  const Trace expected = reference_frames(tried.role, tried.limits, tried.stream, allow_rsv1);
  classify(expected);
  RC_ASSERT(weir_frames(tried.role, tried.limits, tried.stream, tried.cuts, allow_rsv1) == expected);
}

RC_GTEST_PROP(CutInvariance, MessagesAreTheReferencesHoweverTheStreamIsCut, ()) {
  const Case tried = *cases();
  const Trace expected = reference(tried.role, tried.limits, tried.stream);
  classify(expected);
  for (const Mode mode : all_modes)
    RC_ASSERT(weir_trace(tried.role, tried.limits, tried.stream, tried.cuts, mode) == expected);
}

}  // namespace
}  // namespace weir::tests
