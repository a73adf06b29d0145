// The opening handshake (RFC 6455 4), up to the first frame.
#include <algorithm>
#include <new>

#include <weir/session.h>

#include "work.h"

namespace weir {
namespace {

[[nodiscard]] Role other(Role role) noexcept { return role == Role::server ? Role::client : Role::server; }

// The first offer that can be accepted wins (RFC 7692 7.1).
[[nodiscard]] std::optional<DeflateParameters> accept_one_of(ExtensionList offers, const DeflateOptions& options,
                                                             DeflateText& answer) noexcept {
  Extension offer;
  while (offers.next(offer) == ListKind::element) {
    if (offer.name != deflate_name) continue;
    const std::optional<DeflateParameters> agreed = accept_deflate_offer(options, offer.parameters, answer);
    if (agreed) return agreed;
  }
  return std::nullopt;
}

[[nodiscard]] bool keep(std::string_view text, std::pmr::string& out) noexcept {
  try {
    out = text;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

Session::Session(Role role, const SessionOptions& options, Time now) noexcept
    : Session(role, options, now, AfterHandshake()) {
  state_ = State::connecting;
  heard_ = true;  // by the first on_time after the handshake
  if (work() == nullptr || !work_->begin_opening()) lose(SessionEnd::out_of_memory);
  else if (!is_client_) work_->opening->request_reader.emplace(options.handshake_limits, options.memory);
}

// A client's side.

HandshakeError Session::request(const RequestOptions& options, const FieldList& fields) noexcept {
  if (!is_client_ || state_ != State::connecting || work_->opening->response_reader)
    return HandshakeError::call_out_of_turn;
  if (!options.extensions.empty()) return HandshakeError::field_not_writable;
  Opening& opening = *work_->opening;
  std::array<unsigned char, 16> nonce{};
  options_->random.fill(options_->random.context, MutableByteView(nonce));
  if (options_->permessage_deflate) opening.extensions = offer_deflate(options_->deflate);
  if (!keep(options.subprotocols, opening.subprotocols)) return HandshakeError::out_of_memory;

  RequestOptions asked = options;
  asked.extensions = opening.extensions.view();
  std::pmr::string head(options_->memory);
  HandshakeError failed = write_request(asked, nonce, fields, head);
  if (failed == HandshakeError::none) failed = queue_head(head);
  if (failed != HandshakeError::none) return failed;
  const KeyText key = key_text(nonce);
  opening.response_reader.emplace(
      accept_value(key.view()),
      OfferedNames{.subprotocols = opening.subprotocols, .extensions = opening.extensions.view()},
      options_->handshake_limits, options_->memory);
  return HandshakeError::none;
}

SessionKind Session::on_response(HandshakeKind kind, SessionEvent& out) noexcept {
  Opening& opening = *work_->opening;
  opening.http_status = out.response.status;
  if (kind == HandshakeKind::error) return fail_handshake(opening.response_reader->failure(), out);
  // Nothing but our offer can have come back.
  std::optional<DeflateParameters> agreed;
  ExtensionList used = out.response.extensions();
  Extension deflate;
  if (used.next(deflate) == ListKind::element) {
    agreed = accept_deflate_answer(options_->deflate, deflate.parameters);
    if (!agreed) return fail_handshake({HandshakeError::extension_refused, opening.taken_size - 1}, out);
  }
  open_with(agreed);
  return SessionKind::open;
}

// A server's side.

SessionKind Session::on_request(HandshakeKind kind, SessionEvent& out) noexcept {
  if (kind == HandshakeKind::error) return fail_handshake(work_->opening->request_reader->failure(), out);
  work_->opening->request = out.request;
  state_ = State::request_waits;
  return SessionKind::request;
}

HandshakeError Session::accept(std::string_view subprotocol, const FieldList& fields) noexcept {
  if (state_ != State::request_waits) return HandshakeError::call_out_of_turn;
  const UpgradeRequest& request = work_->opening->request;
  DeflateText answer;
  std::optional<DeflateParameters> agreed;
  if (options_->permessage_deflate) agreed = accept_one_of(request.extensions(), options_->deflate, answer);

  std::pmr::string head(options_->memory);
  HandshakeError failed = write_acceptance(request, subprotocol, answer.view(), fields, head);
  if (failed == HandshakeError::none) failed = queue_head(head);
  if (failed == HandshakeError::none) open_with(agreed);
  return failed;
}

HandshakeError Session::refuse(unsigned status, std::string_view text, const FieldList& fields) noexcept {
  if (is_client_ || !handshakes()) return HandshakeError::call_out_of_turn;
  const HandshakeError failed = queue_refusal(status, text, fields);
  if (failed == HandshakeError::none) end(SessionEnd::refused);
  return failed;
}

HandshakeError Session::queue_refusal(unsigned status, std::string_view text, const FieldList& fields) noexcept {
  std::pmr::string head(options_->memory);
  HandshakeError failed = write_refusal(status, text, fields, head);
  if (failed == HandshakeError::none) failed = queue_head(head);
  if (failed == HandshakeError::none) work_->opening->http_status = status;
  return failed;
}

// Both sides.

SessionKind Session::next_in_handshake(ByteReader& in, SessionEvent& out) noexcept {
  Opening& opening = *work_->opening;
  if (state_ == State::request_waits || (is_client_ && !opening.response_reader)) return SessionKind::paused;
  out.response = {};
  const HandshakeKind kind =
      is_client_ ? opening.response_reader->next(in, out.response) : opening.request_reader->next(in, out.request);
  opening.taken_size += in.position();
  if (kind == HandshakeKind::need_input) return on_need_input(out);
  return is_client_ ? on_response(kind, out) : on_request(kind, out);
}

// A client has nothing to answer: it ends the connection (RFC 6455 4.1).
SessionKind Session::fail_handshake(HandshakeFailure failure, SessionEvent& out) noexcept {
  work_->opening->failure = failure;
  const bool answered =
      !is_client_ && queue_refusal(status_of(failure.error), rule_of(failure.error), {}) == HandshakeError::none;
  if (answered) end(SessionEnd::handshake_failed);
  else lose(SessionEnd::handshake_failed);
  return give_closed(out);
}

HandshakeError Session::queue_head(std::string_view head) noexcept {
  const MutableByteView room = work_->outbox.extend(head.size());
  if (room.empty()) return HandshakeError::out_of_memory;
  std::copy(head.begin(), head.end(), room.begin());
  return HandshakeError::none;
}

void Session::open_with(const std::optional<DeflateParameters>& agreed) noexcept {
  const Role role = is_client_ ? Role::client : Role::server;
  const Rsv1 rsv1 = agreed ? Rsv1::negotiated : Rsv1::reserved;
  state_ = State::open;
  reader_ = MessageReader(role, options_->limits, options_->delivery, rsv1, options_->memory);
  writer_ = FrameWriter(role, rsv1);
  if (!agreed) return;
  if (work() == nullptr) return lose(SessionEnd::out_of_memory);
  work_->inflater.emplace(other(role), *agreed, options_->limits, options_->delivery, options_->deflate.max_ratio,
                          options_->deflate_pool, options_->memory);
  work_->deflater.emplace(role, *agreed, options_->deflate, options_->deflate_pool, options_->memory);
}

// end_handshake gives its memory back, when it is over.
void Session::end_handshake() noexcept {
  if (handshakes() || work_ == nullptr || work_->opening == nullptr) return;
  work_->end_opening();
  settle();
}

}  // namespace weir
