// Frames from bytes (RFC 6455 5.2): slices of any size in, runs of payload out. No copy, no allocation, no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/bytes.h>
#include <weir/error.h>
#include <weir/limits.h>
#include <weir/mask.h>
#include <weir/protocol.h>

namespace weir {

// FramePiece is a run of one frame's payload, and where it belongs. A frame that lies whole in the slice is one piece;
// an empty frame is one empty piece. Borrows the slice; valid as long as the slice is.
struct FramePiece {
  FrameHeader header;                // of the frame this piece is part of
  MaskedView payload;                // may be empty
  std::uint64_t payload_offset = 0;  // of payload[0] within the frame's payload
  std::uint64_t frame_offset = 0;    // of the frame's first byte in the stream
  bool frame_begins = false;
  bool frame_ends = false;

  // stream_offset is where payload[0] stands in the stream.
  [[nodiscard]] std::uint64_t stream_offset() const noexcept;
};

// MessageFrame is a message in one frame. Borrows the slice; valid as long as the slice is.
template <typename View>
struct MessageFrame {
  View payload;            // as on the wire
  MaskingKey masking_key;  // zero when not masked
  Opcode opcode = Opcode::text;
  std::uint64_t frame_offset = 0;  // of the frame's first byte in the stream
};

// EventKind is what FrameParser::next has taken off the cursor.
enum class EventKind : std::uint8_t {
  need_input,  // nothing: the cursor is empty
  piece,
  error,  // the stream is broken for good
};

// StreamEnd is what the end of the stream means where the parser stands.
enum class StreamEnd : std::uint8_t {
  open,               // at a frame boundary, no message under way
  inside_frame,       // within a header or a payload
  between_fragments,  // at a frame boundary, a message under way
  closed,             // after a Close frame (MessageReader only)
  failed,             // after an error
};

// Rsv1 says whether an extension was negotiated that gives RSV1 a meaning (permessage-deflate, RFC 7692 6).
enum class Rsv1 : std::uint8_t { reserved, negotiated };

// header_size is the bytes of a frame's header (RFC 6455 5.2): the shortest form of the length, and the key if masked.
[[nodiscard]] constexpr std::size_t header_size(std::uint64_t payload_length, bool masked) noexcept {
  const std::size_t key_size = masked ? 4 : 0;
  if (payload_length <= 125) return 2 + key_size;
  return (payload_length <= 0xFFFF ? 4 : 10) + key_size;
}

inline std::uint64_t FramePiece::stream_offset() const noexcept {
  return frame_offset + header_size(header.payload_length, header.masked) + payload_offset;
}

// FrameParser judges every rule of RFC 6455 5 that can be judged frame by frame. A plain value: copy it, destroy it,
// stop in the middle of a slice, between any two calls. It borrows nothing.
class FrameParser {
 public:
  using Event = FramePiece;

  // role is the endpoint that receives these bytes.
  explicit FrameParser(Role role, const Limits& limits = {}, Rsv1 rsv1 = Rsv1::reserved) noexcept;

  // next takes one piece off `in`. No byte of payload is given out before its whole header was judged.
  [[nodiscard]] EventKind next(ByteReader& in, FramePiece& out) noexcept;

  // take_small_message takes a message that is one frame of at most 125 bytes, lies whole in the slice and breaks no
  // rule, or nothing; take_large_message the same of a longer one. Where both take nothing, next says what there is.
  // They are the fast path of a reader of messages; from_client tells whether this parser is a server's, so that
  // offsets are constants.
  template <bool from_client, typename View>
  [[nodiscard, gnu::always_inline]] bool take_small_message(BasicByteReader<View>& in,
                                                            MessageFrame<View>& out) noexcept;
  template <bool from_client, typename View>
  [[nodiscard, gnu::always_inline]] bool take_large_message(BasicByteReader<View>& in,
                                                            MessageFrame<View>& out) noexcept;

  // finish tells what it means if the stream ends here. Changes nothing.
  [[nodiscard]] StreamEnd finish() const noexcept;

  // error is the broken rule after EventKind::error, ErrorCode::none before. It stays the same for ever.
  [[nodiscard]] Error error() const noexcept;

  // fail breaks the stream for good with the error of a later stage, so that nothing more is parsed. The first one
  // stays.
  void fail(Error error) noexcept;

  // payload_left is the bytes that the data frame under way still lacks; 0 within a header or a control frame.
  [[nodiscard]] std::uint64_t payload_left() const noexcept;

 private:
  // The field that the next byte belongs to.
  enum class State : std::uint8_t { first_byte, second_byte, length_16, length_64, masking_key, payload, failed };

  template <bool from_client>
  [[nodiscard, gnu::always_inline]] bool begins_message(ByteWindow<2> head) const noexcept;
  template <bool from_client, std::size_t header_end, typename View>
  [[nodiscard, gnu::always_inline]] bool take_payload_after(BasicByteReader<View>& in, std::uint64_t length,
                                                            MessageFrame<View>& out) noexcept;
  [[nodiscard]] bool take_frame(ByteReader& in, FramePiece& out) noexcept;
  [[nodiscard]] bool take_fragment(std::uint64_t payload_length, bool fin) noexcept;
  [[nodiscard]] EventKind next_by_byte(ByteReader& in, FramePiece& out) noexcept;
  [[nodiscard]] ErrorCode on_header_byte(unsigned char byte) noexcept;
  [[nodiscard]] ErrorCode on_second_byte(unsigned char byte) noexcept;
  [[nodiscard]] ErrorCode on_length_byte(unsigned char byte, std::size_t length_end) noexcept;
  [[nodiscard]] ErrorCode on_length() noexcept;
  void on_masking_key_byte(unsigned char byte) noexcept;
  void on_header_end() noexcept;
  void on_frame_end() noexcept;
  void on_data_frame_end(bool fin) noexcept;
  [[nodiscard]] EventKind take_payload(ByteReader& in, FramePiece& out) noexcept;
  [[nodiscard]] ErrorCode judge_limits(std::uint64_t payload_length, bool fin) const noexcept;
  void count_fragment(std::uint64_t payload_length, bool fin) noexcept;

  [[nodiscard]] Opcode opcode() const noexcept { return static_cast<Opcode>(first_byte_ & 0x0FU); }
  [[nodiscard]] bool fin() const noexcept { return (first_byte_ & 0x80U) != 0; }
  [[nodiscard]] State state() const noexcept { return static_cast<State>(flags_ & state_bits); }
  void set_state(State state) noexcept {
    flags_ = static_cast<std::uint8_t>((flags_ & ~state_bits) | static_cast<unsigned>(state));
  }
  [[nodiscard]] bool masked() const noexcept { return (flags_ & from_client_bit) != 0; }

  // flags_ holds the state, one of the four contexts of detail::allowed_contexts, and whether frames must be masked.
  static constexpr unsigned state_bits = 0x07;
  static constexpr unsigned from_client_bit = 0x80;

  // 64 bytes, one cache line: the limits are held by value so that nothing is borrowed.
  std::uint64_t frame_offset_ = 0;    // of the current frame's first byte; failed: the error's
  std::uint64_t payload_length_ = 0;  // of the current frame; grows byte by byte in length_16 and length_64
  std::uint64_t progress_ = 0;        // bytes taken of the header, then of the payload; failed: the error's offset
  std::uint64_t message_size_ = 0;    // declared by the frames of the message under way
  std::uint64_t max_frame_size_;      // at most max_message_size_
  std::uint64_t max_message_size_;
  std::uint32_t max_fragment_count_;
  std::uint32_t fragment_count_ = 0;
  MaskingKey masking_key_;
  std::uint8_t max_empty_fragment_count_;
  std::uint8_t empty_fragment_count_ = 0;
  std::uint8_t first_byte_ = 0;  // of the current frame; failed: the ErrorCode
  std::uint8_t flags_;
};

static_assert(sizeof(FrameParser) <= 64);

// drain hands every event in `in` to `handler(event)` or `handler(kind, event)`. A handler that returns false stops the
// drain there: it may have destroyed the stage, which is not touched again. Returns the last kind: need_input, error,
// or that of the event the handler stopped at.
template <typename Stage, typename Reader, typename Handler>
auto drain(Stage& stage, Reader& in, Handler&& handler) {
  typename Stage::Event event;
  while (true) {
    const auto kind = stage.next(in, event);
    using Kind = std::remove_const_t<decltype(kind)>;
    if (kind == Kind::need_input || kind == Kind::error) return kind;
    const auto handle = [&] {
      if constexpr (std::is_invocable_v<Handler&, Kind, typename Stage::Event&>) return handler(kind, event);
      else return handler(event);
    };
    if constexpr (std::is_void_v<decltype(handle())>) handle();
    else if (!handle()) return kind;
  }
}

namespace detail {

// judge_first_byte is the rules of a frame's first byte (RFC 6455 5.2, 5.4, 5.5; RFC 7692 6), in this order.
[[nodiscard]] constexpr ErrorCode judge_first_byte(unsigned byte, bool message_open, bool rsv1_negotiated) noexcept {
  const unsigned opcode = byte & 0x0FU;
  const bool fin = (byte & 0x80U) != 0;
  const bool rsv1 = (byte & 0x40U) != 0;
  if ((byte & 0x30U) != 0 || (rsv1 && !rsv1_negotiated)) return ErrorCode::reserved_bit_set;
  if ((opcode & 0x7U) > 2) return ErrorCode::unknown_opcode;
  const bool control = (opcode & 0x8U) != 0;
  if (control && !fin) return ErrorCode::control_frame_fragmented;
  if (rsv1 && (control || opcode == 0)) return ErrorCode::rsv1_misplaced;
  if (control) return ErrorCode::none;
  if (opcode == 0 && !message_open) return ErrorCode::continuation_without_message;
  if (opcode != 0 && message_open) return ErrorCode::message_interleaved;
  return ErrorCode::none;
}

// A context is what a first byte is judged in: whether a message is under way, and whether RSV1 was negotiated. One bit
// each, 0x08 to 0x40, as they stand in FrameParser's flags.
[[nodiscard]] constexpr unsigned context_bit(bool message_open, bool rsv1_negotiated) noexcept {
  return 0x08U << ((message_open ? 1U : 0U) + (rsv1_negotiated ? 2U : 0U));
}
inline constexpr unsigned message_open_bits = context_bit(true, false) | context_bit(true, true);
inline constexpr unsigned rsv1_negotiated_bits = context_bit(false, true) | context_bit(true, true);
inline constexpr unsigned context_bits = 0x78;

// allowed_contexts holds judge_first_byte's yes for every byte: the contexts in which it may begin a frame.
inline constexpr auto allowed_contexts = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    for (const bool open : {false, true}) {
      for (const bool rsv1 : {false, true}) {
        if (judge_first_byte(byte, open, rsv1) != ErrorCode::none) continue;
        table.at(byte) = static_cast<std::uint8_t>(table.at(byte) | context_bit(open, rsv1));
      }
    }
  }
  return table;
}();

}  // namespace detail

// The fast paths know only what is valid and leave every verdict to the byte path, so they cannot disagree with it.
template <bool from_client>
inline bool FrameParser::begins_message(ByteWindow<2> head) const noexcept {
  constexpr unsigned mask_bit = from_client ? from_client_bit : 0;
  if ((flags_ & (state_bits | detail::message_open_bits | from_client_bit)) != mask_bit) return false;
  return static_cast<unsigned char>(head.byte<0>() - 0x81U) <= 1;  // FIN, and text or binary
}

template <bool from_client, typename View>
inline bool FrameParser::take_small_message(BasicByteReader<View>& in, MessageFrame<View>& out) noexcept {
  constexpr std::size_t header_end = from_client ? 6 : 2;
  if (in.remaining_size() < header_end) return false;
  const auto head = in.template window<2>();
  if (!begins_message<from_client>(head)) return false;
  // With the mask bit that this role wants, the XOR leaves the 7-bit length; with the other one, 128 or more.
  const std::uint64_t length = head.template byte<1>() ^ (from_client ? 0x80U : 0U);
  return length <= max_control_payload_size && take_payload_after<from_client, header_end>(in, length, out);
}

template <bool from_client, typename View>
inline bool FrameParser::take_large_message(BasicByteReader<View>& in, MessageFrame<View>& out) noexcept {
  constexpr std::size_t key_size = from_client ? 4 : 0;
  if (in.remaining_size() < 4 + key_size) return false;
  const auto head = in.template window<2>();
  if (!begins_message<from_client>(head)) return false;
  const unsigned length_7 = head.template byte<1>() ^ (from_client ? 0x80U : 0U);
  if (length_7 == 126) {
    const std::uint64_t length = in.template window<4>().template big_endian<std::uint16_t, 2>();
    return length > 125 && take_payload_after<from_client, 4 + key_size>(in, length, out);
  }
  if (length_7 != 127 || in.remaining_size() < 10 + key_size) return false;
  const auto length = in.template window<10>().template big_endian<std::uint64_t, 2>();
  return length > 0xFFFF && (length >> 63U) == 0 && take_payload_after<from_client, 10 + key_size>(in, length, out);
}

// take_payload_after ends both: a header of header_end bytes is there; the length has its top bit clear.
template <bool from_client, std::size_t header_end, typename View>
inline bool FrameParser::take_payload_after(BasicByteReader<View>& in, std::uint64_t length,
                                            MessageFrame<View>& out) noexcept {
  const std::uint64_t frame_size = header_end + length;
  if (frame_size > in.remaining_size() || length > max_frame_size_) return false;
  const View frame = in.take(static_cast<std::size_t>(frame_size));
  const ByteWindow<header_end> header = ByteView(frame).template window<header_end>();
  out.opcode = static_cast<Opcode>(header.template byte<0>() & 0x0FU);
  out.masking_key = {};
  if constexpr (from_client) out.masking_key.bytes = header.template bytes<4, header_end - 4>();
  out.payload = frame.drop(header_end);
  out.frame_offset = frame_offset_;
  frame_offset_ += frame_size;
  return true;
}

}  // namespace weir
