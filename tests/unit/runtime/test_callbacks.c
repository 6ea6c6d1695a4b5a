/* Reports of workers on jobs: the first completion of an open job counts, whoever holds it. Failures and
 * extensions count from whom the job is. Whatever else comes is dropped, and remembered. */
#include "driver.h"

#include "base/log.h"

static const char *definition(const char *name) { return document("runtime/callbacks", name); }

static bool has(struct driver *driver, struct id id, const char *name)
{
    return json_get(driver_instance(driver, id)->data, str_of(name)) != NULL;
}

static struct call *extend(struct driver *driver, struct job_view job, const char *worker, int64_t lease_ms)
{
    struct call *call = driver_call(driver, CALL_EXTEND_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = str_of(worker);
    call->as.job.lease_ms = lease_ms;
    return driver_run(driver, call);
}

static struct call *completion(struct driver *driver, struct job_view job, const char *worker)
{
    struct call *call = driver_call(driver, CALL_COMPLETE_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = str_of(worker);
    return call;
}

/* One that was handed out and whose lease has run out `times` times; the last delivery is over, too. */
static struct job_view expired(struct driver *driver, const char *worker, int times)
{
    struct job_view job = { 0 };
    for (int i = 0; i < times; i++) {
        job = driver_polled(driver, worker, "ta");
        driver_advance(driver, 30000);
    }
    return job;
}

/* ---- completions ---- */

static void a_handler_that_outlives_its_lease_finishes(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view first = driver_polled(driver, "w", "ta");
    driver_advance(driver, 29999);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w2", "ta", 1))->value.jobs.count, 0);
    driver_advance(driver, 30001);
    assert_int_equal(driver_complete(driver, first, "w", "{\"late\":1}")->status, ST_OK);
    assert_true(has(driver, id, "late"));
    assert_int_equal(metric_get(&driver->metrics.late_completions), 1);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 0);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w2", "ta", 1))->value.jobs.count, 0);
    driver_polled(driver, "w", "tb");
}

static void a_completion_counts_although_another_worker_holds_the_job(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view first = expired(driver, "w1", 1);
    struct job_view second = driver_polled(driver, "w2", "ta");
    assert_int_equal(second.number, first.number);
    assert_int_not_equal(second.delivery, first.delivery);
    assert_int_equal(second.retries_left, first.retries_left);
    driver_complete(driver, first, "w1", "{\"first\":1}");
    assert_int_equal(driver->engine.memory.jobs.leased_count, 0);
    assert_int_equal(driver->engine.memory.deadlines.count, 0);
    uint32_t revision = driver_instance(driver, id)->revision;
    assert_int_equal(driver_complete(driver, second, "w2", "{\"second\":1}")->status, ST_OK);
    driver_fail(driver, second, "w2", false);
    assert_int_equal(driver_instance(driver, id)->revision, revision);
    assert_true(has(driver, id, "first"));
    assert_false(has(driver, id, "second"));
    assert_int_equal(metric_get(&driver->metrics.late_completions), 1);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 2);
}

static void anybody_may_complete_an_open_job(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view job = driver_polled(driver, "w1", "ta");
    driver_complete(driver, job, "w2", "{\"other\":1}");
    assert_true(has(driver, id, "other"));
    driver_complete(driver, job, "w1", "{\"own\":1}");
    assert_false(has(driver, id, "own"));
}

static void a_second_completion_changes_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view job = driver_polled(driver, "w", "ta");
    driver_complete(driver, job, "w", "{\"n\":1}");
    uint32_t revision = driver_instance(driver, id)->revision;
    assert_int_equal(driver_complete(driver, job, "w", "{\"n\":2}")->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->revision, revision);
}

/* The job of an attempt that failed is closed. */
static void a_completion_of_an_earlier_attempt_changes_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view first = driver_polled(driver, "w", "ta");
    driver_fail(driver, first, "w", true);
    driver_complete(driver, first, "w", "{\"old\":1}");
    assert_false(has(driver, id, "old"));
    struct job_view second = driver_polled(driver, "w", "ta");
    driver_complete(driver, first, "w", "{\"old\":1}");
    assert_false(has(driver, id, "old"));
    driver_complete(driver, second, "w", "{\"new\":1}");
    assert_true(has(driver, id, "new"));
}

/* Deliveries are counted from 0 again, and a worker may have had a later one. */
static void a_completion_from_before_a_restart_counts(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view job = expired(driver, "w", 3);
    assert_int_equal(job.delivery, 2);
    driver_restart(driver);
    driver_polled(driver, "w2", "ta");
    driver_complete(driver, job, "w", "{\"survived\":1}");
    assert_true(has(driver, id, "survived"));
    assert_int_equal(driver->engine.memory.jobs.leased_count, 0);
}

/* A lease that is over leaves the job to polls of the same turn; what is done goes first. */
static void a_late_completion_comes_before_a_poll_of_the_same_turn(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    for (int restart = 0; restart < 2; restart++) {
        struct id id = driver_started(driver, "chain", NULL);
        struct job_view job = driver_polled(driver, "a", "ta");
        if (restart) driver_restart(driver);
        else driver->now_ms += 30000;
        struct call *report = completion(driver, job, "a");
        struct call *poll = driver_poll(driver, "b", "ta", 1);
        struct call *reserved = driver_poll(driver, "b", performer_queue(PERFORM_HTTP, STR_NONE).p, 1);
        struct call_list list = { 0 };
        call_list_add(&list, poll);
        call_list_add(&list, reserved);
        call_list_add(&list, report);
        engine_turn(&driver->engine, &list);
        driver_turn(driver);
        assert_int_equal(poll->value.jobs.count, 0);
        assert_int_equal(reserved->status, ST_INVALID);
        assert_int_equal(report->status, ST_OK);
        assert_int_equal(driver_instance(driver, id)->revision, 2);
    }
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 0);
}

static void of_two_completions_in_one_turn_the_first_counts(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view old = expired(driver, "w1", 1), new = driver_polled(driver, "w2", "ta");
    struct call *first = completion(driver, old, "w1"), *second = completion(driver, new, "w2");
    first->as.job.data = driver_json(driver, "{\"first\":1}");
    second->as.job.data = driver_json(driver, "{\"second\":1}");
    struct call_list list = { 0 };
    call_list_add(&list, first);
    call_list_add(&list, second);
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    assert_true(has(driver, id, "first"));
    assert_false(has(driver, id, "second"));
    assert_int_equal(driver->engine.memory.deadlines.count, 0);
}

static void late_results_of_a_batch_count_each_for_itself(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id[3];
    for (int i = 0; i < 3; i++) id[i] = driver_started(driver, "chain", NULL);
    struct call *polled = driver_run(driver, driver_poll(driver, "w", "ta", 3));
    driver_advance(driver, 30000);
    struct call *batch = driver_batch(driver, driver_poll(driver, "w", "ta", 3));
    batch->as.batch.item = arena_make_n(&driver->arena, struct call, 3);
    batch->as.batch.item_count = 3;
    for (size_t i = 0; i < 3; i++) {
        batch->as.batch.item[i] =
            *call_new(i == 1 ? CALL_FAIL_JOB : CALL_COMPLETE_JOB, &driver->arena, NULL, NULL);
        batch->as.batch.item[i].as.job.worker = STR("w");
        batch->as.batch.item[i].as.job.id = job_view_id(&polled->value.jobs.view[i]);
    }
    driver_run(driver, batch);
    assert_int_equal(batch->status, ST_OK);
    assert_int_equal(metric_get(&driver->metrics.late_completions), 2);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 1);
    assert_int_equal(batch->value.jobs.count, 1); /* The one that was said to have failed is offered again. */
    assert_int_equal(batch->value.jobs.view[0].instance, polled->value.jobs.view[1].instance);
    for (size_t i = 0; i < 3; i++) assert_int_equal(driver_instance(driver, id[i])->revision, i == 1 ? 1 : 2);
}

/* Its id was never handed out, but lists show it. */
static void a_job_that_waits_for_its_delay_can_be_completed(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("slow"));
    struct id id = driver_started(driver, "slow", NULL);
    driver_fail(driver, driver_polled(driver, "w", "ta"), "w", true);
    struct call *list = driver_call(driver, CALL_LIST_JOBS);
    list->as.jobs.max = 1;
    driver_run(driver, list);
    assert_int_equal(list->value.jobs.view[0].state, JOB_DELAYED);
    driver_complete(driver, list->value.jobs.view[0], "w", NULL);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver->engine.memory.deadlines.count, 0);
    assert_int_equal(driver->engine.memory.jobs.by_id.count, 0);
}

/* A failed instance's other jobs cannot be reached; a retry opens them again. */
static void a_job_is_open_again_as_soon_as_its_instance_is_retried(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("forked"));
    struct id id = driver_started(driver, "forked", NULL);
    struct job_view a = driver_polled(driver, "w", "ta"), b = driver_polled(driver, "w", "tb");
    driver_fail(driver, b, "w", false);
    driver_complete(driver, a, "w", "{\"early\":1}");
    assert_false(has(driver, id, "early"));
    struct call *retry = driver_call(driver, CALL_RETRY), *done = completion(driver, a, "w");
    retry->as.instance.id = id;
    retry->as.instance.node = STR("b");
    done->as.job.data = driver_json(driver, "{\"again\":1}");
    struct call_list list = { 0 };
    call_list_add(&list, retry);
    call_list_add(&list, done);
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    assert_int_equal(retry->status, ST_OK);
    assert_true(has(driver, id, "again"));
    assert_int_equal(driver->engine.memory.jobs.by_id.count, 1);
}

/* ---- failures, extensions ---- */

static void a_failure_counts_only_from_the_holder(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view old = expired(driver, "w", 1);
    driver_fail(driver, old, "w", false); /* Nobody has it. */
    struct job_view job = driver_polled(driver, "w", "ta");
    driver_fail(driver, old, "w", false);
    driver_fail(driver, job, "w2", false);
    assert_int_equal(driver_instance(driver, id)->revision, 1);
    assert_int_equal(metric_get(&driver->metrics.job_lock_conflicts), 3);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 3);
    driver_fail(driver, job, "w", false);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
}

static void a_failure_from_before_a_restart_counts_only_under_the_current_number(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view first = driver_polled(driver, "w", "ta");
    driver_advance(driver, 30000);
    struct job_view second = driver_polled(driver, "w", "ta");
    driver_restart(driver);
    driver_fail(driver, second, "w", false);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_ACTIVE);
    driver_fail(driver, first, "w", false);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
}

static void a_lease_can_be_extended_by_its_holder(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    driver_started(driver, "chain", NULL);
    struct job_view job = driver_polled(driver, "w", "ta");
    driver_advance(driver, 20000);
    struct call *call = extend(driver, job, "w", 60000);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.jobs.view[0].lock_expires_ms, driver->now_ms + 60000);
    driver_advance(driver, 59999);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w2", "ta", 1))->value.jobs.count, 0);
    assert_int_equal(extend(driver, job, "w2", 0)->status, ST_CONFLICT);
}

static void an_extension_that_comes_too_late_changes_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view old = expired(driver, "w", 1);
    struct call *call = extend(driver, old, "w", 0); /* Nobody has it. */
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.jobs.count, 0);
    struct job_view job = driver_polled(driver, "w", "ta");
    assert_int_equal(extend(driver, old, "w", 90000)->value.jobs.count, 0);
    assert_int_equal(driver->engine.memory.deadlines.count, 1);
    assert_int_equal(deadlines_first(&driver->engine.memory.deadlines)->at_ms, driver->now_ms + 30000);
    driver_complete(driver, job, "w", NULL);
    call = extend(driver, job, "w", 0);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.jobs.count, 0);
    assert_int_equal(driver_node(driver, CALL_CANCEL, id, "")->status, ST_OK);
    assert_int_equal(extend(driver, job, "w", 0)->value.jobs.count, 0);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 4);
}

/* Only after a restart can a worker know a job that nobody holds under its current number. */
static void a_lock_that_nobody_holds_cannot_be_extended(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    driver_started(driver, "chain", NULL);
    struct job_view job = driver_polled(driver, "w", "ta");
    driver_restart(driver);
    assert_int_equal(extend(driver, job, "w", 0)->status, ST_CONFLICT);
    assert_int_equal(driver->engine.memory.jobs.leased_count, 0);
}

/* The number of a delivery is a byte. */
static void deliveries_beyond_the_last_number_begin_anew(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view last = expired(driver, "w", 256);
    assert_int_equal(last.delivery, 255);
    struct job_view job = driver_polled(driver, "w2", "ta");
    assert_int_equal(job.delivery, 0);
    driver_fail(driver, last, "w", false);
    assert_int_equal(driver_instance(driver, id)->revision, 1);
    driver_complete(driver, last, "w", "{\"last\":1}");
    assert_true(has(driver, id, "last"));
}

/* ---- what is remembered of those that were dropped ---- */

static void a_dropped_callback_is_shown_with_its_reason(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL), other = driver_started(driver, "chain", NULL);
    struct job_view old = expired(driver, "w", 1);
    assert_int_equal(driver_get(driver, CALL_EXPLAIN, id)->value.instances.callback_count, 0);
    driver_fail(driver, old, "w", true);
    driver->now_ms++;
    struct job_view job = driver_polled(driver, "w2", "ta");
    driver_fail(driver, job, "w3", true);
    driver_complete(driver, job, "w2", NULL);
    driver_complete(driver, job, "w2", NULL);
    driver_node(driver, CALL_CANCEL, id, "");
    extend(driver, job, "w2", 0);
    static const struct {
        enum call_kind kind;
        enum callback_drop why;
        const char *worker;
    } want[] = { { CALL_EXTEND_JOB, CALLBACK_ENDED, "w2" },
                 { CALL_COMPLETE_JOB, CALLBACK_CLOSED, "w2" },
                 { CALL_FAIL_JOB, CALLBACK_HELD, "w3" },
                 { CALL_FAIL_JOB, CALLBACK_EXPIRED, "w" } };
    struct call *explained = driver_get(driver, CALL_EXPLAIN, id);
    assert_int_equal(explained->value.instances.callback_count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        const struct callback_view *view = &explained->value.instances.callback[i];
        assert_int_equal(view->kind, want[i].kind);
        assert_int_equal(view->why, want[i].why);
        assert_true(str_equal(view->worker, str_of(want[i].worker)));
        assert_int_equal(view->job.number, old.number);
        assert_true(*callback_drop_word(view->why) && *callback_drop_meaning(view->why));
    }
    assert_int_equal(explained->value.instances.callback[3].at_ms, driver->now_ms - 1);
    assert_int_equal(driver_get(driver, CALL_EXPLAIN, other)->value.instances.callback_count, 0);
}

static void only_the_latest_dropped_callbacks_are_remembered(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    struct id id = driver_started(driver, "chain", NULL);
    struct job_view job = driver_polled(driver, "w", "ta");
    driver_complete(driver, job, "w", NULL);
    for (size_t i = 0; i < CALLBACKS_SHOWN + 5; i++) driver_complete(driver, job, "w", NULL);
    assert_int_equal(driver_get(driver, CALL_EXPLAIN, id)->value.instances.callback_count, CALLBACKS_SHOWN);
    struct id noisy = driver_started(driver, "chain", NULL);
    struct job_view other = driver_polled(driver, "w", "ta");
    driver_complete(driver, other, "w", NULL);
    for (size_t i = 0; i < CALLBACKS_KEPT; i++) driver_complete(driver, other, "w", NULL);
    assert_int_equal(driver_get(driver, CALL_EXPLAIN, id)->value.instances.callback_count, 0);
    assert_int_equal(driver_get(driver, CALL_EXPLAIN, noisy)->value.instances.callback_count,
                     CALLBACKS_SHOWN);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), CALLBACKS_SHOWN + 5 + CALLBACKS_KEPT);
}

static void the_engine_says_how_long_a_lease_is_if_the_worker_does_not(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("chain"));
    driver_started(driver, "chain", NULL);
    driver->engine.lease_ms = 5000;
    struct job_view job = driver_polled(driver, "w", "ta");
    assert_int_equal(job.lock_expires_ms, driver->now_ms + 5000);
    assert_int_equal(extend(driver, job, "w", 0)->value.jobs.view->lock_expires_ms, driver->now_ms + 5000);
    assert_int_equal(extend(driver, job, "w", 1)->value.jobs.view->lock_expires_ms, driver->now_ms + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_handler_that_outlives_its_lease_finishes),
        DRIVER_TEST(a_completion_counts_although_another_worker_holds_the_job),
        DRIVER_TEST(anybody_may_complete_an_open_job),
        DRIVER_TEST(a_second_completion_changes_nothing),
        DRIVER_TEST(a_completion_of_an_earlier_attempt_changes_nothing),
        DRIVER_TEST(a_completion_from_before_a_restart_counts),
        DRIVER_TEST(a_late_completion_comes_before_a_poll_of_the_same_turn),
        DRIVER_TEST(of_two_completions_in_one_turn_the_first_counts),
        DRIVER_TEST(late_results_of_a_batch_count_each_for_itself),
        DRIVER_TEST(a_job_that_waits_for_its_delay_can_be_completed),
        DRIVER_TEST(a_job_is_open_again_as_soon_as_its_instance_is_retried),
        DRIVER_TEST(a_failure_counts_only_from_the_holder),
        DRIVER_TEST(a_failure_from_before_a_restart_counts_only_under_the_current_number),
        DRIVER_TEST(a_lease_can_be_extended_by_its_holder),
        DRIVER_TEST(an_extension_that_comes_too_late_changes_nothing),
        DRIVER_TEST(a_lock_that_nobody_holds_cannot_be_extended),
        DRIVER_TEST(deliveries_beyond_the_last_number_begin_anew),
        DRIVER_TEST(a_dropped_callback_is_shown_with_its_reason),
        DRIVER_TEST(only_the_latest_dropped_callbacks_are_remembered),
        DRIVER_TEST(the_engine_says_how_long_a_lease_is_if_the_worker_does_not),
    };
    log_set_level(LOG_OFF);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
