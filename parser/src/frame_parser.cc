#include <weir/frame_parser.h>

#include <algorithm>

namespace weir {

FrameParser::FrameParser(Role role, const Limits& limits, Rsv1 rsv1) noexcept
    : max_frame_size_(std::min(limits.max_frame_size, limits.max_message_size)),
      max_message_size_(limits.max_message_size),
      max_fragment_count_(std::max(limits.max_fragment_count, std::uint32_t{1})),
      max_empty_fragment_count_(limits.max_empty_fragment_count),
      flags_(static_cast<std::uint8_t>(detail::context_bit(false, rsv1 == Rsv1::negotiated) |
                                       (role == Role::server ? from_client_bit : 0U))) {}

EventKind FrameParser::next(ByteReader& in, FramePiece& out) noexcept {
  if (take_frame(in, out)) return EventKind::piece;
  return next_by_byte(in, out);
}

// take_frame takes a frame that lies whole in the slice and breaks no rule, or nothing.
bool FrameParser::take_frame(ByteReader& in, FramePiece& out) noexcept {
  const std::size_t size = in.remaining_size();
  if (state() != State::first_byte || size < 2) return false;
  const auto head = in.window<2>();
  const unsigned first = head.byte<0>();
  if ((ByteView(detail::allowed_contexts)[first] & flags_ & detail::context_bits) == 0) return false;
  // With the mask bit that this role wants, the XOR leaves the 7-bit length; with the other one, 128 or more.
  std::uint64_t length = head.byte<1>() ^ (masked() ? 0x80U : 0U);
  const bool control = (first & 0x08U) != 0;
  std::size_t header_end = masked() ? 6 : 2;
  if (length > max_control_payload_size) {
    if (length > 127 || control) return false;
    const std::size_t length_size = length == 126 ? 2 : 8;
    if (size < 2 + length_size) return false;
    length = length_size == 2 ? in.window<4>().big_endian<std::uint16_t, 2>()
                              : in.window<10>().big_endian<std::uint64_t, 2>();
    if ((length >> 63U) != 0 || header_size(length, false) != 2 + length_size) return false;
    header_end += length_size;
  }
  if (size < header_end || length > size - header_end) return false;
  const bool fin = (first & 0x80U) != 0;
  const bool whole_message = fin && (flags_ & detail::message_open_bits) == 0;
  if (whole_message && !control && length > max_frame_size_) return false;
  if (!whole_message && !control && !take_fragment(length, fin)) return false;

  const ByteView header = in.take(header_end);
  MaskingKey key;
  if (masked()) key.bytes = header.last_window<4>().bytes<4, 0>();
  out.header.opcode = static_cast<Opcode>(first & 0x0FU);
  out.header.fin = fin;
  out.header.rsv1 = (first & 0x40U) != 0;
  out.header.masked = masked();
  out.header.masking_key = key;
  out.header.payload_length = length;
  out.payload = MaskedView(in.take(static_cast<std::size_t>(length)), key);
  out.payload_offset = 0;
  out.frame_offset = frame_offset_;
  out.frame_begins = true;
  out.frame_ends = true;
  frame_offset_ += header_end + length;
  return true;
}

EventKind FrameParser::next_by_byte(ByteReader& in, FramePiece& out) noexcept {
  while (state() != State::payload) {
    if (state() == State::failed) return EventKind::error;
    if (in.empty()) return EventKind::need_input;
    const ErrorCode broken = on_header_byte(in.take(1)[0]);
    if (broken == ErrorCode::none) continue;
    fail({broken, frame_offset_ + progress_ - 1, frame_offset_});  // at the byte just taken
    return EventKind::error;
  }
  return take_payload(in, out);
}

ErrorCode FrameParser::on_header_byte(unsigned char byte) noexcept {
  ++progress_;
  switch (state()) {
    case State::first_byte:
      first_byte_ = byte;
      set_state(State::second_byte);
      return detail::judge_first_byte(byte, (flags_ & detail::message_open_bits) != 0,
                                      (flags_ & detail::rsv1_negotiated_bits) != 0);
    case State::second_byte:
      return on_second_byte(byte);
    case State::length_16:
      return on_length_byte(byte, 4);
    case State::length_64:
      return on_length_byte(byte, 10);
    case State::masking_key:
      on_masking_key_byte(byte);
      return ErrorCode::none;
    case State::payload:
    case State::failed:
      break;
  }
  check(false);
  return ErrorCode::none;
}

// RFC 6455 5.1 (mask bit by role), 5.5 (control frames are short), 5.2 (7-bit length).
ErrorCode FrameParser::on_second_byte(unsigned char byte) noexcept {
  const bool mask_bit = (byte & 0x80U) != 0;
  const unsigned length = byte & 0x7FU;
  if (mask_bit != masked()) return mask_bit ? ErrorCode::frame_masked : ErrorCode::frame_not_masked;
  if (is_control(opcode()) && length > max_control_payload_size) return ErrorCode::control_frame_too_long;
  payload_length_ = 0;
  if (length == 126) {
    set_state(State::length_16);
    return ErrorCode::none;
  }
  if (length == 127) {
    set_state(State::length_64);
    return ErrorCode::none;
  }
  payload_length_ = length;
  return on_length();
}

// RFC 6455 5.2: network byte order, top bit 0, minimal number of bytes.
ErrorCode FrameParser::on_length_byte(unsigned char byte, std::size_t length_end) noexcept {
  payload_length_ = (payload_length_ << 8U) | byte;
  if (progress_ < length_end) return ErrorCode::none;
  if ((payload_length_ >> 63U) != 0) return ErrorCode::length_msb_set;
  if (header_size(payload_length_, false) < length_end) return ErrorCode::length_not_minimal;
  return on_length();
}

ErrorCode FrameParser::on_length() noexcept {
  if (!is_control(opcode())) {
    const ErrorCode broken = judge_limits(payload_length_, fin());
    if (broken != ErrorCode::none) return broken;
    count_fragment(payload_length_, fin());
  }
  masking_key_ = {};
  if (masked()) set_state(State::masking_key);
  else on_header_end();
  return ErrorCode::none;
}

void FrameParser::on_masking_key_byte(unsigned char byte) noexcept {
  const std::uint64_t left = header_size(payload_length_, true) - progress_;
  const MutableByteView key(masking_key_.bytes);
  key[static_cast<std::size_t>(3 - left)] = byte;
  if (left == 0) on_header_end();
}

void FrameParser::on_header_end() noexcept {
  progress_ = 0;
  set_state(State::payload);
}

EventKind FrameParser::take_payload(ByteReader& in, FramePiece& out) noexcept {
  const std::uint64_t left = payload_length_ - progress_;
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, in.remaining_size()));
  if (left != 0 && size == 0) return EventKind::need_input;

  out.header = {.opcode = opcode(),
                .fin = fin(),
                .rsv1 = (first_byte_ & 0x40U) != 0,
                .masked = masked(),
                .masking_key = masking_key_,
                .payload_length = payload_length_};
  out.payload = MaskedView(in.take(size), turned(masking_key_, progress_));
  out.payload_offset = progress_;
  out.frame_offset = frame_offset_;
  out.frame_begins = progress_ == 0;
  out.frame_ends = left == size;
  progress_ += size;
  if (out.frame_ends) on_frame_end();
  return EventKind::piece;
}

void FrameParser::on_frame_end() noexcept {
  frame_offset_ += header_size(payload_length_, masked()) + payload_length_;
  progress_ = 0;
  set_state(State::first_byte);
  if (is_control(opcode())) return;
  on_data_frame_end(fin());
}

void FrameParser::on_data_frame_end(bool fin) noexcept {
  const bool rsv1_negotiated = (flags_ & detail::rsv1_negotiated_bits) != 0;
  flags_ = static_cast<std::uint8_t>((flags_ & ~detail::context_bits) | detail::context_bit(!fin, rsv1_negotiated));
  if (!fin) return;
  message_size_ = 0;
  fragment_count_ = 0;
  empty_fragment_count_ = 0;
}

bool FrameParser::take_fragment(std::uint64_t payload_length, bool fin) noexcept {
  if (judge_limits(payload_length, fin) != ErrorCode::none) return false;
  count_fragment(payload_length, fin);
  on_data_frame_end(fin);
  return true;
}

// Grammar has been judged by now: 1002 goes before 1009 and 1008.
ErrorCode FrameParser::judge_limits(std::uint64_t payload_length, bool fin) const noexcept {
  if (payload_length > max_frame_size_ && max_frame_size_ < max_message_size_) return ErrorCode::frame_too_big;
  if (payload_length > max_message_size_ - message_size_) return ErrorCode::message_too_big;
  if (fragment_count_ >= max_fragment_count_ && max_fragment_count_ != no_limit<std::uint32_t>) {
    return ErrorCode::too_many_fragments;
  }
  const bool empty_fragment = payload_length == 0 && !fin;
  if (empty_fragment && empty_fragment_count_ >= max_empty_fragment_count_ &&
      max_empty_fragment_count_ != no_limit<std::uint8_t>) {
    return ErrorCode::too_many_empty_fragments;
  }
  return ErrorCode::none;
}

void FrameParser::count_fragment(std::uint64_t payload_length, bool fin) noexcept {
  message_size_ += payload_length;
  if (fragment_count_ < no_limit<std::uint32_t>) ++fragment_count_;
  const bool empty_fragment = payload_length == 0 && !fin;
  if (!empty_fragment) empty_fragment_count_ = 0;
  else if (empty_fragment_count_ < no_limit<std::uint8_t>) ++empty_fragment_count_;
}

StreamEnd FrameParser::finish() const noexcept {
  if (state() == State::failed) return StreamEnd::failed;
  if (state() != State::first_byte) return StreamEnd::inside_frame;
  return (flags_ & detail::message_open_bits) != 0 ? StreamEnd::between_fragments : StreamEnd::open;
}

void FrameParser::fail(Error error) noexcept {
  if (state() == State::failed) return;
  set_state(State::failed);
  first_byte_ = static_cast<std::uint8_t>(error.code);
  progress_ = error.offset;
  frame_offset_ = error.frame_offset;
}

std::uint64_t FrameParser::payload_left() const noexcept {
  return state() == State::payload && !is_control(opcode()) ? payload_length_ - progress_ : 0;
}

Error FrameParser::error() const noexcept {
  if (state() != State::failed) return {};
  return {static_cast<ErrorCode>(first_byte_), progress_, frame_offset_};
}

}  // namespace weir
