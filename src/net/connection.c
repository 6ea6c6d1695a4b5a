#define _GNU_SOURCE /* POLLRDHUP */
/* net/connection.c — one connection, from accept to close.
 *
 *     OPEN ──────────────► ENDING ─────────────► LINGERING ────────► CLOSED
 *      │  respond_refuse()   │ connection_finish()   │ EOF, or 2 s      ▲
 *      │  Connection: close  │ all answers written   └──────────────────┤
 *      │  connection_end()   └── connection_close(): EOF, error ────────┤
 *      └── idle too long, EOF, error ───────────────────────────────────┘
 *
 * Bytes are parsed where they were read, in the server's one read buffer; only a request
 * that is not complete yet has bytes of its own (`pending`, or its body). So an idle
 * connection costs little more than this struct.
 *
 * connection_pump() is the one place where parsing and writing meet: it parses until the
 * bytes or the room for requests in flight run out, writes what is ready, and goes on if
 * that made room. Handlers are called from within; it never runs inside itself.
 */
#include "net/net_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <poll.h>
#include <stdlib.h>

enum {
    LINGER_MS = 2000,
    REFUSED_MAX = 64,            /* Told that they are too many; further ones are just closed. */
    HEAP_BODY_BYTES = 16 << 10,  /* A larger body is read into a block of its own, */
    BODY_STEP_BYTES = 128 << 10, /* which grows with what arrives, not with what was announced. */
    DIRECT_BYTES_MIN = 4 << 10,  /* Less is not worth a read of its own. */
    PENDING_KEPT_BYTES = 512,
    SMALL_BODY_BYTES = 64 << 10, /* Smaller bodies have a part of the memory to themselves: */
    LARGE_PART = 4,              /* larger ones leave one part in so many, and heads get no more than one. */
    TINY_BODY_BYTES = 4 << 10,   /* The same again. */
    SMALL_PART = 8,
    REQUEST_BYTES_MIN = 4 << 10, /* Of the smallest request that waits for its answer. */
    UNREAD_BYTES_MAX = 1 << 20,  /* A client that leaves more unread may not ask for more. */
};

/* ---- memory ---- */

/* May so many more bytes be kept, of a request with a body of that size? The larger it is, the more room it
 * leaves to others: a cancel must always get through, and so must the question why nothing else does. */
static bool has_room(const struct http_server *server, size_t body, int64_t more)
{
    int64_t max = server->config.limits.requests_bytes_max;
    if (body > SMALL_BODY_BYTES) max -= max / LARGE_PART;
    else if (body > TINY_BODY_BYTES) max -= max / SMALL_PART;
    return server->requests_bytes + more <= max;
}

/* Of a large body what has arrived counts: the system gives memory only for what was written to. */
static void hold(struct exchange *exchange, size_t least)
{
    size_t used = exchange->arena.used > least ? exchange->arena.used : least;
    size_t body = exchange->body.arena ? 0 : exchange->body.n;
    exchange_hold_request(exchange, (int64_t)(used + body));
}

/* Bytes that are no request yet have an account of their own: whoever sends them need not have shown a token.
 */
static void hold_pending(struct connection *connection)
{
    connection->server->pending_bytes += (int64_t)connection->pending.cap - connection->pending_bytes;
    connection->pending_bytes = (int64_t)connection->pending.cap;
}

static bool has_room_to_wait(const struct http_server *server)
{
    return server->pending_bytes <= server->config.limits.requests_bytes_max / LARGE_PART;
}

/* ---- requests ---- */

bool connection_wants_requests(const struct connection *connection)
{
    if (connection->state != CONNECTION_OPEN) return false;
    /* HTTP/1.0 knows no pipelining. */
    if (connection->last && connection->last->old) return false;
    if (connection->answer_bytes > UNREAD_BYTES_MAX && !connection->incoming) return false;
    return connection->in_flight < connection->server->config.limits.pipeline_max;
}

void connection_queue(struct connection *connection, struct exchange *exchange)
{
    exchange->connection = connection;
    if (connection->last) connection->last->next = exchange;
    else connection->first = exchange;
    connection->last = exchange;
    connection->in_flight++;
}

void connection_drop_input(struct connection *connection)
{
    if (connection->incoming) exchange_release(connection->incoming);
    connection->incoming = NULL;
    connection->continue_due = false;
    buf_done(&connection->pending);
    hold_pending(connection);
}

static void dispatch(struct connection *connection)
{
    struct http_server *server = connection->server;
    struct exchange *exchange = connection->incoming;
    connection->incoming = NULL;
    connection->continue_due = false;
    connection->phase = PHASE_NEW;
    if (exchange->body.n) exchange->request.body = buf_str(&exchange->body);
    connection_queue(connection, exchange);
    if (!exchange->keep_alive || server->draining) connection->state = CONNECTION_ENDING;
    server->config.handler(&exchange->request, server->config.context);
    if (exchange->state == ANSWER_NONE) hold(exchange, REQUEST_BYTES_MIN);
}

static enum refusal refusal_of(int verdict)
{
    switch (-verdict) {
    case 413: return REFUSE_LARGE_BODY;
    case 417: return REFUSE_EXPECTATION;
    case 431: return REFUSE_LARGE_HEAD;
    case 501: return REFUSE_METHOD;
    case 505: return REFUSE_VERSION;
    default: return REFUSE_HEAD;
    }
}

static str moved(str text, const char *from, const char *to) { return (str){ to + (text.p - from), text.n }; }

/* A request with its own copy of `bytes`, its head and perhaps all of its body: the read
 * buffer will be used for the next. */
static struct exchange *exchange_from(struct http_server *server, const struct http_head *head,
                                      size_t head_bytes, str bytes)
{
    struct exchange *exchange = exchange_new(server);
    struct http_request *request = &exchange->request;
    size_t table_bytes = head->header_count * sizeof(struct http_header);
    struct http_header *header = arena_alloc(&exchange->arena, table_bytes + bytes.n);
    char *copy = (char *)header + table_bytes;
    memcpy(copy, bytes.p, bytes.n);
    for (size_t i = 0; i < head->header_count; i++) {
        header[i].name = moved(head->header[i].name, bytes.p, copy);
        header[i].value = moved(head->header[i].value, bytes.p, copy);
    }
    request->header = header;
    request->header_count = head->header_count;
    request->method = moved(head->method, bytes.p, copy);
    request->target = moved(head->target, bytes.p, copy);
    parse_split_target(request->target, &request->path, &request->query);
    request->body = (str){ copy + head_bytes, bytes.n - head_bytes };
    request->has_body = head->chunked || head->content_length > 0;
    request->began_us = clock_monotonic_us();
    exchange->keep_alive = head->keep_alive;
    exchange->old = head->minor == 0;
    exchange->head_only = str_equal(request->method, STR("HEAD"));
    return exchange;
}

static void expect_body(struct connection *connection, const struct http_head *head, bool more_is_here)
{
    struct exchange *exchange = connection->incoming;
    connection->chunked = head->chunked;
    connection->chunks = (struct http_chunks){ 0 };
    connection->body_left = head->chunked ? 0 : (uint64_t)head->content_length;
    connection->continue_due = head->expect_continue && !more_is_here;
    connection->phase = PHASE_NEW;
    if (exchange->unwanted) return;
    bool small = !head->chunked && head->content_length <= HEAP_BODY_BYTES;
    buf_init(&exchange->body, small ? &exchange->arena : NULL);
    if (small) buf_reserve(&exchange->body, (size_t)head->content_length);
}

/* A chunked body announces nothing: it is taken for large. */
static size_t announced_bytes(const struct http_head *head)
{
    if (head->chunked) return SIZE_MAX;
    return head->content_length > 0 ? (size_t)head->content_length : 0;
}

/* Asks the gate what becomes of the request and its body. False: it was refused here, or is being answered
 * without the body, and the connection ends with that answer: a small body is cheaper to read than to close.
 */
static bool pass_gate(struct connection *connection, const struct http_head *head, bool whole)
{
    struct http_server *server = connection->server;
    struct exchange *exchange = connection->incoming;
    str body = exchange->request.body;
    exchange->request.body = (str){ "", 0 };
    enum http_verdict verdict =
        server->config.gate ? server->config.gate(&exchange->request, server->config.context) : HTTP_TAKE;
    exchange->unwanted = verdict == HTTP_TAKE_HEAD;
    exchange->privileged = verdict == HTTP_TAKE_ALWAYS && !exchange->request.has_body;
    if (exchange->unwanted) {
        if (whole || (announced_bytes(head) <= SMALL_BODY_BYTES && !head->expect_continue)) return true;
        exchange->keep_alive = false;
        dispatch(connection);
        connection_drop_input(connection);
        return false;
    }
    exchange->request.body = body;
    if (head->content_length > server->config.limits.body_bytes_max) {
        respond_refuse(connection, REFUSE_LARGE_BODY);
        return false;
    }
    hold(exchange, 0);
    int64_t more = head->content_length > 0 && !whole ? head->content_length : 0;
    if (exchange->privileged || has_room(server, announced_bytes(head), more)) return true;
    respond_refuse(connection, REFUSE_BUSY);
    return false;
}

/* Each of these returns the bytes it has used, 0 if it needs more or has refused. */
static size_t take_head(struct connection *connection, str bytes)
{
    const struct limits *limits = &connection->server->config.limits;
    struct http_head head;
    int n = http_parse_head(bytes, limits, &head);
    if (n == 0) {
        connection->starved = true;
        return 0;
    }
    if (n < 0) {
        respond_refuse(connection, refusal_of(n));
        return 0;
    }
    size_t head_bytes = (size_t)n, body_bytes = head.content_length > 0 ? (size_t)head.content_length : 0;
    bool whole = !head.chunked && body_bytes <= bytes.n - head_bytes;
    if (!whole) body_bytes = 0;
    connection->incoming =
        exchange_from(connection->server, &head, head_bytes, (str){ bytes.p, head_bytes + body_bytes });
    if (!pass_gate(connection, &head, whole)) return 0;
    if (whole) dispatch(connection);
    else expect_body(connection, &head, bytes.n > head_bytes);
    return head_bytes + body_bytes;
}

/* What was read of a body counts at once. False: there is no room for it. */
static bool keep_body(struct connection *connection)
{
    struct exchange *exchange = connection->incoming;
    if (exchange->body.arena || !exchange->body.p) return true;
    hold(exchange, 0);
    if (exchange->privileged || has_room(connection->server, exchange->body.n, 0)) return true;
    respond_refuse(connection, REFUSE_BUSY);
    return false;
}

static size_t take_chunks(struct connection *connection, str bytes)
{
    size_t body_max = (size_t)connection->server->config.limits.body_bytes_max;
    bool complete;
    int64_t n =
        http_parse_chunks(&connection->chunks, bytes, body_max, &connection->incoming->body, &complete);
    if (n < 0) {
        respond_refuse(connection, n == -400 ? REFUSE_CHUNK : refusal_of((int)n));
        return 0;
    }
    if (!keep_body(connection)) return 0;
    if (complete) dispatch(connection);
    return (size_t)n;
}

/* Where the next bytes of a large body belong, if it is worth reading them there. */
static char *direct_room(struct connection *connection, size_t *ret_bytes)
{
    if (!connection->incoming || connection->chunked || connection->tls || connection->pending.n) return NULL;
    struct buf *body = &connection->incoming->body;
    if (connection->incoming->unwanted || body->arena || connection->body_left < DIRECT_BYTES_MIN)
        return NULL;
    size_t bytes = connection->body_left < BODY_STEP_BYTES ? (size_t)connection->body_left : BODY_STEP_BYTES;
    *ret_bytes = bytes;
    return buf_reserve(body, bytes);
}

static size_t take_body(struct connection *connection, str bytes)
{
    if (connection->chunked) return take_chunks(connection, bytes);
    struct buf *body = &connection->incoming->body;
    size_t n = bytes.n < connection->body_left ? bytes.n : (size_t)connection->body_left;
    if (body->p && bytes.p == body->p + body->n) body->n += n; /* Read in place. */
    else if (!connection->incoming->unwanted) buf_add(body, bytes.p, n);
    connection->body_left -= n;
    if (!keep_body(connection)) return 0;
    if (!connection->body_left) dispatch(connection);
    return n;
}

static size_t take_requests(struct connection *connection, str bytes)
{
    size_t at = 0;
    while (at < bytes.n && connection_wants_requests(connection)) {
        str rest = { bytes.p + at, bytes.n - at };
        size_t n = connection->incoming ? take_body(connection, rest) : take_head(connection, rest);
        if (!n) break;
        at += n;
    }
    return at;
}

/* ---- reading and waiting ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    (void)suggested;
    struct connection *connection = handle->data;
    size_t bytes = READ_BYTES;
    char *room = direct_room(connection, &bytes);
    *ret_buffer = uv_buf_init(room ? room : connection->server->read_bytes, (unsigned)bytes);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buffer)
{
    struct connection *connection = stream->data;
    if (n == 0) return; /* EAGAIN. */
    if (n == UV_EOF) {
        connection_take_eof(connection);
    } else if (n < 0) {
        connection_close(connection);
    } else {
        str bytes = { buffer->base, (size_t)n };
        if (connection->tls) tls_take(connection, bytes);
        else connection_take(connection, bytes);
    }
}

static void update_reading(struct connection *connection)
{
    bool wants =
        connection->state == CONNECTION_OPEN ? connection_wants_requests(connection) : !connection->eof;
    if (connection->state == CONNECTION_CLOSED || wants == connection->reading) return;
    uv_stream_t *stream = (uv_stream_t *)&connection->tcp;
    connection->reading = wants;
    if (!wants) uv_read_stop(stream);
    else if (uv_read_start(stream, on_alloc, on_read) < 0) connection_close(connection);
}

static enum connection_phase phase_of(const struct connection *connection)
{
    if (connection->state == CONNECTION_LINGERING) return PHASE_LINGER;
    if (connection->tls && !tls_is_ready(connection->tls)) return PHASE_HANDSHAKE;
    if (!connection_wants_requests(connection)) return PHASE_WAIT;
    if (connection->incoming) return PHASE_BODY;
    if (connection->pending.n) return PHASE_HEAD;
    return connection->first ? PHASE_WAIT : PHASE_IDLE;
}

/* Sets the deadline that fits what the connection waits for, when that has changed. */
static void update_phase(struct connection *connection)
{
    const struct limits *limits = &connection->server->config.limits;
    enum connection_phase phase = phase_of(connection);
    if (phase == connection->phase) return;
    connection->phase = phase;
    int64_t ms = 0;
    switch (phase) {
    case PHASE_HANDSHAKE:
    case PHASE_HEAD: ms = limits->header_timeout_ms; break;
    case PHASE_BODY: ms = limits->body_timeout_ms; break;
    case PHASE_IDLE: ms = limits->idle_timeout_ms; break;
    case PHASE_LINGER: ms = LINGER_MS; break;
    case PHASE_NEW:
    case PHASE_WAIT: break;
    }
    connection->read_deadline = ms ? server_now(connection->server) + ms : 0;
}

/* At once, but under TLS not without a word. */
static void hang_up(struct connection *connection)
{
    if (connection->tls) {
        tls_close_notify(connection->tls);
        respond_flush(connection);
    }
    connection_close(connection);
}

void connection_timed_out(struct connection *connection)
{
    update_phase(connection); /* It may have begun to end since. */
    if (!connection->read_deadline || connection->read_deadline > server_now(connection->server)) return;
    if (connection->phase == PHASE_HEAD) respond_refuse(connection, REFUSE_SLOW_HEAD);
    else if (connection->phase == PHASE_BODY) respond_refuse(connection, REFUSE_SLOW_BODY);
    else hang_up(connection);
}

static void drop_parsed(struct connection *connection, size_t n)
{
    struct buf *pending = &connection->pending;
    if (!pending->n) return; /* Dropped by a refusal meanwhile. */
    pending->n -= n;
    if (pending->n) memmove(pending->p, pending->p + n, pending->n);
    else if (pending->cap > PENDING_KEPT_BYTES) buf_done(pending);
    hold_pending(connection);
}

void connection_pump(struct connection *connection)
{
    if (connection->pumping || connection->state == CONNECTION_CLOSED) return;
    connection->pumping = true;
    do {
        if (connection->pending.n && !connection->starved)
            drop_parsed(connection, take_requests(connection, buf_str(&connection->pending)));
        respond_flush(connection);
    } while (connection->pending.n && !connection->starved && connection_wants_requests(connection));
    connection->pumping = false;
    if (connection->tls) tls_resume(connection);
    update_reading(connection);
    update_phase(connection);
}

void connection_take(struct connection *connection, str bytes)
{
    if (connection->state != CONNECTION_OPEN) return;
    if (!connection->pending.n) {
        connection->pumping = true;
        connection->starved = false;
        bytes = str_slice(bytes, take_requests(connection, bytes), bytes.n);
        connection->pumping = false;
    } else if (connection->incoming || memchr(bytes.p, '\n', bytes.n) ||
               connection->pending.n + bytes.n >=
                   (size_t)connection->server->config.limits.header_bytes_max) {
        /* Otherwise the head cannot be complete, and parsing it again for every byte of a
         * slow sender would cost the square of its length. */
        connection->starved = false;
    }
    if (connection->state == CONNECTION_OPEN && bytes.n) {
        buf_add(&connection->pending, bytes.p, bytes.n);
        hold_pending(connection);
    }
    connection_pump(connection);
    if (connection->state == CONNECTION_OPEN && connection->pending.n &&
        !has_room_to_wait(connection->server))
        respond_refuse(connection, REFUSE_BUSY);
}

/* Has somebody asked to be told when the client leaves? */
static bool is_watched(const struct connection *connection)
{
    for (const struct exchange *exchange = connection->first; exchange; exchange = exchange->next)
        if (exchange->state != ANSWER_COMPLETE && exchange->request.on_gone) return true;
    return false;
}

/* A closed connection and one whose client only has nothing more to say look the same. So
 * answers that are on their way are still written, but nobody who asked to be told
 * (on_gone) keeps working for a client that is probably not there. */
void connection_take_eof(struct connection *connection)
{
    connection->eof = true;
    bool gone = connection->state == CONNECTION_LINGERING || (!connection->first && !connection->writing);
    if (gone || is_watched(connection)) {
        connection_close(connection);
        return;
    }
    connection->state = CONNECTION_ENDING;
    connection_drop_input(connection);
    connection_pump(connection);
}

/* A connection with as many requests as it may have is not read, so nothing tells that its client has left
 * but this question. */
void connection_look_for_end(struct connection *connection)
{
    uv_os_fd_t fd;
    if (connection->reading || connection->state == CONNECTION_CLOSED || connection->writing ||
        connection->eof)
        return;
    if (uv_fileno((uv_handle_t *)&connection->tcp, &fd) != 0) return;
    struct pollfd socket = { .fd = fd, .events = POLLRDHUP };
    if (poll(&socket, 1, 0) <= 0) return;
    if (socket.revents & (POLLERR | POLLHUP)) connection_close(connection);
    else if (is_watched(connection)) connection_close(connection); /* As in connection_take_eof(). */
}

/* ---- its beginning and its end ---- */

void connection_open(struct http_server *server, uv_stream_t *listener)
{
    struct connection *connection = calloc(1, sizeof *connection);
    must(connection);
    must(uv_tcp_init(net_loop_uv(server->loop), &connection->tcp) == 0);
    connection->tcp.data = connection;
    connection->server = server;
    connection->after = server->connections;
    if (server->connections) server->connections->before = connection;
    server->connections = connection;
    server->connection_count++;

    size_t others = server->connection_count - server->refused_count - 1;
    connection->refused = others >= server->connections_max;
    if (connection->refused) server->refused_count++;
    if (uv_accept(listener, (uv_stream_t *)&connection->tcp) < 0 || server->refused_count > REFUSED_MAX) {
        connection_close(connection);
        return;
    }
    uv_tcp_nodelay(&connection->tcp, 1);
    if (server->tls) connection->tls = tls_session_new(server->tls);
    if (connection->refused) respond_refuse(connection, REFUSE_CROWDED);
    update_reading(connection);
    update_phase(connection);
}

static void on_closed(uv_handle_t *handle)
{
    struct connection *connection = handle->data;
    struct http_server *server = connection->server;
    for (struct connection **link = &server->dirty; connection->dirty && *link; link = &(*link)->dirty_next)
        if (*link == connection) {
            *link = connection->dirty_next;
            break;
        }
    if (connection->before) connection->before->after = connection->after;
    else server->connections = connection->after;
    if (connection->after) connection->after->before = connection->before;
    server->connection_count--;
    if (connection->refused) server->refused_count--;
    tls_session_free(connection->tls);
    free(connection);
    server_connection_gone(server);
}

void connection_close(struct connection *connection)
{
    if (connection->state == CONNECTION_CLOSED) return;
    connection->state = CONNECTION_CLOSED;
    connection_drop_input(connection);
    uv_close((uv_handle_t *)&connection->tcp, on_closed);

    struct exchange *exchange = connection->first;
    connection->first = connection->last = NULL;
    connection->in_flight = 0;
    while (exchange) {
        struct exchange *next = exchange->next;
        exchange->connection = NULL;
        if (exchange->state == ANSWER_COMPLETE) exchange_release(exchange);
        else if (exchange->request.on_gone) exchange->request.on_gone(exchange->request.user);
        exchange = next;
    }
}

void connection_end(struct connection *connection)
{
    if (connection->state != CONNECTION_OPEN) return;
    if (connection->incoming || (connection->pending.n && !connection->first)) return; /* dispatch() will. */
    if (!connection->first && !connection->writing) {
        hang_up(connection);
        return;
    }
    connection->state = CONNECTION_ENDING;
    connection_drop_input(connection);
    respond_mark_dirty(connection);
}

static void on_shut(uv_shutdown_t *shutdown, int status)
{
    struct connection *connection = shutdown->data;
    if (status < 0) connection_close(connection);
}

void connection_finish(struct connection *connection)
{
    if (connection->eof) {
        connection_close(connection);
        return;
    }
    connection->state = CONNECTION_LINGERING;
    connection->shutdown.data = connection;
    if (connection->tls) {
        tls_close_notify(connection->tls);
        respond_flush(connection);
    }
    if (connection->state == CONNECTION_CLOSED) return;
    if (uv_shutdown(&connection->shutdown, (uv_stream_t *)&connection->tcp, on_shut) < 0)
        connection_close(connection);
}
