// Errors as values: which rule was broken, where, and which close code says so to the peer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <weir/protocol.h>

namespace weir {

// ErrorCode has one enumerator a rule. The numbers are fixed for ever; new rules get new ones.
enum class ErrorCode : std::uint8_t {
  none = 0,
  reserved_bit_set = 1,              // 5.2: RSV1-3 are 0 unless an extension gives them a meaning
  unknown_opcode = 2,                // 5.2: opcodes 3-7 and B-F are reserved
  control_frame_fragmented = 3,      // 5.5: control frames have FIN set
  control_frame_too_long = 4,        // 5.5: at most 125 bytes
  continuation_without_message = 5,  // 5.4: a continuation follows a first fragment
  message_interleaved = 6,           // 5.4: fragments of two messages are not mixed
  frame_not_masked = 7,              // 5.1: a client masks every frame
  frame_masked = 8,                  // 5.1: a server masks none
  length_not_minimal = 9,            // 5.2: the shortest form of a length is used
  length_msb_set = 10,               // 5.2: the top bit of a 64-bit length is 0
  rsv1_misplaced = 11,               // RFC 7692 6: RSV1 stands on the first frame of a data message only
  close_payload_one_byte = 12,       // 5.5.1: a Close payload is empty or begins with a two-byte code
  close_code_not_allowed = 13,       // 7.4: the code is reserved for local use or unassigned
  close_reason_not_utf8 = 14,        // 5.5.1: the reason is UTF-8
  text_not_utf8 = 15,                // 8.1: no continuation can make this byte valid
  text_ends_in_character = 16,       // 8.1: the message ended within a character
  frame_too_big = 17,                // Limits::max_frame_size
  message_too_big = 18,              // Limits::max_message_size
  too_many_fragments = 19,           // Limits::max_fragment_count
  too_many_empty_fragments = 20,     // Limits::max_empty_fragment_count
  out_of_memory = 21,                // the given allocator had no memory for a message
  frame_after_close = 22,            // 5.5.1: nothing is sent after a Close frame (FrameWriter only)
  deflate_data_invalid = 23,         // RFC 7692 7.2.2: a compressed payload is DEFLATE (RFC 1951)
  deflate_block_unfinished = 24,     // RFC 7692 7.2.1: with its tail, a compressed message ends at a block's end
  deflate_ratio_exceeded = 25,       // DeflateOptions::max_ratio
};

// close_code_of is what to send to the peer before failing the connection (RFC 6455 7.1.7).
[[nodiscard]] CloseCode close_code_of(ErrorCode code) noexcept;

// rule_of says which rule was broken, with its section: "control frame longer than 125 bytes (RFC 6455 5.5)". Static
// text.
[[nodiscard]] std::string_view rule_of(ErrorCode code) noexcept;

// name_of is the enumerator's name. Static text.
[[nodiscard]] std::string_view name_of(ErrorCode code) noexcept;

// Error is a broken rule and its place. Offsets count bytes from the first byte ever given to the parser.
struct Error {
  ErrorCode code = ErrorCode::none;
  std::uint64_t offset = 0;        // of the byte that completed the fault
  std::uint64_t frame_offset = 0;  // of the first byte of the frame that holds it

  friend constexpr bool operator==(const Error&, const Error&) = default;
};

// ErrorText is an error's one line, in memory of its own: no allocation.
class ErrorText {
 public:
  // "frame at offset 1042: control frame longer than 125 bytes (RFC 6455 5.5), seen at offset 1043"
  explicit ErrorText(const Error& error) noexcept;

  // view borrows this object; valid as long as it is.
  [[nodiscard]] std::string_view view() const& noexcept { return {text_.begin(), size_}; }
  std::string_view view() const&& = delete;

 private:
  void append(std::string_view text) noexcept;
  void append(std::uint64_t number) noexcept;

  std::array<char, 192> text_{};
  std::size_t size_ = 0;
};

}  // namespace weir
