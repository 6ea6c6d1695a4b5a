/* runtime/memory/activity.h — what the engine remembers of the last hour: counts by the minute, and who
 * polled.
 *
 * All of it is memory and begins anew with the engine. Only the thread that runs the engine uses it. Counts
 * by the minute are differences of the engine's own counters (metrics.h), so they cost a turn nothing; jobs
 * are counted by their type, and each poll notes its worker.
 */
#ifndef RUNTIME_MEMORY_ACTIVITY_H
#define RUNTIME_MEMORY_ACTIVITY_H

#include "base/arena.h"
#include "base/text_map.h"
#include "runtime/call/call.h"
#include "runtime/limits.h"
#include "runtime/memory/metrics.h"

const char *activity_count_word(enum activity_count count);

/* Where the counters stood. */
struct activity_mark {
    uint64_t count[ACTIVITY_COUNT_COUNT];
    uint64_t commit[HISTOGRAM_BUCKETS + 1], wait[HISTOGRAM_BUCKETS + 1];
};

struct activity_worker {
    str name; /* On the heap. */
    int64_t seen_ms;
};

/* Jobs of one type that workers do. */
struct activity_type {
    str type;
    int64_t bar; /* The number of the newest five minutes. */
    uint32_t done[ACTIVITY_BARS], failed[ACTIVITY_BARS];
    uint64_t done_total, failed_total;
    struct durations took; /* From the hand-out of a job to its result. */
    int64_t seen_ms;       /* When it was last polled for, or a job of it ended. */
    int64_t polled_ms;     /* When it was last polled for; 0: never. */
    struct activity_worker worker[ACTIVITY_WORKERS_MAX];
    size_t worker_count;
};

struct activity {
    const struct metrics *metrics;
    int64_t began; /* The number of the first minute, and of the one that runs. */
    int64_t minute;
    struct activity_minute
        minutes[ACTIVITY_MINUTES]; /* The minutes before it, by number modulo their count. */
    struct activity_mark mark;     /* At the beginning of the one that runs. */
    struct text_map types;         /* struct activity_type */
};

void activity_init(struct activity *activity, const struct metrics *metrics, int64_t now_ms);
void activity_done(struct activity *activity);

/* At the beginning of every turn: closes the minutes that are over. */
void activity_roll(struct activity *activity, int64_t now_ms);
static inline void activity_tick(struct activity *activity, int64_t now_ms)
{
    if (now_ms / ACTIVITY_MINUTE_MS != activity->minute) activity_roll(activity, now_ms);
}

/* A worker's job of the type ended, so long after it was handed out; -1: that is not known. */
void activity_job(struct activity *activity, str type, bool failed, int64_t took_ms, int64_t now_ms);
/* A worker polled for jobs of the type. */
void activity_poll(struct activity *activity, str type, str worker, int64_t now_ms);

/* Has the worker polled for jobs of the type in the last minute? */
bool activity_polls(const struct activity *activity, str type, str worker, int64_t now_ms);

/* The last ACTIVITY_MINUTES minutes, oldest first, with the one that runs. `ret_known` counts those of them,
 * at the end, in which the engine ran. */
void activity_minutes(const struct activity *activity, struct activity_minute ret_minute[ACTIVITY_MINUTES],
                      size_t *ret_known);

/* Jobs of the type that ended in the last hour. */
struct activity_jobs activity_jobs_of(const struct activity_type *type, int64_t now_ms);

#endif
