/* Boundary timers. */

#include "core/driver.h"

static void a_timer_that_does_not_interrupt_starts_a_second_token(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("p", "USER_TASK", NEXT("end") "," TIMERS(TIMER("PT24H", "false", "escalate")))
                         TASK_WITH("escalate", "'nextStep':'escalated'") END("end") END("escalated"));
    start(&d, NULL);
    assert_int_equal(d.instance->timer[0].due_ms, d.now_ms + 24 * 3600 * 1000);
    fire(&d, "p", 0);
    assert_at(&d, "WAITING p escalate");
    assert_entries(&d, "timer_close enter job_open park");
    assert_int_equal(d.outcome.history.entry[0].value, 1);
    assert_int_equal(d.instance->timer_count, 0);
    size_t count;
    assert_int_equal(driver_rows(&d, &count)[1].from, d.instance->token[0].execution);
    /* The escalation ends the instance; the task's row stays open. */
    complete(&d, "escalate", NULL);
    assert_at(&d, "COMPLETED p");
    assert_rows(&d, "p RUNNING, escalate COMPLETED, escalated COMPLETED");
    driver_end(&d);
}

static void the_parent_can_still_be_completed_after_its_timer(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("p", "USER_TASK", NEXT("end") "," TIMERS(TIMER("PT1H", "false", "x")))
                         TASK("x", "end") END("end"));
    start(&d, NULL);
    fire(&d, "p", 0);
    send(&d, COMMAND_COMPLETE_TASK, "p", NULL);
    assert_at(&d, "COMPLETED x");
    assert_int_equal(d.instance->job_count, 0);
    driver_end(&d);
}

static void an_interrupting_timer_takes_the_token_away(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'end'," TIMERS(TIMER("PT1M", "true", "x") "," TIMER(
                                        "PT2M", "false", "x"))) TASK("x", "end") END("end"));
    start(&d, NULL);
    uint32_t job = job_of(&d, "a")->number;
    uint32_t second = d.instance->timer[1].number;
    fire(&d, "a", 0);
    assert_at(&d, "ACTIVE x");
    assert_entries(&d, "timer_close job_close timer_close interrupt enter job_open park");
    assert_int_equal(d.outcome.history.entry[1].value, JOB_CANCELLED);
    assert_int_equal(driver_complete(&d, job, NULL), ST_OK);
    assert_true(d.outcome.unchanged);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = second }),
                     ST_OK);
    assert_true(d.outcome.unchanged);
    assert_rows(&d, "a FAILED, x RUNNING");
    size_t count;
    const struct execution *row = driver_rows(&d, &count);
    assert_true(str_equal(row[0].failure, STR("interrupted by boundary timer")));
    driver_end(&d);
}

#define BRANCH_END(id) STEP(id, "END", ",'ends':'branch'")

static void an_end_of_a_side_branch_ends_it_alone(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'end'," TIMERS(TIMER("PT1M", "false", "x"))) TASK("x", "over")
                         BRANCH_END("over") END("end"));
    start(&d, NULL);
    fire(&d, "a", 0);
    assert_at(&d, "ACTIVE a x");
    complete(&d, "x", NULL);
    assert_at(&d, "ACTIVE a");
    assert_rows(&d, "a RUNNING, x COMPLETED, over COMPLETED");
    complete(&d, "a", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void the_last_end_of_a_branch_completes_the_instance(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'over'," TIMERS(
                                        TIMER("PT1M", "false", "x") "," TIMER("PT1M", "false", "r")))
                         TASK("x", "over") STEP("r", "SERVICE_TASK", ",'jobType':'r'") BRANCH_END("over"));
    start(&d, NULL);
    fire(&d, "a", 0);
    fire(&d, "a", 1);
    complete(&d, "r", NULL); /* Is done, with nowhere to go: nobody waits for it. */
    complete(&d, "a", NULL);
    assert_at(&d, "ACTIVE x r");
    complete(&d, "x", NULL);
    assert_int_equal(d.instance->status, INSTANCE_COMPLETED);
    driver_end(&d);
}

/* The join waits for the side branch, as for any token in its scope, and does not miss it when it ends. */
static void a_join_does_not_miss_a_side_branch_that_ends(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j")
                         TASK_WITH("a", "'nextStep':'j'," TIMERS(TIMER("PT1M", "false", "x"))) TASK("b", "j")
                             TASK("x", "over") BRANCH_END("over") JOIN("j", "end") END("end"));
    start(&d, NULL);
    fire(&d, "a", 0);
    complete(&d, "a", NULL);
    complete(&d, "b", NULL);
    assert_int_equal(d.instance->status, INSTANCE_ACTIVE);
    complete(&d, "x", NULL);
    assert_at(&d, "COMPLETED");
    driver_end(&d);
}

static void an_interrupted_person_is_not_awaited_any_more(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("p", "USER_TASK", NEXT("end") "," TIMERS(TIMER("PT1M", "true", "x")))
                         TASK("x", "end") END("end"));
    start(&d, NULL);
    assert_at(&d, "WAITING p");
    fire(&d, "p", 0);
    assert_at(&d, "ACTIVE x");
    assert_int_equal(driver_named(&d, COMMAND_COMPLETE_TASK, "p", NULL), ST_NOT_FOUND);
    driver_end(&d);
}

static void several_timers_fire_each_once(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("w", "WAIT",
                          NEXT("end") "," TIMERS(TIMER("PT1M", "false", "x") "," TIMER(
                              "PT2M", "false", "y") "," TIMER("PT3M", "true", "z"))) TASK("x", "end")
                         TASK("y", "end") TASK("z", "end") END("end"));
    start(&d, NULL);
    assert_int_equal(d.instance->timer_count, 3);
    uint32_t first = d.instance->timer[0].number;
    fire(&d, "w", 0);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = first }),
                     ST_OK);
    assert_true(d.outcome.unchanged);
    fire(&d, "w", 1);
    assert_at(&d, "WAITING w x y");
    fire(&d, "w", 2);
    assert_at(&d, "ACTIVE x y z");
    driver_end(&d);
}

static void timers_end_with_their_visit(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'b'," TIMERS(TIMER("PT1M", "true", "end"))) TASK("b", "end")
                         END("end"));
    start(&d, NULL);
    uint32_t timer = d.instance->timer[0].number;
    complete(&d, "a", NULL);
    assert_int_equal(d.instance->timer_count, 0);
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = timer }),
                     ST_OK);
    assert_true(d.outcome.unchanged);
    driver_end(&d);
}

static void retries_of_a_job_do_not_restart_its_timer(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, TASK_WITH("a", "'nextStep':'end','retryCount':2," TIMERS(TIMER("PT1M", "true", "x")))
                         TASK("x", "end") END("end"));
    start(&d, NULL);
    struct timer timer = d.instance->timer[0];
    d.now_ms += 30000;
    fail_job(&d, "a", "once", true);
    assert_memory_equal(&timer, &d.instance->timer[0], sizeof timer);
    fire(&d, "a", 0);
    assert_at(&d, "ACTIVE x");
    driver_end(&d);
}

static void timers_of_a_failed_instance_wait_for_the_retry(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, FORK("f", "'a','b'", "j") TASK("a", "j")
                         TASK_WITH("b", "'nextStep':'j'," TIMERS(TIMER("PT1M", "true", "x"))) TASK("x", "j")
                             JOIN("j", "end") END("end"));
    start(&d, NULL);
    fail_job(&d, "a", "broken", false);
    uint32_t timer = d.instance->timer[0].number;
    assert_int_equal(driver_do(&d, (struct command){ .kind = COMMAND_FIRE_TIMER, .as.timer.number = timer }),
                     ST_OK);
    assert_true(d.outcome.unchanged);
    send(&d, COMMAND_RETRY, "a", NULL);
    fire(&d, "b", 0);
    assert_at(&d, "ACTIVE a x");
    driver_end(&d);
}

static void a_timer_far_away_does_not_overflow(void **state)
{
    struct driver d;
    (void)state;
    driver_begin(&d, STEP("w", "WAIT", NEXT("end") "," TIMERS(TIMER("P7D", "true", "end"))) END("end"));
    d.now_ms = INT64_MAX - 5;
    start(&d, NULL);
    assert_true(d.instance->timer[0].due_ms == INT64_MAX);
    driver_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_that_does_not_interrupt_starts_a_second_token),
        cmocka_unit_test(the_parent_can_still_be_completed_after_its_timer),
        cmocka_unit_test(an_interrupting_timer_takes_the_token_away),
        cmocka_unit_test(an_end_of_a_side_branch_ends_it_alone),
        cmocka_unit_test(the_last_end_of_a_branch_completes_the_instance),
        cmocka_unit_test(a_join_does_not_miss_a_side_branch_that_ends),
        cmocka_unit_test(an_interrupted_person_is_not_awaited_any_more),
        cmocka_unit_test(several_timers_fire_each_once),
        cmocka_unit_test(timers_end_with_their_visit),
        cmocka_unit_test(retries_of_a_job_do_not_restart_its_timer),
        cmocka_unit_test(timers_of_a_failed_instance_wait_for_the_retry),
        cmocka_unit_test(a_timer_far_away_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
