// Byte streams to parse: many messages of one payload size, each in one frame. C++17, for the oldest contender's sake.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

namespace bench {

// Role is the endpoint that receives the stream: a server's streams are masked.
enum class Role { server, client };

// Kind is what the payload is: binary messages of random bytes, text of ASCII, or text of Cyrillic, CJK and emoji.
enum class Kind { binary, ascii, utf8 };

inline constexpr std::array<Role, 2> all_roles = {Role::server, Role::client};
inline constexpr std::array<Kind, 3> all_kinds = {Kind::binary, Kind::ascii, Kind::utf8};
inline constexpr std::array<std::size_t, 7> all_payload_sizes = {16, 64, 125, 1024, 9216, 65536, 460800};

const char* name_of(Role role);
const char* name_of(Kind kind);

// PageBuffer is memory that begins at a page and whose pages have all been touched.
class PageBuffer {
 public:
  explicit PageBuffer(std::size_t size);

  unsigned char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(unsigned char* bytes) const { std::free(bytes); }
  };
  std::size_t size_;
  std::unique_ptr<unsigned char[], Free> bytes_;
};

// Totals is what every contender has to find in a stream.
struct Totals {
  std::uint64_t message_count = 0;
  std::uint64_t payload_size = 0;
  std::uint64_t first_byte_sum = 0;  // of every message's first byte,
  std::uint64_t last_byte_sum = 0;   // and of its last

  // add counts a message, which has at least one byte, by its size and its first and last byte.
  [[gnu::always_inline]] void add(std::uint64_t size, unsigned char first, unsigned char last) {
    ++message_count;
    payload_size += size;
    first_byte_sum += first;
    last_byte_sum += last;
  }
  [[gnu::always_inline]] void add(const unsigned char* payload, std::size_t size) {
    add(size, payload[0], payload[size - 1]);
  }

  friend bool operator==(const Totals& a, const Totals& b) {
    return a.message_count == b.message_count && a.payload_size == b.payload_size &&
           a.first_byte_sum == b.first_byte_sum && a.last_byte_sum == b.last_byte_sum;
  }
};

struct StreamSpec {
  Role role = Role::server;
  Kind kind = Kind::binary;
  std::size_t payload_size = 16;
  std::size_t wire_size = std::size_t{4} << 20U;  // about; at least eight messages

  friend bool operator==(const StreamSpec& a, const StreamSpec& b) {
    return a.role == b.role && a.kind == b.kind && a.payload_size == b.payload_size && a.wire_size == b.wire_size;
  }
};

// Stream is the bytes of one direction, from its first frame to the end of its last. The same spec makes the same
// bytes.
class Stream {
 public:
  explicit Stream(const StreamSpec& spec);

  const StreamSpec& spec() const { return spec_; }
  const unsigned char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  // totals is what is in it.
  const Totals& totals() const { return totals_; }

 private:
  StreamSpec spec_;
  std::size_t message_count_;
  PageBuffer bytes_;
  Totals totals_;
};

// name_of is "server/utf8/1024".
std::string name_of(const StreamSpec& spec);

}  // namespace bench
