/* Cases that must fail, and the words they fail with. What must pass is in tests/scenario/. */
#include "scenario/suite.h"

#define MOCK "{\"op\":\"mock\",\"job\":\"work\",\"results\":[{\"ok\":{\"a\":{\"x\":1,\"y\":[1,2]}}}]},"
#define START "{\"op\":\"start\",\"as\":\"i\",\"input\":{\"n\":1}}"

static void the_smallest_difference_is_reported(void **state)
{
    static const struct {
        const char *expect, *where, *expected, *actual;
    } cases[] = {
        { "{\"status\":\"FAILED\"}", "instances.i.status", "\"FAILED\"", "\"COMPLETED\"" },
        { "{\"variables\":{\"a\":{\"x\":2}}}", "instances.i.variables.a.x", "2", "1" },
        { "{\"variables\":{\"a\":{\"x\":\"1\"}}}", "instances.i.variables.a.x", "\"1\"", "1" },
        { "{\"variables\":{\"a\":{\"y\":[1,3]}}}", "instances.i.variables.a.y[1]", "3", "2" },
        { "{\"variables\":{\"a\":{\"y\":[1]}}}", "instances.i.variables.a.y[1]", "nothing", "2" },
        { "{\"variables\":{\"b\":1}}", "instances.i.variables.b", "1", "nothing" },
        { "{\"variables\":{\"n\":{\"$absent\":1}}}", "instances.i.variables.n", "nothing", "1" },
        { "{\"output\":{\"a\":{\"x\":1,\"y\":[1,2]}}}", "instances.i.output.n", "nothing", "1" },
        { "{\"path\":[\"s\"]}", "instances.i.path[1]", "nothing", "\"e\"" },
        { "{\"history\":[{\"stepId\":\"s\"},{\"stepId\":\"x\"}]}", "instances.i.history[1].stepId", "\"x\"",
          "\"e\"" },
        { "{\"ghost\":1}", "instances.i.ghost", "1", "nothing" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena *arena = *state;
        struct scenario_result result = suite_case(
            arena, ONE_JOB, MOCK START, arena_printf(arena, "{\"instances\":{\"i\":%s}}", cases[i].expect).p);
        assert_false(result.passed);
        assert_int_equal(result.problem.n, 0);
        const struct difference *first = result.difference;
        assert_non_null(first);
        if (!str_equal(first->where, str_of(cases[i].where)) ||
            !str_equal(first->expected, str_of(cases[i].expected)) ||
            !str_equal(first->actual, str_of(cases[i].actual)))
            fail_msg("%s: %.*s expected %.*s got %.*s", cases[i].expect, STR_ARG(first->where),
                     STR_ARG(first->expected), STR_ARG(first->actual));
    }
}

static void other_expectations_that_are_not_met(void **state)
{
    static const struct {
        const char *steps, *expect, *where;
    } cases[] = {
        { MOCK START, "{\"instances\":{\"k\":{}}}", "instances.k" },
        { MOCK START, "{\"instanceCount\":2}", "instanceCount" },
        { MOCK START, "{\"callCount\":0}", "callCount" },
        { MOCK START, "{\"callCount\":{\"work\":2}}", "callCount.work" },
        { MOCK START, "{\"calls\":[]}", "calls[0]" },
        { MOCK START, "{\"calls\":[{\"job\":\"work\",\"args\":{\"n\":2}}]}", "calls[0].args.n" },
        { MOCK START, "{\"rejected\":true}", "rejected" },
        { "{\"op\":\"start\",\"definition\":\"ghost\"}", "{}", "rejected" },
        { MOCK START, "{\"publishErrors\":[{\"code\":\"NO_END\"}]}", "publishErrors" },
        { MOCK START ",{\"op\":\"cancel\",\"instance\":\"i\",\"expectStatus\":200}", "{}",
          "step 3 (cancel).expectStatus" },
        { MOCK START ",{\"op\":\"assert\",\"count\":{\"active\":true,\"n\":1}}", "{}",
          "step 3 (assert).count" },
        { MOCK START ",{\"op\":\"assert\",\"instance\":\"i\",\"gone\":true}", "{}", "step 3 (assert)" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scenario_result result = suite_case(*state, ONE_JOB, cases[i].steps, cases[i].expect);
        assert_false(result.passed);
        assert_non_null(result.difference);
        if (!str_equal(result.difference->where, str_of(cases[i].where)))
            fail_msg("%s %s: %.*s", cases[i].steps, cases[i].expect, STR_ARG(result.difference->where));
    }
}

static void what_stops_a_run(void **state)
{
#define WITH(result) "{\"op\":\"mock\",\"job\":\"work\",\"results\":[" result "]}," START
    const struct {
        const char *definition, *steps, *expect, *problem;
    } cases[] = {
        { ONE_JOB, WITH("{\"ok\":7}"), "{}", "the mock of \"work\" answers number; a result is an object" },
        { ONE_JOB, MOCK START ",{\"op\":\"signal\",\"instance\":\"i\",\"step\":\"s\"}", "{}",
          "step 3 (signal) was refused: 400" },
        { ONE_PERSON, "{\"op\":\"mock\",\"node\":\"u\",\"results\":[{\"fail\":\"error\"}]}," START, "{}",
          "only jobs can" },
        { "{\"id\":\"x\"}", START, "{}", "a definition was refused: 400" },
        { "{\"states\":[],\"functions\":[]}", START, "{}", "a definition was refused: 400" },
    };
#undef WITH
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scenario_result result =
            suite_case(*state, cases[i].definition, cases[i].steps, cases[i].expect);
        assert_false(result.passed);
        if (!text_has(result.problem, cases[i].problem))
            fail_msg("%s: %.*s", cases[i].problem, STR_ARG(result.problem));
    }
}

static void a_loop_without_end_is_stopped(void **state)
{
    const char *loop = document("scenario/run", "loop without end");
    struct scenario_result result =
        suite_case(*state, loop,
                   "{\"op\":\"mock\",\"job\":\"work\",\"results\":[{\"ok\":{\"stop\":false}}]}," START, "{}");
    assert_false(result.passed);
    assert_true(text_has(result.problem, "is there a loop without end?"));
}

static void invariants_are_checked_in_plain_runs_too(void **state)
{
    static const struct {
        const char *invariant, *problem;
    } cases[] = {
        { "\"len(history) < 2\"", "invariant \"len(history) < 2\" does not hold for i" },
        { "{\"name\":\"never ends\",\"check\":\"status != 'COMPLETED'\"}",
          "invariant \"never ends\" does not hold" },
        { "\"variables.n\"", "is neither true nor false for i but 1" },
        { "\"ghost > 1\"", "cannot be evaluated" },
        { "{\"check\":\"false\",\"definition\":\"other\"}", "" },
        { "\"!('e' in history) || 's' in completed && executions.s == 1 && elapsed == 0 && definition == "
          "'one'\"",
          "" },
        { "\"all(rows, .stepId != 'e' || .status == 'COMPLETED')\"", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena *arena = *state;
        struct scenario_result result = suite_run(
            arena,
            arena_printf(arena, "{\"invariants\":[%s],\"cases\":[{\"definitions\":[%s],\"steps\":[%s]}]}",
                         cases[i].invariant, ONE_JOB, MOCK START)
                .p);
        assert_int_equal(result.passed, !*cases[i].problem);
        if (!text_has(result.problem, cases[i].problem))
            fail_msg("%s: %.*s", cases[i].invariant, STR_ARG(result.problem));
    }
}

static void any_order_of_concurrent_steps_must_do(void **state)
{
    /* Who comes second is told that nobody waits any more: with one order in two that is the second. */
    const char *steps = suite_items(*state, document("scenario/run", "concurrent"));
    struct scenario_result result = suite_case(*state, ONE_PERSON, steps, "{}");
    assert_false(result.passed);
    assert_non_null(result.difference);
}

static void the_record_tells_what_happened_when(void **state)
{
    struct arena *arena = *state;
    const char *steps = suite_items(arena, document("scenario/run", "an hour of work"));
    struct scenario_result result = suite_case(arena, ONE_JOB, steps, "{}");
    struct buf out;
    assert_true(result.passed);
    buf_init(&out, arena);
    report_records(result.record, "| ", &out);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, "| +00:00:00.000  publish          one v1\n"
                               "| +00:00:00.000  start         i  one v1 {\"n\":1}\n"
                               "| +00:00:00.000    enter       i  s (SERVICE_TASK)\n"
                               "| +00:00:00.000    job         i  s of type work, attempt 1, 0 retries left\n"
                               "| +00:00:00.000    status      i  ACTIVE\n"
                               "| +01:00:00.000  complete_job  i  s {\"a\":1}\n"
                               "| +01:00:00.000    enter       i  e (END)\n"
                               "| +01:00:00.000    status      i  COMPLETED\n"
                               "| +02:00:00.000  advance          by PT2H\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUITE_TEST(the_smallest_difference_is_reported),
        SUITE_TEST(other_expectations_that_are_not_met),
        SUITE_TEST(what_stops_a_run),
        SUITE_TEST(a_loop_without_end_is_stopped),
        SUITE_TEST(invariants_are_checked_in_plain_runs_too),
        SUITE_TEST(any_order_of_concurrent_steps_must_do),
        SUITE_TEST(the_record_tells_what_happened_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
