// permessage-deflate (RFC 7692): what two ends agree on. MessageInflater and MessageDeflater do the work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <weir/protocol.h>

namespace weir {

// deflate_name is the extension's name in Sec-WebSocket-Extensions (RFC 7692 7).
inline constexpr std::string_view deflate_name = "permessage-deflate";

// Window sizes are given in bits, LZ77's base-2 logarithm (RFC 7692 7.1.2).
inline constexpr std::uint8_t min_window_bits = 8;
inline constexpr std::uint8_t max_window_bits = 15;

// DeflateParameters is what was agreed on (RFC 7692 7.1).
struct DeflateParameters {
  bool server_no_context_takeover = false;
  bool client_no_context_takeover = false;
  std::uint8_t server_max_window_bits = max_window_bits;
  std::uint8_t client_max_window_bits = max_window_bits;

  // no_context_takeover and window_bits are those of one sender's compressor.
  [[nodiscard]] bool no_context_takeover(Role sender) const noexcept {
    return sender == Role::server ? server_no_context_takeover : client_no_context_takeover;
  }
  [[nodiscard]] std::uint8_t window_bits(Role sender) const noexcept {
    return sender == Role::server ? server_max_window_bits : client_max_window_bits;
  }

  friend bool operator==(const DeflateParameters&, const DeflateParameters&) = default;
};

// DeflateOptions is what one end wants.
struct DeflateOptions {
  // What to ask for. A client offers it, a server adds it to its answer; the other end may ask for more.
  DeflateParameters parameters;

  // zlib's level, 1 to 9, and memory level, 1 to 9, of the compressor.
  int level = 6;
  int memory_level = 8;
  // Messages smaller than this, in bytes, are sent as they are: compression would cost more than it saves.
  std::size_t min_message_size = 64;
  // Bytes a message may inflate to for each of its compressed bytes; deflate_ratio_exceeded (1009). 0 is no limit.
  // DEFLATE itself cannot exceed 1032. Limits::max_message_size bounds the inflated message in any case.
  std::uint32_t max_ratio = 0;
};

// DeflateText is one element of Sec-WebSocket-Extensions, in memory of its own.
class DeflateText {
 public:
  // view borrows this object; valid as long as it is.
  [[nodiscard]] std::string_view view() const& noexcept { return std::string_view(text_.begin(), size_); }
  std::string_view view() const&& = delete;

 private:
  friend class DeflateTextWriter;
  std::array<char, 160> text_{};
  std::size_t size_ = 0;
};

// offer_deflate is a client's offer (RFC 7692 7.1). It always tells that client_max_window_bits is understood.
[[nodiscard]] DeflateText offer_deflate(const DeflateOptions& options) noexcept;

// accept_deflate_offer is a server's decision on one offer, by its Extension::parameters: what is agreed on and the
// answer to send, or nothing: the offer is declined, as it must be when a parameter is unknown, repeated or invalid
// (RFC 7692 7.1). The first of a client's offers that is accepted wins.
[[nodiscard]] std::optional<DeflateParameters> accept_deflate_offer(const DeflateOptions& options,
                                                                    std::string_view parameters,
                                                                    DeflateText& answer) noexcept;

// accept_deflate_answer is a client's decision on the server's answer to its offer: nothing means that the connection
// must be failed (RFC 7692 7.1).
[[nodiscard]] std::optional<DeflateParameters> accept_deflate_answer(const DeflateOptions& options,
                                                                     std::string_view parameters) noexcept;

// read_deflate_answer is what an answer says, whatever was offered: for who looks on.
[[nodiscard]] std::optional<DeflateParameters> read_deflate_answer(std::string_view parameters) noexcept;

}  // namespace weir
