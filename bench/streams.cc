#include "streams.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace bench {
namespace {

constexpr std::size_t page_size = 4096;
constexpr std::size_t key_size = 4;

std::size_t header_size(const StreamSpec& spec) {
  const std::size_t masking_key = spec.role == Role::server ? key_size : 0;
  if (spec.payload_size <= 125) return 2 + masking_key;
  return (spec.payload_size <= 0xFFFF ? 4 : 10) + masking_key;
}

std::size_t message_count(const StreamSpec& spec) {
  return std::max<std::size_t>(8, spec.wire_size / (header_size(spec) + spec.payload_size));
}

// Random is xorshift64*: the same numbers everywhere.
class Random {
 public:
  std::uint32_t below(std::uint32_t bound) {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    const std::uint64_t number = state_ * 0x2545F4914F6CDD1DU;
    return static_cast<std::uint32_t>(((number >> 32U) * bound) >> 32U);
  }
  unsigned char byte() { return static_cast<unsigned char>(below(256)); }

 private:
  std::uint64_t state_ = 0x57656972;
};

void fill_ascii(Random& random, unsigned char* out, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(0x20 + random.below(0x5F));
}

// put_character writes a code point of two, three or four bytes.
void put_character(std::uint32_t code_point, std::size_t size, unsigned char* out) {
  constexpr std::array<unsigned char, 5> leads = {0, 0, 0xC0, 0xE0, 0xF0};
  for (std::size_t i = size - 1; i > 0; --i) {
    out[i] = static_cast<unsigned char>(0x80U | (code_point & 0x3FU));
    code_point >>= 6U;
  }
  out[0] = static_cast<unsigned char>(leads[size] | code_point);
}

std::uint32_t character_of_size(Random& random, std::size_t size) {
  if (size == 2) return 0x0410 + random.below(0x40);    // Cyrillic
  if (size == 3) return 0x4E00 + random.below(0x5000);  // CJK
  return 0x1F600 + random.below(0x50);                  // emoji
}

// Runs of one script, as in real text, of complete characters that fill `size` bytes exactly.
void fill_utf8(Random& random, unsigned char* out, std::size_t size) {
  std::size_t run_count = 0;
  std::size_t character_size = 2;
  for (std::size_t at = 0; at < size;) {
    if (run_count == 0) {
      character_size = 2 + random.below(3);
      run_count = character_size == 4 ? 1 + random.below(2) : 3 + random.below(10);
    }
    --run_count;
    const std::size_t left = size - at;
    std::size_t fitting = std::min(left, character_size);
    if (left - fitting == 1) fitting = fitting == 2 ? 3 : fitting - 1;
    put_character(character_of_size(random, fitting), fitting, out + at);
    at += fitting;
  }
}

void fill(Kind kind, Random& random, unsigned char* out, std::size_t size) {
  switch (kind) {
    case Kind::binary:
      std::generate_n(out, size, [&] { return random.byte(); });
      return;
    case Kind::ascii:
      fill_ascii(random, out, size);
      return;
    case Kind::utf8:
      fill_utf8(random, out, size);
      return;
  }
}

// put_header writes the frame header (RFC 6455 5.2) but for the masking key, and returns where the key goes.
unsigned char* put_header(const StreamSpec& spec, unsigned char* out) {
  const unsigned mask_bit = spec.role == Role::server ? 0x80U : 0U;
  const std::size_t size = spec.payload_size;
  std::size_t length_size = 0;
  if (size > 125) length_size = size <= 0xFFFF ? 2 : 8;
  const std::size_t length_code = length_size == 0 ? size : (length_size == 2 ? 126 : 127);
  *out++ = spec.kind == Kind::binary ? 0x82 : 0x81;
  *out++ = static_cast<unsigned char>(mask_bit | length_code);
  for (std::size_t i = length_size; i > 0; --i) *out++ = static_cast<unsigned char>(size >> (8 * (i - 1)));
  return out;
}

}  // namespace

const char* name_of(Role role) { return role == Role::server ? "server" : "client"; }

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::binary:
      return "binary";
    case Kind::ascii:
      return "ascii";
    case Kind::utf8:
      return "utf8";
  }
  return "";
}

std::string name_of(const StreamSpec& spec) {
  return std::string(name_of(spec.role)) + "/" + name_of(spec.kind) + "/" + std::to_string(spec.payload_size);
}

PageBuffer::PageBuffer(std::size_t size)
    : size_(size),
      bytes_(static_cast<unsigned char*>(std::aligned_alloc(page_size, (size / page_size + 1) * page_size))) {
  if (bytes_ == nullptr) std::abort();
  std::memset(bytes_.get(), 0, size);
}

Stream::Stream(const StreamSpec& spec)
    : spec_(spec),
      message_count_(message_count(spec)),
      bytes_(message_count_ * (header_size(spec) + spec.payload_size)) {
  Random random;
  unsigned char* out = bytes_.data();
  for (std::size_t message = 0; message < message_count_; ++message) {
    out = put_header(spec, out);
    std::array<unsigned char, key_size> key{};
    if (spec.role == Role::server) {
      std::generate(key.begin(), key.end(), [&] { return random.byte(); });
      out = std::copy(key.begin(), key.end(), out);
    }
    fill(spec.kind, random, out, spec.payload_size);
    totals_.add(out, spec.payload_size);
    if (spec.role == Role::server) {
      for (std::size_t i = 0; i < spec.payload_size; ++i) out[i] ^= key[i % key_size];
    }
    out += spec.payload_size;
  }
}

}  // namespace bench
