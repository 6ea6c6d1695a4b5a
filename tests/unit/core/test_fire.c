/* Transitions: fired by name, by a timer or by themselves; tasks that hold; commands that are all or nothing.
 */
#include "core/driver.h"
#include "dialect/entity/entity.h"

#define PROCESSOR(name, mode) "{'name':'" name "','executionMode':'" mode "'}"
#define ABOVE(limit) \
    "'criterion':{'type':'simple','jsonPath':'$.n','operatorType':'GREATER_THAN','value':" limit "}"

static void begin(struct driver *d, const char *states)
{
    driver_begin_empty(d);
    str text = arena_printf(&d->arena,
                            "{'entityName':'e','modelVersion':1,'workflows':[{'name':'w','initialState':'A',"
                            "'states':{%s}}]}",
                            states);
    str document = driver_text(d, text.p);
    struct arena kept = d->arena;
    driver_begin_document(d, document);
    arena_done(&kept); /* Programs copy what they keep. */
}

static enum status create(struct driver *d, const char *data)
{
    return driver_do(d, (struct command){ .kind = COMMAND_START,
                                          .as.start.instance = 7,
                                          .as.start.definition = 3,
                                          .stamp = driver_json(d, "{'previousTransition':'loopback'}"),
                                          .data = driver_json(d, data) });
}

static enum status fire_named(struct driver *d, const char *transition, const char *data)
{
    return driver_do(d, (struct command){ .kind = COMMAND_FIRE,
                                          .as.fire.transition = str_of(transition),
                                          .stamp = driver_json(d, "{'previousTransition':'x'}"),
                                          .data = driver_json(d, data) });
}

static enum status fail_named(struct driver *d, const char *type, const char *error)
{
    return driver_do(d, (struct command){ .kind = COMMAND_FAIL_JOB,
                                          .as.job.number = job_of(d, type)->number,
                                          .as.job.error = driver_json(d, error),
                                          .as.job.text = STR("failed") });
}

static void assert_carried(struct driver *d, const char *want)
{
    assert_json(d, d->instance->token[0].carried, want);
}

static void an_entity_rests_in_its_state_and_carries_it(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B'}]},'B':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_at(&d, "WAITING /w/B");
    assert_carried(&d, "{'previousTransition':'loopback','state':'B','workflow':'w'}");
    driver_end(&d);
}

static void a_transition_is_fired_by_its_name(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B','manual':true," ABOVE(
                  "5") "},{'name':'OFF','next':'B','manual':true,'disabled':true}]},'B':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_at(&d, "WAITING /w/A");
    assert_int_equal(fire_named(&d, "NO", "{'n':9}"), ST_NOT_FOUND);
    assert_int_equal(fire_named(&d, "OFF", "{'n':9}"), ST_NOT_FOUND);
    assert_int_equal(fire_named(&d, "GO", "{'n':2}"), ST_INVALID);
    assert_data(&d, "{'n':1}");
    assert_int_equal(fire_named(&d, "GO", "{'n':6}"), ST_OK);
    assert_at(&d, "WAITING /w/B");
    assert_data(&d, "{'n':6}");
    assert_carried(&d, "{'previousTransition':'x','state':'B','workflow':'w'}");
    driver_end(&d);
}

static void without_a_name_the_token_looks_again(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B'," ABOVE("5") "}]},'B':{}");
    assert_int_equal(create(&d, "{'n':1,'old':true}"), ST_OK);
    assert_int_equal(fire_named(&d, "", "{'n':2}"), ST_OK);
    assert_at(&d, "WAITING /w/A");
    assert_data(&d, "{'n':2}"); /* The old document is gone. */
    assert_int_equal(fire_named(&d, "", "{'n':6}"), ST_OK);
    assert_at(&d, "WAITING /w/B");
    driver_end(&d);
}

static void a_task_that_holds_is_told(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[" PROCESSOR(
                  "p", "SYNC") "," PROCESSOR("q", "ASYNC_NEW_TX") "]}]},'B':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_false(d.outcome.holds);
    assert_int_equal(fire_named(&d, "GO", NULL), ST_OK);
    assert_true(d.outcome.holds);
    assert_carried(&d, "{'previousTransition':'x','state':'A','workflow':'w'}");
    complete(&d, "p", "{'data':{'n':2}}");
    assert_true(d.outcome.holds);
    assert_data(&d, "{'n':2}");
    complete(&d, "q", "{'data':{'n':3}}"); /* Its result does not count. */
    assert_false(d.outcome.holds);
    assert_data(&d, "{'n':2}");
    assert_at(&d, "WAITING /w/B");
    driver_end(&d);
}

static void an_error_that_nothing_handles_rejects_the_command(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[" PROCESSOR(
                  "q", "ASYNC_NEW_TX") "," PROCESSOR("p", "SYNC") "]}]},'B':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_int_equal(fire_named(&d, "GO", NULL), ST_OK);
    assert_int_equal(fail_named(&d, "q", "{'name':'X','message':'no'}"), ST_OK);
    assert_int_equal(fail_named(&d, "p", "{'name':'NO_MEMBER','message':'nobody is there'}"), ST_INVALID);
    assert_string_equal(d.rejection.where, "NO_MEMBER");
    assert_string_equal(d.rejection.message, "nobody is there");
    assert_int_equal(d.instance->job_count, 1); /* The rejection has changed nothing. */
    driver_end(&d);
}

static void a_failure_after_a_commit_leads_back(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[" PROCESSOR(
                  "p", "COMMIT_BEFORE_DISPATCH") "]}]},'B':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_int_equal(fire_named(&d, "GO", "{'n':2}"), ST_OK);
    assert_false(d.outcome.holds);
    assert_int_equal(d.instance->job_count, 1);
    assert_int_equal(fail_named(&d, "p", "{'name':'X','message':'no'}"), ST_OK);
    assert_at(&d, "WAITING /w/A");
    assert_data(&d, "{'n':2}");
    assert_int_equal(fire_named(&d, "GO", NULL), ST_OK);
    complete(&d, "p", "{}");
    assert_at(&d, "WAITING /w/B");
    driver_end(&d);
}

static void another_transition_takes_the_place_of_one_under_way(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[" PROCESSOR(
                  "p", "COMMIT_BEFORE_DISPATCH") "]},{'name':'STOP','next':'C','manual':true}]},"
                                                 "'B':{},'C':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_int_equal(fire_named(&d, "GO", NULL), ST_OK);
    uint32_t job = job_of(&d, "p")->number;
    assert_int_equal(fire_named(&d, "STOP", NULL), ST_OK);
    assert_at(&d, "WAITING /w/C");
    assert_int_equal(d.instance->job_count, 0);
    assert_int_equal(driver_complete(&d, job, "{}"), ST_OK);
    assert_true(d.outcome.unchanged);
    driver_end(&d);
}

/* Two states that always lead to each other by criteria: ten visits of each, then the write is refused. */
static void a_circle_is_stopped(void **state)
{
    struct driver d;
    (void)state;
    begin(&d, "'A':{'transitions':[{'name':'AB','next':'B'," ABOVE(
                  "5") "}]},"
                       "'B':{'transitions':[{'name':'BA','next':'A'," ABOVE("5") "}]}");
    assert_int_equal(create(&d, "{'n':9}"), ST_INVALID);
    assert_string_equal(d.rejection.where, "WORKFLOW_FAILED");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    for (int i = 0; i < 30; i++) assert_int_equal(fire_named(&d, "", "{'n':1}"), ST_OK); /* Counted anew. */
    assert_int_equal(fire_named(&d, "", "{'n':9}"), ST_INVALID);
    assert_at(&d, "WAITING /w/A");
    driver_end(&d);
}

/* A chain of states: 99 steps follow from one command, 100 are too many. */
static void long_chains_are_stopped(void **state)
{
    (void)state;
    for (int steps = 99; steps <= 100; steps++) {
        struct driver d;
        struct arena arena;
        struct buf states;
        arena_init(&arena, 0);
        buf_init(&states, &arena);
        buf_printf(&states, "'A':{'transitions':[{'name':'GO','next':'S1'}]}");
        for (int i = 1; i < steps; i++)
            buf_printf(&states, ",'S%d':{'transitions':[{'name':'GO','next':'S%d'}]}", i, i + 1);
        buf_printf(&states, ",'S%d':{}%c", steps, '\0');
        begin(&d, states.p);
        assert_int_equal(create(&d, "{}"), steps == 99 ? ST_OK : ST_INVALID);
        driver_end(&d);
        arena_done(&arena);
    }
}

static void fire_first_timer(struct driver *d, int64_t late_ms, const char *refusal)
{
    assert_int_equal(d->instance->timer_count, 1);
    d->now_ms = d->instance->timer[0].due_ms + late_ms;
    assert_int_equal(driver_do(d, (struct command){ .kind = COMMAND_FIRE_TIMER,
                                                    .as.timer.number = d->instance->timer[0].number,
                                                    .as.timer.refusal = str_of(refusal) }),
                     ST_OK);
}

static void a_transition_has_its_time(void **state)
{
    static const struct {
        const char *data;
        int64_t late_ms;
        const char *refusal, *want;
    } cases[] = {
        { "{'n':9}", 0, "", "WAITING /w/B" },          { "{'n':9}", 1000, "", "WAITING /w/B" },
        { "{'n':9}", 1001, "", "WAITING /w/A" },       /* Too late. */
        { "{'n':1}", 0, "", "WAITING /w/A" },          /* Its criterion does not hold. */
        { "{'n':9}", 0, "it failed", "WAITING /w/A" }, /* The engine has tried, and it failed. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        begin(&d, "'A':{'transitions':[{'name':'GO','next':'B','schedule':{'delayMs':60000,'timeoutMs':1000}"
                  "," ABOVE("5") "}]},'B':{}");
        assert_int_equal(create(&d, cases[i].data), ST_OK);
        assert_int_equal(fire_named(&d, "GO", NULL), ST_NOT_FOUND); /* Nobody but the timer fires it. */
        fire_first_timer(&d, cases[i].late_ms, cases[i].refusal);
        assert_at(&d, cases[i].want);
        assert_int_equal(d.instance->timer_count, 0);
        driver_end(&d);
    }
}

static void functions_decide(void **state)
{
    struct driver d;
    (void)state;
#define FUNCTION(name) "'criterion':{'type':'function','function':{'name':'" name "'}}"
    begin(&d, "'A':{'transitions':[{'name':'G1','next':'B'," FUNCTION("f") "},{'name':'G2','next':'C'," ABOVE(
                  "5") "},{'name':'G3','next':'B','manual':true," FUNCTION("g") "}]},'B':{},'C':{}");
    assert_int_equal(create(&d, "{'n':1}"), ST_OK);
    assert_true(d.outcome.holds);
    complete(&d, "f", "{'matches':false}");
    assert_at(&d, "WAITING /w/A"); /* G1 no, G2 no. */
    assert_int_equal(fire_named(&d, "G3", NULL), ST_OK);
    assert_int_equal(driver_complete(&d, job_of(&d, "g")->number, "{'matches':false}"), ST_INVALID);
    complete(&d, "g", "{'matches':true}");
    assert_at(&d, "WAITING /w/B");
    driver_end(&d);
}

/* The runtime turns the function's answer into these times (runtime/entities/compute.c). */
static void a_function_says_when_a_transition_is_due(void **state)
{
    static const struct {
        const char *said;
        int64_t late_ms; /* -1: nothing is armed. */
        const char *want;
    } cases[] = {
        { "{'due':'2030-01-02T03:04:05.678Z','expires':null}", 0, "WAITING /w/B" },
        { "{'due':'2030-01-02T03:04:05.678Z','expires':null}", 86400000, "WAITING /w/B" },
        { "{'due':'2030-01-02T03:04:05.678Z','expires':'2030-01-02T03:04:06.678Z'}", 1000, "WAITING /w/B" },
        { "{'due':'2030-01-02T03:04:05.678Z','expires':'2030-01-02T03:04:06.678Z'}", 1001, "WAITING /w/A" },
        { "{'missed':'2030-01-02T03:04:05.678Z'}", -1, "WAITING /w/A" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct driver d;
        begin(&d,
              "'A':{'transitions':[{'name':'GO','next':'B','schedule':{'function':{'name':'f'}}}]},'B':{}");
        assert_int_equal(create(&d, "{}"), ST_OK);
        assert_true(d.outcome.holds); /* Nothing is written before the answer. */
        complete(&d, "f", cases[i].said);
        assert_at(&d, "WAITING /w/A");
        assert_int_equal(d.instance->timer_count, cases[i].late_ms >= 0);
        if (cases[i].late_ms >= 0) fire_first_timer(&d, cases[i].late_ms, "");
        assert_at(&d, cases[i].want);
        assert_int_equal(d.instance->timer_count, 0);
        bool left = !json_get(entity_token(d.instance)->carried, ENTITY_SCHEDULE);
        assert_int_equal(left, str_equal(str_of(cases[i].want), STR("WAITING /w/B")));
        driver_end(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entity_rests_in_its_state_and_carries_it),
        cmocka_unit_test(a_transition_is_fired_by_its_name),
        cmocka_unit_test(without_a_name_the_token_looks_again),
        cmocka_unit_test(a_task_that_holds_is_told),
        cmocka_unit_test(an_error_that_nothing_handles_rejects_the_command),
        cmocka_unit_test(a_failure_after_a_commit_leads_back),
        cmocka_unit_test(another_transition_takes_the_place_of_one_under_way),
        cmocka_unit_test(a_circle_is_stopped),
        cmocka_unit_test(long_chains_are_stopped),
        cmocka_unit_test(a_transition_has_its_time),
        cmocka_unit_test(functions_decide),
        cmocka_unit_test(a_function_says_when_a_transition_is_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
