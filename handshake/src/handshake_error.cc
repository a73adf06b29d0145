#include <weir/handshake_error.h>

#include <algorithm>
#include <array>

#include <weir/bytes.h>

namespace weir {
namespace {

struct Rule {
  HandshakeError error;
  unsigned status;
  std::string_view name;
  std::string_view text;
};

constexpr std::array<Rule, 33> rules{{
    {HandshakeError::none, 101, "none", "no error"},
    {HandshakeError::request_line_invalid, 400, "request_line_invalid", "request line is not one (RFC 9112 3)"},
    {HandshakeError::method_not_get, 405, "method_not_get", "method is not GET (RFC 6455 4.2.1)"},
    {HandshakeError::http_version_not_1_1, 505, "http_version_not_1_1", "HTTP version is not 1.1 (RFC 6455 4.2.1)"},
    {HandshakeError::target_too_long, 414, "target_too_long", "request line longer than the limit (RFC 9112 3)"},
    {HandshakeError::head_too_big, 431, "head_too_big", "head longer than the limit (RFC 6585 5)"},
    {HandshakeError::field_too_long, 400, "field_too_long", "field longer than the limit (RFC 9110 5.4)"},
    {HandshakeError::too_many_fields, 431, "too_many_fields", "more fields than the limit (RFC 6585 5)"},
    {HandshakeError::line_feed_alone, 400, "line_feed_alone", "line does not end in CR LF (RFC 9112 2.2)"},
    {HandshakeError::field_folded, 400, "field_folded", "line begins with a blank (RFC 9112 5.2)"},
    {HandshakeError::field_name_invalid, 400, "field_name_invalid",
     "field name is not a token with a colon behind it (RFC 9112 5.1)"},
    {HandshakeError::control_character, 400, "control_character", "control character in the head (RFC 9110 5.5)"},
    {HandshakeError::field_repeated, 400, "field_repeated",
     "field repeated that comes once (RFC 9110 5.3, RFC 6455 11.3)"},
    {HandshakeError::host_missing, 400, "host_missing", "no Host (RFC 6455 4.2.1)"},
    {HandshakeError::upgrade_missing, 426, "upgrade_missing", "Upgrade does not name websocket (RFC 6455 4.2.1)"},
    {HandshakeError::connection_missing, 400, "connection_missing",
     "Connection does not name Upgrade (RFC 6455 4.2.1)"},
    {HandshakeError::key_invalid, 400, "key_invalid", "Sec-WebSocket-Key is not 16 bytes in base64 (RFC 6455 4.2.1)"},
    {HandshakeError::version_missing, 400, "version_missing", "no Sec-WebSocket-Version (RFC 6455 4.2.1)"},
    {HandshakeError::version_not_13, 426, "version_not_13", "Sec-WebSocket-Version is not 13 (RFC 6455 4.4)"},
    {HandshakeError::body_present, 400, "body_present", "request with a body (RFC 6455 4.1)"},
    {HandshakeError::subprotocol_invalid, 400, "subprotocol_invalid",
     "Sec-WebSocket-Protocol is not a list of unique tokens (RFC 6455 4.1)"},
    {HandshakeError::extension_invalid, 400, "extension_invalid",
     "Sec-WebSocket-Extensions breaks its grammar (RFC 6455 9.1)"},
    {HandshakeError::too_many_extensions, 400, "too_many_extensions",
     "more extensions offered than the limit (RFC 6455 9.1)"},
    {HandshakeError::status_line_invalid, 400, "status_line_invalid", "status line is not one (RFC 9112 4)"},
    {HandshakeError::status_not_101, 400, "status_not_101", "status is not 101 (RFC 6455 4.1)"},
    {HandshakeError::accept_wrong, 400, "accept_wrong",
     "Sec-WebSocket-Accept is not the answer to the key (RFC 6455 4.1)"},
    {HandshakeError::subprotocol_not_offered, 400, "subprotocol_not_offered",
     "subprotocol that was not offered (RFC 6455 4.1)"},
    {HandshakeError::extension_not_offered, 400, "extension_not_offered",
     "extension that was not offered (RFC 6455 4.1)"},
    {HandshakeError::extension_refused, 400, "extension_refused",
     "extension parameters that do not answer the offer (RFC 7692 7.1)"},
    {HandshakeError::field_not_writable, 500, "field_not_writable",
     "field that would break the head apart (RFC 9110 5.5)"},
    {HandshakeError::status_not_writable, 500, "status_not_writable", "status that refuses nothing (RFC 9110 15)"},
    {HandshakeError::out_of_memory, 500, "out_of_memory", "no memory for the head"},
    {HandshakeError::call_out_of_turn, 500, "call_out_of_turn", "call that the handshake does not wait for"},
}};

const Rule& rule_for(HandshakeError error) noexcept {
  const auto* rule = std::find_if(rules.begin(), rules.end(), [error](const Rule& r) { return r.error == error; });
  check(rule != rules.end());
  return *rule;
}

}  // namespace

unsigned status_of(HandshakeError error) noexcept { return rule_for(error).status; }
std::string_view rule_of(HandshakeError error) noexcept { return rule_for(error).text; }
std::string_view name_of(HandshakeError error) noexcept { return rule_for(error).name; }

}  // namespace weir
