#include "outbox.h"

#include <algorithm>
#include <new>
#include <utility>

namespace weir {
namespace {

// A new segment has room for what follows, the more the longer the queue is.
constexpr std::size_t min_segment_size = 256;
constexpr std::size_t max_spare_size = 65536;

}  // namespace

Outbox::Segment* Outbox::add_segment() noexcept {
  try {
    Segment* const segment = std::pmr::polymorphic_allocator<>(memory_).new_object<Segment>(memory_);
    (last_ == nullptr ? first_ : last_->next) = segment;
    last_ = segment;
    return segment;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Bytes of a segment never move: it is not extended beyond the memory that it began with.
MutableByteView Outbox::extend(std::size_t size) noexcept {
  if (last_ == nullptr || last_->owner != nullptr || last_->own.spare().size() < size) {
    JoiningBuffer room(memory_);
    if (!room.reserve(std::max(size, std::clamp(this->size(), min_segment_size, max_spare_size)))) return {};
    if (add_segment() == nullptr) return {};
    last_->own = std::move(room);
  }
  const MutableByteView added = last_->own.spare().first(size);
  if (!last_->own.extend(size)) return {};
  end_ += size;
  return added;
}

bool Outbox::share(ByteView bytes, std::shared_ptr<const void> owner) noexcept {
  if (add_segment() == nullptr) return false;
  last_->shared = bytes;
  last_->owner = std::move(owner);
  end_ += bytes.size();
  return true;
}

void Outbox::consume(std::size_t size) noexcept {
  check(size <= this->size());
  begin_ += size;
  while (size != 0) {
    const std::size_t taken = std::min(size, first_->unsent().size());
    first_->sent += taken;
    size -= taken;
    if (first_->unsent().empty()) pop();
  }
}

void Outbox::clear() noexcept {
  while (first_ != nullptr) pop();
  begin_ = end_;
}

void Outbox::pop() noexcept {
  Segment* const segment = first_;
  first_ = segment->next;
  if (first_ == nullptr) last_ = nullptr;
  std::pmr::polymorphic_allocator<>(memory_).delete_object(segment);
}

std::size_t Outbox::memory_size() const noexcept {
  std::size_t size = 0;
  for (const Segment* segment = first_; segment != nullptr; segment = segment->next)
    size += sizeof(Segment) + segment->own.capacity();
  return size;
}

}  // namespace weir
