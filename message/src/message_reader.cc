#include <weir/message_reader.h>

#include <algorithm>
#include <type_traits>

#include <weir/close_payload.h>

namespace weir {
namespace {

// Unmasking and checking go over blocks that stay in the first-level cache. A multiple of the key's size.
constexpr std::size_t block_size = 8192;
// Pieces of masked const input are unmasked into the reader's memory, at most so many bytes at a time.
constexpr std::size_t streamed_copy_size = 16384;

[[nodiscard]] bool ends_message(const FramePiece& piece) noexcept { return piece.frame_ends && piece.header.fin; }

// A whole message in one piece is the view of its bytes, if these can be unmasked where they lie or need not be.
template <typename Slice>
[[nodiscard]] bool lies_plain(const FramePiece& piece) noexcept {
  return std::is_same_v<Slice, MutableByteView> || !piece.header.masked;
}

[[nodiscard]] ByteView payload_in(ByteView /*slice*/, const FramePiece& piece) noexcept { return piece.payload.wire(); }
[[nodiscard]] MutableByteView payload_in(MutableByteView slice, const FramePiece& piece) noexcept {
  return slice.same(piece.payload.wire());
}

}  // namespace

std::string_view name_of(MessageKind kind) noexcept {
  switch (kind) {
    case MessageKind::need_input:
      return "need_input";
    case MessageKind::text:
      return "text";
    case MessageKind::binary:
      return "binary";
    case MessageKind::ping:
      return "ping";
    case MessageKind::pong:
      return "pong";
    case MessageKind::close:
      return "close";
    case MessageKind::error:
      return "error";
  }
  check(false);
  return {};
}

MessageReader::MessageReader(Role role, const Limits& limits, Delivery delivery, Rsv1 rsv1,
                             std::pmr::memory_resource* memory) noexcept
    : frames_(role, limits, rsv1), joined_(memory), delivery_(delivery), role_(role) {}

MessageReader::Place MessageReader::place_of(const FramePiece& piece) noexcept {
  return {piece.stream_offset(), piece.frame_offset};
}

// read_payload unmasks a run of payload where it lies, if it can and must be, and checks it if it is text.
template <typename Bytes>
bool MessageReader::read_payload(Bytes bytes, MaskingKey key, Place place) noexcept {
  const bool checked = text_ && !rsv1_;
  if constexpr (std::is_same_v<Bytes, MutableByteView>) {
    if (role_ == Role::server) {
      if (checked) return unmask({bytes, key}, bytes, true, place);
      apply_mask(bytes, key);
      return true;
    }
  }
  return !checked || check_text(bytes, place);
}

// The common case, a message in one frame that lies whole in the slice, in a straight line: what is not done at once is
// the last thing done, so that no register is saved here.
template <bool from_client, typename View>
MessageKind MessageReader::next_event(BasicByteReader<View>& in, Message& out) noexcept {
  MessageFrame<View> frame;
  if (state_ == State::idle && lent_ == Lent::nothing) [[likely]] {
    if (frames_.take_small_message<from_client>(in, frame)) [[likely]]
      return give_message<from_client>(frame, out);
  }
  return next_large_event<from_client>(in, out);
}

template <bool from_client, typename View>
MessageKind MessageReader::next_large_event(BasicByteReader<View>& in, Message& out) noexcept {
  MessageFrame<View> frame;
  if (state_ == State::idle && lent_ == Lent::nothing) {
    if (frames_.take_large_message<from_client>(in, frame)) return give_message<from_client>(frame, out);
  }
  return next_slowly(in, out);
}

template <bool from_client, typename View>
MessageKind MessageReader::give_message(const MessageFrame<View>& frame, Message& out) noexcept {
  out.payload = frame.payload;
  out.begins = true;
  out.ends = true;
  out.rsv1 = false;
  out.offset = frame.frame_offset;
  const bool text = frame.opcode == Opcode::text;
  if constexpr (from_client) {
    if (text) return on_masked_text(frame.payload, frame.masking_key, frame.frame_offset);
    return on_masked_binary(frame.payload, frame.masking_key);
  } else {
    return text ? on_plain_text(out) : MessageKind::binary;
  }
}

MessageKind MessageReader::on_plain_text(const Message& message) noexcept {
  if (is_utf8(message.payload)) return MessageKind::text;
  return fail_text(message.payload, {message.offset + header_size(message.payload.size(), false), message.offset});
}

MessageKind MessageReader::on_masked_text(MutableByteView payload, MaskingKey key,
                                          std::uint64_t frame_offset) noexcept {
  const Place place = {frame_offset + header_size(payload.size(), true), frame_offset};
  if (payload.size() <= block_size) {
    if (apply_mask(payload, key) || is_utf8(payload)) return MessageKind::text;
    return fail_text(payload, place);
  }
  if (!unmask({payload, key}, payload, true, place)) return MessageKind::error;
  if (!check_text_end(place, payload.size())) return MessageKind::error;
  return MessageKind::text;
}

MessageKind MessageReader::on_masked_binary(MutableByteView payload, MaskingKey key) noexcept {
  apply_mask(payload, key);
  return MessageKind::binary;
}

// fail_text finds where a text that is not UTF-8 went wrong.
MessageKind MessageReader::fail_text(ByteView payload, Place place) noexcept {
  const bool broken = !check_text(payload, place) || !check_text_end(place, payload.size());
  check(broken);
  return MessageKind::error;
}

MessageKind MessageReader::next(ByteReader& in, Message& out) noexcept {
  if (role_ == Role::server) return next_slowly(in, out);
  return next_event<false>(in, out);
}

MessageKind MessageReader::next(MutableByteReader& in, Message& out) noexcept {
  if (role_ == Role::server) return next_event<true>(in, out);
  return next_event<false>(in, out);
}

template <typename Reader>
MessageKind MessageReader::next_slowly(Reader& in, Message& out) noexcept {
  take_back();
  while (true) {
    if (state_ == State::failed) return MessageKind::error;
    if (state_ == State::closed) in.skip(in.remaining_size());  // RFC 6455 1.4
    if (in.empty()) return MessageKind::need_input;
    const auto slice = in.remaining().first(step_size(in));
    ByteReader ahead{ByteView(slice)};
    FramePiece piece;
    const EventKind taken = frames_.next(ahead, piece);
    in.skip(ahead.position());
    if (taken == EventKind::error) return fail(frames_.error());
    if (taken == EventKind::need_input) continue;
    const MessageKind kind = on_piece(slice, piece, out);
    if (kind != MessageKind::need_input) return kind;
  }
}

// After a cut character, a byte at a time until it is complete: it is given out by itself.
template <typename Reader>
std::size_t MessageReader::step_size(const Reader& in) const noexcept {
  if (character_size_ != 0) return 1;
  const bool copies = std::is_same_v<Reader, ByteReader> && role_ == Role::server && delivery_ == Delivery::pieces;
  return copies ? std::min(in.remaining_size(), streamed_copy_size) : in.remaining_size();
}

template <typename Slice>
MessageKind MessageReader::on_piece(Slice slice, const FramePiece& piece, Message& out) noexcept {
  if (is_control(piece.header.opcode)) return on_control_piece(slice, piece, out);
  const bool message_begins = piece.frame_begins && piece.header.opcode != Opcode::continuation;
  if (message_begins) begin_message(piece);
  if (character_size_ != 0) return on_cut_character(piece, out);
  const bool lies_whole = message_begins && ends_message(piece) && lies_plain<Slice>(piece);
  if (delivery_ == Delivery::pieces || rsv1_ || lies_whole) return on_streamed_piece(slice, piece, out);
  return on_joined_piece(piece, out);
}

MessageKind MessageReader::on_joined_piece(const FramePiece& piece, Message& out) noexcept {
  const Place place = place_of(piece);
  if (!join(piece.payload, text_, place)) return MessageKind::error;
  return on_joined(piece, out);
}

MessageKind MessageReader::on_joined(const FramePiece& piece, Message& out) noexcept {
  if (!ends_message(piece)) return MessageKind::need_input;
  if (!check_text_end(place_of(piece), piece.payload.size())) return MessageKind::error;
  lent_ = Lent::all;
  return give_piece(joined_.bytes(), true, out);
}

template <typename Slice>
MessageKind MessageReader::on_streamed_piece(Slice slice, const FramePiece& piece, Message& out) noexcept {
  const Place place = place_of(piece);
  ByteView payload;
  if (lies_plain<Slice>(piece)) {
    const Slice plain = payload_in(slice, piece);
    if (!read_payload(plain, piece.payload.key(), place)) return MessageKind::error;
    payload = plain;
  } else {
    joined_.clear();
    if (!join(piece.payload, text_ && !rsv1_, place)) return MessageKind::error;
    payload = joined_.bytes();
    lent_ = Lent::all;  // given out below, or taken back at once
  }
  const std::uint64_t compressed_size = rsv1_ && piece.frame_begins ? piece.header.payload_length : 0;
  if (ends_message(piece)) {
    if (!check_text_end(place, payload.size())) return MessageKind::error;
    return give_piece(payload, true, out, compressed_size);
  }
  const ByteView cut = payload.last(utf8_.pending_size());
  std::copy(cut.begin(), cut.end(), character_.begin());
  character_size_ = static_cast<std::uint8_t>(cut.size());
  payload = payload.first(payload.size() - cut.size());
  if (payload.empty()) {
    take_back();
    return MessageKind::need_input;
  }
  return give_piece(payload, false, out, compressed_size);
}

MessageKind MessageReader::on_cut_character(const FramePiece& piece, Message& out) noexcept {
  const Place place = place_of(piece);
  if (!piece.payload.empty()) {
    const MutableByteView byte = MutableByteView(character_).drop(character_size_).first(1);
    piece.payload.copy_to(byte);
    if (!check_text(byte, place)) return MessageKind::error;
    ++character_size_;
  }
  const bool ends = ends_message(piece);
  if (ends && !check_text_end(place, piece.payload.size())) return MessageKind::error;
  if (utf8_.pending_size() != 0) return MessageKind::need_input;
  const ByteView character = ByteView(character_).first(character_size_);
  character_size_ = 0;
  return give_piece(character, ends, out);
}

// give_piece gives out a message, or a piece of one, that begin_message has begun.
MessageKind MessageReader::give_piece(ByteView payload, bool ends, Message& out,
                                      std::uint64_t compressed_size) noexcept {
  out = {.payload = payload,
         .begins = !begun_,
         .ends = ends,
         .rsv1 = rsv1_,
         .offset = message_offset_,
         .compressed_size = compressed_size};
  begun_ = true;
  if (ends) end_message();
  return text_ ? MessageKind::text : MessageKind::binary;
}

// A control frame may come between the fragments of a message (RFC 6455 5.4): if it was cut, it is joined behind them.
template <typename Slice>
MessageKind MessageReader::on_control_piece(Slice slice, const FramePiece& piece, Message& out) noexcept {
  Place place = place_of(piece);
  if (piece.frame_begins && piece.frame_ends && lies_plain<Slice>(piece)) {
    const Slice payload = payload_in(slice, piece);
    if constexpr (std::is_same_v<Slice, MutableByteView>) apply_mask(payload, piece.payload.key());
    return on_control_frame(piece.header.opcode, payload, place, out);
  }
  if (!join(piece.payload, false, place)) return MessageKind::error;
  control_size_ = static_cast<std::uint8_t>(control_size_ + piece.payload.size());
  if (!piece.frame_ends) return MessageKind::need_input;
  lent_ = Lent::control_frame;
  place.offset -= piece.payload_offset;
  return on_control_frame(piece.header.opcode, joined_.bytes().last(control_size_), place, out);
}

MessageKind MessageReader::on_control_frame(Opcode opcode, ByteView payload, Place place, Message& out) noexcept {
  out = {.payload = payload, .offset = place.frame_offset};
  if (opcode == Opcode::ping) return MessageKind::ping;
  if (opcode == Opcode::pong) return MessageKind::pong;

  ClosePayload close;
  std::size_t error_index = 0;
  const ErrorCode broken = parse_close_payload(payload, close, error_index);
  if (broken != ErrorCode::none) return fail({broken, place.offset + error_index, place.frame_offset});
  state_ = State::closed;
  out.payload = close.reason;
  out.close_code = close.code;
  return MessageKind::close;
}

void MessageReader::begin_message(const FramePiece& piece) noexcept {
  state_ = State::in_message;
  text_ = piece.header.opcode == Opcode::text;
  rsv1_ = piece.header.rsv1;
  message_offset_ = piece.frame_offset;
  begun_ = false;
}

void MessageReader::end_message() noexcept {
  state_ = State::idle;
  utf8_.reset();
}

void MessageReader::take_back() noexcept {
  if (lent_ == Lent::all) joined_.clear();
  if (lent_ == Lent::control_frame) {
    joined_.shorten(control_size_);
    control_size_ = 0;
  }
  lent_ = Lent::nothing;
}

// unmask goes over blocks, in place or from place to place, and checks each if it is text while it is in the cache.
bool MessageReader::unmask(MaskedView from, MutableByteView to, bool checked, Place place) noexcept {
  while (!to.empty()) {
    const MutableByteView block = to.first(std::min(to.size(), block_size));
    const bool ascii = from.first(block.size()).copy_to(block);
    const bool needs_check = checked && !(ascii && utf8_.pending_size() == 0);
    if (needs_check && !check_text(block, place)) return false;
    from = from.drop(block.size());
    to = to.drop(block.size());
    place.offset += block.size();
  }
  return true;
}

bool MessageReader::check_text(ByteView run, Place place) noexcept {
  const std::size_t good = utf8_.accept(run);
  if (good == run.size()) return true;
  fail({ErrorCode::text_not_utf8, place.offset + good, place.frame_offset});
  return false;
}

// A message that ends within a character: the fault is at the frame's last byte, of the header if it has no payload.
bool MessageReader::check_text_end(Place place, std::size_t size) noexcept {
  if (utf8_.pending_size() == 0) [[likely]]
    return true;
  fail({ErrorCode::text_ends_in_character, place.offset + size - 1, place.frame_offset});
  return false;
}

// join unmasks a run of payload into the buffer, behind what is there, and checks it if it is text.
bool MessageReader::join(MaskedView payload, bool checked, Place place) noexcept {
  if (!joined_.extend(payload.size())) {
    fail({ErrorCode::out_of_memory, place.offset, place.frame_offset});
    return false;
  }
  return unmask(payload, joined_.bytes().last(payload.size()), checked, place);
}

MutableByteView MessageReader::read_target(std::size_t max_size) noexcept {
  const bool joins = state_ == State::in_message && delivery_ == Delivery::messages && !rsv1_;
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(frames_.payload_left(), max_size));
  if (!joins || size == 0) return {};
  take_back();
  if (!joined_.reserve(size)) return {};
  return joined_.spare().first(size);
}

MessageKind MessageReader::next_in_target(std::size_t size, Message& out) noexcept {
  if (size == 0) return MessageKind::need_input;
  const MutableByteView received = joined_.spare().first(size);
  ByteReader in{ByteView(received)};
  FramePiece piece;
  const bool is_payload = frames_.next(in, piece) == EventKind::piece && in.empty() && joined_.extend(size);
  check(is_payload);
  if (!read_payload(received, piece.payload.key(), place_of(piece))) return MessageKind::error;
  return on_joined(piece, out);
}

StreamEnd MessageReader::finish() const noexcept {
  if (state_ == State::failed) return StreamEnd::failed;
  if (state_ == State::closed) return StreamEnd::closed;
  return frames_.finish();
}

void MessageReader::release_memory() noexcept {
  take_back();
  const bool over = state_ == State::closed || state_ == State::failed;
  if (over || joined_.empty()) joined_.release();
}

MessageKind MessageReader::fail(Error error) noexcept {
  state_ = State::failed;
  frames_.fail(error);
  return MessageKind::error;
}

}  // namespace weir
