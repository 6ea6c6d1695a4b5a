/* The work of one turn, and its bounds: no call waits for the expensive work of another definition. */
#include "driver.h"

/* "counts" counts to `max`, at once. */
static const char *definition(const char *name) { return document("runtime/turns", name); }

#define LONG "{\"n\":0,\"max\":3000}"

static void one_turn(struct driver *driver, struct call_list *calls)
{
    engine_turn(&driver->engine, calls);
    call_list_append(&driver->answered, &driver->engine.answered);
}

static void warm(struct driver *driver, const char *definition, const char *data)
{
    for (int i = 0; i < 3; i++) driver_run(driver, driver_start(driver, definition, data));
}

static void a_cheap_start_goes_before_expensive_ones(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("counts"));
    warm(driver, "quick", NULL);
    warm(driver, "counts", LONG);
    struct call_list calls = { 0 };
    struct call *slow[200], *fast = driver_start(driver, "quick", NULL);
    for (size_t i = 0; i < COUNT(slow); i++)
        call_list_add(&calls, slow[i] = driver_start(driver, "counts", LONG));
    call_list_add(&calls, fast);
    one_turn(driver, &calls);
    assert_true(driver_answered(driver, fast));
    size_t answered = 0;
    for (size_t i = 0; i < COUNT(slow); i++) answered += driver_answered(driver, slow[i]);
    assert_in_range(answered, 1, 100);
    assert_int_equal(engine_next_ms(&driver->engine), driver->now_ms);
    for (int turn = 0; turn < 1000 && answered < COUNT(slow); turn++) {
        struct call_list none = { 0 };
        one_turn(driver, &none);
        for (size_t i = 0; i < COUNT(slow); i++) answered += driver_answered(driver, slow[i]);
    }
    assert_int_equal(answered, COUNT(slow));
    driver_check(driver);
}

static void expensive_definitions_take_turns(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("counts"));
    driver_deploy(driver, definition("other"));
    warm(driver, "counts", LONG);
    warm(driver, "other", LONG);
    struct call_list calls = { 0 };
    for (int i = 0; i < 300; i++) call_list_add(&calls, driver_start(driver, "counts", LONG));
    struct call *other = driver_start(driver, "other", LONG);
    call_list_add(&calls, other);
    one_turn(driver, &calls);
    assert_true(driver_answered(driver, other));
    assert_true(driver->engine.work.shares.call_count > 100);
}

static void too_many_calls_for_one_definition_are_refused(void **state)
{
    struct driver *driver = *state;
    driver->limits.share_calls_max = 10;
    driver_restart(driver);
    driver_deploy(driver, definition("counts"));
    warm(driver, "counts", LONG);
    struct call_list calls = { 0 };
    struct call *last = NULL;
    for (int i = 0; i < 11; i++) call_list_add(&calls, last = driver_start(driver, "counts", LONG));
    one_turn(driver, &calls);
    assert_true(driver_answered(driver, last));
    assert_int_equal(last->status, ST_OVERLOAD);
    assert_non_null(strstr(last->error.message, "share_calls_max"));
}

static void a_cancel_overtakes_what_waits(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("counts later"));
    struct id id = driver_started(driver, "counts-later", "{\"n\":0,\"max\":3000}");
    struct id other = driver_started(driver, "counts-later", "{\"n\":0,\"max\":3000}");
    driver_node(driver, CALL_SIGNAL, other, "t");
    struct call_list calls = { 0 };
    struct call *signal = driver_call(driver, CALL_SIGNAL), *cancel = driver_call(driver, CALL_CANCEL);
    signal->as.instance.id = cancel->as.instance.id = id;
    signal->as.instance.node = STR("t");
    call_list_add(&calls, signal);
    call_list_add(&calls, cancel);
    one_turn(driver, &calls);
    assert_int_equal(cancel->status, ST_OK);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_CANCELLED);
}

static void expensive_timers_leave_room_for_others(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("counts later"));
    warm(driver, "quick", NULL);
    for (int i = 0; i < 100; i++) driver_started(driver, "counts-later", "{\"n\":0,\"max\":3000}");
    driver->now_ms += 1000;
    struct call_list calls = { 0 };
    struct call *fast = driver_start(driver, "quick", NULL);
    call_list_add(&calls, fast);
    one_turn(driver, &calls);
    assert_true(driver_answered(driver, fast));
    assert_in_range(metric_get(&driver->metrics.timers_fired), 1, 60);
    assert_int_equal(engine_next_ms(&driver->engine), driver->now_ms);
    for (int i = 0; i < 300; i++) driver_turn(driver);
    assert_int_equal(metric_get(&driver->metrics.timers_fired), 100);
}

static struct call *bells(struct driver *driver, const char *type, size_t count)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make_n(&driver->arena, struct call_event, count);
    call->as.events.event_count = count;
    for (size_t i = 0; i < count; i++)
        call->as.events.event[i].event = driver_json(
            driver,
            arena_printf(&driver->arena,
                         "{\"specversion\":\"1.0\",\"id\":\"%s-%zu\",\"source\":\"s\",\"type\":\"%s\"}", type,
                         i, type)
                .p);
    return call;
}

enum { CROWD = 2000 };

/* Turns so small that the crowd is too large for one. */
static void small_turns(struct driver *driver)
{
    driver->limits.turn_fuel_max = 300000;
    driver_restart(driver);
}

static void start_crowd(struct driver *driver)
{
    small_turns(driver);
    driver_deploy(driver, definition("crowd"));
    for (int i = 0; i < CROWD; i++) driver_started(driver, "crowd", "{}");
}

static size_t turns_until_answered(struct driver *driver, struct call *call)
{
    size_t turns = 0;
    struct call_list calls = { 0 };
    call_list_add(&calls, call);
    one_turn(driver, &calls);
    for (; !driver_answered(driver, call); turns++) {
        struct call_list none = { 0 };
        assert_true(turns < 10000);
        one_turn(driver, &none);
    }
    return turns;
}

static void an_event_for_very_many_takes_several_turns(void **state)
{
    struct driver *driver = *state;
    start_crowd(driver);
    struct call *call = bells(driver, "bell", 1);
    assert_true(turns_until_answered(driver, call) > 2);
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->as.events.event[0].outcome, EVENT_DELIVERED);
    assert_int_equal(call->as.events.event[0].instance_total, CROWD);
    assert_int_equal(call->as.events.event[0].instance_count, EVENT_LISTED_MAX);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]), CROWD);
    assert_int_equal(engine_next_ms(&driver->engine) > driver->now_ms, true);
    struct call *again = bells(driver, "bell", 1);
    driver_run(driver, again);
    assert_int_equal(again->as.events.event[0].outcome, EVENT_DUPLICATE);
    assert_int_equal(again->as.events.event[0].instance_total, CROWD);
    driver_check(driver);
}

static void an_event_on_its_way_goes_on_after_a_restart(void **state)
{
    struct driver *driver = *state;
    start_crowd(driver);
    struct call *call = bells(driver, "bell", 1);
    struct call_list calls = { 0 };
    call_list_add(&calls, call);
    one_turn(driver, &calls);
    assert_false(driver_answered(driver, call));
    driver_restart(driver);
    uint64_t before = metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]);
    assert_in_range(before, 1, CROWD - 1);
    for (int i = 0; i < 200; i++) driver_turn(driver);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]), CROWD);
    assert_int_equal(driver->engine.events.routings.count, 0);
    driver_check(driver);
    struct call *again = bells(driver, "bell", 1);
    driver_run(driver, again);
    assert_int_equal(again->as.events.event[0].outcome, EVENT_DUPLICATE);
    assert_int_equal(again->as.events.event[0].instance_total, CROWD);
}

static void events_of_one_call_keep_their_order(void **state)
{
    struct driver *driver = *state;
    small_turns(driver);
    driver_deploy(driver, definition("pair"));
    for (int i = 0; i < CROWD; i++) driver_started(driver, "pair", "{}");
    struct call *call = bells(driver, "bell", 3);
    turns_until_answered(driver, call);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(call->as.events.event[i].outcome, EVENT_DELIVERED);
        assert_int_equal(call->as.events.event[i].instance_total, CROWD);
    }
    struct id first = { .ms = call->as.events.event[0].instance[0].created_ms,
                        .instance = call->as.events.event[0].instance[0].id };
    struct instance_view *view = driver_instance(driver, first);
    assert_int_equal(view->mail_count, 3);
    assert_string_equal(view->mail[0].id.p, "bell-0");
    assert_string_equal(view->mail[2].id.p, "bell-2");
    driver_check(driver);
}

static void others_are_served_while_an_event_is_on_its_way(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("waits"));
    warm(driver, "waits", NULL);
    start_crowd(driver);
    struct call *call = bells(driver, "bell", 1);
    struct call_list calls = { 0 };
    call_list_add(&calls, call);
    one_turn(driver, &calls);
    struct call *start = driver_start(driver, "waits", NULL);
    struct call_list more = { 0 };
    call_list_add(&more, start);
    one_turn(driver, &more);
    assert_true(driver_answered(driver, start));
    assert_false(driver_answered(driver, call));
}

enum { JOBS = 60 };

/* Completes as many jobs in one batch; returns how many turns it took behind the first. */
static size_t turns_of_batch(struct driver *driver, const char *data)
{
    driver_deploy(driver, definition("jobs"));
    for (int i = 0; i < JOBS; i++) driver_started(driver, "jobs", data);
    struct call *poll = driver_run(driver, driver_poll(driver, "me", "w", JOBS));
    assert_int_equal(poll->value.jobs.count, JOBS);
    struct call *batch = driver_call(driver, CALL_BATCH);
    batch->as.batch.item = arena_make_n(&driver->arena, struct call, JOBS);
    batch->as.batch.item_count = JOBS;
    for (size_t i = 0; i < JOBS; i++) {
        batch->as.batch.item[i].kind = CALL_COMPLETE_JOB;
        batch->as.batch.item[i].arena = &driver->arena;
        batch->as.batch.item[i].as.job.id = job_view_id(&poll->value.jobs.view[i]);
        batch->as.batch.item[i].as.job.worker = STR("me");
    }
    size_t turns = turns_until_answered(driver, batch);
    for (size_t i = 0; i < JOBS; i++) assert_int_equal(batch->as.batch.item[i].status, ST_OK);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_COMPLETED]), JOBS);
    driver_check(driver);
    return turns;
}

static void a_batch_may_take_several_turns(void **state) { assert_true(turns_of_batch(*state, LONG) > 2); }

static void the_memory_of_a_turn_divides_a_batch(void **state)
{
    struct driver *driver = *state;
    driver->limits.turn_bytes_max = 64 << 10;
    driver_restart(driver);
    assert_true(turns_of_batch(driver, "{\"n\":0,\"max\":1}") > 2);
}

static void a_cheap_batch_takes_one_turn(void **state)
{
    assert_int_equal(turns_of_batch(*state, "{\"n\":0,\"max\":1}"), 0);
}

static void a_chain_of_itself_is_stopped_where_somebody_can_see_it(void **state)
{
    struct driver *driver = *state;
    driver->limits.family_starts_max = 30;
    driver_restart(driver);
    driver_deploy(driver, definition("loop"));
    driver_started(driver, "loop", NULL);
    for (int i = 0; i < 50; i++) driver_turn(driver);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 32);
    struct call *list = driver_call(driver, CALL_LIST_INSTANCES);
    enum instance_status failed = INSTANCE_FAILED;
    list->as.instances.filter.definition_id = STR("loop");
    driver_run(driver, list);
    assert_int_equal(list->value.instances.view[0].status, failed);
    assert_non_null(strstr(list->value.instances.view[0].failure.p, "family_starts_max"));
    assert_false(driver_has_pending(driver));
    driver_check(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(a_cheap_start_goes_before_expensive_ones),
        DRIVER_TEST(expensive_definitions_take_turns),
        DRIVER_TEST(too_many_calls_for_one_definition_are_refused),
        DRIVER_TEST(a_cancel_overtakes_what_waits),
        DRIVER_TEST(expensive_timers_leave_room_for_others),
        DRIVER_TEST(an_event_for_very_many_takes_several_turns),
        DRIVER_TEST(an_event_on_its_way_goes_on_after_a_restart),
        DRIVER_TEST(events_of_one_call_keep_their_order),
        DRIVER_TEST(others_are_served_while_an_event_is_on_its_way),
        DRIVER_TEST(a_batch_may_take_several_turns),
        DRIVER_TEST(the_memory_of_a_turn_divides_a_batch),
        DRIVER_TEST(a_cheap_batch_takes_one_turn),
        DRIVER_TEST(a_chain_of_itself_is_stopped_where_somebody_can_see_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
