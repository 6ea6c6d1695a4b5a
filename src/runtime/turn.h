/* runtime/turn.h — one turn of the engine: what it holds from its first call to its last answer.
 *
 *     accept ──► step every command ──► commit ──► apply the effects ──► answer
 *
 * The engine (engine.h) lives as long as the process. A turn lives for one round: everything here is in the
 * turn's arena and is forgotten when the round is over. turn.c tells the story in this order.
 */
#ifndef RUNTIME_TURN_H
#define RUNTIME_TURN_H

#include "base/arena.h"
#include "base/map.h"
#include "core/core.h"
#include "runtime/call/call.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "store/store.h"

struct access_news;
struct definition;
struct engine;
struct staged_unit;
struct turn;
struct state_tally;
struct rescheduled;
struct scheduled;

/* A job whose failure undoes only what it has changed itself (units_savepoint.c). */
struct savepoint {
    uint64_t instance; /* 0: there is none. */
    uint32_t number;
};

/* One command has changed one instance. */
struct transition {
    uint64_t instance;
    const struct instance *before; /* NULL: the command has started the instance. */
    const struct instance *after;
    const struct history *history;
    const struct program *program;
    int64_t definition; /* The number of its definition. */
    int32_t ns;
    bool holds; /* A task of the instance holds (struct outcome). */
    struct transition *next;
    struct transition *next_staged;     /* In a unit (units.h). */
    struct savepoint savepoint, parent; /* In a unit: what it belongs to, and what that belongs to. */
};

/* An instance that the turn has loaded. The turn reads it once and writes its row once, however many commands
 * change it. transact_apply.c says which rows cannot wait for the end of the turn. */
struct loaded {
    uint64_t instance;
    struct definition *definition;
    struct definition *written_as; /* The version that the store's rows name. */
    const struct instance
        *written; /* The state that the store's rows hold; NULL: the store has no row yet. */
    const struct instance *now;
    uint32_t found;       /* The revision that the store had before this transaction; 0: none. */
    int64_t last_history; /* The newest history row. History is written with every command. */
    int64_t holder;       /* instance_row */
    bool changed;         /* The transaction changes it. */
    struct loaded *next, *next_changed;
};

/* The jobs, timers, tasks and rows that writing an instance opens and closes (transact/effects.h). */
struct effects {
    uint64_t instance;
    const struct program *program;
    const struct definition *definition;
    const struct job **job_opened; /* Jobs have no rows: they are in the state, and in memory queues. */
    size_t job_opened_count;
    uint32_t *job_closed; /* By number. */
    size_t job_closed_count;
    bool
        *is_offered; /* For each that was opened: another node may have it (shared_jobs.h); NULL: none may. */
    struct job_row *job_offered, *job_dropped; /* Rows of such jobs. */
    size_t job_offered_count, job_dropped_count;
    struct timer_row *timer_set, *timer_cleared;
    size_t timer_set_count, timer_cleared_count;
    struct task_row *task_opened, *task_closed; /* In both, one behind the other: its details have changed. */
    size_t task_opened_count, task_closed_count;
    struct subscription_row *subscribed, *unsubscribed; /* NULL: none. */
    struct failure_row *failed, *mended;                /* Rows by which failures are searched; NULL: none. */
    struct record_row *marked, *unmarked;               /* index_records.c */
    size_t marked_count, unmarked_count;
    struct effects *next;
};

/* The job of a parent that a child does. The turn looks at it because one of the two has changed. */
struct child_job {
    uint64_t parent;
    uint32_t number;
    struct child_job *next;
};

/* An instance that had ended already when the turn loaded it. */
struct ended {
    uint64_t instance;
    struct ended *next;
};

/* A secret's row that the transaction has written or removed (secrets.c). */
struct secret_change {
    int32_t ns;
    str name;
    str sealed; /* Empty: it was removed. */
    struct secret_change *next;
};

/* The budget of one part of a turn. */
struct slice {
    int64_t fuel_end; /* The part is over when the turn has used this many operations… */
    size_t bytes_end; /* … or when its arena holds this many bytes. */
};

/* The timers that the turn has taken out of the heap. */
struct due_timers {
    struct due_timer {
        struct timer_row row;
        bool fired;
    } timer[TIMERS_PER_TURN_MAX];
    size_t count;
    size_t late; /* All timers before this index have fired. */
};

/* A timer that could not fire. It comes again, at the time in its row, when the transaction has committed.
 * If that fails, the turn fires the timer once more or puts it back. */
struct timer_again {
    struct timer_row row;
    struct timer_again *next;
};

/* A call that waits for the instance is told the failure after the commit (units_runs.c). */
struct run_failure {
    uint64_t instance;
    struct error why;
    struct run_failure *next;
};

/* Counts that a transaction adds to the metrics and to the numbers of triggers when it has committed. One
 * that did not commit runs again, and would count twice. */
struct turn_counts {
    uint64_t replays, job_retries, uploads, timers_fired, timers_failed;
    uint64_t kept, kept_taken, kept_expired;
    uint64_t arrived[OUTCOME_COUNT]; /* The outcomes of arrivals. */
    struct counted_arrival {         /* All of them, for their tenants. */
        struct counted_arrival *next;
        int32_t ns;
        const struct arrival_view *view; /* For its trigger; NULL: none counts it. */
    } * first_arrival;
};

/* Steps of a turn on a store that nodes share (turn_shared.c). A store that is not shared has empty ones. */
struct turn_hooks {
    void (*accept)(struct turn *turn, const struct call_list *calls); /* It takes its calls next. */
    void (*before)(struct turn *turn);                                /* Its commands run next. */
    void (*begin)(struct turn *turn);                                 /* The first attempt begins. */
    void (*before_commit)(struct turn *turn); /* All rows of an attempt are written. */
    void (*after_commit)(struct turn *turn,
                         bool committed); /* An attempt is over, rolled back if it failed. */
    void (*after)(struct turn *turn);     /* Its calls are answered, and its polls are served next. */
};

struct turn {
    struct engine *engine;
    const struct turn_hooks *hooks;
    struct arena arena;          /* Reset when the turn is over. */
    int64_t now_ms;              /* The time of everything that happens in the turn. */
    int64_t began_us, waited_us; /* When it began, and how long the store had waited by then. */
    int64_t commit_us;           /* How long commits took. */
    bool is_measured;            /* It has requests. */
    bool trusts_cache; /* The next instance is loaded as the cache has it, although there are other nodes. */
    bool solo;         /* The network's thread runs the turn: it does no expensive work. */

    /* The transaction. */
    bool in_transaction;
    bool wrote;         /* The transaction holds rows. */
    enum status failed; /* Why the transaction cannot commit; ST_OK: it can. */
    struct error failure;
    bool deployed;             /* The transaction holds a new definition … */
    bool moved_trigger_routes; /* … or a change of a trigger … */
    bool changed_models;       /* … or a change of a model … */
    bool pauses;               /* … or a pause of all starts, or its end; before it, they were … */
    bool was_paused;           /* … paused. */
    bool left_over_failed;     /* Work that earlier turns have left could not be done in the transaction. */
    struct turn_counts counts;

    /* Instances. */
    struct map loaded_of; /* struct loaded by instance. */
    struct loaded *all_loaded;
    struct loaded *first_changed, *last_changed;
    struct transition *first_transition, *last_transition;
    struct transition *first_unnoticed;           /* children.c has not looked at it and those after it. */
    struct effects *first_effects, *last_effects; /* The effects of the rows written so far (effects.h). */
    struct timer_again *timers_again;
    struct said_line *first_said, *last_said; /* Lines for the log (said.c). */
    struct ended *ended;
    struct state_tally
        *tally[TALLY_BUCKETS]; /* The sums that the transaction adds to numbers of entities (tallies.c). */

    struct staged_unit *first_unit; /* Units that the turn has touched. */
    struct staged_unit *unit;       /* Steps belong to it until it ends; NULL: to none. */
    struct run_failure *first_failure, *last_failure;

    /* Children (children.c). */
    struct child_job *first_child, *last_child; /* Not settled yet. */
    struct child_job *ripe;                     /* Settled as soon as the transaction has committed. */
    struct child_job *held_back;                /* Not started, because an ancestor was cancelled. */
    struct child_job settling;
    size_t settled_count; /* In the transaction. */

    /* Schedules (ticks.c). */
    struct scheduled *ticked;        /* Slots of the transaction. */
    struct scheduled *told;          /* Schedules whose dropped slots the transaction tells. */
    struct rescheduled *rescheduled; /* Definitions whose schedules it changes. */
    /* Secrets (secrets.c). */
    struct secret_change *first_secret, *last_secret;
    bool rekeys;                     /* The transaction seals every secret again. */
    struct access_news *access_news; /* For the directory (access/access.h); NULL: none. */

    /* Budgets and the work under way (work_due.c). */
    int64_t spent;      /* Operations so far: those of core_step(), and the loading and writing around it. */
    struct slice slice; /* The part that runs now. */
    bool late;          /* The second part of the turn runs: expensive work. */
    bool reads_wait;    /* Outside of a transaction a read was given up: somebody holds a lock. */
    struct due_timers due;
    struct call_list ran;        /* Calls of the transaction. They are answered when it has committed. */
    struct call_list continuing; /* Calls that take several turns and have not run in this one yet. */
    struct call_list polls;      /* Served after the commit. */
};

/* ---- predicates ---- */

static inline bool lives(const struct instance *instance)
{
    return instance && !instance_status_ended(instance->status);
}

/* Can something still happen to the token? In a detached region it can, although its instance has ended. */
static inline bool reaches(const struct instance *instance, uint32_t execution)
{
    return instance && (!instance_status_ended(instance->status) || instance_reaches(instance, execution));
}

/* Nothing more can happen to the instance but a retry. While something in a detached region still can, the
 * instance *lingers*: retention leaves it alone. */
static inline bool is_over(const struct instance *instance)
{
    return instance_status_ended(instance->status) && !instance_lingers(instance);
}

#endif
