#include "report.h"

#include <algorithm>
#include <array>

namespace weir::tools {
namespace {

constexpr std::size_t excerpt_size = 60;

constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view yellow = "\x1b[33m";
constexpr std::string_view cyan = "\x1b[36m";
constexpr std::string_view plain = "";

void put_hex(std::string& to, ByteView bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const unsigned char byte : bytes) {
    to += digits[byte >> 4U];
    to += digits[byte & 0x0FU];
  }
}

// The strings of RFC 8259 7: quotes, backslashes and control characters are escaped; DEL and the line ends of Unicode
// are left as they are. `text` is UTF-8.
void put_json(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        to += "\\\"";
        break;
      case '\\':
        to += "\\\\";
        break;
      case '\n':
        to += "\\n";
        break;
      case '\r':
        to += "\\r";
        break;
      case '\t':
        to += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) {
          to += c;
          break;
        }
        to += "\\u00";
        const auto byte = static_cast<unsigned char>(c);
        put_hex(to, ByteView(&byte, 1));
    }
  }
  to += '"';
}

// An excerpt for a terminal: nothing that moves the cursor or changes its colour gets through.
std::string excerpt_of(ByteView payload, bool text) {
  std::string shown;
  if (!text) {
    put_hex(shown, payload.first(std::min(payload.size(), excerpt_size / 2)));
    if (payload.size() > excerpt_size / 2) shown += "...";
    return shown;
  }
  const ByteView cut = payload.first(std::min(payload.size(), excerpt_size));
  const ByteView whole = cut.first(utf8_prefix_size(cut));
  shown += '"';
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const unsigned char byte = whole[i];
    const bool c1_control = byte == 0xC2 && i + 1 < whole.size() && whole[i + 1] < 0xA0;
    if (byte < 0x20 || byte == 0x7F || c1_control) {
      shown += '.';
      if (c1_control) ++i;
      continue;
    }
    shown += static_cast<char>(byte);
  }
  shown += '"';
  if (payload.size() > whole.size()) shown += "...";
  return shown;
}

std::string_view name_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::continuation:
      return "continuation";
    case Opcode::text:
      return "text";
    case Opcode::binary:
      return "binary";
    case Opcode::close:
      return "close";
    case Opcode::ping:
      return "ping";
    case Opcode::pong:
      return "pong";
  }
  return "";
}

std::string_view name_of(StreamEnd end) {
  switch (end) {
    case StreamEnd::open:
      return "open";
    case StreamEnd::inside_frame:
      return "need";
    case StreamEnd::between_fragments:
      return "need-fin";
    case StreamEnd::closed:
      return "closed";
    case StreamEnd::failed:
      return "fail";
  }
  return "";
}

std::string_view explain(StreamEnd end) {
  switch (end) {
    case StreamEnd::open:
      return "open: at a frame boundary, no message under way";
    case StreamEnd::inside_frame:
      return "truncated: the stream ends inside a frame";
    case StreamEnd::between_fragments:
      return "truncated: the stream ends between the fragments of a message";
    case StreamEnd::closed:
      return "closed by a Close frame";
    case StreamEnd::failed:
      return "failed";
  }
  return "";
}

std::string_view colour_of(Opcode opcode) {
  if (opcode == Opcode::close) return yellow;
  return is_control(opcode) ? cyan : green;
}

std::string padded(std::string text, std::size_t width, bool right = false) {
  if (text.size() >= width) return text;
  const std::string blanks(width - text.size(), ' ');
  return right ? blanks + text : text + blanks;
}

std::string key_text(const MaskingKey& key) {
  std::string text;
  put_hex(text, key.bytes);
  return text;
}

}  // namespace

void Report::line(std::string_view colour, const std::string& text) {
  if (coloured_ && !colour.empty()) std::printf("%.*s", static_cast<int>(colour.size()), colour.data());
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (coloured_ && !colour.empty()) std::fputs("\x1b[0m", stdout);
  std::fputc('\n', stdout);
}

void Report::on_head(std::string_view first_line, std::size_t size, Role receiver) {
  if (json_) return;
  const std::string_view what =
      receiver == Role::server ? "HTTP request, received by a server" : "HTTP response, received by a client";
  line(plain,
       std::string(what) + ", skipped (" + std::to_string(size) + " bytes): " + excerpt_of(as_bytes(first_line), true));
}

void Report::on_message(MessageKind kind, const Message& message) {
  ++event_count_;
  payload_size_ += message.payload.size();
  const bool text = kind == MessageKind::text || kind == MessageKind::close;
  if (json_) {
    std::string json = "{\"event\":\"" + std::string(weir::name_of(kind)) + "\",";
    if (kind == MessageKind::close) {
      const bool has_code = message.close_code != CloseCode::no_status_received;
      json += "\"code\":" + (has_code ? std::to_string(static_cast<unsigned>(message.close_code)) : "null") +
              ",\"reason\":";
      put_json(json, as_text(message.payload));
    } else if (text) {
      json += "\"data\":";
      put_json(json, as_text(message.payload));
    } else {
      json += "\"hex\":\"";
      put_hex(json, message.payload);
      json += '"';
    }
    json += '}';
    line(plain, json);
    return;
  }
  std::string shown = padded(std::to_string(base_offset_ + message.offset), 10, true) + "  " +
                      padded(std::string(weir::name_of(kind)), 8) +
                      padded(std::to_string(message.payload.size()), 9, true) + " B  ";
  if (kind == MessageKind::close) {
    const bool has_code = message.close_code != CloseCode::no_status_received;
    shown += "code " + (has_code ? std::to_string(static_cast<unsigned>(message.close_code)) : "none") + "  ";
  }
  std::string_view colour = green;
  if (kind == MessageKind::close) colour = yellow;
  if (kind == MessageKind::ping || kind == MessageKind::pong) colour = cyan;
  line(colour, shown + excerpt_of(message.payload, text));
}

void Report::on_frame(const FrameHeader& header, std::uint64_t offset, ByteView excerpt) {
  ++event_count_;
  payload_size_ += header.payload_length;
  const std::string length = std::to_string(header.payload_length);
  if (json_) {
    std::string json = "{\"frame\":\"" + std::string(name_of(header.opcode)) +
                       "\",\"offset\":" + std::to_string(base_offset_ + offset) +
                       ",\"fin\":" + (header.fin ? "true" : "false") + ",\"rsv1\":" + (header.rsv1 ? "true" : "false") +
                       ",\"masked\":" + (header.masked ? "true" : "false") + ",\"length\":" + length + "}";
    line(plain, json);
    return;
  }
  std::string shown =
      padded(std::to_string(base_offset_ + offset), 10, true) + "  " + padded(std::string(name_of(header.opcode)), 13) +
      (header.fin ? "FIN " : "    ") + (header.rsv1 ? "RSV1 " : "     ") +
      (header.masked ? "key " + key_text(header.masking_key) + " " : "") + padded(length, 9, true) + " B  ";
  const bool text = utf8_prefix_size(excerpt) + 3 >= excerpt.size() && !header.rsv1 && header.opcode != Opcode::binary;
  const bool cut = header.payload_length > excerpt.size();
  shown += excerpt_of(excerpt, text && header.opcode != Opcode::close);
  if (cut && !shown.ends_with("...")) shown += "...";
  line(colour_of(header.opcode), shown);
}

void Report::on_end(StreamEnd end, const Error& error) {
  Error shown = error;
  shown.offset += base_offset_;
  shown.frame_offset += base_offset_;
  const ErrorText text(shown);
  const auto close_code = static_cast<unsigned>(close_code_of(error.code));
  if (json_) {
    std::string json = "{\"end\":\"" + std::string(name_of(end)) + "\"";
    if (end == StreamEnd::failed) {
      json += ",\"code\":" + std::to_string(close_code) + ",\"offset\":" + std::to_string(shown.offset) + ",\"error\":";
      put_json(json, text.view());
    }
    line(plain, json + "}");
    return;
  }
  const std::string seen =
      std::to_string(event_count_) + " events, " + std::to_string(payload_size_) + " payload bytes: ";
  if (end != StreamEnd::failed) {
    line(end == StreamEnd::open || end == StreamEnd::closed ? plain : red, seen + std::string(explain(end)));
    return;
  }
  line(red, seen + "failed with " + std::to_string(close_code) + ": " + std::string(text.view()));
}

}  // namespace weir::tools
