#include <weir/message_inflater.h>

#include <algorithm>
#include <array>
#include <limits>

#include "context_memory.h"

namespace weir {
namespace {

// What every sender leaves off a message's end (RFC 7692 7.2.1).
constexpr std::array<unsigned char, 4> tail = {0x00, 0x00, 0xFF, 0xFF};
// The output's first memory, when a whole message is inflated.
constexpr std::size_t first_output_size = 4096;
// In pieces, the most that one event takes in and gives out.
constexpr std::size_t max_piece_size = 16384;
// A last piece up to this size is copied to stand before its tail: zlib is called once then, which costs less.
constexpr std::size_t max_joined_size = 1024;

[[nodiscard]] ErrorCode error_of(InflateContext::Status status) noexcept {
  switch (status) {
    case InflateContext::Status::ok:
      return ErrorCode::none;
    case InflateContext::Status::invalid_data:
      return ErrorCode::deflate_data_invalid;
    case InflateContext::Status::out_of_memory:
      return ErrorCode::out_of_memory;
  }
  check(false);
  return ErrorCode::none;
}

}  // namespace

MessageInflater::MessageInflater(Role sender, const DeflateParameters& agreed, const Limits& limits, Delivery delivery,
                                 std::uint32_t max_ratio, DeflatePool* pool, std::pmr::memory_resource* memory) noexcept
    : memory_(memory),
      pool_(agreed.no_context_takeover(sender) ? pool : nullptr),
      max_message_size_(limits.max_message_size),
      max_ratio_(max_ratio),
      delivery_(delivery),
      takeover_(!agreed.no_context_takeover(sender)) {}

MessageKind MessageInflater::next(MessageReader& reader, ByteReader& in, Message& out) noexcept {
  return next_event(reader, in, out);
}

MessageKind MessageInflater::next(MessageReader& reader, MutableByteReader& in, Message& out) noexcept {
  return next_event(reader, in, out);
}

template <typename Reader>
MessageKind MessageInflater::next_event(MessageReader& reader, Reader& in, Message& out) noexcept {
  take_back();
  while (true) {
    if (state_ == State::payload || state_ == State::tail) {
      const MessageKind inflated = inflate_piece(reader, out);
      if (inflated != MessageKind::need_input) return inflated;
    }
    const MessageKind kind = take_piece(reader, in, out);
    if ((kind != MessageKind::text && kind != MessageKind::binary) || !out.rsv1) return kind;
    if (!begin_piece(out, kind)) return fail(reader, ErrorCode::out_of_memory);
  }
}

// In pieces, no more is taken than may have to be kept.
template <typename Reader>
MessageKind MessageInflater::take_piece(MessageReader& reader, Reader& in, Message& out) const noexcept {
  if (delivery_ == Delivery::messages) return reader.next(in, out);
  while (true) {
    Reader slice(in.remaining().first(std::min(in.remaining_size(), max_piece_size)));
    const MessageKind kind = reader.next(slice, out);
    in.skip(slice.position());
    if (kind != MessageKind::need_input || in.empty()) return kind;
  }
}

bool MessageInflater::begin_piece(const Message& piece, MessageKind kind) noexcept {
  if (state_ == State::between_messages) {
    message_offset_ = piece.offset;
    text_ = kind == MessageKind::text;
    if (context_ == nullptr) {
      context_ = pool_ != nullptr ? pool_->take_inflater() : make_context<InflateContext>(memory_);
    }
    if (context_ == nullptr) return false;
  }
  compressed_ = ByteReader(piece.payload);
  compressed_size_ += piece.compressed_size;
  last_ = piece.ends;
  state_ = State::payload;
  return !last_ || piece.payload.size() > max_joined_size || join_tail();
}

bool MessageInflater::join_tail() noexcept {
  JoiningBuffer& input = context_->input;
  const ByteView piece = compressed_.remaining();
  if (!input.extend(piece.size() + tail.size())) return false;
  auto* const end = std::copy(piece.begin(), piece.end(), input.bytes().begin());
  std::copy(tail.begin(), tail.end(), end);
  compressed_ = ByteReader(ByteView(input.bytes()));
  state_ = State::tail;
  return true;
}

MessageKind MessageInflater::inflate_piece(MessageReader& reader, Message& out) noexcept {
  ErrorCode broken = inflate();
  if (broken == ErrorCode::none && state_ == State::payload && !is_full()) {
    context_->input.clear();
    if (last_) compressed_ = ByteReader(ByteView(tail));
    state_ = last_ ? State::tail : State::between_pieces;
    if (last_) broken = inflate();
  }
  if (broken == ErrorCode::none && state_ == State::tail && !is_full()) {
    broken = judge_end();
    if (broken == ErrorCode::none) return give_message(out);
  }
  if (broken != ErrorCode::none) return fail(reader, broken);
  if (delivery_ == Delivery::messages) return MessageKind::need_input;
  if (!keep_piece()) return fail(reader, ErrorCode::out_of_memory);
  return give_piece(out);
}

// inflate takes all of compressed_, unless the output is full.
ErrorCode MessageInflater::inflate() noexcept {
  bool more = true;
  while (more && !is_full()) {
    const ErrorCode broken = inflate_step(more);
    if (broken != ErrorCode::none) return broken;
  }
  return ErrorCode::none;
}

ErrorCode MessageInflater::inflate_step(bool& more) noexcept {
  const std::uint64_t left = size_limit() - size_;
  JoiningBuffer& output = context_->output;
  if (left == 0) {
    more = false;
    return probe_past_limit();
  }
  std::size_t size = std::max(output.spare().size(), first_output_size);
  if (delivery_ == Delivery::pieces) size = max_piece_size - output.size();
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, left));
  if (!output.reserve(size)) return ErrorCode::out_of_memory;

  const MutableByteView room = output.spare().first(size);
  std::size_t written = 0;
  const InflateContext::Status status = context_->inflate(compressed_, room, written);
  size_ += written;
  more = written == size;
  // What came out before the fault is judged first, as it is when the fault comes in a later slice.
  if (!output.extend(written)) return ErrorCode::out_of_memory;
  if (text_ && utf8_.accept(room.first(written)) != written) return ErrorCode::text_not_utf8;
  return error_of(status);
}

// At the limit there may still be blocks without output, but not a byte of it.
ErrorCode MessageInflater::probe_past_limit() noexcept {
  std::array<unsigned char, 1> byte{};
  std::size_t written = 0;
  const InflateContext::Status status = context_->inflate(compressed_, byte, written);
  if (written == 0) return error_of(status);
  return size_ == max_message_size_ ? ErrorCode::message_too_big : ErrorCode::deflate_ratio_exceeded;
}

std::uint64_t MessageInflater::size_limit() const noexcept {
  if (max_ratio_ == 0 || compressed_size_ > std::numeric_limits<std::uint64_t>::max() / max_ratio_)
    return max_message_size_;
  return std::min(max_message_size_, compressed_size_ * max_ratio_);
}

bool MessageInflater::is_full() const noexcept {
  return delivery_ == Delivery::pieces && context_->output.size() >= max_piece_size;
}

// RFC 7692 7.2.2: with its tail, a message is whole blocks.
ErrorCode MessageInflater::judge_end() const noexcept {
  if (!context_->at_block_boundary()) return ErrorCode::deflate_block_unfinished;
  return utf8_.pending_size() == 0 ? ErrorCode::none : ErrorCode::text_ends_in_character;
}

MessageKind MessageInflater::give_message(Message& out) noexcept {
  out = {.payload = context_->output.bytes(), .begins = !begun_, .ends = true, .offset = message_offset_};
  state_ = State::between_messages;
  lent_ = Lent::message;
  return text_ ? MessageKind::text : MessageKind::binary;
}

// A character that is cut waits for its end.
MessageKind MessageInflater::give_piece(Message& out) noexcept {
  const MutableByteView inflated = context_->output.bytes();
  const ByteView payload = inflated.first(inflated.size() - utf8_.pending_size());
  if (payload.empty()) return MessageKind::need_input;
  out = {.payload = payload, .begins = !begun_, .ends = false, .offset = message_offset_};
  begun_ = true;
  lent_ = Lent::piece;
  return text_ ? MessageKind::text : MessageKind::binary;
}

// keep_piece copies what is not inflated yet out of the slice, which may be gone by the next call.
bool MessageInflater::keep_piece() noexcept {
  JoiningBuffer& input = context_->input;
  if (state_ != State::payload || compressed_.empty() || !input.empty()) return true;
  const ByteView left = compressed_.remaining();
  if (!input.extend(left.size())) return false;
  std::copy(left.begin(), left.end(), input.bytes().begin());
  compressed_ = ByteReader(ByteView(input.bytes()));
  return true;
}

MessageKind MessageInflater::fail(MessageReader& reader, ErrorCode code) noexcept {
  end_message();
  give_context_back();
  return reader.fail({code, message_offset_, message_offset_});
}

void MessageInflater::end_message() noexcept {
  state_ = State::between_messages;
  size_ = 0;
  compressed_size_ = 0;
  utf8_.reset();
  begun_ = false;
  if (context_ == nullptr) return;
  if (takeover_) {
    context_->input.clear();
    context_->output.clear();
  } else if (pool_ != nullptr) {
    give_context_back();
  } else {
    context_->reset();
  }
}

void MessageInflater::take_back() noexcept {
  if (lent_ == Lent::message) end_message();
  if (lent_ == Lent::piece) {
    JoiningBuffer& output = context_->output;
    const ByteView cut = ByteView(output.bytes()).last(utf8_.pending_size());
    std::copy(cut.begin(), cut.end(), output.bytes().begin());
    output.shorten(output.size() - cut.size());
  }
  lent_ = Lent::nothing;
}

void MessageInflater::give_context_back() noexcept {
  if (context_ == nullptr) return;
  if (pool_ != nullptr) pool_->give_back(context_);
  else destroy_context(context_, memory_);
  context_ = nullptr;
}

void MessageInflater::release_memory() noexcept {
  take_back();
  if (state_ != State::between_messages) return;
  if (context_ == nullptr) return;
  if (!takeover_) {
    give_context_back();
    return;
  }
  context_->input.release();
  context_->output.release();
}

std::size_t MessageInflater::memory_size() const noexcept {
  if (context_ == nullptr) return 0;
  return sizeof(InflateContext) + context_->input.capacity() + context_->output.capacity();
}

}  // namespace weir
