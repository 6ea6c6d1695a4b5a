/* net/http2_answer.c — answers in HTTP/2: heads and bodies to frames, frames to the socket.
 *
 * An answer is handed to nghttp2 when it is given. nghttp2 asks for its bytes when the windows have room for
 * them, stream by stream, and the frames go into `out`, which the socket empties. An answer is finished when
 * its last frame is in `out`. Bytes that the socket does not take stay there, are bounded, and count as bytes
 * that the client has not read.
 */
#include "net/http2_int.h"

#include "base/ascii.h"
#include "base/must.h"

#include <stdio.h>

enum {
    OUT_KEPT_BYTES = 4 << 10, /* A larger buffer is freed when it is empty. */
    DATE_AT = 6,              /* "Date: " */
    LATE_MS = 1000,           /* A client may go on sending behind its answer. */
};

/* ---- heads ---- */

struct http2_fields {
    nghttp2_nv field[ANSWER_FIELDS_MAX];
    size_t count;
};

/* Names and values are not copied: they live in the answer's arena or for ever. */
static void add_field(struct http2_fields *fields, str name, str value)
{
    must(fields->count < ANSWER_FIELDS_MAX);
    union {
        const char *in;
        uint8_t *out;
    } from = { .in = name.p }, to = { .in = value.p };
    fields->field[fields->count++] =
        (nghttp2_nv){ from.out, to.out, name.n, value.n,
                      NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE };
}

/* Lines as HTTP/1.1 has them. Names are in lower case here. */
static void add_lines(struct http2_fields *fields, struct exchange *exchange, str lines)
{
    if (!lines.n) return;
    char *copy = arena_alloc(respond_arena(exchange), lines.n);
    memcpy(copy, lines.p, lines.n);
    for (char *p = copy, *end = copy + lines.n; p < end;) {
        char *line = p;
        while (p < end && *p != ':') *p = ascii_lower(*p), p++;
        str name = { line, (size_t)(p - line) };
        char *stop = memchr(p, '\r', (size_t)(end - p));
        must(stop && p < stop);
        str value = str_trim((str){ p + 1, (size_t)(stop - p - 1) });
        add_field(fields, name, value.n ? value : STR(""));
        p = stop + 2;
    }
}

static void add_status(struct http2_fields *fields, struct exchange *exchange, int status)
{
    if (status == 200) add_field(fields, STR(":status"), STR("200"));
    else add_field(fields, STR(":status"), arena_printf(respond_arena(exchange), "%d", status));
}

static void add_date(struct http2_fields *fields, struct exchange *exchange)
{
    if (exchange->bare) return;
    str line = respond_date_line(exchange->server);
    add_field(fields, STR("date"), str_slice(line, DATE_AT, line.n - 2));
}

void http2_answer_continue(struct http2 *http2, int32_t stream_id)
{
    struct http2_fields fields = { .count = 0 };
    add_field(&fields, STR(":status"), STR("100"));
    nghttp2_submit_headers(http2->session, NGHTTP2_FLAG_NONE, stream_id, NULL, fields.field, fields.count,
                           NULL);
}

/* ---- bodies ---- */

static void submit_trailers(struct http2 *http2, struct exchange *exchange)
{
    struct http2_fields fields = { .count = 0 };
    add_lines(&fields, exchange, exchange->trailers);
    nghttp2_submit_trailer(http2->session, (int32_t)exchange->stream_id, fields.field, fields.count);
}

static size_t take_bytes(struct exchange *exchange, char *to, size_t max)
{
    size_t n = 0;
    while (n < max) {
        respond_refill(exchange);
        str *left = &exchange->body_left;
        size_t part = left->n < max - n ? left->n : max - n;
        if (!part) break;
        memcpy(to + n, left->p, part);
        n += part;
        left->p += part;
        left->n -= part;
    }
    return n;
}

/* nghttp2 asks for the next bytes of an answer. */
static ssize_t read_answer(nghttp2_session *session, int32_t stream_id, uint8_t *bytes, size_t max,
                           uint32_t *flags, nghttp2_data_source *source, void *user)
{
    struct http2 *http2 = user;
    struct exchange *exchange = source->ptr;
    (void)session;
    (void)stream_id;
    size_t n = take_bytes(exchange, (char *)bytes, max);
    bool empty = !exchange->body_left.n && !exchange->stream.n;
    if (n) exchange->moved = http2->moved = true;
    if (n) http2_flood_useful(http2);
    if (empty) exchange->behind_since_ms = 0;
    if (empty && exchange->state == ANSWER_COMPLETE) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (exchange->trailers.n) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            submit_trailers(http2, exchange);
        }
        return (ssize_t)n;
    }
    if (n) return (ssize_t)n;
    exchange->deferred = true;
    return NGHTTP2_ERR_DEFERRED;
}

static void submit(struct exchange *exchange, const struct http2_fields *fields, bool has_body)
{
    struct http2 *http2 = http2_of(exchange->connection);
    const nghttp2_data_provider provider = { .source.ptr = exchange, .read_callback = read_answer };
    nghttp2_submit_response(http2->session, (int32_t)exchange->stream_id, fields->field, fields->count,
                            has_body ? &provider : NULL);
}

void http2_respond(struct exchange *exchange, int status, str headers, str body)
{
    struct http2_fields fields = { .count = 0 };
    add_status(&fields, exchange, status);
    add_lines(&fields, exchange, headers);
    if (respond_has_body(status) && !exchange->bare)
        add_field(&fields, STR("content-length"), arena_printf(respond_arena(exchange), "%zu", body.n));
    add_date(&fields, exchange);
    bool sends = respond_has_body(status) && !exchange->head_only && body.n;
    if (sends) exchange->body_left = respond_own(exchange, body);
    submit(exchange, &fields, sends || exchange->trailers.n);
}

void http2_stream_begin(struct exchange *exchange, int status, str headers)
{
    struct http2_fields fields = { .count = 0 };
    add_status(&fields, exchange, status);
    add_lines(&fields, exchange, headers);
    add_date(&fields, exchange);
    submit(exchange, &fields, true);
}

static void resume(struct exchange *exchange)
{
    if (!exchange->deferred) return;
    exchange->deferred = false;
    nghttp2_session_resume_data(http2_of(exchange->connection)->session, (int32_t)exchange->stream_id);
}

void http2_stream_add(struct exchange *exchange, str bytes)
{
    buf_add_str(&exchange->stream, bytes);
    resume(exchange);
}

void http2_stream_end(struct exchange *exchange) { resume(exchange); }

/* The stream closes when the frame is on its way, and only then is the handler told. */
void http2_give_up(struct exchange *exchange)
{
    nghttp2_submit_rst_stream(http2_of(exchange->connection)->session, NGHTTP2_FLAG_NONE,
                              (int32_t)exchange->stream_id, NGHTTP2_ENHANCE_YOUR_CALM);
}

/* ---- frames ---- */

static void stop_sender(struct http2 *http2, int32_t stream_id)
{
    nghttp2_submit_rst_stream(http2->session, NGHTTP2_FLAG_NONE, stream_id, NGHTTP2_NO_ERROR);
}

void http2_answer_forget(struct http2 *http2, int32_t stream_id)
{
    for (size_t i = 0; i < http2->late_count; i++)
        if (http2->late[i].stream_id == stream_id) http2->late[i--] = http2->late[--http2->late_count];
}

void http2_answer_look(struct http2 *http2, int64_t now)
{
    for (size_t i = 0; i < http2->late_count; i++) {
        if (now - http2->late[i].since_ms < LATE_MS) continue;
        stop_sender(http2, http2->late[i].stream_id);
        http2->late[i--] = http2->late[--http2->late_count];
    }
}

/* The answer is complete, and the client still sends its request's body. Some clients lose the answer if they
 * are told to stop at once, so what they send is dropped for a while. Clients of gRPC know better. */
static void drop_rest(struct http2 *http2, int32_t stream_id, bool at_once)
{
    if (at_once || http2->late_count == LATE_STREAMS_MAX) {
        stop_sender(http2, stream_id);
        return;
    }
    http2->late[http2->late_count++] =
        (struct http2_late){ stream_id, server_now(http2->connection->server) };
}

/* The answer's last frame is in `out`. */
static void finish(struct http2 *http2, int32_t stream_id)
{
    struct exchange *exchange = http2_exchange(http2, stream_id);
    if (!exchange) return;
    bool arrived = exchange->arrived, bare = exchange->bare;
    nghttp2_session_set_stream_user_data(http2->session, stream_id, NULL);
    respond_finished(exchange);
    if (!arrived) drop_rest(http2, stream_id, bare);
}

void http2_answer_sent(struct http2 *http2, const nghttp2_frame *frame)
{
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
        if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) finish(http2, frame->hd.stream_id);
        break;
    case NGHTTP2_RST_STREAM:
        /* A client that makes us reset its streams is no better than one that does it itself. */
        if (frame->rst_stream.error_code != NGHTTP2_NO_ERROR) http2_flood_reset(http2);
        break;
    default: break;
    }
}

static void tell_drained(struct http2 *http2)
{
    if (!http2->moved) return;
    http2->moved = false;
    for (struct exchange *exchange = http2->connection->first, *next; exchange; exchange = next) {
        next = exchange->next;
        if (!exchange->moved) continue;
        exchange->moved = false;
        respond_streamed(exchange);
    }
}

bool http2_answer_fill(struct http2 *http2)
{
    struct buf *out = &http2->out;
    if (http2->sent == out->n) {
        if (out->cap > OUT_KEPT_BYTES) buf_done(out);
        out->n = 0;
    } else if (http2->sent) {
        memmove(out->p, out->p + http2->sent, out->n - http2->sent);
        out->n -= http2->sent;
    }
    http2->sent = 0;
    while (out->n < OUT_BYTES_MAX) {
        const uint8_t *bytes;
        ssize_t n = nghttp2_session_mem_send(http2->session, &bytes);
        if (n < 0) return false;
        if (n == 0) break;
        buf_add(out, bytes, (size_t)n);
    }
    tell_drained(http2);
    return true;
}

void http2_answer_count(struct http2 *http2)
{
    struct connection *connection = http2->connection;
    int64_t left = (int64_t)(http2->out.n - http2->sent), known = connection->known ? left : 0;
    budget_add(connection->server->config.answers, known - http2->out_budget_bytes);
    connection->answer_bytes += left - http2->out_bytes;
    http2->out_bytes = left;
    http2->out_budget_bytes = known;
}
