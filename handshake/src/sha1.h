// SHA-1 (FIPS 180-4), for Sec-WebSocket-Accept only. Ours, because what is hashed there has always 60 bytes, so that
// the second block is known when compiling, and because a library's call costs more than the rest of a handshake.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/bytes.h>

namespace weir {

using Sha1Digest = std::array<unsigned char, 20>;

// sha1 hashes any bytes.
[[nodiscard]] Sha1Digest sha1(ByteView bytes) noexcept;

// sha1_of_60 hashes 60 bytes.
[[nodiscard]] Sha1Digest sha1_of_60(const std::array<unsigned char, 60>& bytes) noexcept;

}  // namespace weir
