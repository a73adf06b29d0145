// Frames to bytes (RFC 6455 5.2): a header in memory of its own and a view of the payload, for gather output (writev).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/bytes.h>
#include <weir/error.h>
#include <weir/frame_parser.h>
#include <weir/protocol.h>

namespace weir {

// EncodedHeader is a frame's header as sent, in memory of its own.
class EncodedHeader {
 public:
  // view borrows this object; valid as long as it is.
  [[nodiscard]] ByteView view() const& noexcept { return ByteView(bytes_).first(size_); }
  ByteView view() const&& = delete;

 private:
  friend class FrameWriter;
  std::array<unsigned char, max_frame_header_size> bytes_{};
  std::uint8_t size_ = 0;
};

// OutgoingFrame is what to send: header.view(), then the payload. A client's payload is not masked yet: send what
// apply_mask(payload, memory_of_yours, masking_key) leaves there. Borrows the payload; valid as long as it is.
struct OutgoingFrame {
  EncodedHeader header;
  ByteView payload;
  MaskingKey masking_key;  // zero for a server
};

// FrameWriter encodes one direction's frames and refuses what RFC 6455 forbids to send: the ErrorCode names the rule,
// and nothing has changed then. A plain value; borrows nothing. A masking key is four bytes that nobody can predict,
// fresh for every frame (RFC 6455 5.3); a server's writer ignores it.
class FrameWriter {
 public:
  // role is the endpoint that sends.
  explicit FrameWriter(Role role, Rsv1 rsv1 = Rsv1::reserved) noexcept
      : from_client_(role == Role::client), rsv1_negotiated_(rsv1 == Rsv1::negotiated) {}

  // write_header encodes any header, of a frame whose payload may come later. header.masked and masking_key are this
  // writer's to judge: a client's are masked, a server's are not (RFC 6455 5.1).
  [[nodiscard]] ErrorCode write_header(const FrameHeader& header, EncodedHeader& out) noexcept;

  // write encodes a whole message or control frame in one frame. Text must be UTF-8 (RFC 6455 5.6), and so must a Close
  // frame's reason: encode_close_payload makes sure. rsv1 tells that the payload is compressed (RFC 7692 6).
  [[nodiscard]] ErrorCode write(Opcode opcode, ByteView payload, MaskingKey key, OutgoingFrame& out,
                                bool rsv1 = false) noexcept;

  // write_fragment cuts the next frame of a message, at most max_fragment_size bytes (at least 1), off `left`; the one
  // that leaves nothing has FIN. Call it until message_open() is false. opcode is the message's, text or binary.
  [[nodiscard]] ErrorCode write_fragment(Opcode opcode, ByteView& left, std::size_t max_fragment_size, MaskingKey key,
                                         OutgoingFrame& out, bool rsv1 = false) noexcept;

  // message_open tells that a fragmented message is under way: control frames may come between, other messages not.
  [[nodiscard]] bool message_open() const noexcept { return message_open_; }
  // closed tells that a Close frame was written, the last one (RFC 6455 5.5.1).
  [[nodiscard]] bool closed() const noexcept { return closed_; }

 private:
  [[nodiscard]] ErrorCode judge(const FrameHeader& header) const noexcept;
  [[nodiscard]] ErrorCode write_frame(Opcode opcode, bool fin, bool rsv1, ByteView payload, MaskingKey key,
                                      OutgoingFrame& out) noexcept;

  bool from_client_ : 1;
  bool rsv1_negotiated_ : 1;
  bool message_open_ : 1 = false;
  bool closed_ : 1 = false;
};

}  // namespace weir
