// Drives a session by hand: bytes in, what it tells and sends out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <weir/session.h>

#include "trace.h"

namespace weir::tests {

inline const Time start = Time(std::chrono::seconds(1000));

inline void fill_with_zeros(void*, MutableByteView out) noexcept { std::fill(out.begin(), out.end(), 0); }

// Masking keys of zero: the bytes that a client sends are readable.
inline SessionOptions options() {
  SessionOptions options;
  options.random = {fill_with_zeros, nullptr};
  return options;
}

// "the sample nonce" (RFC 6455 1.3), wherever randomness is wanted.
inline void fill_with_sample(void*, MutableByteView out) noexcept {
  constexpr std::string_view nonce = "the sample nonce";
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(nonce[i % nonce.size()]);
}

inline SessionOptions sample_options() {
  SessionOptions options;
  options.random = {fill_with_sample, nullptr};
  return options;
}

inline Bytes bytes_of(std::string_view text) { return Bytes(text.begin(), text.end()); }
inline std::string text_of(const Bytes& bytes) { return std::string(bytes.begin(), bytes.end()); }

inline Bytes take_output(Session& session, std::size_t most = SIZE_MAX) {
  Bytes bytes;
  for (Output output = session.output(); output.count != 0 && bytes.size() < most; output = session.output()) {
    const ByteView view = *output.begin();
    const ByteView part = view.first(std::min(view.size(), most - bytes.size()));
    bytes.insert(bytes.end(), part.begin(), part.end());
    session.sent(part.size());
  }
  return bytes;
}

struct Told {
  SessionKind kind;
  Bytes payload;
  Closed closed;
};

inline std::vector<Told> feed(Session& session, const Bytes& bytes) {
  std::vector<Told> told;
  ByteReader in{ByteView(bytes)};
  SessionEvent event;
  for (SessionKind kind = session.next(in, event); kind != SessionKind::need_input && kind != SessionKind::paused;
       kind = session.next(in, event)) {
    const ByteView payload = kind == SessionKind::closed ? event.closed.reason : event.message.payload;
    told.push_back({kind, Bytes(payload.begin(), payload.end()), event.closed});
    told.back().closed.reason = {};
  }
  return told;
}

inline std::vector<SessionKind> kinds(const std::vector<Told>& told) {
  std::vector<SessionKind> list;
  for (const Told& event : told) list.push_back(event.kind);
  return list;
}

inline Closed feed_closed(Session& session, const Bytes& bytes = {}) {
  const std::vector<Told> told = feed(session, bytes);
  EXPECT_EQ(kinds(told), std::vector<SessionKind>{SessionKind::closed});
  return told.empty() ? Closed{} : told.back().closed;
}

using List = std::vector<SessionKind>;

}  // namespace weir::tests
