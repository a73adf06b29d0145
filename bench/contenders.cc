#include <cstdlib>
#include <iostream>
#include <string_view>

#include "contender.h"

namespace bench {

const std::vector<ContenderKind>& contenders() {
  static const std::vector<ContenderKind> kinds = {
      {"floor", make_floor, true},
      {"floor-walk", make_floor_walk, false},
      {"weir-frames", make_weir_frames, false},
      {"weir-messages", make_weir_messages, true},
#ifdef WEIR_BENCH_WSLAY
      {"wslay", make_wslay, true},
#endif
#ifdef WEIR_BENCH_WEBSOCKETPP
      {"websocketpp", make_websocketpp, true},
#endif
#ifdef WEIR_BENCH_BEAST
      {"beast", make_beast, true},
#endif
  };
  return kinds;
}

const ContenderKind* contender_named(const char* name) {
  for (const ContenderKind& kind : contenders()) {
    if (std::string_view(kind.name) == name) return &kind;
  }
  return nullptr;
}

void refused(const char* contender, const char* reason) {
  std::cerr << contender << " refused a valid stream: " << reason << '\n';
  std::abort();
}

void check_totals(const ContenderKind& kind, const Stream& stream, const Totals& found) {
  if (found == stream.totals()) return;
  const auto print = [](const char* who, const Totals& totals) {
    std::cerr << who << ' ' << totals.message_count << " messages, " << totals.payload_size << " bytes, first bytes "
              << totals.first_byte_sum << ", last bytes " << totals.last_byte_sum << '\n';
  };
  std::cerr << kind.name << '/' << name_of(stream.spec()) << '\n';
  print("found", found);
  print("there are", stream.totals());
  std::abort();
}

}  // namespace bench
