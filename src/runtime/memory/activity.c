/* runtime/memory/activity.c — counts by the minute, jobs by type and workers that polled, for an hour. */
#include "runtime/memory/activity.h"

#include "base/must.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

enum { BAR_MS = 5 * 60 * 1000, KEPT_MS = ACTIVITY_MINUTES * ACTIVITY_MINUTE_MS };

const char *activity_count_word(enum activity_count count)
{
    static const char *const words[] = {
#define XX(NAME, word) [ACTIVITY_##NAME] = word,
        ACTIVITY_COUNT_MAP(XX)
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

static struct activity_mark mark_now(const struct metrics *metrics)
{
    struct activity_mark mark = { .count = {
                                      [ACTIVITY_STARTED] = metric_get(&metrics->instances_started),
                                      [ACTIVITY_COMPLETED] =
                                          metric_get(&metrics->instances_ended[INSTANCE_COMPLETED]),
                                      [ACTIVITY_FAILED] =
                                          metric_get(&metrics->instances_ended[INSTANCE_FAILED]),
                                      [ACTIVITY_CANCELLED] =
                                          metric_get(&metrics->instances_ended[INSTANCE_CANCELLED]),
                                      [ACTIVITY_JOBS_DONE] = sum_of(metrics->jobs_done, PERFORMER_COUNT),
                                      [ACTIVITY_ARRIVALS] = sum_of(metrics->arrivals, OUTCOME_COUNT),
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

static struct activity_minute minute_between(const struct activity_mark *before,
                                             const struct activity_mark *after)
{
    struct activity_minute minute = { .commit_us = percentile(before->commit, after->commit),
                                      .wait_us = percentile(before->wait, after->wait) };
    for (size_t i = 0; i < ACTIVITY_COUNT_COUNT; i++) minute.count[i] = after->count[i] - before->count[i];
    return minute;
}

void activity_init(struct activity *activity, const struct metrics *metrics, int64_t now_ms)
{
    *activity = (struct activity){ .metrics = metrics, .mark = mark_now(metrics) };
    activity->began = activity->minute = now_ms / ACTIVITY_MINUTE_MS;
    text_map_init(&activity->types);
}

static void free_type(struct activity_type *type)
{
    for (size_t i = 0; i < type->worker_count; i++) free((void *)(uintptr_t)type->worker[i].name.p);
    free(type);
}

void activity_done(struct activity *activity)
{
    size_t cursor = 0;
    for (struct activity_type *type; (type = text_map_next(&activity->types, &cursor)) != NULL;)
        free_type(type);
    text_map_done(&activity->types);
}

/* Types that nobody polled for, and no job of which ended, for longer than is told. */
static void forget_types(struct activity *activity, int64_t now_ms)
{
    struct activity_type *old[ACTIVITY_FORGOTTEN_MAX];
    size_t cursor = 0, count = 0;
    for (struct activity_type *type;
         count < COUNT(old) && (type = text_map_next(&activity->types, &cursor)) != NULL;)
        if (type->seen_ms < now_ms - KEPT_MS) old[count++] = type;
    for (size_t i = 0; i < count; i++) {
        text_map_take(&activity->types, old[i]->type);
        free_type(old[i]);
    }
}

void activity_roll(struct activity *activity, int64_t now_ms)
{
    int64_t minute = now_ms / ACTIVITY_MINUTE_MS;
    struct activity_mark now = mark_now(activity->metrics);
    if (minute < activity->minute) { /* Somebody set the clock back: what was counted is of another time. */
        activity->began = minute;
    } else {
        activity->minutes[activity->minute % ACTIVITY_MINUTES] = minute_between(&activity->mark, &now);
        for (int64_t i = activity->minute + 1; i < minute && i <= activity->minute + ACTIVITY_MINUTES; i++)
            activity->minutes[i % ACTIVITY_MINUTES] = (struct activity_minute){ .commit_us = 0 };
    }
    activity->minute = minute;
    activity->mark = now;
    forget_types(activity, now_ms);
}

void activity_minutes(const struct activity *activity, struct activity_minute ret_minute[ACTIVITY_MINUTES],
                      size_t *ret_known)
{
    struct activity_mark now = mark_now(activity->metrics);
    int64_t known = activity->minute - activity->began + 1;
    if (known > ACTIVITY_MINUTES) known = ACTIVITY_MINUTES;
    for (int64_t i = 0; i < ACTIVITY_MINUTES; i++) {
        int64_t number = activity->minute - ACTIVITY_MINUTES + 1 + i;
        bool is_known = number >= activity->began;
        ret_minute[i] = is_known ? activity->minutes[number % ACTIVITY_MINUTES]
                                 : (struct activity_minute){ .commit_us = 0 };
    }
    ret_minute[ACTIVITY_MINUTES - 1] = minute_between(&activity->mark, &now);
    *ret_known = (size_t)known;
}

/* ---- jobs by type ---- */

static struct activity_type *type_of(struct activity *activity, str name, int64_t now_ms)
{
    struct activity_type *type = text_map_get(&activity->types, name);
    if (!type && activity->types.count >= ACTIVITY_TYPES_MAX) return NULL;
    if (!type) {
        type = calloc(1, sizeof *type + name.n + 1);
        must(type);
        memcpy(type + 1, name.p, name.n);
        type->type = (str){ (char *)(type + 1), name.n };
        type->bar = now_ms / BAR_MS;
        text_map_put(&activity->types, type->type, type);
    }
    type->seen_ms = now_ms;
    return type;
}

/* Makes the bars that are over empty. */
static void move_bars(struct activity_type *type, int64_t bar)
{
    for (int64_t i = type->bar + 1; i <= bar && i <= type->bar + ACTIVITY_BARS; i++)
        type->done[i % ACTIVITY_BARS] = type->failed[i % ACTIVITY_BARS] = 0;
    type->bar = bar;
}

void activity_job(struct activity *activity, str name, bool failed, int64_t took_ms, int64_t now_ms)
{
    struct activity_type *type = type_of(activity, name, now_ms);
    int64_t bar = now_ms / BAR_MS;
    if (!type) return;
    if (bar > type->bar) move_bars(type, bar);
    (failed ? type->failed : type->done)[type->bar % ACTIVITY_BARS]++;
    ++*(failed ? &type->failed_total : &type->done_total);
    if (took_ms >= 0) metric_observe_duration(&type->took, took_ms);
}

struct activity_jobs activity_jobs_of(const struct activity_type *type, int64_t now_ms)
{
    struct activity_jobs jobs = { 0, 0 };
    for (int64_t i = type->bar;
         i > now_ms / BAR_MS - ACTIVITY_BARS && i > type->bar - ACTIVITY_BARS && i >= 0; i--) {
        jobs.done += type->done[i % ACTIVITY_BARS];
        jobs.failed += type->failed[i % ACTIVITY_BARS];
    }
    return jobs;
}

/* ---- workers ---- */

static void set_name(struct activity_worker *worker, str name)
{
    char *copy = malloc(name.n + 1);
    must(copy);
    memcpy(copy, name.p, name.n);
    free((void *)(uintptr_t)worker->name.p);
    worker->name = (str){ copy, name.n };
}

/* One that was not seen for the longest time makes room for a new one. */
void activity_poll(struct activity *activity, str name, str worker, int64_t now_ms)
{
    struct activity_type *type = type_of(activity, name, now_ms);
    if (!type) return;
    size_t at = 0, oldest = 0;
    for (; at < type->worker_count && !str_equal(type->worker[at].name, worker); at++)
        if (type->worker[at].seen_ms < type->worker[oldest].seen_ms) oldest = at;
    if (at == type->worker_count) {
        at = type->worker_count < ACTIVITY_WORKERS_MAX ? type->worker_count++ : oldest;
        set_name(&type->worker[at], worker);
    }
    type->worker[at].seen_ms = type->polled_ms = now_ms;
}

bool activity_polls(const struct activity *activity, str name, str worker, int64_t now_ms)
{
    const struct activity_type *type = text_map_get(&activity->types, name);
    for (size_t i = 0; type && i < type->worker_count; i++)
        if (str_equal(type->worker[i].name, worker))
            return type->worker[i].seen_ms > now_ms - ACTIVITY_MINUTE_MS;
    return false;
}
