// The characters of a head (RFC 9110 5.5).
#pragma once

#include <cstddef>
#include <string_view>

namespace weir {

// field_text_prefix_size is the size of the longest prefix without control characters; a tab is none here.
[[nodiscard]] std::size_t field_text_prefix_size(std::string_view text) noexcept;

}  // namespace weir
