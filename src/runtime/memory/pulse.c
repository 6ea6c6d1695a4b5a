/* runtime/memory/pulse.c — counts by the minute, jobs by type and workers that polled, for an hour. */
#include "runtime/memory/pulse.h"

#include "base/must.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

enum { BAR_MS = 5 * 60 * 1000, KEPT_MS = PULSE_MINUTES * PULSE_MINUTE_MS };

const char *pulse_count_word(enum pulse_count count)
{
    static const char *const words[] = {
#define XX(NAME, word) [PULSE_##NAME] = word,
        PULSE_COUNT_MAP(XX)
#undef XX
    };
    return words[count];
}

/* ---- counts by the minute ---- */

static uint64_t sum_of(const _Atomic uint64_t *counter, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += metric_get(&counter[i]);
    return sum;
}

static struct pulse_mark mark_now(const struct metrics *metrics)
{
    struct pulse_mark mark = { .count = {
                                   [PULSE_STARTED] = metric_get(&metrics->instances_started),
                                   [PULSE_COMPLETED] =
                                       metric_get(&metrics->instances_ended[INSTANCE_COMPLETED]),
                                   [PULSE_FAILED] = metric_get(&metrics->instances_ended[INSTANCE_FAILED]),
                                   [PULSE_CANCELLED] =
                                       metric_get(&metrics->instances_ended[INSTANCE_CANCELLED]),
                                   [PULSE_JOBS_DONE] = sum_of(metrics->jobs_done, PERFORMER_COUNT),
                                   [PULSE_ARRIVALS] = sum_of(metrics->arrivals, OUTCOME_COUNT),
                               } };
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) {
        mark.commit[i] = metric_get(&metrics->transaction.bucket[i]);
        mark.wait[i] = metric_get(&metrics->pickup_latency.bucket[i]);
    }
    return mark;
}

/* The time that 95 of 100 took at most, between the bounds of its bucket. */
static int64_t percentile(const uint64_t *before, const uint64_t *after)
{
    uint64_t total = 0, below = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) total += after[i] - before[i];
    if (!total) return 0;
    double wanted = (double)total * 0.95;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t here = after[i] - before[i];
        if (here && (double)(below + here) >= wanted) {
            int64_t low = i ? metric_bounds_us[i - 1] : 0, high = metric_bounds_us[i];
            return low + (int64_t)((double)(high - low) * (wanted - (double)below) / (double)here);
        }
        below += here;
    }
    return metric_bounds_us[HISTOGRAM_BUCKETS - 1];
}

static struct pulse_minute minute_between(const struct pulse_mark *before, const struct pulse_mark *after)
{
    struct pulse_minute minute = { .commit_us = percentile(before->commit, after->commit),
                                   .wait_us = percentile(before->wait, after->wait) };
    for (size_t i = 0; i < PULSE_COUNT_COUNT; i++) minute.count[i] = after->count[i] - before->count[i];
    return minute;
}

void pulse_init(struct pulse *pulse, const struct metrics *metrics, int64_t now_ms)
{
    *pulse = (struct pulse){ .metrics = metrics, .mark = mark_now(metrics) };
    pulse->began = pulse->minute = now_ms / PULSE_MINUTE_MS;
    text_map_init(&pulse->types);
}

static void free_type(struct pulse_type *type)
{
    for (size_t i = 0; i < type->worker_count; i++) free((void *)(uintptr_t)type->worker[i].name.p);
    free(type);
}

void pulse_done(struct pulse *pulse)
{
    size_t cursor = 0;
    for (struct pulse_type *type; (type = text_map_next(&pulse->types, &cursor)) != NULL;) free_type(type);
    text_map_done(&pulse->types);
}

/* Types that nobody polled for, and no job of which ended, for longer than is told. */
static void forget_types(struct pulse *pulse, int64_t now_ms)
{
    struct pulse_type *old[PULSE_FORGOTTEN_MAX];
    size_t cursor = 0, count = 0;
    for (struct pulse_type *type;
         count < COUNT(old) && (type = text_map_next(&pulse->types, &cursor)) != NULL;)
        if (type->seen_ms < now_ms - KEPT_MS) old[count++] = type;
    for (size_t i = 0; i < count; i++) {
        text_map_take(&pulse->types, old[i]->type);
        free_type(old[i]);
    }
}

void pulse_roll(struct pulse *pulse, int64_t now_ms)
{
    int64_t minute = now_ms / PULSE_MINUTE_MS;
    struct pulse_mark now = mark_now(pulse->metrics);
    if (minute < pulse->minute) { /* Somebody set the clock back: what was counted is of another time. */
        pulse->began = minute;
    } else {
        pulse->minutes[pulse->minute % PULSE_MINUTES] = minute_between(&pulse->mark, &now);
        for (int64_t i = pulse->minute + 1; i < minute && i <= pulse->minute + PULSE_MINUTES; i++)
            pulse->minutes[i % PULSE_MINUTES] = (struct pulse_minute){ .commit_us = 0 };
    }
    pulse->minute = minute;
    pulse->mark = now;
    forget_types(pulse, now_ms);
}

void pulse_minutes(const struct pulse *pulse, struct pulse_minute ret_minute[PULSE_MINUTES],
                   size_t *ret_known)
{
    struct pulse_mark now = mark_now(pulse->metrics);
    int64_t known = pulse->minute - pulse->began + 1;
    if (known > PULSE_MINUTES) known = PULSE_MINUTES;
    for (int64_t i = 0; i < PULSE_MINUTES; i++) {
        int64_t number = pulse->minute - PULSE_MINUTES + 1 + i;
        bool is_known = number >= pulse->began;
        ret_minute[i] =
            is_known ? pulse->minutes[number % PULSE_MINUTES] : (struct pulse_minute){ .commit_us = 0 };
    }
    ret_minute[PULSE_MINUTES - 1] = minute_between(&pulse->mark, &now);
    *ret_known = (size_t)known;
}

/* ---- jobs by type ---- */

static struct pulse_type *type_of(struct pulse *pulse, str name, int64_t now_ms)
{
    struct pulse_type *type = text_map_get(&pulse->types, name);
    if (!type && pulse->types.count >= PULSE_TYPES_MAX) return NULL;
    if (!type) {
        type = calloc(1, sizeof *type + name.n + 1);
        must(type);
        memcpy(type + 1, name.p, name.n);
        type->type = (str){ (char *)(type + 1), name.n };
        type->bar = now_ms / BAR_MS;
        text_map_put(&pulse->types, type->type, type);
    }
    type->seen_ms = now_ms;
    return type;
}

/* Makes the bars that are over empty. */
static void move_bars(struct pulse_type *type, int64_t bar)
{
    for (int64_t i = type->bar + 1; i <= bar && i <= type->bar + PULSE_BARS; i++)
        type->done[i % PULSE_BARS] = type->failed[i % PULSE_BARS] = 0;
    type->bar = bar;
}

void pulse_job(struct pulse *pulse, str name, bool failed, int64_t now_ms)
{
    struct pulse_type *type = type_of(pulse, name, now_ms);
    int64_t bar = now_ms / BAR_MS;
    if (!type) return;
    if (bar > type->bar) move_bars(type, bar);
    (failed ? type->failed : type->done)[type->bar % PULSE_BARS]++;
}

struct pulse_jobs pulse_jobs_of(const struct pulse_type *type, int64_t now_ms)
{
    struct pulse_jobs jobs = { 0, 0 };
    for (int64_t i = type->bar; i > now_ms / BAR_MS - PULSE_BARS && i > type->bar - PULSE_BARS && i >= 0;
         i--) {
        jobs.done += type->done[i % PULSE_BARS];
        jobs.failed += type->failed[i % PULSE_BARS];
    }
    return jobs;
}

/* ---- workers ---- */

static void set_name(struct pulse_worker *worker, str name)
{
    char *copy = malloc(name.n + 1);
    must(copy);
    memcpy(copy, name.p, name.n);
    free((void *)(uintptr_t)worker->name.p);
    worker->name = (str){ copy, name.n };
}

/* One that was not seen for the longest time makes room for a new one. */
void pulse_poll(struct pulse *pulse, str name, str worker, int64_t now_ms)
{
    struct pulse_type *type = type_of(pulse, name, now_ms);
    if (!type) return;
    size_t at = 0, oldest = 0;
    for (; at < type->worker_count && !str_equal(type->worker[at].name, worker); at++)
        if (type->worker[at].seen_ms < type->worker[oldest].seen_ms) oldest = at;
    if (at == type->worker_count) {
        at = type->worker_count < PULSE_WORKERS_MAX ? type->worker_count++ : oldest;
        set_name(&type->worker[at], worker);
    }
    type->worker[at].seen_ms = now_ms;
}

bool pulse_polls(const struct pulse *pulse, str name, str worker, int64_t now_ms)
{
    const struct pulse_type *type = text_map_get(&pulse->types, name);
    for (size_t i = 0; type && i < type->worker_count; i++)
        if (str_equal(type->worker[i].name, worker))
            return type->worker[i].seen_ms > now_ms - PULSE_MINUTE_MS;
    return false;
}
