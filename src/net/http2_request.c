/* net/http2_request.c — a request of HTTP/2 as it arrives: its head, the gate, its body, its handler.
 *
 *     begin ── head ──┬── handler at once: no body, a large one that is not wanted, or one wanted in pieces
 *                     └── body … end ── handler
 *
 * A request that is refused, or answered before it has arrived whole, costs its stream only. Bytes that still
 * come are dropped, and a client that does not stop is cut off with RST_STREAM (http2_answer.c).
 */
#include "net/http2_int.h"

#include "base/list.h"
#include "base/must.h"

/* A client that does not wait for an answer to its first request may send a few more, not hundreds. */
static bool is_one_too_many(const struct http2 *http2)
{
    const struct connection *connection = http2->connection;
    return !connection->known && connection->in_flight + http2->arriving >= STRANGER_STREAMS_MAX;
}

static void begin_to_arrive(struct http2 *http2, struct exchange *exchange)
{
    list_append(http2, exchange, next);
    http2->arriving++;
}

static void leave(struct http2 *http2, struct exchange *exchange)
{
    list_remove(http2, exchange, next);
    http2->arriving--;
}

void http2_request_begin(struct http2 *http2, int32_t stream_id)
{
    struct connection *connection = http2->connection;
    /* In the first case the client has not heard of GOAWAY yet. */
    if (connection->state != CONNECTION_OPEN || is_one_too_many(http2)) {
        nghttp2_submit_rst_stream(http2->session, NGHTTP2_FLAG_NONE, stream_id, NGHTTP2_REFUSED_STREAM);
        return;
    }
    struct exchange *exchange = exchange_new(connection->server, connection);
    exchange->stream_id = (uint32_t)stream_id;
    exchange->keep_alive = true;
    begin_to_arrive(http2, exchange);
    http2_head_begin(&http2->head, exchange);
    must(nghttp2_session_set_stream_user_data(http2->session, stream_id, exchange) == 0);
}

static void forget_head(struct http2 *http2, const struct exchange *exchange)
{
    if (http2->head.exchange == exchange) http2->head.exchange = NULL;
}

/* A connection that is one too many has asked its one question. */
static void end_if_refused(struct http2 *http2)
{
    struct connection *connection = http2->connection;
    if (!connection->refused || connection->state != CONNECTION_OPEN) return;
    nghttp2_submit_goaway(http2->session, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(http2->session), NGHTTP2_NO_ERROR, NULL, 0);
    connection_end_after_answers(connection);
}

static void dispatch(struct http2 *http2, struct exchange *exchange)
{
    struct connection *connection = http2->connection;
    leave(http2, exchange);
    /* The last request that was arriving when the server began to stop. */
    if (connection->server->draining && !http2->first && connection->state == CONNECTION_OPEN)
        connection->state = CONNECTION_ENDING;
    intake_dispatch(connection, exchange);
    end_if_refused(http2);
}

void http2_request_refuse(struct http2 *http2, struct exchange *exchange, enum refusal refusal)
{
    struct refusal_answer answer =
        respond_refusal(http2->connection->server, refusal, &exchange->request, &exchange->arena);
    forget_head(http2, exchange);
    leave(http2, exchange);
    exchange_queue(exchange, http2->connection);
    http_respond(&exchange->request, answer.status, answer.headers, answer.body);
    end_if_refused(http2);
}

void http2_request_gone(struct http2 *http2, struct exchange *exchange)
{
    forget_head(http2, exchange);
    if (exchange->connection) {
        exchange_detach(exchange);
    } else {
        leave(http2, exchange);
        exchange_release(exchange);
    }
}

/* Whether the body of a request that the gate does not want is small enough to be read before the answer, as
 * some clients want it. */
static bool is_read_anyway(int64_t announced)
{
    return announced != INTAKE_UNKNOWN && announced <= INTAKE_SMALL_BYTES;
}

static void expect_body(struct http2 *http2, struct exchange *exchange, int64_t announced)
{
    if (!exchange->unwanted) {
        intake_body(exchange, announced);
        if (http2->head.expects) http2_answer_continue(http2, (int32_t)exchange->stream_id);
    } else if (!is_read_anyway(announced)) {
        dispatch(http2, exchange);
    }
}

void http2_request_head(struct http2 *http2, bool ends)
{
    struct exchange *exchange = http2->head.exchange;
    if (!exchange) return;
    enum refusal refusal = http2_head_finish(&http2->head);
    int64_t announced = ends ? 0 : http2->head.content_length;
    if (announced < 0) announced = INTAKE_UNKNOWN;
    http2->head.exchange = NULL;
    exchange->arrived = ends;
    exchange->request.has_body = announced != 0;
    if (refusal == REFUSE_NOTHING) {
        intake_ask_gate(exchange, http2->connection);
        int64_t body = exchange->pieces ? 0 : announced;
        if (!exchange->unwanted)
            refusal = intake_check(exchange, http2->connection, body, body > 0 ? body : 0);
    }
    if (refusal != REFUSE_NOTHING) http2_request_refuse(http2, exchange, refusal);
    else if (ends || exchange->pieces) dispatch(http2, exchange);
    else expect_body(http2, exchange, announced);
}

/* ---- bodies ---- */

static void pay(struct http2 *http2, struct exchange *exchange)
{
    if (!exchange->unpaid_bytes || exchange->held) return;
    if (connection_is_behind(http2->connection)) {
        http2->withheld = true;
        return;
    }
    nghttp2_session_consume_stream(http2->session, (int32_t)exchange->stream_id, exchange->unpaid_bytes);
    exchange->unpaid_bytes = 0;
}

void http2_request_hold(struct exchange *exchange)
{
    if (exchange->held || !exchange->connection) return;
    pay(http2_of(exchange->connection), exchange);
    connection_mark_dirty(exchange->connection);
}

void http2_request_pay(struct http2 *http2)
{
    if (!http2->withheld || connection_is_behind(http2->connection)) return;
    http2->withheld = false;
    for (struct exchange *exchange = http2->first; exchange; exchange = exchange->next) pay(http2, exchange);
    for (struct exchange *exchange = http2->connection->first; exchange; exchange = exchange->next)
        pay(http2, exchange);
}

/* Keeps a part of a body that the handler will get whole. */
static enum refusal keep(struct http2 *http2, struct exchange *exchange, str bytes)
{
    size_t max = (size_t)intake_body_max(exchange);
    if (bytes.n > max - exchange->body.n) return REFUSE_LARGE_BODY;
    buf_add_str(&exchange->body, bytes);
    return intake_check_body(exchange, http2->connection);
}

void http2_request_body(struct http2 *http2, struct exchange *exchange, str bytes)
{
    nghttp2_session_consume_connection(http2->session, bytes.n);
    exchange->unpaid_bytes += bytes.n;
    if (exchange->connection) {
        if (exchange->pieces) intake_piece(exchange, bytes);
    } else if (!exchange->unwanted) {
        enum refusal refusal = keep(http2, exchange, bytes);
        if (refusal != REFUSE_NOTHING) http2_request_refuse(http2, exchange, refusal);
    }
    pay(http2, exchange);
}

void http2_request_end(struct http2 *http2, struct exchange *exchange)
{
    if (exchange->arrived) return;
    exchange->arrived = true;
    if (!exchange->connection) dispatch(http2, exchange);
    else if (exchange->pieces) intake_piece(exchange, STR(""));
}
