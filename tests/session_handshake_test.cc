// A session's opening handshake: who says what, in which order, and how it ends.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include <weir/session.h>

#include "counting_memory.h"
#include "session_driver.h"

namespace weir::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// RFC 6455 1.3.
constexpr std::string_view sample_request =
    "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://example.com\r\n"
    "Sec-WebSocket-Protocol: chat, superchat\r\nSec-WebSocket-Version: 13\r\n\r\n";
constexpr std::string_view sample_accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
const Bytes masked_hello = {0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58};  // RFC 6455 5.7

constexpr std::string_view sample_response_head =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";

std::string sample_response(std::string_view more = {}) {
  return std::string(sample_response_head).append(sample_accept).append(more).append("\r\n");
}

// One event from all of `bytes`; `in` tells how much of it was taken.
SessionKind next_of(Session& session, std::string_view bytes, SessionEvent& event) {
  ByteReader in{as_bytes(bytes)};
  return session.next(in, event);
}

TEST(SessionHandshake, AServerTellsOfTheRequestAndTouchesNothingUntilItIsAnswered) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start);
  EXPECT_FALSE(server.is_open());
  Bytes stream = bytes_of(sample_request);
  stream.insert(stream.end(), masked_hello.begin(), masked_hello.end());
  ByteReader in{ByteView(stream)};
  SessionEvent event;
  ASSERT_EQ(server.next(in, event), SessionKind::request);
  EXPECT_EQ(event.request.target, "/chat");
  EXPECT_EQ(event.request.host, "server.example.com");
  EXPECT_EQ(event.request.origin, "http://example.com");
  EXPECT_TRUE(event.request.offers_subprotocol("superchat"));
  EXPECT_EQ(server.next(in, event), SessionKind::paused);
  EXPECT_EQ(in.position(), sample_request.size());
  EXPECT_FALSE(server.is_open());
  EXPECT_EQ(server.output().count, 0U);

  ASSERT_EQ(server.accept("superchat"), HandshakeError::none);
  EXPECT_TRUE(server.is_open());
  EXPECT_EQ(event.request.target, "/chat") << "valid until the next event";
  EXPECT_EQ(text_of(take_output(server)), sample_response("Sec-WebSocket-Protocol: superchat\r\n"));
  ASSERT_EQ(server.next(in, event), SessionKind::text);
  EXPECT_EQ(event.message.offset, 0U);
  EXPECT_EQ(server.next(in, event), SessionKind::need_input);
}

TEST(SessionHandshake, AClientOpensWhenItsRequestIsAnswered) {
  const SessionOptions shared = sample_options();
  Session client(Role::client, shared, start);
  SessionEvent event;
  EXPECT_EQ(next_of(client, "x", event), SessionKind::paused) << "nothing was asked yet";
  ASSERT_EQ(client.request({.target = "/chat", .host = "server.example.com", .subprotocols = "chat, superchat"}),
            HandshakeError::none);
  const std::string request = text_of(take_output(client));
  EXPECT_TRUE(request.starts_with("GET /chat HTTP/1.1\r\n"));
  EXPECT_NE(request.find("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"), std::string::npos);
  EXPECT_FALSE(client.is_open());

  const std::string response = sample_response("Sec-WebSocket-Protocol: chat\r\n");
  const std::string stream = response + "\x81\x05Hello";
  ByteReader in{as_bytes(stream)};
  ASSERT_EQ(client.next(in, event), SessionKind::open);
  EXPECT_EQ(in.position(), response.size());
  EXPECT_EQ(event.response.status, 101U);
  EXPECT_EQ(event.response.subprotocol, "chat");
  EXPECT_TRUE(client.is_open());
  ASSERT_EQ(client.next(in, event), SessionKind::text);
  EXPECT_EQ(event.message.offset, 0U);
}

// Two sessions, one cut: at `cut` of the request and of the response.
void shake_hands(Session& client, Session& server, const Bytes& request, std::size_t cut) {
  const auto split = [](const Bytes& bytes, std::size_t at) {
    const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, bytes.size()));
    return std::pair(Bytes(bytes.begin(), middle), Bytes(middle, bytes.end()));
  };
  const auto [first, second] = split(request, cut);
  std::vector<Told> told = feed(server, first);
  for (const Told& event : feed(server, second)) told.push_back(event);
  ASSERT_EQ(kinds(told), List{SessionKind::request});
  ASSERT_EQ(server.accept("b"), HandshakeError::none);
  const auto [third, fourth] = split(take_output(server), cut);
  told = feed(client, third);
  for (const Told& event : feed(client, fourth)) told.push_back(event);
  ASSERT_EQ(kinds(told), List{SessionKind::open});
}

TEST(SessionHandshake, TwoSessionsAgreeWhereverTheirHeadsAreCut) {
  SessionOptions shared = options();
  shared.permessage_deflate = true;
  std::size_t request_size = 1;
  for (std::size_t cut = 0; cut < request_size; ++cut) {
    SCOPED_TRACE(cut);
    Session client(Role::client, shared, start);
    Session server(Role::server, shared, start);
    ASSERT_EQ(client.request({.host = "a", .subprotocols = "a, b"}), HandshakeError::none);
    const Bytes request = take_output(client);
    request_size = request.size();
    ASSERT_NO_FATAL_FAILURE(shake_hands(client, server, request, cut));

    const std::string message(500, 'x');
    ASSERT_EQ(client.send_text(message), SendStatus::queued);
    const Bytes compressed = take_output(client);
    ASSERT_LT(compressed.size(), 50U);
    const std::vector<Told> told = feed(server, compressed);
    ASSERT_EQ(kinds(told), List{SessionKind::text});
    ASSERT_EQ(text_of(told[0].payload), message);
    ASSERT_EQ(server.send_text(message), SendStatus::queued);
    ASSERT_EQ(kinds(feed(client, take_output(server))), List{SessionKind::text});
  }
}

TEST(SessionHandshake, DeflateIsUsedWhenBothWantIt) {
  for (const bool client_wants : {false, true}) {
    for (const bool server_wants : {false, true}) {
      SessionOptions client_options = options();
      client_options.permessage_deflate = client_wants;
      SessionOptions server_options = options();
      server_options.permessage_deflate = server_wants;
      Session client(Role::client, client_options, start);
      Session server(Role::server, server_options, start);
      ASSERT_EQ(client.request({.host = "a", .subprotocols = "b"}), HandshakeError::none);
      ASSERT_NO_FATAL_FAILURE(shake_hands(client, server, take_output(client), 0));
      ASSERT_EQ(server.send_text(std::string(500, 'x')), SendStatus::queued);
      EXPECT_EQ(take_output(server)[0], client_wants && server_wants ? 0xC1 : 0x81);
    }
  }
}

TEST(SessionHandshake, ARefusalIsAnsweredAndEndsTheSession) {
  const SessionOptions shared = options();
  for (const std::size_t received : {sample_request.size(), std::size_t{10}, std::size_t{0}}) {
    Session server(Role::server, shared, start);
    feed(server, bytes_of(sample_request.substr(0, received)));
    ASSERT_EQ(server.refuse(503, "come back later"), HandshakeError::none);
    EXPECT_EQ(server.refuse(503), HandshakeError::call_out_of_turn);
    EXPECT_EQ(server.accept(), HandshakeError::call_out_of_turn);
    const Closed end = feed_closed(server);
    EXPECT_EQ(end.end, SessionEnd::refused);
    EXPECT_EQ(end.http_status, 503U);
    EXPECT_FALSE(server.is_finished());
    const std::string sent = text_of(take_output(server));
    EXPECT_TRUE(sent.starts_with("HTTP/1.1 503 ")) << sent;
    EXPECT_TRUE(sent.ends_with("\r\n\r\ncome back later")) << sent;
    EXPECT_TRUE(server.is_finished());
    EXPECT_EQ(kinds(feed(server, masked_hello)), List{});
  }
}

TEST(SessionHandshake, AnAnswerThatCannotBeWrittenChangesNothing) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start);
  ASSERT_EQ(kinds(feed(server, bytes_of(sample_request))), List{SessionKind::request});
  const std::array<HttpField, 1> split = {HttpField{.name = "X", .value = "a\r\nSet-Cookie: b"}};
  EXPECT_EQ(server.accept({}, split), HandshakeError::field_not_writable);
  EXPECT_EQ(server.accept("other"), HandshakeError::subprotocol_not_offered);
  EXPECT_EQ(server.refuse(200), HandshakeError::status_not_writable);
  EXPECT_EQ(server.refuse(403, {}, split), HandshakeError::field_not_writable);
  EXPECT_EQ(server.queued_size(), 0U);
  EXPECT_EQ(server.accept("chat"), HandshakeError::none);

  Session client(Role::client, shared, start);
  EXPECT_EQ(client.request({.host = "a\r\nb"}), HandshakeError::field_not_writable);
  EXPECT_EQ(client.request({.host = "a", .extensions = "x"}), HandshakeError::field_not_writable);
  EXPECT_EQ(client.queued_size(), 0U);
  EXPECT_EQ(client.request({.host = "a"}), HandshakeError::none);
}

TEST(SessionHandshake, ARequestThatBreaksARuleIsAnsweredWithItsStatus) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start);
  std::string request(sample_request);
  request.replace(request.find("Version: 13"), 11, "Version: 8");
  const Closed end = feed_closed(server, bytes_of(request + "\x81\x05Hello"));
  EXPECT_EQ(end.end, SessionEnd::handshake_failed);
  EXPECT_EQ(end.handshake, (HandshakeFailure{HandshakeError::version_not_13, request.size() - 1}));
  EXPECT_EQ(end.http_status, 426U);
  const std::string sent = text_of(take_output(server));
  EXPECT_TRUE(sent.starts_with("HTTP/1.1 426 ")) << sent;
  EXPECT_NE(sent.find("\r\nSec-WebSocket-Version: 13\r\n"), std::string::npos);
  EXPECT_TRUE(server.is_finished());
}

TEST(SessionHandshake, AClientIsToldWhatTheServerAnsweredInstead) {
  const SessionOptions shared = sample_options();
  Session client(Role::client, shared, start);
  ASSERT_EQ(client.request({.host = "a"}), HandshakeError::none);
  take_output(client);
  SessionEvent event;
  const std::string_view response = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nContent-Length: 2\r\n\r\n";
  ASSERT_EQ(next_of(client, std::string(response) + "no", event), SessionKind::closed);
  EXPECT_EQ(event.closed.end, SessionEnd::handshake_failed);
  EXPECT_EQ(event.closed.handshake.error, HandshakeError::status_not_101);
  EXPECT_EQ(event.closed.http_status, 401U);
  EXPECT_EQ(event.response.fields.find("WWW-Authenticate"), "Basic");
  EXPECT_TRUE(client.is_finished());
  EXPECT_EQ(take_output(client), Bytes{});
}

TEST(SessionHandshake, AClientRefusesWhatItDidNotAskFor) {
  struct Row {
    bool deflate;
    std::string_view field;
    HandshakeError error;
  };
  for (const Row& row : {
           Row{false, "Sec-WebSocket-Extensions: permessage-deflate\r\n", HandshakeError::extension_not_offered},
           Row{true, "Sec-WebSocket-Extensions: foo\r\n", HandshakeError::extension_not_offered},
           Row{true, "Sec-WebSocket-Extensions: permessage-deflate; foo\r\n", HandshakeError::extension_refused},
           Row{true, "Sec-WebSocket-Extensions: permessage-deflate, permessage-deflate\r\n",
               HandshakeError::extension_invalid},
           Row{true, "Sec-WebSocket-Protocol: chat\r\n", HandshakeError::subprotocol_not_offered},
       }) {
    SCOPED_TRACE(row.field);
    SessionOptions shared = sample_options();
    shared.permessage_deflate = row.deflate;
    Session client(Role::client, shared, start);
    ASSERT_EQ(client.request({.host = "a"}), HandshakeError::none);
    take_output(client);
    const std::string response = sample_response(row.field);
    const Closed end = feed_closed(client, bytes_of(response + "\x81\x05Hello"));
    EXPECT_EQ(end.end, SessionEnd::handshake_failed);
    EXPECT_EQ(end.handshake, (HandshakeFailure{row.error, response.size() - 1}));
    EXPECT_EQ(end.http_status, 101U);
    EXPECT_TRUE(client.is_finished());
  }
}

TEST(SessionHandshake, ItHasToBeOverByItsDeadlineHoweverSlowlyBytesCome) {
  const SessionOptions shared = options();
  for (const Role role : {Role::server, Role::client}) {
    Session session(role, shared, start);
    if (role == Role::client) ASSERT_EQ(session.request({.host = "a"}), HandshakeError::none);
    EXPECT_EQ(session.next_deadline(), start + seconds(10));
    feed(session, bytes_of(role == Role::server ? "GET" : "HTTP"));
    session.on_time(start + seconds(10) - milliseconds(1));
    EXPECT_EQ(session.next_deadline(), start + seconds(10));
    EXPECT_EQ(kinds(feed(session, {})), List{});
    session.on_time(start + seconds(10));
    EXPECT_EQ(feed_closed(session).end, SessionEnd::handshake_timeout);
    EXPECT_TRUE(session.is_finished());
    EXPECT_EQ(session.output().count, 0U);
    EXPECT_EQ(session.next_deadline(), no_deadline);
  }
  SessionOptions patient = options();
  patient.handshake_timeout = Duration::zero();
  EXPECT_EQ(Session(Role::server, patient, start).next_deadline(), no_deadline);
}

TEST(SessionHandshake, TheSilenceOfThePeerIsCountedFromItsEndOn) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start);
  feed(server, bytes_of(sample_request));
  server.on_time(start + seconds(9));
  ASSERT_EQ(server.accept(), HandshakeError::none);
  take_output(server);
  server.on_time(start + seconds(9));
  EXPECT_EQ(server.next_deadline(), start + seconds(29));
}

TEST(SessionHandshake, NothingIsSentBeforeItIsOver) {
  const SessionOptions shared = options();
  for (const Role role : {Role::server, Role::client}) {
    Session session(role, shared, start);
    for (const bool waiting : {false, true}) {
      if (waiting && role == Role::server) feed(session, bytes_of(sample_request));
      if (waiting && role == Role::client) ASSERT_EQ(session.request({.host = "a"}), HandshakeError::none);
      const std::size_t queued = session.queued_size();
      EXPECT_EQ(session.send_text("x"), SendStatus::not_open);
      EXPECT_EQ(session.send_fragment(Opcode::binary, {}, false), SendStatus::not_open);
      EXPECT_EQ(session.send_prepared(PreparedMessage::text("x")), SendStatus::not_open);
      EXPECT_EQ(session.send_ping(), SendStatus::not_open);
      EXPECT_EQ(session.close(), SendStatus::not_open);
      EXPECT_TRUE(session.read_target(65536).empty());
      EXPECT_EQ(session.queued_size(), queued);
    }
  }
}

TEST(SessionHandshake, CallsOutOfTurnAreRefused) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start);
  EXPECT_EQ(server.accept(), HandshakeError::call_out_of_turn);
  EXPECT_EQ(server.request({.host = "a"}), HandshakeError::call_out_of_turn);
  feed(server, bytes_of(sample_request));
  ASSERT_EQ(server.accept(), HandshakeError::none);
  EXPECT_EQ(server.accept(), HandshakeError::call_out_of_turn);
  EXPECT_EQ(server.refuse(403), HandshakeError::call_out_of_turn);

  Session client(Role::client, shared, start);
  EXPECT_EQ(client.accept(), HandshakeError::call_out_of_turn);
  EXPECT_EQ(client.refuse(403), HandshakeError::call_out_of_turn);
  ASSERT_EQ(client.request({.host = "a"}), HandshakeError::none);
  EXPECT_EQ(client.request({.host = "a"}), HandshakeError::call_out_of_turn);

  Session begun(Role::client, shared, start, AfterHandshake());
  EXPECT_EQ(begun.request({.host = "a"}), HandshakeError::call_out_of_turn);
}

TEST(SessionHandshake, AStreamThatEndsWithinItIsLost) {
  const SessionOptions shared = options();
  for (const Role role : {Role::server, Role::client}) {
    Session session(role, shared, start);
    if (role == Role::client) ASSERT_EQ(session.request({.host = "a"}), HandshakeError::none);
    session.end_of_input();
    EXPECT_EQ(feed_closed(session, bytes_of(role == Role::server ? "GET" : "HTTP")).end, SessionEnd::connection_lost);
    EXPECT_TRUE(session.is_finished());
  }
  // A request that waits is still answered.
  Session server(Role::server, shared, start);
  server.end_of_input();
  EXPECT_EQ(kinds(feed(server, bytes_of(sample_request))), List{SessionKind::request});
  ASSERT_EQ(server.accept(), HandshakeError::none);
  EXPECT_EQ(feed_closed(server).end, SessionEnd::connection_lost);
}

TEST(SessionHandshake, PauseHoldsItBack) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start);
  server.pause();
  SessionEvent event;
  EXPECT_EQ(next_of(server, sample_request, event), SessionKind::paused);
  server.resume();
  EXPECT_EQ(next_of(server, sample_request, event), SessionKind::request);
  server.pause();
  EXPECT_EQ(server.accept(), HandshakeError::none);
  EXPECT_EQ(next_of(server, "", event), SessionKind::paused);
}

TEST(SessionHandshake, NoneOfItsMemoryIsKeptOnceItIsOver) {
  CountingMemory memory;
  SessionOptions shared = sample_options();
  shared.memory = &memory;
  {
    Session server(Role::server, shared, start);
    Session client(Role::client, shared, start);
    ASSERT_EQ(client.request({.host = "a", .subprotocols = "a-long-name-of-a-subprotocol, b"}), HandshakeError::none);
    ASSERT_NO_FATAL_FAILURE(shake_hands(client, server, take_output(client), 7));
    EXPECT_GT(memory.size(), 0U);
    EXPECT_EQ(kinds(feed(client, {})), List{});
    EXPECT_EQ(kinds(feed(server, {})), List{});
    EXPECT_EQ(memory.size(), 0U);
  }
  {
    const Session waiting(Role::server, shared, start);
    EXPECT_GT(memory.size(), 0U);
    EXPECT_LT(memory.size(), 2048U) << "what a connection costs that says nothing";
  }
  EXPECT_EQ(memory.size(), 0U);
}

// Runs a handshake as far as its memory lets it, and tells whether both ends opened.
bool shakes_hands_in(CountingMemory& memory) {
  SessionOptions shared = sample_options();
  shared.memory = &memory;
  shared.permessage_deflate = true;
  Session client(Role::client, shared, start);
  Session server(Role::server, shared, start);
  const HandshakeError asked = client.request({.host = "a", .subprotocols = "a-long-name-of-a-subprotocol, b"});
  if (asked != HandshakeError::none) {
    const bool client_ended = asked == HandshakeError::call_out_of_turn;
    EXPECT_TRUE(client_ended || asked == HandshakeError::out_of_memory) << name_of(asked);
    EXPECT_EQ(kinds(feed(client, {})), client_ended ? List{SessionKind::closed} : List{});
    return false;
  }
  const std::vector<Told> told = feed(server, take_output(client));
  if (kinds(told) != List{SessionKind::request}) {
    EXPECT_EQ(kinds(told), List{SessionKind::closed});
    if (told.empty()) return false;
    const Closed& end = told[0].closed;
    EXPECT_TRUE(end.end == SessionEnd::out_of_memory || end.handshake.error == HandshakeError::out_of_memory);
    return false;
  }
  const HandshakeError accepted = server.accept("b");
  if (accepted != HandshakeError::none) {
    EXPECT_EQ(accepted, HandshakeError::out_of_memory);
    EXPECT_EQ(server.queued_size(), 0U);
    EXPECT_EQ(server.accept("b"), HandshakeError::none) << "it can be tried again";
    return false;
  }
  const std::vector<Told> answered = feed(client, take_output(server));
  if (kinds(answered) == List{SessionKind::open}) return server.is_open() && client.is_open();
  EXPECT_EQ(kinds(answered), List{SessionKind::closed});
  return false;
}

TEST(SessionHandshake, WhereverMemoryRunsOutItEndsCleanly) {
  CountingMemory enough;
  ASSERT_TRUE(shakes_hands_in(enough));
  EXPECT_GE(enough.allocations, 8U);
  for (std::size_t n = 1; n <= enough.allocations; ++n) {
    SCOPED_TRACE(n);
    CountingMemory memory;
    memory.failing = n;
    EXPECT_FALSE(shakes_hands_in(memory));
    EXPECT_EQ(memory.size(), 0U);
  }
}

}  // namespace
}  // namespace weir::tests
