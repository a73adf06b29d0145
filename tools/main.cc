// The weir command.
#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

#include "inspect.h"

namespace {

// CLI11 reads -1, octal numbers and ones that wrap: only plain decimal numbers are let through to it.
const CLI::Validator plain_number(
    [](const std::string& text) {
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool plain =
          error == std::errc() && end == text.data() + text.size() && (text.size() == 1 || text[0] != '0');
      return plain ? std::string() : "not a plain decimal number below 2^64: " + text;
    },
    "NUMBER");

// Exit statuses of weir inspect; see docs/inspect.md.
constexpr int usage_status = 2;

int run(int argc, char** argv) {
  CLI::App app{"weir: looks into WebSocket traffic (RFC 6455)"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "weir 0.1.0");

  weir::tools::InspectOptions options;
  CLI::App* inspect = app.add_subcommand("inspect", "Shows the frames or messages of one direction of a connection");
  inspect->add_option("FILE", options.path, "Raw bytes of one direction, as captured; - reads standard input")
      ->required();
  inspect
      ->add_option("--as", options.as,
                   "Who received these bytes, frames from the first one on; without it, told from the first bytes, and "
                   "an HTTP head is skipped")
      ->check(CLI::IsMember({"server", "client"}));
  inspect->add_flag("--frames", options.frames, "Show frames rather than messages");
  inspect->add_option("--format", options.format, "text or json (one object a line)")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  inspect->add_option("--slice", options.slice, "Feed the parser N bytes at a time, or random:SEED");
  inspect->add_option("--max-message-size", options.limits.max_message_size, "Bytes one message may have")
      ->check(plain_number)
      ->capture_default_str();
  inspect->add_option("--max-fragments", options.limits.max_fragment_count, "Frames one message may have")
      ->check(plain_number);
  inspect->add_flag(
      "--deflate{yes}", options.deflate,
      "permessage-deflate was negotiated, with --deflate=PARAMS; with --frames, compressed frames are shown as sent");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_status;
  }
  options.deflate_given = inspect->count("--deflate") != 0;
  return weir::tools::inspect(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weir: %s\n", error.what());
    return usage_status;
  }
}
