// A server's side of the opening handshake (RFC 6455 4.2): the request that it reads.
#pragma once

#include <memory_resource>
#include <string_view>

#include <weir/bytes.h>
#include <weir/http_head.h>

namespace weir {

// UpgradeRequest is a request that a server may accept. Borrows the RequestReader; valid as long as it stays
// where it is.
struct UpgradeRequest {
  std::string_view target;  // as sent
  std::string_view host;
  std::string_view origin;  // empty if there is none
  std::string_view key;     // Sec-WebSocket-Key
  HttpFields fields;        // all, in their order

  // subprotocols are unique tokens, the client's favourite first.
  [[nodiscard]] TokenList subprotocols() const noexcept { return {fields, "Sec-WebSocket-Protocol"}; }
  // extensions are the offers, in the client's order; their grammar was judged.
  [[nodiscard]] ExtensionList extensions() const noexcept { return ExtensionList(fields); }
  [[nodiscard]] bool offers_subprotocol(std::string_view name) const noexcept;
};

// RequestReader reads one request. A head that breaks a rule of RFC 6455 4.2.1 is refused: answer with write_refusal
// and status_of the error.
class RequestReader {
 public:
  explicit RequestReader(const HandshakeLimits& limits = {},
                         std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;

  // next takes bytes off `in` up to the end of the request: what follows are frames. Call it until head or error. `out`
  // borrows the reader; valid as long as it stays where it is.
  [[nodiscard]] HandshakeKind next(ByteReader& in, UpgradeRequest& out) noexcept;

  // failure is the broken rule after HandshakeKind::error.
  [[nodiscard]] HandshakeFailure failure() const noexcept { return head_.failure(); }

 private:
  HeadReader head_;
  std::size_t max_extension_count_;
};

}  // namespace weir
