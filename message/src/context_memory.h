// How zlib's contexts come out of a memory_resource, and go back.
#pragma once

#include <memory_resource>
#include <new>

#include "zlib_stream.h"

namespace weir {

// make_context returns nothing when there is no memory.
template <typename Context, typename... Settings>
[[nodiscard]] Context* make_context(std::pmr::memory_resource* memory, const Settings&... settings) noexcept {
  try {
    auto* const context = ::new (memory->allocate(sizeof(Context), alignof(Context))) Context(settings..., memory);
    if (context->is_open()) return context;
    context->~Context();
    memory->deallocate(context, sizeof(Context), alignof(Context));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return nullptr;
}

template <typename Context>
void destroy_context(Context* context, std::pmr::memory_resource* memory) noexcept {
  if (context == nullptr) return;
  context->~Context();
  memory->deallocate(context, sizeof(Context), alignof(Context));
}

}  // namespace weir
