#include <weir/session.h>

#include <algorithm>
#include <new>

#include "work.h"

namespace weir {
namespace {

// A shorter rest of a message is not worth a read of its own.
constexpr std::size_t min_read_target_size = 16384;

}  // namespace

Session::Session(Role role, const SessionOptions& options, Time now, const AfterHandshake& agreed) noexcept
    : reader_(role, options.limits, options.delivery, Rsv1::reserved, options.memory),
      options_(&options),
      last_heard_(now),
      writer_(role),
      is_client_(role == Role::client) {
  check(role == Role::server || options.random.fill != nullptr);
  open_with(agreed.deflate);
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
  if (work_ == nullptr || work_->inflater || work_->opening != nullptr || state_ != State::open) return;
  if (work_->outbox.size() != 0 || work_->pong_waits || awaits_pong() || writer_.message_open()) return;
  std::pmr::polymorphic_allocator<>(options_->memory).delete_object(work_);
  work_ = nullptr;
}

void Session::release_memory() noexcept {
  unreleased_ = false;
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
    end_handshake();
    in.skip(in.remaining_size());
    return SessionKind::need_input;
  }
  if (paused_) return SessionKind::paused;
  if (work_ != nullptr && work_->opening != nullptr) {
    if (handshakes()) {
      ByteReader head{ByteView(in.remaining())};
      const SessionKind kind = next_in_handshake(head, out);
      in.skip(head.position());
      return kind;
    }
    end_handshake();
  }
  if (!in.empty()) heard_ = unreleased_ = true;
  const bool inflates = work_ != nullptr && work_->inflater;
  return on_message(inflates ? work_->inflater->next(reader_, in, out.message) : reader_.next(in, out.message), out);
}

MutableByteView Session::read_target(std::size_t max_size) noexcept {
  end_handshake();
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
  out.closed = {.end = end_, .code = code, .reason = reason, .sent_code = sent_code, .error = error, .handshake = {}};
  if (work_ != nullptr && work_->opening != nullptr) {
    out.closed.handshake = work_->opening->failure;
    out.closed.http_status = work_->opening->http_status;
  }
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

std::size_t Session::memory_size() const noexcept {
  std::size_t size = reader_.memory_size();
  if (work_ == nullptr) return size;
  size += sizeof(Work) + work_->outbox.memory_size();
  if (work_->inflater) size += work_->inflater->memory_size();
  if (work_->deflater) size += work_->deflater->memory_size();
  return size;
}

}  // namespace weir
