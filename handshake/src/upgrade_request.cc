#include <weir/upgrade_request.h>

#include <optional>

#include "base64.h"
#include "head_rules.h"

namespace weir {
namespace {

// Judged holds what was found of the fields that a request may have once.
struct Judged {
  std::string_view host;
  std::string_view origin;
  std::string_view key;
  std::string_view version;
  bool has_host = false;
  bool has_origin = false;
  bool has_key = false;
  bool has_version = false;
  bool upgrade = false;
  bool connection = false;
  bool has_subprotocols = false;
  bool has_extensions = false;
};

[[nodiscard]] HandshakeError take_once(std::string_view value, std::string_view& out, bool& seen) noexcept {
  if (seen) return HandshakeError::field_repeated;
  out = value;
  seen = true;
  return HandshakeError::none;
}

// A body's bytes would be taken for frames.
[[nodiscard]] HandshakeError judge_length(std::string_view value) noexcept {
  return value == "0" ? HandshakeError::none : HandshakeError::body_present;
}

// Names are told apart by their size first.
[[nodiscard]] HandshakeError judge_field(const HttpField& field, Judged& out) noexcept {
  const auto is = [&field](std::string_view name) { return equal_in_any_case(field.name, name); };
  switch (field.name.size()) {
    case 4:
      if (is("Host")) return take_once(field.value, out.host, out.has_host);
      break;
    case 6:
      if (is("Origin")) return take_once(field.value, out.origin, out.has_origin);
      break;
    case 7:
      if (is("Upgrade")) out.upgrade |= list_contains(field.value, "websocket");
      break;
    case 10:
      if (is("Connection")) out.connection |= list_contains(field.value, "upgrade");
      break;
    case 14:
      if (is("Content-Length")) return judge_length(field.value);
      break;
    case 17:
      if (is("Sec-WebSocket-Key")) return take_once(field.value, out.key, out.has_key);
      if (is("Transfer-Encoding")) return HandshakeError::body_present;
      break;
    case 21:
      if (is("Sec-WebSocket-Version")) return take_once(field.value, out.version, out.has_version);
      break;
    case 22:
      out.has_subprotocols |= is("Sec-WebSocket-Protocol");
      break;
    case 24:
      out.has_extensions |= is("Sec-WebSocket-Extensions");
      break;
    default:
      break;
  }
  return HandshakeError::none;
}

[[nodiscard]] HandshakeError judge_fields(HttpFields fields, Judged& out) noexcept {
  HttpField field;
  while (fields.next(field)) {
    const HandshakeError broken = judge_field(field, out);
    if (broken != HandshakeError::none) return broken;
  }
  if (!out.has_host) return HandshakeError::host_missing;
  if (!out.upgrade) return HandshakeError::upgrade_missing;
  if (!out.connection) return HandshakeError::connection_missing;
  if (!out.has_version) return HandshakeError::version_missing;
  if (out.version != "13") return HandshakeError::version_not_13;
  if (!is_base64_of_16_bytes(out.key)) return HandshakeError::key_invalid;
  return HandshakeError::none;
}

// Tokens, each once (RFC 6455 4.1), over all fields. Each is compared with those before it: their number bounds the
// work.
[[nodiscard]] HandshakeError judge_subprotocols(const TokenList& all) noexcept {
  TokenList list = all;
  std::string_view token;
  for (std::size_t count = 0; list.next(token); ++count) {
    if (count == max_subprotocol_count || !is_token(token)) return HandshakeError::subprotocol_invalid;
    TokenList before = all;
    std::string_view other;
    for (std::size_t i = 0; i < count && before.next(other); ++i) {
      if (other == token) return HandshakeError::subprotocol_invalid;
    }
  }
  return HandshakeError::none;
}

[[nodiscard]] HandshakeError judge_extensions(ExtensionList list, std::size_t max_count) noexcept {
  Extension extension;
  std::size_t count = 0;
  ListKind kind = list.next(extension);
  for (; kind == ListKind::element; kind = list.next(extension)) {
    if (++count > max_count) return HandshakeError::too_many_extensions;
  }
  return kind == ListKind::error ? HandshakeError::extension_invalid : HandshakeError::none;
}

// method SP request-target SP HTTP-version (RFC 9112 3).
[[nodiscard]] HandshakeError judge_request_line(std::string_view line, std::string_view& target) noexcept {
  const std::size_t method_size = token_prefix_size(line);
  const std::string_view rest = line.substr(method_size);
  if (method_size == 0 || !rest.starts_with(' ')) return HandshakeError::request_line_invalid;
  const std::size_t target_end = rest.find(' ', 1);
  if (target_end == std::string_view::npos) return HandshakeError::request_line_invalid;
  target = rest.substr(1, target_end - 1);
  const std::string_view version = rest.substr(target_end + 1);
  if (!is_target(target)) return HandshakeError::request_line_invalid;
  if (version != "HTTP/1.1")
    return is_http_version(version) ? HandshakeError::http_version_not_1_1 : HandshakeError::request_line_invalid;
  return line.substr(0, method_size) == "GET" ? HandshakeError::none : HandshakeError::method_not_get;
}

}  // namespace

bool UpgradeRequest::offers_subprotocol(std::string_view name) const noexcept {
  TokenList list = subprotocols();
  std::string_view token;
  while (list.next(token)) {
    if (token == name) return true;
  }
  return false;
}

RequestReader::RequestReader(const HandshakeLimits& limits, std::pmr::memory_resource* memory) noexcept
    : head_(limits, HandshakeError::target_too_long, memory), max_extension_count_(limits.max_extension_count) {}

HandshakeKind RequestReader::next(ByteReader& in, UpgradeRequest& out) noexcept {
  const HandshakeKind kind = head_.next(in);
  if (kind != HandshakeKind::head) return kind;

  Judged judged;
  out.fields = head_.fields();
  HandshakeError broken = judge_request_line(head_.first_line(), out.target);
  if (broken == HandshakeError::none) broken = judge_fields(out.fields, judged);
  if (broken == HandshakeError::none && judged.has_subprotocols) broken = judge_subprotocols(out.subprotocols());
  if (broken == HandshakeError::none && judged.has_extensions)
    broken = judge_extensions(out.extensions(), max_extension_count_);
  if (broken != HandshakeError::none) return head_.fail(broken, head_.size() - 1);
  out.host = judged.host;
  out.origin = judged.origin;
  out.key = judged.key;
  return HandshakeKind::head;
}

}  // namespace weir
