/* net/http1_answer.c — answers in HTTP/1.1: composed, kept in order, written in as few calls as possible.
 *
 * An answer is composed into its exchange's arena and waits in its connection's queue. Only the front of the
 * queue is written, so pipelined answers leave in the order of their requests whatever order they were given
 * in. All that is ready goes out in one writev.
 */
#include "net/http1_int.h"

#include "base/clock.h"
#include "base/must.h"

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

/* The first is sent when the connection closes behind this answer; a client of HTTP/1.0 must be told when it
 * does not. */
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
    p = put(p, respond_date_line(exchange->server));
    str line = connection_line(exchange);
    if (line.n) p = put(p, line);
    return put(p, STR("\r\n"));
}

void http1_respond(struct exchange *exchange, int status, str headers, str body)
{
    if (exchange->trailers.n) {
        http1_stream_begin(exchange, status, headers);
        if (body.n) http1_stream_add(exchange, body);
        http1_stream_end(exchange);
        return;
    }
    bool sends = respond_has_body(status) && !exchange->head_only && body.n;
    bool copies = sends && body.n <= BODY_COPIED_BYTES_MAX;
    if (sends && !copies) body = respond_own(exchange, body);

    char *start =
        arena_alloc(respond_arena(exchange), HEAD_FIXED_BYTES_MAX + headers.n + (copies ? body.n : 0));
    char *p = put_head(start, status, headers);
    if (respond_has_body(status)) {
        p = put(p, STR("Content-Length: "));
        p = put_number(p, body.n);
        p = put(p, STR("\r\n"));
    }
    p = put_tail(p, exchange);
    if (copies) p = put(p, body);
    exchange->head_left = (str){ start, (size_t)(p - start) };
    if (sends && !copies) exchange->body_left = body;
}

void http1_stream_begin(struct exchange *exchange, int status, str headers)
{
    /* To a client of HTTP/1.0 only the end of the connection can say that the answer is over. No other
     * request is behind this one: wants() saw to that. */
    struct connection *connection = exchange->connection;
    if (exchange->old && connection->state == CONNECTION_OPEN) connection_end_after_answers(connection);
    char *start = arena_alloc(respond_arena(exchange), HEAD_FIXED_BYTES_MAX + headers.n);
    char *p = put_head(start, status, headers);
    if (!exchange->old) p = put(p, STR("Transfer-Encoding: chunked\r\n"));
    p = put_tail(p, exchange);
    exchange->head_left = (str){ start, (size_t)(p - start) };
}

void http1_stream_add(struct exchange *exchange, str bytes)
{
    if (!exchange->old) buf_printf(&exchange->stream, "%zx\r\n", bytes.n);
    buf_add_str(&exchange->stream, bytes);
    if (!exchange->old) buf_add_str(&exchange->stream, STR("\r\n"));
}

void http1_stream_end(struct exchange *exchange)
{
    if (exchange->old || exchange->head_only) return;
    buf_add_str(&exchange->stream, STR("0\r\n"));
    buf_add_str(&exchange->stream, exchange->trailers);
    buf_add_str(&exchange->stream, STR("\r\n"));
}

void http1_refuse(struct connection *connection, enum refusal refusal)
{
    struct http_server *server = connection->server;
    struct http1 *session = connection->session;
    must(connection->state == CONNECTION_OPEN);
    struct exchange *exchange = exchange_new(server, connection);
    struct http_request *incoming = session->incoming ? &session->incoming->request : NULL;
    struct refusal_answer answer = respond_refusal(server, refusal, incoming, &exchange->arena);
    connection_end_after_answers(connection);

    exchange->request.method = exchange->request.target = (str){ "", 0 };
    exchange->request.path = exchange->request.query = exchange->request.body = (str){ "", 0 };
    exchange->request.began_us = clock_monotonic_us();
    exchange_queue(exchange, connection);
    http_respond(&exchange->request, answer.status, answer.headers, answer.body);
}

/* ---- writing ---- */

void http1_collect(struct connection *connection, struct pieces *pieces)
{
    struct http1 *session = connection->session;
    if (session->continue_due && !connection->first) {
        session->interim = STR("HTTP/1.1 100 Continue\r\n\r\n");
        session->continue_due = false;
    }
    pieces_add(pieces, session->interim);
    for (struct exchange *exchange = connection->first; exchange; exchange = exchange->next) {
        if (exchange->state == ANSWER_NONE || pieces->count + 2 > PIECES_MAX) break;
        respond_refill(exchange);
        pieces_add(pieces, exchange->head_left);
        pieces_add(pieces, exchange->body_left);
        if (exchange->state == ANSWER_STREAM || exchange->stream.n) break;
        if (!connection->known && pieces->bytes >= STRANGER_WRITTEN_MAX) break;
    }
}

static size_t cut(str *text, size_t n)
{
    size_t part = n < text->n ? n : text->n;
    if (!part) return n; /* There may be no text at all. */
    text->p += part;
    text->n -= part;
    return n - part;
}

void http1_written(struct connection *connection, size_t bytes)
{
    struct http1 *session = connection->session;
    bytes = cut(&session->interim, bytes);
    for (struct exchange *exchange; (exchange = connection->first);) {
        bytes = cut(&exchange->head_left, bytes);
        bytes = cut(&exchange->body_left, bytes);
        if (!respond_is_written(exchange)) break;
        respond_finished(exchange);
    }
    must(bytes == 0);
    if (connection->first) respond_streamed(connection->first);
}
