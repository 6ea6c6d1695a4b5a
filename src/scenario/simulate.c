/* scenario/simulate.c — a definition run many times by chance: how often it takes each path, how long it
 * takes, and whether it can get stuck. */
#include "scenario/scenario_int.h"

#include "base/array.h"
#include "base/must.h"
#include "base/text_map.h"

#include <stdlib.h>

struct simulating {
    struct arena *arena; /* For the report. */
    struct text_map by_path;
    struct simulation_path **path; /* On the heap, in order of first appearance. */
    size_t path_count, path_cap;
    size_t stuck_count;
};

/* The first thing it waits for, in words. */
static str first_wait(struct trial *trial)
{
    const struct trial_want *want;
    if (trial_problem(trial).n) return trial_problem(trial);
    if (trial_stuck(trial, &want) || trial_wants(trial, &want)) return want[0].why;
    return STR("nothing");
}

static void count_path(struct simulating *simulating, struct trial *trial, uint64_t seed,
                       int64_t *ret_took_ms)
{
    struct trial_outcome outcome;
    bool stuck = !trial_ended(trial);
    trial_outcome(trial, &outcome);
    *ret_took_ms = outcome.took_ms;
    simulating->stuck_count += stuck;
    str status = stuck ? STR("stuck") : outcome.own_status.n ? outcome.own_status : outcome.status;
    str key = arena_printf(simulating->arena, "%.*s %.*s", STR_ARG(status), STR_ARG(outcome.path));
    struct simulation_path *path = text_map_get(&simulating->by_path, key);
    if (!path) {
        str why = stuck ? first_wait(trial) : outcome.reason;
        path = arena_make(simulating->arena, struct simulation_path);
        *path = (struct simulation_path){ .path = str_slice(key, status.n + 1, key.n),
                                          .status = str_slice(key, 0, status.n),
                                          .seed = seed,
                                          .why = arena_str(simulating->arena, why) };
        text_map_put(&simulating->by_path, key, path);
        array_reserve(simulating->path, simulating->path_count, simulating->path_cap);
        simulating->path[simulating->path_count++] = path;
    }
    path->count++;
}

static enum status run_once(struct simulating *simulating, const struct trial_setup *setup,
                            struct arena *arena, int64_t *ret_took_ms, struct error *err)
{
    struct trial *trial;
    TRY(trial_open(setup, arena, &trial, NULL, err));
    while (trial_pass_time(trial)) {
    }
    count_path(simulating, trial, setup->seed, ret_took_ms);
    trial_close(trial);
    return ST_OK;
}

static int by_frequency(const void *a, const void *b)
{
    const struct simulation_path *first = *(struct simulation_path *const *)a,
                                 *second = *(struct simulation_path *const *)b;
    if (first->count != second->count) return first->count > second->count ? -1 : 1;
    return first->seed < second->seed ? -1 : first->seed > second->seed;
}

static int by_value(const void *a, const void *b)
{
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return first < second ? -1 : first > second;
}

static void summarize(struct simulating *simulating, int64_t *took_ms, size_t runs,
                      struct simulation *simulation)
{
    static const size_t parts[] = { 0, 50, 90, 99, 100 };
    qsort(simulating->path, simulating->path_count, sizeof simulating->path[0], by_frequency);
    struct simulation_path *path =
        arena_make_n(simulating->arena, struct simulation_path, simulating->path_count);
    for (size_t i = 0; i < simulating->path_count; i++) path[i] = *simulating->path[i];
    qsort(took_ms, runs, sizeof took_ms[0], by_value);
    *simulation = (struct simulation){ .run_count = runs,
                                       .path = path,
                                       .path_count = simulating->path_count,
                                       .stuck_count = simulating->stuck_count };
    for (size_t i = 0; i < COUNT(parts); i++) simulation->took_ms[i] = took_ms[(runs - 1) * parts[i] / 100];
}

enum status scenario_simulate(const struct trial_setup *setup, size_t runs, struct arena *arena,
                              simulation_progress_fn *progress, void *context,
                              struct simulation *ret_simulation, struct error *err)
{
    struct simulating simulating = { .arena = arena };
    struct trial_setup one = *setup;
    struct arena scratch;
    enum status status = ST_OK;
    must(runs > 0);
    int64_t *took_ms = calloc(runs, sizeof *took_ms);
    must(took_ms);
    arena_init(&scratch, 0);
    text_map_init(&simulating.by_path);
    one.simulate = true;
    for (size_t i = 0; i < runs && status == ST_OK; i++) {
        one.seed = setup->seed + i;
        status = run_once(&simulating, &one, &scratch, &took_ms[i], err);
        arena_reset(&scratch);
        if (progress) progress(context, i + 1);
    }
    if (status == ST_OK) summarize(&simulating, took_ms, runs, ret_simulation);
    text_map_done(&simulating.by_path);
    free(simulating.path);
    free(took_ms);
    arena_done(&scratch);
    return status;
}
