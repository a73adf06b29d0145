#include "reference_model.h"

#include <zlib.h>

#include <algorithm>

#include <cstdint>
#include <map>

namespace weir::tests {
namespace {

// RFC 3629 3: the characters by number of bytes and what they decode to. Returns the index of the first byte that
// cannot be part of any valid text, or -1; `unfinished` tells that the text ends within a character.
std::ptrdiff_t first_bad_byte(const Bytes& text, bool& unfinished) {
  unfinished = false;
  std::size_t at = 0;
  while (at < text.size()) {
    const unsigned lead = text[at];
    int size = 0;
    if (lead <= 0x7F) size = 1;
    else if (lead >= 0xC0 && lead <= 0xDF) size = 2;
    else if (lead >= 0xE0 && lead <= 0xEF) size = 3;
    else if (lead >= 0xF0 && lead <= 0xF7) size = 4;
    else return static_cast<std::ptrdiff_t>(at);
    // Smallest and largest code point that the bytes so far can still become, byte by byte.
    std::uint32_t lowest = size == 1 ? lead : lead & (0x7FU >> static_cast<unsigned>(size));
    std::uint32_t highest = lowest;
    for (int i = 1; i < size; ++i) {
      lowest = lowest << 6U;
      highest = (highest << 6U) | 0x3FU;
    }
    static const std::map<int, std::uint32_t> shortest = {{1, 0}, {2, 0x80}, {3, 0x800}, {4, 0x10000}};
    const auto possible = [&] {
      for (std::uint32_t point = lowest;; point = highest) {
        const bool overlong = point < shortest.at(size);
        const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
        const bool too_large = point > 0x10FFFF;
        if (!overlong && !surrogate && !too_large) return true;
        if (point == highest) return false;
      }
    };
    if (!possible()) return static_cast<std::ptrdiff_t>(at);
    for (int i = 1; i < size; ++i) {
      if (at + static_cast<std::size_t>(i) >= text.size()) {
        unfinished = true;
        return -1;
      }
      const unsigned next = text[at + static_cast<std::size_t>(i)];
      const unsigned shift = 6U * static_cast<unsigned>(size - 1 - i);
      const std::uint32_t fixed = lowest | ((next & 0x3FU) << shift);
      lowest = fixed;
      highest = fixed | ((1U << shift) - 1);
      if ((next & 0xC0U) != 0x80U || !possible()) return static_cast<std::ptrdiff_t>(at) + i;
    }
    at += static_cast<std::size_t>(size);
  }
  return -1;
}

bool close_code_may_be_sent(unsigned code) {  // RFC 6455 7.4.1, 7.4.2, and the IANA registry
  static const std::vector<std::pair<unsigned, unsigned>> ranges = {{1000, 1003}, {1007, 1014}, {3000, 4999}};
  for (const auto& [from, to] : ranges) {
    if (code >= from && code <= to) return true;
  }
  return false;
}

// What a message inflates to so far, and what became of zlib.
struct Inflated {
  Bytes output;
  bool invalid = false;
  bool at_boundary = false;
};

// Inflates all of `compressed` after `history`, up to a byte more than `limit`. After a final block another stream goes
// on with the same history (RFC 7692 7.2.3.4).
Inflated inflate_all(Bytes history, const Bytes& compressed, std::uint64_t limit) {
  Inflated result;
  std::size_t at = 0;
  while (true) {
    z_stream stream{};
    inflateInit2(&stream, -15);
    const std::size_t known = std::min<std::size_t>(history.size(), 32768);
    inflateSetDictionary(&stream, history.data() + (history.size() - known), static_cast<uInt>(known));
    stream.next_in = const_cast<Bytef*>(compressed.data() + at);
    stream.avail_in = static_cast<uInt>(compressed.size() - at);
    int status = Z_OK;
    while (status == Z_OK && result.output.size() <= limit) {
      Bytef byte[1];
      stream.next_out = byte;
      stream.avail_out = 1;
      status = inflate(&stream, Z_SYNC_FLUSH);
      if (status != Z_BUF_ERROR) result.at_boundary = (stream.data_type & 191) == 128;
      if (stream.avail_out == 0) result.output.push_back(byte[0]);
      if (stream.avail_out == 0) history.push_back(byte[0]);
    }
    at = compressed.size() - stream.avail_in;
    result.invalid = status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END;
    inflateEnd(&stream);
    if (status != Z_STREAM_END || at == compressed.size()) return result;
  }
}

class Receiver {
 public:
  Receiver(Role role, const Limits& limits, const Bytes& stream, bool frames_only = false, bool allow_rsv1 = false,
           bool takeover = true)
      : role_(role),
        limits_(limits),
        stream_(stream),
        frames_only_(frames_only),
        allow_rsv1_(allow_rsv1),
        takeover_(takeover) {}

  Trace run() {
    while (at_ < stream_.size()) {
      frame_offset_ = at_;
      if (!frame()) return trace_;
      if (trace_.end == End::closed) return trace_;
    }
    trace_.end = message_open_ ? End::need_fin : End::open;
    return trace_;
  }

 private:
  bool fail(ErrorCode code, std::size_t offset) {
    trace_.end = End::fail;
    trace_.error = {code, offset, frame_offset_};
    return false;
  }
  bool need() {
    trace_.end = End::need;
    return false;
  }
  bool here() const { return at_ < stream_.size(); }

  bool frame() {
    const unsigned first = stream_[at_];
    const bool fin = first >= 0x80;
    const unsigned opcode = first % 16;
    const bool control = opcode >= 8;
    const bool rsv1 = (first & 0x40U) != 0;
    if ((first & 0x30U) != 0 || (rsv1 && !allow_rsv1_)) return fail(ErrorCode::reserved_bit_set, at_);
    if (opcode != 0 && opcode != 1 && opcode != 2 && opcode != 8 && opcode != 9 && opcode != 10) {
      return fail(ErrorCode::unknown_opcode, at_);
    }
    if (control && !fin) return fail(ErrorCode::control_frame_fragmented, at_);
    if (rsv1 && (control || opcode == 0)) return fail(ErrorCode::rsv1_misplaced, at_);
    if (opcode == 0 && !message_open_) return fail(ErrorCode::continuation_without_message, at_);
    if (!control && opcode != 0 && message_open_) return fail(ErrorCode::message_interleaved, at_);
    ++at_;
    if (!here()) return need();

    const unsigned second = stream_[at_];
    const bool masked = second >= 0x80;
    if (role_ == Role::server && !masked) return fail(ErrorCode::frame_not_masked, at_);
    if (role_ == Role::client && masked) return fail(ErrorCode::frame_masked, at_);
    std::uint64_t length = second % 128;
    if (control && length > 125) return fail(ErrorCode::control_frame_too_long, at_);
    int extended = 0;
    if (length == 126) extended = 2;
    if (length == 127) extended = 8;
    if (extended != 0) {
      length = 0;
      for (int i = 0; i < extended; ++i) {
        ++at_;
        if (!here()) return need();
        length = length * 256 + stream_[at_];
      }
      if (extended == 8 && length >= 0x8000000000000000U) return fail(ErrorCode::length_msb_set, at_);
      if (length <= 125 || (extended == 8 && length <= 65535)) return fail(ErrorCode::length_not_minimal, at_);
    }
    if (!control && !within_limits(length, fin)) return false;
    ++at_;

    unsigned key[4] = {0, 0, 0, 0};
    if (masked) {
      for (unsigned& byte : key) {
        if (!here()) return need();
        byte = stream_[at_++];
      }
    }
    if (!control && opcode != 0) {
      message_.clear();
      message_is_text_ = opcode == 1;
      message_is_compressed_ = rsv1;
      message_open_ = true;
      message_offset_ = frame_offset_;
    }
    Bytes payload;
    const std::size_t payload_offset = at_;
    for (std::uint64_t i = 0; i < length && here(); ++i)
      payload.push_back(static_cast<unsigned char>(stream_[at_++] ^ key[i % 4]));
    const bool whole = payload.size() == length;
    if (frames_only_) {
      if (!whole) return need();
      static const std::map<unsigned, std::string> names = {{0, "continuation"}, {1, "text"}, {2, "binary"},
                                                            {8, "close"},        {9, "ping"}, {10, "pong"}};
      trace_.events.push_back({names.at(opcode) + (fin ? " fin" : "") + (rsv1 ? " rsv1" : ""), payload, {}});
      if (!control && fin) end_message();
      return true;
    }
    if (control) return whole ? control_frame(opcode, payload, payload_offset) : need();

    const std::size_t before = message_.size();
    message_.insert(message_.end(), payload.begin(), payload.end());
    if (message_is_compressed_) return inflated_payload(whole, whole && fin);
    if (message_is_text_) {
      bool unfinished = false;
      const std::ptrdiff_t bad = first_bad_byte(message_, unfinished);
      if (bad >= 0) return fail(ErrorCode::text_not_utf8, payload_offset + static_cast<std::size_t>(bad) - before);
      if (whole && fin && unfinished) return fail(ErrorCode::text_ends_in_character, at_ - 1);
    }
    if (!whole) return need();
    if (fin) {
      trace_.events.push_back({message_is_text_ ? "text" : "binary", message_, {}});
      end_message();
    }
    return true;
  }

  // What is wrong within a compressed message is told at its first byte.
  bool fail_message(ErrorCode code) {
    frame_offset_ = message_offset_;
    return fail(code, message_offset_);
  }

  bool inflated_payload(bool whole, bool ends) {
    Bytes compressed = message_;
    Inflated inflated;
    bool unfinished = false;
    // The fault is that of the bytes that came, before any of the tail that is added at the end (RFC 7692 7.2.2).
    for (const bool with_tail : {false, true}) {
      if (with_tail && !ends) break;
      if (with_tail) compressed.insert(compressed.end(), {0x00, 0x00, 0xFF, 0xFF});
      inflated = inflate_all(history_, compressed, limits_.max_message_size);
      Bytes text = inflated.output;
      if (text.size() > limits_.max_message_size) text.pop_back();
      if (message_is_text_ && first_bad_byte(text, unfinished) >= 0) return fail_message(ErrorCode::text_not_utf8);
      if (inflated.output.size() > limits_.max_message_size) return fail_message(ErrorCode::message_too_big);
      if (inflated.invalid) return fail_message(ErrorCode::deflate_data_invalid);
    }
    if (!whole) return need();
    if (!ends) return true;
    if (!inflated.at_boundary) return fail_message(ErrorCode::deflate_block_unfinished);
    if (message_is_text_ && unfinished) return fail_message(ErrorCode::text_ends_in_character);
    trace_.events.push_back({message_is_text_ ? "text" : "binary", inflated.output, {}});
    if (takeover_) history_.insert(history_.end(), inflated.output.begin(), inflated.output.end());
    end_message();
    return true;
  }

  void end_message() {
    message_open_ = false;
    declared_ = frames_ = empty_run_ = 0;
  }

  bool within_limits(std::uint64_t length, bool fin) {
    const bool frame_limit = limits_.max_frame_size < limits_.max_message_size;
    if (frame_limit && length > limits_.max_frame_size) return fail(ErrorCode::frame_too_big, at_);
    const auto total = static_cast<unsigned __int128>(declared_) + length;
    if (limits_.max_message_size != no_limit<std::uint64_t> && total > limits_.max_message_size)
      return fail(ErrorCode::message_too_big, at_);
    declared_ += length;
    ++frames_;
    if (limits_.max_fragment_count != no_limit<std::uint32_t> && frames_ > limits_.max_fragment_count) {
      return fail(ErrorCode::too_many_fragments, at_);
    }
    empty_run_ = length == 0 && !fin ? empty_run_ + 1 : 0;
    if (limits_.max_empty_fragment_count != no_limit<std::uint8_t> && empty_run_ > limits_.max_empty_fragment_count) {
      return fail(ErrorCode::too_many_empty_fragments, at_);
    }
    return true;
  }

  bool control_frame(unsigned opcode, const Bytes& payload, std::size_t payload_offset) {
    if (opcode == 9) trace_.events.push_back({"ping", payload, {}});
    if (opcode == 10) trace_.events.push_back({"pong", payload, {}});
    if (opcode != 8) return true;
    if (payload.size() == 1) return fail(ErrorCode::close_payload_one_byte, payload_offset);
    TraceEvent close{"close", {}, {}};
    if (payload.size() >= 2) {
      close.close_code = payload[0] * 256U + payload[1];
      if (!close_code_may_be_sent(*close.close_code))
        return fail(ErrorCode::close_code_not_allowed, payload_offset + 1);
      close.payload.assign(payload.begin() + 2, payload.end());
      bool unfinished = false;
      const std::ptrdiff_t bad = first_bad_byte(close.payload, unfinished);
      if (bad >= 0) return fail(ErrorCode::close_reason_not_utf8, payload_offset + 2 + static_cast<std::size_t>(bad));
      if (unfinished) return fail(ErrorCode::close_reason_not_utf8, payload_offset + payload.size() - 1);
    }
    trace_.events.push_back(close);
    trace_.end = End::closed;
    return true;
  }

  Role role_;
  const Limits& limits_;
  const Bytes& stream_;
  bool frames_only_;
  bool allow_rsv1_;
  bool takeover_;
  Bytes history_;  // all that compressed messages inflated to
  std::size_t at_ = 0;
  std::size_t frame_offset_ = 0;
  bool message_open_ = false;
  bool message_is_text_ = false;
  bool message_is_compressed_ = false;
  std::size_t message_offset_ = 0;
  Bytes message_;  // as sent
  std::uint64_t declared_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t empty_run_ = 0;
  Trace trace_;
};

}  // namespace

Trace reference(Role role, const Limits& limits, const Bytes& stream, const DeflateParameters* agreed) {
  if (agreed == nullptr) return Receiver(role, limits, stream).run();
  const Role sender = role == Role::server ? Role::client : Role::server;
  return Receiver(role, limits, stream, false, true, !agreed->no_context_takeover(sender)).run();
}

Trace reference_frames(Role role, const Limits& limits, const Bytes& stream, bool allow_rsv1) {
  return Receiver(role, limits, stream, true, allow_rsv1).run();
}

}  // namespace weir::tests
