#include <weir/deflate_pool.h>

#include "context_memory.h"

namespace weir {
namespace {

// What a pooled context keeps of the memory of its output.
constexpr std::size_t max_kept_output_size = 65536;

template <typename Context>
[[nodiscard]] Context* pop(Context*& first, std::size_t& count) noexcept {
  Context* const context = first;
  first = context->next;
  --count;
  return context;
}

template <typename Context>
void push(Context* context, Context*& first, std::size_t& count) noexcept {
  context->reset();
  if (context->output.capacity() > max_kept_output_size) context->output.release();
  context->next = first;
  first = context;
  ++count;
}

}  // namespace

InflateContext* DeflatePool::take_inflater() noexcept {
  if (inflaters_ != nullptr) return pop(inflaters_, inflater_count_);
  return make_context<InflateContext>(memory_);
}

DeflateContext* DeflatePool::take_deflater(const DeflateSettings& settings) noexcept {
  for (DeflateContext** link = &deflaters_; *link != nullptr; link = &(*link)->next) {
    if ((*link)->settings() == settings) return pop(*link, deflater_count_);
  }
  return make_context<DeflateContext>(memory_, settings);
}

void DeflatePool::give_back(InflateContext* context) noexcept {
  if (inflater_count_ >= max_idle_count_) return destroy_context(context, memory_);
  push(context, inflaters_, inflater_count_);
}

void DeflatePool::give_back(DeflateContext* context) noexcept {
  if (deflater_count_ >= max_idle_count_) return destroy_context(context, memory_);
  push(context, deflaters_, deflater_count_);
}

void DeflatePool::release_memory() noexcept {
  while (inflaters_ != nullptr) destroy_context(pop(inflaters_, inflater_count_), memory_);
  while (deflaters_ != nullptr) destroy_context(pop(deflaters_, deflater_count_), memory_);
}

}  // namespace weir
