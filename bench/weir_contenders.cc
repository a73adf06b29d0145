#include <weir/frame_parser.h>
#include <weir/message_reader.h>
#include <weir/utf8.h>

#include "contender.h"

namespace bench {
namespace {

weir::Role role_of(const Stream& stream) {
  return stream.spec().role == Role::server ? weir::Role::server : weir::Role::client;
}

bool is_data(weir::MessageKind kind) { return kind == weir::MessageKind::text || kind == weir::MessageKind::binary; }

// Frames are given out in pieces where a slice ends within one: nothing is joined, no text is checked.
class WeirFrames final : public Contender {
 public:
  explicit WeirFrames(const Stream& stream) : buffer_(stream.size()), parser_(role_of(stream)) {}

  Totals run(const Stream& stream, std::size_t slice_size) override {
    Totals totals;
    weir::FramePiece piece;
    unsigned char first = 0;
    for_each_slice(stream, slice_size, buffer_, [&](unsigned char* data, std::size_t size) {
      const weir::MutableByteView slice(data, size);
      weir::ByteReader in{weir::ByteView(slice)};
      weir::EventKind event;
      while ((event = parser_.next(in, piece)) == weir::EventKind::piece) {
        const weir::MutableByteView payload = piece.payload.unmask_in(slice);
        if (payload.empty()) continue;
        if (piece.payload_offset == 0) first = payload[0];
        if (piece.frame_ends) totals.add(piece.header.payload_length, first, payload[payload.size() - 1]);
      }
      if (event == weir::EventKind::error) refused("weir-frames", weir::rule_of(parser_.error().code).data());
    });
    return totals;
  }

 private:
  PageBuffer buffer_;
  weir::FrameParser parser_;
};

// Messages are unmasked where they lie, or joined; text is checked.
class WeirMessages final : public Contender {
 public:
  explicit WeirMessages(const Stream& stream) : buffer_(stream.size()), reader_(role_of(stream)) {}

  Totals run(const Stream& stream, std::size_t slice_size) override {
    Totals totals;
    weir::Message message;
    for_each_slice(stream, slice_size, buffer_, [&](unsigned char* data, std::size_t size) {
      weir::MutableByteReader in{weir::MutableByteView(data, size)};
      weir::MessageKind kind;
      while (is_data(kind = reader_.next(in, message))) totals.add(message.payload.data(), message.payload.size());
      if (kind == weir::MessageKind::error) refused("weir-messages", weir::rule_of(reader_.error().code).data());
      if (kind != weir::MessageKind::need_input) refused("weir-messages", "a control frame");
    });
    return totals;
  }

 private:
  PageBuffer buffer_;
  weir::MessageReader reader_;
};

}  // namespace

std::unique_ptr<Contender> make_weir_frames(const Stream& stream) { return std::make_unique<WeirFrames>(stream); }

std::unique_ptr<Contender> make_weir_messages(const Stream& stream) { return std::make_unique<WeirMessages>(stream); }

bool weir_is_utf8(const unsigned char* text, std::size_t size) { return weir::is_utf8(weir::ByteView(text, size)); }

}  // namespace bench
