#include "base64.h"

#include <weir/byte_block.h>
#include <weir/bytes.h>

namespace weir {
namespace {

// digits_size counts the digits that a block begins with.
[[nodiscard]] std::size_t digits_size(ByteWindow<ByteBlock::size> bytes) noexcept {
  const ByteBlock block(bytes);
  return ByteBlock::prefix_size(~(block.letters() | block.between('0', '9') | block.equal('+') | block.equal('/')));
}

}  // namespace

bool is_base64_of_16_bytes(std::string_view text) noexcept {
  if (text.size() != 24 || !text.ends_with("==")) return false;
  const ByteView digits = as_bytes(text).first(22);
  if (digits_size(digits.window<16>()) != 16 || digits_size(digits.last_window<16>()) != 16) return false;
  return std::string_view("AQgw").find(static_cast<char>(digits[21])) != std::string_view::npos;
}

}  // namespace weir
