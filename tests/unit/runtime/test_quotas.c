/* Quotas of tenants: so much and no more, whatever fails in between, and never in the way of others. */
#include "access_driver.h"

enum { ACME = 2, OTHER = 3 };

static const char *definition(const char *name) { return document("runtime/engine", name); }

/* Tenants get their numbers in this order. */
static struct driver *with_quotas(void **state, const char *quotas)
{
    struct driver *driver = *state;
    access_make(driver, ACCESS_TENANT, "acme", quotas);
    access_make(driver, ACCESS_TENANT, "other", "{}");
    for (int32_t ns = OTHER; ns >= ACME; ns--) {
        driver->ns = ns;
        driver_deploy(driver, definition("worker"));
    }
    return driver;
}

static void set_quotas(struct driver *driver, const char *quotas)
{
    int32_t ns = driver->ns;
    driver->ns = 0;
    access_done(access_do(driver, ACCESS_TENANT, ACCESS_CHANGE, "acme", quotas));
    driver->ns = ns;
}

static void assert_refused(const struct call *call, const char *limit)
{
    char want[80];
    snprintf(want, sizeof want, ",\"limit\":\"%s\"", limit);
    assert_int_equal(call->status, ST_OVERLOAD);
    assert_string_equal(call->error.code, "tenant-limit");
    assert_string_equal(fail_details_of(&call->error), want);
}

static int64_t used(struct driver *driver, enum quota quota)
{
    struct call *call = driver_call(driver, CALL_LIST_ACCESS);
    call->as.access_list =
        (struct call_access_list){ .kind = ACCESS_TENANT, .name = STR("acme"), .max = 1, .with_usage = true };
    driver_run(driver, call);
    access_done(call);
    const struct json *usage = json_get(call->value.access_list.view[0], STR("usage"));
    return json_integer(usage, str_of(quota_word(quota)));
}

static struct call *start(struct driver *driver)
{
    return driver_run(driver, driver_start(driver, "worker", "{}"));
}

static void as_many_instances_live_as_may(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"activeInstances\":2}}");
    driver_started(driver, "worker", "{}");
    driver_started(driver, "worker", "{}");
    assert_refused(start(driver), "activeInstances");
    assert_int_equal(used(driver, QUOTA_ACTIVE_INSTANCES), 2);
    driver->ns = OTHER; /* Another tenant has nothing to do with it. */
    for (int i = 0; i < 5; i++) driver_started(driver, "worker", "{}");
    driver->ns = ACME;

    driver_complete(driver, driver_polled(driver, "w", "t"), "w", NULL);
    assert_int_equal(used(driver, QUOTA_ACTIVE_INSTANCES), 1);
    driver_started(driver, "worker", "{}");

    driver_restart(driver); /* The numbers are those of the store. */
    assert_refused(start(driver), "activeInstances");
    set_quotas(driver, "{\"quotas\":{\"activeInstances\":3}}");
    driver_started(driver, "worker", "{}");
    assert_refused(start(driver), "activeInstances");
    set_quotas(driver, "{\"quotas\":null}");
    driver_started(driver, "worker", "{}");
    assert_int_equal(used(driver, QUOTA_ACTIVE_INSTANCES), 4); /* Read for those who ask. */
}

/* Those of one transaction count, too, before it commits. */
static size_t start_together(struct driver *driver, size_t count)
{
    struct call_list list = { 0 };
    struct call *call[16];
    size_t started = 0;
    assert_true(count <= COUNT(call));
    for (size_t i = 0; i < count; i++) {
        call[i] = driver_call(driver, CALL_START);
        call[i]->as.start =
            (struct call_start){ .definition_id = STR("worker"), .data = json_empty_object() };
        call_list_add(&list, call[i]);
    }
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    for (size_t i = 0; i < count; i++) {
        assert_true(driver_answered(driver, call[i]));
        started += call[i]->status == ST_OK;
    }
    return started;
}

static void starts_of_one_turn_count_together(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"activeInstances\":5}}");
    driver_started(driver, "worker", "{}");
    assert_int_equal(start_together(driver, 16), 4);
    assert_int_equal(used(driver, QUOTA_ACTIVE_INSTANCES), 5);
}

static void so_many_starts_a_second_and_no_more(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"startsPerSecond\":4}}");
    assert_int_equal(start_together(driver, 10), 4);
    assert_refused(start(driver), "startsPerSecond");
    assert_int_equal(used(driver, QUOTA_STARTS_PER_SECOND), 4);
    driver_advance(driver, 500);
    assert_int_equal(start_together(driver, 10), 2);
    driver_advance(driver, 10000); /* Time does not add up. */
    assert_int_equal(start_together(driver, 10), 4);
    driver->now_ms -= 60000; /* The clock is set back. */
    assert_refused(start(driver), "startsPerSecond");
    driver_advance(driver, 1000);
    driver_started(driver, "worker", "{}");
}

/* A worker is told; a poll that waits gets the next job for which there is room. */
static void so_many_jobs_are_in_flight_and_no_more(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"jobsInFlight\":2}}");
    for (int i = 0; i < 4; i++) driver_started(driver, "worker", "{}");
    struct call *poll = driver_run(driver, driver_poll(driver, "w", "t", 10));
    assert_int_equal(poll->value.jobs.count, 2);
    assert_int_equal(used(driver, QUOTA_JOBS_IN_FLIGHT), 2);
    assert_refused(driver_run(driver, driver_poll(driver, "w", "t", 10)), "jobsInFlight");

    struct job_view first = poll->value.jobs.view[0], second = poll->value.jobs.view[1];
    driver_complete(driver, first, "w", NULL);
    struct call *next = driver_run(driver, driver_poll(driver, "w", "t", 10));
    assert_int_equal(next->value.jobs.count, 1);
    driver_complete(driver, second, "w", NULL);
    struct call *last = driver_run(driver, driver_poll(driver, "w", "t", 10));
    assert_int_equal(last->value.jobs.count, 1);
    driver_complete(driver, last->value.jobs.view[0], "w", NULL);
    struct call *waits = driver_poll(driver, "w", "t", 1);
    waits->as.poll.wait_ms = 60000;
    driver_submit(driver, waits);
    driver_started(driver, "worker", "{}");
    assert_true(driver_answered(driver, waits));
    assert_int_equal(waits->value.jobs.count, 1);

    driver_advance(driver, 10 * 60000); /* Leases that ran out count no more. */
    assert_int_equal(used(driver, QUOTA_JOBS_IN_FLIGHT), 0);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "t", 10))->value.jobs.count, 2);
}

static void so_many_definitions_and_schedules_and_no_more(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"definitions\":3,\"schedules\":1}}");
    driver_deploy(driver, definition("person"));
    driver_deploy(driver, document("runtime/schedules", "interval"));
    assert_int_equal(used(driver, QUOTA_DEFINITIONS), 3);
    assert_int_equal(used(driver, QUOTA_SCHEDULES), 1);
    struct call *call = driver_call(driver, CALL_DEPLOY);
    call->as.deploy.text = str_of(definition("quick"));
    assert_refused(driver_run(driver, call), "definitions");
    driver_deploy(driver,
                  document("runtime/schedules", "interval, changed")); /* A version is no definition. */
    set_quotas(driver, "{\"quotas\":{\"schedules\":1}}");
    call = driver_call(driver, CALL_DEPLOY);
    call->as.deploy.text = str_of(document("runtime/schedules", "hourly"));
    assert_refused(driver_run(driver, call), "schedules");
    driver_restart(driver);
    call = driver_call(driver, CALL_DEPLOY);
    call->as.deploy.text = str_of(document("runtime/schedules", "hourly"));
    assert_refused(driver_run(driver, call), "schedules");
}

/* Bytes are measured between turns, and what is written in between is added. */
static void so_many_bytes_are_stored_and_no_more(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"storedBytes\":5000}}");
    struct call *call = start(driver);
    for (int i = 0; i < 200 && call->status == ST_OK; i++) call = start(driver);
    assert_refused(call, "storedBytes");
    driver_advance(driver, 61000);
    int64_t bytes = used(driver, QUOTA_STORED_BYTES);
    assert_true(bytes > 4000 && bytes < 10000);
    assert_refused(start(driver), "storedBytes");
    driver_restart(driver);
    start(driver); /* The tenant is met, and measured afterwards. */
    driver_advance(driver, 3000);
    assert_refused(start(driver), "storedBytes");
    /* Instances that run go on. */
    driver_complete(driver, driver_polled(driver, "w", "t"), "w", NULL);
}

/* A family that has begun comes to its end: children count and are not refused. */
static void children_are_not_refused(void **state)
{
    struct driver *driver = with_quotas(state, "{\"quotas\":{\"activeInstances\":1,\"startsPerSecond\":1}}");
    driver_deploy(driver, document("runtime/children", "worker"));
    driver_deploy(driver, document("runtime/children", "of worker"));
    driver_started(driver, "of-worker", "{}");
    assert_int_equal(used(driver, QUOTA_ACTIVE_INSTANCES), 2);
    driver_advance(driver, 1000);
    assert_refused(start(driver), "activeInstances");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(as_many_instances_live_as_may),
        TEST(starts_of_one_turn_count_together),
        TEST(so_many_starts_a_second_and_no_more),
        TEST(so_many_jobs_are_in_flight_and_no_more),
        TEST(so_many_definitions_and_schedules_and_no_more),
        TEST(so_many_bytes_are_stored_and_no_more),
        TEST(children_are_not_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
