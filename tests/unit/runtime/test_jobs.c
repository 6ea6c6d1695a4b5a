/* Jobs: offering, leasing, expiring, waiting for them. */
#include "driver.h"

static const char *definition(const char *name) { return document("runtime/jobs", name); }

static void a_chain_runs_to_its_end(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", "{\"x\":1}");
    struct job_view job = driver_polled(driver, "w", "ta");
    assert_true(json_equal(job.data, driver_json(driver, "{\"x\":1}")));
    assert_int_equal(driver_complete(driver, job, "w", "{\"y\":2}")->status, ST_OK);
    job = driver_polled(driver, "w", "tb");
    assert_true(json_equal(job.data, driver_json(driver, "{\"x\":1,\"y\":2}")));
    assert_int_equal(driver_complete(driver, job, "w", NULL)->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver->engine.memory.jobs.by_id.count, 0);
}

static void jobs_that_never_were_are_not_found(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    driver_started(driver, "chain", NULL);
    struct job_view job = driver_polled(driver, "w", "ta");
    job.number = 4000;
    assert_int_equal(driver_complete(driver, job, "w", NULL)->status, ST_NOT_FOUND);
    job.instance = 77;
    assert_int_equal(driver_complete(driver, job, "w", NULL)->status, ST_NOT_FOUND);
}

static void a_waiting_poll_gets_the_job_in_the_turn_that_makes_it(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct call *poll = driver_poll(driver, "w", "ta", 5);
    poll->as.poll.wait_ms = 10000;
    driver_submit(driver, poll);
    assert_false(driver_answered(driver, poll));
    driver_started(driver, "chain", NULL);
    assert_true(driver_answered(driver, poll));
    assert_int_equal(poll->value.jobs.count, 1);
}

static void a_waiting_poll_gives_up_when_its_time_is_over(void **state)
{
    struct driver *driver = *state;
    struct call *poll = driver_poll(driver, "w", "ta", 5);
    poll->as.poll.wait_ms = 10000;
    driver_submit(driver, poll);
    driver_advance(driver, 9999);
    assert_false(driver_answered(driver, poll));
    driver_advance(driver, 1);
    assert_true(driver_answered(driver, poll));
    assert_int_equal(poll->value.jobs.count, 0);
}

static void an_abandoned_poll_takes_no_job(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct call *poll = driver_poll(driver, "gone", "ta", 5);
    poll->as.poll.wait_ms = 10000;
    driver_submit(driver, poll);
    poll->abandoned = true;
    driver_started(driver, "chain", NULL);
    assert_true(driver_answered(driver, poll));
    assert_int_equal(poll->value.jobs.count, 0);
    driver_polled(driver, "w", "ta");
}

static void polls_are_served_in_the_order_they_came(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct call *first = driver_poll(driver, "w1", "ta", 1), *second = driver_poll(driver, "w2", "ta", 1);
    first->as.poll.wait_ms = second->as.poll.wait_ms = 1000;
    driver_submit(driver, first);
    driver_submit(driver, second);
    driver_started(driver, "chain", NULL);
    assert_true(driver_answered(driver, first));
    assert_false(driver_answered(driver, second));
    driver_started(driver, "chain", NULL);
    assert_true(driver_answered(driver, second));
}

static void older_jobs_come_first(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id first = driver_started(driver, "chain", NULL);
    driver->now_ms++;
    driver_started(driver, "chain", NULL);
    assert_int_equal(driver_polled(driver, "w", "ta").instance, first.instance);
}

static void a_retryable_failure_offers_a_new_job_at_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view first = driver_polled(driver, "w", "ta");
    driver_fail(driver, first, "w", true);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_ACTIVE);
    struct job_view second = driver_polled(driver, "w", "ta");
    assert_int_not_equal(second.number, first.number);
    assert_int_equal(second.retries_left, 0);
    assert_int_equal(second.execution, first.execution);
    driver_fail(driver, second, "w", true);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_FAILED);
    assert_true(str_equal(view->failure, STR("broken")));
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "ta", 1))->value.jobs.count, 0);
}

static void a_delayed_retry_is_offered_when_its_delay_is_over(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("slow"));
    driver_started(driver, "slow", NULL);
    driver_fail(driver, driver_polled(driver, "w", "ta"), "w", true);
    driver_advance(driver, 9999);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "ta", 1))->value.jobs.count, 0);
    driver_restart(driver);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "ta", 1))->value.jobs.count, 0);
    driver_advance(driver, 1);
    driver_fail(driver, driver_polled(driver, "w", "ta"), "w", true);
    driver_advance(driver, 19999);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "ta", 1))->value.jobs.count, 0);
    driver_advance(driver, 1);
    driver_polled(driver, "w", "ta");
}

static void jobs_of_cancelled_instances_are_not_offered(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    assert_int_equal(driver_node(driver, CALL_CANCEL, id, "")->status, ST_OK);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "ta", 1))->value.jobs.count, 0);
}

static void a_batch_completes_fails_and_polls(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    driver_started(driver, "chain", NULL);
    driver_started(driver, "chain", NULL);
    struct call *polled = driver_run(driver, driver_poll(driver, "w", "ta", 10));
    assert_int_equal(polled->value.jobs.count, 2);
    struct call *batch = driver_batch(driver, driver_poll(driver, "w", "tb", 10));
    batch->as.batch.item = arena_make_n(&driver->arena, struct call, 3);
    batch->as.batch.item_count = 3;
    for (size_t i = 0; i < 3; i++) {
        batch->as.batch.item[i] =
            *call_new(i == 1 ? CALL_FAIL_JOB : CALL_COMPLETE_JOB, &driver->arena, NULL, NULL);
        batch->as.batch.item[i].as.job.worker = STR("w");
        batch->as.batch.item[i].as.job.text = STR("no");
        batch->as.batch.item[i].as.job.id = job_view_id(&polled->value.jobs.view[i < 2 ? i : 0]);
    }
    batch->as.batch.item[2].as.job.id.number = 99999;
    driver_run(driver, batch);
    assert_int_equal(batch->status, ST_OK);
    assert_int_equal(batch->as.batch.item[0].status, ST_OK);
    assert_int_equal(batch->as.batch.item[1].status, ST_OK);
    assert_int_equal(batch->as.batch.item[2].status, ST_NOT_FOUND);
    assert_int_equal(batch->value.jobs.count, 1);
    assert_true(str_equal(batch->value.jobs.view[0].type, STR("tb")));
}

static void open_jobs_can_be_listed_page_by_page(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    for (int i = 0; i < 5; i++) driver_started(driver, "chain", NULL);
    driver_polled(driver, "holder", "ta");
    size_t seen = 0;
    struct call_cursor cursor = { 0 };
    for (bool more = true; more;) {
        struct call *list = driver_call(driver, CALL_LIST_JOBS);
        list->as.jobs.max = 2;
        list->as.jobs.cursor = cursor;
        driver_run(driver, list);
        assert_int_equal(list->status, ST_OK);
        if (seen == 0) {
            assert_int_equal(list->value.jobs.view[0].state, JOB_LOCKED);
            assert_true(str_equal(list->value.jobs.view[0].worker, STR("holder")));
        }
        seen += list->value.jobs.count;
        cursor = list->as.jobs.cursor;
        more = list->value.jobs.more != 0;
    }
    assert_int_equal(seen, 5);
}

/* Together, an instance's number and a job's are more than 64 bits. */
static void jobs_are_told_apart_however_far_their_instances_are(void **state)
{
    static const uint64_t instance[] = { 5, 5 + (UINT64_C(1) << 36), 5 + (UINT64_C(2) << 36), 6 };
    struct deadlines deadlines = { 0 };
    struct jobs jobs;
    (void)state;
    jobs_init(&jobs, &deadlines);
    for (size_t round = 0; round < COUNT(instance); round++) {
        for (size_t i = 0; i < COUNT(instance); i++)
            for (uint32_t number = 1; number <= 3; number++)
                jobs_add(&jobs, TENANT_DEFAULT, instance[i],
                         &(struct job){ .number = number, .type = STR("t") }, 5, 0);
        assert_int_equal(jobs.ready_count, COUNT(instance) * 3);
        jobs_remove(&jobs, instance[round], 2);
        for (size_t i = 0; i < COUNT(instance); i++) {
            const struct open_job *job = jobs_find(&jobs, instance[i], 2);
            assert_int_equal(job != NULL, i != round);
            assert_true(!job || (job->instance == instance[i] && job->number == 2));
        }
    }
    jobs_done(&jobs);
    deadlines_done(&deadlines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_chain_runs_to_its_end),
        DRIVER_TEST(jobs_that_never_were_are_not_found),
        DRIVER_TEST(a_waiting_poll_gets_the_job_in_the_turn_that_makes_it),
        DRIVER_TEST(a_waiting_poll_gives_up_when_its_time_is_over),
        DRIVER_TEST(an_abandoned_poll_takes_no_job),
        DRIVER_TEST(polls_are_served_in_the_order_they_came),
        DRIVER_TEST(older_jobs_come_first),
        DRIVER_TEST(a_retryable_failure_offers_a_new_job_at_once),
        DRIVER_TEST(a_delayed_retry_is_offered_when_its_delay_is_over),
        DRIVER_TEST(jobs_of_cancelled_instances_are_not_offered),
        DRIVER_TEST(a_batch_completes_fails_and_polls),
        DRIVER_TEST(open_jobs_can_be_listed_page_by_page),
        cmocka_unit_test(jobs_are_told_apart_however_far_their_instances_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
