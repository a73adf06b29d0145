// zlib's contexts, shared by the connections of one thread that keep none between messages.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace weir {

class InflateContext;
class DeflateContext;
struct DeflateSettings;

// DeflatePool lends compressors and decompressors, each for one message, to connections without context takeover
// (RFC 7692 7.1.1): an idle connection then owns none. For one thread; outlives whoever borrows from it.
class DeflatePool {
 public:
  // At most max_idle_count contexts of each kind are kept. `memory` outlives the pool.
  explicit DeflatePool(std::size_t max_idle_count = 4,
                       std::pmr::memory_resource* memory = std::pmr::get_default_resource()) noexcept
      : memory_(memory), max_idle_count_(max_idle_count) {}
  DeflatePool(const DeflatePool&) = delete;
  DeflatePool& operator=(const DeflatePool&) = delete;
  ~DeflatePool() { release_memory(); }

  // release_memory gives up the contexts that are not lent.
  void release_memory() noexcept;

 private:
  friend class MessageInflater;
  friend class MessageDeflater;

  // Nothing when there is no memory.
  [[nodiscard]] InflateContext* take_inflater() noexcept;
  [[nodiscard]] DeflateContext* take_deflater(const DeflateSettings& settings) noexcept;
  void give_back(InflateContext* context) noexcept;
  void give_back(DeflateContext* context) noexcept;

  std::pmr::memory_resource* memory_;
  std::size_t max_idle_count_;
  InflateContext* inflaters_ = nullptr;  // singly linked
  DeflateContext* deflaters_ = nullptr;
  std::size_t inflater_count_ = 0;
  std::size_t deflater_count_ = 0;
};

}  // namespace weir
