#include <weir/message_deflater.h>

#include <array>

#include "context_memory.h"

namespace weir {
namespace {

// The end of a flushed block, which a message's end goes without (RFC 7692 7.2.1).
constexpr std::size_t tail_size = 4;
// What is left of an empty block then: enough for an end that compresses to nothing (RFC 7692 7.2.3.6).
constexpr std::array<unsigned char, 1> empty_block = {0x00};

}  // namespace

MessageDeflater::MessageDeflater(Role sender, const DeflateParameters& agreed, const DeflateOptions& options,
                                 DeflatePool* pool, std::pmr::memory_resource* memory) noexcept
    : memory_(memory),
      pool_(agreed.no_context_takeover(sender) ? pool : nullptr),
      level_(options.level),
      memory_level_(options.memory_level),
      window_bits_(agreed.window_bits(sender)),
      takeover_(!agreed.no_context_takeover(sender)) {}

bool MessageDeflater::deflate(ByteView payload, bool ends, ByteView& out) noexcept {
  take_back();
  if (context_ == nullptr) {
    const DeflateSettings settings = {.window_bits = window_bits_, .level = level_, .memory_level = memory_level_};
    context_ = pool_ != nullptr ? pool_->take_deflater(settings) : make_context<DeflateContext>(memory_, settings);
  }
  if (context_ == nullptr || !context_->deflate(payload)) return false;
  in_message_ = !ends;
  out = context_->output.bytes();
  if (ends && out.empty()) out = ByteView(empty_block);
  else if (ends) out = out.first(out.size() - tail_size);
  return true;
}

void MessageDeflater::take_back() noexcept {
  if (context_ == nullptr) return;
  context_->output.clear();
  if (takeover_ || in_message_) return;
  if (pool_ != nullptr) give_context_back();
  else context_->reset();
}

void MessageDeflater::give_context_back() noexcept {
  if (context_ == nullptr) return;
  if (pool_ != nullptr) pool_->give_back(context_);
  else destroy_context(context_, memory_);
  context_ = nullptr;
}

void MessageDeflater::release_memory() noexcept {
  take_back();
  if (context_ == nullptr) return;
  context_->output.release();
  if (!takeover_ && !in_message_) give_context_back();
}

std::size_t MessageDeflater::memory_size() const noexcept {
  return context_ == nullptr ? 0 : sizeof(DeflateContext) + context_->output.capacity();
}

}  // namespace weir
