/* runtime/memory/activity.h — what the engine remembers of the last hour: counts by the minute, and who
 * polled.
 *
 * All of it is memory and begins anew with the engine. Only the thread that runs the engine uses it. Each
 * tenant has its own counts, job types and workers:
 *
 *     tenant ──► 60 minutes        a ring; a minute is opened when something is counted or asked for
 *            └─► its job types     a list, the one that was seen longest ago last
 *
 * At most ACTIVITY_TENANTS_MAX tenants have a place. A tenant that did nothing for an hour gives its place to
 * one that needs it. If all of them did something, a new one is not counted, and its minutes are not known.
 *
 * All tenants together have at most ACTIVITY_TYPES_MAX job types. Beyond that, each has an equal share: a
 * tenant with more types loses the one that it used longest ago, and those with fewer lose none.
 *
 * The times of commits are differences of the engine's own counters (metrics.h): the store is everybody's.
 */
#ifndef RUNTIME_MEMORY_ACTIVITY_H
#define RUNTIME_MEMORY_ACTIVITY_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text_map.h"
#include "runtime/call/call.h"
#include "runtime/limits.h"
#include "runtime/memory/metrics.h"

const char *activity_count_word(enum activity_count count);

struct activity_worker {
    str name; /* On the heap. */
    int64_t seen_ms;
};

/* Jobs of one type that workers do. */
struct activity_type {
    str type;    /* Its qualified name. */
    int64_t bar; /* The number of the newest five minutes. */
    uint32_t done[ACTIVITY_BARS], failed[ACTIVITY_BARS];
    uint64_t done_total, failed_total;
    struct durations took; /* From the hand-out of a job to its result. */
    int64_t seen_ms;       /* When it was last polled for, or a job of it ended. */
    int64_t polled_ms;     /* When it was last polled for; 0: never. */
    struct activity_worker worker[ACTIVITY_WORKERS_MAX];
    size_t worker_count;
    struct activity_tenant *tenant;
    struct activity_type *newer, *older; /* Types of the tenant. */
};

struct activity_tenant {
    int32_t ns;
    int64_t seen_ms;       /* When something of it was last counted. */
    int64_t began, minute; /* The first minute that is known, and the newest one. */
    struct activity_minute minutes[ACTIVITY_MINUTES]; /* By number modulo their count. */
    bool has_written[ACTIVITY_MINUTES];               /* It had part in a transaction of the minute. */
    uint64_t wait[HISTOGRAM_BUCKETS + 1];             /* Its jobs of the newest minute, before a hand-out. */
    struct activity_jobs performer[PERFORMER_COUNT];  /* All since it has its place. */
    struct activity_type *newest, *oldest;
    size_t type_count;
};

struct activity {
    const struct metrics *metrics;
    int64_t minute; /* The number of the one that runs. */
    int64_t whole;  /* From this minute on, nothing of a tenant without a place went uncounted. */
    int64_t commit_us[ACTIVITY_MINUTES];    /* 95 of 100 took no longer, by number modulo their count. */
    uint64_t commit[HISTOGRAM_BUCKETS + 1]; /* Where the counters stood when the minute began. */
    struct map tenants;                     /* struct activity_tenant */
    struct activity_tenant *last;           /* Nearly always the next one that is counted, too. */
    int64_t full_until_ms;                  /* No place comes free before. */
    struct text_map types;                  /* struct activity_type of all tenants. */
};

void activity_init(struct activity *activity, const struct metrics *metrics, int64_t now_ms);
void activity_done(struct activity *activity);

/* At the beginning of every turn: closes the minutes that are over. */
void activity_roll(struct activity *activity, int64_t now_ms);
static inline void activity_tick(struct activity *activity, int64_t now_ms)
{
    if (now_ms / ACTIVITY_MINUTE_MS != activity->minute) activity_roll(activity, now_ms);
}

/* ---- what happened ---- */

/* So many more of the tenant. */
void activity_count(struct activity *activity, int32_t ns, enum activity_count count, uint64_t n,
                    int64_t now_ms);
/* It had part in a transaction. */
void activity_write(struct activity *activity, int32_t ns, int64_t now_ms);
/* A job of it was handed out, so long after it was ready. */
void activity_wait(struct activity *activity, int32_t ns, int64_t wait_us, int64_t now_ms);
/* A job of it ended. */
void activity_perform(struct activity *activity, int32_t ns, enum performer performer, bool failed,
                      int64_t now_ms);
/* A worker's job of the type ended, so long after it was handed out; -1: that is not known. */
void activity_job(struct activity *activity, str type, bool failed, int64_t took_ms, int64_t now_ms);
/* A worker polled for jobs of the type. */
void activity_poll(struct activity *activity, str type, str worker, int64_t now_ms);

/* ---- questions ---- */

/* The newest of a tenant's types; `older` leads to the others. NULL: there is none. */
static inline const struct activity_type *activity_types_of(const struct activity *activity, int32_t ns)
{
    const struct activity_tenant *tenant = map_get(&activity->tenants, (uint64_t)ns);
    return tenant ? tenant->newest : NULL;
}

/* Has the worker polled for jobs of the type in the last minute? */
bool activity_polls(const struct activity *activity, str type, str worker, int64_t now_ms);

/* The last ACTIVITY_MINUTES minutes of a tenant, oldest first, with the one that runs. `ret_known` counts
 * those of them, at the end, that are known. The default tenant sees all commits, others those of minutes in
 * which they wrote. */
void activity_minutes(struct activity *activity, int32_t ns,
                      struct activity_minute ret_minute[ACTIVITY_MINUTES], size_t *ret_known);

/* The jobs that a performer has ended for a tenant. */
struct activity_jobs activity_performed(const struct activity *activity, int32_t ns,
                                        enum performer performer);

/* Jobs of the type that ended in the last hour. */
struct activity_jobs activity_jobs_of(const struct activity_type *type, int64_t now_ms);

#endif
