// zlib's streams over checked views. Part of the raw zone: here, and nowhere else, zlib is told where bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include <zlib.h>

#include <weir/bytes.h>
#include <weir/joining_buffer.h>

namespace weir {

// InflateContext is a decompressor (RFC 1951) and the memory that goes with it. It neither moves nor copies.
class InflateContext {
 public:
  // `memory` outlives it. Check is_open: there may have been no memory.
  explicit InflateContext(std::pmr::memory_resource* memory) noexcept;
  InflateContext(const InflateContext&) = delete;
  InflateContext& operator=(const InflateContext&) = delete;
  ~InflateContext();

  enum class Status : std::uint8_t { ok, invalid_data, out_of_memory };

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  // inflate takes bytes off `in` until it is empty or `out` is full, and adds to `size` what it wrote.
  [[nodiscard]] Status inflate(ByteReader& in, MutableByteView out, std::size_t& size) noexcept;
  // at_block_boundary tells that a block has just ended, at the end of a byte.
  [[nodiscard]] bool at_block_boundary() const noexcept;
  // reset forgets the window and what is left in the buffers.
  void reset() noexcept;

  JoiningBuffer input;  // what has to outlive the slice it came in
  JoiningBuffer output;
  InflateContext* next = nullptr;  // in a pool

 private:
  z_stream stream_{};
  int data_type_ = 0;  // zlib's, after the last call that made progress: another call forgets where it stands
  bool open_ = false;
};

// DeflateSettings is what a compressor is made for.
struct DeflateSettings {
  std::uint8_t window_bits = 15;
  int level = 6;
  int memory_level = 8;

  friend bool operator==(const DeflateSettings&, const DeflateSettings&) = default;
};

// DeflateContext is a compressor and the memory its output goes to. It neither moves nor copies.
class DeflateContext {
 public:
  DeflateContext(const DeflateSettings& settings, std::pmr::memory_resource* memory) noexcept;
  DeflateContext(const DeflateContext&) = delete;
  DeflateContext& operator=(const DeflateContext&) = delete;
  ~DeflateContext();

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  [[nodiscard]] const DeflateSettings& settings() const noexcept { return settings_; }
  // deflate adds to `output` what `bytes` compress to, up to a block that ends with 00 00 FF FF (RFC 7692 7.2.1).
  // False when there is no memory; the stream is of no use then.
  [[nodiscard]] bool deflate(ByteView bytes) noexcept;
  // reset forgets the window and what is left in the buffers.
  void reset() noexcept;

  JoiningBuffer output;
  DeflateContext* next = nullptr;  // in a pool

 private:
  DeflateSettings settings_;
  z_stream stream_{};
  bool open_ = false;
};

}  // namespace weir
