/* runtime/memory/metrics.c — adds to histograms, and to the counts by job type. */
#include "runtime/memory/metrics.h"

const int64_t metric_bounds_us[HISTOGRAM_BUCKETS] = {
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 500000, 2500000, 10000000, 60000000,
};

size_t metric_bucket(int64_t us)
{
    size_t i = 0;
    while (i < HISTOGRAM_BUCKETS && us > metric_bounds_us[i]) i++;
    return i;
}

void metric_observe(struct histogram *histogram, int64_t us)
{
    metric_add(&histogram->bucket[metric_bucket(us)], 1);
    metric_add(&histogram->sum_us, us > 0 ? (uint64_t)us : 0);
}

const int64_t metric_duration_bounds_ms[DURATION_BUCKETS] = {
    100, 1000, 10000, 60000, 600000, 3600000, 86400000, 7 * 86400000LL, 30 * 86400000LL,
};

size_t metric_observe_duration(struct durations *durations, int64_t ms)
{
    if (ms < 0) ms = 0;
    size_t i = 0;
    while (i < DURATION_BUCKETS && ms > metric_duration_bounds_ms[i]) i++;
    metric_add(&durations->bucket[i], 1);
    metric_add(&durations->sum_ms, (uint64_t)ms);
    return i;
}

void metric_note_run(struct run_exemplar *exemplar, uint64_t instance, int64_t created_ms, int64_t ended_ms)
{
    uint64_t writes = atomic_load_explicit(&exemplar->writes, memory_order_relaxed);
    atomic_store_explicit(&exemplar->writes, writes + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&exemplar->instance, instance, memory_order_relaxed);
    atomic_store_explicit(&exemplar->created_ms, created_ms, memory_order_relaxed);
    atomic_store_explicit(&exemplar->ended_ms, ended_ms, memory_order_relaxed);
    atomic_store_explicit(&exemplar->writes, writes + 2, memory_order_release);
}

bool metric_find_run(const struct run_exemplar *exemplar, uint64_t *ret_instance, int64_t *ret_created_ms,
                     int64_t *ret_ended_ms)
{
    uint64_t before = atomic_load_explicit(&exemplar->writes, memory_order_acquire);
    *ret_instance = atomic_load_explicit(&exemplar->instance, memory_order_relaxed);
    *ret_created_ms = atomic_load_explicit(&exemplar->created_ms, memory_order_relaxed);
    *ret_ended_ms = atomic_load_explicit(&exemplar->ended_ms, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return before && before % 2 == 0 &&
           before == atomic_load_explicit(&exemplar->writes, memory_order_relaxed);
}

const struct tenant_metrics *metric_find_tenant(const struct metrics *metrics, int32_t ns)
{
    size_t count = atomic_load_explicit(&metrics->tenant_count, memory_order_acquire);
    for (size_t i = 0; i < count; i++)
        if (atomic_load_explicit(&metrics->tenant[i].ns, memory_order_relaxed) == ns)
            return &metrics->tenant[i];
    return NULL;
}

struct tenant_metrics *metric_of_tenant(struct metrics *metrics, int32_t ns, str name)
{
    size_t count = atomic_load_explicit(&metrics->tenant_count, memory_order_relaxed), i = 0;
    while (i < count && !str_equal(str_of(metrics->tenant[i].name), name)) i++;
    if (i == METRIC_TENANTS_MAX || name.n > ACCESS_NAME_BYTES_MAX) return &metrics->other_tenants;
    atomic_store_explicit(&metrics->tenant[i].ns, ns, memory_order_relaxed);
    if (i < count) return &metrics->tenant[i];
    memcpy(metrics->tenant[i].name, name.p, name.n);
    atomic_store_explicit(&metrics->tenant_count, count + 1, memory_order_release);
    return &metrics->tenant[i];
}

void metric_count_type(struct metrics *metrics, str type)
{
    size_t count = atomic_load_explicit(&metrics->type_count, memory_order_relaxed), i = 0;
    if (type.n >= TYPE_WORD_BYTES) type.n = TYPE_WORD_BYTES - 1;
    while (i < count && !str_equal(str_of(metrics->type[i].word), type)) i++;
    if (i == count && count < METRIC_TYPES_MAX) {
        /* The word is there before the count says so: readers look without a lock. */
        if (type.n) memcpy(metrics->type[i].word, type.p, type.n);
        atomic_store_explicit(&metrics->type_count, count + 1, memory_order_release);
    }
    metric_add(&metrics->type[i < METRIC_TYPES_MAX ? i : METRIC_TYPES_MAX - 1].count, 1);
}
