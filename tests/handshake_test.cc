// The opening handshake: every rule of a head at its edge, and what the writers let out.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <weir/handshake.h>

#include "base64.h"
#include "counting_memory.h"
#include "sha1.h"
#include "trace.h"

namespace weir::tests {
namespace {

constexpr std::string_view sample_key = "dGhlIHNhbXBsZSBub25jZQ==";  // RFC 6455 1.3

std::string hex_of(const Sha1Digest& digest) { return hex(Bytes(digest.begin(), digest.end())); }

TEST(Sha1, HashesTheVectorsOfFips180) {
  EXPECT_EQ(hex_of(sha1(as_bytes("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex_of(sha1({})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(hex_of(sha1(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex_of(sha1(as_bytes("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmn"
                                 "opqrlmnopqrsmnopqrstnopqrstu"))),
            "a49b2446a02c645bf419f995b67091253a04a259");
  EXPECT_EQ(hex_of(sha1(as_bytes(std::string(1000000, 'a')))), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(Sha1, OfSixtyBytesIsTheSameAsOfAnyBytes) {
  std::array<unsigned char, 60> bytes{};
  for (unsigned seed = 0; seed < 200; ++seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes.at(i) = static_cast<unsigned char>(seed * 31 + i * 7);
    EXPECT_EQ(sha1_of_60(bytes), sha1(ByteView(bytes)));
  }
}

TEST(AcceptValue, IsThatOfTheRfc) {  // RFC 6455 1.3
  const AcceptValue value = accept_value(sample_key);
  EXPECT_EQ(value.view(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(KeyText, IsTheNonceInBase64) {  // RFC 6455 1.3, 4.1: the sample's nonce; 1 to 16
  std::array<unsigned char, 16> nonce{'t', 'h', 'e', ' ', 's', 'a', 'm', 'p', 'l', 'e', ' ', 'n', 'o', 'n', 'c', 'e'};
  const KeyText sample = key_text(nonce);
  EXPECT_EQ(sample.view(), sample_key);
  for (std::size_t i = 0; i < nonce.size(); ++i) nonce.at(i) = static_cast<unsigned char>(i + 1);
  const KeyText counted = key_text(nonce);
  EXPECT_EQ(counted.view(), "AQIDBAUGBwgJCgsMDQ4PEA==");
}

TEST(Base64, OfSixteenBytesHasTwentyTwoDigitsWithoutLooseBits) {  // RFC 4648 3.5, 4
  EXPECT_TRUE(is_base64_of_16_bytes("AQIDBAUGBwgJCgsMDQ4PEA=="));
  EXPECT_TRUE(is_base64_of_16_bytes("+/+/+/+/+/+/+/+/+/+/+w=="));
  for (const std::string_view text :
       {"", "AQIDBAUGBwgJCgsMDQ4PEB==", "AQIDBAUGBwgJCgsMDQ4PE===", "AQIDBAUGBwgJCgsMDQ4PEA=", "AQIDBAUGBwgJCgsMDQ4PEA",
        "AQIDBAUGBwgJCgsMDQ4PEA===", "AQIDBAUGBwgJCgsMDQ4P EA=", "-_-_-_-_-_-_-_-_-_-_-w==",
        "AQIDBAUGBwgJCgsMDQ4PEBES"}) {
    EXPECT_FALSE(is_base64_of_16_bytes(text)) << text;
  }
}

// A request, line by line, that a row of a table changes.
struct Head {
  std::string first = "GET /chat HTTP/1.1";
  std::vector<std::string> fields = {"Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade",
                                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"};

  std::string text() const {
    std::string text = first + "\r\n";
    for (const std::string& field : fields) text += field + "\r\n";
    return text + "\r\n";
  }
};

struct Read {
  HandshakeKind kind;
  HandshakeFailure failure;
  std::size_t left;
};

Read read_request(const std::string& text, const HandshakeLimits& limits = {}) {
  RequestReader reader(limits);
  UpgradeRequest request;
  ByteReader in(as_bytes(text));
  const HandshakeKind kind = reader.next(in, request);
  return {kind, reader.failure(), in.remaining_size()};
}

HandshakeError error_of(const std::string& text, const HandshakeLimits& limits = {}) {
  const Read read = read_request(text, limits);
  return read.kind == HandshakeKind::need_input ? HandshakeError::out_of_memory : read.failure.error;
}

TEST(Request, FirstLinesAreJudged) {  // RFC 9112 3
  const std::vector<std::pair<std::string, HandshakeError>> table = {
      {"GET / HTTP/1.1", HandshakeError::none},
      {"GET * HTTP/1.1", HandshakeError::none},
      {"GET ws://example.com/chat?a=b HTTP/1.1", HandshakeError::none},
      {"GET /\xc3\xa9 HTTP/1.1", HandshakeError::none},
      {"GET / HTTP/1.0", HandshakeError::http_version_not_1_1},
      {"GET / HTTP/1.2", HandshakeError::http_version_not_1_1},
      {"GET / HTTP/2.0", HandshakeError::http_version_not_1_1},
      {"GET / HTTP/1.10", HandshakeError::request_line_invalid},
      {"GET / http/1.1", HandshakeError::request_line_invalid},
      {"GET / HTTP/1.1 ", HandshakeError::request_line_invalid},
      {"GET /  HTTP/1.1", HandshakeError::request_line_invalid},
      {"GET  / HTTP/1.1", HandshakeError::request_line_invalid},
      {" GET / HTTP/1.1", HandshakeError::request_line_invalid},
      {"GET\t/ HTTP/1.1", HandshakeError::request_line_invalid},
      {"GET /a\tb HTTP/1.1", HandshakeError::request_line_invalid},
      {"GET / ", HandshakeError::request_line_invalid},
      {"GET /", HandshakeError::request_line_invalid},
      {"GET", HandshakeError::request_line_invalid},
      {"", HandshakeError::request_line_invalid},
      {"get / HTTP/1.1", HandshakeError::method_not_get},
      {"POST / HTTP/1.1", HandshakeError::method_not_get},
      {"CONNECT a:1 HTTP/1.1", HandshakeError::method_not_get},
      {"G(T / HTTP/1.1", HandshakeError::request_line_invalid},
      {std::string("GET /\0 HTTP/1.1", 15), HandshakeError::control_character},
      {"GET /\x7f HTTP/1.1", HandshakeError::control_character},
      {"GET /\rx HTTP/1.1", HandshakeError::control_character},
  };
  for (const auto& [line, error] : table) {
    Head head;
    head.first = line;
    EXPECT_EQ(error_of(head.text()), error) << line;
  }
}

TEST(Request, FieldsMoreAreJudged) {
  const std::vector<std::pair<std::string, HandshakeError>> table = {
      {"X-Empty:", HandshakeError::none},
      {"X-Blank: \t ", HandshakeError::none},
      {"X-Tab: a\tb", HandshakeError::none},
      {"X-Latin: \xe9\xff", HandshakeError::none},
      {"Content-Length: 0", HandshakeError::none},
      {"Upgrade: h2c", HandshakeError::none},
      {"Connection: keep-alive", HandshakeError::none},
      {"Origin: null", HandshakeError::none},
      {"x", HandshakeError::field_name_invalid},
      {": x", HandshakeError::field_name_invalid},
      {"X : x", HandshakeError::field_name_invalid},
      {"X\t: x", HandshakeError::field_name_invalid},
      {"X(: x", HandshakeError::field_name_invalid},
      {"\xe9: x", HandshakeError::field_name_invalid},
      {" folded", HandshakeError::field_folded},
      {"\tfolded", HandshakeError::field_folded},
      {"X: a\rb", HandshakeError::control_character},
      {"X: a\nb", HandshakeError::line_feed_alone},
      {"X: \x01", HandshakeError::control_character},
      {"X: \x1f", HandshakeError::control_character},
      {"X: \x7f", HandshakeError::control_character},
      {std::string("X: \0", 4), HandshakeError::control_character},
      {"Host: b", HandshakeError::field_repeated},
      {"hOST: b", HandshakeError::field_repeated},
      {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", HandshakeError::field_repeated},
      {"Sec-WebSocket-Version: 13", HandshakeError::field_repeated},
      {"Content-Length: 1", HandshakeError::body_present},
      {"Content-Length: 00", HandshakeError::body_present},
      {"Content-Length:", HandshakeError::body_present},
      {"Transfer-Encoding: chunked", HandshakeError::body_present},
      {"Sec-WebSocket-Protocol: chat, superchat", HandshakeError::none},
      {"Sec-WebSocket-Protocol: chat,,superchat,", HandshakeError::none},
      {"Sec-WebSocket-Protocol: chat, Chat", HandshakeError::none},
      {"Sec-WebSocket-Protocol: chat, chat", HandshakeError::subprotocol_invalid},
      {"Sec-WebSocket-Protocol: cha t", HandshakeError::subprotocol_invalid},
      {"Sec-WebSocket-Protocol: a/b", HandshakeError::subprotocol_invalid},
      {"Sec-WebSocket-Extensions: foo; a=\"b\", bar", HandshakeError::none},
      {"Sec-WebSocket-Extensions: foo bar", HandshakeError::extension_invalid},
      {"Sec-WebSocket-Extensions: foo; a=\"b", HandshakeError::extension_invalid},
      {"Sec-WebSocket-Extensions: foo; =b", HandshakeError::extension_invalid},
  };
  for (const auto& [field, error] : table) {
    for (const bool in_front : {false, true}) {
      Head head;
      head.fields.insert(in_front ? head.fields.begin() : head.fields.end(), field);
      EXPECT_EQ(error_of(head.text()), error) << field << (in_front ? " in front" : " behind");
    }
  }
}

TEST(Request, FieldsThatAreNeededAreMissed) {
  const std::vector<std::pair<std::size_t, HandshakeError>> table = {{0, HandshakeError::host_missing},
                                                                     {1, HandshakeError::upgrade_missing},
                                                                     {2, HandshakeError::connection_missing},
                                                                     {3, HandshakeError::key_invalid},
                                                                     {4, HandshakeError::version_missing}};
  for (const auto& [index, error] : table) {
    Head head;
    head.fields.erase(head.fields.begin() + static_cast<std::ptrdiff_t>(index));
    EXPECT_EQ(error_of(head.text()), error);
  }
}

TEST(Request, FieldsAreAcceptedAsPeersSendThem) {
  const std::vector<std::pair<std::size_t, std::string>> table = {
      {1, "UPGRADE:WebSocket"},  {1, "Upgrade: h2c, WEBSOCKET"}, {2, "Connection: keep-alive, Upgrade"},
      {2, "connection:upgrade"}, {2, "Connection: Upgrade,"},    {3, "sec-websocket-key:\t dGhlIHNhbXBsZSBub25jZQ==  "},
      {0, "Host: [::1]:8080"}};
  for (const auto& [index, field] : table) {
    Head head;
    head.fields.at(index) = field;
    EXPECT_EQ(error_of(head.text()), HandshakeError::none) << field;
  }
}

TEST(Request, VersionsOtherThan13AreRefusedWith426) {  // RFC 6455 4.4
  for (const std::string version : {"8", "14", "0", "013", "13, 8", "8, 13", "", "+13"}) {
    Head head;
    head.fields.at(4) = "Sec-WebSocket-Version: " + version;
    EXPECT_EQ(error_of(head.text()), HandshakeError::version_not_13) << version;
  }
  EXPECT_EQ(status_of(HandshakeError::version_not_13), 426U);
}

TEST(Request, EveryLimitHoldsExactly) {
  const Head head;
  const std::string text = head.text();
  HandshakeLimits limits;
  limits.max_head_size = text.size();
  EXPECT_EQ(error_of(text, limits), HandshakeError::none);
  limits.max_head_size = text.size() - 1;
  EXPECT_EQ(error_of(text, limits), HandshakeError::head_too_big);

  limits = {};
  limits.max_line_size = 43;  // Sec-WebSocket-Key: and its value
  EXPECT_EQ(error_of(text, limits), HandshakeError::none);
  limits.max_line_size = 42;
  EXPECT_EQ(error_of(text, limits), HandshakeError::field_too_long);
  Head long_target;
  long_target.first = "GET /" + std::string(40, 'a') + " HTTP/1.1";
  limits.max_line_size = long_target.first.size();
  EXPECT_EQ(error_of(long_target.text(), limits), HandshakeError::none);
  limits.max_line_size -= 1;
  EXPECT_EQ(error_of(long_target.text(), limits), HandshakeError::target_too_long);

  limits = {};
  limits.max_field_count = 5;
  EXPECT_EQ(error_of(text, limits), HandshakeError::none);
  limits.max_field_count = 4;
  EXPECT_EQ(error_of(text, limits), HandshakeError::too_many_fields);

  Head offers;
  offers.fields.push_back("Sec-WebSocket-Extensions: a, b");
  offers.fields.push_back("Sec-WebSocket-Extensions: c");
  limits = {};
  limits.max_extension_count = 3;
  EXPECT_EQ(error_of(offers.text(), limits), HandshakeError::none);
  limits.max_extension_count = 2;
  EXPECT_EQ(error_of(offers.text(), limits), HandshakeError::too_many_extensions);
}

TEST(Request, TheDefaultLimitsAreThoseOfTheDocuments) {  // 16 KiB, 8 KiB a line, 100 fields, 16 offers
  Head fields;
  while (fields.fields.size() < 100) fields.fields.push_back("X: y");
  EXPECT_EQ(error_of(fields.text()), HandshakeError::none);
  fields.fields.push_back("X: y");
  EXPECT_EQ(error_of(fields.text()), HandshakeError::too_many_fields);

  Head line;
  line.fields.push_back("X: " + std::string(8189, 'y'));
  EXPECT_EQ(error_of(line.text()), HandshakeError::none);
  line.fields.back() += 'y';
  EXPECT_EQ(error_of(line.text()), HandshakeError::field_too_long);

  Head big;
  for (int i = 0; i < 2; ++i) big.fields.push_back("X: " + std::string(8000, 'y'));
  big.fields.push_back("Y: ");
  big.fields.back() += std::string(16384 - big.text().size(), 'z');
  EXPECT_EQ(error_of(big.text()), HandshakeError::none);
  big.fields.back() += 'z';
  EXPECT_EQ(error_of(big.text()), HandshakeError::head_too_big);

  Head offers;
  offers.fields.push_back("Sec-WebSocket-Extensions: a");
  for (int i = 1; i < 16; ++i) offers.fields.back() += ", a";
  EXPECT_EQ(error_of(offers.text()), HandshakeError::none);
  offers.fields.back() += ", a";
  EXPECT_EQ(error_of(offers.text()), HandshakeError::too_many_extensions);
}

TEST(Request, AFaultIsToldAtTheByteThatCompletesIt) {
  const auto offset_of = [](const std::string& text) { return read_request(text).failure.offset; };
  EXPECT_EQ(offset_of("GET / HTTP/1.1\n"), 14U);
  EXPECT_EQ(offset_of("GET / HTTP/1.1\r\nHost: a\r\n b\r\n"), 25U);
  EXPECT_EQ(offset_of("GET / HTTP/1.1\r\nHost: \x01\r\n"), 22U);
  EXPECT_EQ(offset_of("GET / HTTP/1.1\r\nHo st: a\r\n"), 18U);
  HandshakeLimits limits;
  limits.max_line_size = 20;
  EXPECT_EQ(read_request("GET / HTTP/1.1\r\nX: 12345678901234567890", limits).failure.offset, 16U + 22U);
  const std::string no_host = "GET / HTTP/1.1\r\n\r\n";
  EXPECT_EQ(offset_of(no_host), no_host.size() - 1);
}

TEST(Request, NothingBehindTheHeadIsTaken) {
  const Read read = read_request(Head().text() + "\x81\x80\r\n\r\n");
  EXPECT_EQ(read.kind, HandshakeKind::head);
  EXPECT_EQ(read.left, 6U);
}

TEST(Request, AnErrorIsForGood) {
  RequestReader reader;
  UpgradeRequest request;
  ByteReader bad(as_bytes("GET / HTTP/1.1\n"));
  ASSERT_EQ(reader.next(bad, request), HandshakeKind::error);
  const std::string good = Head().text();
  ByteReader in(as_bytes(good));
  EXPECT_EQ(reader.next(in, request), HandshakeKind::error);
  EXPECT_EQ(in.remaining_size(), good.size());
  EXPECT_EQ(reader.failure(), (HandshakeFailure{HandshakeError::line_feed_alone, 14}));
}

TEST(Request, TellsWhatItSays) {
  Head head;
  head.fields.push_back("Origin: http://example.com");
  head.fields.push_back("Sec-WebSocket-Protocol: chat");
  head.fields.push_back("sec-websocket-protocol: ,superchat , mqtt");
  head.fields.push_back("Sec-WebSocket-Extensions: foo; a=1");
  head.fields.push_back("Sec-WebSocket-Extensions: bar");
  const std::string text = head.text();
  RequestReader reader;
  UpgradeRequest request;
  ByteReader in(as_bytes(text));
  ASSERT_EQ(reader.next(in, request), HandshakeKind::head);
  EXPECT_EQ(request.target, "/chat");
  EXPECT_EQ(request.host, "server.example.com");
  EXPECT_EQ(request.origin, "http://example.com");
  EXPECT_EQ(request.key, sample_key);
  EXPECT_EQ(request.fields.find("UPGRADE"), "websocket");
  EXPECT_EQ(request.fields.find("X-None"), "");
  std::vector<std::string> names;
  TokenList subprotocols = request.subprotocols();
  for (std::string_view name; subprotocols.next(name);) names.emplace_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"chat", "superchat", "mqtt"}));
  EXPECT_TRUE(request.offers_subprotocol("mqtt"));
  EXPECT_FALSE(request.offers_subprotocol("MQTT"));
  std::vector<std::string> extensions;
  ExtensionList list = request.extensions();
  for (Extension extension; list.next(extension) == ListKind::element;) extensions.emplace_back(extension.name);
  EXPECT_EQ(extensions, (std::vector<std::string>{"foo", "bar"}));
}

TEST(Request, WithoutMemoryIsAnError) {
  CountingMemory memory;
  for (std::size_t n = 1; n < 20; ++n) {
    memory.allocations = 0;
    memory.failing = n;
    RequestReader reader({}, &memory);
    UpgradeRequest request;
    const std::string text = Head().text();
    HandshakeKind kind = HandshakeKind::need_input;
    for (std::size_t at = 0; at < text.size() && kind == HandshakeKind::need_input; ++at) {
      ByteReader in(as_bytes(std::string_view(text).substr(at, 1)));
      kind = reader.next(in, request);
    }
    const bool failed = memory.allocations >= n;
    EXPECT_EQ(kind, failed ? HandshakeKind::error : HandshakeKind::head);
    EXPECT_EQ(reader.failure().error, failed ? HandshakeError::out_of_memory : HandshakeError::none);
  }
  EXPECT_EQ(memory.size(), 0U);
}

// A response, read by who sent the sample key.
HandshakeError response_error(const std::string& text, const OfferedNames& offered = {}) {
  ResponseReader reader(accept_value(sample_key), offered);
  UpgradeResponse response;
  ByteReader in(as_bytes(text));
  return reader.next(in, response) == HandshakeKind::need_input ? HandshakeError::out_of_memory
                                                                : reader.failure().error;
}

const std::string response_fields =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";

TEST(Response, StatusLinesAreJudged) {  // RFC 9112 4
  const std::vector<std::pair<std::string, HandshakeError>> table = {
      {"HTTP/1.1 101 Switching Protocols", HandshakeError::none},
      {"HTTP/1.1 101 ", HandshakeError::none},
      {"HTTP/1.1 101", HandshakeError::none},
      {"HTTP/1.1 101 Web Socket Protocol Handshake \xc3\xa9", HandshakeError::none},
      {"HTTP/1.0 101 x", HandshakeError::http_version_not_1_1},
      {"HTTP/1.1 200 OK", HandshakeError::status_not_101},
      {"HTTP/1.1 401 Unauthorized", HandshakeError::status_not_101},
      {"HTTP/1.1 1010", HandshakeError::status_line_invalid},
      {"HTTP/1.1 10", HandshakeError::status_line_invalid},
      {"HTTP/1.1 099 x", HandshakeError::status_line_invalid},
      {"HTTP/1.1 1x1 x", HandshakeError::status_line_invalid},
      {"HTTP/1.1  101", HandshakeError::status_line_invalid},
      {"HTTP/1.1\t101 x", HandshakeError::http_version_not_1_1},
      {"http/1.1 101 x", HandshakeError::status_line_invalid},
      {"", HandshakeError::status_line_invalid},
      {"HTTP/1.1 101 \x01", HandshakeError::control_character},
  };
  for (const auto& [line, error] : table) {
    EXPECT_EQ(response_error(line + "\r\n" + response_fields + "\r\n"), error) << line;
  }
}

TEST(Response, OnlyWhatWasOfferedMayComeBack) {  // RFC 6455 4.1
  const OfferedNames offered = {.subprotocols = "chat, superchat", .extensions = "foo, bar; a=1"};
  const std::vector<std::pair<std::string, HandshakeError>> table = {
      {"Sec-WebSocket-Protocol: superchat", HandshakeError::none},
      {"Sec-WebSocket-Protocol: Chat", HandshakeError::subprotocol_not_offered},
      {"Sec-WebSocket-Protocol: chat, superchat", HandshakeError::subprotocol_invalid},
      {"Sec-WebSocket-Protocol:", HandshakeError::subprotocol_invalid},
      {"Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: chat", HandshakeError::field_repeated},
      {"Sec-WebSocket-Extensions: bar; b, foo", HandshakeError::none},
      {"Sec-WebSocket-Extensions: baz", HandshakeError::extension_not_offered},
      {"Sec-WebSocket-Extensions: foo\r\nSec-WebSocket-Extensions: foo", HandshakeError::extension_invalid},
      {"Sec-WebSocket-Extensions: foo;", HandshakeError::extension_invalid},
      {"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", HandshakeError::field_repeated},
  };
  for (const auto& [field, error] : table) {
    EXPECT_EQ(response_error("HTTP/1.1 101\r\n" + response_fields + field + "\r\n\r\n", offered), error) << field;
  }
}

TEST(Response, StatusAndFieldsOfARefusalAreTold) {
  ResponseReader reader(accept_value(sample_key), {});
  UpgradeResponse response;
  ByteReader in(as_bytes("HTTP/1.1 302 Found\r\nLocation: ws://b/\r\n\r\nbody"));
  ASSERT_EQ(reader.next(in, response), HandshakeKind::error);
  EXPECT_EQ(reader.failure().error, HandshakeError::status_not_101);
  EXPECT_EQ(response.status, 302U);
  EXPECT_EQ(response.reason, "Found");
  EXPECT_EQ(response.fields.find("location"), "ws://b/");
}

constexpr std::array<unsigned char, 16> nonce{'t', 'h', 'e', ' ', 's', 'a', 'm', 'p',
                                              'l', 'e', ' ', 'n', 'o', 'n', 'c', 'e'};

TEST(WriteRequest, WritesTheFieldsOfTheRfc) {  // RFC 6455 4.1
  std::pmr::string out = "before";
  const std::array<HttpField, 1> fields{{{"Cookie", "a=b"}}};
  ASSERT_EQ(write_request({.target = "/chat",
                           .host = "server.example.com",
                           .origin = "http://example.com",
                           .subprotocols = "chat, superchat",
                           .extensions = "permessage-deflate"},
                          nonce, fields, out),
            HandshakeError::none);
  EXPECT_EQ(out,
            "beforeGET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Origin: http://example.com\r\nSec-WebSocket-Protocol: chat, superchat\r\n"
            "Sec-WebSocket-Extensions: permessage-deflate\r\nCookie: a=b\r\n\r\n");
}

const std::vector<std::string> injections = {
    "a\r\nX: y", "a\nb", "a\rb", std::string("a\0b", 3), "a\x01", "a\x7f", "a\r", "\nb", " a", "a ", "\ta", "a\t"};

TEST(Writers, LetNoFieldOutThatWouldBreakTheHead) {
  const std::string good_request = Head().text();
  RequestReader reader;
  UpgradeRequest request;
  ByteReader in(as_bytes(good_request));
  ASSERT_EQ(reader.next(in, request), HandshakeKind::head);

  for (const std::string& bad : injections) {
    std::pmr::string out = "before";
    const auto refused = [&out](HandshakeError error) { return error != HandshakeError::none && out == "before"; };
    const std::array<HttpField, 2> value{{{"X-Good", "good"}, {"X", bad}}};
    const std::array<HttpField, 2> name{{{"X-Good", "good"}, {bad, "x"}}};
    EXPECT_TRUE(refused(write_request({.host = "a"}, nonce, value, out)));
    EXPECT_TRUE(refused(write_request({.host = "a"}, nonce, name, out)));
    EXPECT_TRUE(refused(write_request({.target = "/" + bad, .host = "a"}, nonce, {}, out)));
    EXPECT_TRUE(refused(write_request({.host = bad}, nonce, {}, out)));
    EXPECT_TRUE(refused(write_request({.host = "a", .origin = bad}, nonce, {}, out)));
    EXPECT_TRUE(refused(write_request({.host = "a", .subprotocols = bad + "\r\n"}, nonce, {}, out)));
    EXPECT_TRUE(refused(write_request({.host = "a", .extensions = bad + "\r\n"}, nonce, {}, out)));
    EXPECT_TRUE(refused(write_acceptance(request, {}, {}, value, out)));
    EXPECT_TRUE(refused(write_acceptance(request, {}, {}, name, out)));
    EXPECT_TRUE(refused(write_acceptance(request, bad, {}, {}, out)));
    EXPECT_TRUE(refused(write_acceptance(request, {}, bad + "\r\n", {}, out)));
    EXPECT_TRUE(refused(write_refusal(403, "text", value, out)));
    EXPECT_TRUE(refused(write_refusal(403, "text", name, out)));
  }
}

TEST(Writers, LetNoFieldOutThatTheyWriteThemselves) {
  for (const std::string_view name :
       {"host", "UPGRADE", "Connection", "Content-Length", "Transfer-Encoding", "Sec-WebSocket-Key", "Origin",
        "Sec-WebSocket-Accept", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "sec-websocket-extensions"}) {
    std::pmr::string out;
    const std::array<HttpField, 1> field{{{name, "x"}}};
    EXPECT_EQ(write_request({.host = "a"}, nonce, field, out), HandshakeError::field_not_writable) << name;
    EXPECT_EQ(write_refusal(400, {}, field, out), HandshakeError::field_not_writable) << name;
    EXPECT_EQ(out, "");
  }
}

TEST(WriteRefusal, TakesStatusesFrom300To599) {
  for (const unsigned status : {0U, 101U, 200U, 299U, 600U, 1000U}) {
    std::pmr::string out;
    EXPECT_EQ(write_refusal(status, {}, {}, out), HandshakeError::status_not_writable) << status;
  }
  std::pmr::string out;
  EXPECT_EQ(write_refusal(300, "why", {}, out), HandshakeError::none);
  EXPECT_TRUE(out.ends_with("Content-Length: 3\r\n\r\nwhy")) << out;
  EXPECT_EQ(write_refusal(599, {}, {}, out), HandshakeError::none);
}

TEST(WriteRefusal, Of426And405SaysWhatIsWanted) {  // RFC 6455 4.4, RFC 9110 15.5.6, 15.5.22
  std::pmr::string out;
  ASSERT_EQ(write_refusal(426, {}, {}, out), HandshakeError::none);
  EXPECT_NE(out.find("\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"), std::string::npos) << out;
  out.clear();
  ASSERT_EQ(write_refusal(405, {}, {}, out), HandshakeError::none);
  EXPECT_NE(out.find("\r\nAllow: GET\r\n"), std::string::npos) << out;
}

TEST(Writers, WithoutMemoryChangeNothing) {
  CountingMemory memory;
  std::pmr::string out("before", &memory);
  memory.failing = memory.allocations + 1;
  EXPECT_EQ(write_refusal(403, std::string(100, 'x'), {}, out), HandshakeError::out_of_memory);
  EXPECT_EQ(out, "before");
}

TEST(HandshakeErrors, HaveANameARuleAndAStatus) {
  for (unsigned i = 1; i <= static_cast<unsigned>(HandshakeError::call_out_of_turn); ++i) {
    const auto error = static_cast<HandshakeError>(i);
    EXPECT_FALSE(name_of(error).empty()) << i;
    EXPECT_FALSE(rule_of(error).empty()) << i;
    EXPECT_GE(status_of(error), 400U) << name_of(error);
    EXPECT_LE(status_of(error), 599U) << name_of(error);
  }
}

std::string token() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(
      std::string("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))));
}

std::string field_value() {
  std::string value = *rc::gen::container<std::string>(rc::gen::suchThat(
      rc::gen::arbitrary<char>(), [](char c) { return c == '\t' || (c != 0x7f && (c < 0 || c >= 0x20)); }));
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.erase(0, 1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.pop_back();
  return value;
}

TEST(HandshakeProperty, WhatOneEndWritesTheOtherReadsHoweverItIsCut) {
  const bool holds = rc::check([] {
    std::array<unsigned char, 16> key{};
    for (unsigned char& byte : key) byte = *rc::gen::arbitrary<unsigned char>();
    const std::string target = "/" + token();
    const std::string origin = field_value();
    const std::string subprotocol = token();
    std::vector<std::pair<std::string, std::string>> own;
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) own.emplace_back("X-" + token(), field_value());
    std::vector<HttpField> fields;
    for (const auto& [name, value] : own) fields.push_back({name, value});

    const auto read = [](auto& reader, auto& head, const std::pmr::string& text) {
      std::size_t at = 0;
      while (at < text.size()) {
        const std::size_t size = std::min<std::size_t>(*rc::gen::inRange<std::size_t>(1, 200), text.size() - at);
        const Bytes slice(text.begin() + static_cast<std::ptrdiff_t>(at),
                          text.begin() + static_cast<std::ptrdiff_t>(at + size));
        ByteReader in{ByteView(slice)};
        const HandshakeKind kind = reader.next(in, head);
        at += size - in.remaining_size();
        if (kind != HandshakeKind::need_input) {
          RC_ASSERT(kind == HandshakeKind::head);
          break;
        }
      }
      return at;
    };
    const auto expect_fields = [&own](HttpFields list) {
      for (const auto& [name, value] : own) RC_ASSERT(!list.find(name).empty() || value.empty() || own.size() > 1);
      std::size_t count = 0;
      for (HttpField field; list.next(field);) {
        if (count < own.size() && field.name == own[count].first && field.value == own[count].second) ++count;
      }
      RC_ASSERT(count == own.size());
    };

    std::pmr::string sent;
    RC_ASSERT(write_request({.target = target, .host = "h", .origin = origin, .subprotocols = subprotocol}, key, fields,
                            sent) == HandshakeError::none);
    const std::size_t head_size = sent.size();
    sent += "\x82\x80";
    RequestReader requests;
    UpgradeRequest request;
    RC_ASSERT(read(requests, request, sent) == head_size);
    RC_ASSERT(request.target == target);
    RC_ASSERT(request.origin == origin);
    RC_ASSERT(request.offers_subprotocol(subprotocol));
    expect_fields(request.fields);

    std::pmr::string answer;
    RC_ASSERT(write_acceptance(request, subprotocol, {}, fields, answer) == HandshakeError::none);
    const KeyText key_sent = key_text(key);
    ResponseReader responses(accept_value(key_sent.view()), {.subprotocols = subprotocol, .extensions = {}});
    UpgradeResponse response;
    RC_ASSERT(read(responses, response, answer) == answer.size());
    RC_ASSERT(response.subprotocol == subprotocol);
    expect_fields(response.fields);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace weir::tests
