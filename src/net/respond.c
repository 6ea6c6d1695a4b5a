/* net/respond.c — answers, as handlers give them and as every protocol needs them.
 *
 * The protocol of the connection puts an answer into its form; the bytes are counted and dropped here.
 * Nothing is written at once: the connection is marked dirty and flushed before the loop waits again.
 */
#include "net/protocol_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <time.h>

enum {
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

static void print_date(struct http_server *server)
{
    const struct clock clock = clock_system();
    time_t second = (time_t)(clock_now_ms(&clock) / 1000);
    struct tm utc;
    must(gmtime_r(&second, &utc));
    must(strftime(server->date, sizeof server->date, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc) ==
         DATE_BYTES);
}

/* The loop's clock is free to ask, but its seconds begin at other moments than the wall clock's: so the wall
 * clock is asked a few times per second. */
str respond_date_line(struct http_server *server)
{
    int64_t now = server_now(server);
    if (!server->date[0] || now - server->date_printed_ms >= DATE_KEPT_MS) {
        print_date(server);
        server->date_printed_ms = now;
    }
    return (str){ server->date, DATE_BYTES };
}

/* ---- what handlers call ---- */

static struct exchange *exchange_of(struct http_request *request) { return (struct exchange *)request; }

/* Looks at the newest chunk only: what lies in an older one is copied once more, no harm. */
static bool is_in_arena(const struct arena *arena, str bytes)
{
    uintptr_t at = (uintptr_t)bytes.p;
    return arena->chunk && at >= (uintptr_t)arena->chunk && at + bytes.n <= (uintptr_t)arena->next;
}

str respond_own(struct exchange *exchange, str body)
{
    struct arena *arena = respond_arena(exchange);
    if (exchange->lasting) return body;
    return is_in_arena(arena, body) ? body : arena_str(arena, body);
}

/* While the handler keeps the request, another thread may be allocating in its arena. */
static int64_t arena_bytes_of(const struct exchange *exchange)
{
    return exchange->kept ? (int64_t)exchange->late.used : exchange_bytes(exchange);
}

static void give(struct exchange *exchange, int status, str headers, str body)
{
    struct http_request *request = &exchange->request;
    must(exchange->state == ANSWER_NONE && status >= 100 && status <= 999);
    request->status = status;
    exchange->state = ANSWER_COMPLETE;
    if (exchange->local) {
        local_respond(exchange, arena_str(respond_arena(exchange), headers), respond_own(exchange, body));
        return;
    }
    if (!exchange->connection) {
        exchange_release(exchange);
        return;
    }
    exchange->connection->protocol->respond(exchange, status, headers, body);
    /* The answer has its own copy of whatever it took from the request. */
    http_drop_body(request);
    exchange_hold_request(exchange, 0);
    exchange_hold_answer(exchange, arena_bytes_of(exchange));
    connection_mark_dirty(exchange->connection);
}

void http_respond(struct http_request *request, int status, str headers, str body)
{
    give(exchange_of(request), status, headers, body);
}

void http_respond_lasting(struct http_request *request, int status, str headers, str body)
{
    struct exchange *exchange = exchange_of(request);
    exchange->lasting = true;
    give(exchange, status, headers, body);
}

void http_respond_with_trailers(struct http_request *request, int status, str headers, str body, str trailers)
{
    struct exchange *exchange = exchange_of(request);
    exchange->bare = true;
    exchange->trailers = trailers.n ? respond_own(exchange, trailers) : STR_NONE;
    give(exchange, status, headers, body);
}

void http_drop_body(struct http_request *request)
{
    struct exchange *exchange = exchange_of(request);
    if (!exchange->body.p || exchange->body.arena) return;
    buf_done(&exchange->body);
    request->body = (str){ "", 0 };
}

void http_hold_body(struct http_request *request, bool hold)
{
    struct exchange *exchange = exchange_of(request);
    exchange->held = hold;
    if (exchange->connection && exchange->connection->protocol->hold)
        exchange->connection->protocol->hold(exchange);
}

void http_count(struct http_request *request) { intake_hold(exchange_of(request)); }

void http_keep(struct http_request *request) { exchange_of(request)->kept = true; }

void http_let_go(struct http_request *request)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->kept);
    exchange->kept = false;
    if (exchange->over) exchange_release(exchange);
}

void http_set_deadline(struct http_request *request, int64_t at_us, net_fn *fn)
{
    alarm_set(exchange_of(request), at_us, fn);
}

/* A stream holds its arena once, and the bytes that wait. */
static void hold_stream(struct exchange *exchange)
{
    exchange_hold_answer(exchange,
                         exchange_bytes(exchange) + (int64_t)(exchange->stream.n + exchange->body_left.n));
}

size_t http_stream_behind(const struct http_request *request)
{
    const struct exchange *exchange = (const struct exchange *)request;
    if (exchange->local) return 0; /* It is gathered. */
    return exchange->head_left.n + exchange->body_left.n + exchange->stream.n;
}

void http_stream_begin(struct http_request *request, int status, str headers)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_NONE && respond_has_body(status));
    request->status = status;
    exchange->state = ANSWER_STREAM;
    if (exchange->local) local_begin_stream(exchange, respond_own(exchange, headers));
    if (!exchange->connection) return;
    exchange->connection->protocol->stream_begin(exchange, status, headers);
    http_drop_body(request);
    exchange_hold_request(exchange, 0);
    hold_stream(exchange);
    connection_mark_dirty(exchange->connection);
}

/* Ends with the next flush, not under the caller's feet. */
static void give_up(struct exchange *exchange)
{
    struct connection *connection = exchange->connection;
    exchange->given_up = true;
    if (connection->protocol->give_up) connection->protocol->give_up(exchange);
    else connection->broken = true;
    connection_mark_dirty(connection);
}

bool http_stream_write(struct http_request *request, str bytes)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_STREAM);
    struct connection *connection = exchange->connection;
    if (exchange->local) return local_add_to_stream(exchange, bytes);
    if (!connection || connection->broken || exchange->given_up) return false;
    if (!bytes.n || exchange->head_only) return true;
    if (exchange->stream.n + exchange->body_left.n > STREAM_BEHIND_BYTES_MAX) {
        give_up(exchange);
        return false;
    }
    connection->protocol->stream_add(exchange, bytes);
    hold_stream(exchange);
    connection_mark_dirty(connection);
    return true;
}

void http_stream_end(struct http_request *request) { http_stream_end_with_trailers(request, STR_NONE); }

void http_stream_end_with_trailers(struct http_request *request, str trailers)
{
    struct exchange *exchange = exchange_of(request);
    must(exchange->state == ANSWER_STREAM);
    exchange->state = ANSWER_COMPLETE;
    if (exchange->local) {
        local_end_stream(exchange, respond_own(exchange, trailers));
        return;
    }
    if (!exchange->connection) {
        exchange_release(exchange);
        return;
    }
    exchange->trailers = trailers.n ? respond_own(exchange, trailers) : STR_NONE;
    exchange->connection->protocol->stream_end(exchange);
    connection_mark_dirty(exchange->connection);
}

/* ---- what protocols call ---- */

struct refusal_answer respond_refusal(struct http_server *server, enum refusal refusal,
                                      struct http_request *request, struct arena *arena)
{
    static const struct refusal_answer refusals[] = {
#define XX(NAME, status, advice, error, reason, message)                                             \
    [REFUSE_##NAME] = {                                                                              \
        status,                                                                                      \
        STR_INIT("Content-Type: application/json\r\n" advice),                                       \
        STR_INIT("{\"error\":\"" error "\",\"reason\":\"" reason "\",\"message\":\"" message "\"}"), \
    },
        REFUSAL_MAP(XX)
#undef XX
    };
    must(refusal != REFUSE_NOTHING);
    struct refusal_answer answer = refusals[refusal];
    const struct http_server_config *config = &server->config;
    str type;
    if (request && refusal == REFUSE_LARGE_BODY && config->large_body &&
        config->large_body(request, arena, config->context, &type, &answer.body))
        answer.headers = arena_printf(arena, "Content-Type: %.*s\r\n", STR_ARG(type));
    if (request && config->refusal_headers) {
        struct buf headers;
        buf_init(&headers, arena);
        buf_add_str(&headers, answer.headers);
        buf_add_str(&headers, config->refusal_headers(request, config->context));
        answer.headers = buf_str(&headers);
    }
    return answer;
}

void respond_refill(struct exchange *exchange)
{
    if (exchange->body_left.n || !exchange->stream.n) return;
    buf_done(&exchange->stream_sending);
    exchange->stream_sending = exchange->stream;
    buf_init(&exchange->stream, NULL);
    exchange->body_left = buf_str(&exchange->stream_sending);
}

bool respond_is_written(const struct exchange *exchange)
{
    return exchange->state == ANSWER_COMPLETE && !http_stream_behind(&exchange->request);
}

void respond_finished(struct exchange *exchange)
{
    const struct http_server_config *config = &exchange->server->config;
    exchange_unqueue(exchange);
    exchange->connection->write_deadline = 0; /* The next answer has its own time. */
    if (config->observer) {
        int64_t took_us = clock_monotonic_us() - exchange->request.began_us;
        config->observer(&exchange->request, took_us, config->context);
    }
    exchange_release(exchange);
}

void respond_streamed(struct exchange *exchange)
{
    if (exchange->state != ANSWER_STREAM) return;
    hold_stream(exchange);
    net_fn *on_drained = exchange->request.on_drained;
    if (!on_drained || http_stream_behind(&exchange->request)) return;
    exchange->request.on_drained = NULL;
    on_drained(exchange->request.user);
}
