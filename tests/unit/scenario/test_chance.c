/* Chance that repeats itself: choices, generated values, exploration and its shrinking, simulation. */
#include "scenario/suite.h"
#include "source/source.h"

static void choices_repeat_with_their_seed_and_when_given(void **state)
{
    struct choices first, second, given;
    (void)state;
    choices_init_random(&first, 7);
    choices_init_random(&second, 7);
    for (int i = 0; i < 1000; i++) {
        uint32_t value = choices_below(&first, 10);
        assert_in_range(value, 0, 9);
        assert_int_equal(choices_below(&second, 10), value);
    }
    choices_init_given(&given, first.made, 500);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(choices_below(&given, 10), i < 500 ? first.made[i] : 0);
    assert_int_equal(choices_below(NULL, 10), 0);
    assert_int_equal(choices_below(&first, 1), 0);
    choices_done(&first);
    choices_done(&second);
    choices_done(&given);
}

static void generators_give_their_least_value_without_choices(void **state)
{
    static const struct {
        const char *generators, *value;
    } cases[] = {
        { "{\"a\":{\"type\":\"integer\",\"min\":3,\"max\":9}}", "{\"a\":3}" },
        { "{\"a\":{\"type\":\"number\",\"min\":0.5}}", "{\"a\":0.5}" },
        { "{\"a\":{\"oneOf\":[\"x\",2]},\"b\":{\"type\":\"boolean\"}}", "{\"a\":\"x\",\"b\":false}" },
        { "{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},\"b\":{\"type\":\"string\"}}",
          "{\"a\":[],\"b\":\"\"}" },
        { "{\"a\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"integer\",\"min\":1}}}}",
          "{\"a\":{\"b\":1}}" },
    };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct json *generators = suite_json(arena, cases[i].generators);
        assert_int_equal(generate_check(generators, NULL), ST_OK);
        assert_true(json_equal(generate(generators, NULL, NULL, arena), suite_json(arena, cases[i].value)));
    }
}

static void generated_integers_stay_within_their_bounds(void **state)
{
    struct arena *arena = *state;
    const struct json *generators = suite_json(arena, "{\"a\":{\"type\":\"integer\",\"min\":-2,\"max\":2}}");
    bool seen[5] = { false };
    struct choices choices;
    choices_init_random(&choices, 1);
    for (int i = 0; i < 200; i++) {
        int64_t value;
        assert_true(json_int64(json_get(generate(generators, NULL, &choices, arena), STR("a")), &value));
        assert_true(value >= -2 && value <= 2);
        seen[value + 2] = true;
    }
    for (size_t i = 0; i < COUNT(seen); i++) assert_true(seen[i]);
    choices_done(&choices);
}

static void a_mutation_without_choices_changes_nothing(void **state)
{
    struct arena *arena = *state;
    const struct json *object =
        suite_json(arena, "{\"n\":1,\"b\":true,\"s\":\"x\",\"l\":[1],\"o\":{},\"z\":null}");
    assert_true(json_equal(generate_mutation(object, NULL, NULL, arena), object));
}

/* Fails when the worker says "late" after a person has said "rush": two departures. */
#define FRAGILE document("scenario/chance", "fragile")

static void a_failing_run_is_found_shrunk_and_repeated(void **state)
{
    struct arena *arena = *state;
    struct suite suite = suite_of(arena, FRAGILE);
    struct exploration found, again;
    scenario_explore(&suite, 0, 1, 1000, arena, &found);
    assert_false(found.result.passed);
    assert_true(text_has(found.result.problem, "does not hold for i"));
    assert_true(found.shrunk_count <= found.choice_count);
    /* rush turns true: changed, to the other value. late turns true: another result, the second. */
    assert_true(found.shrunk_count <= 3);
    assert_non_null(found.result.record);

    scenario_explore(&suite, 0, found.seed, 1, arena, &again);
    assert_false(again.result.passed);
    assert_int_equal(again.seed, found.seed);
    assert_int_equal(again.shrunk_count, found.shrunk_count);
    struct buf first, second;
    buf_init(&first, arena);
    buf_init(&second, arena);
    report_records(found.result.record, "", &first);
    report_records(again.result.record, "", &second);
    assert_true(str_equal(buf_str(&first), buf_str(&second)));
}

static void what_always_holds_is_explored_to_the_end(void **state)
{
    struct arena *arena = *state;
    struct exploration exploration;
    struct suite suite = suite_of(arena, document("scenario/chance", "what always holds"));
    scenario_explore(&suite, 0, 1, 100, arena, &exploration);
    assert_true(exploration.result.passed);
    assert_int_equal(exploration.run_count, 100);
    /* A case without invariants has nothing to be explored for. */
    suite = suite_of(arena, "{\"cases\":[{}]}");
    scenario_explore(&suite, 0, 1, 100, arena, &exploration);
    assert_int_equal(exploration.run_count, 0);
}

/* Nobody finds 123456 by adding one and multiplying by ten. */
static void inputs_try_the_constants_that_they_are_compared_with(void **state)
{
    static const char *const cases[] = { "an equal number", "a number between two", "a number inside",
                                         "a text of a list", "a number that a generator can make" };
    struct arena *arena = *state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct exploration exploration;
        struct suite suite = suite_of(arena, document("scenario/chance", cases[i]));
        scenario_explore(&suite, 0, 1, 300, arena, &exploration);
        assert_false(exploration.result.passed);
        assert_int_equal(exploration.path_count > 1, exploration.run_count > 1);
    }
    /* A value that the generator cannot make is not tried. */
    struct exploration exploration;
    struct suite suite = suite_of(arena, document("scenario/chance", "a number that no generator makes"));
    scenario_explore(&suite, 0, 1, 300, arena, &exploration);
    assert_true(exploration.result.passed);
    assert_int_equal(exploration.run_count, 300);
    assert_int_equal(exploration.path_count, 1);
}

/* ---- trials ---- */

static struct trial_setup setup_of(str *definition, const char *text)
{
    *definition = str_of(text);
    return (struct trial_setup){ .definition = definition, .definition_count = 1 };
}

static void a_trial_waits_for_people_and_is_answered(void **state)
{
    struct arena *arena = *state;
    str definition;
    struct trial_setup setup = setup_of(&definition, ONE_PERSON);
    const struct trial_want *want;
    struct trial_outcome outcome;
    struct trial *trial;
    struct error err;
    assert_int_equal(trial_open(&setup, arena, &trial, NULL, &err), ST_OK);
    assert_false(trial_ended(trial));
    assert_false(trial_pass_time(trial));
    assert_int_equal(trial_wants(trial, &want), 1);
    assert_true(want->person);
    assert_true(str_equal(want->node, STR("u")));
    assert_int_equal(trial_answer(trial, want, suite_json(arena, "{\"yes\":true}"), &err), ST_OK);
    assert_int_equal(trial_answer(trial, want, NULL, &err), ST_CONFLICT);
    assert_true(trial_ended(trial));
    trial_outcome(trial, &outcome);
    assert_true(str_equal(outcome.path, STR("u → e")));
    assert_true(str_equal(outcome.status, STR("COMPLETED")));
    trial_close(trial);
}

static void a_trial_says_what_it_is_stuck_on(void **state)
{
    str definition;
    struct trial_setup setup = setup_of(&definition, ONE_JOB);
    const struct trial_want *want;
    struct trial *trial;
    struct error err;
    assert_int_equal(trial_open(&setup, *state, &trial, NULL, &err), ST_OK);
    assert_false(trial_pass_time(trial));
    assert_int_equal(trial_wants(trial, &want), 0);
    assert_int_equal(trial_stuck(trial, &want), 1);
    assert_true(text_has(want->why, "waits for a worker of type \"work\""));
    trial_close(trial);
    trial_close(NULL);
}

static void a_trial_of_a_bad_definition_or_bad_mocks_is_refused(void **state)
{
    struct arena *arena = *state;
    str definition;
    struct trial_setup setup = setup_of(&definition, "{\"id\":\"x\"}");
    struct buf problems;
    struct trial *trial;
    struct error err;
    buf_init(&problems, arena);
    assert_int_equal(trial_open(&setup, arena, &trial, &problems, &err), ST_INVALID);
    assert_true(problems.n > 0);
    setup = setup_of(&definition, ONE_JOB);
    setup.mocks = suite_json(arena, "[{\"job\":\"work\"}]");
    assert_int_equal(trial_open(&setup, arena, &trial, NULL, &err), ST_INVALID);
    assert_string_equal(err.message, "mock 1: a mock needs \"results\"");
}

#define BRANCHING document("scenario/chance", "branching")

static void hints_are_read_off_conditions(void **state)
{
    struct arena *arena = *state;
    struct problems problems;
    problems_init(&problems, arena);
    struct program *program = source_compile(str_of(BRANCHING), SOURCE_JSON, 0, &problems, NULL);
    assert_non_null(program);
    const struct hint *hints = hints_after(program, program_find(program, STR("s")), arena);
    assert_int_equal(hints_find(hints, STR("score"))->count, 3);
    assert_int_equal(hints_find(hints, STR("tier"))->count, 2); /* The text, and another. */
    assert_int_equal(hints_find(hints, STR("ok"))->count, 2);
    assert_null(hints_find(hints, STR("true")));
    assert_null(hints_after(program, program_find(program, STR("w")), arena));
    const struct json *guess = hints_guess(hints, suite_json(arena, "{\"score\":1}"), false, NULL, arena);
    assert_null(json_get(guess, STR("score")));
    assert_true(json_is(json_get(guess, STR("ok")), JSON_BOOL));
    program_unref(program);
}

static void a_simulation_counts_paths_and_finds_what_gets_stuck(void **state)
{
    struct arena *arena = *state;
    str definition;
    struct trial_setup setup = setup_of(&definition, BRANCHING);
    struct simulation first, second;
    struct error err;
    setup.seed = 5;
    assert_int_equal(scenario_simulate(&setup, 300, arena, NULL, NULL, &first, &err), ST_OK);
    assert_int_equal(scenario_simulate(&setup, 300, arena, NULL, NULL, &second, &err), ST_OK);
    assert_int_equal(first.run_count, 300);
    assert_true(first.stuck_count > 0); /* "w" leads nowhere: the instance stays there for ever. */
    assert_int_equal(first.stuck_count, second.stuck_count);
    assert_int_equal(first.path_count, second.path_count);
    size_t total = 0;
    for (size_t i = 0; i < first.path_count; i++) {
        total += first.path[i].count;
        assert_int_equal(first.path[i].count, second.path[i].count);
        assert_true(str_equal(first.path[i].path, second.path[i].path));
        if (i) assert_true(first.path[i].count <= first.path[i - 1].count);
        assert_int_equal(str_equal(first.path[i].status, STR("stuck")),
                         str_equal(first.path[i].path, STR("s → d → w")) &&
                             !str_equal(first.path[i].status, STR("FAILED")));
        if (str_equal(first.path[i].status, STR("stuck"))) assert_true(first.path[i].why.n > 0);
    }
    assert_int_equal(total, 300);
    for (size_t i = 1; i < COUNT(first.took_ms); i++) assert_true(first.took_ms[i] >= first.took_ms[i - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUITE_TEST(choices_repeat_with_their_seed_and_when_given),
        SUITE_TEST(generators_give_their_least_value_without_choices),
        SUITE_TEST(generated_integers_stay_within_their_bounds),
        SUITE_TEST(a_mutation_without_choices_changes_nothing),
        SUITE_TEST(a_failing_run_is_found_shrunk_and_repeated),
        SUITE_TEST(what_always_holds_is_explored_to_the_end),
        SUITE_TEST(inputs_try_the_constants_that_they_are_compared_with),
        SUITE_TEST(a_trial_waits_for_people_and_is_answered),
        SUITE_TEST(a_trial_says_what_it_is_stuck_on),
        SUITE_TEST(a_trial_of_a_bad_definition_or_bad_mocks_is_refused),
        SUITE_TEST(hints_are_read_off_conditions),
        SUITE_TEST(a_simulation_counts_paths_and_finds_what_gets_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
