#include <weir/close_payload.h>

#include <algorithm>

#include <weir/utf8.h>

namespace weir {

ErrorCode parse_close_payload(ByteView payload, ClosePayload& out, std::size_t& error_index) noexcept {
  if (payload.empty()) {
    out = {};
    return ErrorCode::none;
  }
  error_index = 0;
  if (payload.size() == 1) return ErrorCode::close_payload_one_byte;
  const auto code = static_cast<CloseCode>(payload.window<2>().big_endian<std::uint16_t, 0>());
  error_index = 1;
  if (!may_travel(code)) return ErrorCode::close_code_not_allowed;
  const ByteView reason = payload.drop(2);
  Utf8Validator utf8;
  const std::size_t good = utf8.accept(reason);
  error_index = std::min(2 + good, payload.size() - 1);  // a cut character: the last byte
  if (good != reason.size() || utf8.pending_size() != 0) return ErrorCode::close_reason_not_utf8;
  out = {code, reason};
  return ErrorCode::none;
}

std::optional<CloseBytes> encode_close_payload(CloseCode code, std::string_view reason) noexcept {
  const ByteView whole = as_bytes(reason);
  if (!may_travel(code) || utf8_prefix_size(whole) != whole.size()) return std::nullopt;
  const ByteView kept = whole.first(utf8_prefix_size(whole.first(std::min(whole.size(), max_close_reason_size))));
  CloseBytes encoded;
  const MutableByteView bytes(encoded.bytes_);
  const auto value = static_cast<std::uint16_t>(code);
  bytes[0] = static_cast<unsigned char>(value >> 8U);
  bytes[1] = static_cast<unsigned char>(value & 0xFFU);
  std::copy(kept.begin(), kept.end(), bytes.drop(2).begin());
  encoded.size_ = 2 + kept.size();
  return encoded;
}

}  // namespace weir
