/* What happened to an entity, told from its history. */
#include "core/driver.h"
#include "dialect/entity/audit.h"

#define PROCESSOR(name, mode) "{'name':'" name "','executionMode':'" mode "'}"
#define ABOVE(limit) \
    "'criterion':{'type':'simple','jsonPath':'$.n','operatorType':'GREATER_THAN','value':" limit "}"
#define FUNCTION(name) "'criterion':{'type':'function','function':{'name':'" name "'}}"

static struct driver d;

static void begin(const char *workflows)
{
    driver_begin_empty(&d);
    str text = arena_printf(&d.arena, "{'entityName':'e','modelVersion':1,'workflows':[%s]}", workflows);
    str document = driver_text(&d, text.p);
    struct arena kept = d.arena;
    driver_begin_document(&d, document);
    arena_done(&kept);
}

static void begin_states(const char *states)
{
    char workflow[2048];
    snprintf(workflow, sizeof workflow, "{'name':'w','initialState':'A','states':{%s}}", states);
    begin(workflow);
}

static void act(struct command command)
{
    command.stamp = driver_json(&d, "{'transactionId':'t'}");
    assert_int_equal(driver_do(&d, command), ST_OK);
}

static void create(const char *data)
{
    act((struct command){ .kind = COMMAND_START,
                          .as.start.instance = 7,
                          .as.start.definition = 3,
                          .data = driver_json(&d, data) });
}

static void fire_transition(const char *name, const char *data)
{
    act((struct command){ .kind = COMMAND_FIRE,
                          .as.fire.transition = str_of(name),
                          .data = data ? driver_json(&d, data) : NULL });
}

static void answer(const char *job, const char *data, const char *remark)
{
    act((struct command){ .kind = COMMAND_COMPLETE_JOB,
                          .as.job.number = job_of(&d, job)->number,
                          .as.job.text = str_of(remark),
                          .data = driver_json(&d, data) });
}

static const struct program *find_program(void *context, int64_t version)
{
    (void)context;
    return version == 3 ? d.program : NULL;
}

static const struct program *find_no_program(void *context, int64_t version)
{
    (void)context;
    (void)version;
    return NULL;
}

static const struct entity_programs programs = { find_program, NULL };

/* The histories newest first, from the one of the last command on. */
static const struct history *newest_first(void)
{
    struct history *history = arena_make_n(&d.arena, struct history, d.history_count);
    for (size_t i = 0; i < d.history_count; i++) history[i] = d.history[d.history_count - 1 - i];
    return history;
}

/* The events of the last command: "TYPE@state", a line each. */
static void assert_told(const char *want)
{
    const struct history *history = newest_first();
    struct entity_event *event;
    size_t count;
    struct buf text;
    buf_init(&text, &d.arena);
    assert_int_equal(entity_audit_version(history, d.history_count), 3);
    assert_true(entity_audit_tell(&programs, history, d.history_count, true, &d.arena, &event, &count));
    for (size_t i = 0; i < count; i++) {
        buf_printf(&text, "%s%s@%.*s", i ? " " : "", entity_event_word(event[i].kind),
                   STR_ARG(event[i].state));
        assert_true(event[i].details.n > 0);
        if (event[i].is_warning) buf_add_char(&text, '!');
    }
    buf_add_char(&text, '\0');
    assert_string_equal(buf_str(&text).p, want);
}

static const struct json *data_of(enum entity_event_kind kind, size_t which)
{
    struct entity_event *event;
    size_t count;
    assert_true(
        entity_audit_tell(&programs, newest_first(), d.history_count, true, &d.arena, &event, &count));
    for (size_t i = 0; i < count; i++)
        if (event[i].kind == kind && !which--) return event[i].data;
    return NULL;
}

static void a_creation_tells_how_the_workflow_was_chosen(void **state)
{
    (void)state;
    begin("{'name':'v','initialState':'A'," ABOVE(
        "9") ",'states':{'A':{}}},"
             "{'name':'off','initialState':'A','active':false,'states':{'A':{}}},"
             "{'name':'w','initialState':'A','states':{'A':{'transitions':[{'name':'T1','next':'B'," ABOVE(
                 "5") "},{'name':'T2','next':'B'," ABOVE("2") "},{'name':'T3','next':'B'}]},'B':{}}}");
    create("{'n':3}");
    assert_told("STATE_MACHINE_START@ WORKFLOW_SKIP@ WORKFLOW_FOUND@ TRANSITION_NOT_MATCH_CRITERION@A "
                "TRANSITION_MAKE@A STATE_MACHINE_FINISH@B CREATE@B");
    assert_json(&d, data_of(ENTITY_EVENT_SKIP, 0), "{'workflowName':'v','reason':'criterion did not match'}");
    assert_json(&d, data_of(ENTITY_EVENT_NO_MATCH, 0),
                "{'workflowName':'w','transition':'T1','criterion':'condition',"
                "'reason':'criterion did not match'}");
    driver_end(&d);
    begin("{'name':'v','initialState':'A'," ABOVE("9") ",'states':{'A':{}}}");
    create("{'n':3}");
    assert_told("STATE_MACHINE_START@ WORKFLOW_SKIP@ WORKFLOW_FOUND@ TRANSITION_MAKE@NONE "
                "STATE_MACHINE_FINISH@CREATED CREATE@CREATED");
    driver_end(&d);
}

/* Three transitions lead to the same state: the history tells which one was made. */
static void a_transition_is_told_by_its_name_wherever_it_leads(void **state)
{
    static const struct {
        const char *data, *want;
    } cases[] = {
        { "{'n':9}", "transition \"T1\" leads from \"A\" to \"B\"" },
        { "{'n':3}", "transition \"T2\" leads from \"A\" to \"B\"" },
        { "{'n':1}", "transition \"T3\" leads from \"A\" to \"B\"" },
    };
    (void)state;
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct entity_event *event;
        size_t count, made = 0;
        begin_states("'A':{'transitions':[{'name':'T1','next':'B'," ABOVE(
            "5") "},{'name':'T2','next':'B'," ABOVE("2") "},{'name':'T3','next':'B'}]},'B':{}");
        create(cases[k].data);
        assert_true(
            entity_audit_tell(&programs, newest_first(), d.history_count, true, &d.arena, &event, &count));
        for (size_t i = 0; i < count; i++) {
            if (event[i].kind != ENTITY_EVENT_MAKE) continue;
            assert_true(str_equal(event[i].details, str_of(cases[k].want)));
            made++;
        }
        assert_int_equal(made, 1);
        driver_end(&d);
    }
}

static void processors_are_told_one_by_one(void **state)
{
    (void)state;
    begin_states("'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[" PROCESSOR(
        "p", "SYNC") "," PROCESSOR("q", "ASYNC_NEW_TX") "]}]},'B':{}");
    create("{'n':1}");
    fire_transition("GO", NULL);
    assert_told("STATE_MACHINE_START@A PAUSE_FOR_PROCESSING@A UPDATE@A");
    answer("p", "{}", "");
    assert_told("STATE_PROCESS_RESULT@A");
    assert_json(&d, data_of(ENTITY_EVENT_RESULT, 0), "{'success':true,'mode':'SYNC'}");
    act((struct command){ .kind = COMMAND_FAIL_JOB,
                          .as.job.number = job_of(&d, "q")->number,
                          .as.job.text = STR("no"),
                          .as.job.error = driver_json(&d, "{'name':'X','message':'no'}") });
    assert_told("STATE_PROCESS_RESULT@A! TRANSITION_MAKE@A STATE_MACHINE_FINISH@B");
    assert_json(&d, data_of(ENTITY_EVENT_RESULT, 0), "{'success':false,'mode':'ASYNC_NEW_TX'}");
    driver_end(&d);
}

static void a_failure_behind_a_commit_has_no_finish(void **state)
{
    (void)state;
    begin_states("'A':{'transitions':[{'name':'GO','next':'B','manual':true,'processors':[" PROCESSOR(
        "p", "COMMIT_BEFORE_DISPATCH") "]}]},'B':{}");
    create("{'n':1}");
    fire_transition("GO", NULL);
    act((struct command){ .kind = COMMAND_FAIL_JOB,
                          .as.job.number = job_of(&d, "p")->number,
                          .as.job.text = STR("no"),
                          .as.job.error = driver_json(&d, "{'name':'X','message':'no'}") });
    assert_told("STATE_PROCESS_RESULT@A! STATE_PROCESS_RESULT@A! UPDATE@A");
    assert_json(&d, data_of(ENTITY_EVENT_RESULT, 1), "{'success':false}");
    fire_transition("GO", NULL);
    fire_transition("", "{'n':2}"); /* In the middle of the transition. */
    assert_told("STATE_MACHINE_START@A CANCEL@A! STATE_MACHINE_FINISH@A UPDATE@A");
    driver_end(&d);
}

static void functions_say_why_not(void **state)
{
    (void)state;
    begin("{'name':'v','initialState':'A'," FUNCTION(
        "s") ",'states':{'A':{}}},"
             "{'name':'w','initialState':'A','states':{'A':{'transitions':[{'name':'G1','next':'B'," FUNCTION(
                 "f") "},{'name':'G2','next':'C'," ABOVE("5") "}]},'B':{},'C':{}}}");
    create("{'n':1}");
    assert_told("STATE_MACHINE_START@ CREATE@");
    answer("s", "{'matches':false}", "not one of ours");
    assert_told("WORKFLOW_SKIP@ WORKFLOW_FOUND@");
    assert_json(&d, data_of(ENTITY_EVENT_SKIP, 0), "{'workflowName':'v','reason':'not one of ours'}");
    answer("f", "{'matches':false}", "too small");
    assert_told("TRANSITION_NOT_MATCH_CRITERION@A TRANSITION_NOT_MATCH_CRITERION@A STATE_MACHINE_FINISH@A");
    assert_json(&d, data_of(ENTITY_EVENT_NO_MATCH, 0),
                "{'workflowName':'w','transition':'G1','criterion':'f','reason':'too small'}");
    fire_transition("", "{'n':9}");
    answer("f", "{'matches':true}", "");
    assert_told("TRANSITION_MAKE@A STATE_MACHINE_FINISH@B");
    driver_end(&d);
}

static void scheduled_transitions_are_armed_fired_and_called_off(void **state)
{
    (void)state;
    begin_states(
        "'A':{'transitions':[{'name':'T1','next':'B','schedule':{'delayMs':100}},"
        "{'name':'T2','next':'B','schedule':{'delayMs':200,'timeoutMs':50}," ABOVE("5") "}]},'B':{}");
    create("{'n':1}");
    assert_told("STATE_MACHINE_START@ WORKFLOW_FOUND@ STATE_MACHINE_FINISH@A SCHEDULED_TRANSITION_ARM@A "
                "SCHEDULED_TRANSITION_ARM@A CREATE@A");
    uint32_t first = d.instance->timer[0].number, second = d.instance->timer[1].number;
    int64_t due_ms = d.instance->timer[1].due_ms;
    struct command late = { .kind = COMMAND_FIRE_TIMER, .as.timer.number = second };
    struct driver before = d;
    d.now_ms = due_ms + 51;
    act(late);
    assert_told("SCHEDULED_TRANSITION_EXPIRE@A!");
    d.instance = before.instance;
    d.history_count = before.history_count;
    d.now_ms = due_ms + 50;
    act(late);
    assert_told("TRANSITION_NOT_MATCH_CRITERION@A");
    act((struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = first });
    assert_told("STATE_MACHINE_START@A TRANSITION_MAKE@A STATE_MACHINE_FINISH@B SCHEDULED_TRANSITION_FIRE@B "
                "UPDATE@B");
    assert_true(
        str_equal(json_string(json_get(data_of(ENTITY_EVENT_FIRE, 0), STR("sourceState"))), STR("A")));
    driver_end(&d);
    begin_states("'A':{'transitions':[{'name':'T1','next':'B','schedule':{'delayMs':100}},"
                 "{'name':'GO','next':'B','manual':true},{'name':'AGAIN','next':'A','manual':true}]},'B':{}");
    create("{'n':1}");
    fire_transition("", "{'n':2}"); /* The schedule of the state begins anew: nothing is called off. */
    assert_told("STATE_MACHINE_START@A STATE_MACHINE_FINISH@A SCHEDULED_TRANSITION_ARM@A UPDATE@A");
    fire_transition("AGAIN", NULL);
    assert_told(
        "STATE_MACHINE_START@A TRANSITION_MAKE@A STATE_MACHINE_FINISH@A SCHEDULED_TRANSITION_ARM@A UPDATE@A");
    fire_transition("GO", NULL);
    assert_told("STATE_MACHINE_START@A TRANSITION_MAKE@A STATE_MACHINE_FINISH@B "
                "SCHEDULED_TRANSITION_CANCEL@B UPDATE@B");
    driver_end(&d);
    begin_states(
        "'A':{'transitions':[{'name':'T1','next':'B','schedule':{'delayMs':100},'processors':[" PROCESSOR(
            "p", "SYNC") "]},{'name':'T2','next':'B','schedule':{'delayMs':200}}]},'B':{}");
    create("{'n':1}");
    act((struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = d.instance->timer[0].number });
    assert_told("STATE_MACHINE_START@A PAUSE_FOR_PROCESSING@A UPDATE@A");
    answer("p", "{}", "");
    assert_told("STATE_PROCESS_RESULT@A TRANSITION_MAKE@A STATE_MACHINE_FINISH@B SCHEDULED_TRANSITION_FIRE@B "
                "SCHEDULED_TRANSITION_CANCEL@B");
    driver_end(&d);
    begin_states("'A':{'transitions':[{'name':'T1','next':'B','schedule':{'delayMs':100}}]},'B':{}");
    create("{'n':1}");
    act((struct command){ .kind = COMMAND_CANCEL, .as.cancel.reason = STR("gone") });
    assert_told("SCHEDULED_TRANSITION_CANCEL@A DELETE@A");
    driver_end(&d);
}

static void transitions_that_a_function_schedules_tell_their_life(void **state)
{
    (void)state;
    begin_states("'A':{'transitions':[{'name':'T','next':'B','schedule':{'function':{'name':'f'}}}]},'B':{}");
    create("{'n':1}");
    answer("f", "{'due':'2030-01-02T03:04:05.678Z','expires':'2030-01-02T03:04:06.678Z'}", "");
    assert_told("STATE_MACHINE_FINISH@A SCHEDULED_TRANSITION_ARM@A");
    assert_json(&d, data_of(ENTITY_EVENT_ARM, 0),
                "{'transition':'T','sourceState':'A','scheduledTime':'2030-01-02T03:04:05.678000Z'}");
    d.now_ms = d.instance->timer[0].due_ms + 1001;
    act((struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = d.instance->timer[0].number });
    assert_told("SCHEDULED_TRANSITION_EXPIRE@A!");
    fire_transition("", "{'n':2}");
    answer("f", "{'missed':'2030-01-02T03:04:05.678Z'}", "");
    assert_told("SCHEDULED_TRANSITION_EXPIRE@A! STATE_MACHINE_FINISH@A");
    assert_json(&d, data_of(ENTITY_EVENT_EXPIRE, 0),
                "{'transition':'T','sourceState':'A','scheduledTime':'2030-01-02T03:04:05.678Z'}");
    driver_end(&d);
}

/* A telling says that it needs older histories, and is right then: with them it is the same as with all. */
static void no_more_of_the_past_is_needed_than_it_says(void **state)
{
    (void)state;
    begin_states("'A':{'transitions':[{'name':'GO','next':'A','manual':true,'processors':[" PROCESSOR(
        "p", "SYNC") "," PROCESSOR("q", "SYNC") "]}]}");
    create("{'n':1}");
    for (int i = 0; i < 3; i++) fire_transition("", "{'n':1}");
    fire_transition("GO", NULL);
    answer("p", "{}", "");
    answer("q", "{}", "");
    assert_told("STATE_PROCESS_RESULT@A TRANSITION_MAKE@A STATE_MACHINE_FINISH@A");
    struct entity_event *event;
    size_t count, needed = 1;
    while (!entity_audit_tell(&programs, newest_first(), needed, false, &d.arena, &event, &count)) needed++;
    assert_int_equal(needed, 3); /* Back to the command that says which version it is. */
    assert_int_equal(count, 3);
    assert_int_equal(entity_audit_version(newest_first(), 2), 0);
    assert_int_equal(entity_audit_version(newest_first(), 3), 3);
    static const struct entity_programs none = { find_no_program, NULL };
    assert_true(entity_audit_tell(&none, newest_first(), needed, true, &d.arena, &event, &count));
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_creation_tells_how_the_workflow_was_chosen),
        cmocka_unit_test(a_transition_is_told_by_its_name_wherever_it_leads),
        cmocka_unit_test(processors_are_told_one_by_one),
        cmocka_unit_test(a_failure_behind_a_commit_has_no_finish),
        cmocka_unit_test(functions_say_why_not),
        cmocka_unit_test(scheduled_transitions_are_armed_fired_and_called_off),
        cmocka_unit_test(transitions_that_a_function_schedules_tell_their_life),
        cmocka_unit_test(no_more_of_the_past_is_needed_than_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
