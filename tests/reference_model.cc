#include "reference_model.h"

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

class Receiver {
 public:
  Receiver(Role role, const Limits& limits, const Bytes& stream, bool frames_only = false, bool allow_rsv1 = false)
      : role_(role), limits_(limits), stream_(stream), frames_only_(frames_only), allow_rsv1_(allow_rsv1) {}

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
      message_open_ = true;
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
  std::size_t at_ = 0;
  std::size_t frame_offset_ = 0;
  bool message_open_ = false;
  bool message_is_text_ = false;
  Bytes message_;
  std::uint64_t declared_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t empty_run_ = 0;
  Trace trace_;
};

}  // namespace

Trace reference(Role role, const Limits& limits, const Bytes& stream) { return Receiver(role, limits, stream).run(); }

Trace reference_frames(Role role, const Limits& limits, const Bytes& stream, bool allow_rsv1) {
  return Receiver(role, limits, stream, true, allow_rsv1).run();
}

}  // namespace weir::tests
