/* Families and events on a store that fails once, at any of its operations: what the client was
 * told is what happened, and everything that was begun is brought to its end. */
#include "driver.h"

#include "store/store_int.h"

static const char *definition(const char *name) { return document("runtime/faults", name); }

/* ---- the store ---- */

static struct {
    const struct store_ops *real;
    struct store_ops ops;
    size_t count, fail_at; /* Operations; 0: none fails. */
    enum status status;
} faults;

static bool fails(void) { return ++faults.count == faults.fail_at; }

static enum status refuse(struct error *err) { return (fail)(err, faults.status, "store", "a fault"); }

static enum status faulty_apply(struct store *store, struct changeset *changeset, struct error *err)
{
    return fails() ? refuse(err) : faults.real->apply(store, changeset, err);
}

static enum status faulty_commit(struct store *store, struct error *err)
{
    /* Any other failure of a commit breaks the store. */
    return faults.status == ST_FULL && fails() ? refuse(err) : faults.real->commit(store, err);
}

static enum status faulty_load(struct store *store, uint64_t id, struct arena *arena,
                               struct instance_row *ret_row, struct error *err)
{
    return fails() ? refuse(err) : faults.real->load_instance(store, id, arena, ret_row, err);
}

static enum status faulty_find_child(struct store *store, uint64_t of, uint32_t number,
                                     struct child_row *ret_row, struct error *err)
{
    return fails() ? refuse(err) : faults.real->find_child(store, of, number, ret_row, err);
}

static enum status faulty_pending(struct store *store, int32_t ns, str target, int32_t priority,
                                  const struct pending_row *after, struct arena *arena,
                                  struct pending_row *ret_row, size_t max, size_t *ret_count,
                                  struct error *err)
{
    return fails() ? refuse(err)
                   : faults.real->pending(store, ns, target, priority, after, arena, ret_row, max, ret_count,
                                          err);
}

static enum status faulty_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                                    struct triggered *ret_triggered, size_t max, size_t *ret_count,
                                    struct error *err)
{
    return fails()
               ? refuse(err)
               : faults.real->triggered(store, ns, source, type, after, ret_triggered, max, ret_count, err);
}

static enum status faulty_subscribers(struct store *store, int64_t definition, str correlation,
                                      uint64_t after, uint64_t *ret_instance, size_t max, size_t *ret_count,
                                      struct error *err)
{
    return fails() ? refuse(err)
                   : faults.real->subscribers(store, definition, correlation, after, ret_instance, max,
                                              ret_count, err);
}

static enum status faulty_find_unmatched(struct store *store, const struct unmatched_row *like,
                                         struct arena *arena, struct unmatched_row *ret_row,
                                         struct error *err)
{
    return fails() ? refuse(err) : faults.real->find_unmatched(store, like, arena, ret_row, err);
}

static enum status faulty_records(struct store *store, const struct record_filter *filter,
                                  struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                  struct error *err)
{
    return fails() ? refuse(err) : faults.real->records(store, filter, arena, ret_row, ret_count, err);
}

static void faults_begin(struct driver *driver, size_t fail_at, enum status status)
{
    faults.real = driver->store->ops;
    faults.ops = *faults.real;
    faults.ops.apply = faulty_apply;
    faults.ops.commit = faulty_commit;
    faults.ops.load_instance = faulty_load;
    faults.ops.find_child = faulty_find_child;
    faults.ops.pending = faulty_pending;
    faults.ops.triggered = faulty_triggered;
    faults.ops.subscribers = faulty_subscribers;
    faults.ops.find_unmatched = faulty_find_unmatched;
    faults.ops.records = faulty_records;
    faults.count = 0;
    faults.fail_at = fail_at;
    faults.status = status;
    driver->store->ops = &faults.ops;
}

static void faults_end(struct driver *driver) { driver->store->ops = faults.real; }

/* ---- clients that try again ---- */

static struct call *insist(struct driver *driver, struct call *call)
{
    for (int tries = 0; tries < 5; tries++) {
        driver_run(driver, call);
        if (!status_retry(call->status)) break;
        driver_advance(driver, 2000);
    }
    if (call->status != ST_OK) fail_msg("at %zu: %s", faults.fail_at, call->error.message);
    return call;
}

static void settle_down(struct driver *driver)
{
    for (int i = 0; i < 6; i++) driver_advance(driver, 2000);
}

static struct call *polled(struct driver *driver)
{
    struct call *poll = NULL;
    for (int tries = 0; tries < 5 && (!poll || !poll->value.jobs.count); tries++) {
        poll = insist(driver, driver_poll(driver, "w", "work", 1));
        if (!poll->value.jobs.count) driver_advance(driver, 2000);
    }
    assert_int_equal(poll->value.jobs.count, 1);
    return poll;
}

/* Plays the story with a fault at the first operation, the second, … until none is reached. */
typedef void story_fn(struct driver *driver);

static void at_every_operation(story_fn *story, size_t stride)
{
    static const enum status kinds[] = { ST_STORE, ST_FULL };
    for (size_t kind = 0; kind < COUNT(kinds); kind++) {
        for (size_t at = 1;; at += stride) {
            void *state;
            driver_setup(&state);
            struct driver *driver = state;
            const char *const names[] = { "quick", "worker",   "parent", "family",
                                          "many",  "listener", "order",  "claim" };
            for (size_t i = 0; i < COUNT(names); i++) driver_deploy(driver, definition(names[i]));
            faults_begin(driver, at, kinds[kind]);
            story(driver);
            settle_down(driver);
            faults_end(driver);
            driver_check(driver);
            bool reached = faults.count >= at;
            driver_teardown(&state);
            if (!reached) break;
        }
    }
}

static void grow_up(struct driver *driver)
{
    struct id id =
        instance_view_id(insist(driver, driver_start(driver, "family", "{\"a\":1}"))->value.instances.view);
    struct call *done = driver_call(driver, CALL_COMPLETE_JOB);
    done->as.job.id = job_view_id(polled(driver)->value.jobs.view);
    done->as.job.worker = STR("w");
    done->as.job.data = driver_json(driver, "{\"b\":2}");
    insist(driver, done);
    settle_down(driver);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, view->data), "{\"a\":1,\"b\":2}");
    assert_int_equal(metric_get(&driver->metrics.children_started), 2);
}

static void a_family_grows_up(void **state)
{
    (void)state;
    at_every_operation(grow_up, 1);
}

static void be_cancelled(struct driver *driver)
{
    struct id id =
        instance_view_id(insist(driver, driver_start(driver, "family", "{}"))->value.instances.view);
    settle_down(driver);
    struct call *cancel = driver_call(driver, CALL_CANCEL);
    cancel->as.instance.id = id;
    insist(driver, cancel);
    settle_down(driver);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_CANCELLED]), 3);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 3);
}

static void a_family_is_cancelled(void **state)
{
    (void)state;
    at_every_operation(be_cancelled, 1);
}

/* More than one transaction settles: the rest is put off. */
static void have_many(struct driver *driver)
{
    struct buf text;
    buf_init(&text, &driver->arena);
    buf_add_str(&text, STR("{\"items\":["));
    for (int i = 0; i < 300; i++) buf_printf(&text, "%s{}", i ? "," : "");
    buf_add_str(&text, STR("]}"));
    const char *data = arena_str(&driver->arena, buf_str(&text)).p;
    struct id id = instance_view_id(insist(driver, driver_start(driver, "many", data))->value.instances.view);
    settle_down(driver);
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_int_equal(json_count(json_get(view->data, STR("done"))), 300);
    assert_int_equal(metric_get(&driver->metrics.children_started), 300);
}

static void a_family_is_large(void **state)
{
    (void)state;
    at_every_operation(have_many, 211);
}

static const struct call_event *send(struct driver *driver, const char *text)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make(&driver->arena, struct call_event);
    call->as.events.event_count = 1;
    call->as.events.event->event = driver_json(driver, text);
    return insist(driver, call)->as.events.event;
}

static void listen(struct driver *driver)
{
    const struct call_event *a =
        send(driver, "{\"id\":\"1\",\"source\":\"s\",\"type\":\"a\",\"data\":{\"k\":1}}");
    assert_int_equal(a->first, EVENT_STARTED);
    const struct call_event *lost = send(driver, "{\"id\":\"2\",\"source\":\"s\",\"type\":\"c\"}");
    assert_int_equal(lost->first, EVENT_UNMATCHED);
    const struct call_event *b =
        send(driver, "{\"id\":\"3\",\"source\":\"s\",\"type\":\"b\",\"data\":{\"k\":1}}");
    assert_int_equal(b->first, EVENT_DELIVERED);
    assert_int_equal(a->instance[0].id, b->instance[0].id);
    struct id id = { .ms = a->instance[0].created_ms, .instance = a->instance[0].id };
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_COMPLETED);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 1);
    struct call *unmatched = driver_call(driver, CALL_LIST_UNMATCHED);
    unmatched->as.unmatched.max = 10;
    assert_int_equal(driver_run(driver, unmatched)->value.unmatched.count, 1);
}

static void events_arrive_once(void **state)
{
    (void)state;
    at_every_operation(listen, 1);
}

/* Two claims begin in one turn, while an event waits. Then the engine reads at each start with a key whether
 * something waits for it. The second start has the id of the first one, if that one failed. */
static void begin_together(struct driver *driver)
{
    static const char paid[] =
        "{\"id\":\"1\",\"source\":\"shop\",\"type\":\"paid\",\"timetolive\":3600,\"data\":{\"order\":1}}";
    static const char *const keys[] = { "a", "b" };
    assert_int_equal(send(driver, paid)->first, EVENT_WAITING);
    struct call *call[COUNT(keys)];
    struct call_list list = { 0 };
    for (size_t i = 0; i < COUNT(keys); i++) {
        call[i] = driver_start(driver, "claim", "{}");
        call[i]->as.start.business_key = str_of(keys[i]);
        call_list_add(&list, call[i]);
    }
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    for (size_t i = 0; i < COUNT(keys); i++) {
        assert_true(driver_answered(driver, call[i]));
        if (call[i]->status != ST_OK) insist(driver, call[i]);
        assert_true(str_equal(call[i]->value.instances.view->business_key, str_of(keys[i])));
    }
    assert_int_not_equal(call[0]->value.instances.view->id, call[1]->value.instances.view->id);
    assert_int_equal(metric_get(&driver->metrics.instances_started), COUNT(keys));
}

static void starts_of_one_turn_stay_apart(void **state)
{
    (void)state;
    at_every_operation(begin_together, 1);
}

static void send_again(struct driver *driver)
{
    static const char lost[] = "{\"id\":\"1\",\"source\":\"s\",\"type\":\"late\"}";
    assert_int_equal(send(driver, lost)->first, EVENT_UNMATCHED);
    struct call *deploy = driver_call(driver, CALL_DEPLOY);
    deploy->as.deploy.text = str_of(definition("late"));
    insist(driver, deploy);
    struct call *unmatched = driver_call(driver, CALL_LIST_UNMATCHED);
    unmatched->as.unmatched.max = 10;
    assert_int_equal(driver_run(driver, unmatched)->value.unmatched.count, 1);
    struct call *again = driver_call(driver, CALL_EVENTS);
    again->as.events.resend = unmatched->value.unmatched.view[0].number;
    assert_int_equal(insist(driver, again)->as.events.event->outcome, EVENT_STARTED);
    assert_int_equal(driver_run(driver, unmatched)->value.unmatched.count, 0);
    assert_int_equal(send(driver, lost)->first, EVENT_STARTED);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 1);
}

static void a_unmatched_is_sent_again_once(void **state)
{
    (void)state;
    at_every_operation(send_again, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_family_grows_up),
        cmocka_unit_test(a_family_is_cancelled),
        cmocka_unit_test(a_family_is_large),
        cmocka_unit_test(events_arrive_once),
        cmocka_unit_test(starts_of_one_turn_stay_apart),
        cmocka_unit_test(a_unmatched_is_sent_again_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
