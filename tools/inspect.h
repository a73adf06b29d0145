// weir inspect: what one direction of a WebSocket connection says.
#pragma once

#include <string>

#include <weir/limits.h>

namespace weir::tools {

struct InspectOptions {
  std::string path;  // "-" is standard input
  // "server" or "client": frames from the first byte on. Empty: told from the first bytes, an HTTP head is skipped.
  std::string as;
  std::string format = "text";  // or "json"
  std::string slice;            // a number of bytes, "random:SEED", or empty: as read
  std::string deflate;
  bool deflate_given = false;
  bool frames = false;
  Limits limits;
};

// inspect returns the exit status: 0 open or closed, 1 failed, 2 bad option or unreadable file, 3 truncated.
int inspect(const InspectOptions& options);

}  // namespace weir::tools
