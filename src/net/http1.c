/* net/http1.c — HTTP/1.1 and HTTP/1.0: bytes to requests, one behind the other.
 *
 * A request that arrives whole is parsed where it was read and copied once, into its exchange's arena.
 * Otherwise its head waits in connection->pending until it is complete, and then its body in exchange->body.
 *
 * Several requests may be in flight (pipelining). Their answers leave in the order of the requests; that is
 * http1_answer.c's affair.
 */
#include "net/http1_int.h"
#include "net/parse_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <stdlib.h>

enum {
    BODY_STEP_BYTES = 128 << 10, /* A large body grows with what arrives, not with what was announced. */
    DIRECT_BYTES_MIN = 4 << 10,  /* Less is not worth a read of its own. */
};

static struct http1 *session_of(const struct connection *connection) { return connection->session; }

static enum protocol_match recognise(str first_bytes)
{
    (void)first_bytes;
    return MATCH_YES; /* Bytes that are no request get an error that says so. */
}

static void opened(struct connection *connection)
{
    connection->session = calloc(1, sizeof(struct http1));
    must(connection->session);
}

static void closed(struct connection *connection) { free(connection->session); }

static bool wants(const struct connection *connection)
{
    /* HTTP/1.0 knows no pipelining. */
    if (connection->last && (connection->last->old || connection->last->held)) return false;
    if (connection_is_behind(connection) && !session_of(connection)->incoming) return false;
    int64_t max = connection->server->config.limits.pipeline_max;
    if (!connection->known && max > STRANGER_PIPELINE_MAX) max = STRANGER_PIPELINE_MAX;
    return connection->in_flight < max && !pace_is_over(connection);
}

static void abandon(struct connection *connection)
{
    struct http1 *session = session_of(connection);
    if (session->incoming) exchange_release(session->incoming);
    session->incoming = NULL;
    session->continue_due = false;
}

static void dispatch(struct connection *connection)
{
    struct http1 *session = session_of(connection);
    struct exchange *exchange = session->incoming;
    session->incoming = NULL;
    session->continue_due = false;
    connection->phase = PHASE_NEW;
    exchange->arrived = true;
    if (!exchange->keep_alive || connection->server->draining || connection->refused)
        connection->state = CONNECTION_ENDING;
    intake_dispatch(connection, exchange);
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

/* ---- heads ---- */

static str moved(str text, const char *from, const char *to) { return (str){ to + (text.p - from), text.n }; }

/* A request with its own copy of `bytes`, its head and perhaps all of its body: the read buffer will be used
 * for the next. */
static struct exchange *exchange_from(struct connection *connection, const struct http_head *head,
                                      size_t head_bytes, str bytes)
{
    struct exchange *exchange = exchange_new(connection->server, connection);
    struct http_request *request = &exchange->request;
    size_t table_bytes = head->header_count * sizeof(struct http_header);
    struct http_header *header = arena_alloc(&exchange->arena, table_bytes + bytes.n);
    char *copy = (char *)header + table_bytes;
    memcpy(copy, bytes.p, bytes.n);
    for (size_t i = 0; i < head->header_count; i++) {
        header[i].name = moved(head->header[i].name, bytes.p, copy);
        header[i].value = moved(head->header[i].value, bytes.p, copy);
    }
    http_set_headers(request, header, head->header_count);
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

static int64_t announced_bytes(const struct http_head *head)
{
    if (head->chunked) return INTAKE_UNKNOWN;
    return head->content_length > 0 ? head->content_length : 0;
}

static void expect_body(struct connection *connection, const struct http_head *head, bool more_is_here)
{
    struct http1 *session = session_of(connection);
    session->chunked = head->chunked;
    session->chunks = (struct http_chunks){ 0 };
    session->body_left = head->chunked ? 0 : (uint64_t)head->content_length;
    session->continue_due = head->expect_continue && !more_is_here;
    connection->phase = PHASE_NEW;
    if (!session->incoming->unwanted) intake_body(session->incoming, announced_bytes(head));
}

/* Asks the gate what becomes of the request and its body. False: it was refused here, or is being answered
 * without the body, and the connection ends with that answer: a small body is cheaper to read than to close.
 */
static bool pass_gate(struct connection *connection, const struct http_head *head, bool whole)
{
    struct exchange *exchange = session_of(connection)->incoming;
    int64_t announced = announced_bytes(head);
    str body = exchange->request.body;
    exchange->request.body = (str){ "", 0 };
    intake_ask_gate(exchange, connection);
    if (exchange->unwanted) {
        bool small = announced != INTAKE_UNKNOWN && announced <= INTAKE_SMALL_BYTES;
        if (whole || (small && !head->expect_continue)) return true;
        exchange->keep_alive = false;
        dispatch(connection);
        connection_drop_input(connection);
        return false;
    }
    exchange->request.body = body;
    enum refusal refusal =
        intake_check(exchange, connection, announced, announced > 0 && !whole ? announced : 0);
    if (refusal == REFUSE_NOTHING) return true;
    http1_refuse(connection, refusal);
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
        http1_refuse(connection, refusal_of(n));
        return 0;
    }
    size_t head_bytes = (size_t)n, body_bytes = head.content_length > 0 ? (size_t)head.content_length : 0;
    bool fits = ARENA_BODY_BYTES_MAX > 0 || !body_bytes;
    bool whole = fits && !head.chunked && body_bytes <= bytes.n - head_bytes;
    if (!whole) body_bytes = 0;
    session_of(connection)->incoming =
        exchange_from(connection, &head, head_bytes, (str){ bytes.p, head_bytes + body_bytes });
    if (!pass_gate(connection, &head, whole)) return 0;
    if (whole) dispatch(connection);
    else expect_body(connection, &head, bytes.n > head_bytes);
    return head_bytes + body_bytes;
}

/* ---- bodies ---- */

/* Counts the bytes that have arrived. False: there is no room for them. */
static bool keep_body(struct connection *connection)
{
    enum refusal refusal = intake_check_body(session_of(connection)->incoming, connection);
    if (refusal == REFUSE_NOTHING) return true;
    http1_refuse(connection, refusal);
    return false;
}

static size_t take_chunks(struct connection *connection, str bytes)
{
    struct http1 *session = session_of(connection);
    size_t body_max = (size_t)intake_body_max(session->incoming);
    bool complete;
    int64_t n = http_parse_chunks(&session->chunks, bytes, body_max, &session->incoming->body, &complete);
    if (n < 0) {
        http1_refuse(connection, n == -400 ? REFUSE_CHUNK : refusal_of((int)n));
        return 0;
    }
    if (!keep_body(connection)) return 0;
    if (complete) dispatch(connection);
    return (size_t)n;
}

/* Reads large bodies into their place. */
static char *room(struct connection *connection, size_t *ret_bytes)
{
    struct http1 *session = session_of(connection);
    if (!session->incoming || session->chunked) return NULL;
    struct buf *body = &session->incoming->body;
    if (session->incoming->unwanted || body->arena || session->body_left < DIRECT_BYTES_MIN) return NULL;
    size_t bytes = session->body_left < BODY_STEP_BYTES ? (size_t)session->body_left : BODY_STEP_BYTES;
    *ret_bytes = bytes;
    return buf_reserve(body, bytes);
}

static size_t take_body(struct connection *connection, str bytes)
{
    struct http1 *session = session_of(connection);
    if (session->chunked) return take_chunks(connection, bytes);
    struct buf *body = &session->incoming->body;
    size_t n = bytes.n < session->body_left ? bytes.n : (size_t)session->body_left;
    if (body->p && bytes.p == body->p + body->n) body->n += n; /* Read in place. */
    else if (!session->incoming->unwanted) buf_add(body, bytes.p, n);
    session->body_left -= n;
    if (!keep_body(connection)) return 0;
    if (!session->body_left) dispatch(connection);
    return n;
}

static size_t take(struct connection *connection, str bytes)
{
    const struct http1 *session = session_of(connection);
    size_t at = 0;
    while (at < bytes.n && connection->state == CONNECTION_OPEN && wants(connection)) {
        str rest = { bytes.p + at, bytes.n - at };
        size_t n = session->incoming ? take_body(connection, rest) : take_head(connection, rest);
        if (!n) break;
        at += n;
    }
    return at;
}

/* A head that is incomplete stays so without a line end, unless it is too long already. Parsing it again for
 * every byte of a slow sender would cost the square of its length. */
static bool may_help(const struct connection *connection, str more)
{
    return session_of(connection)->incoming || memchr(more.p, '\n', more.n) ||
           connection->pending.n + more.n >= (size_t)connection->server->config.limits.header_bytes_max;
}

/* ---- waiting and ending ---- */

static void hold(struct exchange *exchange) { connection_mark_dirty(exchange->connection); }

static enum connection_phase phase(const struct connection *connection)
{
    if (session_of(connection)->incoming) return PHASE_BODY;
    if (connection->pending.n) return PHASE_HEAD;
    return connection->first ? PHASE_WAIT : PHASE_IDLE;
}

static void timed_out(struct connection *connection, enum connection_phase late)
{
    http1_refuse(connection, late == PHASE_BODY ? REFUSE_SLOW_BODY : REFUSE_SLOW_HEAD);
}

/* dispatch() ends the connection behind a request that is arriving. */
static bool drain(struct connection *connection)
{
    return !session_of(connection)->incoming && (!connection->pending.n || connection->first);
}

const struct protocol http1_protocol = {
    .name = STR_INIT("http/1.1"),
    .recognise = recognise,
    .opened = opened,
    .closed = closed,
    .wants = wants,
    .take = take,
    .may_help = may_help,
    .room = room,
    .phase = phase,
    .timed_out = timed_out,
    .abandon = abandon,
    .drain = drain,
    .refuse = http1_refuse,
    .hold = hold,
    .respond = http1_respond,
    .stream_begin = http1_stream_begin,
    .stream_add = http1_stream_add,
    .stream_end = http1_stream_end,
    .collect = http1_collect,
    .written = http1_written,
};
