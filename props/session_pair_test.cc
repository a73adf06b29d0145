// Two sessions back to back, in any order of sends, deliveries, pauses, time and ends, against what was sent.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include <weir/session.h>

#include "counting_memory.h"
#include "session_driver.h"

namespace weir::tests {
namespace {

// What one step does, to one end.
enum class Action {
  send_text,
  send_binary,
  send_fragment,
  ping,
  prepared,
  transmit,  // from its output to the peer's input,
  receive,   // and from its input to its session
  receive_in_target,
  pause,
  resume,
  time,
  close,
};

struct Step {
  Action action = Action::transmit;
  bool client = false;
  std::size_t size = 0;
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << (step.client ? "client " : "server ") << static_cast<int>(step.action) << " of " << step.size;
}

rc::Gen<Step> steps() {
  return rc::gen::build<Step>(
      rc::gen::set(&Step::action, rc::gen::weightedElement<Action>({{6, Action::send_text},
                                                                    {4, Action::send_binary},
                                                                    {8, Action::send_fragment},
                                                                    {3, Action::ping},
                                                                    {2, Action::prepared},
                                                                    {20, Action::transmit},
                                                                    {20, Action::receive},
                                                                    {8, Action::receive_in_target},
                                                                    {2, Action::pause},
                                                                    {5, Action::resume},
                                                                    {3, Action::time},
                                                                    {1, Action::close}})),
      rc::gen::set(&Step::client),
      rc::gen::set(&Step::size, rc::gen::weightedOneOf<std::size_t>({
                                    {6, rc::gen::inRange<std::size_t>(0, 20)},
                                    {3, rc::gen::inRange<std::size_t>(0, 300)},
                                    {1, rc::gen::inRange<std::size_t>(20000, 60000)},
                                })));
}

struct Sent {
  bool text = false;
  Bytes payload;
  friend bool operator==(const Sent&, const Sent&) = default;
};

// "aж中" over and over: cut by bytes, it is cut within characters.
Bytes payload_of(bool text, std::size_t size) {
  constexpr std::string_view pattern = "a\xd0\xb6\xe4\xb8\xad";
  Bytes bytes;
  while (bytes.size() + (text ? pattern.size() : 1) <= size) {
    if (text) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
    else bytes.push_back(static_cast<unsigned char>(bytes.size() * 31 + size));
  }
  return bytes;
}

// One end, its half of the wire, and what it has sent and heard.
struct Side {
  Side(Role role, const SessionOptions& options) : session(role, options, start) {}

  Session session;
  std::deque<unsigned char> wire;  // that has not been received
  bool wire_ended = false;
  std::vector<Sent> sent;
  std::vector<Sent> heard;
  std::optional<Sent> sending;  // in fragments
  std::optional<Sent> hearing;  // in pieces
  std::optional<Closed> closed;
  bool opened = false;
};

class Pair {
 public:
  Pair(const SessionOptions& client_options, const SessionOptions& server_options, bool accepts)
      : client(Role::client, client_options), server(Role::server, server_options), accepts_(accepts) {
    RC_ASSERT(client.session.request({.host = "a", .subprotocols = "chat"}) == HandshakeError::none);
  }

  void run(const Step& step) {
    Side& self = step.client ? client : server;
    switch (step.action) {
      case Action::send_text:
      case Action::send_binary:
        return send(self, step.action == Action::send_text, step.size);
      case Action::send_fragment:
        return send_fragment(self, step.size);
      case Action::ping: {
        const SendStatus status = self.session.send_ping(Bytes(step.size));
        RC_ASSERT((status == SendStatus::control_frame_too_long) == (step.size > 125));
        return;
      }
      case Action::prepared:
        return send_prepared(self, step.size);
      case Action::transmit:
        transmit(self, step.size);
        return;
      case Action::receive:
        receive(self, step.size);
        return;
      case Action::receive_in_target:
        receive_in_target(self, step.size);
        return;
      case Action::pause:
        return self.session.pause();
      case Action::resume:
        return self.session.resume();
      case Action::time:
        now_ += std::chrono::milliseconds(step.size % 50);
        return self.session.on_time(now_);
      case Action::close:
        return close(self, step.size);
    }
  }

  // sever breaks the connection: of what was under way, `size` bytes arrive.
  void sever(std::size_t size) {
    severed_ = true;
    for (Side* self : {&client, &server}) {
      self->wire.resize(std::min(self->wire.size(), size));
      self->wire_ended = true;
    }
  }

  // finish lets both ends come to theirs.
  void finish() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (Side* self : {&client, &server}) {
        self->session.resume();
        progress = transmit(*self, 5000) || progress;
        progress = receive(*self, 5000) || progress;
      }
      if (!progress && !client.closed && !server.closed) {
        close(client, 0);
        close(server, 0);
        progress = true;
      }
    }
  }

  [[nodiscard]] bool severed() const { return severed_; }
  [[nodiscard]] bool used_target() const { return used_target_; }

  Side client;
  Side server;

 private:
  Side& peer_of(const Side& self) { return &self == &client ? server : client; }

  void send(Side& self, bool text, std::size_t size) {
    const Bytes payload = payload_of(text, size);
    const bool was_open = self.session.is_open();
    const SendStatus status = text ? self.session.send_text(as_text(payload)) : self.session.send_binary(payload);
    RC_ASSERT((status == SendStatus::queued) == (was_open && !self.sending));
    if (status == SendStatus::queued) self.sent.push_back({text, payload});
  }

  void send_prepared(Side& self, std::size_t size) {
    const Bytes payload = payload_of(true, size);
    const SendStatus status = self.session.send_prepared(PreparedMessage::text(as_text(payload)));
    if (status == SendStatus::queued) self.sent.push_back({true, payload});
  }

  // Sends the message under way, or one of size bytes, a part at a time; the last part may be empty.
  void send_fragment(Side& self, std::size_t size) {
    if (!self.session.is_open()) return;
    const bool text = self.sending ? self.sending->text : size % 2 == 0;
    const Bytes whole = payload_of(text, 90);
    const std::size_t at = self.sending ? self.sending->payload.size() : 0;
    const std::size_t part_size = std::min(size, whole.size() - at);
    const bool ends = at == whole.size() || (size % 5 == 0 && at + part_size == whole.size());
    const ByteView part = ByteView(whole).drop(at).first(part_size);
    RC_ASSERT(self.session.send_fragment(text ? Opcode::text : Opcode::binary, part, ends) == SendStatus::queued);
    if (!self.sending) self.sending = Sent{text, {}};
    self.sending->payload.insert(self.sending->payload.end(), part.begin(), part.end());
    if (!ends) return;
    self.sent.push_back(*self.sending);
    self.sending.reset();
  }

  static void close(Side& self, std::size_t size) {
    const bool was_open = self.session.is_open();
    const auto code = static_cast<CloseCode>(3000 + size % 1000);
    RC_ASSERT((self.session.close(code, "why") == SendStatus::queued) == was_open);
  }

  bool transmit(Side& self, std::size_t size) {
    Side& peer = peer_of(self);
    bool progress = false;
    const Output output = self.session.output();
    for (const ByteView view : output) {
      const ByteView part = view.first(std::min(size, view.size()));
      if (!peer.wire_ended) peer.wire.insert(peer.wire.end(), part.begin(), part.end());
      self.session.sent(part.size());
      size -= part.size();
      progress = progress || !part.empty();
    }
    if (!self.session.is_finished() || peer.wire_ended) return progress;
    RC_ASSERT(self.session.output().count == 0U);
    peer.wire_ended = true;
    return true;
  }

  // The bytes received lie in a block of their own, which is gone afterwards.
  bool receive(Side& self, std::size_t size) {
    const auto end = self.wire.begin() + static_cast<std::ptrdiff_t>(std::min(size, self.wire.size()));
    Bytes slice(self.wire.begin(), end);
    if (self.wire.empty() && self.wire_ended) self.session.end_of_input();
    std::size_t taken = 0;
    if (size % 2 == 0) {
      MutableByteReader in{MutableByteView(slice)};
      hear_all(self, in);
      taken = in.position();
    } else {
      ByteReader in{ByteView(slice)};
      hear_all(self, in);
      taken = in.position();
    }
    self.wire.erase(self.wire.begin(), self.wire.begin() + static_cast<std::ptrdiff_t>(taken));
    return taken != 0 || std::exchange(heard_something_, false);
  }

  void receive_in_target(Side& self, std::size_t size) {
    const MutableByteView target = self.session.read_target(20000 + size);
    RC_ASSERT(target.size() <= 20000 + size);
    if (target.empty()) return;
    const std::size_t count = std::min(target.size(), self.wire.size());
    const auto end = self.wire.begin() + static_cast<std::ptrdiff_t>(count);
    std::copy(self.wire.begin(), end, target.begin());
    self.wire.erase(self.wire.begin(), end);
    used_target_ = true;
    SessionEvent event;
    const SessionKind kind = self.session.next_in_target(count, event);
    if (kind == SessionKind::need_input) return;
    hear(self, kind, event);
    ByteReader nothing;
    hear_all(self, nothing);
  }

  template <typename Reader>
  void hear_all(Side& self, Reader& in) {
    SessionEvent event;
    for (SessionKind kind = self.session.next(in, event);; kind = self.session.next(in, event)) {
      if (kind == SessionKind::need_input) {
        RC_ASSERT(in.empty());
        return;
      }
      if (kind == SessionKind::paused) return;
      heard_something_ = true;
      hear(self, kind, event);
    }
  }

  void hear(Side& self, SessionKind kind, const SessionEvent& event) {
    RC_ASSERT(!self.closed.has_value());
    switch (kind) {
      case SessionKind::request:
        self.opened = accepts_;
        if (accepts_) RC_ASSERT(self.session.accept("chat") == HandshakeError::none);
        else RC_ASSERT(self.session.refuse(403) == HandshakeError::none);
        return;
      case SessionKind::open:
        self.opened = true;
        return;
      case SessionKind::closed:
        self.closed = event.closed;
        self.closed->reason = {};
        return;
      case SessionKind::text:
      case SessionKind::binary:
        return hear_message(self, kind == SessionKind::text, event.message);
      case SessionKind::ping:
      case SessionKind::pong:
        RC_ASSERT(self.opened);
        return;
      case SessionKind::need_input:
      case SessionKind::paused:
        RC_FAIL("no event");
    }
  }

  static void hear_message(Side& self, bool text, const Message& message) {
    RC_ASSERT(self.opened);
    RC_ASSERT(message.begins == !self.hearing.has_value());
    if (message.begins) self.hearing = Sent{text, {}};
    RC_ASSERT(self.hearing->text == text);
    self.hearing->payload.insert(self.hearing->payload.end(), message.payload.begin(), message.payload.end());
    if (!message.ends) return;
    self.heard.push_back(*self.hearing);
    self.hearing.reset();
  }

  Time now_ = start;
  bool accepts_;
  bool severed_ = false;
  bool heard_something_ = false;
  bool used_target_ = false;
};

SessionOptions any_options(std::pmr::memory_resource& memory) {
  SessionOptions options = sample_options();
  options.memory = &memory;
  options.permessage_deflate = *rc::gen::arbitrary<bool>();
  options.deflate.parameters.client_no_context_takeover = *rc::gen::arbitrary<bool>();
  options.deflate.parameters.server_no_context_takeover = *rc::gen::arbitrary<bool>();
  options.deflate.parameters.server_max_window_bits = *rc::gen::element<std::uint8_t>(8, 9, 15);
  options.deflate.min_message_size = *rc::gen::element<std::size_t>(0, 100);
  options.delivery = *rc::gen::element(Delivery::messages, Delivery::pieces);
  options.max_sent_frame_size = *rc::gen::element<std::size_t>(1, 7, 1000, no_limit<std::size_t>);
  options.limits.max_fragment_count = no_limit<decltype(options.limits.max_fragment_count)>;
  options.ping_interval = std::chrono::milliseconds(*rc::gen::element(20, 10000));
  options.ping_timeout = std::chrono::hours(1);
  return options;
}

void expect_prefix(const std::vector<Sent>& heard, const std::vector<Sent>& sent) {
  RC_ASSERT(heard.size() <= sent.size());
  RC_ASSERT(std::equal(heard.begin(), heard.end(), sent.begin()));
}

// What one end told at its end, in the light of what the other did.
void expect_end(const Side& self, const Side& peer, bool severed) {
  RC_ASSERT(self.closed.has_value());
  expect_prefix(self.heard, peer.sent);
  const SessionEnd end = self.closed->end;
  if (end == SessionEnd::closed) {
    RC_ASSERT(self.closed->code == peer.closed->sent_code);
    RC_ASSERT(self.heard == peer.sent);
    return;
  }
  RC_LOG() << "ends by " << name_of(end) << ", " << name_of(self.closed->error.code) << ", "
           << name_of(self.closed->handshake.error) << '\n';
  RC_ASSERT(self.closed->code == CloseCode::abnormal_closure);
  if (severed)
    RC_ASSERT(end == SessionEnd::connection_lost || end == SessionEnd::refused || end == SessionEnd::handshake_failed);
  else
    RC_ASSERT(end == SessionEnd::refused || (end == SessionEnd::handshake_failed && self.closed->http_status == 403));
}

RC_GTEST_PROP(SessionPair, EachHearsAPrefixOfWhatTheOtherSentAndBothEnd, ()) {
  CountingMemory memory;
  {
    DeflatePool pool(2, &memory);
    SessionOptions client_options = any_options(memory);
    SessionOptions server_options = any_options(memory);
    if (*rc::gen::arbitrary<bool>()) server_options.deflate_pool = &pool;
    const bool accepts = *rc::gen::weightedElement<bool>({{15, true}, {1, false}});
    const auto list = *rc::gen::scale(10.0, rc::gen::container<std::vector<Step>>(steps()));
    Pair pair(client_options, server_options, accepts);
    if (*rc::gen::weightedElement<bool>({{4, true}, {1, false}})) {
      // Most schedules begin behind the handshake.
      for (const bool client : {true, false, false, true}) {
        pair.run({client == (pair.server.opened) ? Action::receive : Action::transmit, client, 4001});
        pair.run({Action::receive, !client, 4001});
        pair.run({Action::transmit, !client, 4001});
      }
    }
    for (const Step& step : list) pair.run(step);
    if (*rc::gen::weightedElement<bool>({{3, false}, {1, true}})) pair.sever(*rc::gen::inRange<std::size_t>(0, 100));
    RC_CLASSIFY(pair.client.session.is_open() && pair.server.session.is_open(), "open before the end");
    pair.finish();

    expect_end(pair.client, pair.server, pair.severed());
    expect_end(pair.server, pair.client, pair.severed());
    RC_ASSERT(pair.client.session.is_finished());
    RC_ASSERT(pair.server.session.is_finished());
    RC_CLASSIFY(pair.severed(), "severed");
    RC_CLASSIFY(pair.used_target(), "received in place");
    RC_CLASSIFY(!accepts, "refused");
    RC_CLASSIFY(pair.client.closed->end == SessionEnd::closed, "closed by both");
    RC_CLASSIFY(client_options.permessage_deflate && server_options.permessage_deflate, "deflate");
    RC_CLASSIFY(pair.client.heard.size() + pair.server.heard.size() > 5, "more than 5 messages");
  }
  RC_ASSERT(memory.size() == 0U);
}

}  // namespace
}  // namespace weir::tests
