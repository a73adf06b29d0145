// Sends each line of its input, prints what comes back, and closes: echo_client ADDRESS PORT [deflate]
#include <weir/session.h>

#include <arpa/inet.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <string>

using weir::SessionKind;

static void fill(void*, weir::MutableByteView out) noexcept {
  if (getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) std::abort();
}

static bool flush(weir::Session& session, int fd) {
  for (weir::Output output = session.output(); output.count != 0; output = session.output()) {
    const ssize_t size = send(fd, output.begin()->data(), output.begin()->size(), MSG_NOSIGNAL);
    if (size < 0) return false;
    session.sent(static_cast<std::size_t>(size));
  }
  return true;
}

static void on_event(weir::Session& session, SessionKind kind, const weir::SessionEvent& event) {
  if (kind == SessionKind::text) std::cout << weir::as_text(event.message.payload) << std::endl;
  if (kind == SessionKind::closed) std::cerr << name_of(event.closed.end) << ' ' << event.closed.http_status << '\n';
  std::string line;
  if (kind != SessionKind::open && kind != SessionKind::text) return;
  if (!std::getline(std::cin, line) || session.send_text(line) != weir::SendStatus::queued) (void)session.close();
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  weir::SessionOptions options;
  options.random.fill = fill;
  options.permessage_deflate = argc > 3;
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = {AF_INET, htons(static_cast<in_port_t>(std::atoi(argv[2]))), {inet_addr(argv[1])}, {}};
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 1;
  const timeval second = {1, 0};  // a turn at least every second, for the session's deadlines
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  weir::Session session(weir::Role::client, options, std::chrono::steady_clock::now());
  if (session.request({.host = argv[1]}) != weir::HandshakeError::none) return 2;
  std::array<unsigned char, 16384> buffer{};
  weir::SessionEvent event;
  while (flush(session, fd) && !session.is_finished()) {
    const ssize_t size = recv(fd, buffer.data(), buffer.size(), 0);
    session.on_time(std::chrono::steady_clock::now());
    if (size == 0 || (size < 0 && errno != EAGAIN)) session.end_of_input();
    weir::MutableByteReader in(weir::MutableByteView(buffer).first(size > 0 ? static_cast<std::size_t>(size) : 0));
    for (auto kind = session.next(in, event); kind != SessionKind::need_input; kind = session.next(in, event))
      on_event(session, kind, event);
  }
  return session.is_finished() && event.closed.end == weir::SessionEnd::closed ? 0 : 1;
}
