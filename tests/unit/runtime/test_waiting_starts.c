/* Held instances, arrivals in the queue, and instances that end at the start, on a store that fails. */
#include "arrive_driver.h"

#include "runtime/limits.h"
#include "store/store_int.h"

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    uint64_t unreadable; /* An instance. */
    bool unreadable_queues;
    bool full;
    int tries;
} faults;

static enum status faulty_load(struct store *store, uint64_t id, struct arena *arena,
                               struct instance_row *ret_row, struct error *err)
{
    if (id != faults.unreadable) return faults.real->load_instance(store, id, arena, ret_row, err);
    faults.tries++;
    return (fail)(err, ST_STORE, "store", "a page is damaged");
}

/* Those of the first two queues. */
static enum status faulty_find(struct store *store, int32_t ns, str id, int32_t version, struct arena *arena,
                               struct definition_row *ret_row, struct error *err)
{
    bool fails = faults.unreadable_queues && (str_equal(id, STR("queue")) || str_equal(id, STR("queue2")));
    if (!fails) return faults.real->find_definition(store, ns, id, version, arena, ret_row, err);
    faults.tries++;
    return (fail)(err, ST_STORE, "store", "a page is damaged");
}

static enum status faulty_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    if (!faults.full) return faults.real->apply(store, changeset, err);
    faults.tries++;
    return (fail)(err, ST_FULL, "store", "the disk is full");
}

static void faults_begin(struct driver *driver, uint64_t unreadable, bool full)
{
    faults.real = driver->store->ops;
    faults.ops = *faults.real;
    faults.ops.load_instance = faulty_load;
    faults.ops.find_definition = faulty_find;
    faults.ops.apply = faulty_apply;
    faults.unreadable = unreadable;
    faults.unreadable_queues = false;
    faults.full = full;
    faults.tries = 0;
    driver->store->ops = &faults.ops;
}

static void faults_end(struct driver *driver) { driver->store->ops = faults.real; }

/* Turns as the engine asks for them, up to a time. */
static void run_for(struct driver *driver, int64_t ms)
{
    int64_t end_ms = driver->now_ms + ms;
    for (int turns = 0; driver->now_ms < end_ms; turns++) {
        if (turns > 100) fail_msg("the engine is busy with nothing");
        int64_t next_ms = engine_next_ms(&driver->engine);
        if (next_ms > driver->now_ms) driver->now_ms = next_ms < end_ms ? next_ms : end_ms;
        driver_turn(driver);
    }
}

/* No call was answered any more, and the engine was busy. */
static void what_is_not_recoverable_and_cannot_be_read_is_passed_over(void **state)
{
    struct driver *driver = *state;
    struct arrival_view *view[3];
    deploy(driver, "fragile");
    deploy(driver, "orders");
    for (size_t i = 0; i < COUNT(view); i++) view[i] = post(driver, "/fragile", "{}");
    driver_restart(driver);
    faults_begin(driver, view[1]->instance, false);
    run_for(driver, 10000);
    assert_int_equal(faults.tries, 2);
    post(driver, "/orders", "{}");
    faults_end(driver);
    assert_int_equal(get(driver, view[0])->status, INSTANCE_FAILED);
    assert_int_equal(get(driver, view[1])->status, INSTANCE_WAITING);
    assert_int_equal(get(driver, view[2])->status, INSTANCE_FAILED);
    driver_restart(driver); /* Its record has stayed. */
    driver_turn(driver);
    assert_int_equal(get(driver, view[1])->status, INSTANCE_FAILED);
}

static void hold_three(struct driver *driver, struct arrival_view **view)
{
    struct call *pause = driver_call(driver, CALL_PAUSE_ENGINE);
    deploy(driver, "low");
    pause->as.pause.paused = true;
    driver_run(driver, pause);
    for (int i = 0; i < 3; i++) view[i] = post(driver, "/low", "{}");
    driver_restart(driver);
}

static void a_held_instance_that_cannot_be_read_is_passed_over(void **state)
{
    struct driver *driver = *state;
    struct arrival_view *view[3];
    hold_three(driver, view);
    faults_begin(driver, view[0]->instance, false);
    driver_run(driver, driver_call(driver, CALL_PAUSE_ENGINE));
    run_for(driver, 10000);
    faults_end(driver);
    assert_int_equal(get(driver, view[0])->revision, 1);
    assert_int_equal(get(driver, view[1])->revision, 2);
    assert_int_equal(get(driver, view[2])->revision, 2);
    driver_restart(driver);
    driver_turn(driver);
    assert_int_equal(get(driver, view[0])->revision, 2);
}

/* Held instances do not fit on the disk: starts are refused, and the engine waits. */
static void held_instances_wait_while_the_disk_is_full(void **state)
{
    struct driver *driver = *state;
    struct arrival_view *view[3];
    hold_three(driver, view);
    driver->engine.transact.starts_paused = false;
    driver->engine.transact.backlog[BACKLOG_HELD].due = true;
    faults_begin(driver, 0, true);
    driver_turn(driver);
    assert_int_equal(store_space(driver->engine.store), STORE_SPACE_ENOUGH); /* Maintenance has been. */
    run_for(driver, 5000);
    assert_true(faults.tries < 50);
    faults_end(driver);
    run_for(driver, 5000);
    for (int i = 0; i < 3; i++) assert_int_equal(get(driver, view[i])->revision, 2);
}

static void cancel(struct driver *driver, const struct arrival_view *view)
{
    struct call *call = driver_call(driver, CALL_CANCEL);
    call->as.instance.id = (struct id){ .ms = view->instance_created_ms, .instance = view->instance };
    call->as.instance.text = STR("done");
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
}

/* How many arrivals of the definition had the outcome. */
static size_t count_of(struct driver *driver, const char *definition, enum arrival_outcome outcome)
{
    struct call *call = driver_call(driver, CALL_LIST_ARRIVALS);
    call->as.arrivals =
        (struct call_arrivals){ .definition_id = str_of(definition), .outcome = (int32_t)outcome, .max = 50 };
    driver_run(driver, call);
    assert_int_equal(call->status, ST_OK);
    return call->value.arrivals.count;
}

/* How many instances arrivals of the definition have made. */
static size_t made_of(struct driver *driver, const char *definition)
{
    return count_of(driver, definition, OUTCOME_CREATED);
}

static const char *const queue[] = { "queue", "queue2", "queue3" };

/* In each queue one arrival waits for the instance of another to end. */
static void fill_queues(struct driver *driver, struct arrival_view *first[COUNT(queue)])
{
    for (size_t i = 0; i < COUNT(queue); i++) {
        const char *path = arena_printf(&driver->arena, "/%s", queue[i]).p;
        deploy(driver, queue[i]);
        first[i] = post(driver, path, "{\"id\":\"A\"}");
        post(driver, path, "{\"id\":\"B\"}");
    }
}

/* However many queues there are, a turn looks at as many as it has time for. */
static void queues_are_looked_at_in_as_many_turns_as_it_takes(void **state)
{
    struct driver *driver = *state;
    struct arrival_view *first[COUNT(queue)];
    fill_queues(driver, first);
    driver->limits.turn_fuel_max = 1;
    driver_restart(driver);
    run_for(driver, 4000);
    driver->engine.transact.backlog[BACKLOG_OVERFLOW].due = true;
    struct call_list none = { 0 };
    engine_turn(&driver->engine, &none);
    assert_true(driver->engine.transact.backlog[BACKLOG_OVERFLOW].due);
    for (size_t i = 0; i < COUNT(queue); i++) driver_turn(driver);
    assert_false(driver->engine.transact.backlog[BACKLOG_OVERFLOW].due); /* All were looked at. */
    for (size_t i = 0; i < COUNT(queue); i++) cancel(driver, first[i]);
    run_for(driver, 10000);
    for (size_t i = 0; i < COUNT(queue); i++) assert_int_equal(made_of(driver, queue[i]), 2);
}

/* The queue was looked at from its beginning each time, and nobody behind them was let in. */
static void arrivals_go_on_behind_definitions_that_cannot_be_read(void **state)
{
    struct driver *driver = *state;
    struct arrival_view *first[COUNT(queue)];
    fill_queues(driver, first);
    driver_restart(driver);
    faults_begin(driver, 0, false);
    faults.unreadable_queues = true;
    cancel(driver, first[2]);
    run_for(driver, 10000);
    assert_int_equal(made_of(driver, queue[2]), 2);
    assert_true(faults.tries < 50);
    for (size_t i = 0; i < 2; i++) assert_int_equal(made_of(driver, queue[i]), 1);
    faults_end(driver);
    for (size_t i = 0; i < 2; i++) cancel(driver, first[i]);
    run_for(driver, 10000);
    for (size_t i = 0; i < COUNT(queue); i++) assert_int_equal(made_of(driver, queue[i]), 2);
}

/* ---- priorities ---- */

/* The newest instance of the definition. */
static struct arrival_view newest_of(struct driver *driver, const char *definition, size_t count)
{
    struct call *call = driver_call(driver, CALL_LIST_INSTANCES);
    call->as.instances.filter.definition_id = str_of(definition);
    call->as.instances.with_total = true;
    driver_run(driver, call);
    assert_int_equal(call->value.instances.total, count);
    struct id id = instance_view_id(call->value.instances.view);
    return (struct arrival_view){ .instance = id.instance, .instance_created_ms = id.ms };
}

/* As engines wrote it that did not know priorities. */
static void forget_priority(struct driver *driver, const char *key)
{
    const struct record_row row = {
        .ns = NAMESPACE_DEFAULT, .kind = RECORD_OVERFLOW, .key = str_of(key), .value = STR("1")
    };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    struct error err;
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
}

static void check_order_of_queues(struct driver *driver, bool forgets)
{
    static const char *const name[] = { "queue", "urgent" };
    for (size_t i = 0; i < COUNT(name); i++) {
        deploy(driver, name[i]);
        const char *path = arena_printf(&driver->arena, "/%s", name[i]).p;
        post(driver, path, "{\"id\":\"A\"}");
        assert_int_equal(post(driver, path, "{\"id\":\"B\"}")->outcome, OUTCOME_QUEUED);
    }
    deploy(driver, "queue, open");
    deploy(driver, "urgent, open"); /* From now on it is urgent. */
    if (forgets) forget_priority(driver, "\xffqueue");
    if (forgets) forget_priority(driver, "\xffurgent");
    run_for(driver, 4000);
    assert_true(newest_of(driver, "urgent", 2).instance < newest_of(driver, "queue", 2).instance);
}

static void the_queue_of_the_higher_priority_comes_first(void **state)
{
    check_order_of_queues(*state, false);
}

static void queues_of_older_engines_come_by_priority_too(void **state)
{
    check_order_of_queues(*state, true);
}

/* Both wait for their business key, which others have. */
static void chained_starts_of_the_higher_priority_come_first(void **state)
{
    struct driver *driver = *state;
    static const char *const name[] = { "queue", "urgent" };
    struct arrival_view *holder[COUNT(name)];
    for (size_t i = 0; i < COUNT(name); i++) {
        const char *chain = arena_printf(&driver->arena, "to-%s", name[i]).p;
        deploy(driver, arena_printf(&driver->arena, "%s, open", name[i]).p);
        deploy(driver, chain);
        holder[i] = post(driver, arena_printf(&driver->arena, "/%s", name[i]).p, "{\"id\":\"K\"}");
        struct call *start = driver_start(driver, chain, NULL);
        start->as.start.business_key = STR("K");
        assert_int_equal(driver_run(driver, start)->status, ST_OK);
    }
    for (size_t i = 0; i < COUNT(name); i++) cancel(driver, holder[i]);
    run_for(driver, 4000);
    assert_true(newest_of(driver, "urgent", 2).instance < newest_of(driver, "queue", 2).instance);
}

static void chained_starts_and_arrivals_wait_for_a_place_in_one_order(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    deploy(driver, "to-queue");
    struct arrival_view living = *post(driver, "/queue", "{\"id\":\"A\"}");
    for (int i = 0; i < 2; i++) {
        driver_started(driver, "to-queue", NULL);
        run_for(driver, 1000);
        if (!i) assert_int_equal(post(driver, "/queue", "{\"id\":\"B\"}")->outcome, OUTCOME_QUEUED);
        run_for(driver, 1000);
    }
    static const size_t arrived[] = { 1, 2, 2 }; /* The chained start, the arrival, the chained start. */
    for (size_t i = 0; i < COUNT(arrived); i++) {
        cancel(driver, &living);
        run_for(driver, 100);
        living = newest_of(driver, "queue", i + 2);
        assert_int_equal(made_of(driver, "queue"), arrived[i]);
    }
}

/* ---- a version that does not queue ---- */

/* Those who wait were told so, whatever a later version does with new arrivals. */
static void what_waits_for_a_place_goes_on_waiting_under_another_version(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    assert_int_equal(post(driver, "/queue", "{\"id\":\"B\"}")->outcome, OUTCOME_QUEUED);
    assert_int_equal(post(driver, "/queue", "{\"id\":\"C\"}")->outcome, OUTCOME_QUEUED);
    deploy(driver, "queue, no more");
    run_for(driver, 10000);
    assert_int_equal(count_of(driver, "queue", OUTCOME_REJECTED_LIMIT), 0);
    assert_int_equal(post(driver, "/queue", "{\"id\":\"D\"}")->outcome, OUTCOME_REJECTED_LIMIT);
    cancel(driver, first);
    run_for(driver, 10000);
    assert_int_equal(made_of(driver, "queue"), 2); /* B, and C still waits. */
    assert_int_equal(count_of(driver, "queue", OUTCOME_REJECTED_LIMIT), 1);
    driver_advance(driver, 24 * 3600000);
    run_for(driver, 10000);
    assert_int_equal(count_of(driver, "queue", OUTCOME_EXPIRED), 1);
}

/* ---- as many Ephemeral instances as may live ---- */

/* Returns the first of them. */
static struct arrival_view *fill_memory(struct driver *driver)
{
    enum { PER_TURN = 500 };
    struct arrival_view *first;
    deploy(driver, "ephemeral");
    first = post(driver, "/ephemeral", "{}");
    for (size_t made = 1; made < TRANSIENTS_LIVING_MAX;) {
        struct call_list list = { 0 };
        for (size_t i = 0; i < PER_TURN && made < TRANSIENTS_LIVING_MAX; i++, made++)
            call_list_add(&list, request(driver, "POST", "/ephemeral", "{}"));
        engine_turn(&driver->engine, &list);
        driver_turn(driver);
        driver->answered = (struct call_list){ 0 };
    }
    assert_int_equal(store_transients(driver->engine.store).living, TRANSIENTS_LIVING_MAX);
    return first;
}

static struct call *message(struct driver *driver)
{
    struct call *call = driver_call(driver, CALL_ARRIVE);
    call->as.arrive = (struct call_arrive){
        .event = { .type = ARRIVAL_MQTT, .topic = STR("m"), .raw = STR("{}") },
        .definition_id = STR("ephemeral-message"),
        .trigger = STR("m"),
    };
    return driver_run(driver, call);
}

/* Its sender is told so, or the record tells it; others of the same broker do not wait for it. */
static void what_comes_from_outside_is_refused_without_room_in_memory(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "ephemeral message");
    struct arrival_view *living = fill_memory(driver);
    assert_int_equal(message(driver)->status, ST_OK);
    assert_int_equal(count_of(driver, "ephemeral-message", OUTCOME_REFUSED), 1);
    struct arrival_view *asked = post(driver, "/ephemeral", "{}");
    assert_int_equal(asked->outcome, OUTCOME_REFUSED);
    assert_int_equal(asked->http_status, 429);
    cancel(driver, living);
    struct call *again = message(driver);
    assert_int_equal(again->status, ST_OK);
    assert_int_equal(again->value.arrivals.view->outcome, OUTCOME_CREATED);
}

static void what_was_queued_waits_for_room_in_memory(void **state)
{
    struct driver *driver = *state;
    deploy(driver, "queue");
    struct arrival_view *first = post(driver, "/queue", "{\"id\":\"A\"}");
    post(driver, "/queue", "{\"id\":\"B\"}");
    deploy(driver, "queue, ephemeral");
    struct arrival_view *living = fill_memory(driver);
    cancel(driver, first); /* There is a place, and no memory. */
    run_for(driver, 10000);
    assert_int_equal(count_of(driver, "queue", OUTCOME_REFUSED), 0);
    assert_int_equal(post(driver, "/queue", "{\"id\":\"C\"}")->outcome, OUTCOME_QUEUED);
    cancel(driver, living);
    run_for(driver, 10000);
    assert_int_equal(post(driver, "/queue", "{\"id\":\"B\"}")->outcome, OUTCOME_UPDATED);
    assert_int_equal(post(driver, "/queue", "{\"id\":\"C\"}")->outcome, OUTCOME_QUEUED);
}

/* The schedule that cannot fire comes first in order, and the other one fires in time. */
static void a_slot_without_room_in_memory_comes_again(void **state)
{
    struct driver *driver = *state;
    struct arrival_view *living = fill_memory(driver);
    deploy(driver, "ephemeral schedule");
    deploy(driver, "schedule");
    run_for(driver, 60000 + 5000);
    assert_int_equal(made_of(driver, "b-schedule"), 1);
    assert_int_equal(made_of(driver, "a-schedule"), 0);
    assert_int_equal(count_of(driver, "a-schedule", OUTCOME_REFUSED), 0);
    assert_int_equal(metric_get(&driver->metrics.slots_fired), 1);
    cancel(driver, living);
    run_for(driver, 20000);
    assert_int_equal(made_of(driver, "a-schedule"), 1);
    assert_int_equal(metric_get(&driver->metrics.slots_fired), 2);
    assert_int_equal(metric_get(&driver->metrics.slots_missed), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_not_recoverable_and_cannot_be_read_is_passed_over),
        TEST(a_held_instance_that_cannot_be_read_is_passed_over),
        TEST(held_instances_wait_while_the_disk_is_full),
        TEST(queues_are_looked_at_in_as_many_turns_as_it_takes),
        TEST(arrivals_go_on_behind_definitions_that_cannot_be_read),
        TEST(the_queue_of_the_higher_priority_comes_first),
        TEST(queues_of_older_engines_come_by_priority_too),
        TEST(chained_starts_of_the_higher_priority_come_first),
        TEST(chained_starts_and_arrivals_wait_for_a_place_in_one_order),
        TEST(what_waits_for_a_place_goes_on_waiting_under_another_version),
        TEST(what_comes_from_outside_is_refused_without_room_in_memory),
        TEST(what_was_queued_waits_for_room_in_memory),
        TEST(a_slot_without_room_in_memory_comes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
