#include <weir/prepared_message.h>

#include <algorithm>
#include <new>

#include <weir/frame_writer.h>
#include <weir/utf8.h>

#include "prepared_frame.h"

namespace weir {

PreparedMessage PreparedMessage::text(std::string_view payload) noexcept {
  return is_utf8(as_bytes(payload)) ? encode(Opcode::text, as_bytes(payload)) : PreparedMessage();
}

PreparedMessage PreparedMessage::binary(ByteView payload) noexcept { return encode(Opcode::binary, payload); }

PreparedMessage PreparedMessage::encode(Opcode opcode, ByteView payload) noexcept {
  OutgoingFrame encoded;
  FrameWriter writer(Role::server);
  const ErrorCode refused = writer.write(opcode, payload, {}, encoded);
  check(refused == ErrorCode::none);
  const ByteView head = encoded.header.view();
  PreparedMessage message;
  try {
    const auto frame = std::make_shared<Frame>();
    if (!frame->bytes.extend(head.size() + payload.size())) return {};
    const MutableByteView bytes = frame->bytes.bytes();
    std::copy(head.begin(), head.end(), bytes.begin());
    std::copy(payload.begin(), payload.end(), bytes.drop(head.size()).begin());
    frame->opcode = opcode;
    frame->header_size = head.size();
    message.frame_ = frame;
  } catch (const std::bad_alloc&) {
    return {};
  }
  return message;
}

}  // namespace weir
