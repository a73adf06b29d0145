// Handshake errors as values: which rule was broken, where, and which HTTP status says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

// HandshakeError has one enumerator a rule. The numbers are fixed for ever; new rules get new ones.
enum class HandshakeError : std::uint8_t {
  none = 0,
  request_line_invalid = 1,      // RFC 9112 3: method SP target SP version
  method_not_get = 2,            // RFC 6455 4.2.1
  http_version_not_1_1 = 3,      // RFC 6455 4.2.1: 1.1; a response too
  target_too_long = 4,           // HandshakeLimits::max_line_size, in the request line
  head_too_big = 5,              // HandshakeLimits::max_head_size
  field_too_long = 6,            // HandshakeLimits::max_line_size, in a field
  too_many_fields = 7,           // HandshakeLimits::max_field_count
  line_feed_alone = 8,           // RFC 9112 2.2: lines end in CR LF
  field_folded = 9,              // RFC 9112 5.2: no line begins with a blank
  field_name_invalid = 10,       // RFC 9112 5.1: a token, and a colon right behind it
  control_character = 11,        // RFC 9110 5.5
  field_repeated = 12,           // RFC 9110 5.3, RFC 6455 11.3: a field that comes once
  host_missing = 13,             // RFC 6455 4.2.1
  upgrade_missing = 14,          // RFC 6455 4.1, 4.2.1: Upgrade names websocket
  connection_missing = 15,       // RFC 6455 4.1, 4.2.1: Connection names Upgrade
  key_invalid = 16,              // RFC 6455 4.2.1: Sec-WebSocket-Key is 16 bytes in base64
  version_missing = 17,          // RFC 6455 4.2.1
  version_not_13 = 18,           // RFC 6455 4.2.1, 4.4
  body_present = 19,             // the request has a body, whose bytes would be taken for frames
  subprotocol_invalid = 20,      // RFC 6455 4.1: unique tokens; of a response, one
  extension_invalid = 21,        // RFC 6455 9.1
  too_many_extensions = 22,      // HandshakeLimits::max_extension_count
  status_line_invalid = 23,      // RFC 9112 4
  status_not_101 = 24,           // RFC 6455 4.1
  accept_wrong = 25,             // RFC 6455 4.1: Sec-WebSocket-Accept is missing, or not the answer to our key
  subprotocol_not_offered = 26,  // RFC 6455 4.1
  extension_not_offered = 27,    // RFC 6455 4.1
  extension_refused = 28,        // RFC 7692 7.1: what the server answered is not what was offered
  field_not_writable = 29,       // a field of ours would break the head apart
  status_not_writable = 30,      // a refusal has a status of 300 to 599
  out_of_memory = 31,
  call_out_of_turn = 32,  // Session: no handshake is at this point
};

// status_of is the HTTP status that a server answers (RFC 9110 15, RFC 6585 5).
[[nodiscard]] unsigned status_of(HandshakeError error) noexcept;

// rule_of says which rule was broken, with its section. Static text.
[[nodiscard]] std::string_view rule_of(HandshakeError error) noexcept;

// name_of is the enumerator's name. Static text.
[[nodiscard]] std::string_view name_of(HandshakeError error) noexcept;

// HandshakeFailure is a broken rule and where it was seen.
struct HandshakeFailure {
  HandshakeError error = HandshakeError::none;
  std::size_t offset = 0;  // in the stream, of the byte that completed the fault

  friend bool operator==(const HandshakeFailure&, const HandshakeFailure&) = default;
};

}  // namespace weir
