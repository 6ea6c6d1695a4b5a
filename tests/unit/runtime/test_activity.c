/* Activity: the counts and polls of the last hour that the engine remembers. */
#include "runtime/memory/activity.h"

#include "base/tenant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { MINUTE = ACTIVITY_MINUTE_MS };
static const int64_t noon = INT64_C(1767268800000); /* 2026-01-01T12:00:00Z */

static struct metrics metrics;
static struct activity activity;
static struct arena arena;

enum { ACME = 7 };

static int setup(void **state)
{
    (void)state;
    metrics = (struct metrics){ 0 };
    arena_init(&arena, 0);
    activity_init(&activity, &metrics, noon);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    activity_done(&activity);
    arena_done(&arena);
    return 0;
}

static struct activity_minute minute_of(int32_t ns, size_t minutes_ago)
{
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t known;
    activity_minutes(&activity, ns, minute, &known);
    return minute[ACTIVITY_MINUTES - 1 - minutes_ago];
}

static uint64_t started_of(int32_t ns, size_t minutes_ago)
{
    return minute_of(ns, minutes_ago).count[ACTIVITY_STARTED];
}

static size_t known_of(int32_t ns)
{
    struct activity_minute minute[ACTIVITY_MINUTES];
    size_t known;
    activity_minutes(&activity, ns, minute, &known);
    return known;
}

static uint64_t started(size_t minutes_ago) { return started_of(TENANT_DEFAULT, minutes_ago); }
static size_t known(void) { return known_of(TENANT_DEFAULT); }

static void start_of(int32_t ns, uint64_t n, int64_t now_ms)
{
    activity_tick(&activity, now_ms);
    activity_count(&activity, ns, ACTIVITY_STARTED, n, now_ms);
}

static void counts_belong_to_the_minute_in_which_they_happened(void **state)
{
    (void)state;
    start_of(TENANT_DEFAULT, 3, noon);
    assert_int_equal(started(0), 3);
    assert_int_equal(known(), 1);
    activity_tick(&activity, noon + MINUTE);
    assert_int_equal(started(0), 0);
    assert_int_equal(started(1), 3);
    start_of(TENANT_DEFAULT, 2, noon + MINUTE);
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
    start_of(TENANT_DEFAULT, 1, noon);
    for (int i = 1; i <= ACTIVITY_MINUTES - 1; i++) activity_tick(&activity, noon + i * MINUTE);
    assert_int_equal(started(ACTIVITY_MINUTES - 1), 1);
    assert_int_equal(known(), ACTIVITY_MINUTES);
    activity_tick(&activity, noon + ACTIVITY_MINUTES * MINUTE);
    for (size_t i = 0; i < ACTIVITY_MINUTES; i++) assert_int_equal(started(i), 0);
    start_of(TENANT_DEFAULT, 1, noon + ACTIVITY_MINUTES * MINUTE);
    activity_tick(&activity, noon + 10 * 60 * MINUTE); /* A long sleep. */
    for (size_t i = 0; i < ACTIVITY_MINUTES; i++) assert_int_equal(started(i), 0);
}

static void a_clock_that_is_set_back_begins_anew(void **state)
{
    (void)state;
    start_of(TENANT_DEFAULT, 1, noon + 3 * MINUTE);
    activity_tick(&activity, noon - 60 * MINUTE);
    assert_int_equal(known(), 1);
    assert_int_equal(started(0), 0);
    start_of(TENANT_DEFAULT, 1, noon - 60 * MINUTE);
    activity_tick(&activity, noon - 59 * MINUTE);
    assert_int_equal(started(1), 1);
}

static void the_95th_of_a_hundred_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < 96; i++)
        metric_observe(&metrics.transaction, 900); /* In the bucket from 500 to 1000. */
    for (int i = 0; i < 4; i++) metric_observe(&metrics.transaction, INT64_C(9000000));
    assert_in_range(minute_of(TENANT_DEFAULT, 0).commit_us, 900, 1000);
    assert_int_equal(minute_of(TENANT_DEFAULT, 0).wait_us, 0); /* There was none. */
    for (int i = 0; i < 100; i++) metric_observe(&metrics.transaction, INT64_MAX);
    assert_int_equal(minute_of(TENANT_DEFAULT, 0).commit_us, metric_bounds_us[HISTOGRAM_BUCKETS - 1]);
}

static void a_tenant_has_its_own_minutes(void **state)
{
    (void)state;
    start_of(ACME, 3, noon);
    start_of(TENANT_DEFAULT, 1, noon);
    activity_wait(&activity, ACME, 900, noon);
    assert_int_equal(minute_of(TENANT_DEFAULT, 0).wait_us, 0);
    activity_tick(&activity, noon + 2 * MINUTE);
    assert_int_equal(started_of(ACME, 2), 3);
    assert_in_range(minute_of(ACME, 2).wait_us, 900, 1000);
    assert_int_equal(minute_of(ACME, 0).wait_us, 0);
    assert_int_equal(started(2), 1);
    assert_int_equal(started_of(ACME + 1, 2), 0);
    assert_int_equal(known_of(ACME + 1), 3); /* It is known that it did nothing. */
    activity_perform(&activity, ACME, PERFORM_HTTP, false, noon + 2 * MINUTE);
    assert_int_equal(minute_of(ACME, 0).count[ACTIVITY_JOBS_DONE], 1);
    assert_int_equal(activity_performed(&activity, ACME, PERFORM_HTTP).done, 1);
    assert_int_equal(activity_performed(&activity, TENANT_DEFAULT, PERFORM_HTTP).done, 0);
    assert_int_equal(activity_performed(&activity, ACME + 1, PERFORM_HTTP).done, 0);
}

static void commits_are_told_to_tenants_that_wrote(void **state)
{
    (void)state;
    metric_observe(&metrics.transaction, 900);
    activity_write(&activity, ACME, noon);
    assert_true(minute_of(ACME, 0).commit_us > 0);
    activity_tick(&activity, noon + MINUTE);
    metric_observe(&metrics.transaction, 900); /* Of somebody else. */
    assert_true(minute_of(ACME, 1).commit_us > 0);
    assert_int_equal(minute_of(ACME, 0).commit_us, 0);
    assert_true(minute_of(TENANT_DEFAULT, 0).commit_us > 0);
}

static void tenants_are_bounded_and_said_to_be(void **state)
{
    (void)state;
    int32_t last = TENANT_DEFAULT + ACTIVITY_TENANTS_MAX - 1;
    for (int32_t ns = TENANT_DEFAULT + 1; ns <= last; ns++) start_of(ns, 1, noon + ns);
    assert_int_equal(activity.tenants.count, ACTIVITY_TENANTS_MAX);
    assert_int_equal(started_of(last, 0), 1);
    start_of(last + 1, 1, noon + last + 1);
    assert_int_equal(activity.tenants.count, ACTIVITY_TENANTS_MAX);
    assert_int_equal(known_of(last + 1), 0); /* One more than the limit: its numbers are not known. */
    assert_int_equal(known_of(last), 1);
    activity_tick(&activity, noon + 3 * MINUTE);
    assert_int_equal(known_of(last + 1), 3); /* It has done nothing since. */
}

static void a_tenant_that_rests_gives_its_place(void **state)
{
    (void)state;
    int32_t last = TENANT_DEFAULT + ACTIVITY_TENANTS_MAX - 1;
    for (int32_t ns = TENANT_DEFAULT + 1; ns <= last; ns++) start_of(ns, 1, noon + ns);
    activity_poll(&activity, tenant_key(TENANT_DEFAULT + 1, STR("pdf"), &arena), STR("w"), noon + 2);
    start_of(last + 1, 1, noon + 59 * MINUTE);
    assert_int_equal(known_of(last + 1), 0);
    start_of(last + 1, 1, noon + 60 * MINUTE + 2); /* The first of them did something an hour ago. */
    assert_int_equal(known_of(last + 1), 1);
    assert_int_equal(activity.tenants.count, ACTIVITY_TENANTS_MAX);
    assert_null(map_get(&activity.tenants, TENANT_DEFAULT + 1));
    assert_int_equal(activity.types.count, 0);
    assert_int_equal(known_of(TENANT_DEFAULT), 60); /* It has its place always. */
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

static void poll_for(int32_t ns, int from, int count)
{
    for (int i = from; i < from + count; i++)
        activity_poll(&activity, tenant_key(ns, arena_printf(&arena, "type%d", i), &arena), STR("w"), noon);
}

static bool is_polled(int32_t ns, int i)
{
    str key = tenant_key(ns, arena_printf(&arena, "type%d", i), &arena);
    return activity_polls(&activity, key, STR("w"), noon);
}

static void types_are_bounded(void **state)
{
    (void)state;
    poll_for(TENANT_DEFAULT, 0, ACTIVITY_TYPES_MAX);
    assert_int_equal(activity.types.count, ACTIVITY_TYPES_MAX);
    assert_true(is_polled(TENANT_DEFAULT, 0));
    poll_for(TENANT_DEFAULT, 0, 1);
    poll_for(TENANT_DEFAULT, ACTIVITY_TYPES_MAX, 1);
    assert_int_equal(activity.types.count, ACTIVITY_TYPES_MAX);
    assert_true(is_polled(TENANT_DEFAULT, ACTIVITY_TYPES_MAX));
    assert_true(is_polled(TENANT_DEFAULT, 0)); /* The one that was polled for longest ago went. */
    assert_false(is_polled(TENANT_DEFAULT, 1));
}

static void invented_types_of_one_tenant_push_out_none_of_another(void **state)
{
    (void)state;
    poll_for(ACME, 0, 3);
    poll_for(TENANT_DEFAULT, 0, 2 * ACTIVITY_TYPES_MAX);
    assert_int_equal(activity.types.count, ACTIVITY_TYPES_MAX);
    for (int i = 0; i < 3; i++) assert_true(is_polled(ACME, i));
    poll_for(ACME, 3, 1);
    assert_true(is_polled(ACME, 3));
    /* It may have its share, however full it is, and no more. */
    poll_for(ACME, 0, ACTIVITY_TYPES_MAX / 2 + 1);
    assert_int_equal(activity.types.count, ACTIVITY_TYPES_MAX);
    assert_false(is_polled(ACME, 0));
    for (int i = 1; i <= ACTIVITY_TYPES_MAX / 2; i++) assert_true(is_polled(ACME, i));
    assert_true(is_polled(TENANT_DEFAULT, ACTIVITY_TYPES_MAX * 3 / 2));
}

#define activity_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        activity_test(counts_belong_to_the_minute_in_which_they_happened),
        activity_test(what_is_older_than_an_hour_is_gone),
        activity_test(a_clock_that_is_set_back_begins_anew),
        activity_test(the_95th_of_a_hundred_is_told),
        activity_test(a_tenant_has_its_own_minutes),
        activity_test(commits_are_told_to_tenants_that_wrote),
        activity_test(tenants_are_bounded_and_said_to_be),
        activity_test(a_tenant_that_rests_gives_its_place),
        activity_test(jobs_are_counted_by_type_for_an_hour),
        activity_test(of_many_workers_the_latest_are_remembered),
        activity_test(types_are_bounded),
        activity_test(invented_types_of_one_tenant_push_out_none_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
