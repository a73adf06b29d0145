// A message for many connections, encoded once.
#pragma once

#include <memory>
#include <string_view>

#include <weir/bytes.h>
#include <weir/protocol.h>

namespace weir {

// PreparedMessage is a whole message as one server's frame, not compressed. Copies share its bytes, which live until
// the last copy is gone and the last session has sent them; threads may share them too.
class PreparedMessage {
 public:
  // text and binary copy the payload. Nothing (is_empty) when there is no memory, or the text is not UTF-8.
  [[nodiscard]] static PreparedMessage text(std::string_view payload) noexcept;
  [[nodiscard]] static PreparedMessage binary(ByteView payload) noexcept;

  [[nodiscard]] bool is_empty() const noexcept { return frame_ == nullptr; }

 private:
  friend class Session;
  struct Frame;

  [[nodiscard]] static PreparedMessage encode(Opcode opcode, ByteView payload) noexcept;

  std::shared_ptr<const Frame> frame_;
};

}  // namespace weir
