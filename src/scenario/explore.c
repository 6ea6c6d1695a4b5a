/* scenario/explore.c — many varied runs of a case, and the shortest form of one that fails.
 *
 * A varied run is a list of choices (choices.c) where 0 is always the plainest. Shrinking
 * needs no knowledge of what they mean: it sets choices to 0, leaves some out, lowers others,
 * and keeps whatever still fails. Everything follows from the seed.
 */
#include "scenario/scenario_int.h"

#include "base/hash.h"
#include "base/must.h"

#include <stdlib.h>

struct shrinking {
    const struct scenario *scenario;
    struct arena arena; /* For one run. */
    uint32_t *best;     /* On the heap. */
    size_t count;
    size_t runs_left;
};

static size_t departures(const uint32_t *choice, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) n += choice[i] != 0;
    return n;
}

/* Zeros at the end say nothing: beyond the list everything is 0. */
static size_t without_tail(const uint32_t *choice, size_t count)
{
    while (count && !choice[count - 1]) count--;
    return count;
}

/* Takes the candidate if it still fails. */
static bool try_shorter(struct shrinking *shrinking, const uint32_t *candidate, size_t count)
{
    struct choices choices;
    struct scenario_result result;
    if (!shrinking->runs_left) return false;
    shrinking->runs_left--;
    choices_init_given(&choices, candidate, count);
    bool passed = play(shrinking->scenario, &choices, VARY_EXPLORE, &shrinking->arena, &result);
    arena_reset(&shrinking->arena);
    if (!passed) {
        /* The choices that the run asked for, not those it was given: it may have ended earlier. */
        size_t made = choices.made_count < count ? choices.made_count : count;
        memmove(shrinking->best, choices.made, made * sizeof choices.made[0]);
        shrinking->count = without_tail(shrinking->best, made);
    }
    choices_done(&choices);
    return !passed;
}

static bool leave_out(struct shrinking *shrinking, uint32_t *candidate, size_t at, size_t length)
{
    size_t end = at + length < shrinking->count ? at + length : shrinking->count;
    memcpy(candidate, shrinking->best, at * sizeof candidate[0]);
    memcpy(candidate + at, shrinking->best + end, (shrinking->count - end) * sizeof candidate[0]);
    return try_shorter(shrinking, candidate, shrinking->count - (end - at));
}

static bool make_plain(struct shrinking *shrinking, uint32_t *candidate, size_t at, size_t length)
{
    bool any = false;
    memcpy(candidate, shrinking->best, shrinking->count * sizeof candidate[0]);
    for (size_t i = at; i < at + length && i < shrinking->count; i++) {
        any |= candidate[i] != 0;
        candidate[i] = 0;
    }
    return any && try_shorter(shrinking, candidate, shrinking->count);
}

static bool lower(struct shrinking *shrinking, uint32_t *candidate, size_t at)
{
    const uint32_t value = shrinking->best[at];
    const uint32_t lower_values[] = { value / 2, value - 1 };
    for (size_t i = 0; i < COUNT(lower_values) && value > 1; i++) {
        memcpy(candidate, shrinking->best, shrinking->count * sizeof candidate[0]);
        candidate[at] = lower_values[i];
        if (try_shorter(shrinking, candidate, shrinking->count)) return true;
    }
    return false;
}

static void shrink(struct shrinking *shrinking)
{
    uint32_t *candidate = malloc((shrinking->count + 1) * sizeof *candidate);
    must(candidate);
    for (bool better = true; better && shrinking->runs_left;) {
        better = false;
        for (size_t length = shrinking->count; length; length /= 2)
            for (size_t at = 0; at < shrinking->count;)
                if (make_plain(shrinking, candidate, at, length) ||
                    leave_out(shrinking, candidate, at, length))
                    better = true;
                else at += length;
        for (size_t at = 0; at < shrinking->count; at++)
            while (at < shrinking->count && lower(shrinking, candidate, at)) better = true;
    }
    free(candidate);
}

/* Shrinks a run that failed and plays its shortest form for the record. */
static void explain_failure(const struct scenario *scenario, const struct choices *failed,
                            struct arena *arena, struct exploration *exploration)
{
    struct shrinking shrinking = { .scenario = scenario,
                                   .count = without_tail(failed->made, failed->made_count),
                                   .runs_left = SHRINK_RUNS_MAX };
    struct choices choices;
    arena_init(&shrinking.arena, 0);
    shrinking.best = malloc((failed->made_count + 1) * sizeof shrinking.best[0]);
    must(shrinking.best);
    if (shrinking.count) memcpy(shrinking.best, failed->made, shrinking.count * sizeof shrinking.best[0]);
    exploration->choice_count = departures(shrinking.best, shrinking.count);
    shrink(&shrinking);
    exploration->shrunk_count = departures(shrinking.best, shrinking.count);
    choices_init_given(&choices, shrinking.best, shrinking.count);
    play(scenario, &choices, VARY_EXPLORE, arena, &exploration->result);
    choices_done(&choices);
    free(shrinking.best);
    arena_done(&shrinking.arena);
}

/* ---- different paths ---- */

/* Which instance entered what, in order. */
static uint64_t path_of(const struct scenario_result *result, struct arena *arena)
{
    struct buf path;
    buf_init(&path, arena);
    for (const struct record *record = result->record; record; record = record->next) {
        if (!str_equal(str_trim(record->word), STR("enter"))) continue;
        buf_add_str(&path, record->instance);
        buf_add_char(&path, '\0');
        buf_add_str(&path, record->text);
        buf_add_char(&path, '\0');
    }
    return hash_bytes(buf_str(&path));
}

static int compare_paths(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;
    return one < two ? -1 : one > two;
}

static size_t count_different(uint64_t *path, size_t count)
{
    size_t different = 0;
    qsort(path, count, sizeof *path, compare_paths);
    for (size_t i = 0; i < count; i++) different += !i || path[i] != path[i - 1];
    return different;
}

void scenario_explore(const struct suite *suite, size_t index, uint64_t seed, size_t runs,
                      struct arena *arena, struct exploration *ret_exploration)
{
    const struct scenario *scenario = &suite->scenario[index];
    struct exploration exploration = { .result.passed = true };
    struct arena scratch;
    arena_init(&scratch, 0);
    bool worth = scenario->invariant_count || scenario->problem.n;
    uint64_t *path = malloc((worth ? runs : 0) * sizeof *path + 1);
    must(path);
    for (size_t i = 0; worth && i < runs && exploration.result.passed; i++) {
        struct choices choices;
        choices_init_random(&choices, seed + i);
        bool passed = play(scenario, &choices, VARY_EXPLORE, &scratch, &exploration.result);
        path[exploration.run_count++] = path_of(&exploration.result, &scratch);
        if (!passed) {
            exploration.seed = seed + i;
            explain_failure(scenario, &choices, arena, &exploration);
        }
        choices_done(&choices);
        arena_reset(&scratch);
    }
    if (exploration.result.passed) exploration.result = (struct scenario_result){ .passed = true };
    arena_done(&scratch);
    exploration.path_count = count_different(path, exploration.run_count);
    free(path);
    *ret_exploration = exploration;
}
