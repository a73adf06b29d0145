// Bounded-exhaustive comparison with the reference model.
#include <gtest/gtest.h>

#include "reference_model.h"
#include "weir_trace.h"

namespace weir::tests {
namespace {

Limits small_limits() {
  Limits limits;
  limits.max_frame_size = 70000;
  limits.max_message_size = 70001;
  limits.max_fragment_count = 3;
  limits.max_empty_fragment_count = 1;
  return limits;
}

// Limits that the lengths of up to three bytes of stream reach.
Limits tiny_limits() {
  Limits limits;
  limits.max_frame_size = 2;
  limits.max_message_size = 3;
  limits.max_fragment_count = 1;
  limits.max_empty_fragment_count = 0;
  return limits;
}

class Exhaustive : public testing::TestWithParam<Role> {};

void expect_like_reference(Role role, const Limits& limits, const Bytes& stream) {
  const Trace expected = reference(role, limits, stream);
  ASSERT_EQ(weir_trace(role, limits, stream, {stream.size()}, Mode::mutable_messages), expected) << hex(stream);
  ASSERT_EQ(weir_trace(role, limits, stream, {1}, Mode::const_pieces), expected) << hex(stream);
  for (const bool allow_rsv1 : {false, true}) {
    const Trace frames = reference_frames(role, limits, stream, allow_rsv1);
    ASSERT_EQ(weir_frames(role, limits, stream, {stream.size()}, allow_rsv1), frames) << hex(stream);
    ASSERT_EQ(weir_frames(role, limits, stream, {1}, allow_rsv1), frames) << hex(stream);
  }
}

// ended tells that nothing which follows the stream can change what was made of it, whether RSV1 was negotiated or not.
bool ended(Role role, const Limits& limits, const Bytes& stream) {
  return reference_frames(role, limits, stream, false).end == End::fail &&
         reference_frames(role, limits, stream, true).end == End::fail;
}

// A stream that failed stays so: its extensions are tried with a few bytes only.
TEST_P(Exhaustive, EveryStreamOfUpTo3BytesIsReadLikeTheReferenceDoes) {
  for (const Limits& limits : {Limits{}, tiny_limits()}) {
    std::size_t tried = 0;
    for (unsigned first = 0; first < 256; ++first) {
      Bytes stream = {static_cast<unsigned char>(first)};
      ASSERT_NO_FATAL_FAILURE(expect_like_reference(GetParam(), limits, stream));
      const bool ended_1 = ended(GetParam(), limits, stream);
      for (unsigned second = 0; second < 256; second += ended_1 ? 51 : 1) {
        stream = {static_cast<unsigned char>(first), static_cast<unsigned char>(second)};
        ASSERT_NO_FATAL_FAILURE(expect_like_reference(GetParam(), limits, stream));
        const bool ended_2 = ended(GetParam(), limits, stream);
        for (unsigned third = 0; third < 256; third += ended_2 ? 51 : 1) {
          stream = {static_cast<unsigned char>(first), static_cast<unsigned char>(second),
                    static_cast<unsigned char>(third)};
          ASSERT_NO_FATAL_FAILURE(expect_like_reference(GetParam(), limits, stream));
          ++tried;
        }
      }
    }
    EXPECT_GT(tried, 50000U);
  }
}

TEST_P(Exhaustive, EveryFirstTwoBytesWithBoundaryLengthsAreReadLikeTheReferenceDoes) {
  const std::uint64_t lengths[] = {0,
                                   1,
                                   124,
                                   125,
                                   126,
                                   127,
                                   65534,
                                   65535,
                                   65536,
                                   65537,
                                   70000,
                                   70001,
                                   70002,
                                   0x7FFFFFFF,
                                   0x80000000,
                                   0xFFFFFFFF,
                                   0x100000000,
                                   0x7FFFFFFFFFFFFFFF,
                                   0x8000000000000000,
                                   0xFFFFFFFFFFFFFFFF};
  for (const Limits& limits : {Limits{}, small_limits()}) {
    for (unsigned first = 0; first < 256; ++first) {
      for (unsigned second = 0; second < 256; ++second) {
        const unsigned length_7 = second & 0x7FU;
        for (const std::uint64_t length : lengths) {
          Bytes stream = {static_cast<unsigned char>(first), static_cast<unsigned char>(second)};
          if (length_7 < 126 && length != 0) break;
          const int size = length_7 == 126 ? 2 : length_7 == 127 ? 8 : 0;
          for (int i = size - 1; i >= 0; --i)
            stream.push_back(static_cast<unsigned char>(length >> (8U * static_cast<unsigned>(i))));
          for (int i = 0; i < 9; ++i) stream.push_back(static_cast<unsigned char>(0x61 + i));
          ASSERT_NO_FATAL_FAILURE(expect_like_reference(GetParam(), limits, stream));
        }
      }
    }
  }
}

// RFC 3629: every pair of bytes, followed by bytes at the borders of what a lead allows, in one frame and in two.
TEST_P(Exhaustive, EveryTextThatBeginsWithAnyTwoBytesIsReadLikeTheReferenceDoes) {
  const Bytes borders = {0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
  const unsigned char mask_bit = GetParam() == Role::server ? 0x80 : 0;
  const Bytes key(GetParam() == Role::server ? 4 : 0, 0);
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      for (const unsigned char third : borders) {
        for (const bool fragmented : {false, true}) {
          const Bytes text = {static_cast<unsigned char>(first), static_cast<unsigned char>(second), third, 0x80};
          const std::size_t split = fragmented ? 2 : text.size();
          Bytes stream = {static_cast<unsigned char>(fragmented ? 0x01 : 0x81),
                          static_cast<unsigned char>(split | mask_bit)};
          stream.insert(stream.end(), key.begin(), key.end());
          stream.insert(stream.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(split));
          if (fragmented) {
            stream.push_back(0x80);
            stream.push_back(static_cast<unsigned char>((text.size() - split) | mask_bit));
            stream.insert(stream.end(), key.begin(), key.end());
            stream.insert(stream.end(), text.begin() + static_cast<std::ptrdiff_t>(split), text.end());
          }
          const Trace expected = reference(GetParam(), {}, stream);
          ASSERT_EQ(weir_trace(GetParam(), {}, stream, {stream.size()}, Mode::mutable_messages), expected)
              << hex(stream);
          ASSERT_EQ(weir_trace(GetParam(), {}, stream, {1}, Mode::const_pieces), expected) << hex(stream);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothRoles, Exhaustive, testing::Values(Role::server, Role::client),
                         [](const auto& made) { return made.param == Role::server ? "Server" : "Client"; });

}  // namespace
}  // namespace weir::tests
