/* Scenario files that are read, those that are refused, and the messages about what is wrong with them. */
#include "scenario/suite.h"

static void files_that_are_no_scenario_files_are_refused(void **state)
{
    static const struct {
        const char *file, *text, *message;
    } cases[] = {
        { "a.json", "{", "a.json:1:2: not JSON" },
        { "a.json", "[]", "an object with a list \"cases\"" },
        { "a.json", "{\"cases\":{}}", "an object with a list \"cases\"" },
        { "a.json", "{\"cases\":[],\"case\":1}", "has no field \"case\"" },
        { "a.json", "{\"cases\":[],\"clockStart\":\"noon\"}", "\"clockStart\" is a time" },
        { "a.yaml", "cases: [", "a.yaml:1:9: not YAML" },
        { "a.yml", "cases: []\ncase:\n  1", "a.yml:3:3: a scenario file has no field \"case\"" },
        { "a", "case: []", "a:1:7: a scenario file has no field" }, /* YAML by its content. */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct suite suite;
        struct error err;
        enum status status = scenario_parse(str_of(cases[i].text), str_of(cases[i].file), no_files, NULL,
                                            *state, &suite, &err);
        assert_int_not_equal(status, ST_OK);
        assert_int_equal(status_exit(status), 2);
        if (!strstr(err.message, cases[i].message)) fail_msg("%s: %s", cases[i].text, err.message);
    }
}

static void a_mistake_in_a_case_is_its_own_result(void **state)
{
    struct arena *arena = *state;
    struct json_each each = json_each(document_value("scenario/read", "mistakes in a case"));
    while (json_next(&each)) {
        const char *body = document_member(each.value, "case");
        struct scenario_result result = suite_run(arena, arena_printf(arena, "{\"cases\":[%s]}", body).p);
        assert_false(result.passed);
        if (!text_has(result.problem, document_member(each.value, "says")))
            fail_msg("%s: %.*s", body, STR_ARG(result.problem));
    }
}

static void mistakes_have_their_place_in_the_file(void **state)
{
    static const struct {
        const char *file, *text, *want;
    } cases[] = {
        { "s.json", "{\"cases\":[\n {\"steps\":[{\"op\":\"run\"},\n  {\"op\":\"rum\"}]}]}",
          "s.json:3:3: step 2: unknown op \"rum\"" },
        { "s.yaml", "cases:\n- steps:\n  - op: run\n  - op: rum\n",
          "s.yaml:4:5: step 2: unknown op \"rum\"" },
        { "s.yml", "setup: [{op: rum}]\ncases: [{}]\n", "s.yml:1:9: step 1: unknown op \"rum\"" },
        { "s", "cases:\n- name: x\n  expect: 7\n", "s:3:11: \"expect\" is an object" },
        { "s", "cases:\n- name: x\n  expects: 7\n", "s:3:12: a case has no field \"expects\"" },
        { "s", "cases: [{definitions: [{}, 7]}]",
          "s:1:28: a definition is a document or the name of a file with one" },
        { "s", "invariants: 7\ncases: [{}]", "s:1:13: " },
        { "s", "cases:\n  - 7", "s:2:5: a case is an object" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct suite suite;
        struct scenario_result result;
        assert_int_equal(scenario_parse(str_of(cases[i].text), str_of(cases[i].file), no_files, NULL, *state,
                                        &suite, NULL),
                         ST_OK);
        scenario_run(&suite, 0, *state, &result);
        if (!str_starts(result.problem, str_of(cases[i].want)))
            fail_msg("%s: %.*s", cases[i].want, STR_ARG(result.problem));
    }
}

static void a_scenario_in_yaml_runs(void **state)
{
    static const char text[] = "definitions:\n"
                               "  - id: one\n"
                               "    name: One\n"
                               "    steps:\n"
                               "      - {id: s, name: S, type: SERVICE_TASK, jobType: work, nextStep: e}\n"
                               "      - {id: e, name: E, type: END}\n"
                               "cases:\n"
                               "  - steps:\n"
                               "      - {op: mock, job: work, results: [ok: {a: 1}]}\n"
                               "      - {op: start, as: i}\n"
                               "    expect:\n"
                               "      instances: {i: {status: COMPLETED, variables: {a: 1}}}\n";
    struct scenario_result result = suite_run(*state, text);
    if (!result.passed) fail_msg("%.*s", STR_ARG(result.problem));
}

static void mistakes_that_show_only_when_a_step_runs(void **state)
{
    struct json_each each = json_each(document_value("scenario/read", "mistakes in a step"));
    while (json_next(&each)) {
        const char *step = document_member(each.value, "step");
        struct scenario_result result = suite_case(*state, ONE_JOB, step, "{}");
        assert_false(result.passed);
        if (!text_has(result.problem, document_member(each.value, "says")))
            fail_msg("%s: %.*s", step, STR_ARG(result.problem));
    }
}

static void spans_are_iso_8601_or_short(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        { "\"PT2H\"", 7200000 },
        { "\"P30D\"", INT64_C(2592000000) },
        { "\"90s\"", 90000 },
        { "\"9m59s\"", 599000 },
        { "\"250ms\"", 250 },
        { "\"1w2d\"", 777600000 },
        { "\"0s\"", 0 },
        { "\"\"", -1 },
        { "\"5\"", -1 },
        { "\"s\"", -1 },
        { "\"5x\"", -1 },
        { "\"-5s\"", -1 },
        { "5", -1 },
        { "\"1234567890s\"", -1 }, /* Ten digits: one too many. */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = -1;
        enum status status = read_span(suite_json(*state, cases[i].text), &ms, NULL);
        assert_int_equal(status == ST_OK, cases[i].ms >= 0);
        if (status == ST_OK) assert_int_equal(ms, cases[i].ms);
    }
}

static void names_are_given_to_cases_without_one(void **state)
{
    struct suite suite = suite_of(*state, "{\"cases\":[{},{\"name\":\"second\"},{\"name\":\"\"}]}");
    assert_int_equal(suite.count, 3);
    assert_true(str_equal(scenario_name(&suite, 0), STR("case 1")));
    assert_true(str_equal(scenario_name(&suite, 1), STR("second")));
    assert_true(str_equal(scenario_name(&suite, 2), STR("case 3")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUITE_TEST(files_that_are_no_scenario_files_are_refused),
        SUITE_TEST(a_mistake_in_a_case_is_its_own_result),
        SUITE_TEST(mistakes_have_their_place_in_the_file),
        SUITE_TEST(a_scenario_in_yaml_runs),
        SUITE_TEST(mistakes_that_show_only_when_a_step_runs),
        SUITE_TEST(spans_are_iso_8601_or_short),
        SUITE_TEST(names_are_given_to_cases_without_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
