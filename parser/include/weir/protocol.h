// RFC 6455 5.2 and 7.4 as types: who receives, what a frame is, what a Close code may be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir {

// Role is the endpoint that receives the bytes. A server's peer masks its frames, a client's does not (RFC 6455 5.1).
enum class Role : std::uint8_t { server, client };

// Opcode is the low four bits of a frame's first byte (RFC 6455 5.2, 11.8).
enum class Opcode : std::uint8_t {
  continuation = 0x0,
  text = 0x1,
  binary = 0x2,
  close = 0x8,
  ping = 0x9,
  pong = 0xA,
};

// is_control tells Close, Ping and Pong from data frames (RFC 6455 5.5).
[[nodiscard]] constexpr bool is_control(Opcode opcode) noexcept { return (static_cast<unsigned>(opcode) & 0x8U) != 0; }

// max_control_payload_size is in bytes (RFC 6455 5.5).
inline constexpr std::size_t max_control_payload_size = 125;

// max_close_reason_size is what a Close frame has room for after its two-byte code (RFC 6455 5.5.1).
inline constexpr std::size_t max_close_reason_size = max_control_payload_size - 2;

// max_frame_header_size is two bytes, a 64-bit length and a masking key (RFC 6455 5.2).
inline constexpr std::size_t max_frame_header_size = 14;

// CloseCode names the codes of RFC 6455 7.4.1 and of the IANA registry (1012 to 1014). Any uint16_t may be held: an
// application's own codes are 3000 to 4999.
enum class CloseCode : std::uint16_t {
  normal_closure = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  no_status_received = 1005,  // never on the wire
  abnormal_closure = 1006,    // never on the wire
  invalid_payload_data = 1007,
  policy_violation = 1008,
  message_too_big = 1009,
  mandatory_extension = 1010,
  internal_error = 1011,
  service_restart = 1012,
  try_again_later = 1013,
  bad_gateway = 1014,
  tls_handshake = 1015,  // never on the wire
};

// may_travel tells whether a Close frame may carry the code (RFC 6455 7.4.1, 7.4.2): assigned and not reserved for
// local use, or in the ranges of libraries and applications.
[[nodiscard]] constexpr bool may_travel(CloseCode code) noexcept {
  const auto value = static_cast<std::uint16_t>(code);
  if (value >= 3000) return value <= 4999;
  if (value < 1000 || value > 1014) return false;
  return code != CloseCode::no_status_received && code != CloseCode::abnormal_closure && value != 1004;
}

// MaskingKey is the four bytes of RFC 6455 5.3 in wire order. The zero key stands for "not masked".
struct MaskingKey {
  std::array<unsigned char, 4> bytes{};

  friend constexpr bool operator==(const MaskingKey&, const MaskingKey&) = default;
};

// FrameHeader is what a frame says before its payload (RFC 6455 5.2).
struct FrameHeader {
  Opcode opcode = Opcode::continuation;
  bool fin = false;
  bool rsv1 = false;  // the frame begins a compressed message (RFC 7692 6)
  bool masked = false;
  MaskingKey masking_key;            // zero when not masked
  std::uint64_t payload_length = 0;  // bytes

  friend constexpr bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

}  // namespace weir
