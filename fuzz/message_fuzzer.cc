// Any bytes, cut anywhere, through MessageReader: what comes out is what the reference model says, error and offset
// included. The first byte picks role, input kind and limits, the second the cuts; the rest is the stream.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include <weir/message_reader.h>

#include "reference_model.h"
#include "trace_end.h"

namespace {

using weir::tests::Bytes;
using weir::tests::Trace;

template <typename Reader, typename View>
void feed(weir::MessageReader& reader, View slice, Trace& trace, Bytes& joined) {
  Reader in(slice);
  weir::drain(reader, in, [&](weir::MessageKind kind, const weir::Message& message) {
    const bool control = kind != weir::MessageKind::text && kind != weir::MessageKind::binary;
    const Bytes payload(message.payload.begin(), message.payload.end());
    if (control) {
      weir::tests::TraceEvent event{std::string(name_of(kind)), payload, {}};
      const bool has_code = message.close_code != weir::CloseCode::no_status_received;
      if (kind == weir::MessageKind::close && has_code) event.close_code = static_cast<unsigned>(message.close_code);
      trace.events.push_back(event);
      return;
    }
    if (message.begins) joined.clear();
    joined.insert(joined.end(), payload.begin(), payload.end());
    if (message.ends) trace.events.push_back({std::string(name_of(kind)), joined, {}});
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const weir::Role role = (data[0] & 1U) != 0 ? weir::Role::server : weir::Role::client;
  const bool is_mutable = (data[0] & 2U) != 0;
  const weir::Delivery delivery = (data[0] & 4U) != 0 ? weir::Delivery::pieces : weir::Delivery::messages;
  weir::Limits limits;
  if ((data[0] & 8U) != 0)
    limits = {.max_frame_size = 300, .max_message_size = 500, .max_fragment_count = 3, .max_empty_fragment_count = 1};
  const Bytes stream(data + 2, data + size);
  std::uint32_t random = data[1] * 2654435761U + 1;

  weir::MessageReader reader(role, limits, delivery);
  Trace trace;
  Bytes joined;  // the pieces of the message under way
  for (std::size_t at = 0; at < stream.size();) {
    random = random * 1664525U + 1013904223U;
    const std::size_t wanted = data[1] == 0 ? stream.size() : 1 + (random >> 16U) % (1U + data[1]);
    const std::size_t slice_size = std::min(wanted, stream.size() - at);
    const auto slice = std::make_unique<unsigned char[]>(slice_size);
    std::copy_n(stream.data() + at, slice_size, slice.get());
    if (is_mutable)
      feed<weir::MutableByteReader>(reader, weir::MutableByteView(slice.get(), slice_size), trace, joined);
    else feed<weir::ByteReader>(reader, weir::ByteView(slice.get(), slice_size), trace, joined);
    at += slice_size;
  }
  trace.end = weir::tests::end_of(reader.finish());
  trace.error = reader.error();
  if (trace != weir::tests::reference(role, limits, stream)) std::abort();
  return 0;
}
