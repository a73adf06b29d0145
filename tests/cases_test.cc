// The streams of corpus/cases, cut in every way, against their answers and against the reference model.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "reference_model.h"
#include "weir_trace.h"

namespace weir::tests {
namespace {

using nlohmann::json;

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Limits limits_of(const std::string& text) {
  Limits limits;
  const std::size_t equals = text.find('=');
  if (text.starts_with("max_message=")) limits.max_message_size = std::stoull(text.substr(equals + 1));
  else if (text.starts_with("max_fragments="))
    limits.max_fragment_count = static_cast<std::uint32_t>(std::stoul(text.substr(equals + 1)));
  else EXPECT_EQ(text, "default");
  return limits;
}

std::vector<TraceEvent> events_of(const json& list) {
  std::vector<TraceEvent> events;
  for (const json& item : list) {
    TraceEvent event{item[0], {}, {}};
    const bool close = event.kind == "close";
    if (close && !item[1].is_null()) event.close_code = item[1].get<unsigned>();
    event.payload = from_hex(item[close ? 2 : 1]);
    events.push_back(event);
  }
  return events;
}

std::string end_text(const Trace& trace) {
  switch (trace.end) {
    case End::open:
      return "open";
    case End::need:
      return "need";
    case End::need_fin:
      return "need-fin";
    case End::closed:
      return "closed";
    case End::fail:
      return "fail(" + std::to_string(static_cast<unsigned>(close_code_of(trace.error.code))) + ")";
  }
  return "";
}

// Of streams.json's "ext".
std::optional<DeflateParameters> deflate_of(const std::string& extension) {
  if (extension == "none") return std::nullopt;
  EXPECT_TRUE(extension == "deflate" || extension == "deflate;server_no_context_takeover") << extension;
  DeflateParameters agreed;
  agreed.server_no_context_takeover = extension != "deflate";
  return agreed;
}

TEST(Cases, EveryStreamGivesItsAnswerHoweverItIsCut) {
  std::ifstream file(WEIR_CORPUS_DIR "/cases/streams.json");
  const json cases = json::parse(file);
  int seen = 0;
  for (const json& item : cases) {
    SCOPED_TRACE(item["file"].get<std::string>());
    ++seen;
    const Bytes stream = read_file(WEIR_CORPUS_DIR "/cases/" + item["file"].get<std::string>());
    const Role role = item["role"] == "server" ? Role::server : Role::client;
    const Limits limits = limits_of(item["limits"]);
    const std::optional<DeflateParameters> deflate = deflate_of(item["ext"]);
    const DeflateParameters* const agreed = deflate ? &*deflate : nullptr;
    const Trace expected = reference(role, limits, stream, agreed);
    EXPECT_EQ(expected.events, events_of(item["events"]));
    EXPECT_EQ(end_text(expected), item["end"].get<std::string>());
    expect_all_cuts(role, limits, stream, expected, 4096, agreed);
  }
  EXPECT_EQ(seen, 132);
}

}  // namespace
}  // namespace weir::tests
