// What sessions are told: time, randomness, limits and deadlines.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory_resource>

#include <weir/bytes.h>
#include <weir/deflate.h>
#include <weir/deflate_pool.h>
#include <weir/http_head.h>
#include <weir/limits.h>
#include <weir/message_reader.h>

namespace weir {

// Time is a point on any clock that does not run backwards. The session reads none: on_time tells it.
using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
inline constexpr Time no_deadline = Time::max();

// RandomSource fills memory with bytes that nobody can predict (RFC 6455 5.3, 10.3): masking keys, and the nonce of a
// request.
struct RandomSource {
  void (*fill)(void* context, MutableByteView out) noexcept = nullptr;  // needed by clients
  void* context = nullptr;
};

// SessionOptions is what many sessions share. It outlives them. A duration of zero switches its deadline off.
struct SessionOptions {
  // How long the opening handshake may take, from the session's construction on, and what its head may be.
  Duration handshake_timeout = std::chrono::seconds(10);
  HandshakeLimits handshake_limits;

  Limits limits;
  Delivery delivery = Delivery::messages;
  // With it, permessage-deflate is offered, or accepted when a client offers it (RFC 7692). What both ends agree on is
  // the session's own.
  bool permessage_deflate = false;
  DeflateOptions deflate;
  // With it, sessions without context takeover borrow zlib's contexts (DeflatePool).
  DeflatePool* deflate_pool = nullptr;

  // Data messages are cut into frames of at most this many bytes of payload.
  std::size_t max_sent_frame_size = no_limit<std::size_t>;
  // Bytes of output that may wait: a data message is refused that would make it more (queue_full). Control frames are
  // always taken: they are few.
  std::size_t max_queued_size = std::size_t{16} << 20U;

  // Silence of the peer, after which a ping is sent; and after which the connection counts as lost if it goes on.
  // Every byte that arrives ends the silence.
  Duration ping_interval = std::chrono::seconds(20);
  Duration ping_timeout = std::chrono::seconds(20);
  // Silence after which the connection is closed (1001), pings or not.
  Duration idle_timeout = Duration::zero();
  // How long the peer may take to answer our Close, and then to end the stream.
  Duration close_timeout = std::chrono::seconds(10);

  RandomSource random;
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();
};

}  // namespace weir
