/* Instances that have stopped: retries, their mail, their subscription; signals that come early or by
 * business key. */
#include "driver.h"

static const char *definition(const char *name) { return document("runtime/stuck", name); }

static struct call_event *event(struct driver *driver, const char *type, const char *id, const char *data)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make_n(&driver->arena, struct call_event, 1);
    call->as.events.event_count = 1;
    call->as.events.event->event = driver_json(
        driver, arena_printf(
                    &driver->arena,
                    "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"shop\",\"type\":\"%s\",\"data\":%s}",
                    id, type, data)
                    .p);
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    return call->as.events.event;
}

static struct id the_instance(const struct call_event *event)
{
    assert_int_equal(event->instance_count, 1);
    return (struct id){ .ms = event->instance[0].created_ms, .instance = event->instance[0].id };
}

static size_t subscription_count(struct driver *driver)
{
    struct subscription_row row[20];
    struct error err;
    size_t count;
    assert_int_equal(store_subscriptions(driver->store, NULL, &driver->arena, row, COUNT(row), &count, &err),
                     ST_OK);
    return count;
}

static struct call *retry(struct driver *driver, struct id id, const char *data)
{
    struct call *call = driver_call(driver, CALL_RETRY);
    call->as.instance.id = id;
    call->as.instance.data = data ? driver_json(driver, data) : NULL;
    return driver_run(driver, call);
}

static struct call *signal(struct driver *driver, struct id id, const char *node, const char *data,
                           bool early)
{
    struct call *call = driver_call(driver, CALL_SIGNAL);
    call->as.instance.id = id;
    call->as.instance.node = str_of(node);
    call->as.instance.early = early;
    call->as.instance.data = data ? driver_json(driver, data) : NULL;
    return driver_run(driver, call);
}

static void fail_work(struct driver *driver)
{
    assert_int_equal(driver_fail(driver, driver_polled(driver, "w", "work"), "w", false)->status, ST_OK);
}

static void complete_work(struct driver *driver)
{
    assert_int_equal(driver_complete(driver, driver_polled(driver, "w", "work"), "w", "{}")->status, ST_OK);
}

static void a_failed_instance_keeps_its_events_over_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7,\"tea\":1}"));
    fail_work(driver);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
    assert_int_equal(subscription_count(driver), 1);
    /* What started it is there again, and what comes now is put beside it. */
    struct call_event *paid = event(driver, "paid", "2", "{\"order\":7,\"sum\":5}");
    assert_int_equal(paid->outcome, EVENT_DELIVERED);
    assert_int_equal(the_instance(paid).instance, id.instance);
    assert_int_equal(driver_instance(driver, id)->mail_count, 2);
    driver_check(driver);
    driver_restart(driver);

    assert_int_equal(retry(driver, id, NULL)->status, ST_OK);
    complete_work(driver);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, view->data), "{\"order\":7,\"tea\":1,\"sum\":5}");
    assert_int_equal(subscription_count(driver), 0);
    driver_check(driver);
}

static void no_second_instance_is_started_for_an_order_that_failed(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7}"));
    fail_work(driver);
    assert_int_equal(the_instance(event(driver, "placed", "2", "{\"order\":7}")).instance, id.instance);
    assert_int_equal(event(driver, "placed", "3", "{\"order\":8}")->outcome, EVENT_STARTED);
}

/* Without a token every event would be for it: one failure would stop all starts. */
static void a_failed_instance_does_not_swallow_what_starts_others(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("anonymous"));
    struct id id = the_instance(event(driver, "placed", "1", "{}"));
    fail_work(driver);
    struct call_event *next = event(driver, "placed", "2", "{}");
    assert_int_equal(next->outcome, EVENT_STARTED);
    assert_int_not_equal(the_instance(next).instance, id.instance);
    /* One that starts nothing is for all. */
    assert_int_equal(event(driver, "paid", "3", "{}")->instance_total, 2);
    assert_int_equal(driver_instance(driver, id)->mail_count, 2);
}

static void a_failed_instance_without_room_refuses_nobody(void **state)
{
    struct driver *driver = *state;
    driver->limits.mailbox_events_max = 2;
    driver_restart(driver);
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7}"));
    fail_work(driver);
    event(driver, "paid", "2", "{\"order\":7}");
    struct call_event *third = event(driver, "paid", "3", "{\"order\":7}");
    assert_int_equal(third->outcome, EVENT_UNMATCHED);
    assert_true(str_starts(third->reason, STR("nobody has it: instance ")));
    assert_non_null(strstr(third->reason.p, "has failed, and the instance holds 2 events"));
    /* When it goes on, the event can be sent again. */
    assert_int_equal(retry(driver, id, NULL)->status, ST_OK);
    struct call *unmatched = driver_call(driver, CALL_LIST_UNMATCHED);
    unmatched->as.unmatched.max = 10;
    assert_int_equal(driver_run(driver, unmatched)->value.unmatched.count, 1);
    struct call *again = driver_call(driver, CALL_EVENTS);
    again->as.events.resend = unmatched->value.unmatched.view[0].number;
    driver_run(driver, again);
    assert_int_equal(again->status, ST_OK);
    assert_int_equal(again->as.events.event->outcome, EVENT_DELIVERED);
    driver_check(driver);
}

static void a_failed_instance_can_be_given_up(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7}"));
    fail_work(driver);
    struct call *cancel = driver_call(driver, CALL_CANCEL);
    cancel->as.instance.id = id;
    assert_int_equal(driver_run(driver, cancel)->status, ST_CONFLICT);
    cancel->as.instance.failed_too = true;
    assert_int_equal(driver_run(driver, cancel)->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_CANCELLED);
    assert_int_equal(driver_instance(driver, id)->mail_count, 0);
    assert_int_equal(subscription_count(driver), 0);
    assert_int_equal(retry(driver, id, NULL)->status, ST_CONFLICT);
    driver_check(driver);
}

static void a_purged_instance_takes_no_events(void **state)
{
    struct driver *driver = *state;
    driver->retention_failed_ms = 1000;
    driver_restart(driver);
    driver_deploy(driver, definition("order"));
    event(driver, "placed", "1", "{\"order\":7}");
    fail_work(driver);
    for (int i = 0; i < 3; i++) driver_advance(driver, 100000);
    assert_int_equal(subscription_count(driver), 0);
    assert_int_equal(event(driver, "paid", "2", "{\"order\":7}")->outcome, EVENT_WAITING);
    driver_check(driver);
}

/* Engines of before took the row away when an instance failed. */
static void an_instance_that_failed_before_an_upgrade_takes_events_after_its_retry(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7}"));
    fail_work(driver);
    struct subscription_row row = { 1, STR("7"), id.instance };
    struct changeset changeset = { .subscription_remove = &row };
    struct error err;
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
    driver_check(driver);
    assert_int_equal(retry(driver, id, NULL)->status, ST_OK);
    assert_int_equal(subscription_count(driver), 1);
    driver_check(driver);
}

/* ---- signals ---- */

static void an_early_signal_survives_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("waits"));
    struct id id = driver_started(driver, "waits", NULL);
    assert_int_equal(signal(driver, id, "w", "{\"ok\":true}", false)->status, ST_CONFLICT);
    struct call *early = signal(driver, id, "w", "{\"ok\":true}", true);
    assert_int_equal(early->status, ST_OK);
    assert_true(early->value.instances.kept);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->mail_count, 1);
    assert_string_equal(view->mail[0].node.p, "w");
    assert_string_equal(driver_text(driver, view->mail[0].data), "{\"ok\":true}");
    driver_restart(driver);
    assert_int_equal(driver_complete(driver, driver_polled(driver, "x", "a"), "x", NULL)->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    driver_check(driver);
}

static struct call *signal_key(struct driver *driver, const char *key, const char *data, bool early)
{
    struct call *call = driver_call(driver, CALL_SIGNAL);
    call->as.instance.definition_id = STR("waits");
    call->as.instance.business_key = str_of(key);
    call->as.instance.node = STR("w");
    call->as.instance.early = early;
    call->as.instance.data = data ? driver_json(driver, data) : NULL;
    return driver_run(driver, call);
}

static void a_signal_finds_its_instance_by_the_business_key(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("waits"));
    struct call *start = driver_start(driver, "waits", NULL);
    start->as.start.business_key = STR("K-1");
    struct id id = instance_view_id(driver_run(driver, start)->value.instances.view);
    assert_int_equal(signal_key(driver, "K-2", NULL, true)->status, ST_NOT_FOUND);
    assert_int_equal(signal_key(driver, "K-1", NULL, false)->status, ST_CONFLICT);
    assert_int_equal(driver_complete(driver, driver_polled(driver, "x", "a"), "x", NULL)->status, ST_OK);
    assert_int_equal(signal_key(driver, "K-1", NULL, false)->status, ST_INVALID);
    struct call *call = signal_key(driver, "K-1", "{\"ok\":true}", true);
    assert_int_equal(call->status, ST_OK);
    assert_false(call->value.instances.kept);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(signal_key(driver, "K-1", NULL, true)->status, ST_NOT_FOUND);
}

/* ---- families ---- */

static void a_parent_that_failed_with_its_child_is_the_one_to_retry(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("child"));
    driver_deploy(driver, definition("parent"));
    struct id top = driver_started(driver, "parent", "{}");
    struct id first =
        child_view_id(&driver_get(driver, CALL_GET_INSTANCE, top)->value.instances.view->child[0]);
    fail_work(driver);
    assert_int_equal(driver_instance(driver, top)->status, INSTANCE_FAILED);
    struct call *refused = retry(driver, first, NULL);
    assert_int_equal(refused->status, ST_CONFLICT);
    assert_non_null(strstr(refused->error.message, "waited for this one and failed with it"));

    assert_int_equal(retry(driver, top, "{\"fixed\":true}")->status, ST_OK);
    struct call *after = driver_get(driver, CALL_GET_INSTANCE, top);
    assert_int_equal(after->value.instances.view->child_count, 2);
    struct instance_view *second =
        driver_instance(driver, child_view_id(&after->value.instances.view->child[1]));
    assert_string_equal(driver_text(driver, second->data), "{\"fixed\":true}");
    complete_work(driver);
    assert_int_equal(driver_instance(driver, top)->status, INSTANCE_COMPLETED);
    /* Now it is in nobody's way. */
    assert_int_equal(driver_instance(driver, first)->status, INSTANCE_FAILED);
    assert_int_equal(retry(driver, first, NULL)->status, ST_OK);
    driver_check(driver);
}

static void a_child_can_be_retried_alone(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("child"));
    driver_deploy(driver, definition("parent"));
    struct id top = driver_started(driver, "parent", "{}");
    struct id first =
        child_view_id(&driver_get(driver, CALL_GET_INSTANCE, top)->value.instances.view->child[0]);
    fail_work(driver);
    struct call *call = driver_call(driver, CALL_RETRY);
    call->as.instance.id = first;
    call->as.instance.alone = true;
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
    complete_work(driver);
    assert_int_equal(driver_instance(driver, first)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver_instance(driver, top)->status, INSTANCE_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_failed_instance_keeps_its_events_over_a_restart),
        DRIVER_TEST(no_second_instance_is_started_for_an_order_that_failed),
        DRIVER_TEST(a_failed_instance_does_not_swallow_what_starts_others),
        DRIVER_TEST(a_failed_instance_without_room_refuses_nobody),
        DRIVER_TEST(a_failed_instance_can_be_given_up),
        DRIVER_TEST(a_purged_instance_takes_no_events),
        DRIVER_TEST(an_instance_that_failed_before_an_upgrade_takes_events_after_its_retry),
        DRIVER_TEST(an_early_signal_survives_a_restart),
        DRIVER_TEST(a_signal_finds_its_instance_by_the_business_key),
        DRIVER_TEST(a_parent_that_failed_with_its_child_is_the_one_to_retry),
        DRIVER_TEST(a_child_can_be_retried_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
