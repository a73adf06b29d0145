// Echoes its clients, one after the other, on bare blocking sockets: echo_server PORT [deflate]
#include <weir/session.h>

#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

using weir::SessionKind;

static bool flush(weir::Session& session, int fd) {
  for (weir::Output output = session.output(); output.count != 0; output = session.output()) {
    const ssize_t size = send(fd, output.begin()->data(), output.begin()->size(), MSG_NOSIGNAL);
    if (size < 0) return false;
    session.sent(static_cast<std::size_t>(size));
  }
  return true;
}

static void on_event(weir::Session& session, SessionKind kind, const weir::Message& message) {
  if (kind == SessionKind::request) (void)session.accept();
  if (kind == SessionKind::text) (void)session.send_text(weir::as_text(message.payload));
  if (kind == SessionKind::binary) (void)session.send_binary(message.payload);
}

static void serve(int fd, const weir::SessionOptions& options) {
  const timeval second = {1, 0};  // a turn at least every second, for the session's deadlines
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  weir::Session session(weir::Role::server, options, std::chrono::steady_clock::now());
  std::array<unsigned char, 16384> buffer{};
  while (flush(session, fd) && !session.is_finished()) {
    const ssize_t size = recv(fd, buffer.data(), buffer.size(), 0);
    session.on_time(std::chrono::steady_clock::now());
    if (size == 0 || (size < 0 && errno != EAGAIN)) session.end_of_input();
    weir::MutableByteReader in(weir::MutableByteView(buffer).first(size > 0 ? static_cast<std::size_t>(size) : 0));
    weir::SessionEvent event;
    for (auto kind = session.next(in, event); kind != SessionKind::need_input; kind = session.next(in, event)) {
      on_event(session, kind, event.message);
      if (kind == SessionKind::paused || !flush(session, fd)) return;
    }
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  weir::SessionOptions options;
  options.permessage_deflate = argc > 2;
  const sockaddr_in address = {AF_INET, htons(static_cast<in_port_t>(std::atoi(argv[1]))), {INADDR_ANY}, {}};
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener, 16) != 0)
    return 1;
  for (int fd = accept(listener, nullptr, nullptr); fd >= 0; fd = accept(listener, nullptr, nullptr)) {
    serve(fd, options);
    close(fd);
  }
}
