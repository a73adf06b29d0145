#include <weir/utf8.h>

#include "utf8_kernels.h"

namespace weir {
namespace {

std::size_t whole_characters_size(ByteView text) noexcept {
#if defined(__SSE2__)
  if (__builtin_cpu_supports("avx2")) return detail::utf8_prefix_avx2(text.data(), text.size());
  return detail::utf8_prefix_sse2(text.data(), text.size());
#elif defined(__aarch64__)
  return detail::utf8_prefix_neon(text.data(), text.size());
#else
  return detail::utf8_prefix_scalar(text.data(), text.size());
#endif
}

}  // namespace

std::size_t Utf8Validator::accept(ByteView run) noexcept {
  std::size_t good = 0;
  while (missing_ != 0 && good < run.size()) {
    if (!accept_byte(run[good])) return good;
    ++good;
  }
  if (good == run.size()) return good;
  good += whole_characters_size(run.drop(good));
  while (good < run.size() && accept_byte(run[good])) ++good;
  return good;
}

// RFC 3629 4: the first continuation byte after E0, ED, F0 and F4 has a narrower range (no overlong form, no surrogate,
// nothing above U+10FFFF).
bool Utf8Validator::accept_byte(unsigned char byte) noexcept {
  if (missing_ != 0) {
    if (byte < lowest_ || byte > highest_) return false;
    lowest_ = 0x80;
    highest_ = 0xBF;
    --missing_;
    seen_ = static_cast<std::uint8_t>(missing_ == 0 ? 0 : seen_ + 1);
    return true;
  }
  if (byte < 0x80) return true;
  if (byte < 0xC2 || byte > 0xF4) return false;
  missing_ = 1;
  if (byte >= 0xE0) missing_ = 2;
  if (byte >= 0xF0) missing_ = 3;
  if (byte == 0xE0) lowest_ = 0xA0;
  if (byte == 0xED) highest_ = 0x9F;
  if (byte == 0xF0) lowest_ = 0x90;
  if (byte == 0xF4) highest_ = 0x8F;
  seen_ = 1;
  return true;
}

bool is_utf8(ByteView text) noexcept { return whole_characters_size(text) == text.size(); }

std::size_t utf8_prefix_size(ByteView text) noexcept {
  Utf8Validator validator;
  const std::size_t good = validator.accept(text);
  return good - validator.pending_size();
}

}  // namespace weir
