// Masking (RFC 6455 5.3): payload byte i on the wire is payload byte i XOR key byte i mod 4.
#pragma once

#include <bit>
#include <cstddef>

#include <weir/bytes.h>
#include <weir/protocol.h>

#if defined(__clang__) && __clang_major__ >= 16
#pragma clang unsafe_buffer_usage begin
#endif

namespace weir {

// turned is the key as it stands `offset` bytes into a payload.
[[nodiscard]] constexpr MaskingKey turned(MaskingKey key, std::uint64_t offset) noexcept {
  const auto bits = static_cast<int>(static_cast<unsigned>(offset) % 4 * 8);
  const auto word = std::bit_cast<std::uint32_t>(key.bytes);
  const auto turned_word = std::endian::native == std::endian::little ? std::rotr(word, bits) : std::rotl(word, bits);
  return {std::bit_cast<std::array<unsigned char, 4>>(turned_word)};
}

namespace detail {

[[nodiscard]] bool apply_mask_any_size(MutableByteView bytes, MaskingKey key) noexcept;

// mask_two_vectors is apply_mask for 16 to 32 bytes, the payloads of small messages: two vectors that may overlap, both
// loaded before either is stored.
inline bool mask_two_vectors(MutableByteView bytes, MaskingKey key) noexcept {
  using Vector [[gnu::vector_size(16)]] = std::uint32_t;
  unsigned char* const head_at = bytes.data();
  unsigned char* const tail_at = head_at + (bytes.size() - sizeof(Vector));
  Vector head;
  Vector tail;
  std::memcpy(&head, head_at, sizeof head);
  std::memcpy(&tail, tail_at, sizeof tail);
  head ^= std::bit_cast<std::uint32_t>(key.bytes);
  tail ^= std::bit_cast<std::uint32_t>(turned(key, bytes.size()).bytes);
  std::memcpy(head_at, &head, sizeof head);
  std::memcpy(tail_at, &tail, sizeof tail);
  const Vector seen = head | tail;
  return ((seen[0] | seen[1] | seen[2] | seen[3]) & 0x8080'8080U) == 0;
}

}  // namespace detail

// apply_mask masks or unmasks bytes in place; the first byte meets key byte 0. Returns whether every byte written is
// ASCII (below 0x80), which costs nothing here and spares text its UTF-8 check.
inline bool apply_mask(MutableByteView bytes, MaskingKey key) noexcept {
  if (bytes.size() >= 16 && bytes.size() <= 32) return detail::mask_two_vectors(bytes, key);
  return detail::apply_mask_any_size(bytes, key);
}

// The same, from one place to another of the same size; the two are the same memory or do not overlap.
bool apply_mask(ByteView from, MutableByteView to, MaskingKey key) noexcept;

// MaskedView is payload as it stands on the wire, with the key turned to its first byte (the zero key when the frame is
// not masked). Its wire bytes are not the payload: say how you want to read it. Borrows the slice; valid as long as it
// is.
class MaskedView {
 public:
  constexpr MaskedView() noexcept = default;
  constexpr MaskedView(ByteView wire, MaskingKey key) noexcept : wire_(wire), key_(key) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return wire_.size(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return wire_.empty(); }
  [[nodiscard]] constexpr MaskingKey key() const noexcept { return key_; }
  // wire is the bytes as sent, still masked: to pass them on, or to count them.
  [[nodiscard]] constexpr ByteView wire() const noexcept { return wire_; }

  // operator[] is one byte of payload.
  [[nodiscard]] constexpr unsigned char operator[](std::size_t index) const noexcept {
    const MaskingKey here = turned(key_, index);
    return static_cast<unsigned char>(wire_[index] ^ here.bytes[0]);
  }
  [[nodiscard]] constexpr MaskedView drop(std::size_t size) const noexcept {
    return {wire_.drop(size), turned(key_, size)};
  }
  [[nodiscard]] constexpr MaskedView first(std::size_t size) const noexcept { return {wire_.first(size), key_}; }

  // copy_to unmasks into `to`, which has this view's size.
  bool copy_to(MutableByteView to) const noexcept { return apply_mask(wire_, to, key_); }
  // unmask_in unmasks in place, in `memory`, which the caller owns and this view lies in, and returns the payload
  // there. This view must not be read afterwards.
  [[nodiscard]] MutableByteView unmask_in(MutableByteView memory) const noexcept {
    const MutableByteView payload = memory.same(wire_);
    if (key_ != MaskingKey{}) apply_mask(payload, key_);
    return payload;
  }

 private:
  ByteView wire_;
  MaskingKey key_;
};

}  // namespace weir

#if defined(__clang__) && __clang_major__ >= 16
#pragma clang unsafe_buffer_usage end
#endif
