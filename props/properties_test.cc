// Laws that hold for every input, tried with inputs made by RapidCheck.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include <weir/close_payload.h>
#include <weir/frame_writer.h>
#include <weir/mask.h>
#include <weir/utf8.h>

#include "reference_model.h"
#include "weir_trace.h"

namespace weir::tests {
namespace {

Limits small_limits() {
  Limits limits;
  limits.max_frame_size = 50;
  limits.max_message_size = 55;
  limits.max_fragment_count = 3;
  limits.max_empty_fragment_count = 1;
  return limits;
}

rc::Gen<Bytes> payloads() {
  const auto characters = rc::gen::weightedElement<std::string>({{9, "a"},
                                                                 {9, "Z "},
                                                                 {9, "\xd0\xb6"},
                                                                 {9, "\xe4\xb8\xad"},
                                                                 {9, "\xf0\x9f\x98\x80"},
                                                                 {1, "\xff"},
                                                                 {1, "\xe2\x82"}});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(characters),
                      [](const std::vector<std::string>& parts) {
                        Bytes bytes;
                        for (const std::string& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
                        if (bytes.size() > 125) bytes.resize(125);
                        return bytes;
                      });
}

Bytes bytes_of(const std::string& text) { return Bytes(text.begin(), text.end()); }

void put_frame(Bytes& stream, Role role, unsigned first, const Bytes& payload) {
  stream.push_back(static_cast<unsigned char>(first));
  stream.push_back(static_cast<unsigned char>(payload.size() | (role == Role::server ? 0x80U : 0U)));
  Bytes key(4, 0);
  if (role == Role::server) {
    key = *rc::gen::container<Bytes>(4, rc::gen::arbitrary<unsigned char>());
    stream.insert(stream.end(), key.begin(), key.end());
  }
  for (std::size_t i = 0; i < payload.size(); ++i) {
    stream.push_back(static_cast<unsigned char>(payload[i] ^ key[i % 4]));
  }
}

// Messages in up to five fragments, cut within characters too, with control frames between; one stream in five has a
// byte changed, and one text in ten is not UTF-8.
rc::Gen<Bytes> streams(Role role) {
  return rc::gen::exec([role] {
    Bytes stream;
    const auto maybe_control = [&] {
      if (*rc::gen::inRange(0, 3) == 0) put_frame(stream, role, *rc::gen::element(0x89U, 0x8aU), bytes_of("pong"));
    };
    const auto message_count = *rc::gen::inRange(0, 6);
    for (int i = 0; i < message_count; ++i) {
      Bytes left = *payloads();
      left.resize(std::min<std::size_t>(left.size(), 70));
      if (*rc::gen::inRange(0, 10) != 0) left.resize(utf8_prefix_size(left));
      unsigned opcode = *rc::gen::weightedElement<unsigned>({{3, 1}, {1, 2}});
      const auto fragment_count = *rc::gen::inRange(1, 6);
      for (int fragment = 1; fragment <= fragment_count; ++fragment) {
        maybe_control();
        const bool fin = fragment == fragment_count;
        const std::size_t size =
            fin ? left.size() : *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(left.size(), 8) + 1);
        const auto end = left.begin() + static_cast<std::ptrdiff_t>(size);
        put_frame(stream, role, opcode | (fin ? 0x80U : 0U), Bytes(left.begin(), end));
        left.erase(left.begin(), end);
        opcode = 0;
      }
    }
    if (*rc::gen::inRange(0, 4) == 0)
      put_frame(stream, role, 0x88,
                bytes_of("\x03\xe9"
                         "bye"));
    if (!stream.empty() && *rc::gen::inRange(0, 5) == 0) {
      stream[*rc::gen::inRange<std::size_t>(0, stream.size())] ^= static_cast<unsigned char>(*rc::gen::inRange(1, 256));
    }
    return stream;
  });
}

RC_GTEST_PROP(CutInvariance, ATraceIsTheReferencesHoweverTheStreamIsCut, ()) {
  const Role role = *rc::gen::element(Role::server, Role::client);
  const Limits limits = *rc::gen::element(Limits{}, small_limits());
  const Bytes stream = *streams(role);
  const auto cuts =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 40)));
  const Mode mode =
      *rc::gen::element(Mode::const_messages, Mode::mutable_messages, Mode::const_pieces, Mode::mutable_pieces);
  const Trace expected = reference(role, limits, stream);
  RC_TAG(expected.end == End::fail ? std::string(name_of(expected.error.code))
                                   : "end " + std::to_string(static_cast<int>(expected.end)));
  RC_ASSERT(weir_trace(role, limits, stream, cuts, mode) == expected);
}

RC_GTEST_PROP(WriteThenParse, AFragmentedMessageComesBackWhole, ()) {
  const Role sender = *rc::gen::element(Role::server, Role::client);
  const auto message = *rc::gen::scale(20.0, rc::gen::container<Bytes>(rc::gen::arbitrary<unsigned char>()));
  const auto fragment_size = *rc::gen::inRange<std::size_t>(1, 400);
  FrameWriter writer(sender);
  Bytes stream;
  ByteView left(message);
  do {
    MaskingKey key;
    for (unsigned char& byte : key.bytes) byte = *rc::gen::arbitrary<unsigned char>();
    OutgoingFrame frame;
    RC_ASSERT(writer.write_fragment(Opcode::binary, left, fragment_size, key, frame) == ErrorCode::none);
    const ByteView header = frame.header.view();
    stream.insert(stream.end(), header.begin(), header.end());
    Bytes payload(frame.payload.begin(), frame.payload.end());
    apply_mask(MutableByteView(payload), frame.masking_key);
    stream.insert(stream.end(), payload.begin(), payload.end());
  } while (writer.message_open());
  RC_CLASSIFY(message.size() > fragment_size, "several fragments");
  const Role receiver = sender == Role::client ? Role::server : Role::client;
  const Trace expected{{{"binary", message, {}}}, End::open, {}};
  RC_ASSERT(weir_trace(receiver, {}, stream, {17}, Mode::const_messages) == expected);
}

RC_GTEST_PROP(Mask, UnmaskingTwiceGivesTheBytesBack, (const Bytes& bytes, std::array<unsigned char, 4> key)) {
  Bytes changed = bytes;
  apply_mask(MutableByteView(changed), {key});
  for (std::size_t i = 0; i < bytes.size(); ++i) RC_ASSERT(changed[i] == (bytes[i] ^ key[i % 4]));
  apply_mask(MutableByteView(changed), {key});
  RC_ASSERT(changed == bytes);
}

RC_GTEST_PROP(Utf8, TheValidatorAgreesWithADecoderByCodePoint, ()) {
  const Bytes text = *payloads();
  Bytes stream;
  put_frame(stream, Role::client, 0x81, text);
  const Trace decoded = reference(Role::client, {}, stream);
  RC_CLASSIFY(decoded.end == End::fail, "not UTF-8");
  RC_ASSERT(is_utf8(text) == (decoded.end == End::open));
  Utf8Validator validator;
  std::size_t good = 0;
  while (good < text.size() && validator.accept(ByteView(text).drop(good).first(1)) == 1) ++good;
  if (decoded.error.code == ErrorCode::text_not_utf8) RC_ASSERT(good + 2 == decoded.error.offset);
  else RC_ASSERT(good == text.size());
}

RC_GTEST_PROP(ClosePayload, AnyReasonIsCutAtACharacterToFit, ()) {
  Bytes reason = *rc::gen::scale(3.0, payloads());
  reason.resize(utf8_prefix_size(reason));
  Bytes longer = reason;
  for (int i = 0; i < 3; ++i) longer.insert(longer.end(), reason.begin(), reason.end());
  const auto encoded = encode_close_payload(CloseCode::normal_closure, as_text(longer));
  RC_ASSERT(encoded.has_value());
  ClosePayload parsed;
  std::size_t error_index = 0;
  RC_ASSERT(parse_close_payload(encoded->view(), parsed, error_index) == ErrorCode::none);
  RC_ASSERT(parsed.code == CloseCode::normal_closure);
  RC_ASSERT(parsed.reason == ByteView(longer).first(parsed.reason.size()));
  RC_ASSERT(parsed.reason.size() == longer.size() || parsed.reason.size() + 4 > max_close_reason_size);
}

}  // namespace
}  // namespace weir::tests
