// Times every contender on every stream: peer/role/kind/size/slice.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "contender.h"

namespace {

struct SliceSize {
  const char* name;
  std::size_t size;
};
constexpr std::array<SliceSize, 4> slice_sizes = {{
    {"whole", SIZE_MAX},
    {"64K", 65536},
    {"16K", 16384},
    {"1460", 1460},
}};

// stream_of builds a stream once for all the benchmarks in a row that want it.
const bench::Stream& stream_of(const bench::StreamSpec& spec) {
  static std::optional<bench::Stream> stream;
  if (!stream || !(stream->spec() == spec)) stream.emplace(spec);
  return *stream;
}

void parse(benchmark::State& state, const bench::ContenderKind& kind, const bench::StreamSpec& spec,
           std::size_t slice_size) {
  const bench::Stream& stream = stream_of(spec);
  const auto contender = kind.make(stream);
  bench::check_totals(kind, stream, contender->run(stream, slice_size));
  for (auto _ : state) bench::check_totals(kind, stream, contender->run(stream, slice_size));
  const auto passes = static_cast<std::int64_t>(state.iterations());
  state.SetBytesProcessed(passes * static_cast<std::int64_t>(stream.totals().payload_size));
  state.counters["messages"] = benchmark::Counter(
      static_cast<double>(passes) * static_cast<double>(stream.totals().message_count), benchmark::Counter::kIsRate);
}

void register_stream(const bench::StreamSpec& spec) {
  for (const SliceSize& slice : slice_sizes) {
    for (const bench::ContenderKind& kind : bench::contenders()) {
      if (spec.kind != bench::Kind::binary && !kind.takes_text) continue;
      const std::string name = std::string(kind.name) + "/" + name_of(spec) + "/" + slice.name;
      const auto run = [=](benchmark::State& state) { parse(state, kind, spec, slice.size); };
      benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!__builtin_cpu_supports("avx2")) {
    std::fprintf(stderr, "the floor and the peers are built for x86-64-v3, which this processor is not\n");
    return 1;
  }
  for (const bench::Role role : bench::all_roles) {
    for (const bench::Kind kind : bench::all_kinds) {
      for (const std::size_t size : bench::all_payload_sizes) register_stream({role, kind, size});
    }
  }
  // Short by default, so that all of it ends within minutes; a flag given later wins.
  std::string min_time = "--benchmark_min_time=0.02";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, min_time.data());
  int argument_count = argc + 1;
  benchmark::Initialize(&argument_count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments.data())) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
