// The head of an HTTP/1.1 message (RFC 9112 2 to 5), as far as an upgrade needs it: read in slices of any size, each
// line judged once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include <weir/bytes.h>
#include <weir/extension.h>
#include <weir/handshake_error.h>

namespace weir {

// HandshakeLimits bounds a head. Exactly at a limit is accepted.
struct HandshakeLimits {
  std::size_t max_head_size = 16384;     // bytes; head_too_big
  std::size_t max_line_size = 8192;      // bytes without CR LF; target_too_long, field_too_long
  std::size_t max_field_count = 100;     // too_many_fields
  std::size_t max_extension_count = 16;  // offers; too_many_extensions
};

// HttpField is one field: its name as sent, its value without the blanks around it.
struct HttpField {
  std::string_view name;
  std::string_view value;
};

class HeadReader;

// HttpFields reads the fields of a head that was judged, one at a time. Borrows the HeadReader; valid as long as it
// stays where it is.
class HttpFields {
 public:
  constexpr HttpFields() noexcept = default;
  explicit constexpr HttpFields(const HeadReader& head) noexcept : head_(&head) {}

  // next takes the next field, next_named the next one of this name, in any case; false at the end.
  [[nodiscard]] bool next(HttpField& out) noexcept;
  [[nodiscard]] bool next_named(std::string_view name, HttpField& out) noexcept;
  // find is the value of the first field of this name, in any case; nothing, or an empty value, is empty.
  [[nodiscard]] std::string_view find(std::string_view name) const noexcept;

 private:
  const HeadReader* head_ = nullptr;
  std::size_t next_ = 0;
};

// TokenList reads the elements of a comma-separated field, over all fields of that name (RFC 9110 5.3, 5.6.1). Borrows
// the head.
class TokenList {
 public:
  TokenList(HttpFields fields, std::string_view name) noexcept : fields_(fields), name_(name) {}

  // next takes the next element that is not empty, without the blanks around it; false at the end.
  [[nodiscard]] bool next(std::string_view& out) noexcept;
  // contains compares in any case, as Upgrade and Connection want.
  [[nodiscard]] bool contains(std::string_view token) const noexcept;

 private:
  HttpFields fields_;
  std::string_view name_;
  std::string_view left_;
};

// ExtensionList reads the extensions of all Sec-WebSocket-Extensions fields (RFC 6455 9.1). Borrows the head.
class ExtensionList {
 public:
  explicit ExtensionList(HttpFields fields) noexcept : fields_(fields) {}

  [[nodiscard]] ListKind next(Extension& out) noexcept;

 private:
  HttpFields fields_;
  ExtensionReader field_{{}};
};

// equal_in_any_case compares ASCII text (RFC 9110 5.1).
[[nodiscard]] bool equal_in_any_case(std::string_view a, std::string_view b) noexcept;

// HandshakeKind is what a reader of a head has taken off the cursor.
enum class HandshakeKind : std::uint8_t {
  need_input,  // nothing more: the cursor is empty
  head,
  error,  // the head is refused for good
};

// HeadReader collects a head and judges its lines, but not what they say. It holds the bytes that arrived, at most
// max_head_size, and 16 bytes a field. However the head is cut, the first byte that breaks a rule is the one told.
class HeadReader {
 public:
  // limits.max_head_size is at most 2^32 - 1.
  HeadReader(const HandshakeLimits& limits, HandshakeError first_line_too_long,
             std::pmr::memory_resource* memory) noexcept;

  // next takes bytes off `in`, up to the end of the head and not one more. Call it until head or error.
  [[nodiscard]] HandshakeKind next(ByteReader& in) noexcept;

  // What a head that is complete says. They borrow the reader; valid as long as it stays where it is.
  [[nodiscard]] std::string_view first_line() const noexcept { return text(0, first_line_size_); }
  [[nodiscard]] HttpFields fields() const noexcept { return HttpFields(*this); }
  // size is its bytes, the empty line included.
  [[nodiscard]] std::size_t size() const noexcept { return line_offset_; }

  // fail refuses the head for what a line says; the first error stays. offset is in the stream.
  HandshakeKind fail(HandshakeError error, std::size_t offset) noexcept;
  [[nodiscard]] HandshakeFailure failure() const noexcept { return failure_; }

 private:
  friend class HttpFields;
  enum class State : std::uint8_t { reading, complete, failed };
  // Where a field stands in the head: its value begins after name_end.
  struct FieldPlace {
    std::uint32_t name_begin;
    std::uint32_t name_end;
    std::uint32_t value_begin;
    std::uint32_t value_end;
  };

  [[nodiscard]] bool hold(std::string_view bytes) noexcept;
  [[nodiscard]] bool hold_field(const FieldPlace& place) noexcept;
  [[nodiscard]] bool scan_line() noexcept;
  void judge_line(std::string_view line) noexcept;
  void judge_field(std::string_view line) noexcept;
  [[nodiscard]] std::string_view text(std::size_t begin, std::size_t end) const noexcept {
    return as_text(as_bytes(held_).first(end).drop(begin));
  }

  HandshakeLimits limits_;
  std::pmr::string held_;
  std::pmr::vector<FieldPlace> fields_;
  std::size_t line_offset_ = 0;  // of the line under way
  std::size_t scanned_ = 0;      // bytes that hold no line end, or have been judged
  std::size_t first_line_size_ = 0;
  HandshakeFailure failure_;
  HandshakeError first_line_too_long_;
  State state_ = State::reading;
};

}  // namespace weir
