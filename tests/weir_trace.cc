#include "weir_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>

#include <weir/message_inflater.h>

#include "trace_end.h"

namespace weir::tests {
namespace {

class Collector {
 public:
  void on_event(MessageKind kind, const Message& message) {
    const Bytes payload(message.payload.begin(), message.payload.end());
    if (kind == MessageKind::text || kind == MessageKind::binary) {
      EXPECT_EQ(message.begins, !open_);
      if (message.begins) joined_.clear();
      if (kind == MessageKind::text) EXPECT_TRUE(is_utf8(message.payload)) << "a piece of text is whole characters";
      joined_.insert(joined_.end(), payload.begin(), payload.end());
      open_ = !message.ends;
      if (message.ends) trace.events.push_back({std::string(name_of(kind)), joined_, {}});
      return;
    }
    EXPECT_TRUE(message.begins && message.ends);
    TraceEvent event{std::string(name_of(kind)), payload, {}};
    if (kind == MessageKind::close && message.close_code != CloseCode::no_status_received) {
      event.close_code = static_cast<unsigned>(message.close_code);
    }
    trace.events.push_back(event);
  }

  Trace trace;

 private:
  Bytes joined_;
  bool open_ = false;
};

// The reader, by itself or behind an inflater.
struct Stages {
  MessageReader reader;
  std::optional<MessageInflater> inflater;

  template <typename Reader>
  MessageKind next(Reader& in, Message& message) {
    return inflater ? inflater->next(reader, in, message) : reader.next(in, message);
  }
};

template <typename Reader, typename View>
bool feed(Stages& stages, View view, Collector& collector) {
  Reader in(view);
  Message message;
  while (true) {
    const std::size_t before = in.position();
    const MessageKind kind = stages.next(in, message);
    if (kind == MessageKind::need_input) {
      EXPECT_TRUE(in.empty());
      return true;
    }
    if (kind == MessageKind::error) {
      EXPECT_EQ(stages.next(in, message), MessageKind::error);
      EXPECT_NE(stages.reader.error().code, ErrorCode::none);
      return false;
    }
    if (!stages.inflater) EXPECT_GT(in.position(), before);
    EXPECT_FALSE(message.rsv1);
    collector.on_event(kind, message);
  }
}

std::string frame_name(const FrameHeader& header) {
  const char* opcode = "?";
  switch (header.opcode) {
    case Opcode::continuation:
      opcode = "continuation";
      break;
    case Opcode::text:
      opcode = "text";
      break;
    case Opcode::binary:
      opcode = "binary";
      break;
    case Opcode::close:
      opcode = "close";
      break;
    case Opcode::ping:
      opcode = "ping";
      break;
    case Opcode::pong:
      opcode = "pong";
      break;
  }
  return std::string(opcode) + (header.fin ? " fin" : "") + (header.rsv1 ? " rsv1" : "");
}

// Joins the pieces of a frame, and checks that they say where they belong.
class FrameCollector {
 public:
  void on_piece(const FramePiece& piece, ByteView slice, std::uint64_t slice_offset) {
    EXPECT_EQ(piece.frame_begins, !open_);
    if (piece.frame_begins) joined_.clear();
    EXPECT_EQ(piece.payload_offset, joined_.size());
    for (std::size_t i = 0; i < piece.payload.size(); ++i) joined_.push_back(piece.payload[i]);
    if (!piece.payload.empty()) {
      const ByteView wire = piece.payload.wire();
      EXPECT_TRUE(std::greater_equal<>()(wire.begin(), slice.begin()) && std::less_equal<>()(wire.end(), slice.end()))
          << "payload is not of the slice";
      EXPECT_EQ(piece.stream_offset(), slice_offset + static_cast<std::size_t>(wire.begin() - slice.begin()));
    }
    open_ = !piece.frame_ends;
    if (open_) return;
    EXPECT_EQ(piece.header.payload_length, joined_.size());
    trace.events.push_back({frame_name(piece.header), joined_, {}});
  }

  Trace trace;

 private:
  Bytes joined_;
  bool open_ = false;
};

}  // namespace

Trace weir_frames(Role role, const Limits& limits, const Bytes& stream, const std::vector<std::size_t>& cuts,
                  bool allow_rsv1) {
  FrameParser parser(role, limits, allow_rsv1 ? Rsv1::negotiated : Rsv1::reserved);
  FrameCollector collector;
  EventKind kind = EventKind::need_input;
  std::size_t cut = 0;
  for (std::size_t at = 0; at < stream.size() && kind != EventKind::error;) {
    const std::size_t size = std::min(stream.size() - at, cuts[std::min(cut++, cuts.size() - 1)]);
    const auto block = std::make_unique<unsigned char[]>(size);
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, block.get());
    const ByteView slice(block.get(), size);
    ByteReader in(slice);
    FramePiece piece;
    std::size_t before = 0;
    while ((kind = parser.next(in, piece)) == EventKind::piece) {
      EXPECT_GT(in.position(), before);
      before = in.position();
      collector.on_piece(piece, slice, at);
    }
    EXPECT_TRUE(kind == EventKind::error || in.empty());
    at += size;
  }
  collector.trace.end = end_of(parser.finish());
  collector.trace.error = parser.error();
  return collector.trace;
}

Trace weir_trace(Role role, const Limits& limits, const Bytes& stream, const std::vector<std::size_t>& cuts, Mode mode,
                 const DeflateParameters* agreed) {
  const bool pieces = mode == Mode::const_pieces || mode == Mode::mutable_pieces;
  const bool is_mutable = mode == Mode::mutable_messages || mode == Mode::mutable_pieces;
  const Delivery delivery = pieces ? Delivery::pieces : Delivery::messages;
  const Role sender = role == Role::server ? Role::client : Role::server;
  Stages stages{MessageReader(role, limits, delivery, agreed == nullptr ? Rsv1::reserved : Rsv1::negotiated), {}};
  if (agreed != nullptr) stages.inflater.emplace(sender, *agreed, limits, delivery);
  Collector collector;
  std::size_t at = 0;
  std::size_t cut = 0;
  while (at < stream.size()) {
    const std::size_t size = std::min(stream.size() - at, cuts[std::min(cut++, cuts.size() - 1)]);
    const auto slice = std::make_unique<unsigned char[]>(size);
    std::copy_n(stream.begin() + static_cast<std::ptrdiff_t>(at), size, slice.get());
    bool good = true;
    if (is_mutable) {
      good = feed<MutableByteReader>(stages, MutableByteView(slice.get(), size), collector);
    } else {
      good = feed<ByteReader>(stages, ByteView(slice.get(), size), collector);
      EXPECT_TRUE(std::equal(slice.get(), slice.get() + size, stream.begin() + static_cast<std::ptrdiff_t>(at)))
          << "const input was changed";
    }
    if (!good) break;
    at += size;
  }
  collector.trace.end = end_of(stages.reader.finish());
  collector.trace.error = stages.reader.error();
  return collector.trace;
}

void expect_all_cuts(Role role, const Limits& limits, const Bytes& stream, const Trace& expected,
                     std::size_t max_2cut_size, const DeflateParameters* agreed) {
  std::mt19937_64 random(stream.size());
  for (const Mode mode : all_modes) {
    const auto expect_cut = [&](const std::vector<std::size_t>& cuts) {
      const Trace trace = weir_trace(role, limits, stream, cuts, mode, agreed);
      EXPECT_EQ(trace, expected) << "mode " << static_cast<int>(mode) << ", first cut " << cuts[0];
      return trace == expected;
    };
    if (!expect_cut({std::max<std::size_t>(stream.size(), 1)})) return;
    if (!expect_cut({1}) || !expect_cut({3})) return;
    if (stream.size() <= max_2cut_size) {
      for (std::size_t first = 1; first < stream.size(); ++first) {
        if (!expect_cut({first, stream.size()})) return;
      }
    }
    for (int round = 0; round < 4; ++round) {
      std::vector<std::size_t> cuts;
      for (int i = 0; i < 64; ++i) cuts.push_back(1 + random() % (round % 2 == 0 ? 16 : 600));
      if (!expect_cut(cuts)) return;
    }
  }
}

}  // namespace weir::tests
