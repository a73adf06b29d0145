// What a session tells: events, how it ended, what became of what was sent, and what to send.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <weir/bytes.h>
#include <weir/error.h>
#include <weir/handshake_error.h>
#include <weir/message_reader.h>
#include <weir/upgrade_request.h>
#include <weir/upgrade_response.h>

namespace weir {

// SessionKind is what Session::next has taken off the cursor.
enum class SessionKind : std::uint8_t {
  need_input,  // nothing more: the cursor is empty
  paused,      // the cursor was not touched
  request,     // a server's: accept or refuse it; next gives `paused` until then
  open,        // a client's: the server has accepted the request
  text,
  binary,
  ping,    // has been answered
  pong,    // see latency()
  closed,  // the last event: what follows is discarded
};

// name_of is the enumerator's name. Static text.
[[nodiscard]] std::string_view name_of(SessionKind kind) noexcept;

// SessionEnd is why a session is over.
enum class SessionEnd : std::uint8_t {
  closed,           // both ends sent a Close: the only clean end
  protocol_error,   // the peer broke a rule or a limit: Closed::error
  connection_lost,  // the stream ended without a Close
  ping_timeout,
  idle_timeout,
  close_timeout,      // the peer did not answer our Close
  out_of_memory,      // there was none for an answer
  handshake_failed,   // Closed::handshake tells the rule that the peer's head broke
  handshake_timeout,  // SessionOptions::handshake_timeout
  refused,            // by refuse()
};

// name_of is the enumerator's name. Static text.
[[nodiscard]] std::string_view name_of(SessionEnd end) noexcept;

// Closed tells of the end. Borrows what the event borrows.
struct Closed {
  SessionEnd end = SessionEnd::closed;
  // What the peer's Close said: 1005 if nothing, 1006 if there was none (RFC 6455 7.1.5).
  CloseCode code = CloseCode::abnormal_closure;
  ByteView reason;
  // The code of the Close that we sent, 1005 if it had none, 1006 if we sent none.
  CloseCode sent_code = CloseCode::abnormal_closure;
  Error error;                 // of protocol_error; offsets count from the handshake's end
  HandshakeFailure handshake;  // of handshake_failed
  // The HTTP status of a handshake that failed: the server's answer, 0 if there was none.
  unsigned http_status = 0;
};

// SessionEvent is what next gives out. Borrows the slice or the session's memory; valid until the next call of next,
// next_in_target, read_target or on_time, and as long as the slice is. Sending does not end it. A request is valid
// until the first such call after accept or refuse.
struct SessionEvent {
  Message message;  // text, binary, ping, pong
  Closed closed;
  UpgradeRequest request;
  UpgradeResponse response;  // open; and closed, when a server's answer was not 101 (handshake_failed)
};

// SendStatus is what became of a call that sends. Nothing has changed unless it is `queued`.
enum class SendStatus : std::uint8_t {
  queued,
  not_open,                // the handshake is under way, a Close was sent, or the session is over
  message_under_way,       // fragments of another message have begun
  no_text,                 // the payload is not UTF-8 (RFC 6455 5.6)
  control_frame_too_long,  // more than 125 bytes (RFC 6455 5.5)
  close_code_not_allowed,  // a code that must not be sent (RFC 6455 7.4), or a reason that is not UTF-8
  queue_full,              // SessionOptions::max_queued_size
  out_of_memory,
};

// Compress tells whether a message may be compressed if the connection can: one that is secret, beside what an attacker
// chose, should not be, nor one that is compressed already.
enum class Compress : std::uint8_t { if_agreed, never };

// Output is views of what to send, in this order, as for writev. They stay where they are until sent() has counted
// them, whatever is called in between.
struct Output {
  std::array<ByteView, 16> views;
  std::size_t count = 0;

  [[nodiscard]] const ByteView* begin() const noexcept { return views.begin(); }
  [[nodiscard]] const ByteView* end() const noexcept { return std::next(begin(), static_cast<std::ptrdiff_t>(count)); }
};

}  // namespace weir
