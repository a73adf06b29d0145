#include <weir/http_head.h>

#include <algorithm>
#include <limits>
#include <new>

#include "field_text.h"
#include "head_rules.h"

namespace weir {
namespace {

constexpr std::string_view line_end = "\r\n";

[[nodiscard]] char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

// Most peers write names as the RFC does.
bool equal_in_any_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  return a == b || std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool HttpFields::next(HttpField& out) noexcept {
  if (head_ == nullptr || next_ == head_->fields_.size()) return false;
  const HeadReader::FieldPlace& place = head_->fields_.at(next_++);
  out = {.name = head_->text(place.name_begin, place.name_end),
         .value = head_->text(place.value_begin, place.value_end)};
  return true;
}

bool HttpFields::next_named(std::string_view name, HttpField& out) noexcept {
  if (head_ == nullptr) return false;
  for (; next_ != head_->fields_.size(); ++next_) {
    const HeadReader::FieldPlace& place = head_->fields_.at(next_);
    // Most names differ in their size already.
    if (place.name_end - place.name_begin != name.size()) continue;
    if (equal_in_any_case(head_->text(place.name_begin, place.name_end), name)) return next(out);
  }
  return false;
}

std::string_view HttpFields::find(std::string_view name) const noexcept {
  HttpFields fields = *this;
  HttpField field;
  return fields.next_named(name, field) ? field.value : std::string_view();
}

bool TokenList::next(std::string_view& out) noexcept {
  while (true) {
    while (take_element(left_, out)) {
      if (!out.empty()) return true;
    }
    HttpField field;
    if (!fields_.next_named(name_, field)) return false;
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
    if (!fields_.next_named("Sec-WebSocket-Extensions", field)) return ListKind::end;
    field_ = ExtensionReader(field.value);
  }
}

HeadReader::HeadReader(const HandshakeLimits& limits, HandshakeError first_line_too_long,
                       std::pmr::memory_resource* memory) noexcept
    : limits_(limits), held_(memory), fields_(memory), first_line_too_long_(first_line_too_long) {
  check(limits.max_head_size <= std::numeric_limits<std::uint32_t>::max());
}

HandshakeKind HeadReader::next(ByteReader& in) noexcept {
  if (state_ == State::failed) return HandshakeKind::error;
  check(state_ == State::reading);
  if (in.empty()) return HandshakeKind::need_input;

  // A byte more than the limit tells that it is broken.
  const std::size_t before = held_.size();
  if (!hold(as_text(in.remaining()).substr(0, limits_.max_head_size + 1 - before))) return HandshakeKind::error;
  while (scan_line()) continue;
  if (state_ == State::failed) return HandshakeKind::error;
  if (state_ == State::complete) held_.resize(line_offset_);
  in.skip(held_.size() - before);
  return state_ == State::reading ? HandshakeKind::need_input : HandshakeKind::head;
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

bool HeadReader::hold_field(const FieldPlace& place) noexcept {
  constexpr std::size_t usual_field_count = 16;
  try {
    if (fields_.empty()) fields_.reserve(usual_field_count);
    fields_.push_back(place);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// scan_line judges one line, and tells whether there may be another.
bool HeadReader::scan_line() noexcept {
  if (state_ != State::reading) return false;
  const std::string_view left = text(scanned_, held_.size());
  const std::size_t text_end = scanned_ + field_text_prefix_size(left);
  const std::string_view after = text(text_end, held_.size());
  const bool ends = after.starts_with(line_end);
  const bool cut = after.empty() || after == line_end.substr(0, 1);

  const std::size_t end = ends ? text_end + line_end.size() : std::min(text_end + 1, held_.size());
  const std::size_t max_end = std::min(line_offset_ + limits_.max_line_size + line_end.size(), limits_.max_head_size);
  if (end > max_end) {
    const HandshakeError too_long = line_offset_ == 0 ? first_line_too_long_ : HandshakeError::field_too_long;
    fail(max_end == limits_.max_head_size ? HandshakeError::head_too_big : too_long, max_end);
    return false;
  }
  scanned_ = text_end;
  if (cut) return false;
  if (!ends) {
    fail(after.starts_with('\n') ? HandshakeError::line_feed_alone : HandshakeError::control_character, text_end);
    return false;
  }
  judge_line(text(line_offset_, text_end));
  line_offset_ = end;
  scanned_ = end;
  return true;
}

// What the first line says is for others to judge.
void HeadReader::judge_line(std::string_view line) noexcept {
  if (line_offset_ == 0) first_line_size_ = line.size();
  else if (line.empty()) state_ = State::complete;
  else judge_field(line);
}

void HeadReader::judge_field(std::string_view line) noexcept {
  const std::size_t line_feed_offset = line_offset_ + line.size() + 1;
  if (fields_.size() == limits_.max_field_count) {
    fail(HandshakeError::too_many_fields, line_feed_offset);
    return;
  }
  if (line.starts_with(' ') || line.starts_with('\t')) {
    fail(HandshakeError::field_folded, line_offset_);
    return;
  }
  const std::size_t name_size = token_prefix_size(line);
  const std::string_view after = drop_first(line, name_size);
  if (name_size == 0 || !after.starts_with(':')) {
    fail(HandshakeError::field_name_invalid, after.empty() ? line_feed_offset : line_offset_ + name_size);
    return;
  }
  const std::string_view value = trimmed_end(drop_first(after, 1));
  const std::size_t blank_size = value.size() - trimmed_begin(value).size();
  const std::size_t name_end = line_offset_ + name_size;
  const auto place = [](std::size_t offset) { return static_cast<std::uint32_t>(offset); };
  if (!hold_field(
          {place(line_offset_), place(name_end), place(name_end + 1 + blank_size), place(name_end + 1 + value.size())}))
    fail(HandshakeError::out_of_memory, line_feed_offset);
}

HandshakeKind HeadReader::fail(HandshakeError error, std::size_t offset) noexcept {
  if (state_ != State::failed) failure_ = {error, offset};
  state_ = State::failed;
  return HandshakeKind::error;
}

}  // namespace weir
