/* Activity: the counts and polls of the last hour that the engine remembers. */
#include "runtime/memory/activity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { MINUTE = ACTIVITY_MINUTE_MS };
static const int64_t noon = INT64_C(1767268800000); /* 2026-01-01T12:00:00Z */

static struct metrics metrics;
static struct activity activity;

static int setup(void **state)
{
    (void)state;
    metrics = (struct metrics){ 0 };
    activity_init(&activity, &metrics, noon);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    activity_done(&activity);
    return 0;
}

static uint64_t started(size_t minutes_ago)
{
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t known;
    activity_minutes(&activity, minute, &known);
    return minute[ACTIVITY_MINUTES - 1 - minutes_ago].count[ACTIVITY_STARTED];
}

static size_t known(void)
{
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t count;
    activity_minutes(&activity, minute, &count);
    return count;
}

static void counts_belong_to_the_minute_in_which_they_happened(void **state)
{
    (void)state;
    metric_add(&metrics.instances_started, 3);
    assert_int_equal(started(0), 3);
    assert_int_equal(known(), 1);
    activity_tick(&activity, noon + MINUTE);
    assert_int_equal(started(0), 0);
    assert_int_equal(started(1), 3);
    metric_add(&metrics.instances_started, 2);
    activity_tick(&activity, noon + 4 * MINUTE); /* Nothing ran for two minutes. */
    assert_int_equal(started(1), 0);
    assert_int_equal(started(2), 0);
    assert_int_equal(started(3), 2);
    assert_int_equal(started(4), 3);
    assert_int_equal(known(), 5);
}

static void what_is_older_than_an_hour_is_gone(void **state)
{
    (void)state;
    metric_add(&metrics.instances_started, 1);
    for (int i = 1; i <= ACTIVITY_MINUTES - 1; i++) activity_tick(&activity, noon + i * MINUTE);
    assert_int_equal(started(ACTIVITY_MINUTES - 1), 1);
    assert_int_equal(known(), ACTIVITY_MINUTES);
    activity_tick(&activity, noon + ACTIVITY_MINUTES * MINUTE);
    for (size_t i = 0; i < ACTIVITY_MINUTES; i++) assert_int_equal(started(i), 0);
    metric_add(&metrics.instances_started, 1);
    activity_tick(&activity, noon + 10 * 60 * MINUTE); /* A long sleep. */
    for (size_t i = 0; i < ACTIVITY_MINUTES; i++) assert_int_equal(started(i), 0);
}

static void a_clock_that_is_set_back_begins_anew(void **state)
{
    (void)state;
    activity_tick(&activity, noon + 3 * MINUTE);
    metric_add(&metrics.instances_started, 1);
    activity_tick(&activity, noon - 60 * MINUTE);
    assert_int_equal(known(), 1);
    assert_int_equal(started(0), 0);
    metric_add(&metrics.instances_started, 1);
    activity_tick(&activity, noon - 59 * MINUTE);
    assert_int_equal(started(1), 1);
}

static void the_95th_of_a_hundred_is_told(void **state)
{
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t count;
    (void)state;
    for (int i = 0; i < 96; i++)
        metric_observe(&metrics.transaction, 900); /* In the bucket from 500 to 1000. */
    for (int i = 0; i < 4; i++) metric_observe(&metrics.transaction, INT64_C(9000000));
    activity_minutes(&activity, minute, &count);
    assert_in_range(minute[ACTIVITY_MINUTES - 1].commit_us, 900, 1000);
    assert_int_equal(minute[ACTIVITY_MINUTES - 1].wait_us, 0); /* There was none. */
    for (int i = 0; i < 100; i++) metric_observe(&metrics.transaction, INT64_MAX);
    activity_minutes(&activity, minute, &count);
    assert_int_equal(minute[ACTIVITY_MINUTES - 1].commit_us, metric_bounds_us[HISTOGRAM_BUCKETS - 1]);
}

static void jobs_are_counted_by_type_for_an_hour(void **state)
{
    (void)state;
    activity_job(&activity, STR("pdf"), false, 0, noon);
    activity_job(&activity, STR("pdf"), true, 0, noon + 30 * MINUTE);
    activity_job(&activity, STR("mail"), false, 0, noon);
    const struct activity_type *type = text_map_get(&activity.types, STR("pdf"));
    struct activity_jobs jobs = activity_jobs_of(type, noon + 54 * MINUTE);
    assert_int_equal(jobs.done, 1);
    assert_int_equal(jobs.failed, 1);
    jobs = activity_jobs_of(type, noon + 61 * MINUTE);
    assert_int_equal(jobs.done, 0);
    assert_int_equal(jobs.failed, 1);
    activity_job(&activity, STR("pdf"), false, 0, noon + 10 * 60 * MINUTE);
    jobs = activity_jobs_of(type, noon + 10 * 60 * MINUTE);
    assert_int_equal(jobs.done, 1);
    assert_int_equal(jobs.failed, 0);
    activity_tick(&activity, noon + 10 * 60 * MINUTE);
    assert_null(text_map_get(&activity.types, STR("mail"))); /* No poll has asked for it since. */
    assert_non_null(text_map_get(&activity.types, STR("pdf")));
}

static void of_many_workers_the_latest_are_remembered(void **state)
{
    (void)state;
    for (int i = 0; i <= ACTIVITY_WORKERS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        activity_poll(&activity, STR("pdf"), str_of(name), noon + i);
        activity_poll(&activity, STR("pdf"), STR("w0"), noon + i); /* It polls all the time. */
    }
    const struct activity_type *type = text_map_get(&activity.types, STR("pdf"));
    assert_int_equal(type->worker_count, ACTIVITY_WORKERS_MAX);
    bool first = false, second = false, last = false;
    for (size_t i = 0; i < type->worker_count; i++) {
        first |= str_equal(type->worker[i].name, STR("w0"));
        second |= str_equal(type->worker[i].name, STR("w1"));
        last |= str_equal(type->worker[i].name, STR("w20"));
    }
    assert_true(first && last && !second);
}

static void types_are_bounded(void **state)
{
    (void)state;
    for (int i = 0; i <= ACTIVITY_TYPES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "type%d", i);
        activity_job(&activity, str_of(name), false, 0, noon);
    }
    assert_int_equal(activity.types.count, ACTIVITY_TYPES_MAX);
}

#define activity_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        activity_test(counts_belong_to_the_minute_in_which_they_happened),
        activity_test(what_is_older_than_an_hour_is_gone),
        activity_test(a_clock_that_is_set_back_begins_anew),
        activity_test(the_95th_of_a_hundred_is_told),
        activity_test(jobs_are_counted_by_type_for_an_hour),
        activity_test(of_many_workers_the_latest_are_remembered),
        activity_test(types_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
