/* scenario/play.c — a case from its first definition to its last expectation. */
#include "scenario/scenario_int.h"

#include "base/must.h"

#include <stdlib.h>

/* A case whose definitions are refused stops, unless it expects the refusal. */
static bool publish_all(struct stage *stage)
{
    const struct scenario *scenario = stage->scenario;
    bool may_refuse =
        json_get(scenario->expect, STR("rejected")) || json_get(scenario->expect, STR("publishErrors"));
    for (size_t i = 0; i < scenario->definition_count; i++) {
        if (!op_publish(stage, scenario->definition[i].text, scenario->definition[i].file)) return false;
        if (stage->refused && !may_refuse) return stage_stop(stage, "%.*s", STR_ARG(stage->refusal));
    }
    return true;
}

static void play_steps(struct stage *stage)
{
    const struct scenario *scenario = stage->scenario;
    if (!publish_all(stage)) return;
    for (size_t i = 0; i < scenario->op_count; i++)
        if (!op_run(stage, &scenario->op[i])) return;
    /* Lets answers arrive that were delayed by chance. */
    if (stage->variation != VARY_NOTHING && !work_until(stage, INT64_MAX)) return;
    if (!writes_check_end(stage)) return;
    if (stage->variation == VARY_NOTHING)
        expect_check(stage, scenario->expect ? scenario->expect : json_empty_object());
}

/* One run, with `concurrent` steps in the given order. */
static bool play_once(const struct scenario *scenario, struct choices *choices, enum variation variation,
                      size_t serialisation, struct arena *arena, struct scenario_result *ret_result)
{
    struct stage *stage = calloc(1, sizeof *stage);
    must(stage);
    stage->arena = arena;
    stage->scenario = scenario;
    stage->bound = scenario->bound;
    stage->is_bounded = scenario->bound != NULL;
    stage->choices = choices;
    stage->variation = variation;
    stage->serialisation = serialisation;
    stage->start_ms = stage->now_ms = scenario->start_ms;
    world_open(stage);
    play_steps(stage);
    world_close(stage);
    *ret_result = (struct scenario_result){
        .passed = !stage->problem.n && !stage->difference_count,
        .problem = stage->problem,
        .difference = stage->first_difference,
        .record = stage->first_record,
    };
    free(stage);
    return ret_result->passed;
}

/* How many orders the case's `concurrent` steps can happen in. */
static size_t serialisations(const struct scenario *scenario)
{
    size_t most = 1;
    for (size_t i = 0; i < scenario->op_count; i++) {
        size_t orders = 1;
        for (size_t n = 2; n <= scenario->op[i].inner_count && orders < SERIALISATIONS_MAX; n++) orders *= n;
        if (orders > most) most = orders;
    }
    return most < SERIALISATIONS_MAX ? most : SERIALISATIONS_MAX;
}

bool play(const struct scenario *scenario, struct choices *choices, enum variation variation,
          struct arena *arena, struct scenario_result *ret_result)
{
    if (scenario->problem.n) {
        *ret_result = (struct scenario_result){ .problem = scenario->problem };
        return false;
    }
    size_t count = serialisations(scenario);
    if (variation != VARY_NOTHING)
        return play_once(scenario, choices, variation, choices_below(choices, (uint32_t)count), arena,
                         ret_result);
    for (size_t i = 0; i < count; i++)
        if (!play_once(scenario, choices, variation, i, arena, ret_result)) return false;
    return true;
}

void scenario_run(const struct suite *suite, size_t index, struct arena *arena,
                  struct scenario_result *ret_result)
{
    play(&suite->scenario[index], NULL, VARY_NOTHING, arena, ret_result);
}

void scenario_run_bounded(const struct suite *suite, size_t index, const struct scenario_bound *bound,
                          struct arena *arena, struct scenario_result *ret_result)
{
    struct scenario bounded = suite->scenario[index];
    bounded.bound = bound;
    play(&bounded, NULL, VARY_NOTHING, arena, ret_result);
}
