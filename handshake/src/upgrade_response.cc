#include <weir/upgrade_response.h>

#include <algorithm>

#include "base64.h"
#include "head_rules.h"
#include "sha1.h"

namespace weir {
namespace {

constexpr std::string_view accept_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455 1.3

// HTTP-version SP status-code [ SP [ reason-phrase ] ]: servers leave the last blank out too (RFC 9112 4).
[[nodiscard]] HandshakeError judge_status_line(std::string_view line, UpgradeResponse& out) noexcept {
  constexpr std::size_t version_size = 8;
  constexpr std::size_t status_end = version_size + 1 + 3;
  if (line.size() < status_end || !is_http_version(line.substr(0, version_size)))
    return HandshakeError::status_line_invalid;
  if (!line.starts_with("HTTP/1.1 ")) return HandshakeError::http_version_not_1_1;
  unsigned status = 0;
  for (const char digit : line.substr(version_size + 1, 3)) {
    if (digit < '0' || digit > '9') return HandshakeError::status_line_invalid;
    status = status * 10 + static_cast<unsigned>(digit - '0');
  }
  const std::string_view rest = line.substr(status_end);
  if (status < 100 || (!rest.empty() && !rest.starts_with(' '))) return HandshakeError::status_line_invalid;
  out.status = status;
  out.reason = rest.substr(std::min<std::size_t>(rest.size(), 1));
  return out.status == 101 ? HandshakeError::none : HandshakeError::status_not_101;
}

// Case counts in a subprotocol's name.
[[nodiscard]] bool offers_subprotocol(std::string_view list, std::string_view name) noexcept {
  std::string_view found;
  while (take_element(list, found)) {
    if (found == name) return true;
  }
  return false;
}

[[nodiscard]] bool offers_extension(std::string_view offers, std::string_view name) noexcept {
  ExtensionReader reader(offers);
  Extension offer;
  while (reader.next(offer) == ListKind::element) {
    if (offer.name == name) return true;
  }
  return false;
}

}  // namespace

AcceptValue accept_value(std::string_view key) noexcept {
  check(key.size() == 24);
  std::array<unsigned char, 60> hashed{};
  auto* const end = std::copy(key.begin(), key.end(), hashed.begin());
  std::copy(accept_guid.begin(), accept_guid.end(), end);
  return {base64_of(sha1_of_60(hashed))};
}

KeyText key_text(const std::array<unsigned char, 16>& nonce) noexcept { return {base64_of(nonce)}; }

ResponseReader::ResponseReader(const AcceptValue& accept, const OfferedNames& offered, const HandshakeLimits& limits,
                               std::pmr::memory_resource* memory) noexcept
    : head_(limits, HandshakeError::field_too_long, memory),
      accept_(accept),
      offered_(offered),
      max_extension_count_(limits.max_extension_count) {}

HandshakeKind ResponseReader::next(ByteReader& in, UpgradeResponse& out) noexcept {
  const HandshakeKind kind = head_.next(in);
  if (kind != HandshakeKind::head) return kind;
  const HandshakeError broken = judge(out);
  return broken == HandshakeError::none ? kind : head_.fail(broken, head_.size() - 1);
}

HandshakeError ResponseReader::judge(UpgradeResponse& out) const noexcept {
  out = {};
  out.fields = head_.fields();
  const HandshakeError broken = judge_status_line(head_.first_line(), out);
  return broken == HandshakeError::none ? judge_fields(out) : broken;
}

HandshakeError ResponseReader::judge_fields(UpgradeResponse& out) const noexcept {
  bool upgrade = false;
  bool connection = false;
  std::string_view accept;
  bool has_accept = false;
  bool has_subprotocol = false;
  HttpFields fields = out.fields;
  HttpField field;
  while (fields.next(field)) {
    const auto is = [&field](std::string_view name) { return equal_in_any_case(field.name, name); };
    if (is("Upgrade")) upgrade |= equal_in_any_case(field.value, "websocket");
    if (is("Connection")) connection |= list_contains(field.value, "upgrade");
    if (is("Sec-WebSocket-Accept")) {
      if (has_accept) return HandshakeError::field_repeated;
      has_accept = true;
      accept = field.value;
    }
    if (is("Sec-WebSocket-Protocol")) {
      if (has_subprotocol) return HandshakeError::field_repeated;
      has_subprotocol = true;
      out.subprotocol = field.value;
    }
  }
  if (!upgrade) return HandshakeError::upgrade_missing;
  if (!connection) return HandshakeError::connection_missing;
  if (accept != accept_.view()) return HandshakeError::accept_wrong;
  if (has_subprotocol && !is_token(out.subprotocol)) return HandshakeError::subprotocol_invalid;
  if (has_subprotocol && !offers_subprotocol(offered_.subprotocols, out.subprotocol))
    return HandshakeError::subprotocol_not_offered;
  return judge_extensions(out.extensions());
}

// Each extension was offered, and is used once.
HandshakeError ResponseReader::judge_extensions(ExtensionList list) const noexcept {
  const ExtensionList all = list;
  Extension extension;
  std::size_t count = 0;
  ListKind kind = list.next(extension);
  for (; kind == ListKind::element; kind = list.next(extension)) {
    if (count == max_extension_count_) return HandshakeError::too_many_extensions;
    if (!offers_extension(offered_.extensions, extension.name)) return HandshakeError::extension_not_offered;
    ExtensionList before = all;
    Extension other;
    for (std::size_t i = 0; i < count && before.next(other) == ListKind::element; ++i) {
      if (other.name == extension.name) return HandshakeError::extension_invalid;
    }
    ++count;
  }
  return kind == ListKind::error ? HandshakeError::extension_invalid : HandshakeError::none;
}

}  // namespace weir
