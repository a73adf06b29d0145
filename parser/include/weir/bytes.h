// The only way into memory: views whose every access is checked, in every build type. An access out of bounds is a bug
// of the program, never of the peer: it stops the process. Raw pointers live in this file and in the mask and UTF-8
// kernels.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

#if defined(__clang__) && __clang_major__ >= 16
#pragma clang unsafe_buffer_usage begin
#endif

namespace weir {

// check stops the process when a caller of this library, or the library itself, asked for bytes that are not there.
constexpr void check(bool in_bounds) noexcept {
  if (!in_bounds) [[unlikely]]
    __builtin_trap();
}

// ByteWindow is N bytes whose presence was proven once: its offsets are constants that the compiler checks. Borrows the
// bytes; valid as long as they are.
template <std::size_t N>
class ByteWindow {
 public:
  template <std::size_t Offset>
  [[nodiscard]] unsigned char byte() const noexcept {
    static_assert(Offset < N);
    return data_[Offset];
  }

  // big_endian reads an unsigned integer in network byte order.
  template <std::unsigned_integral Number, std::size_t Offset>
  [[nodiscard]] Number big_endian() const noexcept {
    static_assert(sizeof(Number) == 2 || sizeof(Number) == 4 || sizeof(Number) == 8);
    static_assert(sizeof(Number) <= N && Offset <= N - sizeof(Number));
    Number number;
    std::memcpy(&number, data_ + Offset, sizeof number);
    if constexpr (std::endian::native == std::endian::big) return number;
    if constexpr (sizeof number == 2) return __builtin_bswap16(number);
    if constexpr (sizeof number == 4) return __builtin_bswap32(number);
    if constexpr (sizeof number == 8) return __builtin_bswap64(number);
  }

  template <std::size_t Size, std::size_t Offset>
  [[nodiscard]] std::array<unsigned char, Size> bytes() const noexcept {
    static_assert(Size <= N && Offset <= N - Size);
    std::array<unsigned char, Size> copy;
    std::memcpy(copy.data(), data_ + Offset, Size);
    return copy;
  }

 private:
  friend class ByteView;
  template <typename View>
  friend class BasicByteReader;
  explicit ByteWindow(const unsigned char* data) noexcept : data_(data) {}

  const unsigned char* data_;
};

// ByteView is bytes to read. Borrows them; valid as long as they are.
class ByteView {
 public:
  constexpr ByteView() noexcept = default;
  // The one place where a caller vouches for a range: `size` bytes at `data` are readable.
  constexpr ByteView(const unsigned char* data, std::size_t size) noexcept : data_(data), size_(size) {}
  // Any contiguous container of bytes: std::vector, std::array, std::span.
  template <typename Container>
  requires requires(const Container& c) {
    { c.data() } -> std::convertible_to<const unsigned char*>;
    { c.size() } -> std::convertible_to<std::size_t>;
  }
  constexpr ByteView(const Container& bytes) noexcept  // implicit: a view of what it is given
      : data_(bytes.data()), size_(bytes.size()) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  // data is for handing the bytes to the system or to another library.
  [[nodiscard]] constexpr const unsigned char* data() const noexcept { return data_; }
  [[nodiscard]] constexpr const unsigned char* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr const unsigned char* end() const noexcept { return data_ + size_; }

  [[nodiscard]] constexpr unsigned char operator[](std::size_t index) const noexcept {
    check(index < size_);
    return data_[index];
  }
  [[nodiscard]] constexpr ByteView first(std::size_t size) const noexcept {
    check(size <= size_);
    return {data_, size};
  }
  [[nodiscard]] constexpr ByteView last(std::size_t size) const noexcept {
    check(size <= size_);
    return {data_ + (size_ - size), size};
  }
  // drop is the view without its first `size` bytes.
  [[nodiscard]] constexpr ByteView drop(std::size_t size) const noexcept {
    check(size <= size_);
    return {data_ + size, size_ - size};
  }
  // window is the first N bytes, proven.
  template <std::size_t N>
  [[nodiscard]] ByteWindow<N> window() const noexcept {
    check(N <= size_);
    return ByteWindow<N>(data_);
  }
  // last_window is the last N bytes, proven.
  template <std::size_t N>
  [[nodiscard]] ByteWindow<N> last_window() const noexcept {
    check(N <= size_);
    return ByteWindow<N>(data_ + (size_ - N));
  }

  friend bool operator==(ByteView a, ByteView b) noexcept {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
  }

 private:
  const unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

// MutableByteView is bytes to read and write. Borrows them; valid as long as they are.
class MutableByteView {
 public:
  constexpr MutableByteView() noexcept = default;
  // The one place where a caller vouches for a range: `size` bytes at `data` are readable and writable.
  constexpr MutableByteView(unsigned char* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <typename Container>
  requires requires(Container& c) {
    { c.data() } -> std::convertible_to<unsigned char*>;
    { c.size() } -> std::convertible_to<std::size_t>;
  }
  constexpr MutableByteView(Container& bytes) noexcept  // implicit: a view of what it is given
      : data_(bytes.data()), size_(bytes.size()) {}

  constexpr operator ByteView() const noexcept { return {data_, size_}; }  // implicit: adds const

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr unsigned char* data() const noexcept { return data_; }
  [[nodiscard]] constexpr unsigned char* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr unsigned char* end() const noexcept { return data_ + size_; }

  [[nodiscard]] constexpr unsigned char& operator[](std::size_t index) const noexcept {
    check(index < size_);
    return data_[index];
  }
  [[nodiscard]] constexpr MutableByteView first(std::size_t size) const noexcept {
    check(size <= size_);
    return {data_, size};
  }
  [[nodiscard]] constexpr MutableByteView last(std::size_t size) const noexcept {
    check(size <= size_);
    return {data_ + (size_ - size), size};
  }
  [[nodiscard]] constexpr MutableByteView drop(std::size_t size) const noexcept {
    check(size <= size_);
    return {data_ + size, size_ - size};
  }
  // same is the part of this memory that `part` looks at, as writable bytes: how a reader of const bytes and the owner
  // of the memory meet. `part` must lie within.
  [[nodiscard]] MutableByteView same(ByteView part) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(part.data()) - reinterpret_cast<std::uintptr_t>(data_);
    check(offset <= size_ && part.size() <= size_ - offset);
    return {data_ + offset, part.size()};
  }

 private:
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

// as_bytes and as_text look at the same memory as the other type. Borrow it; valid as long as it is.
[[nodiscard]] inline ByteView as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}
[[nodiscard]] inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// drop_first and drop_last are `text` without its first or last `size` characters, which it must have.
[[nodiscard]] inline std::string_view drop_first(std::string_view text, std::size_t size) noexcept {
  return as_text(as_bytes(text).drop(size));
}
[[nodiscard]] inline std::string_view drop_last(std::string_view text, std::size_t size) noexcept {
  check(size <= text.size());
  return text.substr(0, text.size() - size);
}

// BasicByteReader is a cursor over bytes. Borrows them; valid as long as they are.
template <typename View>
class BasicByteReader {
 public:
  constexpr BasicByteReader() noexcept = default;
  explicit constexpr BasicByteReader(View bytes) noexcept
      : begin_(bytes.begin()), next_(bytes.begin()), end_(bytes.end()) {}

  [[nodiscard]] constexpr bool empty() const noexcept { return next_ == end_; }
  // position counts the bytes taken so far.
  [[nodiscard]] constexpr std::size_t position() const noexcept { return static_cast<std::size_t>(next_ - begin_); }
  [[nodiscard]] constexpr std::size_t remaining_size() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  [[nodiscard]] constexpr View remaining() const noexcept { return {next_, remaining_size()}; }

  // window is the next N bytes, proven, not taken. Ask remaining_size first: the compiler then drops the second check.
  template <std::size_t N>
  [[nodiscard]] ByteWindow<N> window() const noexcept {
    check(N <= remaining_size());
    return ByteWindow<N>(next_);
  }
  [[nodiscard]] constexpr View take(std::size_t size) noexcept {
    check(size <= remaining_size());
    const View taken(next_, size);
    next_ += size;
    return taken;
  }
  constexpr void skip(std::size_t size) noexcept {
    check(size <= remaining_size());
    next_ += size;
  }

 private:
  using Pointer = decltype(View().begin());
  Pointer begin_ = nullptr;
  Pointer next_ = nullptr;
  Pointer end_ = nullptr;
};

// ByteReader reads const bytes; MutableByteReader reads bytes that whoever takes them may change.
using ByteReader = BasicByteReader<ByteView>;
using MutableByteReader = BasicByteReader<MutableByteView>;

}  // namespace weir

#if defined(__clang__) && __clang_major__ >= 16
#pragma clang unsafe_buffer_usage end
#endif
