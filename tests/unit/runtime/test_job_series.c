/* Jobs by type for /metrics: rows of a tenant, a bounded number of them, and nothing of other tenants. */
#include "driver.h"

#include "base/tenant.h"

enum { ACME = 7 };

static void add_jobs(struct driver *driver, int32_t ns, int count)
{
    for (int i = 0; i < count; i++) {
        struct job job = { .number = 1, .execution = 1, .type = arena_printf(&driver->arena, "t%d", i) };
        jobs_add(&driver->engine.memory.jobs, ns, (uint64_t)(ns * 100000 + i), &job, 5, driver->now_ms);
    }
}

static const struct answer_job_series *series_of(struct driver *driver, int32_t ns)
{
    driver->ns = ns;
    struct call *call = driver_call(driver, CALL_JOB_SERIES);
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
    return &call->value.job_series;
}

static void types_beyond_the_limit_are_others(void **state)
{
    struct driver *driver = *state;
    add_jobs(driver, TENANT_DEFAULT, METRIC_JOB_TYPES_OF_TENANT_MAX);
    assert_int_equal(series_of(driver, TENANT_DEFAULT)->count, METRIC_JOB_TYPES_OF_TENANT_MAX);
    add_jobs(driver, ACME, METRIC_JOB_TYPES_OF_TENANT_MAX + 2);
    const struct answer_job_series *answer = series_of(driver, ACME);
    assert_int_equal(answer->count, METRIC_JOB_TYPES_OF_TENANT_MAX + 1);
    size_t ready = 0;
    for (size_t i = 0; i < answer->count; i++) {
        assert_int_equal(answer->series[i].ns, ACME);
        assert_int_equal(answer->series[i].ready, str_equal(answer->series[i].type, METRIC_OTHER) ? 2 : 1);
        ready += answer->series[i].ready;
    }
    assert_int_equal(ready, METRIC_JOB_TYPES_OF_TENANT_MAX + 2);
}

static void only_the_default_tenant_sees_others(void **state)
{
    struct driver *driver = *state;
    add_jobs(driver, ACME, 3);
    add_jobs(driver, TENANT_DEFAULT, 1);
    assert_int_equal(series_of(driver, ACME)->count, 3);
    assert_int_equal(series_of(driver, ACME + 1)->count, 0);
    assert_int_equal(series_of(driver, TENANT_DEFAULT)->count, 4);
}

static void a_poll_is_remembered_by_its_type(void **state)
{
    struct driver *driver = *state;
    add_jobs(driver, TENANT_DEFAULT, 2);
    driver->now_ms += 5000;
    activity_poll(&driver->engine.memory.activity, STR("t1"), STR("w"), driver->now_ms);
    const struct answer_job_series *answer = series_of(driver, TENANT_DEFAULT);
    assert_int_equal(answer->series[0].polled_ms, 0);
    assert_int_equal(answer->series[0].oldest_ms, driver->now_ms - 5000);
    assert_int_equal(answer->series[1].polled_ms, driver->now_ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)
        TEST(types_beyond_the_limit_are_others),
        TEST(only_the_default_tenant_sees_others),
        TEST(a_poll_is_remembered_by_its_type),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
