/* tests/sim/server.h — the production engine and query, driven in virtual time.
 *
 * What runtime.c does with threads happens here in events: calls gather in an inbox while the
 * engine is busy, queries run on their own, the engine sleeps until its next deadline. A crash
 * throws the engine away with everything in it; the next one opens on what was committed.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "runtime/engine.h"
#include "runtime/query.h"
#include "world.h"

struct copy;

struct server {
    struct store *durable; /* What survives. */
    struct store *store;   /* The connection of the living engine, with its faults. */
    struct engine engine;
    struct query query;
    struct metrics metrics;
    struct limits limits;
    bool up;
    uint32_t generation; /* How many engines there have been. */
    struct call_list inbox, query_inbox;
    bool query_busy;
    int64_t turn_ms;            /* When the engine looks at its inbox; INT64_MAX: it is empty. */
    int64_t wake_ms;            /* When it acts by itself. */
    LIST(struct copy *) inside; /* Every request between arrival and answer. */
    size_t crash_count, spin_count;
};

void server_begin(struct world *world);
void server_end(struct world *world);

/* A request has arrived. False: nobody listens. */
bool server_arrive(struct world *world, struct copy *copy);

/* Virtual time of the next turn, or INT64_MAX. */
int64_t server_due_ms(const struct world *world);
void server_turn(struct world *world);

void server_clock_jumped(struct world *world);
/* The faults have stopped: a server that is broken or down comes back. */
void server_calm(struct world *world);

#endif
