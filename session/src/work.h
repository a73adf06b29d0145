// What a session needs while it is not idle.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <optional>

#include <weir/message_deflater.h>
#include <weir/message_inflater.h>
#include <weir/session.h>
#include <weir/utf8.h>

#include "opening.h"
#include "outbox.h"

namespace weir {

// After this silence, memory that only speeds the next message up is given back.
inline constexpr Duration memory_kept_for = std::chrono::seconds(1);

// after is no_deadline for a duration of zero.
[[nodiscard]] inline Time after(Time start, Duration duration) noexcept {
  return duration == Duration::zero() || duration > no_deadline - start ? no_deadline : start + duration;
}

// What a session needs while it is not idle, or compresses.
struct Session::Work {
  explicit Work(std::pmr::memory_resource* memory) noexcept : outbox(memory), memory_(memory) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work() { end_opening(); }

  // begin_opening is false when there is no memory.
  [[nodiscard]] bool begin_opening() noexcept {
    try {
      opening = std::pmr::polymorphic_allocator<>(memory_).new_object<Opening>(memory_);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  void end_opening() noexcept {
    if (opening != nullptr) std::pmr::polymorphic_allocator<>(memory_).delete_object(opening);
    opening = nullptr;
  }

  Outbox outbox;
  Opening* opening = nullptr;  // until the handshake is over
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

 private:
  std::pmr::memory_resource* memory_;
};

}  // namespace weir
