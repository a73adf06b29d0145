// UTF-8 (RFC 3629), checked as it arrives: text messages and Close reasons are UTF-8 (RFC 6455 5.5.1, 5.6, 8.1).
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/bytes.h>

namespace weir {

// Utf8Validator checks a text that comes in runs cut anywhere. A plain value of four bytes; borrows nothing.
class Utf8Validator {
 public:
  // accept checks the next run. Returns its size, or the index of the first byte that no continuation can mend; after
  // that the text is lost and the validator must be reset.
  [[nodiscard]] std::size_t accept(ByteView run) noexcept;

  // pending_size is how many bytes of an unfinished character the text ends with, 0 to 3. At 0 the text may end.
  [[nodiscard]] std::size_t pending_size() const noexcept { return seen_; }

  void reset() noexcept { *this = {}; }

 private:
  [[nodiscard]] bool accept_byte(unsigned char byte) noexcept;

  std::uint8_t missing_ = 0;    // continuation bytes until the character is complete
  std::uint8_t seen_ = 0;       // bytes of the unfinished character
  std::uint8_t lowest_ = 0x80;  // the range of the next continuation byte
  std::uint8_t highest_ = 0xBF;
};

// is_utf8 tells whether a whole text is UTF-8.
[[nodiscard]] bool is_utf8(ByteView text) noexcept;

// utf8_prefix_size is the size of the longest prefix of `text` that is whole, valid characters.
[[nodiscard]] std::size_t utf8_prefix_size(ByteView text) noexcept;

}  // namespace weir
