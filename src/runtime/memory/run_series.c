/* runtime/memory/run_series.c — finds or makes the place where the runs of a definition are counted. */
#include "runtime/memory/run_series.h"

#include "base/must.h"
#include "base/tenant.h"

#include <stdlib.h>

void run_series_init(struct run_series *series, struct metrics *metrics)
{
    series->metrics = metrics;
    text_map_init(&series->places);
    map_init(&series->counts);
}

void run_series_done(struct run_series *series)
{
    struct metrics *metrics = series->metrics;
    size_t count = atomic_exchange_explicit(&metrics->definition_count, 0, memory_order_relaxed);
    for (size_t i = 0; i < count; i++) free(metrics->definition[i]);
    text_map_done(&series->places);
    map_done(&series->counts);
}

static struct definition_metrics *make_place(str key)
{
    struct definition_metrics *place = calloc(1, sizeof *place + key.n + 1);
    must(place);
    memcpy(place + 1, key.p, key.n);
    place->key = (str){ (char *)(place + 1), key.n };
    return place;
}

struct definition_metrics *run_series_of(struct run_series *series, int32_t ns, str id, struct arena *arena)
{
    struct metrics *metrics = series->metrics;
    str key = tenant_key(ns, id, arena);
    struct definition_metrics *place = text_map_get(&series->places, key);
    if (place) return place;
    size_t count = atomic_load_explicit(&metrics->definition_count, memory_order_relaxed);
    uintptr_t of_tenant = (uintptr_t)map_get(&series->counts, (uint64_t)ns);
    if (count == METRIC_DEFINITIONS_MAX || of_tenant == METRIC_DEFINITIONS_OF_TENANT_MAX ||
        str_equal(id, METRIC_OTHER))
        return &metrics->other_definitions;
    must(count < METRIC_DEFINITIONS_MAX && of_tenant < METRIC_DEFINITIONS_OF_TENANT_MAX);
    metrics->definition[count] = place = make_place(key);
    text_map_put(&series->places, place->key, place);
    map_put(&series->counts, (uint64_t)ns, (void *)(of_tenant + 1));
    atomic_store_explicit(&metrics->definition_count, count + 1, memory_order_release);
    return place;
}
