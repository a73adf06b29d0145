// One contender on one stream, for callgrind: prints how many messages it parsed while instrumentation was on.
#include <valgrind/callgrind.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "contender.h"

namespace {

// Below what any C library copies past the caches: the count does not depend on the machine's.
constexpr std::size_t wire_size = 262144;

template <typename Value, std::size_t count>
bool parse_name(const std::array<Value, count>& values, std::string_view name, Value& out) {
  for (const Value value : values) {
    if (name != name_of(value)) continue;
    out = value;
    return true;
  }
  return false;
}

int list() {
  for (const bench::ContenderKind& kind : bench::contenders()) {
    std::printf("%s\t%s\n", kind.name, kind.takes_text ? "text" : "binary");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") return list();
  bench::StreamSpec spec;
  spec.wire_size = wire_size;
  const bench::ContenderKind* kind = argc == 5 ? bench::contender_named(argv[1]) : nullptr;
  if (kind == nullptr || !parse_name(bench::all_roles, argv[2], spec.role) ||
      !parse_name(bench::all_kinds, argv[3], spec.kind)) {
    std::fprintf(stderr, "usage: %s --list | PEER ROLE KIND SIZE\n", argv[0]);
    return 2;
  }
  const std::string_view size = argv[4];
  if (std::from_chars(size.data(), size.data() + size.size(), spec.payload_size).ec != std::errc() ||
      spec.payload_size == 0) {
    std::fprintf(stderr, "not a payload size: %s\n", argv[4]);
    return 2;
  }
  const bench::Stream stream(spec);
  const auto contender = kind->make(stream);
  bench::check_totals(*kind, stream, contender->run(stream, stream.size()));

  CALLGRIND_START_INSTRUMENTATION;
  const bench::Totals found = contender->run(stream, stream.size());
  CALLGRIND_STOP_INSTRUMENTATION;

  bench::check_totals(*kind, stream, found);
  std::printf("%llu\n", static_cast<unsigned long long>(found.message_count));
  return 0;
}
