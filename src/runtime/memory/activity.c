/* runtime/memory/activity.c — jobs by type and workers that polled, for an hour. */
#include "runtime/memory/activity.h"

#include "base/must.h"
#include "base/tenant.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

enum { BAR_MS = 5 * 60 * 1000 };

void activity_init(struct activity *activity, const struct metrics *metrics, int64_t now_ms)
{
    *activity = (struct activity){ .metrics = metrics };
    map_init(&activity->tenants);
    text_map_init(&activity->types);
    activity->minute = activity->whole = now_ms / ACTIVITY_MINUTE_MS;
    activity_begin_minute(activity, activity->minute);
    activity_tenant_of(activity, TENANT_DEFAULT, now_ms); /* It has its place always. */
}

void activity_done(struct activity *activity)
{
    size_t cursor = 0;
    for (struct activity_type *type; (type = text_map_next(&activity->types, &cursor)) != NULL;)
        activity_free_type(type);
    text_map_done(&activity->types);
    cursor = 0;
    for (struct activity_tenant *tenant; (tenant = map_next(&activity->tenants, &cursor)) != NULL;)
        free(tenant);
    map_done(&activity->tenants);
}

/* ---- time ---- */

/* Types that nobody polled for, and no job of which ended, for longer than is told. */
static void forget_types(struct activity *activity, int64_t now_ms)
{
    struct activity_type *old[ACTIVITY_FORGOTTEN_MAX];
    size_t cursor = 0, count = 0;
    for (struct activity_type *type;
         count < COUNT(old) && (type = text_map_next(&activity->types, &cursor)) != NULL;)
        if (type->seen_ms < now_ms - ACTIVITY_KEPT_MS) old[count++] = type;
    for (size_t i = 0; i < count; i++) activity_forget_type(activity, old[i]);
}

/* Somebody set the clock back: nothing was seen later than now. */
static void set_back(struct activity *activity, int64_t now_ms)
{
    size_t cursor = 0;
    for (struct activity_tenant *tenant; (tenant = map_next(&activity->tenants, &cursor)) != NULL;)
        if (tenant->seen_ms > now_ms) tenant->seen_ms = now_ms;
    cursor = 0;
    for (struct activity_type *type; (type = text_map_next(&activity->types, &cursor)) != NULL;)
        if (type->seen_ms > now_ms) type->seen_ms = now_ms;
    activity->whole = now_ms / ACTIVITY_MINUTE_MS;
    activity->full_until_ms = 0;
}

void activity_roll(struct activity *activity, int64_t now_ms)
{
    int64_t minute = now_ms / ACTIVITY_MINUTE_MS;
    if (minute < activity->minute) set_back(activity, now_ms);
    activity_begin_minute(activity, minute);
    forget_types(activity, now_ms);
}

/* ---- jobs by type ---- */

/* A tenant that has its share already loses a type of its own. Else the tenant with the most types loses one:
 * it has more than its share, because the shares of all make up the whole. */
static void make_room(struct activity *activity, struct activity_tenant *tenant)
{
    size_t cursor = 0, share = ACTIVITY_TYPES_MAX / activity->tenants.count;
    must(share > 0);
    struct activity_tenant *loser = tenant;
    if (tenant->type_count < share)
        for (struct activity_tenant *other; (other = map_next(&activity->tenants, &cursor)) != NULL;)
            if (other->type_count > loser->type_count) loser = other;
    must(loser->oldest);
    activity_forget_type(activity, loser->oldest);
}

static struct activity_type *make_type(struct activity *activity, struct activity_tenant *tenant, str name,
                                       int64_t now_ms)
{
    if (activity->types.count >= ACTIVITY_TYPES_MAX) make_room(activity, tenant);
    struct activity_type *type = calloc(1, sizeof *type + name.n + 1);
    must(type);
    memcpy(type + 1, name.p, name.n);
    type->type = (str){ (char *)(type + 1), name.n };
    type->bar = now_ms / BAR_MS;
    text_map_put(&activity->types, type->type, type);
    activity_put_type(tenant, type);
    return type;
}

/* NULL: its tenant is not counted. */
static struct activity_type *type_of(struct activity *activity, str name, int64_t now_ms)
{
    int32_t ns;
    tenant_name(name, &ns);
    struct activity_tenant *tenant = activity_tenant_of(activity, ns, now_ms);
    if (!tenant) return NULL;
    struct activity_type *type = text_map_get(&activity->types, name);
    if (!type) type = make_type(activity, tenant, name, now_ms);
    else if (type != tenant->newest) activity_put_type(tenant, type);
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
    if (took_ms >= 0) (void)metric_observe_duration(&type->took, took_ms);
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
