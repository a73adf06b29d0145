// Deadlines, and the pings and ends that they bring.
#include <algorithm>

#include <weir/session.h>

#include "work.h"

namespace weir {

void Session::on_time(Time now) noexcept {
  if (handshakes()) return on_handshake_time(now);
  end_handshake();
  // What a paused session does not read may be there.
  if (heard_ || paused_) last_heard_ = now;
  heard_ = false;
  if (work_ != nullptr) work_->now = now;
  if (state_ == State::open) on_open_time(now);
  else if (!finished_) on_closing_time(now);
}

void Session::on_handshake_time(Time now) noexcept {
  if (now >= after(last_heard_, options_->handshake_timeout)) lose(SessionEnd::handshake_timeout);
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
  if (handshakes()) return after(last_heard_, options_->handshake_timeout);
  if (state_ != State::open) {
    if (options_->close_timeout == Duration::zero() || work_ == nullptr) return no_deadline;
    return work_->close_deadline;
  }
  const Time ping_deadline =
      awaits_pong() ? after(work_->ping_time, options_->ping_timeout) : after(last_heard_, options_->ping_interval);
  const bool holds_memory =
      unreleased_ && (reader_.memory_size() != 0 || (work_ != nullptr && work_->inflater.has_value()));
  return std::min({ping_deadline, after(last_heard_, options_->idle_timeout),
                   holds_memory ? after(last_heard_, memory_kept_for) : no_deadline});
}

}  // namespace weir
