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
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/retention.h"
#include "runtime/transact/transact.h"
#include "runtime/turn.h"

struct vault;

/* Work that waits for a turn with room for it (work_due.c). */
struct waiting_work {
    struct call_list writers;   /* In order of arrival; those of several tenants take turns. */
    bool has_tenants;           /* They are of several tenants. */
    struct shares shares;       /* Expensive calls. */
    struct call_list continued; /* Calls that take several turns. */
    int late_next;              /* Which kind of expensive work comes next. */
    int64_t hold_timers_ms;     /* After a failed transaction timers are not tried again before. */
};

/* The secrets of the store (secrets.c). */
struct secrets {
    struct vault *vault; /* NULL: there are none. */
    bool unread;         /* The vault has not got the key of the store's secrets … */
    struct error why;    /* … in these words … */
    int64_t next_ms;     /* … and is not asked again before. */
};

/* Retention, and upkeep of the store (engine.c, retention.c). */
struct maintenance {
    struct retention retention;
    struct purged purged; /* Removed by retention since it last had nothing more to do. */
    int64_t next_ms;
};

/* The first members are for all rooms. Each room that has memory of its own has one member, in which other
 * rooms look only if they may call that room. */
struct engine {
    struct store *store;
    struct clock clock;
    struct limits limits;
    struct metrics *metrics;
    struct budget *answers; /* The bytes of answers that clients have not read; NULL: nobody counts. */
    bool is_trial;          /* A scenario pretends the world outside, as its definitions say for tests. */
    int64_t lease_ms;       /* The lease of a job if its worker does not say. */
    int64_t began_ms;       /* When it was opened. */
    bool draining;
    bool broken;          /* The store failed in a way that only a restart can mend. */
    struct error failure; /* Why the engine is broken. */

    struct memory memory;
    struct nodes nodes;
    struct transact transact;
    struct access access;
    struct events events;
    struct arrivals arrivals;
    struct entities entities;
    struct bulk bulk;

    struct waiting_work work;
    struct secrets secrets;
    struct maintenance maintenance;
    struct turn turn; /* The turn that runs, or the last one. */

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
/* Gives the engine a directory of principals, which it borrows and tells of all that the store has. Without
 * it changes of access are kept, and nobody hears of them. */
enum status engine_use_directory(struct engine *engine, struct directory *directory, struct error *err);
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

/* Another node has offered jobs or changed access: the next turn looks. From any thread. */
void engine_wake(struct engine *engine, enum store_wake why);

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
