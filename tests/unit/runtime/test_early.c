/* Events that come before their instance: each one is taken once or expires once. An "order" begins with
 * "placed" and ends with "paid". An "invoice" begins with "billed" and takes "paid", too. */
#include "driver.h"

enum { HOUR_MS = 3600 * 1000 };

static const char *definition(const char *name) { return document("runtime/early", name); }

/* A call with one event. */
static struct call *event_call(struct driver *driver, const char *type, const char *id, const char *data)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make_n(&driver->arena, struct call_event, 1);
    call->as.events.event_count = 1;
    call->as.events.event[0].event = driver_json(
        driver, arena_printf(
                    &driver->arena,
                    "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"shop\",\"type\":\"%s\",\"data\":%s}",
                    id, type, data)
                    .p);
    return call;
}

static struct call_event *event(struct driver *driver, const char *type, const char *id, const char *data)
{
    struct call *call = driver_run(driver, event_call(driver, type, id, data));
    if (call->status != ST_OK) fail_msg("%s", call->error.message);
    return &call->as.events.event[0];
}

static struct id the_instance(const struct call_event *event)
{
    assert_int_equal(event->instance_count, 1);
    return (struct id){ .ms = event->instance[0].created_ms, .instance = event->instance[0].id };
}

static struct call *unmatched(struct driver *driver)
{
    struct call *call = driver_call(driver, CALL_LIST_UNMATCHED);
    call->as.unmatched.max = 10;
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    return call;
}

/* ---- long ways ---- */

/* Turns are so small that "paid" is on its way for some of them, because two definitions take it. */
static void make_paid_a_long_way(struct driver *driver)
{
    driver->limits.turn_fuel_max = 40000;
    driver_restart(driver);
    driver_deploy(driver, definition("order"));
    driver_deploy(driver, definition("invoice"));
}

/* Submits an event that stays on its way for a second, as after a failure of the store. */
static struct call *begin_way(struct driver *driver, const char *id, const char *data)
{
    struct call *call = event_call(driver, "paid", id, data);
    driver->engine.transact.backlog[BACKLOG_ROUTING].hold_ms = driver->now_ms + 1000;
    driver_submit(driver, call);
    assert_int_equal(driver->engine.events.routings.count, 1);
    return call;
}

static struct call_event *end_way(struct driver *driver, struct call *call)
{
    driver_advance(driver, 1000);
    for (int i = 0; i < 5; i++) driver_turn(driver);
    assert_true(driver_answered(driver, call));
    assert_int_equal(driver->engine.events.routings.count, 0);
    return &call->as.events.event[0];
}

static void a_long_way_ends_at_an_instance_that_came_meanwhile(void **state)
{
    struct driver *driver = *state;
    make_paid_a_long_way(driver);
    struct call *paid = begin_way(driver, "p", "{\"order\":\"a\",\"invoice\":7}");
    struct call_event *placed = event(driver, "placed", "o", "{\"order\":\"a\"}");
    assert_int_equal(placed->outcome, EVENT_STARTED);
    assert_int_equal(end_way(driver, paid)->outcome, EVENT_DELIVERED);
    struct id order = the_instance(placed);
    assert_int_equal(driver_instance(driver, order)->status, INSTANCE_COMPLETED);
}

/* An instance of an older version that reads no key from the event came meanwhile. */
static void a_long_way_ends_at_an_instance_of_a_version_without_a_key(void **state)
{
    struct driver *driver = *state;
    driver->limits.turn_fuel_max = 40000;
    driver_restart(driver);
    driver_deploy(driver, definition("order, paid by anybody"));
    driver_deploy(driver, definition("invoice"));
    struct call *paid = begin_way(driver, "p", "{\"order\":\"a\",\"invoice\":7}");
    struct id order = the_instance(event(driver, "placed", "o", "{\"order\":\"a\"}"));
    driver_deploy(driver, definition("order"));
    assert_int_equal(end_way(driver, paid)->outcome, EVENT_DELIVERED);
    assert_int_equal(driver_instance(driver, order)->status, INSTANCE_COMPLETED);
}

/* ---- another version ---- */

static void a_version_with_another_key_does_not_take_what_waits(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    assert_int_equal(event(driver, "paid", "p", "{\"order\":\"a\",\"customer\":\"b\"}")->outcome,
                     EVENT_WAITING);
    driver_deploy(driver, definition("order, paid by the customer"));
    struct id order = the_instance(event(driver, "placed", "o", "{\"order\":\"a\"}"));
    for (int i = 0; i < 3; i++) driver_turn(driver);
    assert_int_equal(driver_instance(driver, order)->status, INSTANCE_WAITING);
    driver_advance(driver, HOUR_MS);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 1);
}

/* Each turn has time for one event only, and the first one is not for the instance. */
static void what_is_for_nobody_does_not_hold_up_the_rest(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    event(driver, "paid", "p", "{\"order\":\"a\",\"customer\":\"b\"}");
    event(driver, "paid", "q", "{\"order\":\"a\",\"customer\":\"c\"}");
    event(driver, "paid", "r", "{\"order\":\"a\",\"customer\":\"a\"}");
    driver_deploy(driver, definition("order, paid by the customer"));
    driver->engine.transact.backlog[BACKLOG_EARLY].hold_ms = driver->now_ms + 1000;
    struct id order = the_instance(event(driver, "placed", "o", "{\"order\":\"a\"}"));
    driver->engine.limits.turn_fuel_max = 1;
    driver_advance(driver, 1000);
    for (int i = 0; i < 5; i++) driver_turn(driver);
    assert_int_equal(driver_instance(driver, order)->status, INSTANCE_COMPLETED);
    assert_true(engine_next_ms(&driver->engine) > driver->now_ms);
}

/* ---- sent again ---- */

static struct call *resend(struct driver *driver, int64_t number)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.resend = number;
    return driver_run(driver, call);
}

static void expires_with(struct driver *driver, size_t count)
{
    driver_advance(driver, HOUR_MS);
    driver_turn(driver);
    assert_int_equal(unmatched(driver)->value.unmatched.count, count);
}

/* Whether it is taken, waits or is unmatched: the lists say one of these, and the last one. */
static void an_expired_event_waits_again_and_is_no_longer_unmatched(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(event(driver, "paid", "p", "{\"order\":\"a\"}")->outcome, EVENT_WAITING);
        assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
        expires_with(driver, 1);
    }
    int64_t number = unmatched(driver)->value.unmatched.view[0].number;
    assert_int_equal(event(driver, "paid", "p", "{\"order\":\"a\"}")->outcome, EVENT_WAITING);
    assert_int_equal(resend(driver, number)->status, ST_NOT_FOUND);
    struct id order = the_instance(event(driver, "placed", "o", "{\"order\":\"a\"}"));
    assert_int_equal(driver_instance(driver, order)->status, INSTANCE_COMPLETED);
    expires_with(driver, 0);
    assert_int_equal(metric_get(&driver->metrics.early_kept), 3);
    assert_int_equal(metric_get(&driver->metrics.early_taken), 1);
    assert_int_equal(metric_get(&driver->metrics.early_expired), 2);
}

static void an_unmatched_event_that_is_taken_is_no_longer_one(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    assert_int_equal(event(driver, "paid", "p", "{\"order\":\"a\"}")->outcome, EVENT_WAITING);
    expires_with(driver, 1);
    struct id order = the_instance(event(driver, "placed", "o", "{\"order\":\"a\"}"));
    assert_int_equal(driver_instance(driver, order)->status, INSTANCE_WAITING);
    assert_int_equal(event(driver, "paid", "p", "{\"order\":\"a\"}")->outcome, EVENT_DELIVERED);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
    assert_int_equal(event(driver, "paid", "p", "{\"order\":\"a\"}")->outcome, EVENT_DUPLICATE);
}

static void an_event_on_a_long_way_again_is_unmatched_once(void **state)
{
    struct driver *driver = *state;
    make_paid_a_long_way(driver);
    const char *data = "{\"order\":\"a\",\"invoice\":7}";
    assert_int_equal(end_way(driver, begin_way(driver, "p", data))->outcome, EVENT_WAITING);
    expires_with(driver, 1);
    struct call *paid = begin_way(driver, "p", data);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
    assert_int_equal(end_way(driver, paid)->first, EVENT_WAITING);
    expires_with(driver, 1);
}

/* ---- limits ---- */

/* As many events as that, each for an order of its own or all for one. */
static void send_many(struct driver *driver, int count, bool own, size_t bytes)
{
    char *filler = arena_alloc(&driver->arena, bytes + 1);
    memset(filler, 'x', bytes);
    filler[bytes] = '\0';
    for (int i = 0; i < count; i++) {
        const char *id = arena_printf(&driver->arena, "p%d", i).p;
        const char *data =
            arena_printf(&driver->arena, "{\"order\":\"%s\",\"filler\":\"%s\"}", own ? id : "a", filler).p;
        assert_int_equal(event(driver, "paid", id, data)->outcome, EVENT_WAITING);
    }
}

static void refuses_one_more(struct driver *driver, const char *limit)
{
    struct call_event *more = event(driver, "paid", "more", "{\"order\":\"a\",\"filler\":\"\"}");
    assert_int_equal(more->outcome, EVENT_UNMATCHED);
    if (!strstr(more->reason.p, limit)) fail_msg("%s", more->reason.p);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 1);
}

/* The list of those that wait is a part of the list of unmatched events. */
static void lists_waiting(struct driver *driver, size_t count, bool more)
{
    struct call *call = driver_call(driver, CALL_LIST_UNMATCHED);
    call->as.unmatched = (struct call_unmatched){ .max = 1, .with_total = true };
    driver_run(driver, call);
    const struct answer_unmatched *answer = &call->value.unmatched;
    assert_int_equal(answer->waiting_count, count);
    assert_int_equal(answer->waiting_more, more);
    if (!count) return;
    assert_true(str_equal(answer->waiting[0].definition_id, STR("order")));
    assert_true(str_equal(answer->waiting[0].type, STR("paid")));
    assert_int_equal(answer->waiting[0].received_ms, driver->now_ms);
    assert_int_equal(answer->waiting[0].until_ms, driver->now_ms + HOUR_MS);
}

static void so_many_wait_for_one_key(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    send_many(driver, KEPT_PER_KEY_MAX, false, 0);
    lists_waiting(driver, KEPT_PER_KEY_MAX, false);
    refuses_one_more(driver, "KEPT_PER_KEY_MAX");
    assert_int_equal(event(driver, "paid", "other", "{\"order\":\"b\"}")->outcome, EVENT_WAITING);
    lists_waiting(driver, KEPT_LISTED_MAX, true);
    driver->ns = 7;
    lists_waiting(driver, 0, false);
    driver->ns = 0;
    /* Room that becomes free is used. */
    the_instance(event(driver, "placed", "o", "{\"order\":\"a\"}"));
    for (int i = 0; i < 3; i++) driver_turn(driver);
    assert_int_equal(metric_get(&driver->metrics.early_taken), 1); /* The order ended with the first. */
    assert_int_equal(event(driver, "paid", "more", "{\"order\":\"a\",\"filler\":\"\"}")->outcome,
                     EVENT_WAITING);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
}

static void so_many_wait_for_one_definition(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    send_many(driver, KEPT_PER_DEFINITION_MAX, true, 0);
    refuses_one_more(driver, "KEPT_PER_DEFINITION_MAX");
    /* Another definition has its own room. */
    driver_deploy(driver, definition("invoice"));
    assert_int_equal(event(driver, "paid", "i", "{\"invoice\":7}")->outcome, EVENT_WAITING);
    for (int i = 0; i <= KEPT_PER_DEFINITION_MAX / KEPT_PER_TURN_MAX; i++)
        driver_advance(driver, i ? 0 : HOUR_MS);
    assert_int_equal(metric_get(&driver->metrics.early_expired), KEPT_PER_DEFINITION_MAX + 1);
    assert_int_equal(event(driver, "paid", "more", "{\"order\":\"a\",\"filler\":\"\"}")->outcome,
                     EVENT_WAITING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_long_way_ends_at_an_instance_that_came_meanwhile),
        DRIVER_TEST(a_long_way_ends_at_an_instance_of_a_version_without_a_key),
        DRIVER_TEST(a_version_with_another_key_does_not_take_what_waits),
        DRIVER_TEST(what_is_for_nobody_does_not_hold_up_the_rest),
        DRIVER_TEST(an_expired_event_waits_again_and_is_no_longer_unmatched),
        DRIVER_TEST(an_unmatched_event_that_is_taken_is_no_longer_one),
        DRIVER_TEST(an_event_on_a_long_way_again_is_unmatched_once),
        DRIVER_TEST(so_many_wait_for_one_key),
        DRIVER_TEST(so_many_wait_for_one_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
