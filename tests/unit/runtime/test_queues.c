/* Queues of jobs go with their jobs and polls, all but a few; polls that wait have a budget. */
#include "driver.h"

static const char *definition(const char *name) { return document("runtime/queues", name); }

static size_t queues(const struct driver *driver) { return driver->engine.memory.jobs.queues.count; }

/* For as many types as asked for, "q0" and so on from `first`. */
static struct call *poll_many(struct driver *driver, size_t first, size_t count, int64_t wait_ms)
{
    struct call *call = driver_poll(driver, "w", "", 1);
    str *type = arena_make_n(&driver->arena, str, count);
    for (size_t i = 0; i < count; i++) type[i] = arena_printf(&driver->arena, "q%zu", first + i);
    call->as.poll.type = type;
    call->as.poll.type_count = count;
    call->as.poll.wait_ms = wait_ms;
    return call;
}

/* As many queues as are kept, of polls that wait: any other one goes when it is empty. */
static void fill(struct driver *driver)
{
    driver_submit(driver, poll_many(driver, 1000000, QUEUES_KEPT, 3600000));
}

static void a_poll_that_does_not_wait_makes_no_queue(void **state)
{
    struct driver *driver = *state;
    for (size_t i = 0; i < 1000; i++) driver_run(driver, poll_many(driver, i * 10, 10, 0));
    assert_int_equal(queues(driver), 0);
}

static void a_queue_goes_with_its_last_poll(void **state)
{
    struct driver *driver = *state;
    struct call *one = poll_many(driver, 0, 2000, 1000), *two = poll_many(driver, 1000, 2000, 2000);
    driver_submit(driver, one);
    driver_submit(driver, two);
    assert_int_equal(queues(driver), 3000);
    driver_advance(driver, 1000);
    assert_true(driver_answered(driver, one));
    assert_int_equal(queues(driver), 2000);
    driver_advance(driver, 1000);
    assert_true(driver_answered(driver, two));
    assert_int_equal(queues(driver), QUEUES_KEPT);
    assert_int_equal(driver->engine.memory.jobs.waiting_bytes, 0);
}

static void a_queue_goes_with_its_last_job(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("single"));
    fill(driver);
    driver_started(driver, "single", NULL);
    struct id other = driver_started(driver, "single", NULL);
    assert_int_equal(queues(driver), QUEUES_KEPT + 1);
    struct job_view job = driver_polled(driver, "w", "ta");
    assert_int_equal(driver_node(driver, CALL_CANCEL, other, "")->status, ST_OK);
    assert_int_equal(queues(driver), QUEUES_KEPT + 1); /* The other one is leased, and may come back. */
    driver_advance(driver, 30000);
    job = driver_polled(driver, "w", "ta");
    driver_complete(driver, job, "w", NULL);
    assert_int_equal(queues(driver), QUEUES_KEPT);
}

/* The queue is on the list of those that have both while the poll takes the last job away. */
static void a_queue_goes_when_a_waiting_poll_took_its_job(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("single"));
    fill(driver);
    for (int i = 0; i < 3; i++) {
        struct call *poll = driver_poll(driver, "w", "ta", 1);
        poll->as.poll.wait_ms = 1000;
        driver_submit(driver, poll);
        struct id id = driver_started(driver, "single", NULL);
        assert_true(driver_answered(driver, poll));
        assert_int_equal(poll->value.jobs.count, 1);
        if (i == 1) driver_node(driver, CALL_CANCEL, id, "");
        else driver_complete(driver, poll->value.jobs.view[0], "w", NULL);
        assert_int_equal(queues(driver), QUEUES_KEPT);
    }
}

static void a_type_may_be_named_twice(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("single"));
    fill(driver);
    struct call *poll = driver_poll(driver, "w", "ta", 2);
    str *twice = arena_make_n(&driver->arena, str, 3);
    twice[0] = twice[2] = STR("ta");
    twice[1] = STR("tb");
    poll->as.poll.type = twice;
    poll->as.poll.type_count = 3;
    poll->as.poll.wait_ms = 1000;
    driver_submit(driver, poll);
    assert_int_equal(queues(driver), QUEUES_KEPT + 2);
    driver_started(driver, "single", NULL);
    assert_true(driver_answered(driver, poll));
    assert_int_equal(poll->value.jobs.count, 1);
    assert_int_equal(queues(driver), QUEUES_KEPT + 1);
}

/* The poll is refused, and a batch, whose results are committed, just does not wait. */
static void polls_that_wait_have_a_budget(void **state)
{
    struct driver *driver = *state;
    /* They share an arena, which must not grow while they are compared. */
    struct call *poll = poll_many(driver, 0, 2, 1000), *more = poll_many(driver, 0, 2, 1000),
                *again = poll_many(driver, 0, 2, 1000),
                *batch = driver_batch(driver, poll_many(driver, 0, 2, 1000));
    size_t each = polls_wait_bytes(poll);
    driver->engine.limits.polls_bytes_max = (int64_t)(each + each / 2);
    driver_submit(driver, poll);
    assert_int_equal(driver->engine.memory.jobs.waiting_bytes, each);
    assert_int_equal(driver_run(driver, more)->status, ST_OVERLOAD);
    assert_int_equal(driver_run(driver, batch)->status, ST_OK);
    assert_int_equal(metric_get(&driver->metrics.polls_refused), 2);
    driver_advance(driver, 1000);
    assert_true(driver_answered(driver, poll));
    driver_submit(driver, again);
    assert_false(driver_answered(driver, again));
}

/* A request's body lives as long as the request. */
static void the_body_of_a_poll_counts(void **state)
{
    struct driver *driver = *state;
    struct call *poll = poll_many(driver, 0, 1, 1000);
    size_t bytes = polls_wait_bytes(poll);
    poll->kept_bytes = 1 << 20;
    assert_int_equal(polls_wait_bytes(poll), bytes + (1 << 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_poll_that_does_not_wait_makes_no_queue),
        DRIVER_TEST(a_queue_goes_with_its_last_poll),
        DRIVER_TEST(a_queue_goes_with_its_last_job),
        DRIVER_TEST(a_queue_goes_when_a_waiting_poll_took_its_job),
        DRIVER_TEST(a_type_may_be_named_twice),
        DRIVER_TEST(polls_that_wait_have_a_budget),
        DRIVER_TEST(the_body_of_a_poll_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
