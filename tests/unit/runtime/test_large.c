/* Two engines on one store whose instances are too large to be read together. */
#include "pair_driver.h"

#include "store/limits.h"

enum { LARGE = 1000000, INSTANCES = LOADED_BYTES_MAX / LARGE + 4 };

/* Starts them at the node. A worker takes the job of each there. */
static void hand_out_large(struct driver *driver, int64_t lease_ms, struct job_view job[INSTANCES])
{
    char *data = arena_alloc(&driver->arena, LARGE + 32);
    int head = sprintf(data, "{\"text\":\"");
    memset(data + head, 'x', LARGE);
    strcpy(data + head + LARGE, "\"}");
    for (size_t i = 0; i < INSTANCES; i++) {
        driver_started(driver, "chain", data);
        struct call *poll = driver_poll(driver, "w", "ta", 1);
        poll->as.poll.lease_ms = lease_ms;
        driver_run(driver, poll);
        assert_int_equal(poll->value.jobs.count, 1);
        job[i] = poll->value.jobs.view[0];
    }
}

static void deploy(struct pair *pair)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], document("runtime/jobs", "chain"));
    advance(pair, 400);
}

static void all_jobs_of_a_dead_node_are_offered(void **state)
{
    struct pair *pair = *state;
    struct job_view job[INSTANCES];
    deploy(pair);
    hand_out_large(&pair->node[1], 60000, job);
    for (int i = 0; i < 30; i++) driver_advance(&pair->node[0], 100); /* The other one has no turns. */
    assert_int_equal(metric_get(&pair->node[0].metrics.jobs_taken_over), INSTANCES);
    for (size_t i = 0; i < INSTANCES; i++) driver_polled(&pair->node[0], "other", "ta");
}

/* Their leases run out at once at a node that does not know yet that one of them is completed. */
static void jobs_are_offered_again_but_for_one_that_was_completed_elsewhere(void **state)
{
    struct pair *pair = *state;
    struct job_view job[INSTANCES];
    deploy(pair);
    hand_out_large(&pair->node[0], 1000, job);
    advance(pair, 300); /* The other one is told. */
    size_t last = INSTANCES - 1;
    assert_int_equal(driver_complete(&pair->node[1], job[last], "w", NULL)->status, ST_OK);
    pair->node[0].now_ms += 1100;
    for (int i = 0; i < INSTANCES; i++) driver_turn(&pair->node[0]);
    pair->node[1].now_ms = pair->node[0].now_ms;
    for (size_t i = 0; i < last; i++) driver_polled(&pair->node[1], "other", "ta");
    assert_int_equal(
        driver_run(&pair->node[1], driver_poll(&pair->node[1], "other", "ta", 1))->value.jobs.count, 0);
}

/* The calls of one turn name them all. */
static void one_turn_completes_jobs_of_all_of_them(void **state)
{
    struct pair *pair = *state;
    struct job_view job[INSTANCES];
    struct call *call[INSTANCES];
    struct driver *second = &pair->node[1];
    deploy(pair);
    hand_out_large(&pair->node[0], 60000, job);
    advance(pair, 300);
    for (size_t i = 0; i < INSTANCES; i++) {
        call[i] = driver_call(second, CALL_COMPLETE_JOB);
        call[i]->as.job.id = job_view_id(&job[i]);
        call[i]->as.job.worker = STR("w");
        driver_submit(second, call[i]);
    }
    for (int i = 0; i < INSTANCES; i++) driver_turn(second);
    for (size_t i = 0; i < INSTANCES; i++) {
        assert_true(driver_answered(second, call[i]));
        assert_int_equal(call[i]->status, ST_OK);
    }
}

int main(void)
{
#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        PAIR_TEST(all_jobs_of_a_dead_node_are_offered),
        PAIR_TEST(jobs_are_offered_again_but_for_one_that_was_completed_elsewhere),
        PAIR_TEST(one_turn_completes_jobs_of_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
