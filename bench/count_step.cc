// One step, for callgrind: prints how many units of it were done while instrumentation was on.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <string_view>

#include "steps.h"

int main(int argc, char** argv) {
  for (const bench::StepKind& kind : bench::steps()) {
    if (argc != 2 || std::string_view(argv[1]) != kind.name) continue;
    const auto step = kind.make();
    step->run();
    CALLGRIND_START_INSTRUMENTATION;
    const std::size_t count = step->run();
    CALLGRIND_STOP_INSTRUMENTATION;
    std::printf("%zu\n", count);
    return 0;
  }
  std::fprintf(stderr, "usage: %s STEP, one of:\n", argv[0]);
  for (const bench::StepKind& kind : bench::steps()) std::fprintf(stderr, "  %s\n", kind.name);
  return 2;
}
