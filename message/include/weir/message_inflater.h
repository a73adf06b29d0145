// Compressed messages to messages (RFC 7692 7.2.2): every step bounded, the limit on what comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <weir/deflate.h>
#include <weir/deflate_pool.h>
#include <weir/joining_buffer.h>
#include <weir/limits.h>
#include <weir/message_reader.h>
#include <weir/utf8.h>

namespace weir {

// MessageInflater is the stage behind a MessageReader: it inflates the messages that came compressed, checks what they
// inflate to as the reader checks the others, and passes on all else. An event that it inflated has no rsv1. An error
// within a compressed message is told at the message's first byte: where DEFLATE went wrong has no place in the stream.
//
// Memory: an InflateContext of zlib, 40 KiB, the output's buffer, and up to 16 KiB of input kept. With context takeover
// they stay from the first compressed message on; without, they are the pool's, borrowed for one message.
class MessageInflater {
 public:
  // sender is the other end. limits.max_message_size and max_ratio (DeflateOptions) bound what a message inflates to.
  // `memory` and `pool` outlive the inflater; without a pool, and with context takeover, the contexts are its own.
  MessageInflater(Role sender, const DeflateParameters& agreed, const Limits& limits = {},
                  Delivery delivery = Delivery::messages, std::uint32_t max_ratio = 0, DeflatePool* pool = nullptr,
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;
  MessageInflater(const MessageInflater&) = delete;
  MessageInflater& operator=(const MessageInflater&) = delete;
  ~MessageInflater() { give_context_back(); }

  // next takes one event off `in` by way of `reader`, which was made with Rsv1::negotiated and the same delivery, and
  // which is always the same; errors are the reader's. What an event borrows is valid until the next call. In pieces,
  // events may be left when `in` is empty: call it until need_input.
  [[nodiscard]] MessageKind next(MessageReader& reader, ByteReader& in, Message& out) noexcept;
  [[nodiscard]] MessageKind next(MessageReader& reader, MutableByteReader& in, Message& out) noexcept;

  // release_memory gives back what no message under way and no window needs.
  void release_memory() noexcept;

  // memory_size is the bytes of its own buffers. Those of zlib, if has_context, are 39,936 more.
  [[nodiscard]] std::size_t memory_size() const noexcept;
  [[nodiscard]] bool has_context() const noexcept { return context_ != nullptr; }

 private:
  enum class State : std::uint8_t { between_messages, between_pieces, payload, tail };
  // What of the context's output the last event borrowed: taken back by the next call.
  enum class Lent : std::uint8_t { nothing, piece, message };

  template <typename Reader>
  [[nodiscard]] MessageKind next_event(MessageReader& reader, Reader& in, Message& out) noexcept;
  template <typename Reader>
  [[nodiscard]] MessageKind take_piece(MessageReader& reader, Reader& in, Message& out) const noexcept;
  [[nodiscard]] MessageKind inflate_piece(MessageReader& reader, Message& out) noexcept;
  [[nodiscard]] bool begin_piece(const Message& piece, MessageKind kind) noexcept;
  [[nodiscard]] bool join_tail() noexcept;
  [[nodiscard]] bool keep_piece() noexcept;
  // These return need_input when there is nothing to give out yet.
  [[nodiscard]] MessageKind give_piece(Message& out) noexcept;
  MessageKind give_message(Message& out) noexcept;
  // These tell the rule that is broken.
  [[nodiscard]] ErrorCode inflate() noexcept;
  [[nodiscard]] ErrorCode inflate_step(bool& more) noexcept;
  [[nodiscard]] ErrorCode probe_past_limit() noexcept;
  [[nodiscard]] ErrorCode judge_end() const noexcept;
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] std::uint64_t size_limit() const noexcept;
  MessageKind fail(MessageReader& reader, ErrorCode code) noexcept;
  void end_message() noexcept;
  void take_back() noexcept;
  void give_context_back() noexcept;

  std::pmr::memory_resource* memory_;
  DeflatePool* pool_;
  InflateContext* context_ = nullptr;
  ByteReader compressed_;  // of the piece under way; borrows the slice or the context's input
  std::uint64_t max_message_size_;
  std::uint64_t message_offset_ = 0;   // of the message under way, as all below
  std::uint64_t size_ = 0;             // bytes inflated
  std::uint64_t compressed_size_ = 0;  // bytes declared by its frames so far
  std::uint32_t max_ratio_;
  Utf8Validator utf8_;
  State state_ = State::between_messages;
  Delivery delivery_;
  bool takeover_;
  bool text_ = false;
  bool begun_ = false;  // pieces: the first was given out
  bool last_ = false;   // the piece under way is the message's last
  Lent lent_ = Lent::nothing;
};

}  // namespace weir
