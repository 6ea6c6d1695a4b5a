/* A connection's bytes, read as HTTP/2 and as gRPC in it.
 *
 * The first byte says how the rest is meant: as frames, or as a script whose steps are made into frames (so
 * that most of them are sound, and what is odd is their order and the bytes in them). The same bytes go to
 * two connections, to one of them in small pieces. Must hold: both see the same; a method hears of a call in
 * the order that net/grpc.h says; in the end nothing is left of requests, answers and budgets.
 */
#include "fuzz.h"

#include "net/grpc.h"
#include "net/http2_int.h"

#include <stdio.h>

enum { CALLS_MAX = 512, SCRIPT_STREAMS = 8 };

struct call_state {
    struct grpc_call *call;
    bool closed, gone;
};

/* What one connection has led to. */
static struct {
    struct call_state call[CALLS_MAX];
    size_t call_count;
    struct http_request *held[CALLS_MAX];
    size_t held_count;
    uint64_t requests, messages, bytes, begun, closed, gone, observed;
    uint64_t hash;
} seen;

static struct http_server *server;
static struct budget answers = { .max = 1 << 20 };

static void note(uint64_t what, str bytes) { seen.hash = (seen.hash + what) * 31 + hash_bytes(bytes); }

static struct call_state *state_of(const struct grpc_call *call)
{
    for (size_t i = 0; i < seen.call_count; i++)
        if (seen.call[i].call == call) return &seen.call[i];
    return NULL;
}

static struct call_state *state_new(struct grpc_call *call)
{
    struct call_state *state = state_of(call);
    if (state) return state;
    must(seen.call_count < CALLS_MAX);
    state = &seen.call[seen.call_count++];
    *state = (struct call_state){ .call = call };
    return state;
}

static void forget(struct grpc_call *call)
{
    struct call_state *state = state_of(call);
    if (state) *state = seen.call[--seen.call_count];
}

/* ---- methods ---- */

static void on_begin(struct grpc_call *call, void *context)
{
    (void)context;
    must(!state_of(call));
    state_new(call);
    seen.begun++;
}

static void on_message(struct grpc_call *call, str message, void *context)
{
    (void)context;
    struct call_state *state = state_new(call);
    must(!state->closed && !state->gone);
    seen.messages++;
    seen.bytes += message.n;
    note(1, message);
    char first = message.n ? message.p[0] : 0;
    if (first == 'h') grpc_hold(call);
    if (first == 'g') grpc_go_on(call);
    if (first == 't') grpc_add_trailer(call, STR("x"), STR("y"));
    if (call->method->kind != GRPC_UNARY) (void)grpc_send(call, message);
    if (first == 'k') return; /* Later. */
    if (call->method->kind == GRPC_UNARY) must(grpc_send(call, message));
    if (call->method->kind == GRPC_BIDI && first != 'f') return;
    forget(call);
    grpc_finish(call, first == 'f' ? GRPC_ABORTED : GRPC_OK, message);
}

static void on_closed(struct grpc_call *call, void *context)
{
    (void)context;
    struct call_state *state = state_new(call);
    must(!state->closed && !state->gone);
    state->closed = true;
    seen.closed++;
    if (call->method->kind != GRPC_BIDI) return;
    forget(call);
    grpc_finish(call, GRPC_OK, STR_NONE);
}

static void on_gone(struct grpc_call *call, void *context)
{
    (void)context;
    struct call_state *state = state_of(call);
    must(state && !state->gone && grpc_is_gone(call));
    must(!grpc_send(call, STR("x")));
    state->gone = true;
    seen.gone++;
    if (seen.gone % 2) return; /* Later. */
    forget(call);
    grpc_finish(call, GRPC_CANCELLED, STR_NONE);
}

static const struct grpc_method methods[] = {
    { STR_INIT("t"), STR_INIT("u"), GRPC_UNARY, NULL, on_message, on_closed, on_gone, NULL },
    { STR_INIT("t"), STR_INIT("s"), GRPC_SERVER_STREAM, NULL, on_message, on_closed, on_gone, NULL },
    { STR_INIT("t"), STR_INIT("b"), GRPC_BIDI, on_begin, on_message, on_closed, on_gone, NULL },
};

/* ---- ordinary requests ---- */

static void handle(struct http_request *request, void *context)
{
    (void)context;
    seen.requests++;
    note(2, request->target);
    note(3, request->body);
    for (size_t i = 0; i < request->header_count; i++) {
        note(4, request->header[i].name);
        note(5, request->header[i].value);
    }
    if (grpc_is_call(request)) {
        size_t at = request->path.n ? (size_t)(uint8_t)request->path.p[request->path.n - 1] % 4 : 3;
        if (at < COUNT(methods)) grpc_start(request, &methods[at], server);
        else grpc_refuse(request, NULL, GRPC_UNIMPLEMENTED, request->path);
        return;
    }
    if (request->path.n > 1 && request->path.p[1] == 'h' && seen.held_count < CALLS_MAX)
        seen.held[seen.held_count++] = request;
    else http_respond(request, 200, STR("X-A: b\r\n"), request->body.n ? request->body : request->target);
}

static enum http_verdict gate(struct http_request *request, void *context)
{
    (void)context;
    must(!request->body.n && request->path.n && request->target.n);
    request->known = request->path.n > 1 && request->path.p[1] != 'r' && request->path.p[1] != 's';
    if (grpc_is_call(request)) return HTTP_TAKE_PIECES;
    return request->path.n > 1 && request->path.p[1] == 'r' ? HTTP_TAKE_HEAD : HTTP_TAKE;
}

static void observe(const struct http_request *request, int64_t took_us, void *context)
{
    (void)context;
    (void)took_us;
    must(request->status >= 100);
    seen.observed++;
}

static void open_server(void)
{
    struct error err;
    struct http_server_config config = {
        .host = { "127.0.0.1", 9 },
        .limits = limits_default(),
        .answers = &answers,
        .gate = gate,
        .handler = handle,
        .observer = observe,
        .protocols = protocols_http2,
    };
    config.limits.body_bytes_max = 2000;
    config.limits.message_bytes_max = 1000;
    config.limits.header_bytes_max = 600;
    config.limits.streams_max = 20;
    must(http_server_open(net_loop_new(), &config, &server, &err) == ST_OK);
}

/* ---- the connection ---- */

static void collect(struct connection *connection)
{
    for (struct pieces pieces;;) {
        pieces.count = pieces.bytes = 0;
        if (connection->broken) return;
        http2_protocol.collect(connection, &pieces);
        if (!pieces.bytes) return;
        http2_protocol.written(connection, pieces.bytes);
    }
}

static void give(struct connection *connection, str bytes, size_t step, struct choices *choices)
{
    while (bytes.n && connection->state <= CONNECTION_ENDING && !connection->broken) {
        size_t n = step ? 1 + choose(choices, (uint32_t)step) : bytes.n;
        str piece = fuzz_block(str_slice(bytes, 0, n));
        server->round++;
        n = http2_protocol.take(connection, piece);
        must(n && n <= piece.n);
        fuzz_block_free(piece);
        bytes = str_slice(bytes, n, bytes.n);
    }
    collect(connection);
}

static void end(struct connection *connection)
{
    for (size_t i = 0; i < seen.held_count; i++) http_respond(seen.held[i], 200, STR_NONE, STR("held"));
    collect(connection);
    connection->state = CONNECTION_CLOSED;
    http2_protocol.abandon(connection);
    while (connection->first) exchange_detach(connection->first);
    peer_leave(connection);
    account_unref(connection->peer, 0);
    connection->peer = NULL;
    http2_protocol.closed(connection);
    buf_done(&connection->pending);
    free(connection);
    while (seen.call_count) {
        struct grpc_call *call = seen.call[0].call;
        forget(call);
        grpc_finish(call, GRPC_OK, STR_NONE);
    }
    account_look(server->account, INT64_MAX); /* The peer's bucket would be left to the next run. */
    must(!server->alive && !server->account->known_bytes && !server->account->stranger_bytes);
    must(!answers.used && !server->deadline_count);
}

static struct connection *begin(void)
{
    memset(&seen, 0, sizeof seen);
    struct connection *connection = calloc(1, sizeof *connection);
    must(connection);
    connection->server = server;
    connection->protocol = &http2_protocol;
    const struct sockaddr_in address = { .sin_family = AF_INET };
    peer_enter(account_peer(server->account, (const struct sockaddr *)&address), connection);
    connection->pumping = true; /* Nobody else flushes it. */
    http2_protocol.opened(connection);
    return connection;
}

/* ---- scripts ---- */

static void add_frame(struct buf *out, uint8_t type, uint8_t flags, uint32_t stream_id, str payload)
{
    const uint8_t head[9] = {
        (uint8_t)(payload.n >> 16), (uint8_t)(payload.n >> 8), (uint8_t)payload.n, type, flags, 0, 0,
        (uint8_t)(stream_id >> 8),  (uint8_t)stream_id
    };
    buf_add(out, head, sizeof head);
    buf_add_str(out, payload);
}

/* Literal fields, and nothing in the dynamic table. */
static void add_field(struct buf *block, str name, str value)
{
    buf_add_char(block, 0);
    buf_add_char(block, (char)name.n);
    buf_add_str(block, name);
    buf_add_char(block, (char)value.n);
    buf_add_str(block, value);
}

static str take_some(str *rest, size_t most)
{
    size_t n = rest->n ? (uint8_t)rest->p[0] % (most + 1) : 0;
    *rest = str_slice(*rest, 1, rest->n);
    str some = str_slice(*rest, 0, n);
    *rest = str_slice(*rest, n, rest->n);
    return some;
}

static void add_head(struct buf *out, uint8_t step, uint32_t stream_id, str *rest)
{
    static const str paths[] = { STR_INIT("/x/t"),  STR_INIT("/x/u"),    STR_INIT("/x/v"), STR_INIT("/x/w"),
                                 STR_INIT("/hold"), STR_INIT("/refuse"), STR_INIT("/echo") };
    struct buf block;
    buf_init(&block, NULL);
    buf_add_str(&block, STR("\x83\x86")); /* POST, http */
    add_field(&block, STR(":path"), paths[step % COUNT(paths)]);
    add_field(&block, STR(":authority"), STR("a"));
    add_field(&block, STR("te"), STR("trailers"));
    if (step % COUNT(paths) < 4) add_field(&block, STR("content-type"), STR("application/grpc"));
    if (step & 0x40) add_field(&block, STR("grpc-timeout"), take_some(rest, 9));
    if (step & 0x20) add_field(&block, take_some(rest, 20), take_some(rest, 20));
    add_frame(out, NGHTTP2_HEADERS, (uint8_t)(4 | (step & 0x80 ? 1 : 0)), stream_id, buf_str(&block));
    buf_done(&block);
}

static void add_message(struct buf *out, uint8_t flags, uint32_t stream_id, str message)
{
    struct buf frame;
    buf_init(&frame, NULL);
    buf_add_str(&frame, STR("\0\0\0\0"));
    buf_add_char(&frame, (char)message.n);
    buf_add_str(&frame, message);
    add_frame(out, NGHTTP2_DATA, flags, stream_id, buf_str(&frame));
    buf_done(&frame);
}

static void add_script(struct buf *out, str rest)
{
    uint32_t next = 1;
    while (rest.n >= 2 && next < 200) {
        uint8_t step = (uint8_t)rest.p[0], which = (uint8_t)rest.p[1];
        rest = str_slice(rest, 2, rest.n);
        uint32_t id = next > 1 ? next - 2 - 2 * (which % SCRIPT_STREAMS) % next : 1;
        uint8_t ends = which & 0x80 ? NGHTTP2_FLAG_END_STREAM : 0;
        switch (step % 9) {
        case 0:
        case 1: add_head(out, which, next, &rest), next += 2; break;
        case 2:
        case 3: add_message(out, ends, id | 1, take_some(&rest, 100)); break;
        case 4: add_frame(out, NGHTTP2_DATA, ends, id | 1, take_some(&rest, 250)); break;
        case 5: add_frame(out, NGHTTP2_RST_STREAM, 0, id | 1, STR("\0\0\0\x8")); break;
        case 6: add_frame(out, NGHTTP2_PING, 0, 0, STR("12345678")); break;
        case 7: add_frame(out, NGHTTP2_WINDOW_UPDATE, 0, which & 1 ? id | 1 : 0, STR("\0\0\1\0")); break;
        default:
            add_frame(out, NGHTTP2_SETTINGS, 0, 0, which & 1 ? STR("\0\4\0\0\0\3") : STR("\0\4\0\1\0\0"));
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (!server) open_server();
    str rest = { (const char *)data + 1, size - 1 };
    struct choices choices = choices_from(STR_NONE, rest);
    struct buf bytes;
    buf_init(&bytes, NULL);
    buf_add_str(&bytes, (str){ NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN });
    add_frame(&bytes, NGHTTP2_SETTINGS, 0, 0, STR(""));
    if (data[0] & 1) add_script(&bytes, rest);
    else buf_add_str(&bytes, rest);

    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        struct connection *connection = begin();
        give(connection, buf_str(&bytes), i ? 1 + data[0] / 2u : 0, &choices);
        note(6, (str){ (const char *)&seen.requests,
                       offsetof(typeof(seen), observed) - offsetof(typeof(seen), requests) });
        hash[i] = seen.hash;
        end(connection);
    }
    must(hash[0] == hash[1]);
    buf_done(&bytes);
    return 0;
}
