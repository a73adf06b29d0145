// Memory that counts what it lends, and has as much as a test gives it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace weir::tests {

class CountingMemory : public std::pmr::memory_resource {
 public:
  std::size_t allocations = 0;
  std::size_t largest = 0;
  std::size_t most = 0;                                // bytes lent at once
  std::size_t limit = static_cast<std::size_t>(-1);    // of one allocation
  std::size_t failing = static_cast<std::size_t>(-1);  // the allocation that finds no memory, counted from 1

  // size is the bytes lent now.
  std::size_t size() const { return size_; }

 private:
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    ++allocations;
    largest = std::max(largest, size);
    if (size > limit || allocations == failing) throw std::bad_alloc();
    size_ += size;
    most = std::max(most, size_);
    return std::pmr::new_delete_resource()->allocate(size, alignment);
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    size_ -= size;
    std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t size_ = 0;
};

}  // namespace weir::tests
