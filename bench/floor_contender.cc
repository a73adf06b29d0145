// The floor: what nobody can do without. It trusts the stream: no rule is checked but the text's.
#include <immintrin.h>

#include <array>
#include <bit>

#include "contender.h"

namespace bench {
namespace {

// Work is what is done to a payload beside finding it.
enum class Work { walk, unmask, unmask_ascii, unmask_utf8 };

// turned is the key as it stands `offset` bytes into a payload.
inline std::uint32_t turned(std::uint32_t key, std::size_t offset) {
  return std::rotr(key, static_cast<int>(offset % 4 * 8));
}

template <typename Word>
Word load(const unsigned char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

[[gnu::target("avx2")]] inline __m256i load_256(const unsigned char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

inline __m128i load_128(const unsigned char* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

inline void store_128(unsigned char* to, __m128i bytes) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes); }

[[gnu::target("avx2")]] inline void store_256(unsigned char* to, __m256i bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}

[[gnu::target("avx2")]] inline __m256i repeated(std::uint32_t key) { return _mm256_set1_epi32(static_cast<int>(key)); }

[[gnu::target("avx2")]] inline bool is_ascii(__m256i bytes) { return _mm256_movemask_epi8(bytes) == 0; }

// xor_small unmasks 16 to 31 bytes by two vectors that may overlap, both read before either is written; fewer by the
// byte.
[[gnu::target("avx2")]] bool xor_small(unsigned char* to, const unsigned char* from, std::size_t size,
                                       std::uint32_t key) {
  if (size >= 16) {
    const std::size_t tail = size - 16;
    const __m128i a = _mm_xor_si128(load_128(from), _mm256_castsi256_si128(repeated(key)));
    const __m128i b = _mm_xor_si128(load_128(from + tail), _mm256_castsi256_si128(repeated(turned(key, tail))));
    store_128(to, a);
    store_128(to + tail, b);
    return _mm_movemask_epi8(_mm_or_si128(a, b)) == 0;
  }
  unsigned seen = 0;
  for (std::size_t i = 0; i < size; ++i) {
    to[i] = static_cast<unsigned char>(from[i] ^ turned(key, i));
    seen |= to[i];
  }
  return (seen & 0x80U) == 0;
}

// xor_into unmasks from one place to another, or in place. Returns whether every byte is ASCII, if that is asked for.
template <bool ascii_test>
[[gnu::target("avx2")]] bool xor_into(unsigned char* to, const unsigned char* from, std::size_t size,
                                      std::uint32_t key) {
  if (size < 32) return xor_small(to, from, size, key);
  const __m256i wide_key = repeated(key);
  // The last vector may overlap the one before it: read before anything is written.
  const __m256i last = _mm256_xor_si256(load_256(from + (size - 32)), repeated(turned(key, size)));
  __m256i seen = last;
  std::size_t i = 0;
  for (; size - i >= 128; i += 128) {
    const __m256i a = _mm256_xor_si256(load_256(from + i), wide_key);
    const __m256i b = _mm256_xor_si256(load_256(from + i + 32), wide_key);
    const __m256i c = _mm256_xor_si256(load_256(from + i + 64), wide_key);
    const __m256i d = _mm256_xor_si256(load_256(from + i + 96), wide_key);
    store_256(to + i, a);
    store_256(to + i + 32, b);
    store_256(to + i + 64, c);
    store_256(to + i + 96, d);
    if (ascii_test) {
      seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)));
    }
  }
  for (; size - i >= 32; i += 32) {
    const __m256i a = _mm256_xor_si256(load_256(from + i), wide_key);
    store_256(to + i, a);
    if (ascii_test) seen = _mm256_or_si256(seen, a);
  }
  store_256(to + (size - 32), last);
  return !ascii_test || is_ascii(seen);
}

[[gnu::target("avx2")]] bool is_ascii(const unsigned char* text, std::size_t size) {
  if (size < 32) {
    if (size >= 16) return _mm_movemask_epi8(_mm_or_si128(load_128(text), load_128(text + (size - 16)))) == 0;
    return std::all_of(text, text + size, [](unsigned char byte) { return byte < 0x80; });
  }
  __m256i seen = load_256(text + (size - 32));
  std::size_t i = 0;
  for (; size - i >= 128; i += 128) {
    const __m256i a = _mm256_or_si256(load_256(text + i), load_256(text + i + 32));
    const __m256i b = _mm256_or_si256(load_256(text + i + 64), load_256(text + i + 96));
    seen = _mm256_or_si256(seen, _mm256_or_si256(a, b));
  }
  for (; size - i >= 32; i += 32) seen = _mm256_or_si256(seen, load_256(text + i));
  return is_ascii(seen);
}

struct Header {
  std::size_t size;
  std::size_t length;
  std::uint32_t key;
};

// read_header reads a header, or returns false if not all of it is there.
template <bool masked>
inline bool read_header(const unsigned char* in, std::size_t size, Header& out) {
  if (size < 2) return false;
  out.length = in[1] & 0x7FU;
  out.size = 2;
  out.key = 0;
  if (out.length >= 126) {
    out.size = out.length == 126 ? 4 : 10;
    if (size < out.size) return false;
    out.length = out.size == 4 ? __builtin_bswap16(load<std::uint16_t>(in + 2))
                               : static_cast<std::size_t>(__builtin_bswap64(load<std::uint64_t>(in + 2)));
  }
  if (!masked) return true;
  if (size < out.size + 4) return false;
  out.key = load<std::uint32_t>(in + out.size);
  out.size += 4;
  return true;
}

template <bool masked, Work work>
class Floor final : public Contender {
 public:
  explicit Floor(const Stream& stream) : buffer_(stream.size()), joined_(stream.spec().payload_size) {}

  Totals run(const Stream& stream, std::size_t slice_size) override {
    Totals totals;
    for_each_slice(stream, slice_size, buffer_, [&](unsigned char* in, std::size_t size) {
      const unsigned char* const end = in + size;
      if (header_bytes_size_ != 0 || left_ != 0) in = resume(in, end, totals);
      while (in != end) in = on_frame(in, end, totals);
    });
    return totals;
  }

 private:
  // on_frame takes a frame, or what the slice has of it.
  unsigned char* on_frame(unsigned char* in, const unsigned char* end, Totals& totals) {
    Header header;
    const auto size = static_cast<std::size_t>(end - in);
    if (!read_header<masked>(in, size, header)) {
      std::memcpy(header_bytes_.data(), in, size);
      header_bytes_size_ = size;
      return in + size;
    }
    return on_payload(header, in + header.size, end, totals);
  }

  unsigned char* on_payload(const Header& header, unsigned char* in, const unsigned char* end, Totals& totals) {
    if (header.length > static_cast<std::size_t>(end - in)) {
      cut_ = header;
      left_ = header.length;
      all_ascii_ = true;
      return join(in, end, totals);
    }
    if (work == Work::walk) {
      const std::size_t last = header.length - 1;
      totals.add(header.length, static_cast<unsigned char>(in[0] ^ header.key),
                 static_cast<unsigned char>(in[last] ^ turned(header.key, last)));
      return in + header.length;
    }
    bool ascii = true;
    if (masked) ascii = xor_into<work == Work::unmask_ascii>(in, in, header.length, header.key);
    else if (work == Work::unmask_ascii) ascii = is_ascii(in, header.length);
    on_message(in, header.length, ascii, totals);
    return in + header.length;
  }

  void on_message(const unsigned char* payload, std::size_t size, bool ascii, Totals& totals) {
    if (work == Work::unmask_ascii && !ascii) refused("floor", "not ASCII");
    if (work == Work::unmask_utf8 && !weir_is_utf8(payload, size)) refused("floor", "not UTF-8");
    totals.add(payload, size);
  }

  // resume goes on with a frame that the last slice's end cut.
  unsigned char* resume(unsigned char* in, const unsigned char* end, Totals& totals) {
    if (left_ != 0) return join(in, end, totals);
    Header header;
    while (!read_header<masked>(header_bytes_.data(), header_bytes_size_, header)) {
      if (in == end) return in;
      header_bytes_[header_bytes_size_++] = *in++;
    }
    header_bytes_size_ = 0;
    return on_payload(header, in, end, totals);
  }

  // join adds to the message that was cut: unmasked on the way, it costs no more than a copy.
  unsigned char* join(unsigned char* in, const unsigned char* end, Totals& totals) {
    const std::size_t size = std::min(left_, static_cast<std::size_t>(end - in));
    const std::size_t offset = cut_.length - left_;
    const std::uint32_t key = turned(cut_.key, offset);
    if (size == 0) return in;
    if (work == Work::walk) {
      if (offset == 0) joined_.data()[0] = static_cast<unsigned char>(in[0] ^ key);
      joined_.data()[cut_.length - 1] = static_cast<unsigned char>(in[size - 1] ^ turned(key, size - 1));
    } else if (masked) {
      all_ascii_ &= xor_into<work == Work::unmask_ascii>(joined_.data() + offset, in, size, key);
    } else {
      std::memcpy(joined_.data() + offset, in, size);
      if (work == Work::unmask_ascii) all_ascii_ &= is_ascii(in, size);
    }
    left_ -= size;
    if (left_ == 0) on_joined(totals);
    return in + size;
  }

  void on_joined(Totals& totals) {
    if (work == Work::walk) totals.add(joined_.data(), cut_.length);
    else on_message(joined_.data(), cut_.length, all_ascii_, totals);
  }

  PageBuffer buffer_;
  PageBuffer joined_;
  std::array<unsigned char, 14> header_bytes_{};  // of a header that was cut
  std::size_t header_bytes_size_ = 0;
  Header cut_{};          // of a payload that was cut,
  std::size_t left_ = 0;  // and what is still to come of it
  bool all_ascii_ = true;
};

template <bool masked>
std::unique_ptr<Contender> make_floor_for(const Stream& stream) {
  switch (stream.spec().kind) {
    case Kind::binary:
      return std::make_unique<Floor<masked, Work::unmask>>(stream);
    case Kind::ascii:
      return std::make_unique<Floor<masked, Work::unmask_ascii>>(stream);
    case Kind::utf8:
      return std::make_unique<Floor<masked, Work::unmask_utf8>>(stream);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Contender> make_floor(const Stream& stream) {
  return stream.spec().role == Role::server ? make_floor_for<true>(stream) : make_floor_for<false>(stream);
}

std::unique_ptr<Contender> make_floor_walk(const Stream& stream) {
  if (stream.spec().role == Role::server) return std::make_unique<Floor<true, Work::walk>>(stream);
  return std::make_unique<Floor<false, Work::walk>>(stream);
}

}  // namespace bench
