// Times every step. Compare figures of one run only.
#include <benchmark/benchmark.h>

#include "steps.h"

namespace {

void run(benchmark::State& state, const bench::StepKind& kind) {
  const auto step = kind.make();
  static_cast<void>(step->run());  // warms its memory
  std::size_t units = 0;
  for (auto _ : state) units += step->run();
  state.SetItemsProcessed(static_cast<std::int64_t>(units));
}

}  // namespace

int main(int argc, char** argv) {
  for (const bench::StepKind& kind : bench::steps()) {
    benchmark::RegisterBenchmark(kind.name, [&kind](benchmark::State& state) {
      run(state, kind);
    })->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
