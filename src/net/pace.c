/* net/pace.c — turns: no connection keeps the loop busy while others wait.
 *
 * In one round of the loop a connection may ask so many requests, a stranger fewer than a known client, and a
 * stranger gets so many bytes. Then it waits for its next turn, and its further bytes stay where they are.
 * Turns are given before the loop waits again, to known clients first, for a few milliseconds. A new
 * connection does not wait behind the others: its first bytes are looked at when they arrive. So that this is
 * soon, only so many connections are let in in one round.
 */
#include "net/protocol_int.h"

#include "base/clock.h"

static struct chain *chain_of(struct connection *connection)
{
    struct http_server *server = connection->server;
    return connection->known_turn ? &server->known_turns : &server->stranger_turns;
}

void pace_ask(struct connection *connection)
{
    if (connection->round != connection->server->round) connection->asked_in_round = 0;
    connection->round = connection->server->round;
    connection->asked_in_round++;
}

/* The system takes megabytes for a client that reads nothing, and each byte is copied. */
void pace_write(struct connection *connection, size_t bytes)
{
    if (connection->written_round != connection->server->round) connection->written_in_round = 0;
    connection->written_round = connection->server->round;
    connection->written_in_round += bytes;
}

bool pace_has_written(const struct connection *connection)
{
    return !connection->known && connection->written_round == connection->server->round &&
           connection->written_in_round >= STRANGER_WRITTEN_MAX;
}

bool pace_is_over(const struct connection *connection)
{
    return connection->round == connection->server->round &&
           connection->asked_in_round >= (connection->known ? KNOWN_TURN_MAX : STRANGER_TURN_MAX);
}

static void do_nothing(uv_idle_t *idle) { (void)idle; }

void pace_wait(struct connection *connection)
{
    if (connection->waits_for_turn || !(pace_is_over(connection) || pace_has_written(connection))) return;
    connection->waits_for_turn = true;
    connection->known_turn = connection->known;
    chain_append(chain_of(connection), CHAIN_TURN, connection);
    /* While it is active, the loop looks at its sockets without waiting for them. */
    uv_idle_start(&connection->server->busy, do_nothing);
}

void pace_forget(struct connection *connection)
{
    if (!connection->waits_for_turn) return;
    connection->waits_for_turn = false;
    chain_remove(chain_of(connection), CHAIN_TURN, connection);
}

struct connection *pace_next(struct http_server *server)
{
    struct connection *next =
        server->known_turns.first ? server->known_turns.first : server->stranger_turns.first;
    if (!next) uv_idle_stop(&server->busy);
    /* A connection that is here again has had its turn, and so have all others. */
    bool has_had_it = next && (pace_is_over(next) || pace_has_written(next));
    if (!next || has_had_it || clock_monotonic_us() > server->turns_end_us) return NULL;
    pace_forget(next);
    return next;
}

bool pace_may_accept(struct http_server *server)
{
    if (server->accepted_in_round++ < ACCEPTS_TURN_MAX) return true;
    uv_idle_start(&server->busy, do_nothing);
    return false;
}

void pace_begin_round(struct http_server *server)
{
    server->round++;
    server->accepted_in_round = 0;
    if (!server->known_turns.first && !server->stranger_turns.first) return;
    server->turns_end_us = clock_monotonic_us() + TURNS_US_MAX;
}
