// A parser's end of stream as a trace has it: for the tests and the fuzz targets.
#pragma once

#include <cstdlib>

#include <weir/frame_parser.h>

#include "trace.h"

namespace weir::tests {

inline End end_of(StreamEnd end) {
  switch (end) {
    case StreamEnd::open:
      return End::open;
    case StreamEnd::inside_frame:
      return End::need;
    case StreamEnd::between_fragments:
      return End::need_fin;
    case StreamEnd::closed:
      return End::closed;
    case StreamEnd::failed:
      return End::fail;
  }
  std::abort();
}

}  // namespace weir::tests
