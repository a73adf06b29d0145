// The recorded sessions of corpus/captures, against what an independent decoder saw in them (captures.tsv).
#include <gtest/gtest.h>

#include <zlib.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include <weir/message_reader.h>

namespace weir::tests {
namespace {

using Bytes = std::vector<unsigned char>;
using Row = std::map<std::string, std::string>;

std::vector<Row> rows() {
  std::ifstream file(WEIR_CORPUS_DIR "/captures/captures.tsv");
  const auto fields = [](const std::string& line) {
    std::vector<std::string> list;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) list.push_back(field);
    return list;
  };
  std::string line;
  std::getline(file, line);
  const auto names = fields(line);
  std::vector<Row> list;
  while (std::getline(file, line)) {
    const auto values = fields(line);
    EXPECT_EQ(values.size(), names.size()) << line;
    Row row;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) row[names[i]] = values[i];
    list.push_back(row);
  }
  return list;
}

struct Sum {
  std::size_t count = 0;
  std::size_t bytes = 0;
  unsigned long crc = 0;

  void add(ByteView payload) {
    ++count;
    bytes += payload.size();
    crc = crc32(crc, payload.data(), static_cast<unsigned>(payload.size()));
  }
  std::string text() const {
    char out[64];
    std::snprintf(out, sizeof out, "%zu %zu %08lx", count, bytes, crc);
    return out;
  }
};

std::string expected(const Row& row, const std::string& kind) {
  return row.at(kind + "_count") + ' ' + row.at(kind + "_bytes") + ' ' + row.at(kind + "_crc32");
}

Bytes frames_of(const Row& row) {
  std::ifstream file(WEIR_CORPUS_DIR "/captures/" + row.at("file"), std::ios::binary);
  EXPECT_TRUE(file);
  const Bytes all(std::istreambuf_iterator<char>(file), {});
  return Bytes(all.begin() + std::stol(row.at("head_size")), all.end());
}

Role role_of(const Row& row) { return row.at("role") == "server" ? Role::server : Role::client; }

TEST(Captures, HaveTheFramesThatASimpleWalkCounts) {
  const auto list = rows();
  ASSERT_GE(list.size(), 10U);
  for (const Row& row : list) {
    SCOPED_TRACE(row.at("file"));
    const Bytes stream = frames_of(row);
    FrameParser parser(role_of(row), {}, row.at("deflate") == "none" ? Rsv1::reserved : Rsv1::negotiated);
    std::size_t frames = 0;
    for (std::size_t at = 0; at < stream.size(); at += 1460) {
      ByteReader in{ByteView(stream).drop(at).first(std::min<std::size_t>(1460, stream.size() - at))};
      drain(parser, in, [&](const FramePiece& piece) { frames += piece.frame_ends ? 1 : 0; });
    }
    EXPECT_EQ(std::to_string(frames), row.at("frames"));
    EXPECT_EQ(parser.finish(), StreamEnd::open) << rule_of(parser.error().code);
  }
}

TEST(Captures, WithoutDeflateGiveTheMessagesThatAnotherDecoderSaw) {
  std::size_t seen = 0;
  for (const Row& row : rows()) {
    if (row.at("deflate") != "none") continue;
    for (const std::size_t slice : {std::size_t{1}, std::size_t{1460}, std::size_t{1} << 30U}) {
      SCOPED_TRACE(row.at("file") + " in slices of " + std::to_string(slice));
      Bytes stream = frames_of(row);
      MessageReader reader(role_of(row));
      std::map<MessageKind, Sum> sums;
      std::string close_code = "-";
      std::string reason = "-";
      for (std::size_t at = 0; at < stream.size(); at += slice) {
        MutableByteReader in{MutableByteView(stream).drop(at).first(std::min(slice, stream.size() - at))};
        const MessageKind last = drain(reader, in, [&](MessageKind kind, const Message& message) {
          sums[kind].add(message.payload);
          if (kind != MessageKind::close) return;
          const bool has_code = message.close_code != CloseCode::no_status_received;
          close_code = has_code ? std::to_string(static_cast<unsigned>(message.close_code)) : "null";
          if (!message.payload.empty()) reason = as_text(message.payload);
        });
        ASSERT_EQ(last, MessageKind::need_input) << rule_of(reader.error().code);
      }
      EXPECT_EQ(sums[MessageKind::text].text(), expected(row, "text"));
      EXPECT_EQ(sums[MessageKind::binary].text(), expected(row, "binary"));
      EXPECT_EQ(std::to_string(sums[MessageKind::ping].count), row.at("ping_count"));
      EXPECT_EQ(std::to_string(sums[MessageKind::pong].count), row.at("pong_count"));
      EXPECT_EQ(close_code, row.at("close_code"));
      EXPECT_EQ(reason, row.at("close_reason"));
      ++seen;
    }
  }
  EXPECT_GE(seen, 18U);
}

}  // namespace
}  // namespace weir::tests
