#include <weir/handshake.h>

#include <algorithm>
#include <charconv>
#include <new>

#include "field_text.h"
#include "head_rules.h"

namespace weir {
namespace {

// HeadWriter adds lines to a head; if one cannot be written, the head is taken back.
class HeadWriter {
 public:
  explicit HeadWriter(std::pmr::string& out) noexcept : out_(out), begin_(out.size()) {}

  void line(std::string_view text) { out_.append(text).append("\r\n"); }
  void line(std::string_view first, std::string_view second) { out_.append(first).append(second).append("\r\n"); }
  // field judges what the caller gave: a token, and a value without control characters or blanks around it.
  void field(const HttpField& field) {
    const bool blank = field.value.starts_with(' ') || field.value.ends_with(' ') || field.value.starts_with('\t') ||
                       field.value.ends_with('\t');
    if (blank || !is_token(field.name) || field_text_prefix_size(field.value) != field.value.size())
      return fail(HandshakeError::field_not_writable);
    out_.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  // optional_field leaves out what is empty.
  void optional_field(std::string_view name, std::string_view value) {
    if (!value.empty()) field({name, value});
  }
  // own_fields adds the caller's, none of which may be one that belongs to the handshake.
  void own_fields(const FieldList& fields) {
    for (const HttpField& own : fields) {
      if (is_reserved(own.name)) return fail(HandshakeError::field_not_writable);
      field(own);
    }
  }
  void end(std::string_view body = {}) { out_.append("\r\n").append(body); }

  void fail(HandshakeError error) noexcept {
    if (error_ == HandshakeError::none) error_ = error;
  }
  [[nodiscard]] HandshakeError finish() noexcept {
    if (error_ != HandshakeError::none) out_.resize(begin_);
    return error_;
  }

 private:
  [[nodiscard]] static bool is_reserved(std::string_view name) noexcept {
    for (const std::string_view reserved :
         {"Connection", "Upgrade", "Host", "Origin", "Content-Length", "Transfer-Encoding", "Sec-WebSocket-Key",
          "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions", "Sec-WebSocket-Accept"}) {
      if (equal_in_any_case(name, reserved)) return true;
    }
    return false;
  }

  std::pmr::string& out_;
  std::size_t begin_;
  HandshakeError error_ = HandshakeError::none;
};

// write hands `lines` a writer, and makes of what it throws an error.
template <typename Lines>
[[nodiscard]] HandshakeError write(std::pmr::string& out, Lines lines) noexcept {
  HeadWriter head(out);
  try {
    lines(head);
  } catch (const std::bad_alloc&) {
    head.fail(HandshakeError::out_of_memory);
  }
  return head.finish();
}

[[nodiscard]] bool is_extension_list(std::string_view text) noexcept {
  ExtensionReader reader(text);
  Extension extension;
  ListKind kind = reader.next(extension);
  while (kind == ListKind::element) kind = reader.next(extension);
  return kind == ListKind::end;
}

struct Reason {
  unsigned status;
  std::string_view phrase;
};
constexpr std::array<Reason, 16> reasons{{{301, "Moved Permanently"},
                                          {302, "Found"},
                                          {307, "Temporary Redirect"},
                                          {308, "Permanent Redirect"},
                                          {400, "Bad Request"},
                                          {401, "Unauthorized"},
                                          {403, "Forbidden"},
                                          {404, "Not Found"},
                                          {405, "Method Not Allowed"},
                                          {414, "URI Too Long"},
                                          {426, "Upgrade Required"},
                                          {429, "Too Many Requests"},
                                          {431, "Request Header Fields Too Large"},
                                          {500, "Internal Server Error"},
                                          {503, "Service Unavailable"},
                                          {505, "HTTP Version Not Supported"}}};

[[nodiscard]] std::string_view reason_of(unsigned status) noexcept {
  const auto* const found =
      std::find_if(reasons.begin(), reasons.end(), [status](const Reason& r) { return r.status == status; });
  return found == reasons.end() ? "Refused" : found->phrase;
}

// Decimal is a number as text.
class Decimal {
 public:
  explicit Decimal(std::size_t number) noexcept : end_(std::to_chars(digits_.begin(), digits_.end(), number).ptr) {}
  [[nodiscard]] std::string_view view() const& noexcept {
    return {digits_.begin(), static_cast<std::size_t>(end_ - digits_.begin())};
  }

 private:
  std::array<char, 20> digits_{};
  const char* end_;
};

}  // namespace

HandshakeError write_request(const RequestOptions& options, const std::array<unsigned char, 16>& nonce,
                             const FieldList& fields, std::pmr::string& out) noexcept {
  if (!is_target(options.target) || options.host.empty()) return HandshakeError::field_not_writable;
  if (!is_extension_list(options.extensions)) return HandshakeError::extension_invalid;
  if (!is_unique_token_list(options.subprotocols)) return HandshakeError::subprotocol_invalid;
  const KeyText key = key_text(nonce);
  return write(out, [&](HeadWriter& head) {
    out.append("GET ").append(options.target);
    head.line(" HTTP/1.1");
    head.field({"Host", options.host});
    head.line("Upgrade: websocket");
    head.line("Connection: Upgrade");
    head.line("Sec-WebSocket-Key: ", key.view());
    head.line("Sec-WebSocket-Version: 13");
    head.optional_field("Origin", options.origin);
    head.optional_field("Sec-WebSocket-Protocol", options.subprotocols);
    head.optional_field("Sec-WebSocket-Extensions", options.extensions);
    head.own_fields(fields);
    head.end();
  });
}

HandshakeError write_acceptance(const UpgradeRequest& request, std::string_view subprotocol,
                                std::string_view extensions, const FieldList& fields, std::pmr::string& out) noexcept {
  if (!subprotocol.empty() && !request.offers_subprotocol(subprotocol)) return HandshakeError::subprotocol_not_offered;
  if (!extensions.empty() && !is_extension_list(extensions)) return HandshakeError::extension_invalid;
  const AcceptValue accept = accept_value(request.key);
  return write(out, [&](HeadWriter& head) {
    out.append("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
    head.line("Sec-WebSocket-Accept: ", accept.view());
    head.optional_field("Sec-WebSocket-Protocol", subprotocol);
    head.optional_field("Sec-WebSocket-Extensions", extensions);
    head.own_fields(fields);
    head.end();
  });
}

HandshakeError write_refusal(unsigned status, std::string_view text, const FieldList& fields,
                             std::pmr::string& out) noexcept {
  if (status < 300 || status > 599) return HandshakeError::status_not_writable;
  return write(out, [&](HeadWriter& head) {
    out.append("HTTP/1.1 ").append(Decimal(status).view()).append(" ");
    head.line(reason_of(status));
    if (status == 405) head.line("Allow: GET");
    if (status == 426) head.line("Upgrade: websocket\r\nSec-WebSocket-Version: 13");
    head.line(status == 426 ? "Connection: Upgrade, close" : "Connection: close");
    if (!text.empty()) head.line("Content-Type: text/plain; charset=utf-8");
    head.line("Content-Length: ", Decimal(text.size()).view());
    head.own_fields(fields);
    head.end(text);
  });
}

}  // namespace weir
