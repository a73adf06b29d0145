// The heads of corpus/cases/handshakes.tsv, cut in every way, against their answers.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>

#include <weir/deflate.h>
#include <weir/handshake.h>
#include <weir/session.h>

#include "session_driver.h"

namespace weir::tests {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) list.push_back(field);
  return list;
}

std::vector<Row> rows() {
  std::ifstream file(WEIR_CORPUS_DIR "/cases/handshakes.tsv");
  std::string line;
  std::getline(file, line);
  const auto names = fields_of(line);
  std::vector<Row> list;
  while (std::getline(file, line)) {
    const auto values = fields_of(line);
    EXPECT_EQ(values.size(), names.size()) << line;
    Row row;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) row[names[i]] = values[i];
    list.push_back(row);
  }
  return list;
}

Bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// What one end made of a head.
struct Answer {
  unsigned status = 0;  // that a server answers; 0 is none yet
  std::string response;
  HandshakeFailure failure;
  std::optional<DeflateParameters> deflate;
  Bytes rest;  // what came after the head

  friend bool operator==(const Answer&, const Answer&) = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.status << ' ' << name_of(answer.failure.error) << '@' << answer.failure.offset << " rest "
             << answer.rest.size() << '\n'
             << answer.response;
}

Answer accepted(const UpgradeRequest& request) {
  Answer answer{.status = 101, .response = {}, .failure = {}, .deflate = {}, .rest = {}};
  DeflateText text;
  ExtensionList offers = request.extensions();
  Extension offer;
  while (!answer.deflate && offers.next(offer) == ListKind::element) {
    if (offer.name == deflate_name) answer.deflate = accept_deflate_offer({}, offer.parameters, text);
  }
  std::pmr::string out;
  const std::string_view extensions = answer.deflate ? text.view() : std::string_view();
  answer.failure.error = write_acceptance(request, {}, extensions, {}, out);
  answer.response = out;
  return answer;
}

Answer refused(const HandshakeFailure& failure) {
  Answer answer{.status = status_of(failure.error), .response = {}, .failure = failure, .deflate = {}, .rest = {}};
  std::pmr::string out;
  EXPECT_EQ(write_refusal(answer.status, rule_of(failure.error), {}, out), HandshakeError::none);
  answer.response = out;
  return answer;
}

// One end, fed slice by slice.
struct Server {
  RequestReader reader;
  UpgradeRequest head;
  Answer accept() const { return accepted(head); }
  Answer refuse() const { return refused(reader.failure()); }
};

constexpr std::string_view sample_key = "dGhlIHNhbXBsZSBub25jZQ==";  // RFC 6455 1.3

struct Client {
  DeflateText offer = offer_deflate({});
  ResponseReader reader;
  UpgradeResponse head;

  explicit Client(bool offers_deflate)
      : reader(accept_value(sample_key), {.subprotocols = {}, .extensions = offers_deflate ? offer.view() : ""}) {}

  Answer accept() const {
    Answer answer;
    ExtensionList list = head.extensions();
    Extension extension;
    while (list.next(extension) == ListKind::element) {
      answer.deflate = accept_deflate_answer({}, extension.parameters);
      if (!answer.deflate) answer.failure.error = HandshakeError::extension_refused;
    }
    return answer;
  }
  Answer refuse() const {
    Answer answer;
    answer.failure = reader.failure();
    return answer;
  }
};

// Each slice lies in a block of its own that is gone after the call.
template <typename End>
Answer run(End end, const Bytes& stream, const std::vector<std::size_t>& cuts) {
  Answer answer;
  bool done = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::size_t to = i < cuts.size() ? cuts[i] : stream.size();
    const Bytes slice(stream.begin() + static_cast<std::ptrdiff_t>(begin),
                      stream.begin() + static_cast<std::ptrdiff_t>(to));
    begin = to;
    ByteReader in{ByteView(slice)};
    if (!done) {
      const HandshakeKind kind = end.reader.next(in, end.head);
      EXPECT_TRUE(kind != HandshakeKind::need_input || in.empty());
      if (kind == HandshakeKind::head) answer = end.accept();
      if (kind == HandshakeKind::error) answer = end.refuse();
      done = kind != HandshakeKind::need_input;
      if (kind == HandshakeKind::error) return answer;
    }
    if (done) answer.rest.insert(answer.rest.end(), in.remaining().begin(), in.remaining().end());
  }
  return answer;
}

template <typename MakeEnd>
Answer run_all_cuts(const MakeEnd& make_end, const Bytes& stream) {
  const Answer whole = run(make_end(), stream, {});
  const auto expect_same = [&](const std::vector<std::size_t>& cuts) {
    const Answer cut = run(make_end(), stream, cuts);
    EXPECT_EQ(cut, whole) << cuts.size() << " cuts, the first at " << cuts.front();
    return cut == whole;
  };
  std::vector<std::size_t> every;
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    every.push_back(cut);
    if (!expect_same({cut})) return whole;
  }
  expect_same(every);
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::vector<std::size_t> cuts;
    for (std::size_t at = 1 + random() % 40; at < stream.size(); at += 1 + random() % 40) cuts.push_back(at);
    expect_same(cuts);
  }
  return whole;
}

// What a session makes of a stream, slice by slice.
std::vector<Told> run_session(Session& session, const Bytes& stream, std::size_t slice_size) {
  std::vector<Told> told;
  for (std::size_t at = 0; at < stream.size(); at += slice_size) {
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t size = std::min(slice_size, stream.size() - at);
    for (Told& event : feed(session, Bytes(begin, begin + static_cast<std::ptrdiff_t>(size)))) {
      told.push_back(std::move(event));
      if (told.back().kind == SessionKind::request) {
        EXPECT_EQ(session.accept(), HandshakeError::none);
      }
    }
  }
  return told;
}

// A server's session answers with the very bytes that the reader and the writers make.
void expect_session_answers(const Bytes& stream, const Answer& answer) {
  SessionOptions options = sample_options();
  options.permessage_deflate = true;
  for (const std::size_t slice_size : {stream.size(), std::size_t{1}, std::size_t{7}}) {
    Session server(Role::server, options, start);
    const std::vector<Told> told = run_session(server, stream, slice_size);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told[0].kind, answer.status == 101 ? SessionKind::request : SessionKind::closed);
    EXPECT_EQ(told[0].closed.handshake, answer.failure);
    EXPECT_EQ(text_of(take_output(server)), answer.response);
    EXPECT_EQ(server.is_finished(), answer.status != 101);
  }
}

void expect_session_judges(const Bytes& stream, bool offers_deflate, const Answer& answer) {
  SessionOptions options = sample_options();  // the key is the sample's
  options.permessage_deflate = offers_deflate;
  for (const std::size_t slice_size : {stream.size(), std::size_t{1}, std::size_t{7}}) {
    Session client(Role::client, options, start);
    ASSERT_EQ(client.request({.host = "a"}), HandshakeError::none);
    const std::vector<Told> told = run_session(client, stream, slice_size);
    ASSERT_FALSE(told.empty());
    if (answer.failure.error == HandshakeError::none) {
      ASSERT_EQ(kinds(told), (List{SessionKind::open, SessionKind::text}));
      EXPECT_EQ(text_of(told[1].payload), "Hello");
    } else {
      ASSERT_EQ(kinds(told), List{SessionKind::closed});
      EXPECT_EQ(told[0].closed.handshake.error, answer.failure.error);
    }
  }
}

// "400 or 426", "431 (limit 128)", "101; second offer usable": the statuses that the answer may have.
std::vector<unsigned> statuses_of(const std::string& expected) {
  std::vector<unsigned> list;
  std::istringstream in(expected);
  std::string word;
  while (in >> word && word.size() >= 3 && word.find_first_not_of("0123456789,;") == std::string::npos) {
    list.push_back(static_cast<unsigned>(std::stoul(word)));
    if (!(in >> word) || word != "or") break;
  }
  return list;
}

TEST(HandshakeCases, EveryRequestGetsItsAnswerHoweverItIsCut) {
  int seen = 0;
  for (const Row& row : rows()) {
    if (row.at("role") != "server receives") continue;
    SCOPED_TRACE(row.at("file"));
    ++seen;
    std::string expected = row.at("expected");
    if (expected.starts_with("same as h001")) expected = "101 accept=s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    const Bytes stream = read_file(WEIR_CORPUS_DIR "/cases/handshakes/" + row.at("file"));
    const Answer answer = run_all_cuts([] { return Server(); }, stream);

    const std::vector<unsigned> statuses = statuses_of(expected);
    ASSERT_FALSE(statuses.empty()) << expected;
    EXPECT_NE(std::find(statuses.begin(), statuses.end(), answer.status), statuses.end()) << expected << "\n" << answer;
    EXPECT_TRUE(answer.response.starts_with("HTTP/1.1 " + std::to_string(answer.status))) << answer.response;
    EXPECT_EQ(answer.failure.error == HandshakeError::none, answer.status == 101);
    if (expected.find("accept=") != std::string::npos) {
      const std::string value = expected.substr(expected.find("accept=") + 7);
      EXPECT_NE(answer.response.find("Sec-WebSocket-Accept: " + value + "\r\n"), std::string::npos);
    }
    if (answer.status == 426) {
      EXPECT_NE(answer.response.find("\r\nSec-WebSocket-Version: 13\r\n"), std::string::npos);
    }
    const bool agrees = expected == "101, may agree" || expected == "101; second offer usable";
    EXPECT_EQ(answer.deflate.has_value(), agrees) << expected;
    expect_session_answers(stream, answer);
  }
  EXPECT_EQ(seen, 27);
}

TEST(HandshakeCases, EveryResponseGetsItsAnswerHoweverItIsCut) {
  int seen = 0;
  for (const Row& row : rows()) {
    if (row.at("role") != "client receives") continue;
    SCOPED_TRACE(row.at("file"));
    ++seen;
    const bool offers = row.at("context").starts_with("client offered") && row.at("context") != "client offered none";
    const Bytes stream = read_file(WEIR_CORPUS_DIR "/cases/handshakes/" + row.at("file"));
    const Answer answer = run_all_cuts([offers] { return Client(offers); }, stream);
    const bool opens = row.at("expected").find("open then text") != std::string::npos;
    EXPECT_EQ(answer.failure.error == HandshakeError::none, opens) << answer;
    if (opens) {
      EXPECT_EQ(answer.rest, (Bytes{0x81, 0x05, 'H', 'e', 'l', 'l', 'o'}));
    }
    expect_session_judges(stream, offers, answer);
  }
  EXPECT_EQ(seen, 13);
}

}  // namespace
}  // namespace weir::tests
