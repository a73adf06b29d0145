// The kernels behind Utf8Validator. Raw zone: the callers have checked the sizes.
#pragma once

#include <cstddef>

namespace weir::detail {

// Each takes text that begins at a character, and returns the size of a prefix that is whole, valid characters. It
// stops at the last whole character of valid text; of invalid text it may stop anywhere up to the fault, and the
// byte-wise validator says where exactly the fault is.
std::size_t utf8_prefix_scalar(const unsigned char* text, std::size_t size) noexcept;
#if defined(__SSE2__)
std::size_t utf8_prefix_sse2(const unsigned char* text, std::size_t size) noexcept;
std::size_t utf8_prefix_avx2(const unsigned char* text, std::size_t size) noexcept;
#endif
#if defined(__aarch64__)
std::size_t utf8_prefix_neon(const unsigned char* text, std::size_t size) noexcept;
#endif

}  // namespace weir::detail
