/* runtime/engine.h — the engine without its thread: calls in, answers out.
 *
 * Each turn takes the calls that are there, adds the timers that are due, makes one transaction of everything
 * that changes something, commits it, and only then hands out jobs and answers (turn.c). Threads drive the
 * engine in production (runtime.c); tests and the simulation drive it by hand. Nothing in here waits, and
 * time comes from the clock that the engine was given.
 *
 *     engine_accept ──► polls that found a job ──► engine_commit ──► all other answers ──► engine_maintain
 *
 * Invariants:
 *  (1) State changes only together with the history that explains it.
 *  (2) Nothing leaves the engine before its cause has committed.
 *  (3) A call that carries an idempotency key takes effect at most once.
 *  (4) Memory (queues, timers, cache) follows from the store: dropping all of it and recovering gives the
 *      same memory, except for leases.
 */
#ifndef RUNTIME_ENGINE_H
#define RUNTIME_ENGINE_H

#include "base/budget.h"
#include "base/clock.h"
#include "base/limits.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/call/call.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/retention.h"
#include "runtime/transact/transact.h"
#include "runtime/turn.h"

struct search_runner;
struct vault;

/* The memory of bulks (bulk/bulk.c). */
struct bulks {
    int64_t last; /* The one that had the last turn. */
    /* The last instance of a bulk that made a transaction fail; by the number of the bulk. */
    struct bulk_blame {
        int64_t bulk, place; /* How many of the bulk came before it. */
        int failures;
        struct error why;
    } blame[BULK_BLAMES];
};

struct engine {
    struct store *store;
    struct clock clock;
    struct limits limits;
    struct metrics *metrics;
    struct vault *vault;    /* Secrets; NULL: there are none. */
    struct budget *answers; /* The bytes of answers that clients have not read; NULL: nobody counts. */
    struct retention retention;
    struct purged purged; /* Removed by retention since it last had nothing more to do. */

    struct catalogue catalogue;
    struct cache cache;
    struct model_cache models;
    struct deadlines deadlines;
    struct jobs jobs;
    struct nodes nodes;
    struct offers offers;
    struct leases leases;
    struct timers timers;
    struct watchers watchers;
    struct schedules schedules;
    struct units units;         /* Nothing of it is in the store. */
    struct live live;           /* Changes, for calls that listen. */
    struct task_feed task_feed; /* The only memory that does not follow from the store. */
    struct callbacks callbacks;
    struct activity activity; /* Nor does this. */
    struct trigger_routes trigger_routes;
    struct payloads payloads;
    struct index_cache indexes;
    bool is_trial;           /* A scenario pretends the world outside, as its definitions say for tests. */
    int64_t lease_ms;        /* The lease of a job if its worker does not say. */
    int64_t compute_wait_ms; /* So long a request may wait for a calculation node. */
    struct store_numbers numbers;          /* For new instances and definitions. */
    int64_t numbers_ms;                    /* The turn that has taken those of instances. */
    int64_t next_maintenance_ms;           /* Retention and the like. */
    int64_t began_ms;                      /* When it was opened. */
    struct backlog backlog[BACKLOG_COUNT]; /* Work that goes on in later turns. */
    int64_t hold_timers_ms;                /* After a failed transaction timers are not tried again before. */
    struct bulks bulks;
    bool index_finished;            /* A model may have a field that has no work left. */
    struct search_runner *searcher; /* The one that runs; NULL: none has run yet. */
    uint64_t next_arrival;          /* The number of the next record of an arrival. */
    int64_t next_arrivals_purge_ms; /* The next purge on a store that nodes share. */
    uint64_t arrivals_purged;       /* So far the purge that goes on has come; 0: none does. */
    bool paused;                    /* New instances are created and do not begin. */
    bool secrets_unread;            /* The vault has not got the key of the store's secrets … */
    struct error secrets_why;       /* … in these words … */
    int64_t secrets_next_ms;        /* … and is not asked again before. */
    uint64_t transient_below;       /* Instances below it that do not outlive a restart have to end. */
    int64_t transient_node;         /* Only instances that began on this node; 0: on any. */
    bool draining;
    bool broken; /* The store failed in a way that only a restart can mend. */

    /* Calls that wait for a turn with room for them. */
    struct call_list writers;   /* In order of arrival. */
    struct shares shares;       /* Expensive ones. */
    struct call_list continued; /* Calls that take several turns. */
    int late_next;              /* Which kind of expensive work comes next. */
    struct routings routings;

    struct turn turn;     /* The turn that runs, or the last one. */
    struct error failure; /* Why the engine is broken. */

    /* Results of turns, to be taken by whoever drives the engine. */
    struct call_list answered;
    struct call_list for_query; /* Calls that go on at the query thread. */
};

/* Opens the engine on a store and recovers: open jobs are queued, timers loaded. `engine->store` is a layer
 * above that store, which has the transient instances, too; readers are opened there, and closed first. */
enum status engine_open(struct engine *engine, struct store *store, struct clock clock,
                        const struct limits *limits, struct retention retention, struct metrics *metrics,
                        struct error *err);
/* Gives the engine a vault, which it borrows, and tells the vault of the secrets that the store has. Without
 * it there are no secrets. ST_CONFLICT: the vault's key opens none of them. */
enum status engine_use_vault(struct engine *engine, struct vault *vault, struct error *err);
/* All calls must have been answered (drain first). */
void engine_close(struct engine *engine);

/* Does everything that can be done now, in the three parts below. Takes all calls of the list. */
void engine_turn(struct engine *engine, struct call_list *calls);

/* Takes the calls. Polls for which there is something are answered: what they get was committed before, so
 * it need not wait for this turn's commit. */
void engine_accept(struct engine *engine, struct call_list *calls);
/* Does the rest of the turn. */
void engine_commit(struct engine *engine);
/* Between turns, what no call waits for: retention, checkpoints. */
void engine_maintain(struct engine *engine);

/* When the next turn is due even if no call comes. */
int64_t engine_next_ms(const struct engine *engine);

/* Another node has offered jobs: the next turn looks for them. From any thread. */
void engine_wake(struct engine *engine);

/* Nobody waits any more for the call with this serial: if it is one that waits, it is answered now. */
void engine_abandon(struct engine *engine, uint64_t serial);

/* Every call that waits is answered in the next turn, and no more may wait. */
void engine_drain(struct engine *engine);

/* Is it time for what happens once in an interval? `next_ms` is at most one interval ahead of us: if it is
 * further ahead the clock was set back. INT64_MAX: never. */
static inline bool engine_is_due(const struct engine *engine, int64_t next_ms, int64_t interval_ms)
{
    int64_t now_ms = engine->turn.now_ms;
    return now_ms >= next_ms || (next_ms != INT64_MAX && next_ms - now_ms > interval_ms);
}

#endif
