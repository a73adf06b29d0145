#include "zlib_stream.h"

#include <algorithm>
#include <limits>
#include <new>

#include <weir/deflate.h>

namespace weir {
namespace {

// A memory_resource wants the size back that zlib does not keep: it stands before each block.
constexpr std::size_t block_header_size = alignof(std::max_align_t);

void* allocate(void* opaque, uInt count, uInt size) noexcept {
  const std::size_t block_size = block_header_size + static_cast<std::size_t>(count) * size;
  try {
    auto* const block = static_cast<std::pmr::memory_resource*>(opaque)->allocate(block_size, block_header_size);
    *static_cast<std::size_t*>(block) = block_size;
    return static_cast<unsigned char*>(block) + block_header_size;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void deallocate(void* opaque, void* address) noexcept {
  void* const block = static_cast<unsigned char*>(address) - block_header_size;
  static_cast<std::pmr::memory_resource*>(opaque)->deallocate(block, *static_cast<std::size_t*>(block),
                                                              block_header_size);
}

void prepare(z_stream& stream, std::pmr::memory_resource* memory) noexcept {
  stream.zalloc = allocate;
  stream.zfree = deallocate;
  stream.opaque = memory;
}

// zlib counts in uInt: longer runs go in parts.
[[nodiscard]] uInt part_size(std::size_t size) noexcept {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

void set_input(z_stream& stream, ByteView bytes) noexcept {
  stream.next_in = const_cast<unsigned char*>(bytes.data());  // zlib reads it only
  stream.avail_in = part_size(bytes.size());
}

void set_output(z_stream& stream, MutableByteView bytes) noexcept {
  stream.next_out = bytes.data();
  stream.avail_out = part_size(bytes.size());
}

}  // namespace

InflateContext::InflateContext(std::pmr::memory_resource* memory) noexcept : input(memory), output(memory) {
  prepare(stream_, memory);
  // A window of 32 KiB whatever was agreed on: zlib 1.2 inflates inconsistently with the smallest.
  open_ = inflateInit2(&stream_, -max_window_bits) == Z_OK;
}

InflateContext::~InflateContext() {
  if (open_) inflateEnd(&stream_);
}

InflateContext::Status InflateContext::inflate(ByteReader& in, MutableByteView out, std::size_t& size) noexcept {
  while (!out.empty()) {
    set_input(stream_, in.remaining());
    set_output(stream_, out);
    const uInt in_size = stream_.avail_in;
    const uInt out_size = stream_.avail_out;
    const int status = ::inflate(&stream_, Z_SYNC_FLUSH);
    in.skip(in_size - stream_.avail_in);
    size += out_size - stream_.avail_out;
    out = out.drop(out_size - stream_.avail_out);
    if (status == Z_MEM_ERROR) return Status::out_of_memory;
    if (status == Z_BUF_ERROR) return Status::ok;  // no progress: all is taken and given
    data_type_ = stream_.data_type;
    // The final block ends neither the message nor the window (RFC 7692 7.2.3.4).
    if (status == Z_STREAM_END) inflateResetKeep(&stream_);
    else if (status != Z_OK) return Status::invalid_data;
    if (in.empty() && !out.empty()) return Status::ok;
  }
  return Status::ok;
}

bool InflateContext::at_block_boundary() const noexcept {
  constexpr int after_block = 128;
  constexpr int unused_bits = 63;
  return (data_type_ & (after_block | unused_bits)) == after_block;
}

void InflateContext::reset() noexcept {
  inflateReset(&stream_);
  input.clear();
  output.clear();
}

DeflateContext::DeflateContext(const DeflateSettings& settings, std::pmr::memory_resource* memory) noexcept
    : output(memory), settings_(settings) {
  prepare(stream_, memory);
  // zlib has no raw stream of an 8-bit window. Without matches, there is nothing that could be out of it.
  const bool literals_only = settings.window_bits == min_window_bits;
  const int bits = literals_only ? min_window_bits + 1 : settings.window_bits;
  open_ = deflateInit2(&stream_, settings.level, Z_DEFLATED, -bits, settings.memory_level,
                       literals_only ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY) == Z_OK;
}

DeflateContext::~DeflateContext() {
  if (open_) deflateEnd(&stream_);
}

bool DeflateContext::deflate(ByteView bytes) noexcept {
  constexpr std::size_t flushed_size = 16;  // a block's end, and an empty stored block
  do {
    const ByteView part = bytes.first(part_size(bytes.size()));
    bytes = bytes.drop(part.size());
    set_input(stream_, part);
    do {
      // About what poor data needs; what it lacks then, the next turn adds.
      if (!output.reserve(stream_.avail_in / 2 + flushed_size)) return false;
      set_output(stream_, output.spare());
      const uInt out_size = stream_.avail_out;
      const int status = ::deflate(&stream_, Z_SYNC_FLUSH);
      if (status != Z_OK && status != Z_BUF_ERROR) return false;
      if (!output.extend(out_size - stream_.avail_out)) return false;
    } while (stream_.avail_out == 0);
  } while (!bytes.empty());
  return true;
}

void DeflateContext::reset() noexcept {
  deflateReset(&stream_);
  output.clear();
}

}  // namespace weir
