#include "inspect.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include <weir/frame_parser.h>
#include <weir/message_reader.h>

#include "http_head.h"
#include "report.h"

namespace weir::tools {
namespace {

constexpr std::size_t read_size = 65536;
constexpr std::size_t excerpt_size = 64;

int status_of(StreamEnd end) {
  switch (end) {
    case StreamEnd::open:
    case StreamEnd::closed:
      return 0;
    case StreamEnd::failed:
      return 1;
    case StreamEnd::inside_frame:
    case StreamEnd::between_fragments:
      return 3;
  }
  return 2;
}

// Slicer says how many bytes the parser is fed next.
class Slicer {
 public:
  explicit Slicer(const std::string& text) {
    if (text.empty()) return;
    constexpr std::string_view random_prefix = "random:";
    const bool random = text.starts_with(random_prefix);
    const std::string_view number =
        random ? std::string_view(text).substr(random_prefix.size()) : std::string_view(text);
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || (!random && value == 0)) {
      throw std::runtime_error("--slice takes a number of bytes, 1 or more, or random:SEED");
    }
    if (random) random_.emplace(value);
    else size_ = value;
  }

  std::size_t next(std::size_t available) {
    if (!random_) return std::min(available, size_);
    // Mostly short slices: they meet every state of the parser.
    const std::size_t most = (*random_)() % 4 == 0 ? 4096 : 16;
    return std::min<std::size_t>(available, 1 + (*random_)() % most);
  }

 private:
  std::size_t size_ = read_size;
  std::optional<std::mt19937_64> random_;
};

// Input is the file, read block by block.
class Input {
 public:
  explicit Input(const std::string& path)
      : path_(path), file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close) {
    if (file_ == nullptr) throw std::runtime_error(path + ": " + std::strerror(errno));
    if (path != "-" && std::fseek(file_.get(), 0, SEEK_END) == 0) {
      const long end = std::ftell(file_.get());
      size_ = end > 0 ? static_cast<std::uint64_t>(end) : 0;
      std::rewind(file_.get());
    }
    on_terminal_ = isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 0;
  }

  // read is the next block, empty at the end of the file. Valid until the next call.
  MutableByteView read() {
    const std::size_t size = std::fread(block_.data(), 1, block_.size(), file_.get());
    if (size == 0 && std::ferror(file_.get()) != 0) throw std::runtime_error(path_ + ": " + std::strerror(errno));
    done_ += size;
    show_progress();
    return MutableByteView(block_).first(size);
  }

 private:
  static void close(std::FILE* file) {
    if (file != stdin) std::fclose(file);
  }

  void show_progress() {
    if (!on_terminal_ || size_ < (std::uint64_t{64} << 20U)) return;
    const auto now = std::chrono::steady_clock::now();
    const bool ended = done_ == size_;
    if (!ended && now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    std::fprintf(stderr, "\r%llu of %llu MiB%s", static_cast<unsigned long long>(done_ >> 20U),
                 static_cast<unsigned long long>(size_ >> 20U), ended ? "\n" : "");
  }

  std::string path_;
  std::unique_ptr<std::FILE, void (*)(std::FILE*)> file_;
  std::vector<unsigned char> block_ = std::vector<unsigned char>(read_size);
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
  bool on_terminal_ = false;  // progress is shown where output does not go
  std::chrono::steady_clock::time_point shown_;
};

// Sink is fed the bytes after an HTTP head.
class Sink {
 public:
  virtual ~Sink() = default;
  // feed returns false once nothing that follows can matter.
  virtual bool feed(MutableByteView bytes) = 0;
  [[nodiscard]] virtual StreamEnd finish() const = 0;
  [[nodiscard]] virtual Error error() const = 0;
};

class MessageSink : public Sink {
 public:
  MessageSink(Role role, const Limits& limits, Report& report) : reader_(role, limits), report_(report) {}

  bool feed(MutableByteView bytes) override {
    MutableByteReader in(bytes);
    const auto show = [this](MessageKind kind, const Message& message) { report_.on_message(kind, message); };
    const bool failed = drain(reader_, in, show) == MessageKind::error;
    return !failed && reader_.finish() != StreamEnd::closed;
  }
  [[nodiscard]] StreamEnd finish() const override { return reader_.finish(); }
  [[nodiscard]] Error error() const override { return reader_.error(); }

 private:
  MessageReader reader_;
  Report& report_;
};

class FrameSink : public Sink {
 public:
  FrameSink(Role role, const Limits& limits, Rsv1 rsv1, Report& report)
      : parser_(role, limits, rsv1), report_(report) {}

  bool feed(MutableByteView bytes) override {
    ByteReader in{ByteView(bytes)};
    return drain(parser_, in, [this](const FramePiece& piece) { on_piece(piece); }) != EventKind::error;
  }
  [[nodiscard]] StreamEnd finish() const override { return parser_.finish(); }
  [[nodiscard]] Error error() const override { return parser_.error(); }

 private:
  void on_piece(const FramePiece& piece) {
    if (piece.frame_begins) excerpt_size_ = 0;
    const std::size_t size = std::min(piece.payload.size(), excerpt_.size() - excerpt_size_);
    piece.payload.first(size).copy_to(MutableByteView(excerpt_).drop(excerpt_size_).first(size));
    excerpt_size_ += size;
    if (piece.frame_ends) report_.on_frame(piece.header, piece.frame_offset, ByteView(excerpt_).first(excerpt_size_));
  }

  FrameParser parser_;
  Report& report_;
  std::array<unsigned char, excerpt_size> excerpt_{};
  std::size_t excerpt_size_ = 0;
};

class Inspection {
 public:
  explicit Inspection(const InspectOptions& options)
      : options_(options),
        slicer_(options.slice),
        report_(options.format == "json", options.format == "text" && isatty(STDOUT_FILENO) == 1) {}

  int run() {
    if (options_.deflate_given) refuse_to_inflate();
    Input input(options_.path);
    if (!options_.as.empty()) make_sink(options_.as == "server" ? Role::server : Role::client);
    bool more = true;
    while (more) {
      const MutableByteView block = input.read();
      if (block.empty()) break;
      more = feed(block);
    }
    if (!sink_ && other_protocol_) begin_without_head();
    const bool inside_head = !sink_ && !skipped_head_ && !head_.text().empty();
    StreamEnd end = sink_ ? sink_->finish() : StreamEnd::open;
    if (inside_head) end = StreamEnd::inside_frame;
    report_.on_end(end, sink_ ? sink_->error() : Error{});
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) throw std::runtime_error("cannot write to standard output");
    return status_of(end);
  }

 private:
  bool feed(MutableByteView block) {
    if (!sink_ && !skipped_head_) block = feed_head(block);
    if (!sink_ && skipped_head_ && !block.empty()) make_sink(*head_role_);
    bool more = true;
    while (more && !block.empty()) {
      const std::size_t size = slicer_.next(block.size());
      more = sink_->feed(block.first(size));
      block = block.drop(size);
    }
    return more;
  }

  // feed_head looks for an HTTP head at the front, and returns what comes after it.
  MutableByteView feed_head(MutableByteView block) {
    std::size_t taken = 0;
    while (taken < block.size()) {
      const HttpHead::Verdict verdict = head_.feed(static_cast<char>(block[taken++]));
      if (verdict == HttpHead::Verdict::undecided) continue;
      if (verdict == HttpHead::Verdict::complete) {
        skipped_head_ = true;
        head_role_ = head_.receiver();
        report_.set_base_offset(head_.text().size());
        report_.on_head(head_.first_line(), head_.text().size(), head_.receiver());
        break;
      }
      // The mask bit is in the second byte: two bytes say who received them.
      other_protocol_ = true;
      if (head_.text().size() < 2) continue;
      begin_without_head();
      break;
    }
    return block.drop(taken);
  }

  bool begin_without_head() {
    const std::string& text = head_.text();
    const bool masked = text.size() >= 2 && (static_cast<unsigned char>(text[1]) & 0x80U) != 0;
    make_sink(masked ? Role::server : Role::client);
    std::vector<unsigned char> bytes(text.begin(), text.end());
    MutableByteView left(bytes);
    bool more = true;
    while (more && !left.empty()) {
      const std::size_t size = slicer_.next(left.size());
      more = sink_->feed(left.first(size));
      left = left.drop(size);
    }
    return more;
  }

  void refuse_to_inflate() const {
    if (options_.frames) return;
    throw std::runtime_error("permessage-deflate: messages are not inflated yet; --frames --deflate shows the frames");
  }

  void make_sink(Role role) {
    const bool deflate = options_.deflate_given || (skipped_head_ && head_.negotiates_deflate());
    if (deflate) refuse_to_inflate();
    if (!options_.frames) sink_ = std::make_unique<MessageSink>(role, options_.limits, report_);
    else
      sink_ = std::make_unique<FrameSink>(role, options_.limits, deflate ? Rsv1::negotiated : Rsv1::reserved, report_);
  }

  const InspectOptions& options_;
  Slicer slicer_;
  Report report_;
  HttpHead head_;
  bool skipped_head_ = false;
  bool other_protocol_ = false;  // the first bytes are no HTTP head
  std::optional<Role> head_role_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace

int inspect(const InspectOptions& options) { return Inspection(options).run(); }

}  // namespace weir::tools
