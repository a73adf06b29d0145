#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <optional>
#include <string>

#include "contender.h"

namespace bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;

// MemorySocket is the peer: first its side of the opening handshake, then the stream.
class MemorySocket {
 public:
  using executor_type = asio::io_context::executor_type;

  explicit MemorySocket(asio::io_context& context) : executor_(context.get_executor()) {}

  executor_type get_executor() const noexcept { return executor_; }

  std::string sent;        // what was written, until the handshake is over
  std::string handshake;   // to be read first
  bool is_client = false;  // answer the request that was written
  std::optional<SliceSource> source;

  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    error = {};
    if (!source) return read_handshake(buffers);
    // Beast reads into one contiguous run.
    const asio::mutable_buffer buffer = *asio::buffer_sequence_begin(buffers);
    std::size_t size = source->read(buffer.data(), buffer.size());
    if (size == 0 && source->next_slice()) size = source->read(buffer.data(), buffer.size());
    if (size == 0) error = asio::error::eof;
    return size;
  }
  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code error;
    const std::size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }

  template <typename Buffers>
  std::size_t write_some(const Buffers& buffers, error_code& error) {
    error = {};
    sent += beast::buffers_to_string(buffers);
    return asio::buffer_size(buffers);
  }
  template <typename Buffers>
  std::size_t write_some(const Buffers& buffers) {
    error_code error;
    return write_some(buffers, error);
  }

 private:
  template <typename Buffers>
  std::size_t read_handshake(const Buffers& buffers) {
    if (is_client && handshake.empty()) handshake = response_to(sent);
    const std::size_t size = asio::buffer_copy(buffers, asio::buffer(handshake));
    handshake.erase(0, size);
    return size;
  }

  // response_to accepts an opening request (RFC 6455 4.2.2).
  static std::string response_to(const std::string& request) {
    const std::string field = "Sec-WebSocket-Key: ";
    const std::size_t begin = request.find(field) + field.size();
    const std::string key = request.substr(begin, request.find('\r', begin) - begin);
    beast::websocket::detail::sec_ws_accept_type accept;
    beast::websocket::detail::make_sec_ws_accept(accept, key);
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           std::string(accept.data(), accept.size()) + "\r\n\r\n";
  }

  executor_type executor_;
};

void teardown(beast::role_type /*role*/, MemorySocket& /*socket*/, error_code& error) { error = {}; }

constexpr char opening_request[] =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

// Beast reads large payloads straight into the user's buffer; it is given a warm one, and never joins by itself.
class Beast final : public Contender {
 public:
  explicit Beast(const Stream& stream) : message_(stream.spec().payload_size), socket_(context_) {
    MemorySocket& peer = socket_.next_layer();
    error_code error;
    if (stream.spec().role == Role::server) {
      peer.handshake = opening_request;
      socket_.accept(error);
    } else {
      peer.is_client = true;
      socket_.handshake("localhost", "/", error);
    }
    if (error) refused("beast", error.message().c_str());
    peer.sent.clear();
  }

  Totals run(const Stream& stream, std::size_t slice_size) override {
    Totals totals;
    socket_.next_layer().source.emplace(stream, slice_size);
    while (totals.message_count < stream.totals().message_count) {
      std::size_t size = 0;
      do {
        error_code error;
        size += socket_.read_some(asio::buffer(message_.data() + size, message_.size() - size), error);
        if (error) refused("beast", error.message().c_str());
      } while (!socket_.is_message_done());
      totals.add(message_.data(), size);
    }
    return totals;
  }

 private:
  PageBuffer message_;
  asio::io_context context_;
  beast::websocket::stream<MemorySocket> socket_;
};

}  // namespace

std::unique_ptr<Contender> make_beast(const Stream& stream) { return std::make_unique<Beast>(stream); }

}  // namespace bench
