// Messages from bytes (RFC 6455 5.4 to 5.6): frames joined, control frames whole, text and Close reasons checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include <weir/frame_parser.h>
#include <weir/joining_buffer.h>
#include <weir/utf8.h>

namespace weir {

// MessageKind is what MessageReader::next has taken off the cursor.
enum class MessageKind : std::uint8_t {
  need_input,  // nothing more: the cursor is empty
  text,
  binary,
  ping,
  pong,
  close,  // the last event: what follows is discarded (RFC 6455 1.4)
  error,  // the stream is broken for good
};

// name_of is the enumerator's name. Static text.
[[nodiscard]] std::string_view name_of(MessageKind kind) noexcept;

// Delivery says how data messages are given out. Control frames are always whole.
enum class Delivery : std::uint8_t {
  messages,  // whole, in contiguous memory; compressed ones in pieces, for MessageInflater to join
  pieces,    // as they arrive, nothing joined; text up to its last complete character
};

// Message is a message, a piece of one, or a control frame. Borrows the slice or the reader's memory; valid until the
// next call of the reader, and as long as the slice is.
struct Message {
  ByteView payload;    // unmasked; of a Close frame, the reason
  bool begins = true;  // the payload is the message's first piece
  bool ends = true;    // the payload is the message's last piece
  bool rsv1 = false;   // compressed (RFC 7692 6): the payload is as sent, its text not checked yet
  CloseCode close_code = CloseCode::no_status_received;  // of a Close frame; 1005 when it was empty (RFC 6455 7.1.5)
  std::uint64_t offset = 0;                              // of the first byte of its first frame in the stream
  std::uint64_t compressed_size = 0;  // rsv1: the length of the frame that begins with this piece, if one does
};

// MessageReader turns one direction's bytes into messages. A message that lies whole in one slice is a view of it; any
// other is joined in one buffer that grows by bytes that arrived, never by a declared length. A plain value: copy it,
// destroy it, stop within a slice, between any two calls. One that was moved from may only be destroyed or assigned to.
class MessageReader {
 public:
  using Event = Message;

  // role is the endpoint that receives these bytes. `memory` outlives the reader and gives the joining buffer, the only
  // memory that the reader allocates; if it throws std::bad_alloc, the reader fails with out_of_memory.
  explicit MessageReader(Role role, const Limits& limits = {}, Delivery delivery = Delivery::messages,
                         Rsv1 rsv1 = Rsv1::reserved,
                         std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;
  MessageReader(const MessageReader& other) = default;
  MessageReader(MessageReader&& other) noexcept = default;
  // A copy that finds no memory throws std::bad_alloc, and changes nothing.
  MessageReader& operator=(const MessageReader& other) { return *this = MessageReader(other); }
  MessageReader& operator=(MessageReader&& other) noexcept = default;
  ~MessageReader() = default;

  // next takes one event off `in`. On need_input and error, what `out` holds means nothing. From const bytes, masked
  // payload is unmasked into the reader's memory.
  [[nodiscard]] MessageKind next(ByteReader& in, Message& out) noexcept;

  // next, from bytes that the caller owns: masked payload is unmasked where it lies. Nothing is copied if it lies
  // whole.
  [[nodiscard]] MessageKind next(MutableByteReader& in, Message& out) noexcept;

  // finish tells what it means if the stream ends here. Changes nothing.
  [[nodiscard]] StreamEnd finish() const noexcept;

  // error is the broken rule after MessageKind::error, ErrorCode::none before. It stays the same for ever.
  [[nodiscard]] Error error() const noexcept { return frames_.error(); }

  // fail breaks the stream for good with the error of a later stage: MessageKind::error is all that comes now. The
  // first error stays.
  MessageKind fail(Error error) noexcept;

  // read_target is memory for at most max_size of the bytes that come next in the stream, when these are payload of a
  // message being joined: received there, they are where they stay, and need no copy. Empty when there is no such
  // message, or no memory. Ends what the last event borrowed; valid until the next call that is not const.
  [[nodiscard]] MutableByteView read_target(std::size_t max_size) noexcept;
  // next_in_target is next for the first `size` bytes of read_target's memory, which were received there.
  [[nodiscard]] MessageKind next_in_target(std::size_t size, Message& out) noexcept;

  // release_memory gives the joining buffer back, unless it holds part of a message that can still end. It ends what
  // the last event borrowed.
  void release_memory() noexcept;

  // payload_left is the bytes that the data frame under way still lacks.
  [[nodiscard]] std::uint64_t payload_left() const noexcept { return frames_.payload_left(); }

  // memory_size is the bytes of the joining buffer.
  [[nodiscard]] std::size_t memory_size() const noexcept { return joined_.capacity(); }

 private:
  // Where the data messages stand.
  enum class State : std::uint8_t { idle, in_message, closed, failed };
  // What of the buffer the last event borrowed: taken back by the next call.
  enum class Lent : std::uint8_t { nothing, control_frame, all };

  template <bool from_client, typename View>
  [[nodiscard, gnu::noinline]] MessageKind next_event(BasicByteReader<View>& in, Message& out) noexcept;
  template <bool from_client, typename View>
  [[nodiscard, gnu::noinline]] MessageKind next_large_event(BasicByteReader<View>& in, Message& out) noexcept;
  template <bool from_client, typename View>
  [[nodiscard, gnu::always_inline]] inline MessageKind give_message(const MessageFrame<View>& frame,
                                                                    Message& out) noexcept;
  [[nodiscard, gnu::noinline]] MessageKind on_plain_text(const Message& message) noexcept;
  [[nodiscard, gnu::noinline]] MessageKind on_masked_text(MutableByteView payload, MaskingKey key,
                                                          std::uint64_t frame_offset) noexcept;
  [[nodiscard, gnu::noinline]] MessageKind on_masked_binary(MutableByteView payload, MaskingKey key) noexcept;
  template <typename Reader>
  [[nodiscard, gnu::noinline]] MessageKind next_slowly(Reader& in, Message& out) noexcept;
  template <typename Reader>
  [[nodiscard]] std::size_t step_size(const Reader& in) const noexcept;

  // Where a run of payload stands, for the error's sake.
  struct Place {
    std::uint64_t offset;  // of its first byte in the stream
    std::uint64_t frame_offset;
  };

  // These return need_input when the piece completes no event.
  [[nodiscard]] static Place place_of(const FramePiece& piece) noexcept;
  template <typename Slice>
  [[nodiscard]] MessageKind on_piece(Slice slice, const FramePiece& piece, Message& out) noexcept;
  template <typename Slice>
  [[nodiscard]] MessageKind on_streamed_piece(Slice slice, const FramePiece& piece, Message& out) noexcept;
  template <typename Slice>
  [[nodiscard]] MessageKind on_control_piece(Slice slice, const FramePiece& piece, Message& out) noexcept;
  [[nodiscard]] MessageKind on_joined_piece(const FramePiece& piece, Message& out) noexcept;
  [[nodiscard]] MessageKind on_joined(const FramePiece& piece, Message& out) noexcept;
  [[nodiscard]] MessageKind on_cut_character(const FramePiece& piece, Message& out) noexcept;
  [[nodiscard]] MessageKind on_control_frame(Opcode opcode, ByteView payload, Place place, Message& out) noexcept;
  [[nodiscard]] MessageKind give_piece(ByteView payload, bool ends, Message& out,
                                       std::uint64_t compressed_size = 0) noexcept;

  void begin_message(const FramePiece& piece) noexcept;
  void end_message() noexcept;
  void take_back() noexcept;
  // These fail the reader and return false when a rule is broken, or there is no memory.
  template <typename Bytes>
  [[nodiscard, gnu::always_inline]] inline bool read_payload(Bytes bytes, MaskingKey key, Place place) noexcept;
  [[nodiscard]] bool unmask(MaskedView from, MutableByteView to, bool checked, Place place) noexcept;
  [[nodiscard]] bool check_text(ByteView run, Place place) noexcept;
  MessageKind fail_text(ByteView payload, Place place) noexcept;
  [[nodiscard]] bool check_text_end(Place place, std::size_t size) noexcept;
  [[nodiscard]] bool join(MaskedView payload, bool checked, Place place) noexcept;

  FrameParser frames_;                        // holds the error too
  JoiningBuffer joined_;                      // the message so far, then the control frame so far
  std::uint64_t message_offset_ = 0;          // of the message under way
  Utf8Validator utf8_;                        // of the message under way; fresh between messages
  std::array<unsigned char, 4> character_{};  // pieces: a character that was cut, until it is complete
  std::uint8_t character_size_ = 0;
  std::uint8_t control_size_ = 0;  // bytes at the end of joined_ that belong to a control frame
  State state_ = State::idle;
  Lent lent_ = Lent::nothing;
  Delivery delivery_;
  Role role_;
  bool text_ = false;   // the message under way is text,
  bool rsv1_ = false;   // compressed: then its bytes are not checked here
  bool begun_ = false;  // pieces: the first was given out
};

}  // namespace weir
