/* Places of definitions at /metrics: one for each, up to the limits of an engine and of a tenant. */
#include "runtime/memory/run_series.h"

#include "base/tenant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct metrics metrics;
static struct run_series series;
static struct arena arena;

static int setup(void **state)
{
    (void)state;
    metrics = (struct metrics){ 0 };
    arena_init(&arena, 0);
    run_series_init(&series, &metrics);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    run_series_done(&series);
    arena_done(&arena);
    return 0;
}

static struct definition_metrics *place(int32_t ns, int number)
{
    return run_series_of(&series, ns, arena_printf(&arena, "d%d", number), &arena);
}

static void test_a_definition_has_one_place(void **state)
{
    (void)state;
    assert_ptr_equal(place(TENANT_DEFAULT, 1), place(TENANT_DEFAULT, 1));
    assert_ptr_not_equal(place(TENANT_DEFAULT, 1), place(TENANT_DEFAULT, 2));
    assert_ptr_not_equal(place(TENANT_DEFAULT, 1), place(7, 1));
    assert_int_equal(metrics.definition_count, 3);
}

static void test_the_word_for_all_others_is_no_definition(void **state)
{
    (void)state;
    assert_ptr_equal(run_series_of(&series, TENANT_DEFAULT, STR("other"), &arena),
                     &metrics.other_definitions);
    assert_int_equal(metrics.definition_count, 0);
}

static void test_a_tenant_takes_its_share_of_the_places_only(void **state)
{
    (void)state;
    for (int i = 0; i < METRIC_DEFINITIONS_OF_TENANT_MAX; i++)
        assert_ptr_not_equal(place(7, i), &metrics.other_definitions);
    assert_ptr_equal(place(7, METRIC_DEFINITIONS_OF_TENANT_MAX), &metrics.other_definitions);
    assert_ptr_not_equal(place(7, 0), &metrics.other_definitions);
    assert_ptr_not_equal(place(8, 0), &metrics.other_definitions);
}

static void test_the_places_of_an_engine_are_bounded(void **state)
{
    (void)state;
    for (int i = 0; i < METRIC_DEFINITIONS_MAX; i++)
        assert_ptr_not_equal(place(10 + i / 100, i), &metrics.other_definitions);
    assert_int_equal(metrics.definition_count, METRIC_DEFINITIONS_MAX);
    assert_ptr_equal(place(9, 0), &metrics.other_definitions);
}

static void test_durations_have_a_place_for_each_bound(void **state)
{
    (void)state;
    struct durations took = { 0 };
    for (size_t i = 0; i < DURATION_BUCKETS; i++) {
        metric_observe_duration(&took, metric_duration_bounds_ms[i]);
        metric_observe_duration(&took, metric_duration_bounds_ms[i] + 1);
    }
    metric_observe_duration(&took, -5); /* Somebody set the clock back. */
    for (size_t i = 0; i <= DURATION_BUCKETS; i++)
        assert_int_equal(took.bucket[i], i == DURATION_BUCKETS ? 1 : 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(test_a_definition_has_one_place),
        TEST(test_the_word_for_all_others_is_no_definition),
        TEST(test_a_tenant_takes_its_share_of_the_places_only),
        TEST(test_the_places_of_an_engine_are_bounded),
        TEST(test_durations_have_a_place_for_each_bound),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
