// The example of README.md: reads a stream in slices of 4 bytes and prints its messages.
#include <weir/message_reader.h>

#include <array>
#include <cstdio>

int main() {
  // "Hello" as a browser sends it: text, masked (RFC 6455 5.7).
  std::array<unsigned char, 11> stream = {0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58};
  weir::MessageReader reader(weir::Role::server);
  weir::MutableByteView left(stream);
  while (!left.empty()) {
    const std::size_t size = left.size() < 4 ? left.size() : 4;  // what one read from a socket may bring
    weir::MutableByteReader in(left.first(size));
    const auto last = weir::drain(reader, in, [](weir::MessageKind kind, const weir::Message& message) {
      if (kind == weir::MessageKind::text) {
        std::printf("%.*s\n", static_cast<int>(message.payload.size()), weir::as_text(message.payload).data());
      }
    });
    if (last == weir::MessageKind::error) {
      const weir::ErrorText text(reader.error());
      std::printf("%.*s\n", static_cast<int>(text.view().size()), text.view().data());
      return 1;
    }
    left = left.drop(size);
  }
  return reader.finish() == weir::StreamEnd::open ? 0 : 1;
}
