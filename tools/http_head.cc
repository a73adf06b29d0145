#include "http_head.h"

#include <algorithm>
#include <cctype>

namespace weir::tools {
namespace {

constexpr std::size_t max_head_size = 65536;
constexpr std::string_view request_start = "GET ";
constexpr std::string_view response_start = "HTTP/1.";

bool begins_alike(std::string_view text, std::string_view start) {
  const std::size_t size = std::min(text.size(), start.size());
  return text.substr(0, size) == start.substr(0, size);
}

// names_deflate: one of the extensions of the list (RFC 6455 9.1) is permessage-deflate, whatever its parameters say.
bool names_deflate(std::string_view list) {
  bool quoted = false;
  bool in_name = true;
  std::string name;
  for (const char c : std::string(list) + ',') {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') {
      if (name == "permessage-deflate") return true;
      name.clear();
      in_name = true;
    } else if (c == ';') {
      in_name = false;
    } else if (in_name && c != ' ' && c != '\t') {
      name += c;
    }
  }
  return false;
}

}  // namespace

HttpHead::Verdict HttpHead::feed(char byte) {
  text_ += byte;
  if (!begins_alike(text_, request_start) && !begins_alike(text_, response_start)) return Verdict::not_http;
  if (text_.ends_with("\r\n\r\n")) return Verdict::complete;
  return text_.size() >= max_head_size ? Verdict::too_long : Verdict::undecided;
}

Role HttpHead::receiver() const { return text_.starts_with(request_start) ? Role::server : Role::client; }

std::string_view HttpHead::first_line() const { return std::string_view(text_).substr(0, text_.find('\r')); }

bool HttpHead::negotiates_deflate() const {
  if (receiver() == Role::server) return false;
  constexpr std::string_view field = "sec-websocket-extensions:";
  std::string lower = text_;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view left = lower;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find("\r\n"));
    left.remove_prefix(std::min(left.size(), line.size() + 2));
    if (line.starts_with(field) && names_deflate(line.substr(field.size()))) return true;
  }
  return false;
}

}  // namespace weir::tools
