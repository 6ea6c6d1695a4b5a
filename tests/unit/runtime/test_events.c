/* Events: whom they start and reach, once each, and what becomes of the others. */
#include "driver.h"

/* An "order" starts with one event and ends with a second of the same order. A "crowd" needs two, and one of
 * them has no correlation key. */
static const char *definition(const char *name) { return document("runtime/events", name); }

static struct call *events(struct driver *driver, const char *const *text, size_t count)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make_n(&driver->arena, struct call_event, count);
    call->as.events.event_count = count;
    for (size_t i = 0; i < count; i++) call->as.events.event[i].event = driver_json(driver, text[i]);
    return driver_run(driver, call);
}

static const char *event_text(struct driver *driver, const char *type, const char *id, const char *data)
{
    return arena_printf(
               &driver->arena,
               "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"shop\",\"type\":\"%s\",\"data\":%s}", id,
               type, data)
        .p;
}

static struct call_event *event(struct driver *driver, const char *type, const char *id, const char *data)
{
    const char *text = event_text(driver, type, id, data);
    struct call *call = events(driver, &text, 1);
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

static size_t subscription_count(struct driver *driver)
{
    struct subscription_row row[20];
    struct error err;
    size_t count;
    assert_int_equal(store_subscriptions(driver->store, NULL, &driver->arena, row, COUNT(row), &count, &err),
                     ST_OK);
    return count;
}

static void an_event_starts_and_a_second_one_ends(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct call_event *placed = event(driver, "placed", "1", "{\"order\":7,\"what\":\"tea\"}");
    assert_int_equal(placed->outcome, EVENT_STARTED);
    assert_true(placed->instance[0].started);
    struct instance_view *view = driver_instance(driver, the_instance(placed));
    assert_int_equal(view->status, INSTANCE_WAITING);
    assert_string_equal(view->correlation.p, "7");
    assert_string_equal(view->dialect->name.p, "serverless");

    struct call_event *paid = event(driver, "paid", "2", "{\"order\":7,\"sum\":5}");
    assert_int_equal(paid->outcome, EVENT_DELIVERED);
    assert_false(paid->instance[0].started);
    view = driver_instance(driver, the_instance(paid));
    assert_int_equal(view->id, placed->instance[0].id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, json_get(view->data, STR("sum"))), "5");
    assert_int_equal(subscription_count(driver), 0);
    assert_int_equal(metric_get(&driver->metrics.events_started), 1);
    assert_int_equal(metric_get(&driver->metrics.events_delivered), 1);
    driver_check(driver);
}

static void tokens_keep_instances_apart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id a = the_instance(event(driver, "placed", "1", "{\"order\":\"a\"}"));
    struct id b = the_instance(event(driver, "placed", "2", "{\"order\":\"b\"}"));
    assert_int_not_equal(a.instance, b.instance);
    assert_int_equal(subscription_count(driver), 2);
    assert_int_equal(the_instance(event(driver, "paid", "3", "{\"order\":\"b\"}")).instance, b.instance);
    assert_int_equal(driver_instance(driver, a)->status, INSTANCE_WAITING);
    assert_int_equal(driver_instance(driver, b)->status, INSTANCE_COMPLETED);
    /* A number is not a text. */
    assert_int_equal(event(driver, "paid", "4", "{\"order\":1}")->outcome, EVENT_WAITING);
}

static void the_same_event_counts_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct call_event *first = event(driver, "placed", "1", "{\"order\":7}");
    struct call_event *again = event(driver, "placed", "1", "{\"order\":7}");
    assert_int_equal(again->outcome, EVENT_DUPLICATE);
    assert_int_equal(again->first, EVENT_STARTED);
    assert_int_equal(the_instance(again).instance, the_instance(first).instance);
    assert_true(again->instance[0].started);
    assert_int_equal(driver_instance(driver, the_instance(first))->mail_count, 0);
    driver_restart(driver);
    assert_int_equal(event(driver, "placed", "1", "{\"order\":7}")->outcome, EVENT_DUPLICATE);
    assert_int_equal(metric_get(&driver->metrics.events_duplicate), 2);
}

/* The row says what the event did the first time, by a number that nobody has written. */
static void a_damaged_memory_of_an_event_refuses_it(void **state)
{
    struct driver *driver = *state;
    struct error err;
    driver_deploy(driver, definition("order"));
    event(driver, "placed", "1", "{\"order\":7}");
    struct idempotency_row row = { .ns = NAMESPACE_DEFAULT,
                                   .key = { "\0event\0004:shop1", 14 },
                                   .created_ms = driver->now_ms,
                                   .http_status = 1,
                                   .answer = json_encoded(driver_json(driver, "[77,0]")) };
    struct changeset changeset = { .idempotency = &row };
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
    struct call_event *again = event(driver, "placed", "1", "{\"order\":7}");
    assert_int_equal(again->outcome, EVENT_REFUSED);
    assert_int_equal(again->error.status, ST_INTERNAL);
}

static void an_event_is_forgotten_after_its_time(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    event(driver, "placed", "1", "{\"order\":7}");
    for (int i = 0; i < 5; i++) driver_advance(driver, driver->limits.idempotency_hours * 3600000);
    assert_int_equal(event(driver, "placed", "1", "{\"order\":8}")->outcome, EVENT_STARTED);
}

static void one_request_may_hold_an_event_twice(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    const char *text[] = { event_text(driver, "placed", "1", "{\"order\":7}"),
                           event_text(driver, "placed", "1", "{\"order\":7}"),
                           event_text(driver, "paid", "1p", "{\"order\":7}"),
                           event_text(driver, "lost", "9", "{}") };
    struct call *call = events(driver, text, COUNT(text));
    assert_int_equal(call->as.events.event[0].outcome, EVENT_STARTED);
    assert_int_equal(call->as.events.event[1].outcome, EVENT_DUPLICATE);
    assert_int_equal(call->as.events.event[2].outcome, EVENT_DELIVERED);
    assert_int_equal(call->as.events.event[3].outcome, EVENT_UNMATCHED);
    assert_int_equal(driver_instance(driver, the_instance(&call->as.events.event[0]))->status,
                     INSTANCE_COMPLETED);
}

static void what_nobody_takes_is_a_unmatched(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    assert_int_equal(event(driver, "unknown", "1", "1")->outcome, EVENT_UNMATCHED);
    assert_int_equal(event(driver, "paid", "2", "{\"order\":7}")->outcome, EVENT_WAITING);
    driver_advance(driver, EARLY_MS_DEFAULT); /* No instance came for it. */
    struct call *call = unmatched(driver);
    assert_int_equal(call->value.unmatched.count, 2);
    assert_int_equal(call->value.unmatched.total, 2);
    assert_string_equal(driver_text(driver, json_get(call->value.unmatched.view[0].event, STR("id"))),
                        "\"2\"");
    assert_non_null(strstr(call->value.unmatched.view[0].reason.p, "no instance"));
    assert_non_null(strstr(call->value.unmatched.view[1].reason.p, "no definition"));
    call->as.unmatched.before = call->value.unmatched.view[0].number;
    driver_run(driver, call);
    assert_int_equal(call->value.unmatched.count, 1);
}

static void unmatched_are_kept_for_the_retention_time(void **state)
{
    struct driver *driver = *state;
    driver->retention_ms = 1000;
    driver_restart(driver);
    event(driver, "unknown", "1", "1");
    driver_advance(driver, 999);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 1);
    for (int i = 0; i < 3; i++) driver_advance(driver, 3000);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
}

static void an_instance_without_a_token_adopts_the_first(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = driver_started(driver, "order", "{}");
    assert_string_equal(driver_instance(driver, id)->correlation.p, "");
    struct call_event *placed = event(driver, "placed", "1", "{\"order\":7}");
    assert_int_equal(placed->outcome, EVENT_DELIVERED);
    assert_int_equal(the_instance(placed).instance, id.instance);
    assert_string_equal(driver_instance(driver, id)->correlation.p, "7");
    assert_int_equal(subscription_count(driver), 1);
    assert_int_equal(event(driver, "paid", "2", "{\"order\":8}")->outcome, EVENT_WAITING);
    driver_check(driver);
    assert_int_equal(the_instance(event(driver, "paid", "3", "{\"order\":7}")).instance, id.instance);
}

static void an_event_without_a_token_is_nobody_elses(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    event(driver, "placed", "1", "{\"order\":7}");
    /* The trigger asks for a token and this one has none: it is not order 7's. */
    assert_int_equal(event(driver, "paid", "2", "{}")->outcome, EVENT_UNMATCHED);
    /* Nor does it start an order without a number, or reach one that has none yet. */
    struct id by_hand = driver_started(driver, "order", "{}");
    assert_int_equal(event(driver, "placed", "3", "{}")->outcome, EVENT_UNMATCHED);
    assert_int_equal(driver_instance(driver, by_hand)->mail_count, 0);
    struct call *kept = unmatched(driver);
    assert_int_equal(kept->value.unmatched.count, 2);
    assert_non_null(strstr(kept->value.unmatched.view[0].reason.p, "lacks the correlation value"));

    /* No database has an index of keys that are longer: they count as none. */
    for (int over = 0; over < 2; over++) {
        str text = arena_printf(&driver->arena, "{\"order\":\"%0*d\"}", EVENT_KEY_BYTES_MAX - 2 + over, 0);
        bool taken = event(driver, "placed", over ? "5" : "4", text.p)->outcome != EVENT_UNMATCHED;
        assert_int_equal(taken, !over);
    }
}

static void a_trigger_without_a_token_reaches_everybody(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("crowd"));
    struct id with = the_instance(event(driver, "paid", "1", "{\"order\":7}"));
    struct id without = driver_started(driver, "crowd", "{}");
    struct call_event *bell = event(driver, "bell", "2", "{}");
    assert_int_equal(bell->outcome, EVENT_DELIVERED);
    assert_int_equal(bell->instance_total, 2);
    assert_int_equal(driver_instance(driver, with)->status, INSTANCE_COMPLETED);
    struct instance_view *view = driver_instance(driver, without);
    assert_int_equal(view->status, INSTANCE_WAITING);
    assert_int_equal(view->mail_count, 1);
    assert_string_equal(view->mail[0].id.p, "2");
    assert_string_equal(view->mail[0].type.p, "bell");
    assert_string_equal(view->mail[0].source.p, "shop");
    assert_int_equal(view->mail[0].received_ms, driver->now_ms);
}

static void subscriptions_survive_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7}"));
    driver_restart(driver);
    struct call_event *paid = event(driver, "paid", "2", "{\"order\":7}");
    assert_int_equal(paid->outcome, EVENT_DELIVERED);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
}

static void versions_before_the_latest_still_listen_and_do_not_start(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id old = the_instance(event(driver, "placed", "1", "{\"order\":1}"));
    assert_int_equal(driver_deploy(driver, definition("order, changed"))->value.definitions.row->version, 2);
    /* One of version 1 takes it: nothing new is started. */
    struct call_event *again = event(driver, "placed", "2", "{\"order\":1}");
    assert_int_equal(again->outcome, EVENT_DELIVERED);
    assert_int_equal(the_instance(again).instance, old.instance);
    struct call_event *fresh = event(driver, "placed", "3", "{\"order\":2}");
    assert_int_equal(fresh->outcome, EVENT_STARTED);
    assert_int_equal(driver_instance(driver, the_instance(fresh))->definition_version, 2);
    assert_int_equal(event(driver, "paid", "4", "{\"order\":1}")->outcome, EVENT_DELIVERED);
    assert_int_equal(driver_instance(driver, old)->status, INSTANCE_COMPLETED);
}

static void an_event_starts_the_highest_version(void **state)
{
    struct driver *driver = *state;
    static const char *const versions[] = { "2.0", "1.0" };
    for (size_t i = 0; i < COUNT(versions); i++) {
        const char *text =
            arena_printf(&driver->arena, "{\"version\":\"%s\",%s", versions[i], &definition("order")[1]).p;
        assert_int_equal(driver_deploy(driver, text)->value.definitions.row->version, i + 1);
    }
    struct call_event *placed = event(driver, "placed", "1", "{\"order\":1}");
    assert_int_equal(placed->outcome, EVENT_STARTED);
    assert_int_equal(driver_instance(driver, the_instance(placed))->definition_version, 1);
}

static void several_definitions_each_take_an_event(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    driver_deploy(driver, definition("crowd"));
    event(driver, "placed", "1", "{\"order\":7}");
    struct call_event *paid = event(driver, "paid", "2", "{\"order\":7}");
    assert_int_equal(paid->outcome, EVENT_STARTED);
    assert_int_equal(paid->instance_total, 2);
    assert_false(paid->instance[0].started);
    assert_true(paid->instance[1].started);
}

static void too_many_instances_are_none(void **state)
{
    struct driver *driver = *state;
    driver->limits.event_instances_max = 2;
    driver_restart(driver);
    driver_deploy(driver, definition("crowd"));
    struct id id[3];
    for (size_t i = 0; i < 2; i++) id[i] = driver_started(driver, "crowd", "{}");
    assert_int_equal(event(driver, "bell", "1", "{}")->outcome, EVENT_DELIVERED);
    id[2] = driver_started(driver, "crowd", "{}");
    struct call_event *bell = event(driver, "bell", "2", "{}");
    assert_int_equal(bell->outcome, EVENT_REFUSED);
    assert_int_equal(bell->error.status, ST_LIMIT);
    assert_int_equal(driver_instance(driver, id[2])->mail_count, 0);
    assert_int_equal(driver_instance(driver, id[0])->mail_count, 1);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
    /* Refused is not remembered: it may come again. */
    driver_node(driver, CALL_CANCEL, id[0], "");
    assert_int_equal(event(driver, "bell", "2", "{}")->outcome, EVENT_DELIVERED);
}

static void a_full_mailbox_refuses(void **state)
{
    struct driver *driver = *state;
    driver->limits.mailbox_events_max = 1;
    driver_restart(driver);
    driver_deploy(driver, definition("crowd"));
    struct id id = driver_started(driver, "crowd", "{}");
    assert_int_equal(event(driver, "bell", "1", "{}")->outcome, EVENT_DELIVERED);
    struct call_event *refused = event(driver, "bell", "2", "{}");
    assert_int_equal(refused->outcome, EVENT_REFUSED);
    assert_int_equal(refused->error.status, ST_LIMIT);
    assert_int_equal(driver_instance(driver, id)->mail_count, 1);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
}

static void a_full_mailbox_among_others_is_named_in_a_unmatched(void **state)
{
    struct driver *driver = *state;
    driver->limits.mailbox_events_max = 2;
    driver_restart(driver);
    driver_deploy(driver, definition("crowd"));
    struct id ready = the_instance(event(driver, "paid", "1", "{\"order\":1}"));
    struct id full = the_instance(event(driver, "paid", "2", "{\"order\":2}"));
    event(driver, "paid", "3", "{\"order\":2}");
    struct call_event *bell = event(driver, "bell", "4", "{}");
    assert_int_equal(bell->outcome, EVENT_DELIVERED);
    assert_int_equal(the_instance(bell).instance, ready.instance);
    assert_int_equal(driver_instance(driver, ready)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver_instance(driver, full)->mail_count, 2);
    struct call *call = unmatched(driver);
    assert_int_equal(call->value.unmatched.count, 1);
    char text[ID_CHARS + 1];
    id_print(full, text);
    assert_non_null(strstr(call->value.unmatched.view[0].reason.p, text));
}

/* ---- unmatched events, sent again ---- */

static struct call *resend(struct driver *driver, int64_t number)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.resend = number;
    return driver_run(driver, call);
}

static void a_unmatched_sent_again_is_taken_by_whoever_is_there_now(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    event(driver, "paid", "1", "{\"order\":7}");
    driver_advance(driver, EARLY_MS_DEFAULT); /* No instance came for it. */
    int64_t number = unmatched(driver)->value.unmatched.view[0].number;
    driver_advance(driver, 5000);
    struct id id = the_instance(event(driver, "placed", "2", "{\"order\":7}"));
    struct call *call = resend(driver, number);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->as.events.event_count, 1);
    assert_int_equal(call->as.events.event->outcome, EVENT_DELIVERED);
    assert_int_equal(the_instance(call->as.events.event).instance, id.instance);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
    assert_int_equal(metric_get(&driver->metrics.events_delivered), 1);

    /* It is remembered as what it has become. */
    struct call_event *again = event(driver, "paid", "1", "{\"order\":7}");
    assert_int_equal(again->outcome, EVENT_DUPLICATE);
    assert_int_equal(again->first, EVENT_DELIVERED);
    assert_int_equal(the_instance(again).instance, id.instance);
    call = resend(driver, number);
    assert_int_equal(call->status, ST_NOT_FOUND);
    driver_check(driver);
}

static void a_unmatched_sent_again_may_start_something(void **state)
{
    struct driver *driver = *state;
    event(driver, "placed", "1", "{\"order\":7}");
    driver_restart(driver);
    driver_deploy(driver, definition("order"));
    struct call *call = resend(driver, unmatched(driver)->value.unmatched.view[0].number);
    assert_int_equal(call->as.events.event->outcome, EVENT_STARTED);
    assert_string_equal(driver_instance(driver, the_instance(call->as.events.event))->correlation.p, "7");
    assert_int_equal(unmatched(driver)->value.unmatched.count, 0);
}

static void a_unmatched_that_nobody_takes_again_stays_as_it_is(void **state)
{
    struct driver *driver = *state;
    event(driver, "paid", "1", "{\"order\":7}");
    struct unmatched_view before = unmatched(driver)->value.unmatched.view[0];
    driver_advance(driver, 5000);
    assert_int_equal(resend(driver, before.number)->as.events.event->outcome, EVENT_UNMATCHED);
    struct call *after = unmatched(driver);
    assert_int_equal(after->value.unmatched.count, 1);
    assert_int_equal(after->value.unmatched.view[0].number, before.number);
    assert_int_equal(after->value.unmatched.view[0].received_ms, before.received_ms);
    assert_int_equal(event(driver, "paid", "1", "{\"order\":7}")->first, EVENT_UNMATCHED);
}

static void a_unmatched_that_is_refused_stays(void **state)
{
    struct driver *driver = *state;
    driver->limits.mailbox_events_max = 1;
    driver_restart(driver);
    event(driver, "bell", "1", "{}");
    driver_deploy(driver, definition("crowd"));
    driver_started(driver, "crowd", "{}");
    event(driver, "bell", "2", "{}");
    int64_t number = unmatched(driver)->value.unmatched.view[0].number;
    struct call *call = resend(driver, number);
    assert_int_equal(call->as.events.event->outcome, EVENT_REFUSED);
    assert_int_equal(call->as.events.event->error.status, ST_LIMIT);
    assert_int_equal(unmatched(driver)->value.unmatched.view[0].number, number);
    assert_true(store_release_space(driver->engine.store));
    assert_int_equal(resend(driver, number)->status, ST_FULL);
}

/* Others have it: who had no room for it is named in the unmatched event, for people. */
static void a_unmatched_about_one_of_several_is_not_sent_again(void **state)
{
    struct driver *driver = *state;
    driver->limits.mailbox_events_max = 2;
    driver_restart(driver);
    driver_deploy(driver, definition("crowd"));
    event(driver, "paid", "1", "{\"order\":1}");
    event(driver, "paid", "2", "{\"order\":2}");
    event(driver, "paid", "3", "{\"order\":2}");
    event(driver, "bell", "4", "{}");
    struct call *call = resend(driver, unmatched(driver)->value.unmatched.view[0].number);
    assert_int_equal(call->status, ST_CONFLICT);
    assert_non_null(strstr(call->error.message, "twice"));
    assert_int_equal(unmatched(driver)->value.unmatched.count, 1);
}

/* Nor when the memory of what it did is gone, which an unmatched event may outlive. */
static void a_unmatched_about_one_of_several_is_never_sent_again(void **state)
{
    struct driver *driver = *state;
    driver->limits.mailbox_events_max = 2;
    driver_restart(driver);
    driver_deploy(driver, definition("crowd"));
    event(driver, "paid", "1", "{\"order\":1}");
    event(driver, "paid", "2", "{\"order\":1}");
    struct id has = driver_started(driver, "crowd", "{}");
    event(driver, "bell", "3", "{}");
    int64_t number = unmatched(driver)->value.unmatched.view[0].number;
    assert_int_equal(driver_instance(driver, has)->mail_count, 1);
    driver_advance(driver, (driver->limits.idempotency_hours + 1) * 3600000);
    struct call *call = resend(driver, number);
    assert_int_equal(call->status, ST_CONFLICT);
    assert_int_equal(driver_instance(driver, has)->mail_count, 1);
    assert_int_equal(unmatched(driver)->value.unmatched.view[0].number, number);
}

static void only_unmatched_can_be_sent_again(void **state)
{
    struct driver *driver = *state;
    event(driver, "paid", "1", "{\"order\":7}");
    int64_t number = unmatched(driver)->value.unmatched.view[0].number;
    static const int64_t wrong[] = { 4711, -1, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct call *call = resend(driver, wrong[i]);
        assert_int_equal(call->status, ST_NOT_FOUND);
        assert_int_equal(call->as.events.event_count, 0);
    }
    struct call *elsewhere = driver_call(driver, CALL_EVENTS);
    elsewhere->as.events.resend = number;
    elsewhere->ns = NAMESPACE_DEFAULT + 1;
    assert_int_equal(driver_run(driver, elsewhere)->status, ST_NOT_FOUND);
}

static void an_event_needs_its_attributes(void **state)
{
    struct driver *driver = *state;
    const char *text[] = { "{\"id\":\"1\",\"source\":\"shop\"}",
                           "{\"id\":\"\",\"source\":\"shop\",\"type\":\"t\"}", "{}" };
    struct call *call = events(driver, text, COUNT(text));
    for (size_t i = 0; i < COUNT(text); i++) {
        assert_int_equal(call->as.events.event[i].outcome, EVENT_REFUSED);
        assert_int_equal(call->as.events.event[i].error.status, ST_INVALID);
    }
}

static void a_request_with_a_key_is_done_once(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    for (int i = 0; i < 2; i++) {
        struct call *call = driver_call(driver, CALL_EVENTS);
        call->as.events.event = arena_make(&driver->arena, struct call_event);
        call->as.events.event_count = 1;
        call->as.events.event->event =
            driver_json(driver, event_text(driver, "placed", "1", "{\"order\":7}"));
        call->idempotency_key = STR("key");
        driver_run(driver, call);
        assert_int_equal(call->replayed, i == 1);
        assert_int_equal(call->as.events.event->outcome, EVENT_STARTED);
    }
}

static void a_full_disk_refuses_events(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    assert_true(store_release_space(driver->engine.store));
    const char *text = event_text(driver, "placed", "1", "{\"order\":7}");
    assert_int_equal(events(driver, &text, 1)->status, ST_FULL);
    driver_advance(driver, 2000);
    assert_int_equal(event(driver, "placed", "1", "{\"order\":7}")->outcome, EVENT_STARTED);
}

static void a_cancelled_instance_takes_no_more(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("order"));
    struct id id = the_instance(event(driver, "placed", "1", "{\"order\":7}"));
    driver_node(driver, CALL_CANCEL, id, "");
    assert_int_equal(subscription_count(driver), 0);
    assert_int_equal(event(driver, "paid", "2", "{\"order\":7}")->outcome, EVENT_WAITING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(an_event_starts_and_a_second_one_ends),
        DRIVER_TEST(tokens_keep_instances_apart),
        DRIVER_TEST(the_same_event_counts_once),
        DRIVER_TEST(a_damaged_memory_of_an_event_refuses_it),
        DRIVER_TEST(an_event_is_forgotten_after_its_time),
        DRIVER_TEST(one_request_may_hold_an_event_twice),
        DRIVER_TEST(what_nobody_takes_is_a_unmatched),
        DRIVER_TEST(unmatched_are_kept_for_the_retention_time),
        DRIVER_TEST(an_instance_without_a_token_adopts_the_first),
        DRIVER_TEST(an_event_without_a_token_is_nobody_elses),
        DRIVER_TEST(a_trigger_without_a_token_reaches_everybody),
        DRIVER_TEST(subscriptions_survive_a_restart),
        DRIVER_TEST(versions_before_the_latest_still_listen_and_do_not_start),
        DRIVER_TEST(an_event_starts_the_highest_version),
        DRIVER_TEST(several_definitions_each_take_an_event),
        DRIVER_TEST(too_many_instances_are_none),
        DRIVER_TEST(a_full_mailbox_refuses),
        DRIVER_TEST(a_full_mailbox_among_others_is_named_in_a_unmatched),
        DRIVER_TEST(a_unmatched_sent_again_is_taken_by_whoever_is_there_now),
        DRIVER_TEST(a_unmatched_sent_again_may_start_something),
        DRIVER_TEST(a_unmatched_that_nobody_takes_again_stays_as_it_is),
        DRIVER_TEST(a_unmatched_that_is_refused_stays),
        DRIVER_TEST(a_unmatched_about_one_of_several_is_not_sent_again),
        DRIVER_TEST(a_unmatched_about_one_of_several_is_never_sent_again),
        DRIVER_TEST(only_unmatched_can_be_sent_again),
        DRIVER_TEST(an_event_needs_its_attributes),
        DRIVER_TEST(a_request_with_a_key_is_done_once),
        DRIVER_TEST(a_full_disk_refuses_events),
        DRIVER_TEST(a_cancelled_instance_takes_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
