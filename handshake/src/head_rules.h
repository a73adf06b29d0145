// Rules of a head that requests and responses, read and written, have in common.
#pragma once

#include <cstddef>
#include <string_view>

namespace weir {

// trimmed is `text` without the blanks around it (OWS, RFC 9110 5.6.3), the other two without those at one end.
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;
[[nodiscard]] std::string_view trimmed_begin(std::string_view text) noexcept;
[[nodiscard]] std::string_view trimmed_end(std::string_view text) noexcept;

// is_http_version tells HTTP-version (RFC 9112 2.3) of any number.
[[nodiscard]] bool is_http_version(std::string_view text) noexcept;

// is_target tells a request-target without blanks and control characters (RFC 9112 3.2).
[[nodiscard]] bool is_target(std::string_view text) noexcept;

// take_element takes the next element off a comma-separated value, without the blanks around it; it may be empty. False
// at the end.
[[nodiscard]] bool take_element(std::string_view& list, std::string_view& out) noexcept;

// list_contains looks for an element of one comma-separated value, in any case.
[[nodiscard]] bool list_contains(std::string_view list, std::string_view element) noexcept;

// is_unique_token_list tells what Sec-WebSocket-Protocol may offer (RFC 6455 4.1). At most max_subprotocol_count, which
// bounds the work.
inline constexpr std::size_t max_subprotocol_count = 64;
[[nodiscard]] bool is_unique_token_list(std::string_view list) noexcept;

}  // namespace weir
