#include <gtest/gtest.h>

#include <cstdlib>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/message_reader.h>

#include "counting_memory.h"

namespace weir::tests {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes binary_frame(std::size_t size, unsigned char first = 0x82) {
  Bytes stream = {first, 126, static_cast<unsigned char>(size >> 8U), static_cast<unsigned char>(size & 0xFFU)};
  stream.resize(4 + size, 'x');
  return stream;
}

TEST(MessageReader, AMessageThatLiesWholeIsAViewOfTheSliceAndAllocatesNothing) {
  CountingMemory memory;
  MessageReader reader(Role::client, {}, Delivery::messages, Rsv1::reserved, &memory);
  const Bytes stream = binary_frame(1000);
  Message message;
  for (int i = 0; i < 3; ++i) {
    ByteReader in{ByteView(stream)};
    ASSERT_EQ(reader.next(in, message), MessageKind::binary);
    EXPECT_EQ(message.payload.data(), stream.data() + 4);
    EXPECT_EQ(message.offset, static_cast<std::uint64_t>(i) * stream.size());
  }
  EXPECT_EQ(memory.allocations, 0U);
}

TEST(MessageReader, FromMutableBytesAMaskedMessageIsUnmaskedInPlaceAndAllocatesNothing) {
  CountingMemory memory;
  MessageReader reader(Role::server, {}, Delivery::messages, Rsv1::reserved, &memory);
  Bytes stream = {0x81, 0x82, 1, 2, 3, 4, 'h' ^ 1, 'i' ^ 2, 0x89, 0x81, 9, 0, 0, 0, 'p' ^ 9};
  MutableByteReader in{MutableByteView(stream)};
  Message message;
  ASSERT_EQ(reader.next(in, message), MessageKind::text);
  EXPECT_EQ(as_text(message.payload), "hi");
  EXPECT_EQ(message.payload.data(), stream.data() + 6);
  ASSERT_EQ(reader.next(in, message), MessageKind::ping);
  EXPECT_EQ(as_text(message.payload), "p");
  EXPECT_EQ(memory.allocations, 0U);
}

TEST(MessageReader, MemoryGrowsByWhatArrivedNotByWhatWasDeclared) {
  CountingMemory memory;
  MessageReader reader(Role::client, {}, Delivery::messages, Rsv1::reserved, &memory);
  Bytes stream = {0x82, 127, 0, 0, 0, 0, 0, 0xC0, 0, 0};  // declares 12 MiB
  stream.resize(stream.size() + 100);
  ByteReader in{ByteView(stream)};
  Message message;
  EXPECT_EQ(reader.next(in, message), MessageKind::need_input);
  EXPECT_LE(memory.largest, 400U);
  EXPECT_GE(reader.memory_size(), 100U);
}

TEST(MessageReader, WithoutMemoryItFailsWith1011) {
  CountingMemory memory;
  memory.limit = 50;
  for (const bool control : {false, true}) {
    MessageReader reader(Role::client, {}, Delivery::messages, Rsv1::reserved, &memory);
    Bytes stream = binary_frame(1000);
    if (control) {
      stream = {0x89, 100};
      stream.resize(102);
    }
    ByteReader in{ByteView(stream).first(70)};
    Message message;
    EXPECT_EQ(reader.next(in, message), MessageKind::error);
    EXPECT_EQ(reader.error().code, ErrorCode::out_of_memory);
    EXPECT_EQ(close_code_of(reader.error().code), CloseCode::internal_error);
  }
  MessageReader pieces(Role::server, {}, Delivery::pieces, Rsv1::reserved, &memory);
  Bytes masked = {0x82, 0xE4, 0, 0, 0, 0};
  masked.resize(106);
  ByteReader in{ByteView(masked)};
  Message message;
  EXPECT_EQ(pieces.next(in, message), MessageKind::error);
}

TEST(MessageReader, ReleaseMemoryGivesTheBufferBackBetweenMessages) {
  MessageReader reader(Role::client);
  const Bytes stream = binary_frame(1000);
  Message message;
  ByteReader front{ByteView(stream).first(500)};
  EXPECT_EQ(reader.next(front, message), MessageKind::need_input);
  reader.release_memory();
  EXPECT_NE(reader.memory_size(), 0U) << "a message is under way";
  ByteReader back{ByteView(stream).drop(500)};
  ASSERT_EQ(reader.next(back, message), MessageKind::binary);
  EXPECT_EQ(message.payload, ByteView(stream).drop(4));
  reader.release_memory();
  EXPECT_EQ(reader.memory_size(), 0U);
}

TEST(MessageReader, APieceThatGaveOutNothingLeavesNothingBehind) {
  MessageReader reader(Role::server, {}, Delivery::pieces);
  // Two bytes of a character of three, then a ping, then the third.
  const Bytes stream = {0x01, 0x82, 0, 0, 0, 0, 0xE2, 0x82, 0x89, 0x81, 0, 0, 0, 0, 'p', 0x80, 0x81, 0, 0, 0, 0, 0xAC};
  ByteReader in{ByteView(stream)};
  std::vector<std::string> payloads;
  drain(reader, in, [&](MessageKind, const Message& message) { payloads.emplace_back(as_text(message.payload)); });
  EXPECT_EQ(payloads, (std::vector<std::string>{"p", "\xE2\x82\xAC"}));
  EXPECT_EQ(reader.finish(), StreamEnd::open);
  reader.release_memory();
  EXPECT_EQ(reader.memory_size(), 0U);
}

// The ping's payload is cut by the slice's end, after a piece that gave out nothing.
TEST(MessageReader, ACutPingAfterAnEmptyOrCutPieceIsWhole) {
  const Bytes empty_first = {0x02, 0x80, 0, 0, 0, 0};
  const Bytes cut_character_first = {0x01, 0x81, 0, 0, 0, 0, 0xE2};
  for (const Bytes& first : {empty_first, cut_character_first}) {
    for (const Delivery delivery : {Delivery::pieces, Delivery::messages}) {
      MessageReader reader(Role::server, {}, delivery);
      Bytes front = first;
      front.insert(front.end(), {0x89, 0x82, 0, 0, 0, 0, 'a'});
      const Bytes back = {'b'};
      Message message;
      ByteReader front_in{ByteView(front)};
      ASSERT_EQ(reader.next(front_in, message), MessageKind::need_input);
      ByteReader back_in{ByteView(back)};
      ASSERT_EQ(reader.next(back_in, message), MessageKind::ping);
      EXPECT_EQ(as_text(message.payload), "ab");
    }
  }
}

TEST(MessageReader, ReleaseMemoryAfterACloseOrAnErrorDropsWhatCannotEndAnyMore) {
  for (const Bytes& last : {Bytes{0x88, 0x00}, Bytes{0xFF, 0x00}}) {
    Bytes stream = {0x02, 0x01, 'a'};
    stream.insert(stream.end(), last.begin(), last.end());
    MessageReader reader(Role::client);
    ByteReader in{ByteView(stream)};
    drain(reader, in, [](const Message&) {});
    EXPECT_NE(reader.memory_size(), 0U);
    reader.release_memory();
    EXPECT_EQ(reader.memory_size(), 0U);
  }
}

TEST(MessageReader, ACopyWithoutMemoryThrowsAndChangesNothing) {
  static_assert(!std::is_nothrow_copy_assignable_v<MessageReader>);
  CountingMemory memory;
  const Bytes stream = binary_frame(1000);
  MessageReader reader(Role::client, {}, Delivery::messages, Rsv1::reserved, &memory);
  Message message;
  ByteReader front{ByteView(stream).first(500)};
  EXPECT_EQ(reader.next(front, message), MessageKind::need_input);
  memory.limit = 0;
  MessageReader other(Role::server);
  EXPECT_THROW(other = reader, std::bad_alloc);
  EXPECT_EQ(other.finish(), StreamEnd::open);
  EXPECT_EQ(other.memory_size(), 0U);
}

TEST(MessageReader, PiecesOfMaskedConstInputAreBoundedInMemory) {
  MessageReader reader(Role::server, {}, Delivery::pieces);
  Bytes stream = {0x82, 0xFF, 0, 0, 0, 0, 0, 0x0F, 0, 0, 0, 0, 0, 0};
  stream.resize(stream.size() + 0xF0000, 'x');
  ByteReader in{ByteView(stream)};
  Message message;
  std::size_t size = 0;
  while (reader.next(in, message) == MessageKind::binary) {
    size += message.payload.size();
    EXPECT_LE(message.payload.size(), 16384U);
  }
  EXPECT_EQ(size, 0xF0000U);
  EXPECT_LE(reader.memory_size(), 32768U);
}

TEST(MessageReader, ACompressedMessageIsGivenAsSentAndNotChecked) {
  MessageReader reader(Role::client, {}, Delivery::messages, Rsv1::negotiated);
  const Bytes stream = {0xC1, 0x02, 0xFF, 0xFE, 0x81, 0x01, 'a'};
  ByteReader in{ByteView(stream)};
  Message message;
  ASSERT_EQ(reader.next(in, message), MessageKind::text);
  EXPECT_TRUE(message.rsv1);
  EXPECT_EQ(message.payload.size(), 2U);
  ASSERT_EQ(reader.next(in, message), MessageKind::text);
  EXPECT_FALSE(message.rsv1);
}

TEST(MessageReader, ACopyKeepsTheMessageUnderWayAndItsMemory) {
  CountingMemory memory;
  MessageReader reader(Role::client, {}, Delivery::messages, Rsv1::reserved, &memory);
  const Bytes stream = binary_frame(1000);
  Message message;
  ByteReader front{ByteView(stream).first(500)};
  EXPECT_EQ(reader.next(front, message), MessageKind::need_input);
  const std::size_t before = memory.allocations;
  MessageReader copy(reader);
  EXPECT_GT(memory.allocations, before);
  ByteReader back{ByteView(stream).drop(500)};
  ASSERT_EQ(copy.next(back, message), MessageKind::binary);
  EXPECT_EQ(message.payload, ByteView(stream).drop(4));
}

TEST(MessageReader, MovedOrAssignedItGoesOnWithTheMessageUnderWay) {
  const Bytes stream = binary_frame(1000);
  Message message;
  MessageReader reader(Role::client);
  ByteReader front{ByteView(stream).first(500)};
  EXPECT_EQ(reader.next(front, message), MessageKind::need_input);
  MessageReader moved(std::move(reader));
  MessageReader assigned(Role::server);
  assigned = moved;
  for (MessageReader* each : {&moved, &assigned}) {
    ByteReader back{ByteView(stream).drop(500)};
    ASSERT_EQ(each->next(back, message), MessageKind::binary);
    EXPECT_EQ(message.payload, ByteView(stream).drop(4));
  }
}

TEST(MessageReader, TextPiecesEndAtACharacter) {
  MessageReader reader(Role::client, {}, Delivery::pieces);
  const Bytes stream = {0x81, 0x05, 'a', 0xE4, 0xB8, 0xAD, 'b'};
  std::vector<std::string> pieces;
  for (const auto& [from, size] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 3}}) {
    ByteReader in{ByteView(stream).drop(from).first(size)};
    drain(reader, in, [&](MessageKind, const Message& message) { pieces.emplace_back(as_text(message.payload)); });
  }
  EXPECT_EQ(pieces, (std::vector<std::string>{"a", "\xE4\xB8\xAD", "b"}));
}

}  // namespace
}  // namespace weir::tests
