/* Retention removes rows everywhere, also where the engine remembers them. */
#include "runtime/driver.h"

#include "store/store_int.h"

static const char *definition(const char *name) { return document("runtime/retention", name); }

static struct call *about(struct driver *driver, enum call_kind kind, struct id id)
{
    struct call *call = driver_call(driver, kind);
    call->as.read.id = id;
    return driver_run(driver, call);
}

/* The instance was looked at after its end, so it was in the cache when it was purged. */
static void a_purged_instance_is_gone_from_memory_too(void **state)
{
    static const struct {
        const char *name;
        enum call_kind kind;
    } cases[] = {
        { "quick", CALL_EXPLAIN },  { "quick", CALL_WATCH },  { "quick", CALL_CANCEL },
        { "broken", CALL_EXPLAIN }, { "broken", CALL_RETRY },
    };
    struct driver *driver = *state;
    driver->retention_ms = driver->retention_failed_ms = 5000;
    driver_restart(driver);
    for (size_t i = 0; i < COUNT(cases); i++) {
        driver_deploy(driver, definition(cases[i].name));
        struct id id = driver_started(driver, cases[i].name, NULL);
        driver_advance(driver, 1000);
        assert_int_equal(about(driver, CALL_EXPLAIN, id)->status, ST_OK);
        driver_advance(driver, 10000);
        assert_int_equal(about(driver, cases[i].kind, id)->status, ST_NOT_FOUND);
    }
}

static void what_ended_can_still_be_retried_in_time(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 5000;
    driver_restart(driver);
    driver_deploy(driver, definition("broken"));
    struct id id = driver_started(driver, "broken", NULL);
    driver_advance(driver, 1000);
    assert_int_equal(about(driver, CALL_EXPLAIN, id)->status, ST_OK);
    struct call *retry = driver_call(driver, CALL_RETRY);
    retry->as.instance.id = id;
    retry->as.instance.node = STR("d");
    retry->as.instance.data = driver_json(driver, "{\"ghost\":true}");
    assert_int_equal(driver_run(driver, retry)->status, ST_OK);
    assert_int_equal(retry->value.instances.view->status, INSTANCE_COMPLETED);
}

/* Somebody may want to retry it, whenever that is. */
static void failed_instances_are_kept_unless_told_otherwise(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 5000;
    driver_restart(driver);
    driver_deploy(driver, definition("broken"));
    driver_deploy(driver, definition("quick"));
    struct id failed = driver_started(driver, "broken", NULL), done = driver_started(driver, "quick", NULL);
    for (int i = 0; i < 5; i++) driver_advance(driver, 100000000);
    assert_int_equal(about(driver, CALL_EXPLAIN, done)->status, ST_NOT_FOUND);
    assert_int_equal(about(driver, CALL_EXPLAIN, failed)->status, ST_OK);
    assert_int_equal(metric_get(&driver->metrics.instances_purged[INSTANCE_COMPLETED]), 1);
    assert_int_equal(metric_get(&driver->metrics.instances_purged[INSTANCE_FAILED]), 0);

    driver->retention_ms = 0;
    driver->retention_failed_ms = 5000;
    driver_restart(driver);
    done = driver_started(driver, "quick", NULL);
    for (int i = 0; i < 5; i++) driver_advance(driver, 100000000);
    assert_int_equal(about(driver, CALL_EXPLAIN, done)->status, ST_OK);
    assert_int_equal(about(driver, CALL_EXPLAIN, failed)->status, ST_NOT_FOUND);
    assert_int_equal(metric_get(&driver->metrics.instances_purged[INSTANCE_FAILED]), 1);
    driver_check(driver);
}

static struct store_ops failing;

static enum status failing_purge(struct store *store, const struct purge *purge, size_t max,
                                 struct purged *ret_purged, struct error *err)
{
    (void)store, (void)purge, (void)max, (void)ret_purged;
    return (fail)(err, ST_STORE, "store", "a fault");
}

/* The disk has space again, and retention fails for another reason. */
static void starts_are_accepted_again_although_retention_fails(void **state)
{
    struct driver *driver = *state;
    const struct store_ops *real = driver->store->ops;
    driver_deploy(driver, definition("quick"));
    failing = *real;
    failing.purge = failing_purge;
    driver->store->ops = &failing;
    assert_true(store_release_space(driver->engine.store));
    struct call *refused = driver_call(driver, CALL_START);
    refused->as.start.definition_id = STR("quick");
    assert_int_equal(driver_run(driver, refused)->status, ST_FULL);
    driver_advance(driver, 5000);
    driver_started(driver, "quick", NULL);
    driver->store->ops = real;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(failed_instances_are_kept_unless_told_otherwise),
        DRIVER_TEST(a_purged_instance_is_gone_from_memory_too),
        DRIVER_TEST(what_ended_can_still_be_retried_in_time),
        DRIVER_TEST(starts_are_accepted_again_although_retention_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
