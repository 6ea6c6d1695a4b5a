/* runtime/memory/run_series.h — which definition is counted where: /metrics has a bounded number of labels.
 *
 * A definition gets a place of its own when its first run is counted. A tenant has at most
 * METRIC_DEFINITIONS_OF_TENANT_MAX places, so none takes them all. All that find no place are counted
 * together, and so is a definition whose id is the word for them. Places begin anew with the engine.
 */
#ifndef RUNTIME_MEMORY_RUN_SERIES_H
#define RUNTIME_MEMORY_RUN_SERIES_H

#include "base/map.h"
#include "base/text_map.h"
#include "runtime/memory/metrics.h"

/* The label of definitions and job types that have none of their own. */
#define METRIC_OTHER STR("other")

struct run_series {
    struct metrics *metrics;
    struct text_map places; /* struct definition_metrics by key. */
    struct map counts;      /* By tenant: how many places it has, as a number in place of a pointer. */
};

void run_series_init(struct run_series *series, struct metrics *metrics);
void run_series_done(struct run_series *series);

struct definition_metrics *run_series_of(struct run_series *series, int32_t ns, str id, struct arena *arena);

#endif
