// What the copies of a PreparedMessage share.
#pragma once

#include <weir/joining_buffer.h>
#include <weir/prepared_message.h>

namespace weir {

struct PreparedMessage::Frame {
  Opcode opcode = Opcode::text;
  std::size_t header_size = 0;
  JoiningBuffer bytes{std::pmr::new_delete_resource()};

  [[nodiscard]] ByteView payload() const noexcept { return ByteView(bytes.bytes()).drop(header_size); }
};

}  // namespace weir
