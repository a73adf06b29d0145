#include <weir/joining_buffer.h>

#include <algorithm>
#include <new>
#include <utility>

namespace weir {

JoiningBuffer::JoiningBuffer(const JoiningBuffer& other) : memory_(other.memory_), size_(other.size_) {
  if (size_ == 0) return;
  storage_ = allocate(size_);
  std::copy(other.bytes().begin(), other.bytes().end(), storage_.begin());
}

JoiningBuffer::JoiningBuffer(JoiningBuffer&& other) noexcept
    : memory_(other.memory_), storage_(std::exchange(other.storage_, {})), size_(std::exchange(other.size_, 0)) {}

JoiningBuffer& JoiningBuffer::operator=(JoiningBuffer&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(storage_, other.storage_);
  std::swap(size_, other.size_);
  return *this;
}

bool JoiningBuffer::extend(std::size_t size) noexcept {
  if (!reserve(size)) return false;
  size_ += size;
  return true;
}

bool JoiningBuffer::reserve(std::size_t size) noexcept {
  if (size <= capacity() - size_) return true;
  try {
    const MutableByteView larger = allocate(std::max(size_ + size, 2 * capacity()));
    std::copy(bytes().begin(), bytes().end(), larger.begin());
    const std::size_t kept = size_;
    release();
    storage_ = larger;
    size_ = kept;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void JoiningBuffer::shorten(std::size_t size) noexcept {
  check(size <= size_);
  size_ -= size;
}

void JoiningBuffer::release() noexcept {
  if (!storage_.empty()) memory_->deallocate(storage_.begin(), storage_.size(), 1);
  storage_ = {};
  size_ = 0;
}

MutableByteView JoiningBuffer::allocate(std::size_t size) const {
  return {static_cast<unsigned char*>(memory_->allocate(size, 1)), size};
}

}  // namespace weir
