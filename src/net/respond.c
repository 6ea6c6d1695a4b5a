/* net/respond.c — answers: composed, kept in order, written in as few calls as possible.
 *
 * An answer is composed into its exchange's arena and waits in its connection's queue. Only
 * the front of the queue is written, so pipelined answers leave in the order of their
 * requests whatever order they were given in. All that is ready goes out in one writev.
 *
 * Answers given while requests are parsed leave when that is done; those given later (the
 * engine's batch has committed) mark their connection dirty, and dirty connections are
 * flushed once, just before the loop waits again.
 *
 * The socket is tried directly first. Only what it does not take is left to uv_write(), and
 * there is at most one such write per connection: what is ready meanwhile joins the next.
 */
#include "net/net_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <time.h>

/* clang-format off */
#define REASON_MAP(XX)                                                                             \
    XX(100, "Continue") XX(200, "OK") XX(201, "Created") XX(202, "Accepted")                       \
    XX(204, "No Content") XX(206, "Partial Content") XX(301, "Moved Permanently")                  \
    XX(302, "Found") XX(303, "See Other") XX(304, "Not Modified")                                  \
    XX(307, "Temporary Redirect") XX(308, "Permanent Redirect") XX(400, "Bad Request")             \
    XX(401, "Unauthorized") XX(403, "Forbidden") XX(404, "Not Found")                              \
    XX(405, "Method Not Allowed") XX(406, "Not Acceptable") XX(408, "Request Timeout")             \
    XX(409, "Conflict") XX(410, "Gone") XX(411, "Length Required") XX(412, "Precondition Failed")  \
    XX(413, "Content Too Large") XX(414, "URI Too Long") XX(415, "Unsupported Media Type")         \
    XX(416, "Range Not Satisfiable") XX(417, "Expectation Failed")                                 \
    XX(421, "Misdirected Request") XX(422, "Unprocessable Content") XX(426, "Upgrade Required")    \
    XX(428, "Precondition Required") XX(429, "Too Many Requests")                                  \
    XX(431, "Request Header Fields Too Large") XX(500, "Internal Server Error")                    \
    XX(501, "Not Implemented") XX(502, "Bad Gateway") XX(503, "Service Unavailable")               \
    XX(504, "Gateway Timeout") XX(505, "HTTP Version Not Supported")                               \
    XX(507, "Insufficient Storage")
/* clang-format on */

enum {
    PIECES_MAX = 64,              /* Of one writev. */
    HEAD_FIXED_BYTES_MAX = 192,   /* A head without the handler's own lines. */
    BODY_COPIED_BYTES_MAX = 4096, /* Cheaper behind the head than as a piece of its own. */
    STREAM_BEHIND_BYTES_MAX = 1 << 20,
    DATE_BYTES = 37,
    DATE_KEPT_MS = 100,
};

const char *http_reason(int status)
{
    switch (status) {
#define XX(code, words) \
    case code: return words;
        REASON_MAP(XX)
#undef XX
    default: return "Unknown";
    }
}

static str status_line(int status)
{
    switch (status) {
#define XX(code, words) \
    case code: return STR("HTTP/1.1 " #code " " words "\r\n");
        REASON_MAP(XX)
#undef XX
    default: return STR_NONE;
    }
}

/* ---- composing ---- */

static char *put(char *p, str text)
{
    memcpy(p, text.p, text.n);
    return p + text.n;
}

static char *put_number(char *p, uint64_t value)
{
    char digits[20];
    size_t n = 0;
    do digits[n++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (n) *p++ = digits[--n];
    return p;
}

static void print_date(struct http_server *server)
{
    const struct clock clock = clock_system();
    time_t second = (time_t)(clock_now_ms(&clock) / 1000);
    struct tm utc;
    must(gmtime_r(&second, &utc));
    must(strftime(server->date, sizeof server->date, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc) ==
         DATE_BYTES);
}

/* The loop's clock is free to ask, but its seconds begin at other moments than the wall's:
 * so the wall's is asked a few times per second. */
static str date_line(struct http_server *server)
{
    int64_t now = server_now(server);
    if (!server->date[0] || now - server->date_printed_ms >= DATE_KEPT_MS) {
        print_date(server);
        server->date_printed_ms = now;
    }
    return (str){ server->date, DATE_BYTES };
}

/* The first is sent when the connection closes behind this answer; a client of HTTP/1.0
 * must be told when it does not. */
static str connection_line(const struct exchange *exchange)
{
    const struct connection *connection = exchange->connection;
    if (connection->state != CONNECTION_OPEN && connection->last == exchange)
        return STR("Connection: close\r\n");
    return exchange->old ? STR("Connection: keep-alive\r\n") : STR_NONE;
}

static char *put_head(char *p, int status, str headers)
{
    str line = status_line(status);
    if (line.n) {
        p = put(p, line);
    } else {
        p = put(p, STR("HTTP/1.1 "));
        p = put_number(p, (uint64_t)status);
        p = put(p, STR(" Unknown\r\n"));
    }
    if (headers.n) p = put(p, headers);
    return p;
}

static char *put_tail(char *p, struct exchange *exchange)
{
    p = put(p, date_line(exchange->server));
    str line = connection_line(exchange);
    if (line.n) p = put(p, line);
    return put(p, STR("\r\n"));
}

static bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

/* Looks at the newest chunk only: what lies in an older one is copied once more, no harm. */
static bool is_in_arena(const struct arena *arena, str bytes)
{
    uintptr_t at = (uintptr_t)bytes.p;
    return arena->chunk && at >= (uintptr_t)arena->chunk && at + bytes.n <= (uintptr_t)arena->next;
}

static void compose(struct exchange *exchange, int status, str headers, str body)
{
    bool sends = has_body(status) && !exchange->head_only && body.n;
    bool copies = sends && body.n <= BODY_COPIED_BYTES_MAX;
    if (sends && !copies && !is_in_arena(&exchange->arena, body)) body = arena_str(&exchange->arena, body);

    char *start = arena_alloc(&exchange->arena, HEAD_FIXED_BYTES_MAX + headers.n + (copies ? body.n : 0));
    char *p = put_head(start, status, headers);
    if (has_body(status)) {
        p = put(p, STR("Content-Length: "));
        p = put_number(p, body.n);
        p = put(p, STR("\r\n"));
    }
    p = put_tail(p, exchange);
    if (copies) p = put(p, body);
    exchange->head_left = (str){ start, (size_t)(p - start) };
    if (sends && !copies) exchange->body_left = body;
}

/* ---- what handlers call ---- */

static struct exchange *exchange_of(struct http_request *request) { return (struct exchange *)request; }

void http_respond(struct http_request *request, int status, str headers, str body)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_NONE && status >= 100 && status <= 999);
    request->status = status;
    exchange->state = ANSWER_COMPLETE;
    if (!exchange->connection) {
        exchange_release(exchange);
        return;
    }
    compose(exchange, status, headers, body);
    /* The answer has its own copy of whatever it took from the request. */
    http_drop_body(request);
    exchange_hold_request(exchange, 0);
    exchange_hold_answer(exchange, (int64_t)exchange->arena.used);
    respond_mark_dirty(exchange->connection);
}

void http_drop_body(struct http_request *request)
{
    struct exchange *exchange = exchange_of(request);
    if (!exchange->body.p || exchange->body.arena) return;
    buf_done(&exchange->body);
    request->body = (str){ "", 0 };
}

/* What a stream holds: its arena once, and the bytes that wait. */
static void hold_stream(struct exchange *exchange)
{
    exchange_hold_answer(exchange,
                         (int64_t)(exchange->arena.used + exchange->stream.n + exchange->body_left.n));
}

size_t http_stream_behind(const struct http_request *request)
{
    const struct exchange *exchange = (const struct exchange *)request;
    return exchange->head_left.n + exchange->body_left.n + exchange->stream.n;
}

void http_stream_begin(struct http_request *request, int status, str headers)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_NONE && has_body(status));
    request->status = status;
    exchange->state = ANSWER_STREAM;
    struct connection *connection = exchange->connection;
    if (!connection) return;

    /* To a client of HTTP/1.0 only the end of the connection can say that it is over. No
     * other request is behind this one: connection_wants_requests() saw to that. */
    if (exchange->old && connection->state == CONNECTION_OPEN) {
        connection->state = CONNECTION_ENDING;
        connection_drop_input(connection);
    }
    char *start = arena_alloc(&exchange->arena, HEAD_FIXED_BYTES_MAX + headers.n);
    char *p = put_head(start, status, headers);
    if (!exchange->old) p = put(p, STR("Transfer-Encoding: chunked\r\n"));
    p = put_tail(p, exchange);
    exchange->head_left = (str){ start, (size_t)(p - start) };
    http_drop_body(request);
    exchange_hold_request(exchange, 0);
    hold_stream(exchange);
    respond_mark_dirty(connection);
}

bool http_stream_write(struct http_request *request, str bytes)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_STREAM);
    struct connection *connection = exchange->connection;
    if (!connection || connection->broken) return false;
    if (!bytes.n || exchange->head_only) return true;
    if (exchange->stream.n + exchange->body_left.n > STREAM_BEHIND_BYTES_MAX) {
        connection->broken = true; /* Closed with the next flush, not under the caller's feet. */
        respond_mark_dirty(connection);
        return false;
    }
    if (!exchange->old) buf_printf(&exchange->stream, "%zx\r\n", bytes.n);
    buf_add_str(&exchange->stream, bytes);
    if (!exchange->old) buf_add_str(&exchange->stream, STR("\r\n"));
    hold_stream(exchange);
    respond_mark_dirty(connection);
    return true;
}

void http_stream_end(struct http_request *request)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_STREAM);
    exchange->state = ANSWER_COMPLETE;
    if (!exchange->connection) {
        exchange_release(exchange);
        return;
    }
    if (!exchange->old && !exchange->head_only) buf_add_str(&exchange->stream, STR("0\r\n\r\n"));
    respond_mark_dirty(exchange->connection);
}

void respond_refuse(struct connection *connection, enum refusal refusal)
{
    static const struct {
        int status;
        str headers, body;
    } refusals[] = {
#define XX(NAME, status, advice, error, reason, message)                                             \
    [REFUSE_##NAME] = {                                                                              \
        status,                                                                                      \
        STR_INIT("Content-Type: application/json\r\n" advice),                                       \
        STR_INIT("{\"error\":\"" error "\",\"reason\":\"" reason "\",\"message\":\"" message "\"}"), \
    },
        REFUSAL_MAP(XX)
#undef XX
    };
    must(connection->state == CONNECTION_OPEN);
    connection->state = CONNECTION_ENDING;
    struct exchange *exchange = exchange_new(connection->server);
    struct buf headers;
    buf_init(&headers, &exchange->arena);
    buf_add_str(&headers, refusals[refusal].headers);
    const struct http_server_config *config = &connection->server->config;
    if (connection->incoming && config->refusal_headers)
        buf_add_str(&headers, config->refusal_headers(&connection->incoming->request, config->context));
    connection_drop_input(connection);

    exchange->request.method = exchange->request.target = (str){ "", 0 };
    exchange->request.path = exchange->request.query = exchange->request.body = (str){ "", 0 };
    exchange->request.began_us = clock_monotonic_us();
    connection_queue(connection, exchange);
    http_respond(&exchange->request, refusals[refusal].status, buf_str(&headers), refusals[refusal].body);
}

/* ---- writing ---- */

void respond_mark_dirty(struct connection *connection)
{
    if (connection->dirty || connection->pumping) return;
    connection->dirty = true;
    connection->dirty_next = connection->server->dirty;
    connection->server->dirty = connection;
}

void respond_flush_dirty(struct http_server *server)
{
    while (server->dirty) {
        struct connection *connection = server->dirty;
        server->dirty = connection->dirty_next;
        connection->dirty = false;
        connection_pump(connection);
    }
}

static void add_piece(uv_buf_t *piece, size_t *count, size_t *bytes, str part)
{
    if (!part.n) return;
    union {
        const char *in;
        char *out;
    } base = { .in = part.p }; /* libuv's bufs are for reading too. */
    piece[(*count)++] = (uv_buf_t){ .base = base.out, .len = part.n };
    *bytes += part.n;
}

/* What was streamed meanwhile becomes what is written next. */
static void refill(struct exchange *exchange)
{
    if (exchange->body_left.n || !exchange->stream.n) return;
    buf_done(&exchange->stream_sending);
    exchange->stream_sending = exchange->stream;
    buf_init(&exchange->stream, NULL);
    exchange->body_left = buf_str(&exchange->stream_sending);
}

static size_t collect(struct connection *connection, uv_buf_t *piece, size_t *ret_bytes)
{
    size_t count = 0;
    *ret_bytes = 0;
    if (connection->tls && !tls_is_ready(connection->tls)) return 0;
    if (connection->continue_due && !connection->first) {
        connection->interim = STR("HTTP/1.1 100 Continue\r\n\r\n");
        connection->continue_due = false;
    }
    add_piece(piece, &count, ret_bytes, connection->interim);
    for (struct exchange *exchange = connection->first; exchange; exchange = exchange->next) {
        if (exchange->state == ANSWER_NONE || count + 2 > PIECES_MAX) break;
        refill(exchange);
        add_piece(piece, &count, ret_bytes, exchange->head_left);
        add_piece(piece, &count, ret_bytes, exchange->body_left);
        if (exchange->state == ANSWER_STREAM || exchange->stream.n) break;
    }
    return count;
}

static size_t cut(str *text, size_t n)
{
    size_t part = n < text->n ? n : text->n;
    text->p += part;
    text->n -= part;
    return n - part;
}

/* Takes bytes that are on the wire off the queue, and exchanges that are done with it. */
static void written(struct connection *connection, size_t n)
{
    const struct http_server_config *config = &connection->server->config;
    n = cut(&connection->interim, n);
    for (struct exchange *exchange; (exchange = connection->first);) {
        n = cut(&exchange->head_left, n);
        n = cut(&exchange->body_left, n);
        if (exchange->state != ANSWER_COMPLETE || exchange->head_left.n || exchange->body_left.n ||
            exchange->stream.n)
            break;
        connection->first = exchange->next;
        if (!connection->first) connection->last = NULL;
        connection->in_flight--;
        connection->write_deadline = 0; /* The next answer has its own time. */
        if (config->observer) {
            int64_t took_us = clock_monotonic_us() - exchange->request.began_us;
            config->observer(&exchange->request, took_us, config->context);
        }
        exchange_release(exchange);
    }
    must(n == 0);
    struct exchange *front = connection->first;
    if (!front || front->state != ANSWER_STREAM) return;
    hold_stream(front);
    net_fn *on_drained = front->request.on_drained;
    if (!on_drained || http_stream_behind(&front->request)) return;
    front->request.on_drained = NULL;
    on_drained(front->request.user);
}

/* The bytes for the socket: ready answers themselves, or what TLS makes of them. */
static size_t collect_wire(struct connection *connection, uv_buf_t *piece, size_t *ret_bytes)
{
    size_t count = collect(connection, piece, ret_bytes);
    if (!connection->tls) return count;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = tls_write(connection->tls, (str){ piece[i].base, piece[i].len });
        taken += n;
        if (n < piece[i].len) break;
    }
    if (taken) written(connection, taken);
    str outgoing = tls_outgoing(connection->tls);
    count = *ret_bytes = 0;
    add_piece(piece, &count, ret_bytes, outgoing);
    return count;
}

static void sent(struct connection *connection, size_t bytes)
{
    if (connection->tls) tls_sent(connection->tls, bytes);
    else written(connection, bytes);
}

static void on_written(uv_write_t *write, int status)
{
    struct connection *connection = write->data;
    if (connection->state == CONNECTION_CLOSED) return;
    connection->writing = false;
    if (status < 0) {
        connection_close(connection);
        return;
    }
    sent(connection, connection->writing_bytes);
    connection_pump(connection);
    if (!connection->writing) connection->write_deadline = 0;
}

static void write_later(struct connection *connection)
{
    struct http_server *server = connection->server;
    uv_buf_t piece[PIECES_MAX];
    size_t count = collect_wire(connection, piece, &connection->writing_bytes);
    connection->write.data = connection;
    connection->writing = true;
    if (!connection->write_deadline)
        connection->write_deadline = server_now(server) + server->config.limits.write_timeout_ms;
    if (uv_write(&connection->write, (uv_stream_t *)&connection->tcp, piece, (unsigned)count, on_written) < 0)
        connection_close(connection);
}

void respond_flush(struct connection *connection)
{
    uv_buf_t piece[PIECES_MAX];
    size_t bytes, count;
    if (connection->broken) connection_close(connection);
    while (!connection->writing && connection->state != CONNECTION_CLOSED &&
           (count = collect_wire(connection, piece, &bytes)) > 0) {
        int n = uv_try_write((uv_stream_t *)&connection->tcp, piece, (unsigned)count);
        if (n < 0 && n != UV_EAGAIN) {
            connection_close(connection);
            return;
        }
        sent(connection, n < 0 ? 0 : (size_t)n);
        if (n < 0 || (size_t)n < bytes) write_later(connection);
    }
    if (connection->state == CONNECTION_ENDING && !connection->first && !connection->writing)
        connection_finish(connection);
}
