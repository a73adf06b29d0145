// Messages out.
#include <algorithm>

#include <weir/close_payload.h>
#include <weir/session.h>
#include <weir/utf8.h>

#include "prepared_frame.h"
#include "work.h"

namespace weir {

SendStatus Session::send_text(std::string_view text, Compress compress) noexcept {
  const ByteView payload = as_bytes(text);
  if (!is_utf8(payload)) return SendStatus::no_text;
  return send_whole(Opcode::text, payload, compress);
}

SendStatus Session::send_binary(ByteView payload, Compress compress) noexcept {
  return send_whole(Opcode::binary, payload, compress);
}

SendStatus Session::judge_message(ByteView payload) const noexcept {
  if (state_ != State::open) return SendStatus::not_open;
  const std::size_t queued = queued_size();
  const bool fits = queued <= options_->max_queued_size && payload.size() <= options_->max_queued_size - queued;
  return fits ? SendStatus::queued : SendStatus::queue_full;
}

SendStatus Session::send_whole(Opcode opcode, ByteView payload, Compress compress) noexcept {
  if (state_ == State::open && writer_.message_open()) return SendStatus::message_under_way;
  const SendStatus judged = judge_message(payload);
  if (judged != SendStatus::queued) return judged;
  if (begin_compressed(compress, true, payload.size())) return send_compressed(opcode, payload, true);
  return send_frames(opcode, payload, true, false);
}

SendStatus Session::send_fragment(Opcode opcode, ByteView part, bool ends, Compress compress) noexcept {
  check(opcode == Opcode::text || opcode == Opcode::binary);
  const SendStatus judged = judge_message(part);
  if (judged != SendStatus::queued) return judged;
  if (work() == nullptr) return SendStatus::out_of_memory;
  const bool begins = !writer_.message_open();
  if (!begins && opcode != work_->sent_opcode) return SendStatus::message_under_way;

  Utf8Validator text = begins ? Utf8Validator() : work_->sent_text;
  if (opcode == Opcode::text) {
    if (text.accept(part) != part.size() || (ends && text.pending_size() != 0)) return SendStatus::no_text;
  }
  const bool compressed = begins ? begin_compressed(compress, ends, part.size()) : work_->sent_compressed;
  const SendStatus status = compressed ? send_compressed(opcode, part, ends) : send_frames(opcode, part, ends, false);
  if (status != SendStatus::queued) return status;
  work_->sent_text = text;
  work_->sent_opcode = opcode;
  work_->sent_compressed = compressed;
  return status;
}

bool Session::begin_compressed(Compress compress, bool whole, std::size_t size) const noexcept {
  if (work_ == nullptr || !work_->deflater || compress == Compress::never) return false;
  return !whole || size >= options_->deflate.min_message_size;
}

SendStatus Session::send_compressed(Opcode opcode, ByteView payload, bool ends) noexcept {
  const bool whole = ends && !writer_.message_open();
  ByteView compressed;
  unreleased_ = true;
  const bool deflated = work_->deflater->deflate(payload, ends, compressed);
  if (deflated && whole && work_->deflater->forgets() && compressed.size() >= payload.size())
    return send_frames(opcode, payload, true, false);
  const SendStatus status = deflated ? send_frames(opcode, compressed, ends, true) : SendStatus::out_of_memory;
  // The two windows differ now.
  if (status == SendStatus::out_of_memory) lose(SessionEnd::out_of_memory);
  return status;
}

SendStatus Session::send_prepared(const PreparedMessage& message) noexcept {
  check(!message.is_empty());
  const PreparedMessage::Frame& frame = *message.frame_;
  if (is_client_) return send_whole(frame.opcode, frame.payload(), Compress::never);
  if (state_ == State::open && writer_.message_open()) return SendStatus::message_under_way;
  const SendStatus judged = judge_message(frame.payload());
  if (judged != SendStatus::queued) return judged;
  if (work() == nullptr || !work_->outbox.share(frame.bytes.bytes(), message.frame_)) return SendStatus::out_of_memory;
  return SendStatus::queued;
}

// frames_size is the bytes that a payload takes in frames of at most max_sent_frame_size.
std::size_t Session::frames_size(std::size_t payload_size) const noexcept {
  const std::size_t most = std::max<std::size_t>(options_->max_sent_frame_size, 1);
  const std::size_t full_count = payload_size / most;
  const std::size_t rest = payload_size % most;
  std::size_t size = payload_size + full_count * header_size(most, is_client_);
  if (rest != 0 || full_count == 0) size += header_size(rest, is_client_);
  return size;
}

SendStatus Session::send_frames(Opcode opcode, ByteView payload, bool ends, bool rsv1) noexcept {
  if (work() == nullptr) return SendStatus::out_of_memory;
  MutableByteView room = work_->outbox.extend(frames_size(payload.size()));
  if (room.empty()) {
    settle();
    return SendStatus::out_of_memory;
  }
  const std::size_t most = std::max<std::size_t>(options_->max_sent_frame_size, 1);
  do {
    const ByteView part = payload.first(std::min(payload.size(), most));
    payload = payload.drop(part.size());
    const bool begins = !writer_.message_open();
    const FrameHeader header = {.opcode = begins ? opcode : Opcode::continuation,
                                .fin = ends && payload.empty(),
                                .rsv1 = rsv1 && begins,
                                .masked = is_client_,
                                .masking_key = {},
                                .payload_length = part.size()};
    room = write_frame(header, part, room);
  } while (!payload.empty());
  return SendStatus::queued;
}

// write_frame writes to the front of `room` and returns the rest.
MutableByteView Session::write_frame(FrameHeader header, ByteView payload, MutableByteView room) noexcept {
  if (is_client_) options_->random.fill(options_->random.context, MutableByteView(header.masking_key.bytes));
  EncodedHeader encoded;
  const ErrorCode refused = writer_.write_header(header, encoded);
  check(refused == ErrorCode::none);
  const ByteView head = encoded.view();
  std::copy(head.begin(), head.end(), room.begin());
  const MutableByteView body = room.drop(head.size()).first(payload.size());
  if (is_client_) apply_mask(payload, body, header.masking_key);
  else std::copy(payload.begin(), payload.end(), body.begin());
  return room.drop(head.size() + payload.size());
}

SendStatus Session::send_ping(ByteView payload) noexcept { return send_control(Opcode::ping, payload); }
SendStatus Session::send_pong(ByteView payload) noexcept { return send_control(Opcode::pong, payload); }

SendStatus Session::send_control(Opcode opcode, ByteView payload) noexcept {
  if (payload.size() > max_control_payload_size) return SendStatus::control_frame_too_long;
  if (handshakes() || writer_.closed() || finished_) return SendStatus::not_open;
  if (work() == nullptr) return SendStatus::out_of_memory;
  const MutableByteView room = work_->outbox.extend(header_size(payload.size(), is_client_) + payload.size());
  if (room.empty()) {
    settle();
    return SendStatus::out_of_memory;
  }
  const FrameHeader header = {
      .opcode = opcode, .fin = true, .masked = is_client_, .masking_key = {}, .payload_length = payload.size()};
  write_frame(header, payload, room);
  return SendStatus::queued;
}

SendStatus Session::close(CloseCode code, std::string_view reason) noexcept {
  if (state_ != State::open) return SendStatus::not_open;
  const bool empty = code == CloseCode::no_status_received && reason.empty();
  const std::optional<CloseBytes> payload = empty ? CloseBytes() : encode_close_payload(code, reason);
  if (!payload) return SendStatus::close_code_not_allowed;
  const SendStatus status = send_control(Opcode::close, payload->view());
  if (status != SendStatus::queued) return status;
  work_->sent_code = code;
  state_ = State::closing;
  return status;
}

// queue_close sends a Close that cannot be refused; without memory, none.
void Session::queue_close(CloseCode code, std::string_view reason) noexcept {
  const bool sent = close(code, reason) == SendStatus::queued;
  if (!sent) finished_ = true;
}

void Session::queue_pong() noexcept {
  if (work_ == nullptr || !work_->pong_waits || work_->pong_end > work_->outbox.begin_offset()) return;
  const ByteView payload = ByteView(work_->pong).first(work_->pong_size);
  const SendStatus status = send_control(Opcode::pong, payload);
  if (status == SendStatus::out_of_memory) return;
  work_->pong_waits = false;
  if (status == SendStatus::queued) work_->pong_end = work_->outbox.end_offset();
}

Output Session::output() noexcept {
  Output output;
  queue_pong();
  if (work_ != nullptr && !finished_) output.count = work_->outbox.gather(output.views);
  return output;
}

void Session::sent(std::size_t size) noexcept {
  if (size == 0) return;
  check(work_ != nullptr);
  work_->outbox.consume(size);
  settle();
}

std::size_t Session::queued_size() const noexcept { return work_ == nullptr ? 0 : work_->outbox.size(); }

}  // namespace weir
