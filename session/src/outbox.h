// The bytes that wait to be sent: in segments that stay where they are until they are sent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>

#include <weir/bytes.h>
#include <weir/joining_buffer.h>

namespace weir {

class Outbox {
 public:
  // `memory` outlives the outbox.
  explicit Outbox(std::pmr::memory_resource* memory) noexcept : memory_(memory) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() { clear(); }

  // extend adds `size` bytes, contiguous, for the caller to write. Empty when there is no memory.
  [[nodiscard]] MutableByteView extend(std::size_t size) noexcept;
  // share adds bytes that `owner` keeps alive. False when there is no memory.
  [[nodiscard]] bool share(ByteView bytes, std::shared_ptr<const void> owner) noexcept;

  // gather looks at the first bytes, in at most views.size() runs, and returns how many there are.
  template <std::size_t count>
  [[nodiscard]] std::size_t gather(std::array<ByteView, count>& views) const noexcept;
  void consume(std::size_t size) noexcept;
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  // begin_offset and end_offset count all bytes that were ever consumed and added.
  [[nodiscard]] std::uint64_t begin_offset() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end_offset() const noexcept { return end_; }
  // memory_size is the bytes taken from `memory`.
  [[nodiscard]] std::size_t memory_size() const noexcept;

 private:
  struct Segment {
    explicit Segment(std::pmr::memory_resource* memory) noexcept : own(memory) {}
    [[nodiscard]] ByteView unsent() const noexcept {
      const ByteView all = owner == nullptr ? ByteView(own.bytes()) : shared;
      return all.drop(sent);
    }

    JoiningBuffer own;
    ByteView shared;
    std::shared_ptr<const void> owner;  // of `shared`
    std::size_t sent = 0;
    Segment* next = nullptr;
  };

  [[nodiscard]] Segment* add_segment() noexcept;
  void pop() noexcept;

  std::pmr::memory_resource* memory_;
  Segment* first_ = nullptr;
  Segment* last_ = nullptr;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

template <std::size_t count>
std::size_t Outbox::gather(std::array<ByteView, count>& views) const noexcept {
  std::size_t used = 0;
  const Segment* segment = first_;
  for (ByteView& view : views) {
    if (segment == nullptr) break;
    view = segment->unsent();
    segment = segment->next;
    ++used;
  }
  return used;
}

}  // namespace weir
