/* net/http2.c — HTTP/2: the session of a connection.
 *
 *     take()      bytes go to nghttp2, whose callbacks make requests of them (http2_request.c)
 *     collect()   nghttp2 makes frames of the answers (http2_answer.c)
 *     look()      a few times per timeout: bodies that do not come, answers that nobody reads, clients
 *                 that are silent
 *
 * An error in one stream ends that stream; nghttp2 decides which errors end the connection, and says why in
 * GOAWAY. Then, and when the client has said goodbye and nothing is left to do, the session is over
 * (end_if_over()).
 *
 * Draining: GOAWAY names the last request that counts, so clients send the others elsewhere. The ones that
 * count are answered within the grace time of the server.
 */
#include "net/http2_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <stdlib.h>

enum {
    STREAM_WINDOW_BYTES = 256 << 10,
    CONNECTION_WINDOW_BYTES = 4 << 20,
    SILENT_MS = 30000,          /* A client with requests in flight is asked whether it is still there, */
    PING_ANSWER_MS = 20000,     /* and has so long to answer. */
    BUSY_READ_MS = 5000,        /* While answers fill their budget, slower clients lose theirs, */
    BUSY_BYTES_MIN = 64 << 10,  /* if that frees this much. */
    OUTBOUND_ACKS = 4096,       /* nghttp2 would stop before the flood is noticed here. */
    FRAMES_PER_STREAM = 4,      /* A head, trailers, a window and a reset may wait at the same time. */
    KNOWN_STEP_BYTES = 4 << 10, /* Taken before it is asked whether the connection's turn is over, */
    STRANGER_STEP_BYTES = 512,  /* and the same for strangers. */
};

/* ---- nghttp2's callbacks ---- */

static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *frame, void *user)
{
    (void)session;
    (void)http2_flood_frame(user, frame);
    return 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2 *http2 = user;
    (void)session;
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) http2_request_begin(http2, frame->hd.stream_id);
    return 0;
}

/* Trailers are dropped. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags, void *user)
{
    struct http2 *http2 = user;
    struct http2_head *head = &http2->head;
    (void)session;
    (void)flags;
    if (!head->exchange || head->exchange->stream_id != (uint32_t)frame->hd.stream_id) return 0;
    http2_head_field(head, &http2->connection->server->config.limits, (str){ (const char *)name, name_bytes },
                     (str){ (const char *)value, value_bytes });
    if (head->bytes <= HEAD_EXCESS_BYTES_MAX) return 0;
    http2_calm(http2);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* The rest is not shown any more. */
}

/* nghttp2 would leave the field out, and we would see another request than the client believes to have sent.
 */
static int on_invalid_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                             size_t name_bytes, const uint8_t *value, size_t value_bytes, uint8_t flags,
                             void *user)
{
    (void)session;
    (void)frame;
    (void)name;
    (void)name_bytes;
    (void)value;
    (void)value_bytes;
    (void)flags;
    (void)user;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct http2 *http2 = user;
    (void)session;
    bool ends = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        http2_request_head(http2, ends);
    } else if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) && ends) {
        struct exchange *exchange = http2_exchange(http2, frame->hd.stream_id);
        if (exchange) http2_request_end(http2, exchange);
    }
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *bytes, size_t n,
                   void *user)
{
    struct http2 *http2 = user;
    struct exchange *exchange = http2_exchange(http2, stream_id);
    (void)flags;
    if (exchange) http2_request_body(http2, exchange, (str){ (const char *)bytes, n });
    else nghttp2_session_consume(session, stream_id, n); /* It has its answer already. */
    return 0;
}

static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    (void)session;
    http2_answer_sent(user, frame);
    return 0;
}

static int on_stream_closed(nghttp2_session *session, int32_t stream_id, uint32_t code, void *user)
{
    struct http2 *http2 = user;
    struct exchange *exchange = http2_exchange(http2, stream_id);
    (void)code;
    http2_answer_forget(http2, stream_id);
    if (!exchange) return 0;
    nghttp2_session_set_stream_user_data(session, stream_id, NULL);
    http2_request_gone(http2, exchange);
    return 0;
}

/* ---- beginning and end ---- */

static enum protocol_match recognise(str first_bytes)
{
    str preface = { NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN };
    size_t n = first_bytes.n < preface.n ? first_bytes.n : preface.n;
    if (memcmp(first_bytes.p, preface.p, n) != 0) return MATCH_NO;
    return n < preface.n ? MATCH_NEEDS_MORE : MATCH_YES;
}

static nghttp2_session_callbacks *callbacks_new(void)
{
    nghttp2_session_callbacks *callbacks;
    must(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_closed);
    return callbacks;
}

static nghttp2_option *options_new(void)
{
    nghttp2_option *options;
    must(nghttp2_option_new(&options) == 0);
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_option_set_no_closed_streams(options, 1);
    nghttp2_option_set_max_outbound_ack(options, OUTBOUND_ACKS);
    /* http2_flood.c counts these itself, and says what is wrong. nghttp2 counts each byte of a frame's head
     * if the bytes come one by one. */
    nghttp2_option_set_max_continuations(options, UINT32_MAX);
    nghttp2_option_set_stream_reset_rate_limit(options, UINT32_MAX, UINT32_MAX);
    return options;
}

static void opened(struct connection *connection)
{
    const struct limits *limits = &connection->server->config.limits;
    struct http2 *http2 = calloc(1, sizeof *http2);
    must(http2);
    connection->session = http2;
    http2->connection = connection;
    http2->heard_ms = server_now(connection->server);
    nghttp2_session_callbacks *callbacks = callbacks_new();
    nghttp2_option *options = options_new();
    must(nghttp2_session_server_new2(&http2->session, callbacks, http2, options) == 0);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, (uint32_t)limits->streams_max },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES },
        { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)limits->header_bytes_max },
        { NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1 },
    };
    must(nghttp2_submit_settings(http2->session, NGHTTP2_FLAG_NONE, settings, COUNT(settings)) == 0);
    must(nghttp2_session_set_local_window_size(http2->session, NGHTTP2_FLAG_NONE, 0,
                                               CONNECTION_WINDOW_BYTES) == 0);
    connection_mark_dirty(connection);
}

static void closed(struct connection *connection)
{
    struct http2 *http2 = http2_of(connection);
    budget_add(connection->server->config.answers, -http2->out_budget_bytes);
    nghttp2_session_del(http2->session);
    buf_done(&http2->out);
    free(http2);
}

static void abandon(struct connection *connection)
{
    struct http2 *http2 = http2_of(connection);
    while (http2->first) {
        struct exchange *exchange = http2->first;
        nghttp2_session_set_stream_user_data(http2->session, (int32_t)exchange->stream_id, NULL);
        http2_request_gone(http2, exchange);
    }
}

/* Nothing can be read any more, and nothing is to be written. */
static void end_if_over(struct connection *connection)
{
    struct http2 *http2 = http2_of(connection);
    if (nghttp2_session_want_read(http2->session) || nghttp2_session_want_write(http2->session)) return;
    while (connection->first) {
        struct exchange *exchange = connection->first;
        nghttp2_session_set_stream_user_data(http2->session, (int32_t)exchange->stream_id, NULL);
        exchange_detach(exchange);
    }
    if (connection->state == CONNECTION_OPEN) connection_end_after_answers(connection);
}

/* ---- reading ---- */

static bool wants(const struct connection *connection) { return !pace_is_over(connection); }

/* Each request is judged on its way, and its turn may be over behind it: so the bytes are taken in steps. */
static size_t take_steps(struct http2 *http2, str bytes)
{
    struct connection *connection = http2->connection;
    size_t at = 0;
    while (at < bytes.n && !http2->calmed && !(connection->state == CONNECTION_OPEN && !wants(connection))) {
        size_t step = connection->known ? KNOWN_STEP_BYTES : STRANGER_STEP_BYTES;
        size_t n = bytes.n - at < step ? bytes.n - at : step;
        if (nghttp2_session_mem_recv(http2->session, (const uint8_t *)bytes.p + at, n) < 0) {
            connection->broken = true; /* No HTTP/2 at all, or a flood of its own kind. */
            return bytes.n;
        }
        at += n;
    }
    return http2->calmed ? bytes.n : at;
}

static int64_t bytes_of(const struct connection *connection)
{
    const struct http2 *http2 = http2_of(connection);
    size_t frames = nghttp2_session_get_outbound_queue_size(http2->session);
    return HTTP2_SESSION_BYTES + (int64_t)http2->out.cap + (int64_t)frames * HTTP2_FRAME_BYTES;
}

static size_t take(struct connection *connection, str bytes)
{
    struct http2 *http2 = http2_of(connection);
    http2->heard_ms = server_now(connection->server);
    http2->pinged = false;
    size_t n = take_steps(http2, bytes);
    if (http2->head.exchange) intake_head(http2->head.exchange);
    /* A client that reads nothing may still make us answer frames, and no flood is noticed until the answers
     * are sent. */
    size_t useful = (size_t)connection->server->config.limits.streams_max * FRAMES_PER_STREAM;
    if (nghttp2_session_get_outbound_queue_size(http2->session) > OUTBOUND_FRAMES_MAX + useful)
        connection->broken = true;
    return n;
}

static enum connection_phase phase(const struct connection *connection)
{
    const struct http2 *http2 = http2_of(connection);
    if (http2->head.exchange) return PHASE_HEAD;
    return http2->first || connection->first ? PHASE_WAIT : PHASE_IDLE;
}

/* ---- what does not come, and what nobody takes ---- */

static void look_at_bodies(struct http2 *http2)
{
    const struct limits *limits = &http2->connection->server->config.limits;
    int64_t now_us = clock_monotonic_us();
    for (struct exchange *exchange = http2->first, *next; exchange; exchange = next) {
        next = exchange->next;
        if (exchange == http2->head.exchange) continue;
        if (now_us - exchange->request.began_us > limits->body_timeout_ms * 1000)
            http2_request_refuse(http2, exchange, REFUSE_SLOW_BODY);
    }
}

/* Whether the client leaves its answer unread for too long, or while others cannot get theirs. The end of an
 * answer needs a window, too, even if no byte is left. */
static bool is_late(struct exchange *exchange, int64_t now)
{
    const struct http_server_config *config = &exchange->server->config;
    bool waits = exchange->state == ANSWER_COMPLETE || http_stream_behind(&exchange->request);
    if (exchange->given_up || !waits) return false;
    if (!exchange->behind_since_ms) exchange->behind_since_ms = now;
    int64_t ms = now - exchange->behind_since_ms;
    bool in_the_way = exchange->answer_bytes >= BUSY_BYTES_MIN && budget_over(config->answers);
    return ms >= config->limits.write_timeout_ms || (in_the_way && ms >= BUSY_READ_MS);
}

static void look_at_answers(struct connection *connection, int64_t now)
{
    for (struct exchange *exchange = connection->first; exchange; exchange = exchange->next) {
        if (!is_late(exchange, now)) continue;
        exchange->given_up = true;
        http2_give_up(exchange);
    }
}

/* A client whose machine has lost its power closes nothing. */
static void look_for_life(struct http2 *http2, int64_t now)
{
    struct connection *connection = http2->connection;
    int64_t silent = now - http2->heard_ms;
    if (!connection->first || silent < SILENT_MS) return;
    if (http2->pinged && silent >= SILENT_MS + PING_ANSWER_MS) connection->broken = true;
    if (http2->pinged) return;
    http2->pinged = true;
    nghttp2_submit_ping(http2->session, NGHTTP2_FLAG_NONE, NULL);
}

static void look(struct connection *connection)
{
    struct http2 *http2 = http2_of(connection);
    int64_t now = server_now(connection->server);
    look_at_bodies(http2);
    look_at_answers(connection, now);
    look_for_life(http2, now);
    http2_answer_look(http2, now);
    if (nghttp2_session_want_write(http2->session) || connection->broken) connection_mark_dirty(connection);
}

static void goodbye(struct connection *connection, uint32_t code)
{
    struct http2 *http2 = http2_of(connection);
    nghttp2_submit_goaway(http2->session, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(http2->session), code, NULL, 0);
}

static void refuse(struct connection *connection, enum refusal refusal)
{
    bool crowded = refusal == REFUSE_CROWDED || refusal == REFUSE_BUSY;
    goodbye(connection, crowded ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_NO_ERROR);
    connection_end_after_answers(connection);
}

static void timed_out(struct connection *connection, enum connection_phase late)
{
    (void)late;
    refuse(connection, REFUSE_SLOW_HEAD);
}

/* dispatch() of http2_request.c ends the connection behind the last request that is arriving. */
static bool drain(struct connection *connection)
{
    goodbye(connection, NGHTTP2_NO_ERROR);
    connection_mark_dirty(connection);
    return !http2_of(connection)->first;
}

/* ---- writing ---- */

static void collect(struct connection *connection, struct pieces *pieces)
{
    struct http2 *http2 = http2_of(connection);
    if (!http2_answer_fill(http2)) {
        connection->broken = true;
        return;
    }
    http2_request_pay(http2);
    end_if_over(connection);
    pieces_add(pieces, str_slice(buf_str(&http2->out), http2->sent, http2->out.n));
}

static void written(struct connection *connection, size_t bytes)
{
    struct http2 *http2 = http2_of(connection);
    must(bytes <= http2->out.n - http2->sent);
    http2->sent += bytes;
    http2_answer_count(http2);
}

const struct protocol http2_protocol = {
    .name = STR_INIT("h2"),
    .recognise = recognise,
    .opened = opened,
    .closed = closed,
    .wants = wants,
    .take = take,
    .bytes = bytes_of,
    .reads_to_end = true,
    .phase = phase,
    .timed_out = timed_out,
    .abandon = abandon,
    .drain = drain,
    .look = look,
    .refuse = refuse,
    .respond = http2_respond,
    .stream_begin = http2_stream_begin,
    .stream_add = http2_stream_add,
    .stream_end = http2_stream_end,
    .give_up = http2_give_up,
    .hold = http2_request_hold,
    .collect = collect,
    .written = written,
};
