#include "head_rules.h"

#include <algorithm>

#include <weir/http_head.h>

#include "field_text.h"

namespace weir {

std::string_view trimmed_begin(std::string_view text) noexcept {
  while (text.starts_with(' ') || text.starts_with('\t')) text = drop_first(text, 1);
  return text;
}

std::string_view trimmed_end(std::string_view text) noexcept {
  while (text.ends_with(' ') || text.ends_with('\t')) text = drop_last(text, 1);
  return text;
}

std::string_view trimmed(std::string_view text) noexcept { return trimmed_end(trimmed_begin(text)); }

bool is_http_version(std::string_view text) noexcept {
  const auto is_digit = [](unsigned char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 8 || !text.starts_with("HTTP/")) return false;
  const ByteView number = as_bytes(text).drop(5);
  return is_digit(number[0]) && number[1] == '.' && is_digit(number[2]);
}

bool is_target(std::string_view text) noexcept {
  const bool has_blank = text.find_first_of(" \t") != std::string_view::npos;
  return !text.empty() && !has_blank && field_text_prefix_size(text) == text.size();
}

bool take_element(std::string_view& list, std::string_view& out) noexcept {
  if (list.empty()) return false;
  const std::size_t comma = std::min(list.find(','), list.size());
  out = list.substr(0, comma);
  list = drop_first(list, std::min(comma + 1, list.size()));
  out = trimmed(out);
  return true;
}

bool list_contains(std::string_view list, std::string_view element) noexcept {
  std::string_view found;
  while (take_element(list, found)) {
    if (equal_in_any_case(found, element)) return true;
  }
  return false;
}

bool is_unique_token_list(std::string_view list) noexcept {
  std::string_view left = list;
  std::string_view token;
  for (std::size_t count = 0; take_element(left, token); ++count) {
    if (count == max_subprotocol_count || !is_token(token)) return false;
    std::string_view before = list;
    std::string_view other;
    for (std::size_t i = 0; i < count && take_element(before, other); ++i) {
      if (other == token) return false;
    }
  }
  return true;
}

}  // namespace weir
