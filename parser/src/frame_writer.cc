#include <weir/frame_writer.h>

#include <algorithm>

namespace weir {
namespace {

[[nodiscard]] unsigned char first_byte(const FrameHeader& header) noexcept {
  unsigned byte = static_cast<unsigned>(header.opcode);
  if (header.fin) byte |= 0x80U;
  if (header.rsv1) byte |= 0x40U;
  return static_cast<unsigned char>(byte);
}

void put_big_endian(std::uint64_t number, MutableByteView to) noexcept {
  for (std::size_t left = to.size(); left > 0; --left, number >>= 8U) to[left - 1] = static_cast<unsigned char>(number);
}

}  // namespace

ErrorCode FrameWriter::judge(const FrameHeader& header) const noexcept {
  if (closed_) return ErrorCode::frame_after_close;
  if (static_cast<unsigned>(header.opcode) > 0x0FU) return ErrorCode::unknown_opcode;
  const ErrorCode broken = detail::judge_first_byte(first_byte(header), message_open_, rsv1_negotiated_);
  if (broken != ErrorCode::none) return broken;
  if (header.masked != from_client_) return header.masked ? ErrorCode::frame_masked : ErrorCode::frame_not_masked;
  if (is_control(header.opcode) && header.payload_length > max_control_payload_size) {
    return ErrorCode::control_frame_too_long;
  }
  if ((header.payload_length >> 63U) != 0) return ErrorCode::length_msb_set;
  const bool one_byte_close = header.opcode == Opcode::close && header.payload_length == 1;
  return one_byte_close ? ErrorCode::close_payload_one_byte : ErrorCode::none;
}

ErrorCode FrameWriter::write_header(const FrameHeader& header, EncodedHeader& out) noexcept {
  const ErrorCode broken = judge(header);
  if (broken != ErrorCode::none) return broken;

  out.size_ = static_cast<std::uint8_t>(header_size(header.payload_length, header.masked));
  const MutableByteView bytes = MutableByteView(out.bytes_).first(out.size_);
  const std::size_t key_size = header.masked ? 4 : 0;
  const std::size_t length_size = bytes.size() - 2 - key_size;
  std::uint64_t length_7 = header.payload_length;
  if (length_size == 2) length_7 = 126;
  if (length_size == 8) length_7 = 127;
  bytes[0] = first_byte(header);
  bytes[1] = static_cast<unsigned char>(length_7 | (header.masked ? 0x80U : 0U));
  put_big_endian(header.payload_length, bytes.drop(2).first(length_size));
  if (header.masked) std::copy(header.masking_key.bytes.begin(), header.masking_key.bytes.end(), bytes.last(4).begin());

  if (header.opcode == Opcode::close) closed_ = true;
  if (!is_control(header.opcode)) message_open_ = !header.fin;
  return ErrorCode::none;
}

ErrorCode FrameWriter::write_frame(Opcode opcode, bool fin, bool rsv1, ByteView payload, MaskingKey key,
                                   OutgoingFrame& out) noexcept {
  if (opcode == Opcode::close && payload.size() >= 2 && !closed_) {
    const auto code = static_cast<CloseCode>(payload.window<2>().big_endian<std::uint16_t, 0>());
    if (!may_travel(code)) return ErrorCode::close_code_not_allowed;
  }
  const FrameHeader header = {.opcode = opcode,
                              .fin = fin,
                              .rsv1 = rsv1,
                              .masked = from_client_,
                              .masking_key = from_client_ ? key : MaskingKey{},
                              .payload_length = payload.size()};
  const ErrorCode broken = write_header(header, out.header);
  if (broken != ErrorCode::none) return broken;
  out.payload = payload;
  out.masking_key = header.masking_key;
  return ErrorCode::none;
}

ErrorCode FrameWriter::write(Opcode opcode, ByteView payload, MaskingKey key, OutgoingFrame& out, bool rsv1) noexcept {
  return write_frame(opcode, true, rsv1, payload, key, out);
}

ErrorCode FrameWriter::write_fragment(Opcode opcode, ByteView& left, std::size_t max_fragment_size, MaskingKey key,
                                      OutgoingFrame& out, bool rsv1) noexcept {
  if (is_control(opcode)) return ErrorCode::control_frame_fragmented;
  const ByteView payload = left.first(std::min(left.size(), std::max<std::size_t>(max_fragment_size, 1)));
  const bool fin = payload.size() == left.size();
  const Opcode frame_opcode = message_open_ ? Opcode::continuation : opcode;
  const ErrorCode broken = write_frame(frame_opcode, fin, rsv1 && !message_open_, payload, key, out);
  if (broken == ErrorCode::none) left = left.drop(payload.size());
  return broken;
}

}  // namespace weir
