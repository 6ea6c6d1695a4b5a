/* net/alarm.c — deadlines of requests: a heap with the nearest one first, and one timer for all of them.
 *
 * The timer is set for the nearest deadline when that becomes nearer, and again when it has gone off. A
 * deadline that is taken out leaves the timer as it is: it goes off for nothing once, which is cheaper than
 * to set it for every request that ends in time.
 */
#include "net/protocol_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <stdlib.h>

static void put(struct http_server *server, size_t at, struct exchange *exchange)
{
    server->deadlines[at] = exchange;
    exchange->deadline_place = at + 1;
}

static void sift_up(struct http_server *server, size_t at)
{
    struct exchange *exchange = server->deadlines[at];
    for (; at; at = (at - 1) / 2) {
        struct exchange *parent = server->deadlines[(at - 1) / 2];
        if (parent->deadline_us <= exchange->deadline_us) break;
        put(server, at, parent);
    }
    put(server, at, exchange);
}

static void sift_down(struct http_server *server, size_t at)
{
    struct exchange *exchange = server->deadlines[at];
    for (size_t child; (child = 2 * at + 1) < server->deadline_count; at = child) {
        struct exchange *const *pair = &server->deadlines[child];
        if (child + 1 < server->deadline_count && pair[1]->deadline_us < pair[0]->deadline_us) child++;
        if (server->deadlines[child]->deadline_us >= exchange->deadline_us) break;
        put(server, at, server->deadlines[child]);
    }
    put(server, at, exchange);
}

void alarm_drop(struct exchange *exchange)
{
    struct http_server *server = exchange->server;
    if (!exchange->deadline_place) return;
    size_t at = exchange->deadline_place - 1;
    exchange->deadline_place = 0;
    struct exchange *last = server->deadlines[--server->deadline_count];
    if (last == exchange) return;
    put(server, at, last);
    sift_up(server, at);
    sift_down(server, last->deadline_place - 1);
}

static void on_alarm(uv_timer_t *timer);

static void set_timer(struct http_server *server)
{
    if (!server->deadline_count || server->closing) return;
    int64_t left_us = server->deadlines[0]->deadline_us - clock_monotonic_us();
    uint64_t ms = left_us > 0 ? (uint64_t)(left_us + 999) / 1000 : 0;
    uv_update_time(net_loop_uv(server->loop));
    must(uv_timer_start(&server->alarm, on_alarm, ms, 0) == 0);
}

static void on_alarm(uv_timer_t *timer)
{
    struct http_server *server = timer->data;
    int64_t now_us = clock_monotonic_us();
    while (server->deadline_count && server->deadlines[0]->deadline_us <= now_us) {
        struct exchange *exchange = server->deadlines[0];
        alarm_drop(exchange);
        exchange->on_deadline(exchange->request.user);
    }
    set_timer(server);
}

void alarm_set(struct exchange *exchange, int64_t at_us, net_fn *fn)
{
    struct http_server *server = exchange->server;
    alarm_drop(exchange);
    if (!at_us) return;
    if (server->deadline_count == server->deadline_room) {
        server->deadline_room = server->deadline_room ? 2 * server->deadline_room : 64;
        server->deadlines = realloc(server->deadlines, server->deadline_room * sizeof(struct exchange *));
        must(server->deadlines);
    }
    exchange->deadline_us = at_us;
    exchange->on_deadline = fn;
    server->deadlines[server->deadline_count] = exchange;
    sift_up(server, server->deadline_count++);
    if (exchange->deadline_place == 1) set_timer(server);
}

void alarm_done(struct http_server *server) { free(server->deadlines); }
