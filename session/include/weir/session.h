// One WebSocket connection without I/O (RFC 6455): bytes in, events out; messages in, bytes out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/deflate.h>
#include <weir/frame_writer.h>
#include <weir/handshake.h>
#include <weir/message_reader.h>
#include <weir/prepared_message.h>
#include <weir/session_event.h>
#include <weir/session_options.h>

namespace weir {

// AfterHandshake begins a session with the frames: what the opening handshake agreed on for permessage-deflate.
struct AfterHandshake {
  std::optional<DeflateParameters> deflate = std::nullopt;
};

// Session is one connection, from its opening handshake on. Nothing happens behind your back: it reads no clock, starts
// no thread and does no I/O. Any call is allowed between any two others. It stays where it was made.
//
// Memory, without permessage-deflate: 160 bytes when idle. What is not idle (output that waits, a message that is cut,
// a ping without answer, a close handshake) takes memory from options.memory and gives it back. With it, see
// MessageInflater and MessageDeflater.
class Session {
 public:
  using Event = SessionEvent;

  // role is this end. `options` is borrowed. A client goes on with request(), a server waits for one.
  Session(Role role, const SessionOptions& options, Time now) noexcept;
  // A session whose handshake somebody else did.
  Session(Role role, const SessionOptions& options, Time now, const AfterHandshake& agreed) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // request queues a client's request, once. options.extensions is empty: the session writes its own offer. Until then
  // next gives `paused`. An error changes nothing, as in what follows.
  [[nodiscard]] HandshakeError request(const RequestOptions& options, const FieldList& fields = {}) noexcept;
  // accept answers the request that SessionKind::request told of, with a subprotocol that it offers, or none. The
  // session is open then.
  [[nodiscard]] HandshakeError accept(std::string_view subprotocol = {}, const FieldList& fields = {}) noexcept;
  // refuse ends a server's handshake, at any point of it, with a status from 300 to 599. `text` is for people.
  [[nodiscard]] HandshakeError refuse(unsigned status, std::string_view text = {},
                                      const FieldList& fields = {}) noexcept;

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
  // itself. The peer's silence does not count meanwhile.
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

  // memory_size is the bytes taken from options.memory, without those that the handshake's head takes until it is over.
  [[nodiscard]] std::size_t memory_size() const noexcept;

 private:
  struct Work;
  struct Opening;
  enum class State : std::uint8_t {
    connecting,
    request_waits,  // for accept or refuse
    open,
    closing,  // our Close is sent, the peer's has not come
    ending,   // over, `closed` is to be given out
    ended,    // over, and told
  };

  template <typename Reader>
  [[nodiscard]] SessionKind next_event(Reader& in, SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind next_in_handshake(ByteReader& in, SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_request(HandshakeKind kind, SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind on_response(HandshakeKind kind, SessionEvent& out) noexcept;
  [[nodiscard]] SessionKind fail_handshake(HandshakeFailure failure, SessionEvent& out) noexcept;
  [[nodiscard]] HandshakeError queue_head(std::string_view head) noexcept;
  [[nodiscard]] HandshakeError queue_refusal(unsigned status, std::string_view text, const FieldList& fields) noexcept;
  void open_with(const std::optional<DeflateParameters>& agreed) noexcept;
  void end_handshake() noexcept;
  [[nodiscard]] bool handshakes() const noexcept {
    return state_ == State::connecting || state_ == State::request_waits;
  }
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
  void on_handshake_time(Time now) noexcept;
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
  bool heard_ : 1 = false;       // something, since the last on_time
  bool unreleased_ : 1 = false;  // memory may be held that release_memory was not called for
  bool finished_ : 1 = false;    // nothing more is to be sent or received
  bool input_ended_ : 1 = false;
  bool is_client_ : 1;
};

static_assert(sizeof(void*) != 8 || sizeof(Session) <= 160);

}  // namespace weir
