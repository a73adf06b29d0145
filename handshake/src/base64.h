// Base64 (RFC 4648 4), of the two sizes that a handshake has.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <weir/bytes.h>

namespace weir {

// encode_base64 fills `out` with `bytes`, padded: out.size() is 4 for every 3 bytes or part of them.
void encode_base64(ByteView bytes, MutableByteView out) noexcept;

// is_base64_of_16_bytes judges a whole text: 22 characters whose last has four bits of zero, and ==.
[[nodiscard]] bool is_base64_of_16_bytes(std::string_view text) noexcept;

}  // namespace weir
