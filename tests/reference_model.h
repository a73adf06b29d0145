// A receiver written from RFC 6455 and RFC 3629 alone: slow, plain, the whole stream at once. The parser is held
// against it.
#pragma once

#include "trace.h"

namespace weir::tests {

Trace reference(Role role, const Limits& limits, const Bytes& stream);

}  // namespace weir::tests
