#include <websocketpp/config/core.hpp>
#include <websocketpp/processors/hybi13.hpp>

#include "contender.h"

namespace bench {
namespace {

// websocketpp unmasks in the slice and appends to a message that it allocates, as its own endpoint has it do.
class Websocketpp final : public Contender {
 public:
  using Config = websocketpp::config::core;

  explicit Websocketpp(const Stream& stream)
      : buffer_(stream.size()),
        processor_(false, stream.spec().role == Role::server, std::make_shared<Config::con_msg_manager_type>(),
                   random_) {}

  Totals run(const Stream& stream, std::size_t slice_size) override {
    Totals totals;
    for_each_slice(stream, slice_size, buffer_, [&](unsigned char* data, std::size_t size) {
      for (std::size_t at = 0; at < size;) {
        std::error_code error;
        at += processor_.consume(data + at, size - at, error);
        if (error) refused("websocketpp", error.message().c_str());
        if (processor_.ready()) on_message(*processor_.get_message(), totals);
      }
    });
    return totals;
  }

 private:
  static void on_message(const Config::message_type& message, Totals& totals) {
    const std::string& payload = message.get_payload();
    totals.add(payload.size(), static_cast<unsigned char>(payload.front()), static_cast<unsigned char>(payload.back()));
  }

  PageBuffer buffer_;
  Config::rng_type random_;
  websocketpp::processor::hybi13<Config> processor_;
};

}  // namespace

std::unique_ptr<Contender> make_websocketpp(const Stream& stream) { return std::make_unique<Websocketpp>(stream); }

}  // namespace bench
