#include <weir/http_head.h>

#include <algorithm>
#include <new>

#include "field_text.h"
#include "head_rules.h"

namespace weir {
namespace {

constexpr std::string_view line_end = "\r\n";

[[nodiscard]] char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

bool equal_in_any_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool HttpFields::next(HttpField& out) noexcept {
  if (left_.empty()) return false;
  const std::size_t size = left_.find('\n') + 1;
  const std::string_view line = left_.substr(0, size - line_end.size());
  left_ = drop_first(left_, size);
  const std::size_t colon = line.find(':');
  out.name = line.substr(0, colon);
  out.value = trimmed(line.substr(colon + 1));
  return true;
}

std::string_view HttpFields::find(std::string_view name) const noexcept {
  HttpFields fields = *this;
  HttpField field;
  while (fields.next(field)) {
    if (equal_in_any_case(field.name, name)) return field.value;
  }
  return {};
}

bool TokenList::next(std::string_view& out) noexcept {
  while (true) {
    while (take_element(left_, out)) {
      if (!out.empty()) return true;
    }
    HttpField field;
    do {
      if (!fields_.next(field)) return false;
    } while (!equal_in_any_case(field.name, name_));
    left_ = field.value;
  }
}

bool TokenList::contains(std::string_view token) const noexcept {
  TokenList list = *this;
  std::string_view element;
  while (list.next(element)) {
    if (equal_in_any_case(element, token)) return true;
  }
  return false;
}

ListKind ExtensionList::next(Extension& out) noexcept {
  while (true) {
    const ListKind kind = field_.next(out);
    if (kind != ListKind::end) return kind;
    HttpField field;
    do {
      if (!fields_.next(field)) return ListKind::end;
    } while (!equal_in_any_case(field.name, "Sec-WebSocket-Extensions"));
    field_ = ExtensionReader(field.value);
  }
}

HeadReader::HeadReader(const HandshakeLimits& limits, HandshakeError first_line_too_long,
                       std::pmr::memory_resource* memory) noexcept
    : limits_(limits), held_(memory), first_line_too_long_(first_line_too_long) {}

HandshakeKind HeadReader::next(ByteReader& in, std::string_view& lines) noexcept {
  if (state_ == State::failed) return HandshakeKind::error;
  check(state_ == State::reading);
  if (in.empty()) return HandshakeKind::need_input;

  // A byte more than the limit tells that it is broken.
  const std::size_t before = held_.size();
  if (!hold(as_text(in.remaining()).substr(0, limits_.max_head_size + 1 - before))) return HandshakeKind::error;
  scan(held_);
  if (state_ == State::failed) return HandshakeKind::error;
  if (state_ == State::complete) held_.resize(line_offset_);
  in.skip(held_.size() - before);
  if (state_ == State::reading) return HandshakeKind::need_input;
  lines = std::string_view(held_).substr(0, line_offset_ - line_end.size());
  return HandshakeKind::head;
}

bool HeadReader::hold(std::string_view bytes) noexcept {
  try {
    held_.append(bytes);
    return true;
  } catch (const std::bad_alloc&) {
    fail(HandshakeError::out_of_memory, held_.size());
    return false;
  }
}

// scan judges every line of `head` that is complete. `head` begins where the stream does.
void HeadReader::scan(std::string_view head) noexcept {
  while (state_ == State::reading && scan_line(head)) continue;
}

bool HeadReader::scan_line(std::string_view head) noexcept {
  const std::size_t found = head.find('\n', scanned_);
  const bool ends = found != std::string_view::npos;
  const std::size_t end = ends ? found + 1 : head.size();
  const std::size_t max_end = std::min(line_offset_ + limits_.max_line_size + line_end.size(), limits_.max_head_size);
  if (end > max_end) {
    const HandshakeError too_long = line_count_ == 0 ? first_line_too_long_ : HandshakeError::field_too_long;
    fail(max_end == limits_.max_head_size ? HandshakeError::head_too_big : too_long, max_end);
    return false;
  }
  scanned_ = end;
  if (!ends) return false;
  if (found == line_offset_ || as_bytes(head)[found - 1] != '\r') {
    fail(HandshakeError::line_feed_alone, found);
    return false;
  }
  judge_line(head.substr(line_offset_, found - 1 - line_offset_));
  line_offset_ = end;
  return true;
}

// The first line is judged here for control characters only.
void HeadReader::judge_line(std::string_view line) noexcept {
  const bool first = line_count_++ == 0;
  if (line.empty() && !first) {
    state_ = State::complete;
    return;
  }
  const std::size_t line_end_offset = line_offset_ + line.size() + 1;
  if (line_count_ - 1 > limits_.max_field_count) {
    fail(HandshakeError::too_many_fields, line_end_offset);
    return;
  }
  if (!first && (line.starts_with(' ') || line.starts_with('\t'))) {
    fail(HandshakeError::field_folded, line_offset_);
    return;
  }
  const std::size_t text_size = field_text_prefix_size(line);
  if (text_size != line.size()) {
    fail(HandshakeError::control_character, line_offset_ + text_size);
    return;
  }
  if (first) return;
  const std::size_t name_size = token_prefix_size(line);
  if (name_size != 0 && line.substr(name_size).starts_with(':')) return;
  fail(HandshakeError::field_name_invalid, std::min(line_offset_ + name_size, line_end_offset));
}

HandshakeKind HeadReader::fail(HandshakeError error, std::size_t offset) noexcept {
  if (state_ != State::failed) failure_ = {error, offset};
  state_ = State::failed;
  return HandshakeKind::error;
}

}  // namespace weir
