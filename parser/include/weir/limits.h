// Every bound that a receiver sets on its peer. Exactly at a limit is accepted.
#pragma once

#include <cstdint>
#include <limits>

namespace weir {

// no_limit is the value of any field of Limits that switches it off.
template <typename Count>
inline constexpr Count no_limit = std::numeric_limits<Count>::max();

// Limits bounds data frames. Control frames have the RFC's own bound of 125 bytes.
struct Limits {
  // Bytes of payload one frame may declare; breaking it is frame_too_big (1009). Off, or
  // not below max_message_size: the message limit bounds frames too.
  std::uint64_t max_frame_size = no_limit<std::uint64_t>;
  // Bytes of payload all frames of one message may declare; message_too_big (1009). 16 MiB holds what browsers send
  // and bounds what a peer can make a connection hold.
  std::uint64_t max_message_size = std::uint64_t{16} << 20U;
  // Frames one message may have, 0 being taken for 1; too_many_fragments (1008). Off: joining is contiguous, so a
  // fragment costs no memory.
  std::uint32_t max_fragment_count = no_limit<std::uint32_t>;
  // Fragments without payload, and without FIN, in a row; too_many_empty_fragments (1008). They carry nothing, so they
  // are work for nothing; real senders make one at a message's start or end.
  std::uint8_t max_empty_fragment_count = no_limit<std::uint8_t>;

  friend constexpr bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace weir
