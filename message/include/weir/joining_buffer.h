// Where the pieces of a message that did not come whole are joined: contiguous, grown by bytes that have arrived.
#pragma once

#include <cstddef>
#include <memory_resource>

#include <weir/bytes.h>

namespace weir {

// JoiningBuffer owns bytes from a memory_resource, which outlives it. Views of its bytes are valid until the next call
// that is not const.
class JoiningBuffer {
 public:
  explicit JoiningBuffer(std::pmr::memory_resource* memory) noexcept : memory_(memory) {}
  // A copy takes its memory from the same resource; if that has none, it throws std::bad_alloc.
  JoiningBuffer(const JoiningBuffer& other);
  JoiningBuffer(JoiningBuffer&& other) noexcept;
  JoiningBuffer& operator=(const JoiningBuffer& other) = delete;
  JoiningBuffer& operator=(JoiningBuffer&& other) noexcept;
  ~JoiningBuffer() { release(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return storage_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] MutableByteView bytes() const noexcept { return storage_.first(size_); }

  // extend adds `size` bytes of any value, for the caller to write. At least doubles the memory when it must grow.
  // False, and nothing changed, when there is no memory.
  [[nodiscard]] bool extend(std::size_t size) noexcept;
  // reserve makes room for `size` more bytes, as extend does, without adding them.
  [[nodiscard]] bool reserve(std::size_t size) noexcept;
  // spare is the memory behind the bytes: what extend adds next.
  [[nodiscard]] MutableByteView spare() const noexcept { return storage_.drop(size_); }
  // shorten drops the last `size` bytes.
  void shorten(std::size_t size) noexcept;
  void clear() noexcept { size_ = 0; }
  // release clears, and gives the memory back.
  void release() noexcept;

 private:
  [[nodiscard]] MutableByteView allocate(std::size_t size) const;

  std::pmr::memory_resource* memory_;
  MutableByteView storage_;
  std::size_t size_ = 0;
};

}  // namespace weir
