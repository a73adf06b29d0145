#include "field_text.h"

#include <algorithm>
#include <cstdint>

#include <weir/bytes.h>

namespace weir {
namespace {

constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
constexpr std::uint64_t tops = 0x80 * ones;

// may_hold_control errs on the safe side: a tab, and a byte behind a control character, count too.
[[nodiscard]] bool may_hold_control(std::uint64_t word) noexcept {
  const std::uint64_t below_space = (word - 0x20 * ones) & ~word;
  const std::uint64_t is_delete = (word ^ (0x7F * ones)) - ones;
  return ((below_space | (is_delete & ~(word ^ (0x7F * ones)))) & tops) != 0;
}

[[nodiscard]] bool is_control(unsigned char c) noexcept { return (c < 0x20 && c != '\t') || c == 0x7F; }

}  // namespace

std::size_t field_text_prefix_size(std::string_view text) noexcept {
  ByteReader in(as_bytes(text));
  while (true) {
    while (in.remaining_size() >= 8 && !may_hold_control(in.window<8>().big_endian<std::uint64_t, 0>())) in.skip(8);
    const std::size_t part_size = std::min<std::size_t>(in.remaining_size(), 8);
    if (part_size == 0) return text.size();
    for (std::size_t i = 0; i < part_size; ++i) {
      if (is_control(in.take(1)[0])) return in.position() - 1;
    }
  }
}

}  // namespace weir
