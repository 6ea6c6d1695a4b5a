/* Two engines on one store whose instances somebody else has locked: each read gives up after a while. */
#include "pair_driver.h"

#include "store/store_int.h"

static struct {
    const struct store_ops *ops;
    const struct node_ops *nodes;
    struct store_ops locked_ops;
    struct node_ops locked_nodes;
    size_t reads; /* That were given up. */
} lock;

static enum status give_up(struct error *err)
{
    lock.reads++;
    return (fail)(err, ST_AGAIN, "store", "canceling statement due to lock timeout");
}

static enum status load_locked(struct store *store, uint64_t id, struct arena *arena,
                               struct instance_row *ret_row, struct error *err)
{
    (void)store, (void)id, (void)arena, (void)ret_row;
    return give_up(err);
}

static enum status load_many_locked(struct store *store, const uint64_t *id, size_t count,
                                    struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                    struct error *err)
{
    (void)store, (void)id, (void)count, (void)arena, (void)ret_row, (void)ret_count;
    return give_up(err);
}

static enum status offered_locked(struct store *store, size_t counted_max, size_t max, struct arena *arena,
                                  struct offered_queue **ret_queue, size_t *ret_count, struct error *err)
{
    (void)store, (void)counted_max, (void)max, (void)arena, (void)ret_queue, (void)ret_count;
    return give_up(err);
}

static void lock_instances(struct driver *driver)
{
    struct store *store = driver->store;
    lock.ops = store->ops;
    lock.nodes = store->nodes;
    lock.reads = 0;
    lock.locked_ops = *lock.ops;
    lock.locked_ops.load_instance = load_locked;
    lock.locked_nodes = *lock.nodes;
    lock.locked_nodes.load_instances = load_many_locked;
    lock.locked_nodes.offered = offered_locked;
    store->ops = &lock.locked_ops;
    store->nodes = &lock.locked_nodes;
}

static void unlock_instances(struct driver *driver)
{
    driver->store->ops = lock.ops;
    driver->store->nodes = lock.nodes;
}

static void deploy(struct pair *pair)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], document("runtime/jobs", "chain"));
    advance(pair, 400);
}

static struct job_view handed_out(struct driver *driver, int64_t lease_ms)
{
    struct call *poll = driver_poll(driver, "w", "ta", 1);
    poll->as.poll.lease_ms = lease_ms;
    driver_run(driver, poll);
    assert_int_equal(poll->value.jobs.count, 1);
    return poll->value.jobs.view[0];
}

static void jobs_are_handed_out_when_the_lock_is_gone(void **state)
{
    enum { JOBS = 5 };
    struct pair *pair = *state;
    struct driver *first = &pair->node[0];
    deploy(pair);
    /* The first one is alone and a poll has found nothing, so it holds the next jobs. */
    leave(pair);
    advance(pair, 400);
    driver_run(first, driver_poll(first, "w", "ta", 1));
    for (int i = 0; i < JOBS; i++) driver_started(first, "chain", NULL);
    assert_int_equal(first->engine.memory.jobs.ready_count, JOBS);
    cache_clear(&first->engine.memory.cache);
    lock_instances(first);
    struct call *poll = driver_poll(first, "v", "ta", JOBS);
    poll->as.poll.wait_ms = 20000;
    driver_run(first, poll);
    assert_int_equal(poll->value.jobs.count, 0);
    assert_int_equal(lock.reads, 1);
    unlock_instances(first);
    driver_advance(first, 2000);
    for (int i = 0; i < JOBS; i++) handed_out(first, 30000);
}

/* Each call would wait as long as the first one. */
static void one_read_of_an_attempt_waits(void **state)
{
    enum { CALLS = 6 };
    struct pair *pair = *state;
    struct driver *second = &pair->node[1];
    struct job_view job[CALLS];
    struct call *call[CALLS];
    struct call_list list = { 0 };
    deploy(pair);
    for (size_t i = 0; i < CALLS; i++) {
        driver_started(&pair->node[0], "chain", NULL);
        job[i] = handed_out(&pair->node[0], 60000);
    }
    advance(pair, 300);
    for (size_t i = 0; i < CALLS; i++) {
        call[i] = driver_call(second, CALL_COMPLETE_JOB);
        call[i]->as.job.id = job_view_id(&job[i]);
        call[i]->as.job.worker = STR("w");
        call_list_add(&list, call[i]);
    }
    lock_instances(second);
    engine_turn(&second->engine, &list);
    unlock_instances(second);
    /* Twice together, then each for itself. */
    assert_in_range(lock.reads, 1, 2 + CALLS * TURNS_AGAIN_MAX);
    driver_turn(second);
    for (size_t i = 0; i < CALLS; i++) {
        assert_true(driver_answered(second, call[i]));
        assert_int_not_equal(call[i]->status, ST_OK);
    }
}

/* It ends at the other node while this one cannot read it. */
static void a_call_that_waits_for_an_instance_is_answered_after_the_lock(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0], *second = &pair->node[1];
    deploy(pair);
    struct call *start = driver_start(second, "chain", NULL);
    start->as.start.wait_ms = 60000;
    driver_submit(second, start);
    advance(pair, 300);
    static const char *const types[] = { "ta", "tb" };
    for (size_t i = 0; i < COUNT(types); i++) {
        struct job_view job = driver_polled(first, "w", types[i]);
        assert_int_equal(driver_complete(first, job, "w", NULL)->status, ST_OK);
    }
    lock_instances(second);
    for (int i = 0; i < 3; i++) driver_advance(second, 200);
    unlock_instances(second);
    assert_true(lock.reads > 0);
    assert_false(driver_answered(second, start));
    for (int i = 0; i < 3; i++) driver_advance(second, 200);
    assert_true(driver_answered(second, start));
    assert_int_equal(start->status, ST_OK);
    assert_int_equal(start->value.instances.view->status, INSTANCE_COMPLETED);
}

/* They do not tell that no jobs wait. */
static void counts_of_offered_jobs_fail_while_they_cannot_be_read(void **state)
{
    struct pair *pair = *state;
    struct driver *first = &pair->node[0];
    deploy(pair);
    lock_instances(first);
    assert_int_equal(driver_run(first, driver_call(first, CALL_OVERVIEW))->status, ST_AGAIN);
    assert_int_equal(driver_run(first, driver_call(first, CALL_WORKERS))->status, ST_AGAIN);
    unlock_instances(first);
    assert_int_equal(driver_run(first, driver_call(first, CALL_OVERVIEW))->status, ST_OK);
    assert_int_equal(driver_run(first, driver_call(first, CALL_WORKERS))->status, ST_OK);
}

int main(void)
{
#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        PAIR_TEST(jobs_are_handed_out_when_the_lock_is_gone),
        PAIR_TEST(one_read_of_an_attempt_waits),
        PAIR_TEST(a_call_that_waits_for_an_instance_is_answered_after_the_lock),
        PAIR_TEST(counts_of_offered_jobs_fail_while_they_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
