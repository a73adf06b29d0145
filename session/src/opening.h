// What a session needs until its opening handshake is over.
#pragma once

#include <memory_resource>
#include <optional>
#include <string>

#include <weir/session.h>

namespace weir {

struct Session::Opening {
  explicit Opening(std::pmr::memory_resource* memory) noexcept : subprotocols(memory) {}

  // A server's.
  std::optional<RequestReader> request_reader;
  UpgradeRequest request;  // that waits for accept or refuse; borrows the reader

  // A client's, once it has sent its request. The reader borrows what was offered.
  std::optional<ResponseReader> response_reader;
  std::pmr::string subprotocols;
  DeflateText extensions;

  std::size_t taken_size = 0;  // bytes of the peer's head so far
  HandshakeFailure failure;
  unsigned http_status = 0;
};

}  // namespace weir
