#include <weir/session_event.h>

namespace weir {

std::string_view name_of(SessionKind kind) noexcept {
  switch (kind) {
    case SessionKind::need_input:
      return "need_input";
    case SessionKind::paused:
      return "paused";
    case SessionKind::request:
      return "request";
    case SessionKind::open:
      return "open";
    case SessionKind::text:
      return "text";
    case SessionKind::binary:
      return "binary";
    case SessionKind::ping:
      return "ping";
    case SessionKind::pong:
      return "pong";
    case SessionKind::closed:
      return "closed";
  }
  check(false);
  return {};
}

std::string_view name_of(SessionEnd end) noexcept {
  switch (end) {
    case SessionEnd::closed:
      return "closed";
    case SessionEnd::protocol_error:
      return "protocol_error";
    case SessionEnd::connection_lost:
      return "connection_lost";
    case SessionEnd::ping_timeout:
      return "ping_timeout";
    case SessionEnd::idle_timeout:
      return "idle_timeout";
    case SessionEnd::close_timeout:
      return "close_timeout";
    case SessionEnd::out_of_memory:
      return "out_of_memory";
    case SessionEnd::handshake_failed:
      return "handshake_failed";
    case SessionEnd::handshake_timeout:
      return "handshake_timeout";
    case SessionEnd::refused:
      return "refused";
  }
  check(false);
  return {};
}

}  // namespace weir
