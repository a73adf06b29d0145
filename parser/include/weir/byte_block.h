// Sixteen bytes looked at together. No memory is touched here: a block is a copy of bytes whose presence was proven.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/bytes.h>

namespace weir {

// ByteBlock answers, for each of its bytes, whether it is of a set. Sets are joined by their operators | and &.
class ByteBlock {
 public:
  static constexpr std::size_t size = 16;
  using Vector [[gnu::vector_size(size)]] = unsigned char;
  // Set is 0xFF for a byte that belongs to it, else 0.
  using Set [[gnu::vector_size(size)]] = signed char;

  explicit ByteBlock(ByteWindow<size> bytes) noexcept : bytes_(std::bit_cast<Vector>(bytes.bytes<size, 0>())) {}

  [[nodiscard]] Set equal(unsigned char c) const noexcept { return bytes_ == c; }
  [[nodiscard]] Set below(unsigned char c) const noexcept { return bytes_ < c; }
  [[nodiscard]] Set between(unsigned char first, unsigned char last) const noexcept {
    return static_cast<Vector>(bytes_ - first) <= static_cast<unsigned char>(last - first);
  }
  [[nodiscard]] Set letters() const noexcept {
    const Vector lower = bytes_ | static_cast<unsigned char>(0x20);
    return static_cast<Vector>(lower - static_cast<unsigned char>('a')) <= static_cast<unsigned char>('z' - 'a');
  }

  // prefix_size counts the bytes before the first that belongs to `set`; size if none does.
  [[nodiscard]] static std::size_t prefix_size(Set set) noexcept {
#if defined(__SSE2__)
    using Chars [[gnu::vector_size(size)]] = char;
    const auto mask = static_cast<unsigned>(__builtin_ia32_pmovmskb128(std::bit_cast<Chars>(set)));
    return static_cast<std::size_t>(std::countr_zero(mask | 1U << size));
#else
    std::size_t count = 0;
    for (const unsigned char member : std::bit_cast<std::array<unsigned char, size> >(set)) {
      if (member != 0) break;
      ++count;
    }
    return count;
#endif
  }

 private:
  Vector bytes_;
};

}  // namespace weir
