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
  std::string lower = text_;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t header = lower.find("\r\nsec-websocket-extensions:");
  if (header == std::string::npos) return false;
  const std::string_view line = std::string_view(lower).substr(header + 2, lower.find("\r\n", header + 2) - header - 2);
  return line.find("permessage-deflate") != std::string_view::npos;
}

}  // namespace weir::tools
