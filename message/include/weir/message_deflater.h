// Messages to compressed messages (RFC 7692 7.2.1).
#pragma once

#include <cstddef>
#include <memory_resource>

#include <weir/bytes.h>
#include <weir/deflate.h>
#include <weir/deflate_pool.h>

namespace weir {

// MessageDeflater compresses the payload of one direction's messages. What it gives out is sent in one frame or more,
// RSV1 set on the first (FrameWriter).
//
// Memory: a DeflateContext of zlib, about 2^(window bits + 2) + 2^(memory level + 9) + 6 KiB (zconf.h), and the
// output's buffer. With context takeover they stay from the first compressed message on; without, they are the pool's,
// borrowed for one message.
class MessageDeflater {
 public:
  // sender is this end. `memory` and `pool` outlive the deflater; without a pool, and with context takeover, the
  // context is its own.
  MessageDeflater(Role sender, const DeflateParameters& agreed, const DeflateOptions& options = {},
                  DeflatePool* pool = nullptr,
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept;
  MessageDeflater(const MessageDeflater&) = delete;
  MessageDeflater& operator=(const MessageDeflater&) = delete;
  ~MessageDeflater() { give_context_back(); }

  // deflate compresses the next part of a message, or all of it; `ends` tells that it is the last. `out` is all that
  // this part compresses to, so that the peer can read it at once; it borrows the deflater's memory, valid until the
  // next call. False when there is no memory: then the connection has to end, for the windows differ.
  [[nodiscard]] bool deflate(ByteView payload, bool ends, ByteView& out) noexcept;

  // release_memory gives back what no message under way and no window needs.
  void release_memory() noexcept;

  // memory_size is the bytes of its own buffers, without zlib's.
  [[nodiscard]] std::size_t memory_size() const noexcept;
  [[nodiscard]] bool has_context() const noexcept { return context_ != nullptr; }
  // forgets tells that no message needs those before it: without context takeover, one may be sent as it is instead.
  [[nodiscard]] bool forgets() const noexcept { return !takeover_; }

 private:
  void take_back() noexcept;
  void give_context_back() noexcept;

  std::pmr::memory_resource* memory_;
  DeflatePool* pool_;
  DeflateContext* context_ = nullptr;
  int level_;
  int memory_level_;
  std::uint8_t window_bits_;
  bool takeover_;
  bool in_message_ = false;
};

}  // namespace weir
