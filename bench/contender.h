// What every parser under test looks like to the benchmarks. C++17, for the oldest contender's sake.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "streams.h"

namespace bench {

// Contender is a parser that has been set up for one stream's role, outside what is measured. It is reused.
class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  // run parses the stream, received `slice_size` bytes at a time: each slice is put into the parser's buffer by one
  // memcpy, which stands for the kernel's. Every message is counted, its first and last byte read. A parser that
  // refuses the stream stops the process.
  virtual Totals run(const Stream& stream, std::size_t slice_size) = 0;
};

// ContenderKind is a contender's name and how to make one. A contender that is no message parser has binary streams
// only: it does not check text.
struct ContenderKind {
  const char* name;
  std::unique_ptr<Contender> (*make)(const Stream& stream);
  bool takes_text;
};

// contenders is those in this build. The first is the floor.
const std::vector<ContenderKind>& contenders();

// contender_named is that one, or nullptr.
const ContenderKind* contender_named(const char* name);

// refused stops the process: a contender found an error in a stream that has none.
[[noreturn]] void refused(const char* contender, const char* reason);

// check_totals stops the process when a contender did not find in a stream what is in it.
void check_totals(const ContenderKind& kind, const Stream& stream, const Totals& found);

std::unique_ptr<Contender> make_floor(const Stream& stream);
std::unique_ptr<Contender> make_floor_walk(const Stream& stream);
std::unique_ptr<Contender> make_weir_frames(const Stream& stream);
std::unique_ptr<Contender> make_weir_messages(const Stream& stream);
std::unique_ptr<Contender> make_wslay(const Stream& stream);
std::unique_ptr<Contender> make_websocketpp(const Stream& stream);
std::unique_ptr<Contender> make_beast(const Stream& stream);

// weir_is_utf8 is Weir's check of a whole text, for the floor: compiled as Weir is.
bool weir_is_utf8(const unsigned char* text, std::size_t size);

// for_each_slice puts one slice after the other into `buffer`, which holds the whole stream if need be, and has each
// parsed: parse(data, size).
template <typename Parse>
[[gnu::always_inline]] inline void for_each_slice(const Stream& stream, std::size_t slice_size,
                                                  const PageBuffer& buffer, Parse parse) {
  for (std::size_t offset = 0; offset < stream.size();) {
    const std::size_t size = std::min(slice_size, stream.size() - offset);
    std::memcpy(buffer.data(), stream.data() + offset, size);
    parse(buffer.data(), size);
    offset += size;
  }
}

// SliceSource hands a stream out to a parser that reads into a buffer of its own: never more than asked for, and never
// across the end of a slice.
class SliceSource {
 public:
  SliceSource(const Stream& stream, std::size_t slice_size)
      : next_(stream.data()), slice_end_(next_), end_(next_ + stream.size()), slice_size_(slice_size) {}

  // next_slice tells whether there is another one, and goes to it.
  bool next_slice() {
    slice_end_ = next_ + std::min(slice_size_, static_cast<std::size_t>(end_ - next_));
    return next_ != slice_end_;
  }
  // read copies up to `size` bytes of the slice; 0 at its end.
  std::size_t read(void* to, std::size_t size) {
    size = std::min(size, static_cast<std::size_t>(slice_end_ - next_));
    std::memcpy(to, next_, size);
    next_ += size;
    return size;
  }

 private:
  const unsigned char* next_;
  const unsigned char* slice_end_;
  const unsigned char* end_;
  std::size_t slice_size_;
};

}  // namespace bench
