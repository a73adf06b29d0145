#include <wslay/wslay.h>

#include "contender.h"

namespace bench {
namespace {

// wslay reads into its own 4 KiB and joins the message in memory that it allocates.
class Wslay final : public Contender {
 public:
  explicit Wslay(const Stream& stream) {
    wslay_event_callbacks callbacks{};
    callbacks.recv_callback = on_recv;
    callbacks.on_msg_recv_callback = on_message;
    const int failed = stream.spec().role == Role::server
                           ? wslay_event_context_server_init(&context_, &callbacks, this)
                           : wslay_event_context_client_init(&context_, &callbacks, this);
    if (failed != 0) refused("wslay", "no context");
  }
  ~Wslay() override { wslay_event_context_free(context_); }

  Totals run(const Stream& stream, std::size_t slice_size) override {
    totals_ = {};
    SliceSource source(stream, slice_size);
    source_ = &source;
    while (source.next_slice()) {
      if (wslay_event_recv(context_) != 0 || wslay_event_get_read_enabled(context_) == 0) refused("wslay", "error");
    }
    return totals_;
  }

 private:
  static ssize_t on_recv(wslay_event_context_ptr context, std::uint8_t* buffer, std::size_t size, int /*flags*/,
                         void* self) {
    const std::size_t read = static_cast<Wslay*>(self)->source_->read(buffer, size);
    if (read != 0) return static_cast<ssize_t>(read);
    wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }

  static void on_message(wslay_event_context_ptr /*context*/, const wslay_event_on_msg_recv_arg* message, void* self) {
    if (wslay_is_ctrl_frame(message->opcode) != 0) return;
    static_cast<Wslay*>(self)->totals_.add(message->msg, message->msg_length);
  }

  wslay_event_context_ptr context_ = nullptr;
  SliceSource* source_ = nullptr;
  Totals totals_;
};

}  // namespace

std::unique_ptr<Contender> make_wslay(const Stream& stream) { return std::make_unique<Wslay>(stream); }

}  // namespace bench
