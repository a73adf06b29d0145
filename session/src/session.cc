#include <weir/session.h>

#include <algorithm>
#include <new>

#include <weir/close_payload.h>
#include <weir/message_deflater.h>
#include <weir/message_inflater.h>
#include <weir/utf8.h>

#include "outbox.h"
#include "prepared_frame.h"

namespace weir {
namespace {

// After this silence, memory that only speeds the next message up is given back.
constexpr Duration memory_kept_for = std::chrono::seconds(1);
// A shorter rest of a message is not worth a read of its own.
constexpr std::size_t min_read_target_size = 16384;

[[nodiscard]] Role other(Role role) noexcept { return role == Role::server ? Role::client : Role::server; }

[[nodiscard]] Time after(Time start, Duration duration) noexcept {
  return duration == Duration::zero() || duration > no_deadline - start ? no_deadline : start + duration;
}

}  // namespace

// What a session needs while it is not idle, or compresses.
struct Session::Work {
  explicit Work(std::pmr::memory_resource* memory) noexcept : outbox(memory) {}

  Outbox outbox;
  std::optional<MessageInflater> inflater;
  std::optional<MessageDeflater> deflater;

  // The message that is sent in fragments.
  Utf8Validator sent_text;
  Opcode sent_opcode = Opcode::text;
  bool sent_compressed = false;

  // The answer to the newest ping waits until the one before it is sent.
  bool pong_waits = false;
  std::uint8_t pong_size = 0;
  std::array<unsigned char, max_control_payload_size> pong{};
  std::uint64_t pong_end = 0;  // where the last pong ends in the outbox

  Time now;                      // as last told
  Time ping_time = Time::min();  // of the last automatic ping
  std::array<unsigned char, 4> ping_payload{};
  Time close_deadline = Time::min();  // not set yet
  CloseCode sent_code = CloseCode::abnormal_closure;
};

std::string_view name_of(SessionKind kind) noexcept {
  switch (kind) {
    case SessionKind::need_input:
      return "need_input";
    case SessionKind::paused:
      return "paused";
    case SessionKind::text:
      return "text";
    case SessionKind::binary:
      return "binary";
    case SessionKind::ping:
      return "ping";
    case SessionKind::pong:
      return "pong";
    case SessionKind::closed:
      return "closed";
  }
  check(false);
  return {};
}

Session::Session(Role role, const SessionOptions& options, Time now,
                 const std::optional<DeflateParameters>& agreed) noexcept
    : reader_(role, options.limits, options.delivery, agreed ? Rsv1::negotiated : Rsv1::reserved, options.memory),
      options_(&options),
      last_heard_(now),
      writer_(role, agreed ? Rsv1::negotiated : Rsv1::reserved),
      is_client_(role == Role::client) {
  check(role == Role::server || options.random.fill != nullptr);
  if (!agreed) return;
  if (work() == nullptr) {
    lose(SessionEnd::out_of_memory);
    return;
  }
  work_->inflater.emplace(other(role), *agreed, options.limits, options.delivery, options.deflate.max_ratio,
                          options.deflate_pool, options.memory);
  work_->deflater.emplace(role, *agreed, options.deflate, options.deflate_pool, options.memory);
}

Session::~Session() {
  if (work_ != nullptr) std::pmr::polymorphic_allocator<>(options_->memory).delete_object(work_);
}

// Nothing when there is no memory.
Session::Work* Session::work() noexcept {
  if (work_ != nullptr) return work_;
  try {
    work_ = std::pmr::polymorphic_allocator<>(options_->memory).new_object<Work>(options_->memory);
    work_->now = last_heard_;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return work_;
}

bool Session::awaits_pong() const noexcept { return work_ != nullptr && work_->ping_time >= last_heard_; }

void Session::settle() noexcept {
  if (work_ == nullptr || work_->inflater || state_ != State::open) return;
  if (work_->outbox.size() != 0 || work_->pong_waits || awaits_pong() || writer_.message_open()) return;
  std::pmr::polymorphic_allocator<>(options_->memory).delete_object(work_);
  work_ = nullptr;
}

void Session::release_memory() noexcept {
  reader_.release_memory();
  if (work_ == nullptr) return;
  if (work_->inflater) work_->inflater->release_memory();
  if (work_->deflater) work_->deflater->release_memory();
  settle();
}

// Bytes in.

SessionKind Session::next(ByteReader& in, SessionEvent& out) noexcept { return next_event(in, out); }
SessionKind Session::next(MutableByteReader& in, SessionEvent& out) noexcept { return next_event(in, out); }

template <typename Reader>
SessionKind Session::next_event(Reader& in, SessionEvent& out) noexcept {
  if (state_ == State::ending) return give_closed(out);
  if (state_ == State::ended) {
    in.skip(in.remaining_size());
    return SessionKind::need_input;
  }
  if (paused_) return SessionKind::paused;
  if (!in.empty()) heard_ = true;
  const bool inflates = work_ != nullptr && work_->inflater;
  return on_message(inflates ? work_->inflater->next(reader_, in, out.message) : reader_.next(in, out.message), out);
}

MutableByteView Session::read_target(std::size_t max_size) noexcept {
  const bool reads = !paused_ && (state_ == State::open || state_ == State::closing);
  if (!reads || max_size < min_read_target_size) return {};
  if (reader_.payload_left() < min_read_target_size) return {};
  return reader_.read_target(max_size);
}

SessionKind Session::next_in_target(std::size_t size, SessionEvent& out) noexcept {
  check(!paused_ && (state_ == State::open || state_ == State::closing));
  heard_ = heard_ || size != 0;
  return on_message(reader_.next_in_target(size, out.message), out);
}

SessionKind Session::on_message(MessageKind kind, SessionEvent& out) noexcept {
  switch (kind) {
    case MessageKind::need_input:
      return on_need_input(out);
    case MessageKind::text:
      return SessionKind::text;
    case MessageKind::binary:
      return SessionKind::binary;
    case MessageKind::ping:
      return on_ping(out);
    case MessageKind::pong:
      return on_pong(out);
    case MessageKind::close:
      return on_close(out);
    case MessageKind::error:
      return on_error(out);
  }
  check(false);
  return SessionKind::closed;
}

SessionKind Session::on_need_input(SessionEvent& out) noexcept {
  if (!input_ended_) return SessionKind::need_input;
  lose(SessionEnd::connection_lost);
  return give_closed(out);
}

// Only the newest ping needs an answer (RFC 6455 5.5.3).
SessionKind Session::on_ping(SessionEvent& out) noexcept {
  if (writer_.closed()) return SessionKind::ping;
  if (work() == nullptr) {
    lose(SessionEnd::out_of_memory);
    return give_closed(out);
  }
  const ByteView payload = out.message.payload;
  std::copy(payload.begin(), payload.end(), work_->pong.begin());
  work_->pong_size = static_cast<std::uint8_t>(payload.size());
  work_->pong_waits = true;
  return SessionKind::ping;
}

SessionKind Session::on_pong(SessionEvent& out) noexcept {
  if (work_ == nullptr || work_->ping_time == Time::min()) return SessionKind::pong;
  if (!(out.message.payload == ByteView(work_->ping_payload))) return SessionKind::pong;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(work_->now - work_->ping_time).count();
  latency_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(took, 0, no_limit<std::uint32_t>));
  work_->ping_time = Time::min();
  return SessionKind::pong;
}

// RFC 6455 5.5.1: a Close is answered with its own code.
SessionKind Session::on_close(SessionEvent& out) noexcept {
  const CloseCode code = out.message.close_code;
  if (!writer_.closed()) queue_close(code, {});
  end(SessionEnd::closed);
  return give_closed(out, code, out.message.payload);
}

// RFC 6455 7.1.7.
SessionKind Session::on_error(SessionEvent& out) noexcept {
  const Error error = reader_.error();
  if (!writer_.closed()) queue_close(close_code_of(error.code), rule_of(error.code));
  end(SessionEnd::protocol_error);
  return give_closed(out, CloseCode::abnormal_closure, {}, error);
}

SessionKind Session::give_closed(SessionEvent& out, CloseCode code, ByteView reason, Error error) noexcept {
  const CloseCode sent_code = work_ == nullptr ? CloseCode::abnormal_closure : work_->sent_code;
  out.closed = {.end = end_, .code = code, .reason = reason, .sent_code = sent_code, .error = error};
  state_ = State::ended;
  return SessionKind::closed;
}

void Session::end_of_input() noexcept { input_ended_ = true; }

void Session::end(SessionEnd why) noexcept {
  state_ = State::ending;
  end_ = why;
}

// lose ends a session whose peer cannot be told.
void Session::lose(SessionEnd why) noexcept {
  end(why);
  finished_ = true;
}

bool Session::is_finished() const noexcept {
  if (finished_) return true;
  if (state_ != State::ending && state_ != State::ended) return false;
  if (queued_size() != 0) return false;
  return !is_client_ || input_ended_ || end_ != SessionEnd::closed;
}

// Messages out.

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
  if (writer_.closed() || finished_) return SendStatus::not_open;
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

// Time.

void Session::on_time(Time now) noexcept {
  if (heard_) last_heard_ = now;
  heard_ = false;
  if (work_ != nullptr) work_->now = now;
  if (state_ == State::open) on_open_time(now);
  else if (!finished_) on_closing_time(now);
}

void Session::on_open_time(Time now) noexcept {
  if (now >= after(last_heard_, options_->idle_timeout)) {
    queue_close(CloseCode::going_away, "idle");
    return end(SessionEnd::idle_timeout);
  }
  if (now >= after(last_heard_, memory_kept_for)) release_memory();
  if (awaits_pong()) {
    if (now >= after(work_->ping_time, options_->ping_timeout)) lose(SessionEnd::ping_timeout);
    return;
  }
  settle();
  if (now < after(last_heard_, options_->ping_interval) || work() == nullptr) return;
  // The payload tells this ping's answer from those to earlier ones.
  for (unsigned char& byte : work_->ping_payload) {
    if (++byte != 0) break;
  }
  if (send_ping(work_->ping_payload) == SendStatus::queued) work_->ping_time = now;
  work_->now = now;
}

void Session::on_closing_time(Time now) noexcept {
  if (work_ == nullptr) return;
  if (work_->close_deadline == Time::min()) {
    work_->close_deadline = after(now, options_->close_timeout);
    return;
  }
  if (now < work_->close_deadline) return;
  if (state_ == State::closing) return lose(SessionEnd::close_timeout);
  finished_ = true;
}

Time Session::next_deadline() const noexcept {
  if (finished_) return no_deadline;
  if (state_ != State::open) {
    if (options_->close_timeout == Duration::zero() || work_ == nullptr) return no_deadline;
    return work_->close_deadline;
  }
  const Time ping_deadline =
      awaits_pong() ? after(work_->ping_time, options_->ping_timeout) : after(last_heard_, options_->ping_interval);
  const bool holds_memory = reader_.memory_size() != 0;
  return std::min({ping_deadline, after(last_heard_, options_->idle_timeout),
                   holds_memory ? after(last_heard_, memory_kept_for) : no_deadline});
}

std::size_t Session::memory_size() const noexcept {
  std::size_t size = reader_.memory_size();
  if (work_ == nullptr) return size;
  size += sizeof(Work) + work_->outbox.memory_size();
  if (work_->inflater) size += work_->inflater->memory_size();
  if (work_->deflater) size += work_->deflater->memory_size();
  return size;
}

}  // namespace weir
