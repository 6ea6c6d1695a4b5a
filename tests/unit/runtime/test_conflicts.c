/* Two engines on one store: turns that another node was in the way of, and what they had begun. */
#include "pair_driver.h"

#include "runtime/bulk/bulk.h"
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
    assert_int_equal(driver->engine.events.routings.count, 1);
    conflicts_begin(driver);
    for (int i = 0; i < 400 && driver->engine.events.routings.count; i++) driver_turn(driver);
    conflicts_end(driver);
    assert_int_equal(driver->engine.events.routings.count, 0);
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
    assert_true(driver->engine.transact.backlog[BACKLOG_ROUTING].hold_ms > driver->now_ms);
}

/* ---- two events of one order, both on a long way ---- */

/* Their ways are opened and go no further before let_go(). */
static struct call *open_way(struct driver *driver, const char *type)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make(&driver->arena, struct call_event);
    call->as.events.event_count = 1;
    call->as.events.event->event = driver_json(
        driver, arena_printf(&driver->arena,
                             "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"shop\",\"type\":\"%s\","
                             "\"data\":{\"order\":7}}",
                             type, type)
                    .p);
    size_t before = driver->engine.events.routings.count;
    driver->engine.limits.turn_fuel_max = 20000;
    driver->engine.transact.backlog[BACKLOG_ROUTING].hold_ms = INT64_MAX;
    driver_submit(driver, call);
    assert_int_equal(driver->engine.events.routings.count, before + 1);
    return call;
}

static void let_go(struct driver *driver)
{
    driver->engine.transact.backlog[BACKLOG_ROUTING].hold_ms = 0;
    for (int i = 0; i < 40 && driver->engine.events.routings.count; i++) driver_turn(driver);
    assert_int_equal(driver->engine.events.routings.count, 0);
    driver_turn(driver); /* The calls are answered. */
}

/* The first has started an instance, which waited for both; the second has ended it. */
static void assert_one_has_both(struct driver *driver)
{
    struct call *list = driver_call(driver, CALL_LIST_INSTANCES);
    list->as.instances.filter = (struct instance_filter){ .ns = NAMESPACE_DEFAULT, .status = -1, .max = 10 };
    driver_run(driver, list);
    assert_int_equal(list->value.instances.count, 1);
    assert_int_equal(list->value.instances.view[0].status, INSTANCE_COMPLETED);
}

static void deploy_both(struct pair *pair)
{
    advance(pair, 400);
    driver_deploy(&pair->node[0], document("runtime/events", "both"));
    advance(pair, 400);
}

/* When the ways were opened nobody waited, so each event would have started an instance of its own, and each
 * instance would have waited for the other event. */
static void two_events_on_a_long_way_meet_in_one_instance(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    deploy_both(pair);
    struct call *placed = open_way(driver, "placed"), *paid = open_way(driver, "paid");
    let_go(driver);
    assert_true(driver_answered(driver, placed) && driver_answered(driver, paid));
    assert_int_equal(placed->as.events.event->outcome, EVENT_STARTED);
    assert_int_equal(paid->as.events.event->outcome, EVENT_DELIVERED);
    assert_one_has_both(driver);
}

static void they_meet_in_spite_of_conflicts(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    deploy_both(pair);
    open_way(driver, "placed");
    open_way(driver, "paid");
    conflicts_begin(driver);
    let_go(driver);
    conflicts_end(driver);
    assert_one_has_both(driver);
}

static struct driver *overtaking; /* NULL: nobody. */

/* The other node's event goes its whole way before our commit. */
static enum status overtaken_commit(struct store *store, struct error *err)
{
    struct driver *other = overtaking;
    overtaking = NULL;
    if (other) let_go(other);
    return conflicts.real->commit(store, err);
}

static void they_meet_if_another_node_is_faster(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    deploy_both(pair);
    open_way(driver, "placed");
    open_way(&pair->node[1], "paid");
    conflicts_begin(driver);
    conflicts.ops.commit = overtaken_commit;
    overtaking = &pair->node[1];
    let_go(driver);
    conflicts_end(driver);
    assert_one_has_both(driver);
}

/* The instance that waits may be of a version that is not the latest any more. */
static void they_meet_in_an_older_version(void **state)
{
    struct pair *pair = *state;
    struct driver *driver = &pair->node[0];
    deploy_both(pair);
    open_way(&pair->node[1], "placed");
    open_way(driver, "paid");
    let_go(driver);
    driver_deploy(driver, document("runtime/events", "both, changed"));
    let_go(&pair->node[1]);
    assert_one_has_both(driver);
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
    assert_true(queries_call(&driver->query, call));
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
        PAIR_TEST(two_events_on_a_long_way_meet_in_one_instance),
        PAIR_TEST(they_meet_in_spite_of_conflicts),
        PAIR_TEST(they_meet_if_another_node_is_faster),
        PAIR_TEST(they_meet_in_an_older_version),
        PAIR_TEST(a_bulk_goes_on_in_spite_of_conflicts),
        PAIR_TEST(instances_end_with_their_node_in_spite_of_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
