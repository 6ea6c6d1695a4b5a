/* Scenarios of the serverless dialect: functions, events, sub-flows, their views and their record. What the
 * dialect does is in tests/scenario; here is what the runner does about it. */
#include "scenario/suite.h"

#define FUNCTION document("scenario/serverless", "function")
#define TWO_EVENTS document("scenario/serverless", "two events")
#define EVENT(type, id) "{specversion: '1.0', id: " id ", source: /s, type: " type ", data: {" id ": 1}}"
#define MOCK(results) "- {op: mock, function: f, results: [" results "]}\n"
#define START "- {op: start, as: i}\n"

/* A case in YAML: definitions in flow style, steps as a block list. */
static struct scenario_result run(struct arena *arena, const char *definitions, const char *steps,
                                  const char *expect)
{
    struct suite suite;
    struct scenario_result result;
    struct error err;
    struct buf text;
    buf_init(&text, arena);
    buf_printf(&text, "cases:\n- definitions: [%s]\n  expect: %s\n  steps:\n", definitions, expect);
    for (str left = str_of(steps); left.n;) {
        size_t end = str_find(left, STR("\n"), 0);
        buf_printf(&text, "  %.*s\n", (int)end, left.p);
        left = str_slice(left, end + 1, left.n);
    }
    if (scenario_parse(buf_str(&text), STR("test.yaml"), no_files, NULL, arena, &suite, &err) != ST_OK)
        fail_msg("%s", err.message);
    scenario_run(&suite, 0, arena, &result);
    return result;
}

static void cases_that_pass(void **state)
{
    const struct {
        const char *definition, *steps, *expect;
    } cases[] = {
        /* By id, by title, by default. */
        { FUNCTION, MOCK("ok: {a: 1}") "- {op: start, definition: wf, as: i}\n",
          "{instances: {i: {output: {a: 1}}}}" },
        { FUNCTION, MOCK("ok: {a: 1}") "- {op: start, definition: Work Flow, as: i}\n",
          "{instances: {i: {status: Success}}}" },
        { FUNCTION, MOCK("ok: {a: 1}") START, "{instances: {i1: {status: Success, output: {a: 1}}}}" },
        /* Any value, by any of its names. */
        { FUNCTION, MOCK("ok: 7") START,
          "{calls: [{function: f, job: handler, node: A, args: {}}], instances: {i: {output: 7}}}" },
        { FUNCTION, "- {op: mock, job: handler, results: [ok: null]}\n" START,
          "{instances: {i: {output: null, path: [A]}}}" },
        { FUNCTION, "- {op: mock, node: A, results: [echo: true]}\n- {op: start, as: i, input: {x: 1}}\n",
          "{instances: {i: {output: {x: 1}}}}" },
        { FUNCTION, "- {op: mock, default: true, results: [ok: {}]}\n" START, "{callCount: {f: 1, g: 0}}" },
        { FUNCTION, MOCK("{fail: transient, message: m}") START,
          "{instances: {i: {status: Fail, error: {name: FunctionExecutionException, message: m}}}}" },
        { FUNCTION, MOCK("{fail: error, code: C, data: [1]}") START,
          "{instances: {i: {error: {name: C, data: [1]}}}}" },
        /* A mock that comes late is in time, and so is a release. */
        { FUNCTION, START MOCK("ok: 1"), "{instances: {i: {status: Success}}}" },
        { FUNCTION,
          "- {op: hold, function: f}\n" START
          "- {op: run}\n- {op: assert, instance: i, expect: {status: Running, currentStates: [A]}}\n"
          "- {op: release, function: f, result: {ok: 2}}\n",
          "{instances: {i: {output: 2}}}" },
        { FUNCTION, "- {op: hold, function: f}\n" START "- {op: cancel, instance: i}\n",
          "{instances: {i: {status: Cancelled, output: {$absent: 1}}}}" },
        /* Events. */
        { TWO_EVENTS,
          "- {op: event, event: " EVENT("t1", "a") ", expectOutcome: started}\n- {op: event, at: PT1H, "
                                                   "event: " EVENT("t2",
                                                                   "b") ", expectOutcomes: [delivered]}\n",
          "{outcomes: [started, delivered], outcomeCounts: {started: 1, duplicate: 0}, instances: {i1: "
          "{status: Success, output: {a: 1, b: 1}, elapsed: 3600}}}" },
        { TWO_EVENTS, START "- {op: event, event: " EVENT("t2", "b") "}\n",
          "{instances: {i: {status: Waiting, pendingEvents: [{id: b, source: /s, type: t2}]}}}" },
        { TWO_EVENTS, START "- {op: concurrent, events: [" EVENT("t2", "b") ", " EVENT("t1", "a") "]}\n",
          "{instances: {i: {output: {a: 1, b: 1}}}}" },
        { TWO_EVENTS,
          START "- {op: concurrent, steps: [{op: event, event: " EVENT("t1", "a") "}, {op: start, as: j}]}\n",
          "{instanceCount: 2}" },
        { TWO_EVENTS,
          "- {op: event, event: {specversion: '9'}, expectStatus: 400}\n- {op: event, event: {}, "
          "expectOutcome: refused}\n",
          "{instanceCount: 0}" },
        { TWO_EVENTS, "- {op: start, input: [1]}\n", "{rejected: true}" },
        { TWO_EVENTS, "- {op: start, definition: ghost}\n", "{rejected: true}" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scenario_result result = run(*state, cases[i].definition, cases[i].steps, cases[i].expect);
        if (!result.passed)
            fail_msg("%s%s: %.*s %.*s", cases[i].steps, cases[i].expect, STR_ARG(result.problem),
                     STR_ARG(result.difference ? result.difference->actual : STR_NONE));
    }
}

static void cases_that_fail(void **state)
{
    const struct {
        const char *definition, *steps, *expect, *says;
    } cases[] = {
        { FUNCTION, START, "{}", "i called the function \"f\", for which there is no mock" },
        { FUNCTION, "- {op: mock, function: ff, results: [ok: 1]}\n" START "- {op: run}\n", "{}",
          "for which there is no mock" },
        { TWO_EVENTS, "- {op: event, event: {specversion: '1.0'}}\n", "{}",
          "step 1 (event) was refused: an event needs the attribute \"id\"" },
        { TWO_EVENTS, "- {op: event, at: soon, event: " EVENT("t1", "a") "}\n", "{}",
          "\"soon\" is no duration" },
        { TWO_EVENTS, "- {op: event, event: " EVENT("t2", "a") ", expectOutcome: delivered}\n", "{}",
          "not the expected outcome" },
        { TWO_EVENTS, "- {op: start, input: [1]}\n", "{}", "" },
        { TWO_EVENTS, "- {op: event, event: " EVENT("t1", "a") "}\n", "{outcomes: [unmatched]}", "" },
        { TWO_EVENTS, "- {op: event, event: " EVENT("t1", "a") "}\n", "{outcomeCounts: {started: 2}}", "" },
        { "{id: x, startsAt: A, states: []}", START, "{}", "a definition was refused" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scenario_result result = run(*state, cases[i].definition, cases[i].steps, cases[i].expect);
        assert_false(result.passed);
        if (!text_has(result.problem, cases[i].says))
            fail_msg("%s: %.*s", cases[i].says, STR_ARG(result.problem));
    }
}

/* With more events than orders are tried, they are shuffled: whoever comes first differs. */
static void some_order_of_many_events_is_found(void **state)
{
    static const char *const steps =
        START "- {op: concurrent, events: [" EVENT("t1", "a") ", " EVENT("t1", "b") ", " EVENT(
            "t1", "c") ", " EVENT("t1", "d") ", " EVENT("t1", "e") ", " EVENT("t1", "f") "]}\n";
    struct scenario_result result = run(*state, TWO_EVENTS, steps, "{instances: {i: {vars: {a: 1}}}}");
    assert_false(result.passed);
    assert_non_null(result.difference);
    assert_true(str_equal(result.difference->where, STR("instances.i.vars.a")));
}

static void sub_flows_are_named_after_their_parents(void **state)
{
    const char *definitions = suite_items(*state, document("scenario/serverless", "two sub-flows"));
    static const char *const steps = "- {op: start, as: i}\n- {op: assert, count: {active: true, n: 1}}\n- "
                                     "{op: cancel, reason: enough}\n- {op: run}\n";
    struct scenario_result result =
        run(*state, definitions, steps,
            "{instanceCount: 1, instances: {i: {status: Cancelled, children: [{instance: i/1, status: "
            "Success}, {instance: i/2, status: Cancelled}]}, "
            "i/1: {status: Success, elapsed: 5}, i/2: {status: Cancelled, elapsed: 0}}}");
    if (!result.passed) fail_msg("%.*s %.*s", STR_ARG(result.problem), STR_ARG(result.difference->where));
}

static void the_record_speaks_of_states_functions_and_branches(void **state)
{
    const char *definition = document("scenario/serverless", "a branch and an event");
    static const char *const steps =
        "- {op: mock, function: f, results: [ok: 1]}\n- {op: mock, function: g, results: [{fail: error, "
        "name: Bad, message: no}]}\n" START "- {op: event, event: " EVENT("t1", "a") "}\n";
    struct arena *arena = *state;
    struct scenario_result result =
        run(arena, definition, steps, "{instances: {i: {branchPaths: {b: [x, y]}}}}");
    struct buf out;
    if (!result.passed) fail_msg("%.*s", STR_ARG(result.problem));
    buf_init(&out, arena);
    report_records(result.record, "", &out);
    buf_add_char(&out, '\0');
    assert_string_equal(
        out.p,
        "+00:00:00.000  publish          wf v1\n"
        "+00:00:00.000  start         i  wf v1\n"
        "+00:00:00.000    enter       i  P (PARALLEL)\n"
        "+00:00:00.000    branch      i  P: b begins\n"
        "+00:00:00.000    enter       i  x (OPERATION)\n"
        "+00:00:00.000    call        i  x: f {}\n"
        "+00:00:00.000    status      i  Running\n"
        "+00:00:00.000  complete_job  i  x\n"
        "+00:00:00.000    call        i  x: g 1\n"
        "+00:00:00.000  fail_job      i  x\n"
        "+00:00:00.000    error       i  no\n"
        "+00:00:00.000    raise       i  x: Bad: no\n"
        "+00:00:00.000    set         i  "
        "{\"exception\":{\"name\":\"Bad\",\"message\":\"no\",\"state\":\"x\",\"function\":\"g\"}}\n"
        "+00:00:00.000    interrupt   i  x: Bad: no\n"
        "+00:00:00.000    enter       i  y (RELAY)\n"
        "+00:00:00.000    branch      i  P: b is done\n"
        "+00:00:00.000    set         i  "
        "{\"exception\":{\"name\":\"Bad\",\"message\":\"no\",\"state\":\"x\",\"function\":\"g\"}}\n"
        "+00:00:00.000    enter       i  E (EVENT)\n"
        "+00:00:00.000    wait        i  E for events\n"
        "+00:00:00.000    status      i  Waiting\n"
        "+00:00:00.000  event            t1 from /s, id a: delivered\n"
        "+00:00:00.000    keeps       i  t1, id a\n"
        "+00:00:00.000    takes       i  E: t1, id a\n"
        "+00:00:00.000    set         i  "
        "{\"exception\":{\"name\":\"Bad\",\"message\":\"no\",\"state\":\"x\",\"function\":\"g\"},\"a\":1}\n"
        "+00:00:00.000    status      i  Success\n");
}

/* ---- by hand and by chance ---- */

/* The definition in which an event decides the way, for a trial. */
static const str *waiting(void)
{
    static str text;
    text = str_of(document("scenario/serverless", "waiting"));
    return &text;
}

static void given_events_come_when_they_are_awaited(void **state)
{
    struct arena *arena = *state;
    const struct json *event = document_value("scenario/serverless", "an event");
    const struct trial_setup setup = {
        .definition = waiting(),
        .definition_count = 1,
        .event = &event,
        .event_count = 1,
        .mocks = suite_json(arena, "[{\"function\":\"f\",\"results\":[{\"ok\":{},\"delay\":\"PT5S\"}]}]")
    };
    struct trial *trial;
    struct trial_outcome outcome;
    assert_int_equal(trial_open(&setup, arena, &trial, NULL, NULL), ST_OK);
    while (!trial_ended(trial)) assert_true(trial_pass_time(trial));
    trial_outcome(trial, &outcome);
    assert_true(outcome.succeeded);
    assert_true(str_equal(outcome.status, STR("COMPLETED")) && str_equal(outcome.own_status, STR("Success")));
    assert_true(str_equal(outcome.path, STR("E → S → Big")));
    assert_true(str_equal(outcome.data_word, STR("output")));
    assert_int_equal(outcome.took_ms, 5000);
    trial_close(trial);
}

static void who_waits_for_what_is_told(void **state)
{
    struct arena *arena = *state;
    const struct json *event = suite_json(arena, "{\"specversion\":\"1.0\"}");
    struct trial_setup setup = { .definition = waiting(), .definition_count = 1 };
    const struct trial_want *want;
    struct trial *trial;
    assert_int_equal(trial_open(&setup, arena, &trial, NULL, NULL), ST_OK);
    assert_int_equal(trial_wants(trial, &want), 0);
    assert_int_equal(trial_stuck(trial, &want), 1);
    assert_true(str_equal(want[0].node, STR("E")));
    assert_true(text_has(want[0].why, "waits for events: e1"));
    trial_close(trial);

    setup.event = &event;
    setup.event_count = 1;
    assert_int_equal(trial_open(&setup, arena, &trial, NULL, NULL), ST_OK);
    assert_false(trial_pass_time(trial));
    assert_true(text_has(trial_problem(trial), "an event was refused: an event needs the attribute \"id\""));
    trial_close(trial);
}

static void simulated_events_take_every_way(void **state)
{
    const struct trial_setup setup = {
        .definition = waiting(), .definition_count = 1, .simulate = true, .seed = 1
    };
    struct simulation simulation;
    bool big = false, small = false, late = false;
    struct error err;
    assert_int_equal(scenario_simulate(&setup, 300, *state, NULL, NULL, &simulation, &err), ST_OK);
    assert_int_equal(simulation.stuck_count, 0);
    for (size_t i = 0; i < simulation.path_count; i++) {
        big |= str_equal(simulation.path[i].path, STR("E → S → Big"));
        small |= str_equal(simulation.path[i].path, STR("E → S → Small"));
        late |= str_equal(simulation.path[i].status, STR("Timeout"));
    }
    assert_true(big && small && late);
}

static void exploring_varies_events_and_answers(void **state)
{
    struct arena *arena = *state;
    struct exploration exploration;
    struct suite suite = suite_of(arena, document("scenario/serverless", "exploring"));
    struct scenario_result plain;
    scenario_run(&suite, 0, arena, &plain);
    assert_true(plain.passed);
    scenario_explore(&suite, 0, 1, 500, arena, &exploration);
    assert_false(exploration.result.passed); /* A total of 100 or less takes the other way. */
    assert_true(text_has(exploration.result.problem, "'Small' in history"));
    assert_true(exploration.shrunk_count <= 2);
}

/* The state's filter puts the event's data inside its own: $.reading.celsius is the event's celsius. */
static void events_try_the_constants_that_they_are_compared_with(void **state)
{
    struct arena *arena = *state;
    struct exploration exploration;
    struct suite suite = suite_of(arena, document("scenario/serverless", "compared with a constant"));
    scenario_explore(&suite, 0, 1, 300, arena, &exploration);
    assert_false(exploration.result.passed);
    assert_true(text_has(exploration.result.problem, "'Hot' in history"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUITE_TEST(cases_that_pass),
        SUITE_TEST(cases_that_fail),
        SUITE_TEST(some_order_of_many_events_is_found),
        SUITE_TEST(sub_flows_are_named_after_their_parents),
        SUITE_TEST(the_record_speaks_of_states_functions_and_branches),
        SUITE_TEST(given_events_come_when_they_are_awaited),
        SUITE_TEST(who_waits_for_what_is_told),
        SUITE_TEST(simulated_events_take_every_way),
        SUITE_TEST(exploring_varies_events_and_answers),
        SUITE_TEST(events_try_the_constants_that_they_are_compared_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
