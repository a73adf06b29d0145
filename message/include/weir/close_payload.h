// The payload of a Close frame (RFC 6455 5.5.1): empty, or a code of two bytes and a reason in UTF-8. Read and write.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include <weir/bytes.h>
#include <weir/error.h>
#include <weir/protocol.h>

namespace weir {

// ClosePayload is what a Close frame says. Borrows the payload it was parsed from.
struct ClosePayload {
  CloseCode code = CloseCode::no_status_received;  // 1005 when the payload was empty (RFC 6455 7.1.5)
  ByteView reason;                                 // UTF-8
};

// parse_close_payload judges a whole payload. On error, `error_index` is the byte that completed the fault, and `out`
// is unchanged. `payload` is at most max_control_payload_size bytes.
[[nodiscard]] ErrorCode parse_close_payload(ByteView payload, ClosePayload& out, std::size_t& error_index) noexcept;

// CloseBytes is an encoded Close payload, in memory of its own.
class CloseBytes {
 public:
  // An empty payload: no code given.
  constexpr CloseBytes() noexcept = default;

  // view borrows this object; valid as long as it is.
  [[nodiscard]] ByteView view() const& noexcept { return ByteView(bytes_).first(size_); }
  ByteView view() const&& = delete;

 private:
  friend std::optional<CloseBytes> encode_close_payload(CloseCode code, std::string_view reason) noexcept;

  std::array<unsigned char, max_control_payload_size> bytes_{};
  std::size_t size_ = 0;
};

// encode_close_payload writes code and reason; a reason over max_close_reason_size is cut after its last character that
// fits. Nothing when the code must not travel (RFC 6455 7.4) or the reason is not UTF-8.
[[nodiscard]] std::optional<CloseBytes> encode_close_payload(CloseCode code, std::string_view reason = {}) noexcept;

}  // namespace weir
