// What a receiver made of a stream, in a form that two receivers can be compared by.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <weir/error.h>
#include <weir/limits.h>
#include <weir/protocol.h>

namespace weir::tests {

using Bytes = std::vector<unsigned char>;

enum class End { open, need, need_fin, closed, fail };

struct TraceEvent {
  std::string kind;  // text, binary, ping, pong, close
  Bytes payload;     // of a close: the reason
  std::optional<unsigned> close_code;
  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

struct Trace {
  std::vector<TraceEvent> events;
  End end = End::open;
  Error error;
  friend bool operator==(const Trace&, const Trace&) = default;
};

inline std::string hex(const Bytes& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const Trace& trace) {
  for (const TraceEvent& event : trace.events) {
    out << event.kind << '(' << hex(event.payload).substr(0, 80) << ") ";
    if (event.close_code) out << *event.close_code << ' ';
  }
  return out << "end " << static_cast<int>(trace.end) << ' ' << name_of(trace.error.code) << '@' << trace.error.offset
             << " frame@" << trace.error.frame_offset;
}

}  // namespace weir::tests
