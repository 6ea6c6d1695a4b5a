/* runtime/memory/activity_minutes.c — the counts of each tenant by the minute, for an hour. */
#include "runtime/memory/activity.h"

#include "runtime/memory/memory_int.h"

const char *activity_count_word(enum activity_count count)
{
    static const char *const words[] = {
#define XX(NAME, word) [ACTIVITY_##NAME] = word,
        ACTIVITY_COUNT_MAP(XX)
#undef XX
    };
    return words[count];
}

/* The time that 95 of 100 took at most, between the bounds of its bucket. */
static int64_t percentile(const uint64_t bucket[HISTOGRAM_BUCKETS + 1])
{
    uint64_t total = 0, below = 0;
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) total += bucket[i];
    if (!total) return 0;
    double wanted = (double)total * 0.95;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t here = bucket[i];
        if (here && (double)(below + here) >= wanted) {
            int64_t low = i ? metric_bounds_us[i - 1] : 0, high = metric_bounds_us[i];
            return low + (int64_t)((double)(high - low) * (wanted - (double)below) / (double)here);
        }
        below += here;
    }
    return metric_bounds_us[HISTOGRAM_BUCKETS - 1];
}

/* ---- commits of the engine ---- */

static void read_commits(const struct activity *activity, uint64_t ret_count[HISTOGRAM_BUCKETS + 1])
{
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++)
        ret_count[i] = metric_get(&activity->metrics->transaction.bucket[i]);
}

/* The commits of the minute that runs. */
static int64_t commit_us_now(const struct activity *activity)
{
    uint64_t count[HISTOGRAM_BUCKETS + 1];
    read_commits(activity, count);
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) count[i] -= activity->commit[i];
    return percentile(count);
}

void activity_begin_minute(struct activity *activity, int64_t minute)
{
    int64_t from = activity->minute;
    activity->commit_us[from % ACTIVITY_MINUTES] = commit_us_now(activity);
    for (int64_t i = from + 1; i < minute && i <= from + ACTIVITY_MINUTES; i++)
        activity->commit_us[i % ACTIVITY_MINUTES] = 0;
    activity->minute = minute;
    read_commits(activity, activity->commit);
}

/* ---- counts of a tenant ---- */

static void clear_minute(struct activity_tenant *tenant, int64_t minute)
{
    tenant->minutes[minute % ACTIVITY_MINUTES] = (struct activity_minute){ .commit_us = 0 };
    tenant->has_written[minute % ACTIVITY_MINUTES] = false;
}

/* A minute is over: the histogram of its waits becomes one number. */
static void close_minute(struct activity_tenant *tenant)
{
    tenant->minutes[tenant->minute % ACTIVITY_MINUTES].wait_us = percentile(tenant->wait);
    for (size_t i = 0; i <= HISTOGRAM_BUCKETS; i++) tenant->wait[i] = 0;
}

/* Brings the tenant's ring to the minute that runs. */
static struct activity_minute *move_on(const struct activity *activity, struct activity_tenant *tenant)
{
    int64_t minute = activity->minute, from = tenant->minute;
    if (from == minute) return &tenant->minutes[minute % ACTIVITY_MINUTES];
    close_minute(tenant);
    if (minute < from) { /* Somebody set the clock back: what was counted is of another time. */
        tenant->began = minute;
        clear_minute(tenant, minute);
    }
    for (int64_t i = from + 1; i <= minute && i <= from + ACTIVITY_MINUTES; i++) clear_minute(tenant, i);
    tenant->minute = minute;
    return &tenant->minutes[minute % ACTIVITY_MINUTES];
}

void activity_count(struct activity *activity, int32_t ns, enum activity_count count, uint64_t n,
                    int64_t now_ms)
{
    struct activity_tenant *tenant = activity_tenant_of(activity, ns, now_ms);
    if (tenant) move_on(activity, tenant)->count[count] += n;
}

void activity_write(struct activity *activity, int32_t ns, int64_t now_ms)
{
    struct activity_tenant *tenant = activity_tenant_of(activity, ns, now_ms);
    if (!tenant) return;
    move_on(activity, tenant);
    tenant->has_written[activity->minute % ACTIVITY_MINUTES] = true;
}

void activity_wait(struct activity *activity, int32_t ns, int64_t wait_us, int64_t now_ms)
{
    struct activity_tenant *tenant = activity_tenant_of(activity, ns, now_ms);
    if (!tenant) return;
    move_on(activity, tenant);
    tenant->wait[metric_bucket(wait_us)]++;
}

void activity_perform(struct activity *activity, int32_t ns, enum performer performer, bool failed,
                      int64_t now_ms)
{
    struct activity_tenant *tenant = activity_tenant_of(activity, ns, now_ms);
    if (!tenant) return;
    ++*(failed ? &tenant->performer[performer].failed : &tenant->performer[performer].done);
    if (!failed) move_on(activity, tenant)->count[ACTIVITY_JOBS_DONE]++;
}

/* ---- questions ---- */

struct activity_jobs activity_performed(const struct activity *activity, int32_t ns, enum performer performer)
{
    const struct activity_tenant *tenant = map_get(&activity->tenants, (uint64_t)ns);
    return tenant ? tenant->performer[performer] : (struct activity_jobs){ 0, 0 };
}

void activity_minutes(struct activity *activity, int32_t ns,
                      struct activity_minute ret_minute[ACTIVITY_MINUTES], size_t *ret_known)
{
    struct activity_tenant *tenant = map_get(&activity->tenants, (uint64_t)ns);
    if (tenant) move_on(activity, tenant);
    int64_t began = tenant ? tenant->began : activity->whole;
    int64_t first = activity->minute - ACTIVITY_MINUTES + 1;
    if (began < first) began = first;
    for (int64_t i = 0; i < ACTIVITY_MINUTES; i++) {
        int64_t number = first + i, at = number % ACTIVITY_MINUTES;
        bool is_known = tenant && number >= began, is_now = number == activity->minute;
        ret_minute[i] = is_known ? tenant->minutes[at] : (struct activity_minute){ .commit_us = 0 };
        if (!is_known) continue;
        if (is_now) ret_minute[i].wait_us = percentile(tenant->wait);
        if (ns == TENANT_DEFAULT || tenant->has_written[at])
            ret_minute[i].commit_us = is_now ? commit_us_now(activity) : activity->commit_us[at];
    }
    *ret_known = began > activity->minute ? 0 : (size_t)(activity->minute - began + 1);
}
