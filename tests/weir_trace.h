// The trace that Weir's MessageReader makes of a stream cut into slices.
#pragma once

#include <weir/deflate.h>
#include <weir/message_reader.h>

#include "trace.h"

namespace weir::tests {

// How the reader is used: what the slices are, and how messages are given out.
enum class Mode { const_messages, mutable_messages, const_pieces, mutable_pieces };
inline constexpr Mode all_modes[] = {Mode::const_messages, Mode::mutable_messages, Mode::const_pieces,
                                     Mode::mutable_pieces};

// weir_trace feeds `stream` in slices of the given sizes, the last one repeated. Each slice has a heap block of exactly
// its size, so that a sanitizer sees a byte read too far. Pieces are joined. The contract of next() is checked at every
// call. With `agreed`, through a MessageInflater.
Trace weir_trace(Role role, const Limits& limits, const Bytes& stream, const std::vector<std::size_t>& cuts, Mode mode,
                 const DeflateParameters* agreed = nullptr);

// weir_frames is the same of FrameParser: its events are whole frames, as those of reference_frames.
Trace weir_frames(Role role, const Limits& limits, const Bytes& stream, const std::vector<std::size_t>& cuts,
                  bool allow_rsv1);

// expect_all_cuts checks the trace for the stream whole, byte by byte, at every 2-cut if it has at most max_2cut_size
// bytes, and at some random cuts, in every mode.
void expect_all_cuts(Role role, const Limits& limits, const Bytes& stream, const Trace& expected,
                     std::size_t max_2cut_size = 4096, const DeflateParameters* agreed = nullptr);

}  // namespace weir::tests
