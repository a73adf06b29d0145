// A receiver written from RFC 6455 and RFC 3629 alone: slow, plain, the whole stream at once. The parser is held
// against it.
#pragma once

#include <weir/deflate.h>

#include "trace.h"

namespace weir::tests {

// With `agreed`, permessage-deflate is in use: the model inflates all that it has of a message from its beginning,
// again for every frame, by zlib alone.
Trace reference(Role role, const Limits& limits, const Bytes& stream, const DeflateParameters* agreed = nullptr);

// reference_frames judges frame by frame only (RFC 6455 5.1 to 5.5, and RFC 7692 6 if RSV1 is allowed): neither text
// nor what a Close frame says, and it goes on after one. Its events are whole frames, named like "text fin rsv1".
Trace reference_frames(Role role, const Limits& limits, const Bytes& stream, bool allow_rsv1);

}  // namespace weir::tests
