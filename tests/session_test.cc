// One connection without I/O: what it sends, in which order, and how it ends.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>

#include <weir/session.h>

#include "counting_memory.h"
#include "session_driver.h"

namespace weir::tests {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto text = SessionKind::text;
constexpr auto closed = SessionKind::closed;

TEST(Session, AServerSendsUnmaskedFramesAndAClientMaskedOnes) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  EXPECT_EQ(server.send_text("Hello"), SendStatus::queued);
  EXPECT_EQ(take_output(server), (Bytes{0x81, 0x05, 'H', 'e', 'l', 'l', 'o'}));  // RFC 6455 5.7
  Session client(Role::client, shared, start, AfterHandshake{});
  EXPECT_EQ(client.send_text("Hello"), SendStatus::queued);
  EXPECT_EQ(take_output(client), (Bytes{0x81, 0x85, 0, 0, 0, 0, 'H', 'e', 'l', 'l', 'o'}));
}

TEST(Session, AClientMasksEveryFrameWithAKeyOfItsOwn) {
  struct Counter {
    unsigned char next = 1;
    static void fill(void* self, MutableByteView out) noexcept {
      for (unsigned char& byte : out) byte = static_cast<Counter*>(self)->next++;
    }
  } counter;
  SessionOptions shared = options();
  shared.random = {Counter::fill, &counter};
  shared.max_sent_frame_size = 2;
  Session client(Role::client, shared, start, AfterHandshake{});
  ASSERT_EQ(client.send_binary(Bytes{0, 0, 0}), SendStatus::queued);
  EXPECT_EQ(take_output(client), (Bytes{0x02, 0x82, 1, 2, 3, 4, 1, 2, 0x80, 0x81, 5, 6, 7, 8, 5}));
}

TEST(Session, FragmentsMayBeCutWithinACharacterAndControlFramesGoBetween) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  EXPECT_EQ(server.send_fragment(Opcode::text, Bytes{0xC3}, false), SendStatus::queued);
  EXPECT_EQ(server.send_text("x"), SendStatus::message_under_way);
  EXPECT_EQ(server.send_fragment(Opcode::binary, Bytes{1}, false), SendStatus::message_under_way);
  EXPECT_EQ(server.send_ping(), SendStatus::queued);
  EXPECT_EQ(server.send_fragment(Opcode::text, Bytes{'x'}, true), SendStatus::no_text);
  EXPECT_EQ(server.send_fragment(Opcode::text, {}, true), SendStatus::no_text);
  EXPECT_EQ(server.send_fragment(Opcode::text, Bytes{0xA9}, true), SendStatus::queued);
  EXPECT_EQ(server.send_text("y"), SendStatus::queued);
  EXPECT_EQ(take_output(server), (Bytes{0x01, 0x01, 0xC3, 0x89, 0x00, 0x80, 0x01, 0xA9, 0x81, 0x01, 'y'}));
}

TEST(Session, WhatMayNotBeSentIsRefusedAndChangesNothing) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  EXPECT_EQ(server.send_text("\xff"), SendStatus::no_text);
  EXPECT_EQ(server.send_ping(Bytes(126)), SendStatus::control_frame_too_long);
  EXPECT_EQ(server.close(static_cast<CloseCode>(1005), "x"), SendStatus::close_code_not_allowed);
  EXPECT_EQ(server.close(static_cast<CloseCode>(1006)), SendStatus::close_code_not_allowed);
  EXPECT_EQ(server.close(CloseCode::normal_closure, "\xff"), SendStatus::close_code_not_allowed);
  EXPECT_EQ(server.queued_size(), 0U);
  EXPECT_TRUE(server.is_open());
  EXPECT_EQ(server.close(CloseCode::no_status_received), SendStatus::queued);
  EXPECT_EQ(server.send_text("x"), SendStatus::not_open);
  EXPECT_EQ(server.send_ping(), SendStatus::not_open);
  EXPECT_EQ(server.close(), SendStatus::not_open);
  EXPECT_EQ(take_output(server), (Bytes{0x88, 0x00}));
}

TEST(Session, TheQueueTakesExactlyItsLimitAndControlFramesBeyondIt) {
  SessionOptions shared = options();
  shared.max_queued_size = 10;
  Session server(Role::server, shared, start, AfterHandshake{});
  EXPECT_EQ(server.send_binary(Bytes(11)), SendStatus::queue_full);
  EXPECT_EQ(server.send_binary(Bytes(10)), SendStatus::queued);
  EXPECT_EQ(server.send_binary(Bytes{}), SendStatus::queue_full);  // 12 wait, with the header
  EXPECT_EQ(server.send_ping(), SendStatus::queued);
  take_output(server);
  EXPECT_EQ(server.send_binary(Bytes(10)), SendStatus::queued);
}

TEST(Session, OutputStaysWhereItIsUntilItIsSent) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  ASSERT_EQ(server.send_text("first"), SendStatus::queued);
  const Output before = server.output();
  ASSERT_EQ(before.count, 1U);
  const unsigned char* const data = before.begin()->data();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(server.send_binary(Bytes(1000)), SendStatus::queued);
  feed(server, {0x89, 0x80, 0, 0, 0, 0});
  server.on_time(start + seconds(5));
  EXPECT_EQ(server.output().begin()->data(), data);
  EXPECT_EQ(take_output(server, 7), (Bytes{0x81, 0x05, 'f', 'i', 'r', 's', 't'}));
  EXPECT_EQ(take_output(server).size(), 100 * 1004 + 2);
}

TEST(Session, OnlyTheNewestPingIsAnsweredWhileOneAnswerWaits) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  EXPECT_EQ(kinds(feed(client, {0x89, 0x01, 'a', 0x89, 0x01, 'b'})), (List{SessionKind::ping, SessionKind::ping}));
  EXPECT_EQ(client.output().begin()->size(), 7U);
  for (const unsigned char c : {'c', 'd', 'e'}) {
    feed(client, {0x89, 0x01, c});
    EXPECT_EQ(client.output().count, 1U);  // the transport looks, but cannot send
  }
  EXPECT_EQ(client.queued_size(), 7U);
  EXPECT_EQ(take_output(client), (Bytes{0x8A, 0x81, 0, 0, 0, 0, 'b', 0x8A, 0x81, 0, 0, 0, 0, 'e'}));
}

TEST(Session, APeersCloseIsAnsweredWithItsCodeAndEndsTheSession) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  const std::vector<Told> told = feed(server, {0x88, 0x85, 0, 0, 0, 0, 0x0F, 0xA0, 'b', 'y', 'e', 0xFF, 0xFF});
  ASSERT_EQ(kinds(told), List{closed});
  EXPECT_EQ(told[0].closed.end, SessionEnd::closed);
  EXPECT_EQ(told[0].closed.code, static_cast<CloseCode>(4000));
  EXPECT_EQ(told[0].payload, (Bytes{'b', 'y', 'e'}));
  EXPECT_EQ(told[0].closed.sent_code, static_cast<CloseCode>(4000));
  EXPECT_FALSE(server.is_finished());
  EXPECT_EQ(take_output(server), (Bytes{0x88, 0x02, 0x0F, 0xA0}));
  EXPECT_TRUE(server.is_finished());
}

TEST(Session, AnEmptyCloseIsAnsweredWithAnEmptyClose) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  EXPECT_EQ(feed_closed(client, {0x88, 0x00}).code, CloseCode::no_status_received);
  EXPECT_EQ(take_output(client), (Bytes{0x88, 0x80, 0, 0, 0, 0}));
  EXPECT_FALSE(client.is_finished());  // the server ends the stream (RFC 6455 7.1.1)
  client.end_of_input();
  EXPECT_TRUE(client.is_finished());
}

TEST(Session, OurCloseIsAnsweredAndMessagesBeforeTheAnswerAreStillGivenOut) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  ASSERT_EQ(server.close(CloseCode::going_away, "bye"), SendStatus::queued);
  EXPECT_EQ(take_output(server), (Bytes{0x88, 0x05, 0x03, 0xE9, 'b', 'y', 'e'}));
  const std::vector<Told> told =
      feed(server, {0x81, 0x81, 0, 0, 0, 0, 'x', 0x89, 0x80, 0, 0, 0, 0, 0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE9});
  EXPECT_EQ(kinds(told), (List{text, SessionKind::ping, closed}));
  EXPECT_EQ(told.back().closed.end, SessionEnd::closed);
  EXPECT_EQ(told.back().closed.sent_code, CloseCode::going_away);
  EXPECT_EQ(take_output(server), Bytes{});
  EXPECT_TRUE(server.is_finished());
}

TEST(Session, NothingIsGivenOutAfterTheClose) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  EXPECT_EQ(kinds(feed(client, {0x88, 0x00, 0x81, 0x01, 'x', 0xFF, 0x88, 0x00})), List{closed});
  EXPECT_EQ(kinds(feed(client, {0x81, 0x01, 'x'})), List{});
  client.end_of_input();
  EXPECT_EQ(kinds(feed(client, {})), List{});
}

TEST(Session, ABrokenRuleIsToldToBothSides) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  const Closed end = feed_closed(client, {0x81, 0x01, 0xFF, 0x81, 0x01, 'x'});
  EXPECT_EQ(end.end, SessionEnd::protocol_error);
  EXPECT_EQ(end.error, (Error{ErrorCode::text_not_utf8, 2, 0}));
  EXPECT_EQ(end.code, CloseCode::abnormal_closure);
  EXPECT_EQ(end.sent_code, CloseCode::invalid_payload_data);
  const Bytes sent = take_output(client);
  ASSERT_GE(sent.size(), 8U);
  EXPECT_EQ(Bytes(sent.begin() + 6, sent.begin() + 8), (Bytes{0x03, 0xEF}));
  EXPECT_EQ(std::string(sent.begin() + 8, sent.end()), rule_of(ErrorCode::text_not_utf8));
  EXPECT_TRUE(client.is_finished());
}

TEST(Session, ABrokenRuleAfterOurCloseIsNotToldTwice) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  ASSERT_EQ(client.close(), SendStatus::queued);
  take_output(client);
  EXPECT_EQ(feed_closed(client, {0xF1, 0x00}).end, SessionEnd::protocol_error);
  EXPECT_EQ(take_output(client), Bytes{});
}

TEST(Session, AStreamThatEndsWithoutACloseIsLost) {
  const SessionOptions shared = options();
  for (const bool we_closed : {false, true}) {
    Session client(Role::client, shared, start, AfterHandshake{});
    if (we_closed) ASSERT_EQ(client.close(), SendStatus::queued);
    client.end_of_input();
    const std::vector<Told> told = feed(client, {0x81, 0x01, 'x', 0x81});
    ASSERT_EQ(kinds(told), (List{text, closed})) << "what came before the end is not lost";
    EXPECT_EQ(told[1].closed.end, SessionEnd::connection_lost);
    EXPECT_EQ(told[1].closed.code, CloseCode::abnormal_closure);
    EXPECT_TRUE(client.is_finished());
    EXPECT_EQ(client.send_text("x"), SendStatus::not_open);
  }
}

TEST(Session, PauseLeavesTheCursorUntouchedAndResumeLosesNothing) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  const Bytes bytes = {0x81, 0x01, 'a', 0x81, 0x01, 'b'};
  ByteReader in{ByteView(bytes)};
  SessionEvent event;
  ASSERT_EQ(client.next(in, event), SessionKind::text);
  client.pause();
  EXPECT_EQ(client.next(in, event), SessionKind::paused);
  client.end_of_input();
  EXPECT_EQ(client.next(in, event), SessionKind::paused);
  EXPECT_EQ(in.position(), 3U);
  client.resume();
  ASSERT_EQ(client.next(in, event), SessionKind::text);
  EXPECT_EQ(client.next(in, event), SessionKind::closed);
}

TEST(Session, ASilentPeerIsPingedAndLostWhenItStaysSilent) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  EXPECT_EQ(server.next_deadline(), start + seconds(20));
  server.on_time(start + seconds(20) - milliseconds(1));
  EXPECT_EQ(server.queued_size(), 0U);
  server.on_time(start + seconds(20));
  const Bytes ping = take_output(server);
  ASSERT_EQ(ping.size(), 6U);
  EXPECT_EQ(ping[0], 0x89);
  EXPECT_EQ(server.next_deadline(), start + seconds(40));
  server.on_time(start + seconds(40));
  EXPECT_EQ(feed_closed(server).end, SessionEnd::ping_timeout);
  EXPECT_TRUE(server.is_finished());
  EXPECT_EQ(server.next_deadline(), no_deadline);
}

TEST(Session, AnAnsweredPingTellsTheLatency) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  EXPECT_EQ(client.latency(), microseconds(0));
  client.on_time(start + seconds(20));
  Bytes pong = take_output(client);  // keys are zero
  ASSERT_EQ(pong.size(), 10U);
  pong = {0x8A, 0x04, pong[6], pong[7], pong[8], pong[9]};
  client.on_time(start + seconds(20) + milliseconds(35));
  EXPECT_EQ(kinds(feed(client, {0x8A, 0x01, 'x'})), List{SessionKind::pong});  // nobody asked
  EXPECT_EQ(client.latency(), microseconds(0));
  EXPECT_EQ(kinds(feed(client, pong)), List{SessionKind::pong});
  EXPECT_EQ(client.latency(), milliseconds(35));
  client.on_time(start + seconds(21));
  EXPECT_EQ(client.next_deadline(), start + seconds(41));
}

TEST(Session, AnyByteCountsAsLife) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  client.on_time(start + seconds(20));
  feed(client, {0x81});  // half a header
  client.on_time(start + seconds(39));
  client.on_time(start + seconds(41));
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(client.next_deadline(), start + seconds(59));
}

TEST(Session, APausedSessionDoesNotCountThePeersSilence) {
  SessionOptions shared = options();
  shared.idle_timeout = seconds(60);
  Session server(Role::server, shared, start, AfterHandshake{});
  server.pause();
  for (int i = 0; i < 10; ++i) {
    const Time deadline = server.next_deadline();
    server.on_time(deadline);
    ASSERT_GT(server.next_deadline(), deadline);
  }
  EXPECT_TRUE(server.is_open());
  EXPECT_EQ(server.queued_size(), 0U);
  server.resume();
  server.on_time(server.next_deadline());
  EXPECT_GT(server.queued_size(), 0U) << "pings go on";
}

// Otherwise whoever waits for the deadline never waits.
TEST(Session, AfterOnTimeTheNextDeadlineIsLater) {
  SessionOptions shared = options();
  shared.permessage_deflate = true;
  for (const bool deflate : {false, true}) {
    const auto agreed = deflate ? std::optional(DeflateParameters{}) : std::nullopt;
    for (const Bytes& bytes : {Bytes{}, Bytes{0x01, 0x81, 0, 0, 0, 0, 'a'}, Bytes{0x81, 0x85, 0, 0, 0, 0, 'a'},
                               Bytes{0x81, 0x85, 0, 0}, Bytes{0x81, 0x81, 0, 0, 0, 0, 'a'}}) {
      Session server(Role::server, shared, start, AfterHandshake{agreed});
      feed(server, bytes);
      ASSERT_EQ(server.send_text(std::string(100, 'x')), SendStatus::queued);
      take_output(server);
      while (!server.is_finished()) {
        const Time deadline = server.next_deadline();
        server.on_time(deadline);
        ASSERT_GT(server.next_deadline(), deadline);
        take_output(server);
        feed(server, {});
      }
    }
  }
}

TEST(Session, MemoryThatNoMessageNeedsIsGivenBackAfterASecond) {
  CountingMemory memory;
  SessionOptions shared = options();
  shared.memory = &memory;
  shared.ping_interval = Duration::zero();
  Session client(Role::client, shared, start, AfterHandshake{DeflateParameters{}});
  Session server(Role::server, shared, start, AfterHandshake{DeflateParameters{}});
  ASSERT_EQ(server.send_text(std::string(100000, 'x')), SendStatus::queued);
  EXPECT_EQ(kinds(feed(client, take_output(server))), List{SessionKind::text});
  const std::size_t before = memory.size();
  client.on_time(start);
  EXPECT_EQ(client.next_deadline(), start + seconds(1));
  client.on_time(start + seconds(1));
  EXPECT_LE(memory.size(), before - 100000);
  EXPECT_EQ(client.next_deadline(), no_deadline);
}

TEST(Session, AnIdleConnectionIsClosedWithGoingAway) {
  SessionOptions shared = options();
  shared.ping_interval = Duration::zero();
  shared.idle_timeout = seconds(60);
  Session server(Role::server, shared, start, AfterHandshake{});
  EXPECT_EQ(server.next_deadline(), start + seconds(60));
  server.on_time(start + seconds(60));
  const Closed end = feed_closed(server);
  EXPECT_EQ(end.end, SessionEnd::idle_timeout);
  EXPECT_EQ(end.sent_code, CloseCode::going_away);
  EXPECT_FALSE(server.is_finished());
  EXPECT_EQ(take_output(server), (Bytes{0x88, 0x06, 0x03, 0xE9, 'i', 'd', 'l', 'e'}));
  EXPECT_TRUE(server.is_finished());
}

TEST(Session, ACloseWithoutAnswerTimesOut) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  ASSERT_EQ(server.close(), SendStatus::queued);
  EXPECT_LE(server.next_deadline(), start);  // tell it the time
  server.on_time(start + seconds(3));
  EXPECT_EQ(server.next_deadline(), start + seconds(13));
  server.on_time(start + seconds(13));
  EXPECT_EQ(feed_closed(server).end, SessionEnd::close_timeout);
  EXPECT_TRUE(server.is_finished());
}

TEST(Session, AClientDoesNotWaitForTheEndOfTheStreamForEver) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{});
  feed(client, {0x88, 0x00});
  take_output(client);
  client.on_time(start);
  EXPECT_FALSE(client.is_finished());
  client.on_time(client.next_deadline());
  EXPECT_TRUE(client.is_finished());
}

TEST(Session, APreparedMessageIsSharedByServersAndMaskedByClients) {
  const SessionOptions shared = options();
  const auto message = PreparedMessage::text("news");
  ASSERT_FALSE(message.is_empty());
  Session one(Role::server, shared, start, AfterHandshake{});
  Session two(Role::server, shared, start, AfterHandshake{});
  ASSERT_EQ(one.send_prepared(message), SendStatus::queued);
  ASSERT_EQ(two.send_prepared(message), SendStatus::queued);
  EXPECT_EQ(one.output().begin()->data(), two.output().begin()->data());
  EXPECT_EQ(take_output(one), (Bytes{0x81, 0x04, 'n', 'e', 'w', 's'}));
  Session client(Role::client, shared, start, AfterHandshake{});
  ASSERT_EQ(client.send_prepared(message), SendStatus::queued);
  EXPECT_EQ(take_output(client), (Bytes{0x81, 0x84, 0, 0, 0, 0, 'n', 'e', 'w', 's'}));
  EXPECT_TRUE(PreparedMessage::text("\xff").is_empty());
}

TEST(Session, APreparedMessageLivesUntilItIsSent) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  {
    const auto message = PreparedMessage::binary(Bytes(1000, 7));
    ASSERT_EQ(server.send_prepared(message), SendStatus::queued);
  }
  EXPECT_EQ(take_output(server).size(), 1004U);
}

TEST(Session, AnIdleConnectionTakesNoMoreThan160BytesInAll) {
  CountingMemory memory;
  SessionOptions shared = options();
  shared.memory = &memory;
  const auto session = std::make_unique<Session>(Role::server, shared, start, AfterHandshake{});
  EXPECT_LE(sizeof *session, 160U);
  EXPECT_EQ(memory.size(), 0U);
  // A message that is cut, with a ping in between and an answer.
  feed(*session, {0x01, 0x81, 0, 0, 0, 0, 'a', 0x89, 0x81, 0, 0, 0, 0, 'p'});
  feed(*session, {0x80, 0x81, 0, 0, 0, 0, 'b'});
  ASSERT_EQ(session->send_text("answer"), SendStatus::queued);
  EXPECT_GT(memory.size(), 0U);
  EXPECT_EQ(session->memory_size(), memory.size());
  take_output(*session);
  session->on_time(start + seconds(1));
  session->on_time(start + seconds(2));
  EXPECT_EQ(memory.size(), 0U);
  EXPECT_EQ(session->memory_size(), 0U);
}

TEST(Session, ALargeMessageIsReceivedWhereItStays) {
  const SessionOptions shared = options();
  Session server(Role::server, shared, start, AfterHandshake{});
  Bytes payload(100000);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<unsigned char>(i * 7);
  Session client(Role::client, shared, start, AfterHandshake{});
  ASSERT_EQ(client.send_binary(payload), SendStatus::queued);
  const Bytes stream = take_output(client);
  EXPECT_TRUE(server.read_target(65536).empty());
  ByteReader in{ByteView(stream).first(5000)};
  SessionEvent event;
  ASSERT_EQ(server.next(in, event), SessionKind::need_input);
  std::size_t at = 5000;
  SessionKind kind = SessionKind::need_input;
  int reads = 0;
  while (kind == SessionKind::need_input) {
    const MutableByteView target = server.read_target(32768);
    ASSERT_FALSE(target.empty()) << at;
    ASSERT_LE(target.size(), 32768U);
    const std::size_t size = std::min<std::size_t>(target.size(), 20000);
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, target.begin());
    at += size;
    ++reads;
    kind = server.next_in_target(size, event);
    if (stream.size() - at < 16384 && kind == SessionKind::need_input) {
      EXPECT_TRUE(server.read_target(32768).empty()) << "a short rest is not worth a read";
      ByteReader rest{ByteView(stream).drop(at)};
      kind = server.next(rest, event);
    }
  }
  ASSERT_EQ(kind, SessionKind::binary);
  EXPECT_GE(reads, 4);
  EXPECT_EQ(Bytes(event.message.payload.begin(), event.message.payload.end()), payload);
}

TEST(Session, WithoutMemoryAnAnswerEndsTheSessionAndAMessageIsRefused) {
  SessionOptions shared = options();
  shared.memory = std::pmr::null_memory_resource();
  Session client(Role::client, shared, start, AfterHandshake{});
  EXPECT_EQ(client.send_text("x"), SendStatus::out_of_memory);
  EXPECT_TRUE(client.is_open());
  EXPECT_EQ(feed_closed(client, {0x89, 0x00}).end, SessionEnd::out_of_memory);
  EXPECT_TRUE(client.is_finished());
}

TEST(Session, CompressedMessagesComeBackAndSmallOrSecretOnesAreSentAsTheyAre) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{DeflateParameters{}});
  Session server(Role::server, shared, start, AfterHandshake{DeflateParameters{}});
  const std::string message(500, 'a');
  ASSERT_EQ(client.send_text(message), SendStatus::queued);
  Bytes sent = take_output(client);
  EXPECT_LT(sent.size(), 50U);
  EXPECT_EQ(sent[0], 0xC1);
  const std::vector<Told> told = feed(server, sent);
  ASSERT_EQ(kinds(told), List{text});
  EXPECT_EQ(std::string(told[0].payload.begin(), told[0].payload.end()), message);
  ASSERT_EQ(client.send_text(message, Compress::never), SendStatus::queued);
  EXPECT_EQ(take_output(client)[0], 0x81);
  ASSERT_EQ(client.send_text("short"), SendStatus::queued);
  EXPECT_EQ(take_output(client)[0], 0x81);
}

TEST(Session, ALargeCompressedMessageIsInflatedHoweverItIsReceived) {
  const SessionOptions shared = options();
  Session client(Role::client, shared, start, AfterHandshake{DeflateParameters{}});
  Session server(Role::server, shared, start, AfterHandshake{DeflateParameters{}});
  Bytes noise(100000);
  unsigned state = 1;
  for (unsigned char& byte : noise) byte = static_cast<unsigned char>((state = state * 1103515245 + 12345) >> 16U);
  ASSERT_EQ(server.send_binary(noise), SendStatus::queued);
  const Bytes stream = take_output(server);
  ASSERT_EQ(stream[0], 0xC2);
  ByteReader in{ByteView(stream).first(100)};
  SessionEvent event;
  SessionKind kind = client.next(in, event);
  std::size_t at = 100;
  while (kind == SessionKind::need_input && at < stream.size()) {
    const std::size_t size = std::min<std::size_t>(stream.size() - at, 20000);
    const ByteView part = ByteView(stream).drop(at).first(size);
    const MutableByteView target = client.read_target(size);
    ByteReader elsewhere(part);
    if (target.size() < size) {
      kind = client.next(elsewhere, event);
    } else {
      std::copy(part.begin(), part.end(), target.begin());
      kind = client.next_in_target(size, event);
    }
    at += size;
  }
  ASSERT_EQ(kind, SessionKind::binary);
  EXPECT_EQ(Bytes(event.message.payload.begin(), event.message.payload.end()), noise);
}

TEST(Session, WithoutTakeoverAMessageThatDoesNotShrinkIsSentAsItIs) {
  const SessionOptions shared = options();
  DeflateParameters agreed;
  agreed.server_no_context_takeover = true;
  Session server(Role::server, shared, start, AfterHandshake{agreed});
  Bytes noise(200);
  unsigned state = 1;
  for (unsigned char& byte : noise) byte = static_cast<unsigned char>((state = state * 1103515245 + 12345) >> 16U);
  ASSERT_EQ(server.send_binary(noise), SendStatus::queued);
  EXPECT_EQ(take_output(server)[0], 0x82);
}

}  // namespace
}  // namespace weir::tests
