#include "field_text.h"

#include <weir/byte_block.h>
#include <weir/bytes.h>

namespace weir {
namespace {

[[nodiscard]] bool is_control(unsigned char c) noexcept { return (c < 0x20 && c != '\t') || c == 0x7F; }

}  // namespace

std::size_t field_text_prefix_size(std::string_view text) noexcept {
  ByteReader in(as_bytes(text));
  while (in.remaining_size() >= ByteBlock::size) {
    const ByteBlock block(in.window<ByteBlock::size>());
    const std::size_t size = ByteBlock::prefix_size((block.below(0x20) & ~block.equal('\t')) | block.equal(0x7F));
    in.skip(size);
    if (size != ByteBlock::size) return in.position();
  }
  while (!in.empty() && !is_control(in.window<1>().byte<0>())) in.skip(1);
  return in.position();
}

}  // namespace weir
