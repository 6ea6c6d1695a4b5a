/* Regions, errors, retries by rule and events, told with Serverless Workflow documents. */
#include "core/driver.h"

#define FUNCTIONS "'functions':[{'name':'f'},{'name':'g'}],"
#define TRIGGERS \
    "'triggers':[{'name':'e1','source':'/s','type':'t1'},{'name':'e2','source':'/s','type':'t2'}],"
#define CALL(name) "{'functionref':{'refname':'" name "'}}"
#define OPERATION(name, actions, more) \
    "{'name':'" name "','type':'OPERATION','actions':[" actions "]," more "}"
#define RELAY(name, more) "{'name':'" name "','type':'RELAY'," more "}"
#define BRANCH(name, awaited, state) \
    "{'name':'" name "','startsAt':'" name "1','waitForCompletion':" awaited ",'states':[" state "]}"
#define ON_ERROR(to) "'onError':[{'condition':'$.exception != null','transition':'" to "'}]"

static void begin(struct driver *driver, const char *start_at, const char *states)
{
    driver_begin_empty(driver);
    struct buf text;
    buf_init(&text, &driver->arena);
    buf_printf(&text, "{'name':'test'," FUNCTIONS TRIGGERS "'startsAt':'%s','states':[%s]}", start_at,
               states);
    buf_add_char(&text, '\0');
    str document = driver_text(driver, text.p);
    struct arena kept = driver->arena;
    driver_begin_document(driver, document);
    arena_done(&kept);
}

static void fail_with(struct driver *driver, const char *type, const char *error)
{
    struct command command = { .kind = COMMAND_FAIL_JOB,
                               .number = job_of(driver, type)->number,
                               .error = driver_json(driver, error) };
    assert_int_equal(driver_do(driver, command), ST_OK);
}

static void event(struct driver *driver, const char *type, const char *id, const char *data)
{
    struct buf text;
    buf_init(&text, &driver->arena);
    buf_printf(&text, "{'specversion':'1.0','id':'%s','source':'/s','type':'%s','data':%s}", id, type, data);
    buf_add_char(&text, '\0');
    struct command command = { .kind = COMMAND_EVENT, .data = driver_json(driver, text.p) };
    assert_int_equal(driver_do(driver, command), ST_OK);
}

static const char *error_name(struct driver *driver)
{
    return arena_str(&driver->arena, json_string(json_get(driver->instance->error, STR("name")))).p;
}

static void a_task_takes_its_input_and_places_its_result(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "A",
          OPERATION("A", "{'functionref':{'refname':'f','parameters':{'n':'$.a.b'}}}",
                    "'filter':{'resultPath':'$.got'},'end':true"));
    start(&driver, "{'a':{'b':5}}");
    assert_at(&driver, "ACTIVE A");
    assert_json(&driver, instance_job_payload(driver.instance, job_of(&driver, "f")), "{'n':5}");
    complete(&driver, "f", "[1,2]");
    assert_at(&driver, "COMPLETED");
    assert_data(&driver, "{'a':{'b':5},'got':[1,2]}");
    driver_end(&driver);
}

static void an_awaited_branch_that_fails_takes_the_others_with_it(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "P",
          "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
              "a", "true",
              OPERATION("a1", CALL("f"),
                        "'end':true")) "," BRANCH("b", "true",
                                                  OPERATION("b1", CALL("g"),
                                                            "'end':true")) "]," ON_ERROR("H") ",'end':true}"
                                                                                              "," RELAY(
                                                                                                  "H",
                                                                                                  "'filter"
                                                                                                  "':{'"
                                                                                                  "outputP"
                                                                                                  "ath':'$"
                                                                                                  ".except"
                                                                                                  "ion."
                                                                                                  "name'},"
                                                                                                  "'end':"
                                                                                                  "true"));
    start(&driver, "{'x':1}");
    assert_int_equal(driver.instance->job_count, 2);
    fail_with(&driver, "f", "{'name':'Bad','message':'no'}");
    assert_at(&driver, "COMPLETED");
    assert_data(&driver, "'Bad'");
    assert_int_equal(driver.instance->job_count, 0);
    driver_end(&driver);
}

static void an_error_nobody_handles_stops_everything_and_a_retry_begins_the_state_anew(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "P",
          "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
              "a", "true",
              OPERATION("a1", CALL("f"), "'end':true")) "," BRANCH("b", "true",
                                                                   OPERATION("b1", CALL("g"),
                                                                             "'end':true")) "],'end':true}");
    start(&driver, "{}");
    fail_with(&driver, "f", "{'name':'Bad','message':'no','data':{'k':1}}");
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_string_equal(error_name(&driver), "Bad");
    assert_failure(&driver, "Bad: no");
    assert_int_equal(driver.instance->job_count, 0);
    assert_json(&driver, json_get(driver.instance->error, STR("state")), "'a1'");
    assert_int_equal(driver_named(&driver, COMMAND_RETRY, "P/a/a1", NULL), ST_CONFLICT);
    send(&driver, COMMAND_RETRY, "P", NULL);
    assert_null(driver.instance->error);
    complete(&driver, "f", "{'one':1}");
    complete(&driver, "g", "{'two':2}");
    assert_at(&driver, "COMPLETED");
    assert_data(&driver, "{'one':1,'two':2}");
    driver_end(&driver);
}

static void the_first_branch_wins_a_race_and_the_other_goes_on_alone(void **state)
{
    (void)state;
    struct driver driver;
    begin(
        &driver, "P",
        "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
            "a", "false",
            OPERATION("a1", CALL("f"),
                      "'end':true")) "," BRANCH("b", "false",
                                                OPERATION("b1", CALL("g"), "'transition':'b2'") "," OPERATION(
                                                    "b2", CALL("f"), "'end':true")) "],'end':true}");
    start(&driver, "{'x':1}");
    complete(&driver, "f", "{'won':true}");
    assert_int_equal(driver.instance->status, INSTANCE_COMPLETED);
    assert_data(&driver, "{'x':1,'won':true}");
    assert_true(instance_lingers(driver.instance));
    complete(&driver, "g", "{}");
    assert_true(instance_lingers(driver.instance));
    fail_with(&driver, "f", "{'name':'Late'}");
    assert_int_equal(driver.instance->status, INSTANCE_COMPLETED);
    assert_data(&driver, "{'x':1,'won':true}");
    assert_false(instance_lingers(driver.instance));
    assert_null(driver.instance->error);
    driver_end(&driver);
}

static void a_race_that_all_lose_has_the_first_error(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "P",
          "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
              "a", "false",
              OPERATION("a1", CALL("f"), "'end':true")) "," BRANCH("b", "false",
                                                                   OPERATION("b1", CALL("g"),
                                                                             "'end':true")) "],'end':true}");
    start(&driver, "{}");
    fail_with(&driver, "g", "{'name':'First'}");
    assert_int_equal(driver.instance->status, INSTANCE_ACTIVE);
    fail_with(&driver, "f", "{'name':'Second'}");
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_string_equal(error_name(&driver), "First");
    send(&driver, COMMAND_RETRY, "P", NULL);
    complete(&driver, "f", "{'ok':1}");
    assert_int_equal(driver.instance->status, INSTANCE_COMPLETED);
    driver_end(&driver);
}

static void a_cancelled_instance_has_nothing_left_not_even_what_was_detached(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "P",
          "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
              "a", "true",
              OPERATION("a1", CALL("f"), "'end':true")) "," BRANCH("b", "false",
                                                                   OPERATION("b1", CALL("g"),
                                                                             "'end':true")) "],'end':true}");
    start(&driver, "{}");
    send(&driver, COMMAND_CANCEL, "", NULL);
    assert_int_equal(driver.instance->job_count, 0);
    assert_false(instance_lingers(driver.instance));
    driver_end(&driver);
}

static void retries_follow_the_rules_and_leave_by_the_exit(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "A",
          OPERATION(
              "A",
              CALL("f") ",{'functionref':{'refname':'g'},'timeout':'PT5S','retry':["
                        "{'condition':'$.exception.name eq "
                        "`TimeoutException`','interval':'PT10S','max':1,'transition':'X'},"
                        "{'condition':'$.status eq `PENDING`','max':1}]}",
              ON_ERROR("H") ",'end':true") "," RELAY("X", "'end':true") "," RELAY("H",
                                                                                  "'filter':{'outputPath':'$."
                                                                                  "exception'},'end':true"));
    start(&driver, "{'s':1}");
    complete(&driver, "f", "{'m':2}");
    fire(&driver, "A/g", 0);
    assert_int_equal(job_of(&driver, "g")->attempt, 2);
    assert_int_equal(job_of(&driver, "g")->available_ms, driver.now_ms + 10000);
    assert_int_equal(driver.instance->timer[0].due_ms, driver.now_ms + 15000);
    complete(&driver, "g", "{'status':'PENDING'}");
    assert_int_equal(job_of(&driver, "g")->attempt, 3);
    fire(&driver, "A/g", 0);
    assert_at(&driver, "COMPLETED");
    assert_json(&driver, json_get(json_get(driver.instance->data, STR("exception")), STR("name")),
                "'TimeoutException'");
    assert_json(&driver, json_get(driver.instance->data, STR("s")), "1");
    assert_null(json_get(driver.instance->data, STR("m")));
    driver_end(&driver);
}

static void a_result_that_no_retry_mends_is_an_error(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "A",
          OPERATION("A",
                    "{'functionref':{'refname':'g'},'retry':[{'condition':'$.status eq `PENDING`','max':1}]}",
                    "'end':true"));
    start(&driver, "{}");
    complete(&driver, "g", "{'status':'PENDING'}");
    complete(&driver, "g", "{'status':'PENDING'}");
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_string_equal(error_name(&driver), "RetryLimitException");
    driver_end(&driver);
}

static void mail_is_kept_until_somebody_waits_for_it(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "A",
          OPERATION("A", CALL("f"),
                    "'transition':'E'") ",{'name':'E','type':'EVENT','eventActions':["
                                        "{'condition':'e1 and e2','actions':[],'transition':'B'},"
                                        "{'condition':'e2','actions':[],'transition':'C'}]}," RELAY(
                                            "B", "'end':true") "," RELAY("C", "'end':true"));
    start(&driver, "{}");
    event(&driver, "t2", "1", "{'two':2}");
    event(&driver, "t1", "2", "{'one':1}");
    event(&driver, "t9", "3", "{}");
    assert_true(driver.outcome.unchanged);
    assert_int_equal(driver.instance->mail_count, 2);
    complete(&driver, "f", "{}");
    assert_at(&driver, "COMPLETED");
    /* As if they had arrived one after the other: the second case holds after the first of them. */
    assert_data(&driver, "{'two':2}");
    assert_int_equal(driver.instance->mail_count, 0);
    driver_end(&driver);
}

static void mail_that_came_while_it_had_failed_is_served_by_a_retry(void **state)
{
    (void)state;
    struct driver driver;
    begin(
        &driver, "P",
        "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
            "a", "true",
            OPERATION("a1", CALL("f"),
                      "'end':true")) "," BRANCH("b", "false",
                                                OPERATION("b1", CALL("g"),
                                                          "'transition':'b2'") ","
                                                                               "{'name':'b2','type':'EVENT','"
                                                                               "eventActions':[{'condition':'"
                                                                               "e1','actions':[]}],'end':"
                                                                               "true}") "],'end':true}");
    start(&driver, "{}");
    event(&driver, "t1", "1", "{}");
    fail_with(&driver, "f", "{'name':'Bad'}");
    complete(&driver, "g", "{}");
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_int_equal(driver.instance->mail_count, 1);
    send(&driver, COMMAND_RETRY, "P", NULL);
    assert_int_equal(driver.instance->mail_count, 0);
    driver_end(&driver);
}

/* Two tokens at one node: what the older one has ceased to wait for the younger one takes. */
static void each_of_those_that_wait_at_one_node_is_asked(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "P",
          "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
              "a", "true",
              OPERATION(
                  "a1", CALL("f"),
                  "'end':true")) "," BRANCH("b", "false",
                                            "{'name':'b1','type':'EVENT','eventActions':["
                                            "{'condition':'e1','actions':[],'timeout':'PT1M'},{'condition':'"
                                            "e2','actions':[]}],'end':true}") "],'end':true}");
    start(&driver, "{}");
    fail_with(&driver, "f", "{'name':'Bad'}");
    send(&driver, COMMAND_RETRY, "P", NULL);
    fire(&driver, "P/b/b1/wait", 0);
    size_t count = driver.instance->token_count;
    event(&driver, "t1", "1", "{}");
    assert_int_equal(driver.instance->mail_count, 0);
    assert_true(driver.instance->token_count < count);
    driver_end(&driver);
}

static void cases_expire_one_by_one(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "E",
          "{'name':'E','type':'EVENT','eventActions':["
          "{'condition':'e1','actions':[],'timeout':'PT1M'},{'condition':'e2','actions':[],'timeout':'PT2M'}]"
          ",'end':true}");
    start(&driver, "{}");
    assert_at(&driver, "WAITING E");
    fire(&driver, "E/wait", 0);
    event(&driver, "t1", "1", "{}");
    assert_at(&driver, "WAITING E");
    fire(&driver, "E/wait", 1);
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_string_equal(error_name(&driver), "TimeoutException");
    driver_end(&driver);
}

static void a_guard_that_does_not_hold_halts_and_shows_why(void **state)
{
    (void)state;
    struct driver driver;
    begin(
        &driver, "A",
        RELAY("A", "'transition':{'nextState':'B','condition':'$.go == true'}") "," RELAY("B", "'end':true"));
    start(&driver, "{'go':false}");
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_json(&driver, json_get(driver.instance->error, STR("data")),
                "{'from':'A','to':'B','expression':'$.go == true','operands':{'$[`go`]':false}}");
    driver_end(&driver);
}

static void a_filter_that_selects_nothing_is_a_warning_or_an_error(void **state)
{
    (void)state;
    struct driver driver;
    size_t count;
    begin(&driver, "A",
          OPERATION("A", "{'functionref':{'refname':'f'},'filter':{'inputPath':'$.none'}}," CALL("g"),
                    "'end':true"));
    start(&driver, "{'a':1}");
    struct execution *row = driver_rows(&driver, &count);
    assert_string_equal(arena_str(&driver.arena, row[0].warning).p,
                        "a filter selected nothing, and the data was left as it is: $['none']");
    driver.instance = NULL;
    driver.history_count = 0;
    driver.limits.strict_paths = 1;
    start(&driver, "{'a':1}");
    assert_string_equal(error_name(&driver), "FilterException");
    driver_end(&driver);
}

/* What is stored deeper than that cannot be read again; the driver decodes after every step. */
static void an_error_about_something_deep_can_be_stored(void **state)
{
    (void)state;
    for (int depth = JSON_DEPTH_MAX - 3; depth < JSON_DEPTH_MAX; depth++) {
        struct driver driver;
        begin(
            &driver, "A",
            RELAY("A", "'transition':{'nextState':'B','condition':'$.n == 1'}") "," RELAY("B", "'end':true"));
        struct buf data;
        buf_init(&data, &driver.arena);
        buf_printf(&data, "{'n':%.*s%.*s}", depth,
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                   depth,
                   "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
                   "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
        buf_add_char(&data, '\0');
        start(&driver, data.p);
        assert_string_equal(error_name(&driver), "TransitionException");
        driver_end(&driver);
    }
}

static void a_full_mailbox_refuses(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "A", OPERATION("A", CALL("f"), "'end':true"));
    driver.limits.mailbox_events_max = 1;
    start(&driver, "{}");
    event(&driver, "t1", "1", "{}");
    struct command more = { .kind = COMMAND_EVENT,
                            .data = driver_json(&driver, "{'id':'2','source':'/s','type':'t1'}") };
    assert_int_equal(driver_do(&driver, more), ST_LIMIT);
    driver_end(&driver);
}

static void a_handler_that_leads_back_to_the_error_is_stopped(void **state)
{
    (void)state;
    struct driver driver;
    begin(&driver, "A", OPERATION("A", CALL("f"), ON_ERROR("A") ",'end':true"));
    driver.limits.handled_errors_max = 3;
    start(&driver, "{}");
    for (int i = 0; i < 3; i++) {
        fail_with(&driver, "f", "{'name':'Bad'}");
        assert_at(&driver, "ACTIVE A");
    }
    fail_with(&driver, "f", "{'name':'Bad'}");
    assert_int_equal(driver.instance->status, INSTANCE_FAILED);
    assert_string_equal(error_name(&driver), "Bad");
    driver_end(&driver);
}

/* ---- by chance: whatever comes, in whatever order, the invariants hold ---- */

static const char *const documents[] = {
    /* Nested branches, awaited and not, with loops and handlers. */
    "{'name':'P','type':'PARALLEL','branches':[" BRANCH(
        "a", "true",
        "{'name':'a1','type':'PARALLEL','branches':[" BRANCH("c", "false", OPERATION("c1", CALL("f"), "'end':true")) "," BRANCH(
            "d", "false",
            "{'name':'d1','type':'DELAY','timeDelay':'PT1S','end':"
            "true}") "],'end':true}") "," BRANCH("b", "true",
                                                 "{'name':'b1','type':'"
                                                 "OPERATION','loop':{'"
                                                 "inputCollection':'$."
                                                 "list','"
                                                 "outputCollection':'$."
                                                 "out','timeDelay':'"
                                                 "PT1S'},"
                                                 "'actionMode':'"
                                                 "PARALLEL','actions':"
                                                 "[" CALL("f") "," CALL(
                                                     "g") "],'filter':{"
                                                          "'resultPath'"
                                                          ":'$'},'end':"
                                                          "true}") "," BRANCH("e", "false",
                                                                              "{'name':'e1','type':'EVENT','"
                                                                              "eventActions':[{'condition':'"
                                                                              "e1','timeout':'PT3S','actions'"
                                                                              ":[" CALL(
                                                                                  "g") "]}],'end':"
                                                                                       "true}") "]"
                                                                                                "," ON_ERROR("H") ",'transition':'H'}," OPERATION(
                                                                                                    "H",
                                                                                                    CALL("f"),
                                                                                                    "'end':"
                                                                                                    "true"),
    /* Rules, exits and timeouts. */
    "{'name':'P','type':'OPERATION','actionMode':'PARALLEL','actions':["
    "{'functionref':{'refname':'f'},'timeout':'PT2S','retry':[{'condition':'$.exception.name eq "
    "`T`','max':2,'transition':'H'},"
    "{'condition':'$.k eq 1','interval':'PT1S','max':1}]}," CALL("g") "]," ON_ERROR(
        "P") ",'transition':'H'},"
             "{'name':'H','type':'EVENT','loop':{'inputCollection':'$.list'},'eventActions':[{'"
             "condition':'e1 or e2','actions':[" CALL("f") "]}]," ON_ERROR("Z") ",'end':true}," RELAY(
                 "Z", "'end':true"),
};

static uint32_t chance(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*seed >> 33) % below;
}

static void random_command(struct driver *driver, uint64_t *seed, uint32_t round)
{
    static const char *const results[] = { "{'k':1}", "{'j':[1]}", "7", "{}", "{'list':[1,2]}" };
    static const char *const errors[] = { "{'name':'T'}", "{'name':'Other','message':'m'}", "{}" };
    const struct instance *instance = driver->instance;
    struct command command = { .kind = COMMAND_COUNT };
    char id[16];
    if (chance(seed, 24) == 0) { /* Mostly refused. */
        const struct modification move = {
            .kind = (enum modification_kind)chance(seed, 3),
            .execution = instance->token_count
                             ? instance->token[chance(seed, (uint32_t)instance->token_count)].execution
                             : 0,
            .to = driver->program->node[chance(seed, (uint32_t)driver->program->node_count)].name,
        };
        command = (struct command){ .kind = COMMAND_MODIFY, .modification = &move, .modification_count = 1 };
        bool done = driver_do(driver, command) == ST_OK;
        assert_true(done || !str_starts(str_of(driver->rejection.message), STR("this cannot be")));
        return;
    }
    switch (chance(seed, 8)) {
    case 0:
    case 1:
    case 2:
        if (!instance->job_count) return;
        command.kind = COMMAND_COMPLETE_JOB;
        command.number = instance->job[chance(seed, (uint32_t)instance->job_count)].number;
        command.data = driver_json(driver, results[chance(seed, COUNT(results))]);
        break;
    case 3:
        if (!instance->job_count) return;
        command.kind = COMMAND_FAIL_JOB;
        command.number = instance->job[chance(seed, (uint32_t)instance->job_count)].number;
        command.error = driver_json(driver, errors[chance(seed, COUNT(errors))]);
        break;
    case 4:
    case 5:
        if (!instance->timer_count) return;
        command.kind = COMMAND_FIRE_TIMER;
        command.number = instance->timer[chance(seed, (uint32_t)instance->timer_count)].number;
        driver->now_ms += 1000;
        break;
    case 6:
        snprintf(id, sizeof id, "e%u", round);
        event(driver, chance(seed, 2) ? "t1" : "t2", id, "{'v':1}");
        return;
    default:
        if (instance->status != INSTANCE_FAILED) return;
        for (size_t i = 0; i < instance->token_count; i++)
            if (instance->token[i].state == TOKEN_FAILED) command.node = instance->token[i].node_name;
        if (!command.node.n) return;
        command.kind = COMMAND_RETRY;
        break;
    }
    assert_int_equal(driver_do(driver, command), ST_OK);
}

static void whatever_comes_the_invariants_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct driver *driver = test_malloc(sizeof *driver);
        uint64_t chances = seed;
        begin(driver, "P", documents[seed % COUNT(documents)]);
        start(driver, "{'list':[1,2,3]}");
        for (uint32_t round = 0; round < 60; round++) random_command(driver, &chances, round);
        size_t count;
        driver_rows(driver, &count);
        assert_true(count > 0);
        driver_end(driver);
        test_free(driver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_takes_its_input_and_places_its_result),
        cmocka_unit_test(an_awaited_branch_that_fails_takes_the_others_with_it),
        cmocka_unit_test(an_error_nobody_handles_stops_everything_and_a_retry_begins_the_state_anew),
        cmocka_unit_test(the_first_branch_wins_a_race_and_the_other_goes_on_alone),
        cmocka_unit_test(a_race_that_all_lose_has_the_first_error),
        cmocka_unit_test(a_cancelled_instance_has_nothing_left_not_even_what_was_detached),
        cmocka_unit_test(retries_follow_the_rules_and_leave_by_the_exit),
        cmocka_unit_test(a_result_that_no_retry_mends_is_an_error),
        cmocka_unit_test(mail_is_kept_until_somebody_waits_for_it),
        cmocka_unit_test(mail_that_came_while_it_had_failed_is_served_by_a_retry),
        cmocka_unit_test(each_of_those_that_wait_at_one_node_is_asked),
        cmocka_unit_test(cases_expire_one_by_one),
        cmocka_unit_test(a_guard_that_does_not_hold_halts_and_shows_why),
        cmocka_unit_test(a_filter_that_selects_nothing_is_a_warning_or_an_error),
        cmocka_unit_test(an_error_about_something_deep_can_be_stored),
        cmocka_unit_test(a_full_mailbox_refuses),
        cmocka_unit_test(a_handler_that_leads_back_to_the_error_is_stopped),
        cmocka_unit_test(whatever_comes_the_invariants_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
