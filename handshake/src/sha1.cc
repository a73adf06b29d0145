#include "sha1.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace weir {
namespace {

using Block = std::array<std::uint32_t, 16>;
using Schedule = std::array<std::uint32_t, 80>;

struct State {
  std::uint32_t a = 0x67452301;
  std::uint32_t b = 0xEFCDAB89;
  std::uint32_t c = 0x98BADCFE;
  std::uint32_t d = 0x10325476;
  std::uint32_t e = 0xC3D2E1F0;
};

template <std::size_t round>
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t mix(std::uint32_t b, std::uint32_t c,
                                                              std::uint32_t d) noexcept {
  if constexpr (round < 20) return d ^ (b & (c ^ d));
  if constexpr (round >= 40 && round < 60) return (b & c) + (d & (b ^ c));
  return b ^ c ^ d;
}

inline constexpr std::array<std::uint32_t, 4> constants = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};

// The schedule with each round's constant added.
[[nodiscard]] constexpr Schedule schedule_of(const Block& block) noexcept {
  Schedule words{};
  for (std::size_t i = 0; i < 80; ++i) {
    words.at(i) =
        i < 16 ? block.at(i) : std::rotl(words.at(i - 3) ^ words.at(i - 8) ^ words.at(i - 14) ^ words.at(i - 16), 1);
  }
  for (std::size_t i = 0; i < 80; ++i) words.at(i) += constants.at(i / 20);
  return words;
}

// One round, on variables that turn their places: with indices that are constants, none of them is moved.
template <std::size_t round>
[[gnu::always_inline]] constexpr void step(std::array<std::uint32_t, 5>& v, std::uint32_t word) noexcept {
  std::uint32_t& a = std::get<(80 - round) % 5>(v);
  std::uint32_t& b = std::get<(81 - round) % 5>(v);
  std::uint32_t& c = std::get<(82 - round) % 5>(v);
  std::uint32_t& d = std::get<(83 - round) % 5>(v);
  std::uint32_t& e = std::get<(84 - round) % 5>(v);
  e += std::rotl(a, 5) + mix<round>(b, c, d) + word;
  b = std::rotl(b, 30);
}

[[gnu::always_inline]] inline void add(State& state, const std::array<std::uint32_t, 5>& v) noexcept {
  state.a += std::get<0>(v);
  state.b += std::get<1>(v);
  state.c += std::get<2>(v);
  state.d += std::get<3>(v);
  state.e += std::get<4>(v);
}

template <std::size_t round>
[[nodiscard, gnu::always_inline]] inline std::uint32_t next_word(Block& w) noexcept {
  std::uint32_t& word = std::get<round % 16>(w);
  if constexpr (round >= 16)
    word = std::rotl(
        std::get<(round + 13) % 16>(w) ^ std::get<(round + 8) % 16>(w) ^ std::get<(round + 2) % 16>(w) ^ word, 1);
  return word + std::get<round / 20>(constants);
}

template <std::size_t... rounds>
void compress(State& state, Block w, std::index_sequence<rounds...> /*80*/) noexcept {
  std::array<std::uint32_t, 5> v = {state.a, state.b, state.c, state.d, state.e};
  (step<rounds>(v, next_word<rounds>(w)), ...);
  add(state, v);
}

// What stands behind 60 bytes: their length in bits (FIPS 180-4 5.1.1).
constexpr Schedule length_schedule = schedule_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60 * 8});

template <std::size_t... rounds>
void compress_length(State& state, std::index_sequence<rounds...> /*80*/) noexcept {
  std::array<std::uint32_t, 5> v = {state.a, state.b, state.c, state.d, state.e};
  (step<rounds>(v, std::get<rounds>(length_schedule)), ...);
  add(state, v);
}

using Rounds = std::make_index_sequence<80>;

template <std::size_t... words>
[[nodiscard]] Block block_of(ByteWindow<64> bytes, std::index_sequence<words...> /*16*/) noexcept {
  return {bytes.template big_endian<std::uint32_t, words * 4>()...};
}

[[nodiscard]] Block block_of(ByteView bytes) noexcept {
  return block_of(bytes.window<64>(), std::make_index_sequence<16>());
}

[[nodiscard]] constexpr std::uint32_t network_order(std::uint32_t word) noexcept {
  return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}

[[nodiscard]] Sha1Digest digest_of(const State& state) noexcept {
  const std::array<std::uint32_t, 5> words = {network_order(state.a), network_order(state.b), network_order(state.c),
                                              network_order(state.d), network_order(state.e)};
  return std::bit_cast<Sha1Digest>(words);
}

}  // namespace

Sha1Digest sha1_of_60(const std::array<unsigned char, 60>& bytes) noexcept {
  std::array<unsigned char, 64> block{};
  std::copy(bytes.begin(), bytes.end(), block.begin());
  block.at(60) = 0x80;
  State state;
  compress(state, block_of(ByteView(block)), Rounds());
  compress_length(state, Rounds());
  return digest_of(state);
}

Sha1Digest sha1(ByteView bytes) noexcept {
  State state;
  std::uint64_t bit_count = std::uint64_t{bytes.size()} * 8;
  while (bytes.size() >= 64) {
    compress(state, block_of(bytes), Rounds());
    bytes = bytes.drop(64);
  }
  std::array<unsigned char, 128> end{};
  std::copy(bytes.begin(), bytes.end(), end.begin());
  end.at(bytes.size()) = 0x80;
  const MutableByteView padded = MutableByteView(end).first(bytes.size() < 56 ? 64 : 128);
  for (std::size_t i = padded.size(); i > padded.size() - 8; bit_count >>= 8U)
    padded[--i] = static_cast<unsigned char>(bit_count);
  for (ByteView left = padded; !left.empty(); left = left.drop(64)) compress(state, block_of(left), Rounds());
  return digest_of(state);
}

}  // namespace weir
