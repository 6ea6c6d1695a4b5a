/* Several commands of one turn on one instance: written once, seen by each other, undone together. */
#include "driver.h"

#include "store/store_int.h"

enum { WIDTH = 4 };

/* The first timer of "timed" leads to where nothing holds, which fails the instance. */
static const char *definition(const char *name) { return document("runtime/loaded", name); }

/* ---- what reaches the store ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t rows, histories;
    bool refuse_late_row; /* The next row that comes without history. */
} seen;

static enum status count_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    if (changeset->instance && !changeset->row_later && !changeset->history.n && seen.refuse_late_row) {
        seen.refuse_late_row = false;
        return (fail)(err, ST_STORE, "store", "a fault");
    }
    seen.rows += changeset->instance && !changeset->row_later;
    seen.histories += changeset->history.n > 0;
    return seen.real->apply(store, changeset, err);
}

static void count_begin(struct driver *driver)
{
    seen.real = driver->store->ops;
    seen.ops = *seen.real;
    seen.ops.apply = count_apply;
    seen.rows = seen.histories = 0;
    driver->store->ops = &seen.ops;
}

static void count_end(struct driver *driver) { driver->store->ops = seen.real; }

/* ---- calls that come together ---- */

static struct call *complete_call(struct driver *driver, const struct job_view *job)
{
    struct call *call = driver_call(driver, CALL_COMPLETE_JOB);
    call->as.job.id = job_view_id(job);
    call->as.job.worker = STR("w");
    return call;
}

static void run_together(struct driver *driver, struct call *const *call, size_t count)
{
    struct call_list list = { 0 };
    for (size_t i = 0; i < count; i++) call_list_add(&list, call[i]);
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    for (size_t i = 0; i < count; i++) assert_true(driver_answered(driver, call[i]));
}

/* Starts the fork and holds its jobs. */
static struct id hold_all(struct driver *driver, struct call **ret_complete)
{
    driver_deploy(driver, definition("forked"));
    struct id id = driver_started(driver, "fork", NULL);
    struct call *poll = driver_run(driver, driver_poll(driver, "w", "t", WIDTH));
    assert_int_equal(poll->value.jobs.count, WIDTH);
    for (size_t i = 0; i < WIDTH; i++) ret_complete[i] = complete_call(driver, &poll->value.jobs.view[i]);
    return id;
}

/* ---- tests ---- */

static void an_instance_is_written_once_for_all_commands_of_a_turn(void **state)
{
    struct driver *driver = *state;
    struct call *complete[WIDTH];
    struct id id = hold_all(driver, complete);
    count_begin(driver);
    run_together(driver, complete, WIDTH - 1);
    count_end(driver);
    assert_int_equal(seen.rows, 1);
    assert_int_equal(seen.histories, WIDTH - 1);
    assert_int_equal(driver->engine.turn.loaded_of.count, 0);
    assert_int_equal(driver_instance(driver, id)->revision, WIDTH);
    driver_check(driver);
    driver_restart(driver);
    driver->now_ms += 30000;
    driver_complete(driver, driver_polled(driver, "w", "t"), "w", NULL);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    driver_check(driver);
}

static void a_command_sees_what_the_one_before_it_did(void **state)
{
    struct driver *driver = *state;
    struct call *call[WIDTH + 1];
    struct id id = hold_all(driver, call);
    call[WIDTH] = complete_call(driver, &(struct job_view){ 0 });
    call[WIDTH]->as.job.id = call[0]->as.job.id; /* Once more. */
    count_begin(driver);
    run_together(driver, call, WIDTH + 1);
    count_end(driver);
    assert_int_equal(seen.histories, WIDTH);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 1);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    driver_check(driver);
}

static void a_business_key_is_taken_and_free_within_a_turn(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("one"));
    struct call *call[3];
    for (size_t i = 0; i < 3; i++) {
        call[i] = driver_start(driver, "one", NULL);
        call[i]->as.start.business_key = STR("k");
    }
    run_together(driver, call, 2);
    assert_int_equal(call[0]->status, ST_OK);
    assert_int_equal(call[1]->status, ST_CONFLICT);
    struct job_view job = driver_polled(driver, "w", "t");
    struct call *again[] = { complete_call(driver, &job), call[2] };
    run_together(driver, again, 2);
    assert_int_equal(call[2]->status, ST_OK);
    driver_check(driver);
}

static void a_late_row_that_cannot_be_written_undoes_the_turn_and_is_tried_again(void **state)
{
    struct driver *driver = *state;
    struct call *complete[WIDTH];
    struct id id = hold_all(driver, complete);
    count_begin(driver);
    seen.refuse_late_row = true;
    run_together(driver, complete, WIDTH - 1);
    count_end(driver);
    for (size_t i = 0; i < WIDTH - 1; i++) assert_int_equal(complete[i]->status, ST_OK);
    assert_int_equal(metric_get(&driver->metrics.stale_callbacks), 0);
    assert_int_equal(driver_instance(driver, id)->revision, WIDTH);
    assert_int_equal(driver->engine.memory.jobs.by_id.count, 1);
    driver_check(driver);
}

static void a_timer_that_was_due_while_its_instance_had_failed_fires_after_a_retry(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("timed"));
    struct id id = driver_started(driver, "timed", "{\"no\":0}");
    driver->now_ms += 5000; /* Both are due, then comes the retry: all in one turn. */
    struct call *retry = driver_call(driver, CALL_RETRY);
    retry->as.instance.id = id;
    retry->as.instance.node = STR("q");
    retry->as.instance.data = driver_json(driver, "{\"no\":1}");
    run_together(driver, &retry, 1);
    if (retry->status != ST_OK) fail_msg("%s", retry->error.message);
    driver_advance(driver, 1);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 2);
    driver_check(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(an_instance_is_written_once_for_all_commands_of_a_turn),
        DRIVER_TEST(a_command_sees_what_the_one_before_it_did),
        DRIVER_TEST(a_business_key_is_taken_and_free_within_a_turn),
        DRIVER_TEST(a_late_row_that_cannot_be_written_undoes_the_turn_and_is_tried_again),
        DRIVER_TEST(a_timer_that_was_due_while_its_instance_had_failed_fires_after_a_retry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
