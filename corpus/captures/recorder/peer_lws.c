// A client made of libwebsockets: peer_lws PORT STEPS DEFLATE(0 or 1)
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step {
  char op[8];
  char arg[8];
  unsigned char *payload;  // LWS_PRE bytes of room before it
  size_t size;
};

static struct step steps[512];
static size_t step_count, next_step, received;
static int done;

static int read_steps(const char *path) {
  static char line[2 << 20];
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  while (step_count < 512 && fgets(line, sizeof line, file) != NULL) {
    struct step *step = &steps[step_count++];
    int at = 0;
    if (sscanf(line, "%7s %7s %n", step->op, step->arg, &at) < 2) return 0;
    step->size = strspn(line + at, "0123456789abcdef") / 2;
    step->payload = malloc(LWS_PRE + step->size + 1);
    if (step->payload == NULL) return 0;
    step->payload += LWS_PRE;
    for (size_t i = 0; i < step->size; i++) {
      unsigned value = 0;
      sscanf(line + at + 2 * i, "%2x", &value);
      step->payload[i] = (unsigned char)value;
    }
  }
  fclose(file);
  return 1;
}

// Passes one step; asks for the next turn.
static int pass_step(struct lws *wsi) {
  if (next_step == step_count) return 0;
  struct step *step = &steps[next_step];
  if (strcmp(step->op, "wait") == 0) {
    if (received < (size_t)atoi(step->arg)) return 0;
    next_step++;
    lws_callback_on_writable(wsi);
    return 0;
  }
  next_step++;
  if (strcmp(step->op, "close") == 0) {
    lws_close_reason(wsi, (enum lws_close_status)atoi(step->arg), step->payload, step->size);
    return -1;
  }
  int kind = strcmp(step->arg, "text") == 0 ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
  if (strcmp(step->op, "begin") == 0) kind |= LWS_WRITE_NO_FIN;
  if (strcmp(step->op, "more") == 0) kind = LWS_WRITE_CONTINUATION | LWS_WRITE_NO_FIN;
  if (strcmp(step->op, "end") == 0) kind = LWS_WRITE_CONTINUATION;
  if (strcmp(step->op, "ping") == 0) kind = LWS_WRITE_PING;
  if (strcmp(step->op, "pong") == 0) kind = LWS_WRITE_PONG;
  if (lws_write(wsi, step->payload, step->size, (enum lws_write_protocol)kind) < 0) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len) {
  (void)user, (void)in, (void)len;
  switch (reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      lws_callback_on_writable(wsi);
      return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
      return pass_step(wsi);
    case LWS_CALLBACK_CLIENT_RECEIVE:
      if (lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0) received++;
      lws_callback_on_writable(wsi);
      return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
    case LWS_CALLBACK_CLIENT_CLOSED:
      done = 1;
      return 0;
    default:
      return 0;
  }
}

int main(int argc, char **argv) {
  static const struct lws_protocols protocols[] = {{"", on_event, 0, 65536, 0, NULL, 0}, {0}};
  static const struct lws_extension extensions[] = {
      {"permessage-deflate", lws_extension_callback_pm_deflate, "permessage-deflate; client_max_window_bits"}, {0}};
  if (argc != 4 || !read_steps(argv[2])) return 2;

  struct lws_context_creation_info info = {0};
  info.port = CONTEXT_PORT_NO_LISTEN;
  info.protocols = protocols;
  if (atoi(argv[3]) != 0) info.extensions = extensions;
  lws_set_log_level(LLL_ERR | LLL_WARN, NULL);
  struct lws_context *context = lws_create_context(&info);
  if (context == NULL) return 2;

  struct lws_client_connect_info connect = {0};
  connect.context = context;
  connect.address = connect.host = connect.origin = "127.0.0.1";
  connect.port = atoi(argv[1]);
  connect.path = "/";
  if (lws_client_connect_via_info(&connect) == NULL) return 2;
  while (!done && lws_service(context, 0) >= 0) {
  }
  lws_context_destroy(context);
  return 0;
}
