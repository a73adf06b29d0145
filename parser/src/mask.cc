#include <weir/mask.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "mask_kernels.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

// Bytes past the last whole vector are done by a vector that ends with the last byte and overlaps the one before: it is
// loaded before anything is stored, so the overlap is written twice with the same value, in place too.

namespace weir::detail {
namespace {

template <typename Word>
Word load(const unsigned char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

template <typename Word>
void store(unsigned char* to, Word word) noexcept {
  std::memcpy(to, &word, sizeof word);
}

std::uint32_t turned_word(std::uint32_t key, std::size_t offset) noexcept {
  const auto bits = static_cast<int>(static_cast<unsigned>(offset) % 4 * 8);
  return std::endian::native == std::endian::little ? std::rotr(key, bits) : std::rotl(key, bits);
}

std::uint64_t twice(std::uint32_t key) noexcept { return (std::uint64_t{key} << 32U) | key; }

constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080U;

// Fewer bytes than a vector: two overlapping words, or the bytes themselves.
inline bool xor_short(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept {
  if (size >= 8) {
    const std::uint64_t head = load<std::uint64_t>(from) ^ twice(key);
    const std::uint64_t tail = load<std::uint64_t>(from + size - 8) ^ twice(turned_word(key, size));
    store(to, head);
    store(to + size - 8, tail);
    return ((head | tail) & high_bits) == 0;
  }
  if (size >= 4) {
    const std::uint32_t head = load<std::uint32_t>(from) ^ key;
    const std::uint32_t tail = load<std::uint32_t>(from + size - 4) ^ turned_word(key, size);
    store(to, head);
    store(to + size - 4, tail);
    return ((head | tail) & static_cast<std::uint32_t>(high_bits)) == 0;
  }
  unsigned seen = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned byte = from[i] ^ load<unsigned char>(reinterpret_cast<const unsigned char*>(&key) + i);
    to[i] = static_cast<unsigned char>(byte);
    seen |= byte;
  }
  return seen < 0x80;
}

}  // namespace

bool xor_scalar(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept {
  if (size < 16) return xor_short(from, to, size, key);
  const std::uint64_t key_word = twice(key);
  const std::uint64_t tail = load<std::uint64_t>(from + size - 8) ^ twice(turned_word(key, size));
  std::uint64_t seen = tail;
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    const std::uint64_t word = load<std::uint64_t>(from + i) ^ key_word;
    seen |= word;
    store(to + i, word);
  }
  store(to + size - 8, tail);
  return (seen & high_bits) == 0;
}

#if defined(__SSE2__)

namespace {
inline __m128i load_128(const unsigned char* from) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
inline void store_128(unsigned char* to, __m128i vector) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), vector);
}
__attribute__((target("avx2"), always_inline)) inline __m256i load_256(const unsigned char* from) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
__attribute__((target("avx2"), always_inline)) inline void store_256(unsigned char* to, __m256i vector) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), vector);
}
}  // namespace

bool xor_sse2(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept {
  if (size < 16) return xor_short(from, to, size, key);
  const __m128i keys = _mm_set1_epi32(static_cast<int>(key));
  const __m128i tail_keys = _mm_set1_epi32(static_cast<int>(turned_word(key, size)));
  const __m128i tail = _mm_xor_si128(load_128(from + size - 16), tail_keys);
  __m128i seen = tail;
  if (size <= 32) {  // most frames: two vectors, no loop
    const __m128i head = _mm_xor_si128(load_128(from), keys);
    store_128(to, head);
    store_128(to + size - 16, tail);
    return _mm_movemask_epi8(_mm_or_si128(head, tail)) == 0;
  }
  for (; size > 64; size -= 64, from += 64, to += 64) {
    const __m128i a = _mm_xor_si128(load_128(from), keys);
    const __m128i b = _mm_xor_si128(load_128(from + 16), keys);
    const __m128i c = _mm_xor_si128(load_128(from + 32), keys);
    const __m128i d = _mm_xor_si128(load_128(from + 48), keys);
    seen = _mm_or_si128(seen, _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)));
    store_128(to, a);
    store_128(to + 16, b);
    store_128(to + 32, c);
    store_128(to + 48, d);
  }
  for (; size > 16; size -= 16, from += 16, to += 16) {
    const __m128i a = _mm_xor_si128(load_128(from), keys);
    seen = _mm_or_si128(seen, a);
    store_128(to, a);
  }
  store_128(to + size - 16, tail);
  return _mm_movemask_epi8(seen) == 0;
}

__attribute__((target("avx2"))) bool xor_avx2(const unsigned char* from, unsigned char* to, std::size_t size,
                                              std::uint32_t key) noexcept {
  if (size < 32) return xor_sse2(from, to, size, key);
  const __m256i keys = _mm256_set1_epi32(static_cast<int>(key));
  const __m256i tail_keys = _mm256_set1_epi32(static_cast<int>(turned_word(key, size)));
  const __m256i tail = _mm256_xor_si256(load_256(from + size - 32), tail_keys);
  __m256i seen = tail;
  std::size_t at = 0;
  for (; at + 128 < size; at += 128) {
    const __m256i a = _mm256_xor_si256(load_256(from + at), keys);
    const __m256i b = _mm256_xor_si256(load_256(from + at + 32), keys);
    const __m256i c = _mm256_xor_si256(load_256(from + at + 64), keys);
    const __m256i d = _mm256_xor_si256(load_256(from + at + 96), keys);
    seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)));
    store_256(to + at, a);
    store_256(to + at + 32, b);
    store_256(to + at + 64, c);
    store_256(to + at + 96, d);
  }
  for (; at + 32 < size; at += 32) {
    const __m256i a = _mm256_xor_si256(load_256(from + at), keys);
    seen = _mm256_or_si256(seen, a);
    store_256(to + at, a);
  }
  store_256(to + size - 32, tail);
  return _mm256_movemask_epi8(seen) == 0;
}

#endif

#if defined(__aarch64__)

bool xor_neon(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept {
  if (size < 16) return xor_short(from, to, size, key);
  const uint8x16_t keys = vreinterpretq_u8_u32(vdupq_n_u32(key));
  const uint8x16_t tail_keys = vreinterpretq_u8_u32(vdupq_n_u32(turned_word(key, size)));
  const uint8x16_t tail = veorq_u8(vld1q_u8(from + size - 16), tail_keys);
  uint8x16_t seen = tail;
  unsigned char* const target_tail = to + size - 16;
  for (; size > 64; size -= 64, from += 64, to += 64) {
    const uint8x16_t a = veorq_u8(vld1q_u8(from), keys);
    const uint8x16_t b = veorq_u8(vld1q_u8(from + 16), keys);
    const uint8x16_t c = veorq_u8(vld1q_u8(from + 32), keys);
    const uint8x16_t d = veorq_u8(vld1q_u8(from + 48), keys);
    seen = vorrq_u8(seen, vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)));
    vst1q_u8(to, a);
    vst1q_u8(to + 16, b);
    vst1q_u8(to + 32, c);
    vst1q_u8(to + 48, d);
  }
  for (; size > 16; size -= 16, from += 16, to += 16) {
    const uint8x16_t a = veorq_u8(vld1q_u8(from), keys);
    seen = vorrq_u8(seen, a);
    vst1q_u8(to, a);
  }
  vst1q_u8(target_tail, tail);
  return vmaxvq_u8(seen) < 0x80;
}

#endif

}  // namespace weir::detail

namespace weir {

bool apply_mask(ByteView from, MutableByteView to, MaskingKey key) noexcept {
  check(from.size() == to.size());
  const std::size_t size = from.size();
  const auto word = std::bit_cast<std::uint32_t>(key.bytes);
#if defined(__SSE2__)
  // The compiler's runtime has asked the processor once, before main.
  if (size >= 64 && __builtin_cpu_supports("avx2")) return detail::xor_avx2(from.data(), to.data(), size, word);
  return detail::xor_sse2(from.data(), to.data(), size, word);
#elif defined(__aarch64__)
  return detail::xor_neon(from.data(), to.data(), size, word);
#else
  return detail::xor_scalar(from.data(), to.data(), size, word);
#endif
}

bool detail::apply_mask_any_size(MutableByteView bytes, MaskingKey key) noexcept {
  return apply_mask(bytes, bytes, key);
}

}  // namespace weir
