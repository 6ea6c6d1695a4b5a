/* Every command: what it does, what it refuses and with which words. */

#include "core/driver.h"

#include "core/limits.h"

#define CHAIN3 TASK("a", "b") TASK("b", "c") TASK("c", "end") END("end")

static void a_chain_of_tasks_runs_to_its_end(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHAIN3);
    start(&d, "{'n':1}");
    assert_at(&d, "ACTIVE a");
    assert_entries(&d, "data enter job_open park status");
    assert_int_equal(d.instance->id, 7);
    assert_int_equal(d.instance->definition, 3);
    assert_int_equal(d.instance->created_ms, d.now_ms);
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "a")), "{'n':1}");
    d.now_ms += 5;
    complete(&d, "a", "{'x':{'y':1}}");
    assert_at(&d, "ACTIVE b");
    assert_entries(&d, "job_close data leave enter job_open park");
    complete(&d, "b", NULL);
    complete(&d, "c", "{}");
    assert_at(&d, "COMPLETED");
    assert_entries(&d, "job_close leave enter leave status");
    assert_data(&d, "{'n':1,'x':{'y':1}}");
    assert_int_equal(d.instance->ended_ms, d.now_ms);
    assert_int_equal(d.instance->revision, 4);
    assert_rows(&d, "a COMPLETED, b COMPLETED, c COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_start_without_data_has_none(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHAIN3);
    start(&d, NULL);
    assert_data(&d, "{}");
    driver_end(&d);
}

static void inputs_are_checked_at_the_start(void **state)
{
    struct driver d;
    (void)state;
    driver_begin_with(&d, ",'input_schema':{'properties':{'n':{'type':'number'}},'required':['n']}", CHAIN3);
    assert_int_equal(driver_start(&d, "{'n':'x'}"), ST_INVALID);
    assert_int_equal(strncmp(d.rejection.message, "input_schema violation: ", 24), 0);
    assert_int_equal(driver_start(&d, NULL), ST_INVALID);
    assert_int_equal(driver_start(&d, "[1]"), ST_INVALID);
    start(&d, "{'n':1}");
    driver_end(&d);
}

static void a_worker_result_must_fit_the_outputs(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d,
                 TASK_WITH("a", "'nextStep':'end','outputs_schema':{'properties':{'s':{'type':'integer'}},"
                                "'required':['s']}") END("end"));
    start(&d, NULL);
    uint32_t number = job_of(&d, "a")->number;
    assert_int_equal(driver_complete(&d, number, "{'s':'x'}"), ST_INVALID);
    assert_int_equal(strncmp(d.rejection.message, "outputs_schema violation: ", 26), 0);
    assert_int_equal(driver_complete(&d, number, NULL), ST_INVALID);
    assert_at(&d, "ACTIVE a");
    assert_int_equal(driver_complete(&d, number, "{'s':1}"), ST_OK);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void stale_callbacks_change_nothing(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHAIN3);
    start(&d, NULL);
    uint32_t first = job_of(&d, "a")->number;
    complete(&d, "a", NULL);
    const uint32_t stale[] = { first, 0, 999, UINT32_MAX };
    for (size_t i = 0; i < COUNT(stale); i++) {
        assert_int_equal(driver_complete(&d, stale[i], "{'late':true}"), ST_OK);
        assert_true(d.outcome.unchanged);
        assert_int_equal(
            driver_do(&d, (struct command){ .kind = COMMAND_FAIL_JOB, .as.job.number = stale[i] }), ST_OK);
        assert_true(d.outcome.unchanged);
        assert_int_equal(
            driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = stale[i] }),
            ST_OK);
        assert_true(d.outcome.unchanged);
    }
    assert_int_equal(d.instance->revision, 2);
    driver_end(&d);
}

static void a_failed_job_is_retried_with_growing_delays(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'end','retryCount':3,"
                                    "'retryBackoff':{'initial':'PT1S','factor':2,'max':'PT3S'}") END("end"));
    start(&d, "{'n':1}");
    static const int64_t delays_ms[] = { 1000, 2000, 3000 };
    for (uint32_t i = 0; i < COUNT(delays_ms); i++) {
        uint32_t before = job_of(&d, "a")->number;
        d.now_ms += 10;
        fail_job(&d, "a", "try again", true);
        const struct job *job = job_of(&d, "a");
        assert_int_not_equal(job->number, before);
        assert_int_equal(job->retries_left, 2 - i);
        assert_int_equal(job->attempt, i + 2);
        assert_int_equal(job->created_ms, d.now_ms);
        assert_int_equal(job->available_ms, d.now_ms + delays_ms[i]);
        assert_json(&d, instance_job_payload(d.instance, job), "{'n':1}");
    }
    fail_job(&d, "a", "gave up", true);
    assert_at(&d, "FAILED a");
    assert_failure(&d, "gave up");
    assert_rows(&d, "a FAILED"); /* One row: automatic retries reuse it. */
    driver_end(&d);
}

static void a_job_that_must_not_be_retried_fails_at_once(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'end','retryCount':3") END("end"));
    start(&d, NULL);
    fail_job(&d, "a", "no way", false);
    assert_at(&d, "FAILED a");
    assert_entries(&d, "job_close fail status");
    assert_int_equal(d.instance->ended_ms, d.now_ms);
    assert_int_equal(d.instance->job_count, 0);
    driver_end(&d);
}

static void long_errors_are_cut_between_characters(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHAIN3);
    start(&d, NULL);
    char text[FAILURE_REASON_BYTES_MAX + 10];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    memcpy(text + FAILURE_REASON_BYTES_MAX - 1, "\xc3\xa4", 2); /* Across the limit. */
    fail_job(&d, "a", text, false);
    assert_int_equal(d.instance->failure.n, FAILURE_REASON_BYTES_MAX - 1);
    driver_end(&d);
}

static void a_person_completes_a_task(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, PERSON("p", "w") WAIT("w", "end") END("end"));
    start(&d, "{'a':{'x':1}}");
    assert_at(&d, "WAITING p");
    assert_rejected(&d, driver_named(&d, COMMAND_COMPLETE_TASK, "zz", NULL), ST_NOT_FOUND,
                    "user task step 'zz' not found");
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "w", NULL), ST_INVALID);
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "end", NULL), ST_INVALID);
    send(&d, COMMAND_COMPLETE_TASK, "p", "{'a':{'y':2}}");
    assert_data(&d, "{'a':{'y':2}}"); /* Shallow. */
    assert_at(&d, "WAITING w");
    assert_rejected(&d, driver_named(&d, COMMAND_COMPLETE_TASK, "p", NULL), ST_NOT_FOUND,
                    "user task 'p' is not open");
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_at(&d, "COMPLETED");
    assert_rejected(&d, driver_named(&d, COMMAND_COMPLETE_TASK, "p", NULL), ST_CONFLICT,
                    "instance is already COMPLETED");
    /* The type comes before the state. */
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "w", NULL), ST_INVALID);
    driver_end(&d);
}

static void a_signal_needs_somebody_who_waits(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "w") WAIT("w", "p") PERSON("p", "end") END("end"));
    start(&d, NULL);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "zz", NULL), ST_CONFLICT);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "p", NULL), ST_INVALID);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_CONFLICT);
    complete(&d, "a", NULL);
    assert_at(&d, "WAITING w");
    send(&d, COMMAND_SIGNAL, "w", "{'paid':true}");
    assert_data(&d, "{'paid':true}");
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_CONFLICT);
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", NULL), ST_CONFLICT);
    driver_end(&d);
}

static void several_tokens_at_one_wait_are_served_oldest_first(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d,
                 FORK("f", "'w','x'", "j") SET("x", "'k':1", "w") WAIT("w", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    assert_at(&d, "WAITING w");
    assert_int_equal(d.instance->token_count, 2);
    uint32_t oldest = d.instance->token[0].execution;
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_null(instance_find_token(d.instance, oldest));
    assert_at(&d, "WAITING w j");
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void cancel_stops_all_and_keeps_the_places(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','p'", "j") TASK("a", "j")
                         STEP("p", "USER_TASK", NEXT("j") "," TIMERS(TIMER("PT1H", "false", "a")))
                             JOIN("j", "end") END("end"));
    start(&d, NULL);
    uint32_t job = job_of(&d, "a")->number, timer = d.instance->timer[0].number;
    assert_int_equal(
        driver_do(&d, (struct command){ .kind = COMMAND_CANCEL, .as.cancel.reason = STR("not needed") }),
        ST_OK);
    assert_at(&d, "CANCELLED a p");
    assert_failure(&d, "not needed");
    assert_int_equal(d.instance->job_count + d.instance->timer_count, 0);
    assert_int_equal(driver_complete(&d, job, NULL), ST_OK);
    assert_true(d.outcome.unchanged);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = timer }),
                     ST_OK);
    assert_true(d.outcome.unchanged);
    assert_rejected(&d, driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_CONFLICT,
                    "instance is already CANCELLED");
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "a", NULL), ST_CONFLICT,
                    "instance is not FAILED; only failed instances can be retried");
    assert_rows(&d, "f COMPLETED, a FAILED, p FAILED");
    driver_end(&d);
}

static void cancel_needs_no_reason(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHAIN3);
    start(&d, NULL);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    assert_at(&d, "CANCELLED a");
    assert_failure(&d, "");
    driver_end(&d);
}

static void retry_starts_a_failed_task_afresh(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'b','retryCount':1," TIMERS(TIMER("PT1M", "true", "end")))
                         TASK("b", "end") END("end"));
    start(&d, "{'n':1}");
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "a", NULL), ST_CONFLICT,
                    "instance is not FAILED; only failed instances can be retried");
    fail_job(&d, "a", "first", true);
    fail_job(&d, "a", "second", true);
    assert_at(&d, "FAILED a");
    assert_int_equal(d.instance->timer_count, 0);
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "zz", NULL), ST_NOT_FOUND, "step 'zz' not found");
    assert_rejected(&d, driver_named(&d, COMMAND_RETRY, "b", NULL), ST_CONFLICT,
                    "step is not in a retryable state");
    assert_rejected(&d, driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_CONFLICT,
                    "instance is already FAILED");
    d.now_ms += 5000;
    send(&d, COMMAND_RETRY, "a", "{'n':2}");
    assert_at(&d, "ACTIVE a");
    assert_entries(&d, "data forget status enter job_open timer_open park");
    assert_failure(&d, "");
    assert_int_equal(d.instance->ended_ms, 0);
    assert_int_equal(job_of(&d, "a")->retries_left, 1);
    assert_int_equal(job_of(&d, "a")->attempt, 1);
    assert_int_equal(d.instance->timer[0].due_ms, d.now_ms + 60000);
    assert_json(&d, instance_job_payload(d.instance, job_of(&d, "a")), "{'n':2}");
    complete(&d, "a", NULL);
    assert_rows(&d, "a FAILED, a#2 COMPLETED, b RUNNING");
    driver_end(&d);
}

static void retry_can_choose_again_with_better_data(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHOOSE("c", "'n > 1':'end'") END("end"));
    start(&d, "{'n':1}");
    assert_at(&d, "FAILED c");
    send(&d, COMMAND_RETRY, "c", NULL);
    assert_at(&d, "FAILED c");
    send(&d, COMMAND_RETRY, "c", "{'n':2}");
    assert_at(&d, "COMPLETED");
    assert_rows(&d, "c FAILED, c#2 FAILED, c#3 COMPLETED, end COMPLETED");
    driver_end(&d);
}

static void a_retry_goes_on_with_the_other_branches(void **state)
{
    struct driver d;
    (void)state;
    /* The decision fails before the second branch has run. */
    driver_begin(&d, FORK("f", "'c','a'", "j") CHOOSE("c", "'n > 1':'j'") TASK("a", "j") JOIN("j", "end")
                         END("end"));
    start(&d, "{'n':1}");
    assert_at(&d, "FAILED c a");
    assert_int_equal(d.instance->job_count, 0);
    assert_rows(&d, "f COMPLETED, c FAILED, a FAILED");
    send(&d, COMMAND_RETRY, "c", "{'n':2}");
    assert_at(&d, "ACTIVE a j");
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void a_failure_suspends_the_jobs_of_other_branches(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j") TASK("b", "j") JOIN("j", "end") END("end"));
    start(&d, NULL);
    uint32_t other = job_of(&d, "b")->number;
    fail_job(&d, "a", "broken", false);
    assert_at(&d, "FAILED a b");
    assert_int_equal(driver_complete(&d, other, NULL), ST_OK);
    assert_true(d.outcome.unchanged);
    send(&d, COMMAND_RETRY, "a", NULL);
    assert_at(&d, "ACTIVE b a");
    assert_int_equal(driver_complete(&d, other, NULL), ST_OK);
    assert_false(d.outcome.unchanged);
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

/* An object with a large value in as many places. */
static const char *data_of_copies(struct arena *arena, size_t count)
{
    char *large = arena_alloc(arena, SHARED_BYTES_MIN + 1);
    struct buf text;
    memset(large, 'x', SHARED_BYTES_MIN);
    large[SHARED_BYTES_MIN] = 0;
    buf_init(&text, arena);
    for (size_t i = 0; i < count; i++) buf_printf(&text, "%c'v%zu':'%s'", i ? ',' : '{', i, large);
    buf_add(&text, "}", 2);
    return text.p;
}

/* Jobs carry all the data here, and workers have to be able to take them. */
static void each_copy_of_a_large_value_counts(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "end") END("end"));
    d.limits.variables_bytes_max = SHARED_BYTES_MIN * 5 / 4;
    assert_int_equal(driver_start(&d, data_of_copies(&d.arena, 2)), ST_LIMIT);
    start(&d, data_of_copies(&d.arena, 1));
    driver_end(&d);
}

static void variables_stop_at_their_limit(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK("a", "p") PERSON("p", "w") WAIT("w", "s") SET("s", "'big':'${t + t}'", "end")
                         END("end"));
    const char *sample = "{'t':'0123456789012345678901234567890123456789'}";
    d.limits.variables_bytes_max = (int64_t)json_bytes(driver_json(&d, sample));
    d.limits.variables_bytes_max--;
    assert_int_equal(driver_start(&d, sample), ST_LIMIT);
    d.limits.variables_bytes_max++;
    start(&d, sample);
    assert_int_equal(driver_complete(&d, job_of(&d, "a")->number, "{'u':1}"), ST_LIMIT);
    assert_at(&d, "ACTIVE a");
    complete(&d, "a", "{'t':'0123456789012345678901234567890123456788'}");
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "p", "{'u':1}"), ST_LIMIT);
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    assert_int_equal(driver_named(&d, COMMAND_SIGNAL, "w", "{'u':1}"), ST_LIMIT);
    send(&d, COMMAND_SIGNAL, "w", NULL);
    assert_at(&d, "FAILED s");
    assert_int_equal(driver_named(&d, COMMAND_RETRY, "s", "{'u':1}"), ST_LIMIT);
    send(&d, COMMAND_RETRY, "s", "{'t':'0'}");
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void an_instance_whose_numbers_run_out_can_only_be_cancelled(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, CHAIN3);
    start(&d, NULL);
    struct instance old = *d.instance;
    old.next_number = (1u << 27) + 1;
    d.instance = &old;
    assert_int_equal(driver_complete(&d, job_of(&d, "a")->number, NULL), ST_LIMIT);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_CANCEL }), ST_OK);
    driver_end(&d);
}

static void words_of_enums(void **state)
{
    (void)state;
    for (int i = 0; i < COMMAND_COUNT; i++) assert_non_null(core_command_word((enum command_kind)i));
    assert_string_equal(core_command_word(COMMAND_COMPLETE_JOB), "complete_job");
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++) {
        enum instance_status parsed;
        assert_true(instance_status_parse(str_of(instance_status_word((enum instance_status)i)), &parsed));
        assert_int_equal(parsed, i);
        assert_int_equal(instance_status_ended(parsed), i >= INSTANCE_COMPLETED);
    }
    enum instance_status untouched = INSTANCE_FAILED;
    assert_false(instance_status_parse(STR("active"), &untouched));
    assert_int_equal(untouched, INSTANCE_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_tasks_runs_to_its_end),
        cmocka_unit_test(a_start_without_data_has_none),
        cmocka_unit_test(inputs_are_checked_at_the_start),
        cmocka_unit_test(a_worker_result_must_fit_the_outputs),
        cmocka_unit_test(stale_callbacks_change_nothing),
        cmocka_unit_test(a_failed_job_is_retried_with_growing_delays),
        cmocka_unit_test(a_job_that_must_not_be_retried_fails_at_once),
        cmocka_unit_test(long_errors_are_cut_between_characters),
        cmocka_unit_test(a_person_completes_a_task),
        cmocka_unit_test(a_signal_needs_somebody_who_waits),
        cmocka_unit_test(several_tokens_at_one_wait_are_served_oldest_first),
        cmocka_unit_test(cancel_stops_all_and_keeps_the_places),
        cmocka_unit_test(cancel_needs_no_reason),
        cmocka_unit_test(retry_starts_a_failed_task_afresh),
        cmocka_unit_test(retry_can_choose_again_with_better_data),
        cmocka_unit_test(a_retry_goes_on_with_the_other_branches),
        cmocka_unit_test(a_failure_suspends_the_jobs_of_other_branches),
        cmocka_unit_test(each_copy_of_a_large_value_counts),
        cmocka_unit_test(variables_stop_at_their_limit),
        cmocka_unit_test(an_instance_whose_numbers_run_out_can_only_be_cancelled),
        cmocka_unit_test(words_of_enums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
