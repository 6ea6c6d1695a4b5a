/* net/local.c — requests that came another way than by a connection. Their answers go to a function.
 *
 * They go through the gate and to the handler like any other. An answer is handed over before the loop waits
 * again, because the handler may look at its request until it returns to the loop.
 */
#include "net/parse_int.h"
#include "net/protocol_int.h"

#include "base/clock.h"
#include "base/must.h"

struct exchange_local {
    http_local_fn *done;
    void *context;
    str headers, body;
    struct exchange *next; /* The next one that is answered. */
};

/* ---- the answer ---- */

static void complete(struct exchange *exchange)
{
    exchange->local->next = exchange->server->answered;
    exchange->server->answered = exchange;
}

void local_respond(struct exchange *exchange, str headers, str body)
{
    exchange->local->headers = headers;
    exchange->local->body = body;
    complete(exchange);
}

void local_begin_stream(struct exchange *exchange, str headers) { exchange->local->headers = headers; }

bool local_add_to_stream(struct exchange *exchange, str bytes)
{
    if (exchange->stream.n + bytes.n > LOCAL_STREAM_BYTES_MAX) return false;
    buf_add_str(&exchange->stream, bytes);
    return true;
}

void local_end_stream(struct exchange *exchange, str trailers)
{
    exchange->trailers = trailers;
    exchange->local->body = buf_str(&exchange->stream);
    complete(exchange);
}

void local_hand_over(struct http_server *server)
{
    while (server->answered) {
        struct exchange *exchange = server->answered;
        const struct exchange_local *local = exchange->local;
        server->answered = local->next;
        const struct http_local_answer answer = { .status = exchange->request.status,
                                                  .headers = local->headers,
                                                  .body = local->body,
                                                  .trailers = exchange->trailers };
        local->done(local->context, &answer);
        exchange_release(exchange);
    }
}

/* ---- the request ---- */

static void copy_request(struct exchange *exchange, const struct http_local *local)
{
    struct http_request *request = &exchange->request;
    struct arena *arena = &exchange->arena;
    request->is_local = true;
    request->caller = local->caller;
    request->drop_caller = local->drop_caller;
    request->began_us = clock_monotonic_us();
    request->method = arena_str(arena, local->method);
    request->target = arena_str(arena, local->target);
    parse_split_target(request->target, &request->path, &request->query);
    struct http_header *header = arena_make_n(arena, struct http_header, local->header_count);
    for (size_t i = 0; i < local->header_count; i++)
        header[i] = (struct http_header){ arena_str(arena, local->header[i].name),
                                          arena_str(arena, local->header[i].value) };
    http_set_headers(request, header, local->header_count);
    request->has_body = local->body.n > 0;
    exchange->head_only = str_equal(request->method, STR("HEAD"));
    exchange->arrived = true;
    exchange->stream_id = local->is_call; /* grpc_is_call() */
}

enum status http_server_run(struct http_server *server, const struct http_local *local, struct error *err)
{
    struct exchange *exchange = exchange_new(server, NULL);
    copy_request(exchange, local);
    exchange->local = arena_make(&exchange->arena, struct exchange_local);
    *exchange->local = (struct exchange_local){ .done = local->done, .context = local->context };
    intake_ask_gate(exchange, NULL);
    int64_t bytes = (int64_t)local->body.n;
    if (intake_check(exchange, NULL, bytes, bytes) != REFUSE_NOTHING) {
        exchange_release(exchange);
        return fail(err, ST_OVERLOAD, "requests", "requests that are in memory have reached the limit");
    }
    buf_init(&exchange->body, NULL);
    if (!exchange->unwanted) buf_add_str(&exchange->body, local->body);
    intake_run(exchange);
    return ST_OK;
}
