/* runtime/memory/pulse.h — what the engine remembers of the last hour: counts by the minute, and who polled.
 *
 * All of it is memory and begins anew with the engine. Only the thread that runs the engine uses it. Counts
 * by the minute are differences of the engine's own counters (metrics.h), so they cost a turn nothing; jobs
 * are counted by their type, and each poll notes its worker.
 */
#ifndef RUNTIME_MEMORY_PULSE_H
#define RUNTIME_MEMORY_PULSE_H

#include "base/arena.h"
#include "base/text_map.h"
#include "runtime/call/call.h"
#include "runtime/limits.h"
#include "runtime/memory/metrics.h"

const char *pulse_count_word(enum pulse_count count);

/* Where the counters stood. */
struct pulse_mark {
    uint64_t count[PULSE_COUNT_COUNT];
    uint64_t commit[HISTOGRAM_BUCKETS + 1], wait[HISTOGRAM_BUCKETS + 1];
};

struct pulse_worker {
    str name; /* On the heap. */
    int64_t seen_ms;
};

/* Jobs of one type that workers do. */
struct pulse_type {
    str type;
    int64_t bar; /* The number of the newest five minutes. */
    uint32_t done[PULSE_BARS], failed[PULSE_BARS];
    int64_t seen_ms; /* When it was last polled for, or a job of it ended. */
    struct pulse_worker worker[PULSE_WORKERS_MAX];
    size_t worker_count;
};

struct pulse {
    const struct metrics *metrics;
    int64_t began; /* The number of the first minute, and of the one that runs. */
    int64_t minute;
    struct pulse_minute minutes[PULSE_MINUTES]; /* The minutes before it, by number modulo their count. */
    struct pulse_mark mark;                     /* At the beginning of the one that runs. */
    struct text_map types;                      /* struct pulse_type */
};

void pulse_init(struct pulse *pulse, const struct metrics *metrics, int64_t now_ms);
void pulse_done(struct pulse *pulse);

/* At the beginning of every turn: closes the minutes that are over. */
void pulse_roll(struct pulse *pulse, int64_t now_ms);
static inline void pulse_tick(struct pulse *pulse, int64_t now_ms)
{
    if (now_ms / PULSE_MINUTE_MS != pulse->minute) pulse_roll(pulse, now_ms);
}

/* A worker's job of the type ended. */
void pulse_job(struct pulse *pulse, str type, bool failed, int64_t now_ms);
/* A worker polled for jobs of the type. */
void pulse_poll(struct pulse *pulse, str type, str worker, int64_t now_ms);

/* Has the worker polled for jobs of the type in the last minute? */
bool pulse_polls(const struct pulse *pulse, str type, str worker, int64_t now_ms);

/* The last PULSE_MINUTES minutes, oldest first, with the one that runs. `ret_known` counts those of them, at
 * the end, in which the engine ran. */
void pulse_minutes(const struct pulse *pulse, struct pulse_minute ret_minute[PULSE_MINUTES],
                   size_t *ret_known);

/* Jobs of the type that ended in the last hour. */
struct pulse_jobs pulse_jobs_of(const struct pulse_type *type, int64_t now_ms);

#endif
