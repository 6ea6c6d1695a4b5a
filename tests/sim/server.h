/* tests/sim/server.h — the production engine and query, driven in virtual time.
 *
 * What runtime.c does with threads happens here in events: calls gather in an inbox while the
 * engine is busy, queries run on their own, the engine sleeps until its next deadline. A crash
 * throws the engine away with everything in it; the next one opens on what was committed.
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include "runtime/engine.h"
#include "runtime/memory/memory.h"
#include "runtime/queries.h"
#include "world.h"

/* A node. */
struct server {
    struct world *world;
    uint32_t place;      /* Among the nodes. */
    struct store *inner; /* The living engine's own handle on what survives. */
    struct store *store; /* The same with its faults. */
    struct engine engine;
    struct query query;
    struct metrics metrics;
    struct vault *vault;         /* NULL: the run has no secrets. */
    struct directory *directory; /* NULL: the run has no access. */
    struct limits limits;
    bool up;
    uint32_t generation; /* The number of its engine, among those of all nodes. */
    bool fenced;         /* Others have taken over its work. */
    bool in_turn;        /* It is in the middle of one; others may go on meanwhile. */
    int64_t opened_ms;
    int64_t turn_began_ms; /* The last one. */
    int64_t turn_wall_ms;  /* What the engine's clock showed then. */
    int64_t paused_ms;     /* When its last pause was over. */
    int64_t rejoined_ms;   /* When it last got another number. */
    struct call_list inbox, query_inbox;
    bool query_busy;
    int64_t turn_ms; /* When the engine looks at its inbox; INT64_MAX: it is empty. */
    int64_t wake_ms; /* When it acts by itself. */
    size_t spin_count;
};

void server_begin(struct world *world);
void server_end(struct world *world);

/* A request has arrived, at any of the nodes. False: nobody listens there. */
bool server_arrive(struct world *world, struct copy *copy);

/* For the gate: its own questions to the query thread, an answer, and a request that may go on. */
void server_ask(struct world *world, struct copy *copy, struct call *call);
void server_answer(struct world *world, struct call *call);
void server_let_in(struct world *world, struct copy *copy);

/* The node whose turn comes next; NULL: none. */
struct server *server_next(const struct world *world);
/* Virtual time of its next turn, or INT64_MAX. */
int64_t server_due_ms(const struct server *server);
void server_turn(struct world *world, struct server *server);

/* Is there an engine of that number, which the others let work? */
bool server_lives(const struct world *world, uint32_t generation);
bool server_all_up(const struct world *world);
/* Somebody has fenced the node of that number. */
void server_fenced(struct world *world, int64_t node);
/* … and its row is gone. */
void server_forgotten(struct world *world, int64_t node);
/* Is there a node of that number, living or dead? */
bool server_is_known(const struct world *world, int64_t node);
/* The node that acts has a new number. */
void server_rejoined(struct world *world);
/* The node that acts stops for a while, wherever it is. */
void server_pause(struct world *world);

/* The next key of secrets that a node has left counts as old. False: there is none, or a rekey may be under
 * way. */
bool server_age_next_key(struct world *world);

void server_clock_jumped(struct world *world);
/* The faults have stopped: a server that is broken or down comes back. */
void server_calm(struct world *world);

#endif
