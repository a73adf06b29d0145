// The XOR kernels behind apply_mask, each equal to xor_scalar. Raw zone: apply_mask has checked the sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::detail {

// Each masks `size` bytes from `from` to `to` (the same place, or apart) with the key in memory order, and returns
// whether every byte written is ASCII.
bool xor_scalar(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept;
#if defined(__SSE2__)
bool xor_sse2(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept;
bool xor_avx2(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept;
#endif
#if defined(__aarch64__)
bool xor_neon(const unsigned char* from, unsigned char* to, std::size_t size, std::uint32_t key) noexcept;
#endif

}  // namespace weir::detail
