// The HTTP head that a capture may begin with: skipped, and told.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <weir/protocol.h>

namespace weir::tools {

// HttpHead collects the bytes of a head up to its blank line. It looks only; judging an upgrade is the handshake's.
class HttpHead {
 public:
  enum class Verdict { undecided, not_http, complete, too_long };

  // feed takes bytes of the stream's beginning one by one, until the verdict is not undecided.
  Verdict feed(char byte);

  // receiver: a request was received by a server, a response by a client.
  [[nodiscard]] Role receiver() const;
  // text is all bytes fed so far: of another protocol if not_http.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string_view first_line() const;
  // negotiates_deflate: a response that agrees on permessage-deflate.
  [[nodiscard]] bool negotiates_deflate() const;

 private:
  std::string text_;
};

}  // namespace weir::tools
