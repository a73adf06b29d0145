// Prints the memory that a session takes, by its state: its object, and what it has from its memory_resource.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <weir/session.h>

#include "counting_memory.h"

namespace {

using weir::tests::CountingMemory;

void fill_randomly(void*, weir::MutableByteView out) noexcept {
  for (unsigned char& byte : out) byte = static_cast<unsigned char>(std::rand());
}

// Pair is two sessions whose bytes go straight to each other.
class Pair {
 public:
  Pair(const char* name, bool deflate, bool takeover, bool pooled) : name_(name) {
    for (weir::SessionOptions* options : {&server_options_, &client_options_}) {
      options->permessage_deflate = deflate;
      options->deflate.parameters = {.server_no_context_takeover = !takeover, .client_no_context_takeover = !takeover};
      options->deflate_pool = pooled ? &pool_ : nullptr;
      options->random = {fill_randomly, nullptr};
    }
    server_options_.memory = &server_memory_;
    client_options_.memory = &client_memory_;
  }

  void run() {
    weir::Session server(weir::Role::server, server_options_, {});
    weir::Session client(weir::Role::client, client_options_, {});
    expect(client.request({.target = "/", .host = "localhost"}) == weir::HandshakeError::none);
    deliver(client, server);
    print("the request has come");
    expect(server.accept() == weir::HandshakeError::none);
    deliver(server, client);
    deliver(client, server);
    expect(server.is_open() && client.is_open());
    print("open, idle");
    for (int i = 0; i < 1000; ++i) {
      const std::string text(1024, static_cast<char>('a' + i % 26));
      expect(client.send_text(text) == weir::SendStatus::queued);
      deliver(client, server);
      expect(server.send_text(text) == weir::SendStatus::queued);
      deliver(server, client);
    }
    print("after 1,000 messages of 1 KiB each way");
    for (const int second : {1, 2}) {
      server.on_time(weir::Time(std::chrono::seconds(second)));
      client.on_time(weir::Time(std::chrono::seconds(second)));
    }
    print("idle for a second");
  }

 private:
  static void expect(bool right) {
    if (!right) std::abort();
  }

  static void deliver(weir::Session& from, weir::Session& to) {
    weir::SessionEvent event;
    for (weir::Output output = from.output(); output.count != 0; output = from.output()) {
      const weir::ByteView bytes = *output.begin();
      weir::ByteReader in(bytes);
      weir::SessionKind kind = to.next(in, event);
      while (kind != weir::SessionKind::need_input) {
        expect(kind != weir::SessionKind::closed);
        if (kind == weir::SessionKind::request) break;
        kind = to.next(in, event);
      }
      from.sent(bytes.size());
    }
    // What was borrowed is taken back.
    weir::ByteReader nothing;
    if (to.is_open()) expect(to.next(nothing, event) == weir::SessionKind::need_input);
  }

  void print(const char* state) const {
    std::printf("%s\t%s\t%zu\t%zu\t%zu\n", name_, state, sizeof(weir::Session) + server_memory_.size(),
                sizeof(weir::Session) + client_memory_.size(), pool_memory_.size());
  }

  const char* name_;
  CountingMemory server_memory_;
  CountingMemory client_memory_;
  CountingMemory pool_memory_;
  weir::DeflatePool pool_{4, &pool_memory_};
  weir::SessionOptions server_options_;
  weir::SessionOptions client_options_;
};

}  // namespace

int main() {
  std::printf("extension\tstate\tserver\tclient\tpool\n");
  Pair("none", false, false, false).run();
  Pair("permessage-deflate, no context takeover, a pool", true, false, true).run();
  Pair("permessage-deflate, context takeover", true, true, false).run();
  return 0;
}
