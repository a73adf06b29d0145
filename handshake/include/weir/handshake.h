// The opening handshake, written (RFC 6455 4): a client's request, a server's acceptance or refusal. Nothing that would
// break a head apart (CR, LF, NUL, other control characters) gets in.
#pragma once

#include <array>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include <weir/http_head.h>
#include <weir/upgrade_request.h>
#include <weir/upgrade_response.h>

namespace weir {

// FieldList is fields of the caller's, added to a head as they are. Borrows the fields and their texts.
class FieldList {
 public:
  constexpr FieldList() noexcept = default;
  template <std::size_t count>
  constexpr FieldList(const std::array<HttpField, count>& fields) noexcept  // implicit
      : begin_(fields.begin()), end_(fields.end()) {}
  FieldList(const std::vector<HttpField>& fields) noexcept  // implicit
      : begin_(std::to_address(fields.begin())), end_(std::to_address(fields.end())) {}

  [[nodiscard]] constexpr const HttpField* begin() const noexcept { return begin_; }
  [[nodiscard]] constexpr const HttpField* end() const noexcept { return end_; }

 private:
  const HttpField* begin_ = nullptr;
  const HttpField* end_ = nullptr;
};

// RequestOptions is what a client asks for. Borrows the texts.
struct RequestOptions {
  std::string_view target = "/";
  std::string_view host = {};          // with the port, if it is not the scheme's
  std::string_view origin = {};        // empty: none
  std::string_view subprotocols = {};  // the field's value, unique tokens: "chat, superchat"; empty: none
  std::string_view extensions = {};    // the field's value; empty: none
};

// The functions below add a whole head to `out`, or change nothing and tell the rule. A field of the caller's must not
// be one that they write themselves.

// write_request writes a client's request. nonce is 16 bytes that nobody can predict.
[[nodiscard]] HandshakeError write_request(const RequestOptions& options, const std::array<unsigned char, 16>& nonce,
                                           const FieldList& fields, std::pmr::string& out) noexcept;

// write_acceptance writes a server's response with status 101. subprotocol is one that the client offered, or empty;
// extensions is the field's value, or empty.
[[nodiscard]] HandshakeError write_acceptance(const UpgradeRequest& request, std::string_view subprotocol,
                                              std::string_view extensions, const FieldList& fields,
                                              std::pmr::string& out) noexcept;

// write_refusal writes a server's response with any status from 300 to 599, and ends with `text`, the body. 426 and 405
// get the fields that go with them (RFC 6455 4.4, RFC 9110 15.5.6). The connection is to be closed then.
[[nodiscard]] HandshakeError write_refusal(unsigned status, std::string_view text, const FieldList& fields,
                                           std::pmr::string& out) noexcept;

}  // namespace weir
