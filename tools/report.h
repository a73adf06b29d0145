// How weir inspect shows what it sees: lines for people, or JSON lines for programs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <weir/frame_parser.h>
#include <weir/message_reader.h>

namespace weir::tools {

class Report {
 public:
  Report(bool json, bool coloured) : json_(json), coloured_(coloured) {}

  // base_offset is where the frames begin in the file: after an HTTP head. It is added to every offset shown.
  void set_base_offset(std::uint64_t offset) { base_offset_ = offset; }

  void on_head(std::string_view first_line, std::size_t size, Role receiver);
  void on_message(MessageKind kind, const Message& message);
  void on_frame(const FrameHeader& header, std::uint64_t offset, ByteView excerpt);
  void on_end(StreamEnd end, const Error& error);

 private:
  void line(std::string_view colour, const std::string& text);

  bool json_;
  bool coloured_;
  std::uint64_t base_offset_ = 0;
  std::uint64_t event_count_ = 0;
  std::uint64_t payload_size_ = 0;
};

}  // namespace weir::tools
