#include "base64.h"

#include <algorithm>
#include <cstdint>

namespace weir {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto is_digit = [] {
  std::array<unsigned char, 256> table{};
  for (const char c : alphabet) table.at(static_cast<unsigned char>(c)) = 1;
  return table;
}();

}  // namespace

void encode_base64(ByteView bytes, MutableByteView out) noexcept {
  check(out.size() == (bytes.size() + 2) / 3 * 4);
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8U | (i < size ? bytes[i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t digit = group >> (18 - 6 * i) & 63U;
      out[i] = i <= size ? as_bytes(alphabet)[digit] : static_cast<unsigned char>('=');
    }
    bytes = bytes.drop(size);
    out = out.drop(4);
  }
}

bool is_base64_of_16_bytes(std::string_view text) noexcept {
  if (text.size() != 24 || !text.ends_with("==")) return false;
  const ByteView digits = as_bytes(text).first(22);
  for (const unsigned char c : digits) {
    if (ByteView(is_digit)[c] == 0) return false;
  }
  return std::string_view("AQgw").find(static_cast<char>(digits[21])) != std::string_view::npos;
}

}  // namespace weir
