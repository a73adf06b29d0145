#include <algorithm>
#include <iterator>

#include <weir/deflate.h>
#include <weir/extension.h>

namespace weir {

// DeflateTextWriter writes a DeflateText.
class DeflateTextWriter {
 public:
  explicit DeflateTextWriter(DeflateText& out) noexcept : out_(out) {
    out_.size_ = 0;
    append(deflate_name);
  }

  void flag(std::string_view name) noexcept {
    append("; ");
    append(name);
  }
  void bits(std::string_view name, std::uint8_t bits) noexcept {
    flag(name);
    append(bits < 10 ? "=" : "=1");
    const char digit = static_cast<char>('0' + bits % 10);
    append({&digit, 1});
  }

 private:
  void append(std::string_view text) noexcept {
    const auto at = std::next(out_.text_.begin(), static_cast<std::ptrdiff_t>(out_.size_));
    std::copy(text.begin(), text.end(), at);
    out_.size_ += text.size();
  }

  DeflateText& out_;
};

namespace {

constexpr std::string_view server_no_takeover_name = "server_no_context_takeover";
constexpr std::string_view client_no_takeover_name = "client_no_context_takeover";
constexpr std::string_view server_bits_name = "server_max_window_bits";
constexpr std::string_view client_bits_name = "client_max_window_bits";

// Said is what the parameters of one offer or answer say; the bits are 0 when nothing was said.
struct Said {
  bool server_no_context_takeover = false;
  bool client_no_context_takeover = false;
  std::uint8_t server_max_window_bits = 0;
  std::uint8_t client_max_window_bits = 0;
  bool client_bits_named = false;
};

// 8 to 15 in decimal without leading zeros (RFC 7692 7.1.2.1), or 0.
[[nodiscard]] std::uint8_t bits_of(std::string_view value) noexcept {
  if (value.size() == 1 && (value == "8" || value == "9")) return value == "8" ? 8 : 9;
  const bool in_range = value.size() == 2 && value.starts_with('1') && value.at(1) >= '0' && value.at(1) <= '5';
  return in_range ? static_cast<std::uint8_t>(10 + value.at(1) - '0') : 0;
}

// A flag has no value and comes once (RFC 7692 7.1).
[[nodiscard]] bool read_flag(const ExtensionParameter& parameter, bool& out) noexcept {
  if (parameter.has_value || out) return false;
  out = true;
  return true;
}

[[nodiscard]] bool read_bits(const ExtensionParameter& parameter, std::uint8_t& out) noexcept {
  if (!parameter.has_value || out != 0) return false;
  out = bits_of(parameter.value);
  return out != 0;
}

// Only an offer may name client_max_window_bits without a value (RFC 7692 7.1.2.2).
[[nodiscard]] bool read_client_bits(const ExtensionParameter& parameter, bool is_offer, Said& out) noexcept {
  if (out.client_bits_named) return false;
  out.client_bits_named = true;
  if (!parameter.has_value && is_offer) return true;
  return read_bits(parameter, out.client_max_window_bits);
}

[[nodiscard]] bool read_parameter(const ExtensionParameter& parameter, bool is_offer, Said& out) noexcept {
  if (parameter.name == server_no_takeover_name) return read_flag(parameter, out.server_no_context_takeover);
  if (parameter.name == client_no_takeover_name) return read_flag(parameter, out.client_no_context_takeover);
  if (parameter.name == server_bits_name) return read_bits(parameter, out.server_max_window_bits);
  if (parameter.name == client_bits_name) return read_client_bits(parameter, is_offer, out);
  return false;
}

[[nodiscard]] std::optional<Said> read(std::string_view parameters, bool is_offer) noexcept {
  ExtensionParameterReader reader(parameters);
  ExtensionParameter parameter;
  Said said;
  ListKind kind = reader.next(parameter);
  while (kind == ListKind::element) {
    if (!read_parameter(parameter, is_offer, said)) return std::nullopt;
    kind = reader.next(parameter);
  }
  if (kind == ListKind::error) return std::nullopt;
  return said;
}

[[nodiscard]] std::uint8_t bits_or_max(std::uint8_t bits) noexcept { return bits == 0 ? max_window_bits : bits; }

[[nodiscard]] DeflateParameters agreed_by(const Said& said) noexcept {
  return {.server_no_context_takeover = said.server_no_context_takeover,
          .client_no_context_takeover = said.client_no_context_takeover,
          .server_max_window_bits = bits_or_max(said.server_max_window_bits),
          .client_max_window_bits = bits_or_max(said.client_max_window_bits)};
}

}  // namespace

DeflateText offer_deflate(const DeflateOptions& options) noexcept {
  const DeflateParameters& wanted = options.parameters;
  DeflateText text;
  DeflateTextWriter out(text);
  if (wanted.server_no_context_takeover) out.flag(server_no_takeover_name);
  if (wanted.client_no_context_takeover) out.flag(client_no_takeover_name);
  if (wanted.server_max_window_bits < max_window_bits) out.bits(server_bits_name, wanted.server_max_window_bits);
  if (wanted.client_max_window_bits < max_window_bits) out.bits(client_bits_name, wanted.client_max_window_bits);
  else out.flag(client_bits_name);
  return text;
}

std::optional<DeflateParameters> accept_deflate_offer(const DeflateOptions& options, std::string_view parameters,
                                                      DeflateText& answer) noexcept {
  const std::optional<Said> offer = read(parameters, true);
  if (!offer) return std::nullopt;
  const DeflateParameters& wanted = options.parameters;
  DeflateParameters agreed = agreed_by(*offer);
  agreed.server_no_context_takeover |= wanted.server_no_context_takeover;
  agreed.client_no_context_takeover |= wanted.client_no_context_takeover;
  agreed.server_max_window_bits = std::min(agreed.server_max_window_bits, wanted.server_max_window_bits);
  // A client that does not name its window cannot be told to use a smaller one (RFC 7692 7.1.2.2).
  if (offer->client_bits_named)
    agreed.client_max_window_bits = std::min(agreed.client_max_window_bits, wanted.client_max_window_bits);

  DeflateTextWriter out(answer);
  if (agreed.server_no_context_takeover) out.flag(server_no_takeover_name);
  if (agreed.client_no_context_takeover) out.flag(client_no_takeover_name);
  // An offered server_max_window_bits must be answered (RFC 7692 7.1.2.1).
  if (offer->server_max_window_bits != 0 || agreed.server_max_window_bits < max_window_bits)
    out.bits(server_bits_name, agreed.server_max_window_bits);
  if (agreed.client_max_window_bits < max_window_bits) out.bits(client_bits_name, agreed.client_max_window_bits);
  return agreed;
}

std::optional<DeflateParameters> accept_deflate_answer(const DeflateOptions& options,
                                                       std::string_view parameters) noexcept {
  const std::optional<Said> answer = read(parameters, false);
  if (!answer) return std::nullopt;
  const DeflateParameters& wanted = options.parameters;
  const DeflateParameters agreed = agreed_by(*answer);
  // What was asked of the server it confirms, or it should have declined (RFC 7692 7.1.1.1, 7.1.2.1).
  if (wanted.server_no_context_takeover && !agreed.server_no_context_takeover) return std::nullopt;
  if (agreed.server_max_window_bits > wanted.server_max_window_bits) return std::nullopt;
  if (answer->client_max_window_bits > wanted.client_max_window_bits) return std::nullopt;
  DeflateParameters used = agreed;
  used.client_no_context_takeover |= wanted.client_no_context_takeover;
  used.client_max_window_bits = std::min(used.client_max_window_bits, wanted.client_max_window_bits);
  return used;
}

std::optional<DeflateParameters> read_deflate_answer(std::string_view parameters) noexcept {
  const std::optional<Said> answer = read(parameters, false);
  if (!answer) return std::nullopt;
  return agreed_by(*answer);
}

}  // namespace weir
