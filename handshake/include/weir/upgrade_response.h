// A client's side of the opening handshake (RFC 6455 4.1): the response that it reads.
#pragma once

#include <array>
#include <memory_resource>
#include <string_view>

#include <weir/bytes.h>
#include <weir/http_head.h>

namespace weir {

// AcceptValue is what Sec-WebSocket-Accept says (RFC 6455 4.2.2): 28 characters.
struct AcceptValue {
  std::array<char, 28> text{};

  [[nodiscard]] std::string_view view() const& noexcept { return std::string_view(text.begin(), text.size()); }
  std::string_view view() const&& = delete;
};

// accept_value answers a Sec-WebSocket-Key of 24 characters.
[[nodiscard]] AcceptValue accept_value(std::string_view key) noexcept;

// KeyText is a nonce of 16 bytes in base64: what Sec-WebSocket-Key says (RFC 6455 4.1).
struct KeyText {
  std::array<char, 24> text{};

  [[nodiscard]] std::string_view view() const& noexcept { return std::string_view(text.begin(), text.size()); }
  std::string_view view() const&& = delete;
};

// key_text encodes a nonce, which nobody can predict.
[[nodiscard]] KeyText key_text(const std::array<unsigned char, 16>& nonce) noexcept;

// UpgradeResponse is what a server answered. Borrows the ResponseReader; valid as long as it stays where it is.
struct UpgradeResponse {
  unsigned status = 0;
  std::string_view reason;       // may be empty
  std::string_view subprotocol;  // empty if there is none
  HttpFields fields;             // all, in their order

  // extensions are those that the server uses, in the order it applies them; their parameters are not judged here.
  [[nodiscard]] ExtensionList extensions() const noexcept { return ExtensionList(fields); }
};

// OfferedNames is what the request offered, which no other may come back of. Borrows the text.
struct OfferedNames {
  std::string_view subprotocols = {};  // the field's value: "chat, superchat"
  std::string_view extensions = {};    // the field's value
};

// ResponseReader reads the response to one request.
class ResponseReader {
 public:
  // accept is accept_value of the key that was sent. `offered` is borrowed.
  ResponseReader(const AcceptValue& accept, const OfferedNames& offered, const HandshakeLimits& limits = {},
                 std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;

  // next takes bytes off `in` up to the end of the response: what follows are frames, or a refusal's body. Call it
  // until head or error. `out` borrows the reader; valid as long as it stays where it is. After status_not_101, `out`
  // tells status and fields.
  [[nodiscard]] HandshakeKind next(ByteReader& in, UpgradeResponse& out) noexcept;

  // failure is the broken rule after HandshakeKind::error.
  [[nodiscard]] HandshakeFailure failure() const noexcept { return head_.failure(); }

 private:
  [[nodiscard]] HandshakeError judge(UpgradeResponse& out) const noexcept;
  [[nodiscard]] HandshakeError judge_fields(UpgradeResponse& out) const noexcept;
  [[nodiscard]] HandshakeError judge_extensions(ExtensionList list) const noexcept;

  HeadReader head_;
  AcceptValue accept_;
  OfferedNames offered_;
  std::size_t max_extension_count_;
};

}  // namespace weir
