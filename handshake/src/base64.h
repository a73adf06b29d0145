// Base64 (RFC 4648 4), of the sizes that a handshake has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

inline constexpr std::array<char, 64> base64_alphabet = [] {
  std::array<char, 64> alphabet{};
  for (std::size_t i = 0; i < 26; ++i) {
    alphabet.at(i) = static_cast<char>('A' + i);
    alphabet.at(26 + i) = static_cast<char>('a' + i);
  }
  for (std::size_t i = 0; i < 10; ++i) alphabet.at(52 + i) = static_cast<char>('0' + i);
  alphabet.at(62) = '+';
  alphabet.at(63) = '/';
  return alphabet;
}();

// base64_of encodes bytes, padded.
template <std::size_t size>
[[nodiscard]] std::array<char, (size + 2) / 3 * 4> base64_of(const std::array<unsigned char, size>& bytes) noexcept {
  std::array<char, (size + 2) / 3 * 4> text;
  const auto byte = [&bytes](std::size_t i) -> std::uint32_t { return i < size ? bytes.at(i) : 0; };
  for (std::size_t i = 0, j = 0; i < size; i += 3, j += 4) {
    const std::uint32_t group = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    text.at(j) = base64_alphabet.at(group >> 18U);
    text.at(j + 1) = base64_alphabet.at(group >> 12U & 63U);
    text.at(j + 2) = i + 1 < size ? base64_alphabet.at(group >> 6U & 63U) : '=';
    text.at(j + 3) = i + 2 < size ? base64_alphabet.at(group & 63U) : '=';
  }
  return text;
}

// is_base64_of_16_bytes judges a whole text: 22 characters whose last has four bits of zero, and ==.
[[nodiscard]] bool is_base64_of_16_bytes(std::string_view text) noexcept;

}  // namespace weir
