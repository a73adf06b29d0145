// J. Keiser and D. Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte", Software: Practice and Experience
// 51 (5), 2021: three table look-ups on the nibbles of each byte and the one before it find every fault of two bytes; a
// saturating subtraction finds where a third or fourth byte must or must not stand.
#include "utf8_kernels.h"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace weir::detail {
namespace {

// whole_size is `size` without the unfinished character that the bytes before it may end with. What comes before is
// valid.
inline std::size_t whole_size(const unsigned char* text, std::size_t size) noexcept {
  if (size >= 1 && text[size - 1] >= 0xC0) return size - 1;
  if (size >= 2 && text[size - 2] >= 0xE0) return size - 2;
  if (size >= 3 && text[size - 3] >= 0xF0) return size - 3;
  return size;
}

// character_size is the size of the character at the front of `text`, 0 when it is not there whole and valid.
inline std::size_t character_size(const unsigned char* text, std::size_t size) noexcept {
  const auto continues = [&](std::size_t i, unsigned lowest, unsigned highest) {
    return i < size && text[i] >= lowest && text[i] <= highest;
  };
  const unsigned lead = text[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if (lead < 0xE0) return continues(1, 0x80, 0xBF) ? 2 : 0;
  if (lead < 0xF0) {
    const bool second = continues(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
    return second && continues(2, 0x80, 0xBF) ? 3 : 0;
  }
  const bool second = continues(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
  return second && continues(2, 0x80, 0xBF) && continues(3, 0x80, 0xBF) ? 4 : 0;
}

// The faults of two bytes, a bit each, as the paper names them.
constexpr unsigned char too_short = 1U << 0U;   // a lead or ASCII where a continuation must stand
constexpr unsigned char too_long = 1U << 1U;    // a continuation after ASCII
constexpr unsigned char overlong_3 = 1U << 2U;  // E0 80..9F
constexpr unsigned char too_large = 1U << 3U;   // above F4 8F
constexpr unsigned char surrogate = 1U << 4U;   // ED A0..BF
constexpr unsigned char overlong_2 = 1U << 5U;  // C0, C1
constexpr unsigned char overlong_4 = 1U << 6U;  // F0 80..8F; with too_large_1000: F5 and up
constexpr unsigned char too_large_1000 = 1U << 6U;
constexpr unsigned char two_continuations = 1U << 7U;
constexpr unsigned char carry = too_short | too_long | two_continuations;

struct Tables {
  alignas(16) unsigned char lead_high[16];  // by the high nibble of the byte before
  alignas(16) unsigned char lead_low[16];   // by its low nibble
  alignas(16) unsigned char next_high[16];  // by the high nibble of this byte
};

[[maybe_unused]] constexpr Tables tables = {
    {too_long, too_long, too_long, too_long, too_long, too_long, too_long, too_long, two_continuations,
     two_continuations, two_continuations, two_continuations, too_short | overlong_2, too_short,
     too_short | overlong_3 | surrogate, too_short | too_large | too_large_1000 | overlong_4},
    {carry | overlong_3 | overlong_2 | overlong_4, carry | overlong_2, carry, carry, carry | too_large,
     carry | too_large | too_large_1000, carry | too_large | too_large_1000, carry | too_large | too_large_1000,
     carry | too_large | too_large_1000, carry | too_large | too_large_1000, carry | too_large | too_large_1000,
     carry | too_large | too_large_1000, carry | too_large | too_large_1000,
     carry | too_large | too_large_1000 | surrogate, carry | too_large | too_large_1000,
     carry | too_large | too_large_1000},
    {too_short, too_short, too_short, too_short, too_short, too_short, too_short, too_short,
     too_long | overlong_2 | two_continuations | overlong_3 | too_large_1000 | overlong_4,
     too_long | overlong_2 | two_continuations | overlong_3 | too_large,
     too_long | overlong_2 | two_continuations | surrogate | too_large,
     too_long | overlong_2 | two_continuations | surrogate | too_large, too_short, too_short, too_short, too_short}};

constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080U;

}  // namespace

std::size_t utf8_prefix_scalar(const unsigned char* text, std::size_t size) noexcept {
  std::size_t good = 0;
  while (good < size) {
    std::uint64_t word = 0;
    if (size - good >= sizeof word) {
      std::memcpy(&word, text + good, sizeof word);
      if ((word & high_bits) == 0) {
        good += sizeof word;
        continue;
      }
    }
    const std::size_t step = character_size(text + good, size - good);
    if (step == 0) return good;
    good += step;
  }
  return good;
}

#if defined(__SSE2__)

std::size_t utf8_prefix_sse2(const unsigned char* text, std::size_t size) noexcept {
  std::size_t good = 0;
  while (size - good >= 16) {
    const auto mask =
        static_cast<unsigned>(_mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text + good))));
    if (mask == 0) {
      good += 16;
      continue;
    }
    // The characters of this block one by one; the look-ups need SSSE3.
    for (const std::size_t block_end = good + 16; good < block_end;) {
      const std::size_t step = character_size(text + good, size - good);
      if (step == 0) return good;
      good += step;
    }
  }
  return good + utf8_prefix_scalar(text + good, size - good);
}

#define WEIR_AVX2 __attribute__((target("avx2"), always_inline)) inline

namespace {

WEIR_AVX2 __m256i load_256(const unsigned char* from) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

WEIR_AVX2 __m256i table_256(const unsigned char (&table)[16]) noexcept {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
}

struct Lookup256 {
  __m256i lead_high, lead_low, next_high;
};

// faults_256 is non-zero where a fault ends in `input`; before_N is the same bytes, N earlier.
WEIR_AVX2 __m256i faults_256(const Lookup256& lookup, __m256i input, __m256i before_1, __m256i before_2,
                             __m256i before_3) noexcept {
  const __m256i low_nibble = _mm256_set1_epi8(0x0F);
  const __m256i lead_high =
      _mm256_shuffle_epi8(lookup.lead_high, _mm256_and_si256(_mm256_srli_epi16(before_1, 4), low_nibble));
  const __m256i lead_low = _mm256_shuffle_epi8(lookup.lead_low, _mm256_and_si256(before_1, low_nibble));
  const __m256i next_high =
      _mm256_shuffle_epi8(lookup.next_high, _mm256_and_si256(_mm256_srli_epi16(input, 4), low_nibble));
  const __m256i two_bytes = _mm256_and_si256(_mm256_and_si256(lead_high, lead_low), next_high);
  // Bit 7 where a third or fourth byte must stand: there two_continuations is right, elsewhere it is the fault.
  const __m256i third = _mm256_subs_epu8(before_2, _mm256_set1_epi8(0xE0 - 0x80));
  const __m256i fourth = _mm256_subs_epu8(before_3, _mm256_set1_epi8(static_cast<char>(0xF0 - 0x80)));
  const __m256i must_continue =
      _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(static_cast<char>(0x80)));
  return _mm256_xor_si256(must_continue, two_bytes);
}

// faults_at_256 looks at text[at, at + 32); three bytes before `at` are there.
WEIR_AVX2 __m256i faults_at_256(const Lookup256& lookup, const unsigned char* at) noexcept {
  return faults_256(lookup, load_256(at), load_256(at - 1), load_256(at - 2), load_256(at - 3));
}

WEIR_AVX2 bool any_256(__m256i faults) noexcept { return _mm256_testz_si256(faults, faults) == 0; }

// Fewer than 64 bytes: copied between zeros, so that whole vectors can be looked at.
WEIR_AVX2 std::size_t utf8_short_256(const Lookup256& lookup, const unsigned char* text, std::size_t size) noexcept {
  alignas(32) unsigned char padded[32 + 64];
  const __m256i zero = _mm256_setzero_si256();
  for (std::size_t i = 0; i < sizeof padded; i += 32) _mm256_store_si256(reinterpret_cast<__m256i*>(padded + i), zero);
  std::memcpy(padded + 32, text, size);
  __m256i faults = faults_at_256(lookup, padded + 32);
  if (size > 32) faults = _mm256_or_si256(faults, faults_at_256(lookup, padded + 64));
  // A character cut off by the end meets a zero where its next byte must stand, unless the end is the buffer's too.
  if (any_256(faults)) return utf8_prefix_scalar(text, size);
  return whole_size(text, size);
}

// is_ascii_short tells whether at most 32 bytes are all ASCII.
inline bool is_ascii_short(const unsigned char* text, std::size_t size) noexcept {
  if (size >= 16) {
    const __m128i head = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
    const __m128i tail = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + size - 16));
    return _mm_movemask_epi8(_mm_or_si128(head, tail)) == 0;
  }
  if (size >= 8) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::memcpy(&head, text, 8);
    std::memcpy(&tail, text + size - 8, 8);
    return ((head | tail) & high_bits) == 0;
  }
  unsigned seen = 0;
  for (std::size_t i = 0; i < size; ++i) seen |= text[i];
  return seen < 0x80;
}

}  // namespace

namespace {

// utf8_rest_256 is what comes after the ASCII at the front. Not inlined: its table loads and its stack are not ASCII's.
__attribute__((target("avx2"), noinline)) std::size_t utf8_rest_256(const unsigned char* text, std::size_t ascii_size,
                                                                    std::size_t size) noexcept {
  const unsigned char* const at = text + ascii_size;
  const unsigned char* const end = text + size;
  const Lookup256 lookup = {table_256(tables.lead_high), table_256(tables.lead_low), table_256(tables.next_high)};
  if (end - at < 64) return ascii_size + utf8_short_256(lookup, at, static_cast<std::size_t>(end - at));

  // The first vector of the text has nothing before it: zeros are shifted in.
  const __m256i first = load_256(at);
  const __m256i carried = _mm256_permute2x128_si256(first, first, 0x08);
  const __m256i first_faults =
      faults_256(lookup, first, _mm256_alignr_epi8(first, carried, 15), _mm256_alignr_epi8(first, carried, 14),
                 _mm256_alignr_epi8(first, carried, 13));
  if (any_256(first_faults)) return ascii_size;
  const unsigned char* good = at;  // what is before it is free of faults, but may end within a character
  for (good += 32; end - good >= 64; good += 64) {
    // ASCII, the three bytes before included: no fault can end here.
    const __m256i block = _mm256_or_si256(load_256(good), load_256(good + 32));
    if (_mm256_movemask_epi8(_mm256_or_si256(block, load_256(good - 3))) == 0) continue;
    const __m256i faults = _mm256_or_si256(faults_at_256(lookup, good), faults_at_256(lookup, good + 32));
    if (any_256(faults)) return whole_size(text, static_cast<std::size_t>(good - text));
  }
  // One or two vectors are left; the last one ends with the text.
  __m256i faults = faults_at_256(lookup, end - 32);
  if (end - good > 32) faults = _mm256_or_si256(faults, faults_at_256(lookup, good));
  return whole_size(text, any_256(faults) ? static_cast<std::size_t>(good - text) : size);
}

}  // namespace

__attribute__((target("avx2"))) std::size_t utf8_prefix_avx2(const unsigned char* text, std::size_t size) noexcept {
  if (size <= 32) return is_ascii_short(text, size) ? size : utf8_rest_256(text, 0, size);
  // Blocks of 256 bytes, up to the first that is not ASCII.
  std::size_t ascii_size = 0;
  for (const std::size_t blocks_size = size & ~std::size_t{255}; ascii_size != blocks_size; ascii_size += 256) {
    const unsigned char* const at = text + ascii_size;
    __m256i seen = _mm256_or_si256(_mm256_or_si256(load_256(at), load_256(at + 32)),
                                   _mm256_or_si256(load_256(at + 64), load_256(at + 96)));
    seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_or_si256(load_256(at + 128), load_256(at + 160)),
                                                 _mm256_or_si256(load_256(at + 192), load_256(at + 224))));
    if (_mm256_movemask_epi8(seen) != 0) return utf8_rest_256(text, ascii_size, size);
  }
  // What is left, in vectors of which the last ends with the text.
  __m256i seen = load_256(text + size - 32);
  for (std::size_t at = ascii_size; at + 32 < size; at += 32) seen = _mm256_or_si256(seen, load_256(text + at));
  return _mm256_movemask_epi8(seen) == 0 ? size : utf8_rest_256(text, ascii_size, size);
}

#endif

#if defined(__aarch64__)

namespace {

inline uint8x16_t faults_neon(uint8x16_t input, uint8x16_t before) noexcept {
  const uint8x16_t before_1 = vextq_u8(before, input, 15);
  const uint8x16_t before_2 = vextq_u8(before, input, 14);
  const uint8x16_t before_3 = vextq_u8(before, input, 13);
  const uint8x16_t lead_high = vqtbl1q_u8(vld1q_u8(tables.lead_high), vshrq_n_u8(before_1, 4));
  const uint8x16_t lead_low = vqtbl1q_u8(vld1q_u8(tables.lead_low), vandq_u8(before_1, vdupq_n_u8(0x0F)));
  const uint8x16_t next_high = vqtbl1q_u8(vld1q_u8(tables.next_high), vshrq_n_u8(input, 4));
  const uint8x16_t two_bytes = vandq_u8(vandq_u8(lead_high, lead_low), next_high);
  const uint8x16_t third = vqsubq_u8(before_2, vdupq_n_u8(0xE0 - 0x80));
  const uint8x16_t fourth = vqsubq_u8(before_3, vdupq_n_u8(0xF0 - 0x80));
  const uint8x16_t must_continue = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(0x80));
  return veorq_u8(must_continue, two_bytes);
}

}  // namespace

std::size_t utf8_prefix_neon(const unsigned char* text, std::size_t size) noexcept {
  std::size_t good = 0;  // what is before it is free of faults, but may end within a character
  uint8x16_t before = vdupq_n_u8(0);
  for (; size - good >= 16; good += 16) {
    const uint8x16_t input = vld1q_u8(text + good);
    const bool ascii = vmaxvq_u8(vorrq_u8(input, before)) < 0x80;
    if (!ascii && vmaxvq_u8(faults_neon(input, before)) != 0) return whole_size(text, good);
    before = input;
  }
  good = whole_size(text, good);
  return good + utf8_prefix_scalar(text + good, size - good);
}

#endif

}  // namespace weir::detail
