/* What the engine remembers of the last hour. */
#include "runtime/memory/pulse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { MINUTE = PULSE_MINUTE_MS };
static const int64_t noon = INT64_C(1767268800000); /* 2026-01-01T12:00:00Z */

static struct metrics metrics;
static struct pulse pulse;

static int setup(void **state)
{
    (void)state;
    metrics = (struct metrics){ 0 };
    pulse_init(&pulse, &metrics, noon);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pulse_done(&pulse);
    return 0;
}

static uint64_t started(size_t minutes_ago)
{
    struct pulse_minute minute[PULSE_MINUTES];
    size_t known;
    pulse_minutes(&pulse, minute, &known);
    return minute[PULSE_MINUTES - 1 - minutes_ago].count[PULSE_STARTED];
}

static size_t known(void)
{
    struct pulse_minute minute[PULSE_MINUTES];
    size_t count;
    pulse_minutes(&pulse, minute, &count);
    return count;
}

static void counts_belong_to_the_minute_in_which_they_happened(void **state)
{
    (void)state;
    metric_add(&metrics.instances_started, 3);
    assert_int_equal(started(0), 3);
    assert_int_equal(known(), 1);
    pulse_tick(&pulse, noon + MINUTE);
    assert_int_equal(started(0), 0);
    assert_int_equal(started(1), 3);
    metric_add(&metrics.instances_started, 2);
    pulse_tick(&pulse, noon + 4 * MINUTE); /* Nothing ran for two minutes. */
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
    for (int i = 1; i <= PULSE_MINUTES - 1; i++) pulse_tick(&pulse, noon + i * MINUTE);
    assert_int_equal(started(PULSE_MINUTES - 1), 1);
    assert_int_equal(known(), PULSE_MINUTES);
    pulse_tick(&pulse, noon + PULSE_MINUTES * MINUTE);
    for (size_t i = 0; i < PULSE_MINUTES; i++) assert_int_equal(started(i), 0);
    metric_add(&metrics.instances_started, 1);
    pulse_tick(&pulse, noon + 10 * 60 * MINUTE); /* A long sleep. */
    for (size_t i = 0; i < PULSE_MINUTES; i++) assert_int_equal(started(i), 0);
}

static void a_clock_that_is_set_back_begins_anew(void **state)
{
    (void)state;
    pulse_tick(&pulse, noon + 3 * MINUTE);
    metric_add(&metrics.instances_started, 1);
    pulse_tick(&pulse, noon - 60 * MINUTE);
    assert_int_equal(known(), 1);
    assert_int_equal(started(0), 0);
    metric_add(&metrics.instances_started, 1);
    pulse_tick(&pulse, noon - 59 * MINUTE);
    assert_int_equal(started(1), 1);
}

static void the_95th_of_a_hundred_is_told(void **state)
{
    struct pulse_minute minute[PULSE_MINUTES];
    size_t count;
    (void)state;
    for (int i = 0; i < 96; i++)
        metric_observe(&metrics.transaction, 900); /* In the bucket from 500 to 1000. */
    for (int i = 0; i < 4; i++) metric_observe(&metrics.transaction, INT64_C(9000000));
    pulse_minutes(&pulse, minute, &count);
    assert_in_range(minute[PULSE_MINUTES - 1].commit_us, 900, 1000);
    assert_int_equal(minute[PULSE_MINUTES - 1].wait_us, 0); /* There was none. */
    for (int i = 0; i < 100; i++) metric_observe(&metrics.transaction, INT64_MAX);
    pulse_minutes(&pulse, minute, &count);
    assert_int_equal(minute[PULSE_MINUTES - 1].commit_us, metric_bounds_us[HISTOGRAM_BUCKETS - 1]);
}

static void jobs_are_counted_by_type_for_an_hour(void **state)
{
    (void)state;
    pulse_job(&pulse, STR("pdf"), false, noon);
    pulse_job(&pulse, STR("pdf"), true, noon + 30 * MINUTE);
    pulse_job(&pulse, STR("mail"), false, noon);
    const struct pulse_type *type = text_map_get(&pulse.types, STR("pdf"));
    struct pulse_jobs jobs = pulse_jobs_of(type, noon + 54 * MINUTE);
    assert_int_equal(jobs.done, 1);
    assert_int_equal(jobs.failed, 1);
    jobs = pulse_jobs_of(type, noon + 61 * MINUTE);
    assert_int_equal(jobs.done, 0);
    assert_int_equal(jobs.failed, 1);
    pulse_job(&pulse, STR("pdf"), false, noon + 10 * 60 * MINUTE);
    jobs = pulse_jobs_of(type, noon + 10 * 60 * MINUTE);
    assert_int_equal(jobs.done, 1);
    assert_int_equal(jobs.failed, 0);
    pulse_tick(&pulse, noon + 10 * 60 * MINUTE);
    assert_null(text_map_get(&pulse.types, STR("mail"))); /* Nobody has asked for it since. */
    assert_non_null(text_map_get(&pulse.types, STR("pdf")));
}

static void of_many_workers_the_latest_are_remembered(void **state)
{
    (void)state;
    for (int i = 0; i <= PULSE_WORKERS_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        pulse_poll(&pulse, STR("pdf"), str_of(name), noon + i);
        pulse_poll(&pulse, STR("pdf"), STR("w0"), noon + i); /* It polls all the time. */
    }
    const struct pulse_type *type = text_map_get(&pulse.types, STR("pdf"));
    assert_int_equal(type->worker_count, PULSE_WORKERS_MAX);
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
    for (int i = 0; i <= PULSE_TYPES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "type%d", i);
        pulse_job(&pulse, str_of(name), false, noon);
    }
    assert_int_equal(pulse.types.count, PULSE_TYPES_MAX);
}

#define pulse_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        pulse_test(counts_belong_to_the_minute_in_which_they_happened),
        pulse_test(what_is_older_than_an_hour_is_gone),
        pulse_test(a_clock_that_is_set_back_begins_anew),
        pulse_test(the_95th_of_a_hundred_is_told),
        pulse_test(jobs_are_counted_by_type_for_an_hour),
        pulse_test(of_many_workers_the_latest_are_remembered),
        pulse_test(types_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
