/* A server and a client of HTTP/2 in one thread, with memory between them instead of sockets.
 *
 * The server's connection is made by hand: nothing is read or written but what pair_exchange() carries over,
 * in pieces of `step` bytes. The handler is that of live.h, with one path more:
 *
 *     /pieces     HTTP_TAKE_PIECES: the answer is a stream; each piece of the body is answered with its
 *                 length and a dot, the end with "end" and, as a trailer, "x-pieces: N"
 *
 * Calls of gRPC go to the method of pair->methods whose name ends the path.
 */
#ifndef TESTS_NET_HTTP2_PAIR_H
#define TESTS_NET_HTTP2_PAIR_H

#include "net/grpc.h"
#include "net/http2_int.h"

#include "live.h"

enum { REPLIES_MAX = 4096 };

struct reply {
    int status;
    struct buf head, body, trailers; /* Lines; bytes; lines. */
    bool closed;
    uint32_t code;    /* Of RST_STREAM, once it is closed. */
    const char *send; /* The request's body, */
    size_t send_left;
    bool send_open; /* which goes on later. */
};

struct pair {
    struct live live;
    struct connection *connection;
    nghttp2_session *client;
    size_t step; /* 0: all at once. */
    bool goaway;
    uint32_t goaway_code;
    int32_t goaway_last;
    size_t pings;                    /* That the client has got. */
    struct reply reply[REPLIES_MAX]; /* By half of the stream's id. */
    size_t pieces;                   /* That /pieces has got. */
    bool hold_pieces;
    struct http_request *piece_request;
    size_t consumed; /* By a client that gives its windows back itself. */
    int gone;        /* How often on_gone was called. */
    const struct grpc_method *methods;
    size_t method_count;
};

static inline struct reply *reply_of(struct pair *pair, int32_t stream_id)
{
    assert_true(stream_id / 2 < REPLIES_MAX);
    return &pair->reply[stream_id / 2];
}

/* ---- the server's side ---- */

static inline bool pair_piece(str piece, void *user)
{
    struct pair *pair = user;
    struct http_request *request = pair->piece_request;
    if (!piece.n) {
        http_stream_write(request, STR("end"));
        http_stream_end_with_trailers(
            request, arena_printf(request->arena, "X-Pieces: %zu\r\nx-other:  a b \r\n", pair->pieces));
        pair->piece_request = NULL;
        return true;
    }
    pair->pieces++;
    http_stream_write(request, arena_printf(request->arena, "%zu.", piece.n));
    if (pair->hold_pieces) http_hold_body(request, true);
    return true;
}

static inline void pair_gone(void *user)
{
    struct pair *pair = user;
    pair->gone++;
    if (pair->piece_request) http_stream_end(pair->piece_request);
    pair->piece_request = NULL;
}

static inline void pair_call(struct pair *pair, struct http_request *request)
{
    for (size_t i = 0; i < pair->method_count; i++)
        if (str_ends(request->path, pair->methods[i].name)) {
            grpc_start(request, &pair->methods[i], pair);
            return;
        }
    grpc_refuse(request, NULL, GRPC_UNIMPLEMENTED, request->path);
}

static inline void pair_handle(struct http_request *request, void *context)
{
    struct pair *pair = context;
    if (grpc_is_call(request)) {
        pair_call(pair, request);
        return;
    }
    if (!str_equal(request->path, STR("/pieces"))) {
        live_handle(request, &pair->live);
        return;
    }
    pair->piece_request = request;
    pair->pieces = 0;
    request->user = pair;
    request->on_piece = pair_piece;
    request->on_gone = pair_gone;
    http_stream_begin(request, 200, STR("Content-Type: text/plain\r\n"));
}

static inline enum http_verdict pair_gate(struct http_request *request, void *context)
{
    struct pair *pair = context;
    enum http_verdict verdict = live_gate(request, &pair->live);
    bool pieces = str_equal(request->path, STR("/pieces")) || grpc_is_call(request);
    return pieces ? HTTP_TAKE_PIECES : verdict;
}

static inline void pair_observe(const struct http_request *request, int64_t took_us, void *context)
{
    struct pair *pair = context;
    live_observe(request, took_us, &pair->live);
}

/* ---- the client's side ---- */

static inline int pair_on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                                 size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags,
                                 void *user)
{
    (void)session;
    (void)flags;
    struct reply *reply = reply_of(user, frame->hd.stream_id);
    str field = { (const char *)name, name_bytes };
    if (str_equal(field, STR(":status"))) reply->status = atoi((const char *)value);
    struct buf *out = frame->headers.cat == NGHTTP2_HCAT_HEADERS && reply->status >= 200 &&
                              field.p[0] != ':' && reply->head.n && reply->body.cap
                          ? &reply->trailers
                          : &reply->head;
    buf_printf(out, "%.*s: %.*s\n", STR_ARG(field), (int)value_bytes, (const char *)value);
    return 0;
}

static inline int pair_on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id,
                               const uint8_t *bytes, size_t n, void *user)
{
    (void)session;
    (void)flags;
    buf_add(&reply_of(user, stream_id)->body, bytes, n);
    return 0;
}

static inline int pair_on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct pair *pair = user;
    (void)session;
    if (frame->hd.type == NGHTTP2_DATA) buf_reserve(&reply_of(pair, frame->hd.stream_id)->body, 1);
    if (frame->hd.type == NGHTTP2_PING && !(frame->hd.flags & NGHTTP2_FLAG_ACK)) pair->pings++;
    if (frame->hd.type != NGHTTP2_GOAWAY) return 0;
    pair->goaway = true;
    pair->goaway_code = frame->goaway.error_code;
    pair->goaway_last = frame->goaway.last_stream_id;
    return 0;
}

static inline int pair_on_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *user)
{
    (void)session;
    struct reply *reply = reply_of(user, stream_id);
    reply->closed = true;
    reply->code = code;
    return 0;
}

static inline ssize_t pair_read(nghttp2_session *session, int32_t stream_id, uint8_t *bytes, size_t max,
                                uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct reply *reply = reply_of(user, stream_id);
    (void)session;
    (void)source;
    size_t n = reply->send_left < max ? reply->send_left : max;
    if (!n && reply->send_open) return NGHTTP2_ERR_DEFERRED;
    if (n) memcpy(bytes, reply->send, n);
    reply->send += n;
    reply->send_left -= n;
    if (!reply->send_left && !reply->send_open) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static inline void pair_make_client(struct pair *pair, bool own_windows)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *options;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, pair_on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, pair_on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, pair_on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, pair_on_close);
    nghttp2_option_new(&options);
    nghttp2_option_set_no_auto_window_update(options, own_windows);
    nghttp2_option_set_no_http_messaging(options, 1); /* It may send what it likes. */
    assert_int_equal(nghttp2_session_client_new2(&pair->client, callbacks, pair, options), 0);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, NULL, 0);
}

/* `own_windows`: the client gives no window back by itself. */
static inline struct pair *pair_new(const struct limits *limits, bool own_windows)
{
    struct pair *pair = calloc(1, sizeof *pair);
    struct live *live = &pair->live;
    live->grace_ms = PATIENCE_S * 1000;
    sem_init(&live->gone, 0, 0);
    sem_init(&live->received, 0, 0);
    sem_init(&live->drained, 0, 0);
    live->loop = net_loop_new();
    const struct http_server_config config = {
        .host = { "127.0.0.1", 9 },
        .limits = limits ? *limits : limits_default(),
        .answers = &live->answers,
        .gate = pair_gate,
        .handler = pair_handle,
        .observer = pair_observe,
        .refusal_headers = live_refusal_headers,
        .context = pair,
        .protocols = protocols_http2,
    };
    live->answers.max = config.limits.answers_bytes_max;
    struct error err;
    assert_int_equal(http_server_open(live->loop, &config, &live->server, &err), ST_OK);
    pair->connection = calloc(1, sizeof *pair->connection);
    pair->connection->server = live->server;
    pair->connection->protocol = &http2_protocol;
    const struct sockaddr_in address = { .sin_family = AF_INET };
    peer_enter(account_peer(live->server->account, (const struct sockaddr *)&address), pair->connection);
    pair->connection->pumping = true; /* Nobody flushes it but pair_exchange(). */
    http2_protocol.opened(pair->connection);
    pair_make_client(pair, own_windows);
    return pair;
}

/* As connection_close() would do it. */
static inline void pair_hang_up(struct pair *pair)
{
    struct connection *connection = pair->connection;
    if (!connection) return;
    connection->state = CONNECTION_CLOSED;
    http2_protocol.abandon(connection);
    while (connection->first) exchange_detach(connection->first);
    peer_leave(connection);
    account_unref(connection->peer, 0);
    connection->peer = NULL;
    http2_protocol.closed(connection);
    buf_done(&connection->pending);
    free(connection);
    pair->connection = NULL;
}

static inline void pair_free(struct pair *pair)
{
    pair_hang_up(pair);
    nghttp2_session_del(pair->client);
    http_server_free(pair->live.server);
    assert_int_equal(pair->live.answers.used, 0);
    net_loop_free(pair->live.loop);
    for (size_t i = 0; i < REPLIES_MAX; i++) {
        buf_done(&pair->reply[i].head);
        buf_done(&pair->reply[i].body);
        buf_done(&pair->reply[i].trailers);
    }
    free(pair);
}

/* Gives bytes to the server, as its socket would; each piece in a round of its own. */
static inline void pair_give(struct pair *pair, str bytes)
{
    while (bytes.n && pair->connection->state <= CONNECTION_ENDING && !pair->connection->broken) {
        size_t n = pair->step && pair->step < bytes.n ? pair->step : bytes.n;
        pair->live.server->round++;
        size_t used = http2_protocol.take(pair->connection, (str){ bytes.p, n });
        assert_true(used > 0 && used <= n);
        bytes = str_slice(bytes, used, bytes.n);
    }
}

/* Carries over what the server has to say. False: nothing. */
static inline bool pair_hear(struct pair *pair)
{
    struct pieces pieces = { .count = 0 };
    if (pair->connection->broken) return false;
    http2_protocol.collect(pair->connection, &pieces);
    for (size_t i = 0; i < pieces.count; i++)
        assert_int_equal(nghttp2_session_mem_recv(pair->client, (const uint8_t *)pieces.piece[i].base,
                                                  pieces.piece[i].len),
                         pieces.piece[i].len);
    http2_protocol.written(pair->connection, pieces.bytes);
    return pieces.bytes > 0;
}

static inline bool pair_speak(struct pair *pair)
{
    const uint8_t *bytes;
    bool spoke = false;
    for (ssize_t n; (n = nghttp2_session_mem_send(pair->client, &bytes)) > 0; spoke = true)
        pair_give(pair, (str){ (const char *)bytes, (size_t)n });
    return spoke;
}

/* Until both are silent. */
static inline void pair_exchange(struct pair *pair)
{
    for (bool goes_on = true; goes_on;) {
        goes_on = pair_speak(pair);
        goes_on |= pair_hear(pair);
    }
}

#define FIELD(name, value)                                                                          \
    (nghttp2_nv)                                                                                    \
    {                                                                                               \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), strlen(name), strlen(value), 0 \
    }

static inline int32_t pair_submit(struct pair *pair, const nghttp2_nv *field, size_t count, const char *body,
                                  size_t body_bytes, bool open)
{
    const nghttp2_data_provider provider = { .read_callback = pair_read };
    bool has_body = body || open;
    int32_t id = nghttp2_submit_request(pair->client, NULL, field, count, has_body ? &provider : NULL, NULL);
    assert_true(id > 0);
    struct reply *reply = reply_of(pair, id);
    reply->send = body;
    reply->send_left = body ? body_bytes : 0;
    reply->send_open = open;
    return id;
}

/* Sends a request; its answer is in reply_of() after pair_exchange(). */
static inline int32_t pair_ask(struct pair *pair, const char *method, const char *path, const char *body)
{
    const nghttp2_nv field[] = { FIELD(":method", method), FIELD(":scheme", "http"), FIELD(":path", path),
                                 FIELD(":authority", "a") };
    return pair_submit(pair, field, COUNT(field), body, body ? strlen(body) : 0, false);
}

static inline int32_t pair_open(struct pair *pair, const char *path)
{
    const nghttp2_nv field[] = { FIELD(":method", "POST"), FIELD(":scheme", "http"), FIELD(":path", path),
                                 FIELD(":authority", "a") };
    return pair_submit(pair, field, COUNT(field), NULL, 0, true);
}

/* The next bytes of an open request; `ends`: its last. They are borrowed until they are sent. */
static inline void pair_send(struct pair *pair, int32_t id, str bytes, bool ends)
{
    struct reply *reply = reply_of(pair, id);
    assert_int_equal(reply->send_left, 0);
    reply->send = bytes.p;
    reply->send_left = bytes.n;
    reply->send_open = !ends;
    nghttp2_session_resume_data(pair->client, id);
}

static inline void assert_reply(struct pair *pair, int32_t id, int status, const char *body)
{
    struct reply *reply = reply_of(pair, id);
    if (reply->status != status || !str_equal(buf_str(&reply->body), str_of(body)))
        fail_msg("stream %d: %d \"%.*s\" instead of %d \"%s\"", id, reply->status,
                 STR_ARG(buf_str(&reply->body)), status, body);
    assert_true(reply->closed);
    assert_int_equal(reply->code, NGHTTP2_NO_ERROR);
}

/* Lets the loop and the server's clock go on until the condition holds. */
#define pair_until(pair, condition)                                        \
    do {                                                                   \
        for (int rounds_ = 0; !(condition); rounds_++) {                   \
            if (rounds_ > PATIENCE_S * 1000) fail_msg("not: " #condition); \
            usleep(1000);                                                  \
            uv_run(net_loop_uv((pair)->live.loop), UV_RUN_NOWAIT);         \
            uv_update_time(net_loop_uv((pair)->live.loop));                \
            http2_protocol.look((pair)->connection);                       \
            pair_exchange(pair);                                           \
        }                                                                  \
    } while (0)

#endif
