// What a connection does besides parsing frames: its opening handshake, and inflating its messages. Each step does the
// same work at every run, on memory that is warm after the first.
#pragma once

#include <cstddef>
#include <memory>

namespace bench {

// Step is one such work.
class Step {
 public:
  virtual ~Step() = default;
  // run does it once, and stops the process if the outcome is wrong. It returns how many units of it were done:
  // handshakes, messages.
  virtual std::size_t run() = 0;
};

struct StepKind {
  const char* name;
  std::unique_ptr<Step> (*make)();
};

struct StepKinds {
  const StepKind* begin_;
  const StepKind* end_;
  const StepKind* begin() const { return begin_; }
  const StepKind* end() const { return end_; }
};

// steps is all of them.
StepKinds steps();

}  // namespace bench
