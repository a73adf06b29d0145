#include <weir/extension.h>

#include <array>

#include <weir/byte_block.h>
#include <weir/bytes.h>

namespace weir {
namespace {

// tchar (RFC 9110 5.6.2).
constexpr auto token_characters = [] {
  std::array<bool, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table.at(c) = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) table.at(c) = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) table.at(c) = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) table.at(static_cast<unsigned char>(c)) = true;
  return table;
}();

[[nodiscard]] bool is_token_character(char c) noexcept { return token_characters.at(static_cast<unsigned char>(c)); }

// usual_size is the size of the longest prefix of characters that most names are made of.
[[nodiscard]] std::size_t usual_size(const ByteBlock& block) noexcept {
  return ByteBlock::prefix_size(~(block.letters() | block.equal('-') | block.equal('_')));
}

[[nodiscard]] bool take(std::string_view& text, char c) noexcept {
  if (!text.starts_with(c)) return false;
  text = drop_first(text, 1);
  return true;
}

void skip_blanks(std::string_view& text) noexcept {
  while (text.starts_with(' ') || text.starts_with('\t')) text = drop_first(text, 1);
}

[[nodiscard]] std::string_view take_token(std::string_view& text) noexcept {
  const std::string_view token = text.substr(0, token_prefix_size(text));
  text = drop_first(text, token.size());
  return token;
}

// quoted-string (RFC 9110 5.6.4), after its opening quote. Whatever it quotes must be a token (RFC 6455 9.1), so that
// blanks and control characters have no place in it.
[[nodiscard]] bool take_quoted(std::string_view& text, std::string_view& value) noexcept {
  std::size_t size = 0;
  while (size < text.size() && text.at(size) != '"') {
    if (text.at(size) == '\\') ++size;
    if (size >= text.size() || !is_token_character(text.at(size))) return false;
    ++size;
  }
  if (size >= text.size() || size == 0) return false;
  value = text.substr(0, size);
  text = drop_first(text, size + 1);
  return true;
}

// token [ "=" ( token | quoted-string ) ]
[[nodiscard]] bool take_parameter(std::string_view& text, ExtensionParameter& out) noexcept {
  out = {.name = take_token(text), .value = {}, .has_value = false};
  if (out.name.empty()) return false;
  std::string_view after = text;
  skip_blanks(after);
  if (!take(after, '=')) return true;
  skip_blanks(after);
  text = after;
  out.has_value = true;
  if (take(text, '"')) return take_quoted(text, out.value);
  out.value = take_token(text);
  return !out.value.empty();
}

// *( ";" parameter ); `text` is left at what follows them.
[[nodiscard]] bool skip_parameters(std::string_view& text) noexcept {
  ExtensionParameter parameter;
  while (true) {
    skip_blanks(text);
    if (!take(text, ';')) return true;
    skip_blanks(text);
    if (!take_parameter(text, parameter)) return false;
  }
}

}  // namespace

std::size_t token_prefix_size(std::string_view text) noexcept {
  ByteReader in(as_bytes(text));
  while (in.remaining_size() >= ByteBlock::size) {
    const std::size_t size = usual_size(ByteBlock(in.window<ByteBlock::size>()));
    in.skip(size);
    if (size == ByteBlock::size) continue;
    if (!is_token_character(static_cast<char>(in.window<1>().byte<0>()))) return in.position();
    in.skip(1);
  }
  while (!in.empty() && is_token_character(static_cast<char>(in.window<1>().byte<0>()))) in.skip(1);
  return in.position();
}

bool is_token(std::string_view text) noexcept { return !text.empty() && token_prefix_size(text) == text.size(); }

ListKind ExtensionReader::next(Extension& out) noexcept {
  do skip_blanks(left_);
  while (take(left_, ','));
  if (left_.empty()) return ListKind::end;

  std::string_view text = left_;
  out.name = take_token(text);
  if (out.name.empty()) return ListKind::error;
  const std::string_view parameters = text;
  if (!skip_parameters(text)) return ListKind::error;
  if (!text.empty() && !text.starts_with(',')) return ListKind::error;
  out.parameters = parameters.substr(0, parameters.size() - text.size());
  left_ = text;
  return ListKind::element;
}

ListKind ExtensionParameterReader::next(ExtensionParameter& out) noexcept {
  skip_blanks(left_);
  if (left_.empty()) return ListKind::end;
  std::string_view text = left_;
  if (!take(text, ';')) return ListKind::error;
  skip_blanks(text);
  if (!take_parameter(text, out)) return ListKind::error;
  left_ = text;
  return ListKind::element;
}

}  // namespace weir
