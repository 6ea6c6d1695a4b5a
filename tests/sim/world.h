/* tests/sim/world.h — time, chance and what happens next, all from one seed.
 *
 *     clients, workers ──► network ──► server (the production engine) ──► faulty store
 *            ▲                │                                               │
 *            └────────────────┘         checker ◄── requests, answers, history┘
 *
 * There is one thread and one list of events in virtual time. Everything random comes from the
 * world's generator, so the same seed gives the same run, byte for byte; the trace's hash proves
 * it. A run has two parts: one in which everything may fail, and one in which the faults have
 * stopped and all that can finish must.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "base/arena.h"
#include "base/must.h"
#include "json/json.h"

struct store;
struct copy;
struct server;
struct network;
struct actors;
struct checker;
struct entity_checker;
struct access_actors;
struct access_model;
struct principal;
struct world;

/* ---- lists that grow in an arena ---- */

#define LIST(type)         \
    struct {               \
        type *item;        \
        size_t count, cap; \
    }

void list_room(struct arena *arena, void *items, size_t count, size_t *cap, size_t bytes);

/* A new item at the end, not set. */
#define list_push(arena, list)                                                             \
    (list_room((arena), &(list)->item, (list)->count, &(list)->cap, sizeof *(list)->item), \
     &(list)->item[(list)->count++])

/* Takes one out and keeps the order of the others. */
#define list_cut(list, at)                              \
    memmove(&(list)->item[at], &(list)->item[(at) + 1], \
            (--(list)->count - (size_t)(at)) * sizeof *(list)->item)

/* ---- what may go wrong in this run ---- */

/* Chances are per 10,000 unless their name says otherwise. */
struct profile {
    /* The network. */
    uint32_t drop, duplicate, slow, lose_reply;
    /* The store: per operation. */
    uint32_t full_begin, full_apply, full_commit, unknown_commit, fail_begin, fail_apply, fail_read, kill;
    uint32_t fail_query; /* A read of one row for a query. */
    uint32_t stop;       /* A polite end, per turn. */
    /* Several nodes. */
    uint32_t again; /* A commit that another node is in the way of. */
    uint32_t
        pause; /* A node stops in the middle of something, and goes on later: per operation of the store. */
    uint32_t deaf; /* It is not woken when another one offers jobs. */
    /* Time. */
    uint32_t jump; /* Per second of virtual time. */
    int64_t jump_ms_max;
    /* Workers: per job. */
    uint32_t die, stall, fail, twice, extend;
    /* How much of what. */
    uint32_t definition_count, start_count, worker_count, client_count;
    uint32_t flow_count;  /* Of the definitions: Serverless Workflow documents. */
    uint32_t graph_count; /* Of the definitions: flow graphs. They come first. */
    uint32_t events;      /* Events sent by clients: per act. */
    uint32_t resend;      /* One that was sent before. */
    uint32_t bulk;        /* One command for many: per act. */
    uint32_t migrate;     /* How many of these are migrations. */
    uint32_t retire;      /* Somebody retires or deletes a definition: per act. */
    uint32_t bulk_turn_max;
    uint32_t schedules;      /* Definitions that start by a schedule. */
    uint32_t secrets;        /* Somebody does something with secrets: per act. */
    uint32_t trigger_routes; /* Definitions whose triggers want the same paths. */
    uint32_t keyed, business_keyed, batch, cancel, early, modify, wrong, redeploy;
    int64_t fault_ms;                          /* How long the first part lasts. */
    int64_t retention_ms, retention_failed_ms; /* 0: for ever. */
    int64_t cache_bytes_max, programs_bytes_max;
    int64_t visits_max;
    int64_t turn_fuel_max;                 /* Small: calls, timers and events take several turns. */
    uint32_t memory_check, recovery_check; /* Per turn. */
    bool unique_keys;                      /* Entities: the model has one. */
};

/* Which definitions a run may have. */
enum dialects {
    DIALECTS_ANY,
    DIALECTS_STEPS,
    DIALECTS_SERVERLESS,
    DIALECTS_GRAPH,
    DIALECTS_ENTITY,
    DIALECTS_MIGRATE, /* Steps, whose instances go from version to version. */
};

enum { SIM_NODES_MAX = 8 };

typedef void event_fn(struct world *world, void *subject);

struct event {
    int64_t at_ms;
    uint64_t order; /* Of those at the same time. */
    event_fn *run;
    void *subject;
};

struct world {
    uint64_t seed;
    int32_t tenant; /* All clients are of this one. If it is not the default one, some requests are sent again
                       by a stranger of another tenant, and find nothing. */
    enum dialects dialects;
    uint64_t random;
    struct arena arena; /* Lives as long as the run. */
    struct profile profile;
    int64_t now_ms;          /* Virtual time: never jumps. */
    int64_t machine_skew_ms; /* The machine's clock shows now_ms + machine_skew_ms. */
    int64_t skew_ms;         /* The engine's shows now_ms + skew_ms: it does not go back while it runs. */
    bool calm;               /* The faults have stopped. */
    int64_t calm_ms;         /* Since when. */

    struct event *heap;
    size_t heap_count, heap_cap;
    uint64_t event_order;
    size_t event_count; /* That have happened. */

    struct server *node[SIM_NODES_MAX];
    uint32_t node_count;
    struct server *server; /* The node that acts. */
    struct store *durable; /* What survives. */
    uint32_t generation;   /* How many engines there have been. */
    size_t crash_count;
    int64_t fenced_ms;          /* When a node was last taken for dead. */
    LIST(int64_t) joined;       /* The numbers of nodes that have a row. */
    LIST(struct copy *) inside; /* Every request between arrival and answer. */
    struct network *network;
    struct actors *actors;
    struct checker *checker;
    struct entity_checker *entity_checker;
    bool entities; /* The run has entities and nothing else (entity.h). */
    bool access;   /* Access is changed all the time (access.h). */
    struct access_actors *access_actors;
    struct access_model *access_model;
    struct principal *root;

    const char *path;    /* Of the SQLite file; NULL: memory. */
    char key_folder[64]; /* Of the key file of secrets; empty: there is none. */
    char key_path[80];
    bool verbose;
    uint64_t trace_hash;
    size_t trace_lines;
    bool failed;
    char failure[2000];
};

/* May what follows from a command take several turns? */
bool world_has_small_turns(const struct world *world);

/* ---- running ---- */

struct run_result {
    bool failed;
    char failure[2000];
    uint64_t trace_hash;
    size_t trace_lines;
    size_t instances, commits, crashes, commands;
};

/* The run of one seed, from nothing to the last check. What survives a crash is in memory, or in
 * an SQLite file at this path (NULL: memory); the run is the same in either case. Several nodes share what is
 * in memory: as many as the seed wants, up to `nodes`. */
struct run_options {
    enum dialects dialects;
    uint32_t nodes;
    bool access; /* Users, keys, grants and tenants come and go beside everything else. */
    bool verbose;
    const char *path;
};
void world_run(uint64_t seed, const struct run_options *options, struct run_result *ret_result);

static inline bool world_is_shared(const struct world *world) { return world->node_count > 1; }
/* Everything else goes on for so long. */
void world_pass(struct world *world, int64_t ms);

static inline int64_t world_wall_ms(const struct world *world) { return world->now_ms + world->skew_ms; }

/* Calls `run` after the delay. */
void world_after(struct world *world, int64_t delay_ms, event_fn *run, void *subject);

/* ---- chance ---- */

uint64_t world_random(struct world *world);
/* 0 to n - 1. */
uint32_t world_below(struct world *world, uint32_t n);
int64_t world_between(struct world *world, int64_t low, int64_t high); /* Both included. */
/* So many times out of 10,000; never once the faults have stopped. */
bool world_fault(struct world *world, uint32_t chance);
/* The same, at any time. */
bool world_chance(struct world *world, uint32_t chance);

/* What this seed's run is like (profile.c). */
void profile_draw(struct world *world);
/* How many nodes there are, and what may happen to them. */
void nodes_draw(struct world *world, uint32_t most);

/* ---- the trace (trace.c) ---- */

/* One line: printed if verbose, always part of the hash. */
__attribute__((format(printf, 2, 3))) void trace(struct world *world, const char *format, ...);
/* Bytes that only count for the hash. */
void trace_bytes(struct world *world, str bytes);
/* The run is a failure; the first reason counts. */
__attribute__((format(printf, 2, 3))) void violated(struct world *world, const char *format, ...);

#endif
