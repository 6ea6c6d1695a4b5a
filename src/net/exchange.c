/* net/exchange.c — requests with their answers, used again and again.
 *
 * An arena's first chunk is the one malloc a request would cost; the pool keeps it. An arena that a large
 * request has made large is freed at once.
 */
#include "net/protocol_int.h"

#include "base/list.h"
#include "base/must.h"

#include <stdlib.h>

struct exchange *exchange_new(struct http_server *server, struct connection *from)
{
    struct exchange *exchange = server->pool;
    if (exchange) {
        server->pool = exchange->next;
        server->pool_count--;
    } else {
        exchange = malloc(sizeof *exchange);
        must(exchange);
        arena_init(&exchange->arena, 0);
    }
    struct arena arena = exchange->arena;
    memset(exchange, 0, sizeof *exchange);
    exchange->arena = arena;
    exchange->server = server;
    exchange->known = !from || from->known;
    exchange->peer = from ? from->peer : NULL;
    exchange->request.remembered = from ? &from->remembered : NULL;
    if (exchange->peer) {
        account_ref(exchange->peer);
        exchange->request.peer = exchange->peer->address;
        exchange->request.address = arena_str(&exchange->arena, str_of(from->address));
        exchange->request.is_secure = from->tls != NULL;
        if (from->tls) exchange->request.certificate = arena_str(&exchange->arena, tls_subject(from->tls));
    }
    exchange->after = server->alive;
    exchange->request.arena = &exchange->arena;
    if (server->alive) server->alive->before = exchange;
    server->alive = exchange;
    return exchange;
}

void exchange_queue(struct exchange *exchange, struct connection *connection)
{
    exchange->connection = connection;
    list_append(connection, exchange, next);
    connection->in_flight++;
}

void exchange_unqueue(struct exchange *exchange)
{
    struct connection *connection = exchange->connection;
    list_remove(connection, exchange, next);
    connection->in_flight--;
}

void exchange_detach(struct exchange *exchange)
{
    exchange->connection->answer_bytes -= exchange->answer_bytes;
    exchange_unqueue(exchange);
    exchange->connection = NULL;
    exchange->request.remembered = NULL;
    if (exchange->state == ANSWER_COMPLETE) exchange_release(exchange);
    else if (exchange->request.on_gone) exchange->request.on_gone(exchange->request.user);
}

static void count(struct exchange *exchange, int64_t bytes)
{
    account_add(exchange->server->account, exchange->peer, exchange->known, bytes);
    if (exchange->pinned) account_pin(exchange->server->account, exchange->peer, bytes);
}

int64_t exchange_bytes(const struct exchange *exchange)
{
    if (exchange->known) return (int64_t)exchange->arena.used;
    return EXCHANGE_BYTES + (int64_t)(arena_bytes(&exchange->arena) + arena_bytes(&exchange->late));
}

void exchange_hold_request(struct exchange *exchange, int64_t bytes)
{
    if (bytes != exchange->request_bytes) count(exchange, bytes - exchange->request_bytes);
    exchange->request_bytes = bytes;
    if (bytes || !exchange->called) return;
    exchange->called = false;
    peer_count_call(exchange->peer, false);
    exchange_pin(exchange, exchange->connection && exchange->connection->known);
}

void exchange_pin(struct exchange *exchange, bool pinned)
{
    if (exchange->known || exchange->pinned == pinned) return;
    int64_t bytes = exchange->request_bytes + exchange->answer_bytes;
    exchange->pinned = pinned;
    account_pin(exchange->server->account, exchange->peer, pinned ? bytes : -bytes);
}

void exchange_note_call(struct exchange *exchange)
{
    if (exchange->known || !exchange->arrived || exchange->called) return;
    exchange->called = true;
    peer_count_call(exchange->peer, true);
    exchange_pin(exchange, true);
}

void exchange_set_known(struct exchange *exchange, bool known)
{
    if (exchange->known == known) return;
    must(!exchange->answer_bytes && !exchange->pinned);
    count(exchange, -exchange->request_bytes);
    exchange->known = known;
    count(exchange, exchange->request_bytes);
}

void exchange_hold_answer(struct exchange *exchange, int64_t bytes)
{
    int64_t more = bytes - exchange->answer_bytes;
    if (!more) return;
    if (exchange->known) budget_add(exchange->server->config.answers, more);
    else count(exchange, more);
    if (exchange->connection) exchange->connection->answer_bytes += more;
    exchange->answer_bytes = bytes;
}

void exchange_release(struct exchange *exchange)
{
    struct http_server *server = exchange->server;
    exchange_hold_request(exchange, 0);
    exchange_hold_answer(exchange, 0);
    alarm_drop(exchange);
    if (exchange->kept) {
        exchange->connection = NULL;
        exchange->request.remembered = NULL;
        exchange->over = true;
        return;
    }
    if (exchange->request.drop_caller) exchange->request.drop_caller(exchange->request.caller);
    exchange->request.drop_caller = NULL;
    if (exchange->before) exchange->before->after = exchange->after;
    else server->alive = exchange->after;
    if (exchange->after) exchange->after->before = exchange->before;

    if (exchange->stream.p) buf_done(&exchange->stream);
    if (exchange->stream_sending.p) buf_done(&exchange->stream_sending);
    if (exchange->body.p) buf_done(&exchange->body);
    if (exchange->late.chunk) arena_done(&exchange->late);
    if (exchange->peer) account_unref(exchange->peer, server_now(server));
    exchange->peer = NULL;
    if (server->pool_count == POOL_MAX) {
        arena_done(&exchange->arena);
        free(exchange);
        return;
    }
    if (exchange->arena.used > POOLED_ARENA_BYTES_MAX) arena_done(&exchange->arena);
    else arena_reset(&exchange->arena);
    exchange->next = server->pool;
    server->pool = exchange;
    server->pool_count++;
}

void exchange_free_pool(struct http_server *server)
{
    while (server->pool) {
        struct exchange *exchange = server->pool;
        server->pool = exchange->next;
        arena_done(&exchange->arena);
        free(exchange);
    }
    server->pool_count = 0;
}

void exchange_free_all(struct http_server *server)
{
    while (server->alive) {
        server->alive->kept = false;
        exchange_release(server->alive);
    }
    exchange_free_pool(server);
}
