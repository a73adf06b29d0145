// Input that ends at a page without access, or begins right after one: a byte read too far ends the process.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include <weir/message_reader.h>

#include "reference_model.h"

namespace weir::tests {
namespace {

// Readable and writable bytes between two pages without access.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t size)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))), size_((size + page_ - 1) / page_ * page_) {
    void* memory = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    base_ = static_cast<unsigned char*>(memory);
    EXPECT_EQ(mprotect(base_ + page_, size_, PROT_READ | PROT_WRITE), 0);
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;
  ~GuardedPages() { munmap(base_, size_ + 2 * page_); }

  MutableByteView at_end(const Bytes& bytes) { return put(bytes, base_ + page_ + size_ - bytes.size()); }
  MutableByteView at_start(const Bytes& bytes) { return put(bytes, base_ + page_); }

 private:
  static MutableByteView put(const Bytes& bytes, unsigned char* to) {
    std::copy(bytes.begin(), bytes.end(), to);
    return {to, bytes.size()};
  }

  std::size_t page_;
  std::size_t size_;
  unsigned char* base_ = nullptr;
};

Bytes frame(Role role, unsigned char first, const Bytes& payload) {
  const unsigned char mask_bit = role == Role::server ? 0x80 : 0;
  Bytes bytes = {first};
  if (payload.size() < 126) {
    bytes.push_back(static_cast<unsigned char>(payload.size() | mask_bit));
  } else {
    bytes.push_back(static_cast<unsigned char>(126 | mask_bit));
    bytes.push_back(static_cast<unsigned char>(payload.size() >> 8U));
    bytes.push_back(static_cast<unsigned char>(payload.size() & 0xFFU));
  }
  const unsigned char key[4] = {0x9a, 0x01, 0xff, 0x47};
  if (role == Role::server) bytes.insert(bytes.end(), key, key + 4);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    bytes.push_back(static_cast<unsigned char>(payload[i] ^ (role == Role::server ? key[i % 4] : 0)));
  }
  return bytes;
}

Bytes multi_byte_text(std::size_t size) {
  const std::string characters = "a\xd0\xb6\xe4\xb8\xad\xf0\x9f\x98\x80";
  Bytes text;
  for (std::size_t i = 0; text.size() < size; ++i)
    text.push_back(static_cast<unsigned char>(characters[i % characters.size()]));
  return text;
}

template <typename Reader, typename View>
std::pair<MessageKind, Bytes> read_one(Role role, View view) {
  MessageReader reader(role);
  Reader in(view);
  Message message;
  const MessageKind kind = reader.next(in, message);
  if (kind == MessageKind::error) return {kind, {}};
  return {kind, Bytes(message.payload.begin(), message.payload.end())};
}

// How many messages and control frames end within the two slices; 0 if they break a rule.
template <typename Reader>
std::size_t read_both(Role role, Delivery delivery, MutableByteView first, MutableByteView second) {
  MessageReader reader(role, {}, delivery);
  std::size_t count = 0;
  for (const MutableByteView slice : {first, second}) {
    Reader in(slice);
    const MessageKind last = drain(reader, in, [&](const Message& message) { count += message.ends ? 1 : 0; });
    if (last == MessageKind::error) return 0;
  }
  return count;
}

TEST(PageBorder, NoByteBeforeOrAfterTheSliceIsRead) {
  GuardedPages pages(70000);
  for (const Role role : {Role::server, Role::client}) {
    for (std::size_t size = 0; size <= 9000; size += size < 300 ? 1 : 977) {
      for (const unsigned char first : Bytes{0x81, 0x82}) {
        const Bytes payload = multi_byte_text(size);
        const Bytes stream = frame(role, first, payload);
        const Trace expected = reference(role, {}, stream);
        for (const bool at_end : {true, false}) {
          const auto place = [&] { return at_end ? pages.at_end(stream) : pages.at_start(stream); };
          const auto from_mutable = read_one<MutableByteReader>(role, place());
          const auto from_const = read_one<ByteReader>(role, ByteView(place()));
          ASSERT_EQ(from_mutable, from_const) << size;
          if (expected.end == End::fail) {
            ASSERT_EQ(from_const.first, MessageKind::error) << size;
          } else {
            ASSERT_EQ(from_const.second, payload) << size;
          }
        }
      }
    }
  }
}

// Control frames, pieces, and what follows a first slice: the slices begin and end at the border in turn.
TEST(PageBorder, EveryCutOfAStreamMayLieAtABorderInEitherDelivery) {
  GuardedPages front(4096);
  GuardedPages back(4096);
  for (const Role role : {Role::server, Role::client}) {
    Bytes stream;
    const auto add = [&](unsigned char first, const Bytes& payload) {
      const Bytes bytes = frame(role, first, payload);
      stream.insert(stream.end(), bytes.begin(), bytes.end());
    };
    const Bytes text = multi_byte_text(70);
    add(0x01, Bytes(text.begin(), text.begin() + 36));  // ends within a character
    add(0x89, multi_byte_text(40));
    add(0x80, Bytes(text.begin() + 36, text.end()));
    add(0x82, multi_byte_text(130));
    add(0x8a, {});
    Bytes close = {0x03, 0xe8};
    close.insert(close.end(), text.begin(), text.begin() + 40);
    add(0x88, close);
    const Trace expected = reference(role, {}, stream);
    ASSERT_EQ(expected.end, End::closed);
    for (const Delivery delivery : {Delivery::messages, Delivery::pieces}) {
      for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        const auto middle = stream.begin() + static_cast<std::ptrdiff_t>(cut);
        ASSERT_EQ(read_both<ByteReader>(role, delivery, front.at_end(Bytes(stream.begin(), middle)),
                                        back.at_start(Bytes(middle, stream.end()))),
                  expected.events.size())
            << cut;
        ASSERT_EQ(read_both<MutableByteReader>(role, delivery, front.at_start(Bytes(stream.begin(), middle)),
                                               back.at_end(Bytes(middle, stream.end()))),
                  expected.events.size())
            << cut;
      }
    }
  }
}

TEST(PageBorder, EveryPrefixOfAStreamCanBeTheWholeSlice) {
  GuardedPages pages(4096);
  for (const Role role : {Role::server, Role::client}) {
    const Bytes stream = frame(role, 0x81, multi_byte_text(200 / 10 * 10));
    for (std::size_t size = 0; size < stream.size(); ++size) {
      const Bytes prefix(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(read_one<MutableByteReader>(role, pages.at_end(prefix)).first, MessageKind::need_input) << size;
      ASSERT_EQ(read_one<ByteReader>(role, ByteView(pages.at_end(prefix))).first, MessageKind::need_input) << size;
    }
  }
}

}  // namespace
}  // namespace weir::tests
