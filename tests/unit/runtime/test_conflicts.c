/* Two engines on one store: turns that another node was in the way of, and what they had begun. */
#include "pair_driver.h"

#include "store/store_int.h"

/* ---- commits that fail ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t count;
} conflicts;

/* One commit in three fails, as if another node had been faster. A turn that fails repeats only its calls. */
static enum status conflicting_commit(struct store *store, struct error *err)
{
    if (conflicts.count++ % 3 == 0) return (fail)(err, ST_AGAIN, "store", "another node was faster");
    return conflicts.real->commit(store, err);
}

static void conflicts_begin(struct driver *driver)
{
    conflicts.real = driver->store->ops;
    conflicts.ops = *conflicts.real;
    conflicts.ops.commit = conflicting_commit;
    conflicts.count = 0;
    driver->store->ops = &conflicts.ops;
}

static enum status refused_begin(struct store *store, struct error *err)
{
    (void)store;
    return (fail)(err, ST_STORE, "store", "the store is away");
}

static void conflicts_end(struct driver *driver) { driver->store->ops = conflicts.real; }

/* ---- work that takes several turns ---- */

enum { MANY = 200 };

static void start_many(struct pair *pair, const char *name, struct id ids[MANY])
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], document("runtime/bulk", name));
    advance(pair, 400);
    for (size_t i = 0; i < MANY; i++) ids[i] = driver_started(&pair->node[0], name, NULL);
}

static struct call *bell(struct driver *driver)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make(&driver->arena, struct call_event);
    call->as.events.event_count = 1;
    call->as.events.event->event =
        driver_json(driver, "{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"shop\",\"type\":\"bell\"}");
    return call;
}

/* The clock stands still: nothing may wait for its time after a conflict. */
static void an_event_on_a_long_way_goes_on_in_spite_of_conflicts(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    struct id ids[MANY];
    start_many(pair, "waiting", ids);
    driver->engine.limits.turn_fuel_max = 40000;
    struct call *call = bell(driver);
    driver_submit(driver, call);
    assert_int_equal(driver->engine.routings.count, 1);
    conflicts_begin(driver);
    for (int i = 0; i < 400 && driver->engine.routings.count; i++) driver_turn(driver);
    conflicts_end(driver);
    assert_int_equal(driver->engine.routings.count, 0);
    assert_true(conflicts.count > 2);
    for (size_t i = 0; i < MANY; i++) assert_int_equal(driver_instance(driver, ids[i])->mail_count, 1);
}

/* A store that cannot do it is another matter: to try it again at once would keep the engine busy. */
static void an_event_on_a_long_way_waits_for_a_store_that_is_away(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    struct id ids[MANY];
    start_many(pair, "waiting", ids);
    driver->engine.limits.turn_fuel_max = 40000;
    driver_submit(driver, bell(driver));
    conflicts_begin(driver);
    conflicts.ops.begin = refused_begin;
    driver_turn(driver);
    conflicts_end(driver);
    assert_true(driver->engine.routings.hold_ms > driver->now_ms);
}

static void a_bulk_goes_on_in_spite_of_conflicts(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    struct id ids[MANY];
    struct error err;
    start_many(pair, "ship", ids);
    struct call *call = driver_call(driver, CALL_BULK);
    struct bulk_request *request = arena_make(&driver->arena, struct bulk_request);
    assert_int_equal(bulk_request_read(driver_json(driver, "{\"action\":\"cancel\",\"all\":true}"),
                                       &driver->arena, request, &err),
                     ST_OK);
    call->as.bulk.request = request;
    assert_true(query_call(&driver->query, call));
    conflicts_begin(driver);
    driver_submit(driver, call);
    for (int i = 0; i < 60; i++) driver_turn(driver);
    conflicts_end(driver);
    assert_true(conflicts.count > 2);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(driver_instance(driver, ids[i])->status, INSTANCE_CANCELLED);
}

/* ---- instances that end with their node ---- */

static void instances_end_with_their_node_in_spite_of_conflicts(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    advance(pair, 400);
    driver_deploy(driver, document("runtime/arrive", "fragile"));
    advance(pair, 400);
    struct id own = driver_started(driver, "fragile", NULL);
    struct id other = driver_started(&pair->node[1], "fragile", NULL);
    leave(pair);
    conflicts_begin(driver);
    advance(pair, 2000);
    conflicts_end(driver);
    assert_int_equal(metric_get(&driver->metrics.takeovers), 1);
    assert_int_equal(driver_instance(driver, other)->status, INSTANCE_FAILED);
    assert_int_equal(driver_instance(driver, own)->status, INSTANCE_WAITING);
}

int main(void)
{
#define PAIR_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        PAIR_TEST(an_event_on_a_long_way_goes_on_in_spite_of_conflicts),
        PAIR_TEST(an_event_on_a_long_way_waits_for_a_store_that_is_away),
        PAIR_TEST(a_bulk_goes_on_in_spite_of_conflicts),
        PAIR_TEST(instances_end_with_their_node_in_spite_of_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
