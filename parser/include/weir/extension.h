// One field Sec-WebSocket-Extensions, read by its grammar (RFC 6455 9.1): what both the handshake, which carries it,
// and the extensions, which it negotiates, have to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

// ExtensionParameter is `name` or `name=value`. A quoted value is given without its quotes; what is quoted within it by
// a backslash stays as it stands. Borrows the field.
struct ExtensionParameter {
  std::string_view name;
  std::string_view value;
  bool has_value = false;
};

// Extension is one element of the list: a name and its parameters. Borrows the field; valid as long as it is.
struct Extension {
  std::string_view name;
  std::string_view parameters;  // as they stand, for ExtensionParameterReader; empty if there are none
};

// ListKind is what the readers below have taken.
enum class ListKind : std::uint8_t { end, element, error };

// ExtensionReader reads a field one extension at a time, parameters checked. Linear in the field's size; empty elements
// are skipped (RFC 9110 5.6.1.2). An error is sticky.
class ExtensionReader {
 public:
  // field is borrowed; valid as long as the reader and what it gives out.
  explicit ExtensionReader(std::string_view field) noexcept : left_(field) {}

  [[nodiscard]] ListKind next(Extension& out) noexcept;

 private:
  std::string_view left_;
};

// ExtensionParameterReader reads the parameters of one extension, one at a time.
class ExtensionParameterReader {
 public:
  explicit ExtensionParameterReader(std::string_view parameters) noexcept : left_(parameters) {}

  [[nodiscard]] ListKind next(ExtensionParameter& out) noexcept;

 private:
  std::string_view left_;
};

// token_prefix_size is the size of the token that `text` begins with, 0 if with none.
[[nodiscard]] std::size_t token_prefix_size(std::string_view text) noexcept;

// is_token tells whether text is a token (RFC 9110 5.6.2): at least one character, none a delimiter.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

}  // namespace weir
