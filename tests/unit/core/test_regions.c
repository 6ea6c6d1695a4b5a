/* Regions, errors, retries by rule and events, told with Serverless Workflow documents. */
#include "documents.h"

#include "core/driver.h"

/* `name`: a member of documents/regions.json. */
static void begin(struct driver *driver, const char *name)
{
    driver_begin_document(driver, str_of(document("core/regions", name)));
}

static void fail_with(struct driver *driver, const char *type, const char *error)
{
    struct command command = { .kind = COMMAND_FAIL_JOB,
                               .as.job.number = job_of(driver, type)->number,
                               .as.job.error = driver_json(driver, error) };
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
    begin(&driver, "a_task_takes_its_input_and_places_its_result");
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
    begin(&driver, "an_awaited_branch_that_fails_takes_the_others_with_it");
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
    begin(&driver, "an_error_nobody_handles_stops_everything_and_a_retry_begins_the_state_anew");
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
    begin(&driver, "the_first_branch_wins_a_race_and_the_other_goes_on_alone");
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
    begin(&driver, "a_race_that_all_lose_has_the_first_error");
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
    begin(&driver, "a_cancelled_instance_has_nothing_left_not_even_what_was_detached");
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
    begin(&driver, "retries_follow_the_rules_and_leave_by_the_exit");
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
    begin(&driver, "a_result_that_no_retry_mends_is_an_error");
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
    begin(&driver, "mail_is_kept_until_somebody_waits_for_it");
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
    begin(&driver, "mail_that_came_while_it_had_failed_is_served_by_a_retry");
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
    begin(&driver, "each_of_those_that_wait_at_one_node_is_asked");
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
    begin(&driver, "cases_expire_one_by_one");
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
    begin(&driver, "a_guard_that_does_not_hold_halts_and_shows_why");
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
    begin(&driver, "a_filter_that_selects_nothing_is_a_warning_or_an_error");
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

/* A value that is stored deeper cannot be read again; the driver decodes after every step. */
static void an_error_about_something_deep_can_be_stored(void **state)
{
    (void)state;
    for (int depth = JSON_DEPTH_MAX - 3; depth < JSON_DEPTH_MAX; depth++) {
        struct driver driver;
        begin(&driver, "an_error_about_something_deep_can_be_stored");
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
    begin(&driver, "a_full_mailbox_refuses");
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
    begin(&driver, "a_handler_that_leads_back_to_the_error_is_stopped");
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

static const char *const documents[] = { "random_branches", "random_retries" };

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
        command = (struct command){ .kind = COMMAND_MODIFY,
                                    .as.modify.modification = &move,
                                    .as.modify.modification_count = 1 };
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
        command.as.job.number = instance->job[chance(seed, (uint32_t)instance->job_count)].number;
        command.data = driver_json(driver, results[chance(seed, COUNT(results))]);
        break;
    case 3:
        if (!instance->job_count) return;
        command.kind = COMMAND_FAIL_JOB;
        command.as.job.number = instance->job[chance(seed, (uint32_t)instance->job_count)].number;
        command.as.job.error = driver_json(driver, errors[chance(seed, COUNT(errors))]);
        break;
    case 4:
    case 5:
        if (!instance->timer_count) return;
        command.kind = COMMAND_FIRE_TIMER;
        command.as.timer.number = instance->timer[chance(seed, (uint32_t)instance->timer_count)].number;
        driver->now_ms += 1000;
        break;
    case 6:
        snprintf(id, sizeof id, "e%u", round);
        event(driver, chance(seed, 2) ? "t1" : "t2", id, "{'v':1}");
        return;
    default:
        if (instance->status != INSTANCE_FAILED) return;
        for (size_t i = 0; i < instance->token_count; i++)
            if (instance->token[i].state == TOKEN_FAILED) command.as.node.node = instance->token[i].node_name;
        if (!command.as.node.node.n) return;
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
        begin(driver, documents[seed % COUNT(documents)]);
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
