#include "steps.h"

#include <zlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include <weir/frame_writer.h>
#include <weir/handshake.h>
#include <weir/message_deflater.h>
#include <weir/message_inflater.h>

namespace bench {
namespace {

using weir::ByteReader;
using weir::ByteView;

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong outcome: %s\n", what);
  std::abort();
}

// What Chromium sends, of 500 bytes.
constexpr std::string_view chromium_request =
    "GET /chats HTTP/1.1\r\n"
    "Host: server.example.com:18080\r\n"
    "Connection: Upgrade\r\n"
    "Pragma: no-cache\r\n"
    "Cache-Control: no-cache\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
    "Safari/537.36\r\n"
    "Upgrade: websocket\r\n"
    "Origin: https://example.com\r\n"
    "Sec-WebSocket-Version: 13\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Accept-Language: en-US,en;q=0.9\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
    "\r\n";
static_assert(chromium_request.size() == 500);
// The answer to that key (RFC 6455 1.3).
constexpr std::string_view accept_of_request = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

// Handshake reads the request, agrees on permessage-deflate and writes the response, as a server does. Memory is
// stock malloc's.
class Handshake : public Step {
 public:
  std::size_t run() override {
    weir::RequestReader reader;
    weir::UpgradeRequest request;
    ByteReader in(weir::as_bytes(chromium_request));
    expect(reader.next(in, request) == weir::HandshakeKind::head, "the request");
    std::pmr::string response;
    response.reserve(256);
    weir::Extension offer;
    weir::DeflateText answer;
    weir::ExtensionList offers = request.extensions();
    expect(offers.next(offer) == weir::ListKind::element && offer.name == weir::deflate_name, "the offer");
    expect(weir::accept_deflate_offer({}, offer.parameters, answer).has_value(), "the offer's parameters");
    const weir::HandshakeError error = weir::write_acceptance(request, {}, answer.view(), {}, response);
    expect(error == weir::HandshakeError::none, "the response");
    expect(response.find(accept_of_request) != std::string::npos, "Sec-WebSocket-Accept");
    return 1;
  }
};

constexpr std::size_t message_count = 1000;

// json_message is a list of readings, whose names repeat and whose values do not.
std::string json_message(std::size_t size, std::size_t number) {
  std::string text = "{\"channel\":\"readings\",\"sequence\":" + std::to_string(number) + ",\"items\":[";
  std::uint64_t seed = number * 2654435761U + 1;
  while (true) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    const std::string item =
        "{\"id\":" + std::to_string(seed >> 44U) + ",\"price\":" + std::to_string(seed >> 36U & 0xFFFU) + '.' +
        std::to_string(seed >> 30U & 63U) + ",\"side\":\"" + (seed >> 63U != 0 ? "buy" : "sell") + "\",\"open\":true},";
    if (text.size() + item.size() + 2 > size) break;
    text += item;
  }
  text.back() = ']';
  text += '}';
  text.resize(size, ' ');
  return text;
}

// CompressedMessages is messages as one sender compresses them with context takeover.
struct CompressedMessages {
  explicit CompressedMessages(std::size_t message_size) : size(message_size) {
    weir::MessageDeflater deflater(weir::Role::server, {});
    weir::FrameWriter writer(weir::Role::server, weir::Rsv1::negotiated);
    for (std::size_t i = 0; i < message_count; ++i) {
      ByteView payload;
      expect(deflater.deflate(weir::as_bytes(json_message(size, i)), true, payload), "compressing");
      weir::OutgoingFrame frame;
      expect(writer.write(weir::Opcode::text, payload, {}, frame, true) == weir::ErrorCode::none, "the frame");
      wire.insert(wire.end(), frame.header.view().begin(), frame.header.view().end());
      wire.insert(wire.end(), payload.begin(), payload.end());
      payloads.emplace_back(payload.begin(), payload.end());
      // What a decompressor needs at the end (RFC 7692 7.2.2).
      payloads.back().insert(payloads.back().end(), {0x00, 0x00, 0xFF, 0xFF});
    }
  }

  std::size_t size;
  std::vector<unsigned char> wire;                   // frames
  std::vector<std::vector<unsigned char>> payloads;  // for zlib alone, each with its tail
};

// Weir: frames in, messages out.
template <std::size_t message_size>
class WeirInflate : public Step {
 public:
  std::size_t run() override {
    ByteReader in{ByteView(compressed_.wire)};
    weir::Message message;
    std::size_t count = 0;
    while (inflater_.next(reader_, in, message) == weir::MessageKind::text) {
      expect(message.payload.size() == message_size, "a message's size");
      ++count;
    }
    expect(in.empty() && count == message_count, "the messages inflated");
    return count;
  }

 private:
  CompressedMessages compressed_{message_size};
  weir::MessageReader reader_{weir::Role::client, {}, weir::Delivery::messages, weir::Rsv1::negotiated};
  weir::MessageInflater inflater_{weir::Role::server, {}};
};

// zlib alone: a call for each message, whose tail was put behind it beforehand, into memory that is large enough.
template <std::size_t message_size>
class ZlibInflate : public Step {
 public:
  ZlibInflate() { expect(inflateInit2(&stream_, -15) == Z_OK, "inflateInit2"); }
  ZlibInflate(const ZlibInflate&) = delete;
  ZlibInflate& operator=(const ZlibInflate&) = delete;
  ~ZlibInflate() override { inflateEnd(&stream_); }

  std::size_t run() override {
    for (std::vector<unsigned char>& payload : compressed_.payloads) {
      stream_.next_in = payload.data();
      stream_.avail_in = static_cast<uInt>(payload.size());
      stream_.next_out = output_.data();
      stream_.avail_out = static_cast<uInt>(output_.size());
      expect(inflate(&stream_, Z_SYNC_FLUSH) == Z_OK && stream_.avail_in == 0, "zlib alone");
      expect(output_.size() - stream_.avail_out == message_size, "a message's size by zlib alone");
    }
    return compressed_.payloads.size();
  }

 private:
  CompressedMessages compressed_{message_size};
  std::vector<unsigned char> output_ = std::vector<unsigned char>(message_size + 64);
  z_stream stream_{};
};

template <typename Kind>
std::unique_ptr<Step> make() {
  return std::make_unique<Kind>();
}

constexpr std::array<StepKind, 5> kinds = {{
    {"handshake", make<Handshake>},
    {"inflate-1024", make<WeirInflate<1024>>},
    {"zlib-inflate-1024", make<ZlibInflate<1024>>},
    {"inflate-9216", make<WeirInflate<9216>>},
    {"zlib-inflate-9216", make<ZlibInflate<9216>>},
}};

}  // namespace

StepKinds steps() { return {kinds.data(), kinds.data() + kinds.size()}; }

}  // namespace bench
