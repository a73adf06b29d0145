// One WebSocket connection without I/O (RFC 6455): bytes in, events out; messages in, bytes out.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string_view>

#include <weir/deflate.h>
#include <weir/deflate_pool.h>
#include <weir/error.h>
#include <weir/frame_writer.h>
#include <weir/limits.h>
#include <weir/message_reader.h>
#include <weir/prepared_message.h>

namespace weir {

// Time is a point on any clock that does not run backwards. The session reads none: on_time tells it.
using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
inline constexpr Time no_deadline = Time::max();

// RandomSource fills memory with bytes that nobody can predict (RFC 6455 5.3, 10.3): masking keys.
struct RandomSource {
  void (*fill)(void* context, MutableByteView out) noexcept = nullptr;  // needed by clients
  void* context = nullptr;
};

// SessionOptions is what many sessions share. It outlives them. A duration of zero switches its deadline off.
struct SessionOptions {
  Limits limits;
  Delivery delivery = Delivery::messages;
  // The compressor's settings, and max_ratio. What both ends agreed on is the session's own.
  DeflateOptions deflate;
  // With it, sessions without context takeover borrow zlib's contexts (DeflatePool).
  DeflatePool* deflate_pool = nullptr;

  // Data messages are cut into frames of at most this many bytes of payload.
  std::size_t max_sent_frame_size = no_limit<std::size_t>;
  // Bytes of output that may wait: a data message is refused that would make it more (queue_full). Control frames are
  // always taken: they are few.
  std::size_t max_queued_size = std::size_t{16} << 20U;

  // Silence of the peer, after which a ping is sent; and after which the connection counts as lost if it goes on.
  // Every byte that arrives ends the silence.
  Duration ping_interval = std::chrono::seconds(20);
  Duration ping_timeout = std::chrono::seconds(20);
  // Silence after which the connection is closed (1001), pings or not.
  Duration idle_timeout = Duration::zero();
  // How long the peer may take to answer our Close, and then to end the stream.
  Duration close_timeout = std::chrono::seconds(10);

  RandomSource random;
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
};

// SessionKind is what Session::next has taken off the cursor.
enum class SessionKind : std::uint8_t {
  need_input,  // nothing more: the cursor is empty
  paused,      // the cursor was not touched
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
  close_timeout,  // the peer did not answer our Close
  out_of_memory,  // there was none for an answer
};

// Closed tells of the end. Borrows what the event borrows.
struct Closed {
  SessionEnd end = SessionEnd::closed;
  // What the peer's Close said: 1005 if nothing, 1006 if there was none (RFC 6455 7.1.5).
  CloseCode code = CloseCode::abnormal_closure;
  ByteView reason;
  // The code of the Close that we sent, 1005 if it had none, 1006 if we sent none.
  CloseCode sent_code = CloseCode::abnormal_closure;
  Error error;  // of protocol_error
};

// SessionEvent is what next gives out. Borrows the slice or the session's memory; valid until the next call of next,
// next_in_target, read_target or on_time, and as long as the slice is. Sending does not end it.
struct SessionEvent {
  Message message;  // text, binary, ping, pong
  Closed closed;
};

// SendStatus is what became of a call that sends. Nothing has changed unless it is `queued`.
enum class SendStatus : std::uint8_t {
  queued,
  not_open,                // a Close was sent, or the session is over
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

// Session is one connection after its handshake. Nothing happens behind your back: it reads no clock, starts no thread
// and does no I/O. Any call is allowed between any two others. It stays where it was made.
//
// Memory, without permessage-deflate: 160 bytes when idle. What is not idle (output that waits, a message that is cut,
// a ping without answer, a close handshake) takes memory from options.memory and gives it back. With it, see
// MessageInflater and MessageDeflater.
class Session {
 public:
  using Event = SessionEvent;

  // role is this end. `options` is borrowed. `agreed` is what the handshake agreed on for permessage-deflate.
  Session(Role role, const SessionOptions& options, Time now,
          const std::optional<DeflateParameters>& agreed = std::nullopt) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // next takes one event off `in`. Pings are answered, and so is the peer's Close. Call it until need_input or paused,
  // also with an empty cursor after end_of_input and on_time, which may have ended the session.
  [[nodiscard]] SessionKind next(ByteReader& in, SessionEvent& out) noexcept;
  // next, from bytes that the caller owns: masked payload is unmasked where it lies.
  [[nodiscard]] SessionKind next(MutableByteReader& in, SessionEvent& out) noexcept;

  // read_target is memory where the transport may receive what comes next, at most max_size bytes: the rest of a large
  // message, where it stays. Empty when a read is to go elsewhere. Valid until the next call of next, next_in_target,
  // read_target or on_time.
  [[nodiscard]] MutableByteView read_target(std::size_t max_size) noexcept;
  // next_in_target is next for the first `size` bytes of read_target's memory, which were received there.
  [[nodiscard]] SessionKind next_in_target(std::size_t size, SessionEvent& out) noexcept;

  // end_of_input tells that the peer has ended the stream, or that it broke.
  void end_of_input() noexcept;

  // send_text and send_binary queue a whole message. The payload is copied (masked, compressed) by then.
  [[nodiscard]] SendStatus send_text(std::string_view text, Compress compress = Compress::if_agreed) noexcept;
  [[nodiscard]] SendStatus send_binary(ByteView payload, Compress compress = Compress::if_agreed) noexcept;
  // send_fragment queues the next part of a message, text or binary, which may be cut anywhere; `ends` tells that it is
  // the last. `compress` counts in the first.
  [[nodiscard]] SendStatus send_fragment(Opcode opcode, ByteView part, bool ends,
                                         Compress compress = Compress::if_agreed) noexcept;
  // send_prepared queues a message that was encoded once for many: a server shares its bytes, a client masks them.
  [[nodiscard]] SendStatus send_prepared(const PreparedMessage& message) noexcept;
  // send_ping and send_pong queue a control frame of at most 125 bytes.
  [[nodiscard]] SendStatus send_ping(ByteView payload = {}) noexcept;
  [[nodiscard]] SendStatus send_pong(ByteView payload = {}) noexcept;
  // close begins the close handshake (RFC 6455 7.1.2): nothing can be sent afterwards; messages of the peer are still
  // given out until its own Close. A reason that is too long is cut. Code 1005 sends an empty Close.
  [[nodiscard]] SendStatus close(CloseCode code = CloseCode::normal_closure, std::string_view reason = {}) noexcept;

  // output is what to send next; nothing when all is sent. sent tells how much of it was.
  [[nodiscard]] Output output() noexcept;
  void sent(std::size_t size) noexcept;
  // queued_size is the bytes that wait to be sent: what slow peers are known by.
  [[nodiscard]] std::size_t queued_size() const noexcept;

  // pause holds events back, and so what is read: next gives `paused`. closed still comes when the session ends by
  // itself.
  void pause() noexcept { paused_ = true; }
  void resume() noexcept { paused_ = false; }
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }

  // on_time tells the time: at the latest at next_deadline(), better whenever the caller has learned it, before next.
  // Pings may be queued, and the session may end: then next tells it.
  void on_time(Time now) noexcept;
  // next_deadline is when on_time has something to do; in the past if it has to be told the time at once.
  [[nodiscard]] Time next_deadline() const noexcept;
  // latency is how long the last answered ping took, as exactly as on_time is told; zero before the first.
  [[nodiscard]] std::chrono::microseconds latency() const noexcept { return std::chrono::microseconds(latency_); }

  // is_open tells that messages can be sent.
  [[nodiscard]] bool is_open() const noexcept { return state_ == State::open; }
  // is_finished tells that the transport is to be closed now. A client leaves that to the server until close_timeout
  // (RFC 6455 7.1.1).
  [[nodiscard]] bool is_finished() const noexcept;

  // memory_size is the bytes taken from options.memory.
  [[nodiscard]] std::size_t memory_size() const noexcept;

 private:
  struct Work;
  enum class State : std::uint8_t {
    open,
    closing,  // our Close is sent, the peer's has not come
    ending,   // over, `closed` is to be given out
    ended,    // over, and told
  };

  template <typename Reader>
  [[nodiscard]] SessionKind next_event(Reader& in, SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_message(MessageKind kind, SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_need_input(SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_ping(SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_pong(SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_close(SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_error(SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind give_closed(SessionEvent& out, CloseCode code = CloseCode::abnormal_closure,
                                        ByteView reason = {}, Error error = {}) noexcept;

  [[nodiscard]] SendStatus judge_message(ByteView payload) const noexcept;
  [[nodiscard]] SendStatus send_whole(Opcode opcode, ByteView payload, Compress compress) noexcept;
  [[nodiscard]] SendStatus send_compressed(Opcode opcode, ByteView payload, bool ends) noexcept;
  [[nodiscard]] SendStatus send_frames(Opcode opcode, ByteView payload, bool ends, bool rsv1) noexcept;
  [[nodiscard]] SendStatus send_control(Opcode opcode, ByteView payload) noexcept;
  [[nodiscard]] bool begin_compressed(Compress compress, bool whole, std::size_t size) const noexcept;
  [[nodiscard]] std::size_t frames_size(std::size_t payload_size) const noexcept;
  MutableByteView write_frame(FrameHeader header, ByteView payload, MutableByteView room) noexcept;
  void queue_close(CloseCode code, std::string_view reason) noexcept;
  void queue_pong() noexcept;

  void end(SessionEnd why) noexcept;
  void lose(SessionEnd why) noexcept;
  void on_open_time(Time now) noexcept;
  void on_closing_time(Time now) noexcept;
  [[nodiscard]] bool awaits_pong() const noexcept;
  [[nodiscard]] Work* work() noexcept;
  void settle() noexcept;
  void release_memory() noexcept;

  MessageReader reader_;
  const SessionOptions* options_;
  Work* work_ = nullptr;       // all that an idle connection does not need
  Time last_heard_;            // not after what was heard last
  std::uint32_t latency_ = 0;  // microseconds
  FrameWriter writer_;
  State state_ = State::open;
  SessionEnd end_ = SessionEnd::closed;
  bool paused_ : 1 = false;
  bool heard_ : 1 = false;     // something, since the last on_time
  bool finished_ : 1 = false;  // nothing more is to be sent or received
  bool input_ended_ : 1 = false;
  bool is_client_ : 1;
};

static_assert(sizeof(void*) != 8 || sizeof(Session) <= 160);

}  // namespace weir
