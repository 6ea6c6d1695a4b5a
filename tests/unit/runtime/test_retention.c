/* Retention removes rows everywhere, also where the engine remembers them. */
#include "runtime/driver.h"

#include "runtime/limits.h"
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

/* ---- a limit of history rows for one transaction ---- */

enum { PURGES_MAX = 16 };

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t history_max; /* 0: as the engine says. */
    size_t instances[PURGES_MAX], history[PURGES_MAX];
    size_t count; /* Purges that removed something. */
} watched;

static enum status watched_purge(struct store *store, const struct purge *purge, size_t max,
                                 struct purged *ret_purged, struct error *err)
{
    struct purge asked = *purge;
    if (watched.history_max) asked.history_max = watched.history_max;
    TRY(watched.real->purge(store, &asked, max, ret_purged, err));
    size_t instances = ret_purged->instances[INSTANCE_COMPLETED] + ret_purged->instances[INSTANCE_CANCELLED];
    if (!instances) return ST_OK;
    assert_true(watched.count < PURGES_MAX);
    watched.instances[watched.count] = instances;
    watched.history[watched.count++] = ret_purged->history;
    return ST_OK;
}

static void watch(struct driver *driver, size_t history_max)
{
    memset(&watched, 0, sizeof watched);
    watched.real = driver->store->ops;
    watched.ops = *watched.real;
    watched.ops.purge = watched_purge;
    watched.history_max = history_max;
    driver->store->ops = &watched.ops;
}

/* All that is due now: the clock stands. */
static void run_what_is_due(struct driver *driver)
{
    for (int i = 0; i < 50 && engine_next_ms(&driver->engine) <= driver->now_ms; i++) driver_turn(driver);
}

static void cancel(struct driver *driver, struct id id)
{
    struct call *call = driver_call(driver, CALL_CANCEL);
    call->as.instance.id = id;
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
}

static void tick(struct driver *driver, int times)
{
    for (int i = 0; i < times; i++) driver_advance(driver, 1000);
}

/* One has more rows than a purge may remove; of the others two are as many as it may. */
static void long_histories_take_several_turns_and_no_pause(void **state)
{
    enum { LONG = 5, TICKS = PURGED_HISTORY_MAX * 2 / 5 };
    static const size_t want[] = { 1, 2, 2, 1 };
    struct driver *driver = *state;
    struct id id[1 + LONG];
    driver->retention_ms = 3600000;
    driver_restart(driver);
    driver_deploy(driver, definition("ticks"));
    id[0] = driver_started(driver, "ticks", NULL);
    tick(driver, PURGED_HISTORY_MAX - TICKS);
    for (size_t i = 1; i < COUNT(id); i++) id[i] = driver_started(driver, "ticks", NULL);
    tick(driver, TICKS);
    for (size_t i = 0; i < COUNT(id); i++) cancel(driver, id[i]);
    watch(driver, 0);
    driver_advance(driver, driver->retention_ms + 10000);
    run_what_is_due(driver);
    driver->store->ops = watched.real;
    assert_int_equal(watched.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(watched.instances[i], want[i]);
        assert_true(watched.history[i] >= want[i] * TICKS);
        assert_true(i == 0 || watched.history[i] <= PURGED_HISTORY_MAX);
    }
    assert_true(watched.history[0] > PURGED_HISTORY_MAX);
    for (size_t i = 0; i < COUNT(id); i++)
        assert_int_equal(about(driver, CALL_EXPLAIN, id[i])->status, ST_NOT_FOUND);
    assert_int_equal(metric_get(&driver->metrics.instances_purged[INSTANCE_CANCELLED]), COUNT(id));
    driver_check(driver);
}

/* They are found by their marks, which must stay until their turn has come. */
static void instances_with_a_retention_of_their_own_take_several_turns_too(void **state)
{
    struct driver *driver = *state;
    struct id id[4];
    driver_deploy(driver, definition("short-lived"));
    for (size_t i = 0; i < COUNT(id); i++) id[i] = driver_started(driver, "short-lived", NULL);
    for (size_t i = 0; i < COUNT(id); i++) cancel(driver, id[COUNT(id) - 1 - i]);
    watch(driver, 1);
    driver_advance(driver, 3600000 + 10000);
    run_what_is_due(driver);
    driver->store->ops = watched.real;
    assert_int_equal(watched.count, COUNT(id));
    for (size_t i = 0; i < watched.count; i++) assert_int_equal(watched.instances[i], 1);
    for (size_t i = 0; i < COUNT(id); i++)
        assert_int_equal(about(driver, CALL_EXPLAIN, id[i])->status, ST_NOT_FOUND);
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_EXPIRY, .max = 10 };
    struct record_row *row;
    size_t count;
    struct error err;
    assert_int_equal(store_records(driver->store, &filter, &driver->arena, &row, &count, &err), ST_OK);
    assert_int_equal(count, 0);
    driver_check(driver);
}

static void a_graph_keeps_its_instances_for_thirty_days(void **state)
{
    struct driver *driver = *state;
    const int64_t day_ms = 24 * INT64_C(3600000);
    driver_deploy(driver, definition("usual"));
    struct id id = driver_started(driver, "usual", NULL);
    cancel(driver, id);
    driver_advance(driver, 30 * day_ms - 10000);
    run_what_is_due(driver);
    assert_int_equal(about(driver, CALL_EXPLAIN, id)->status, ST_OK);
    driver_advance(driver, 20000);
    run_what_is_due(driver);
    assert_int_equal(about(driver, CALL_EXPLAIN, id)->status, ST_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(failed_instances_are_kept_unless_told_otherwise),
        DRIVER_TEST(a_graph_keeps_its_instances_for_thirty_days),
        DRIVER_TEST(a_purged_instance_is_gone_from_memory_too),
        DRIVER_TEST(what_ended_can_still_be_retried_in_time),
        DRIVER_TEST(starts_are_accepted_again_although_retention_fails),
        DRIVER_TEST(long_histories_take_several_turns_and_no_pause),
        DRIVER_TEST(instances_with_a_retention_of_their_own_take_several_turns_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
