/* Sub-flows: instances that other instances start, await, fail with and cancel. */
#include "driver.h"

#include "store/store_int.h"

/* "two" has a sub-flow beside another function. */
static const char *definition(const char *name) { return document("runtime/children", name); }

static struct id child_of(struct driver *driver, struct id parent)
{
    struct call *call = driver_get(driver, CALL_GET_INSTANCE, parent);
    assert_int_equal(call->value.instances.view->child_count, 1);
    return child_view_id(&call->value.instances.view->child[0]);
}

static enum instance_status status_of(struct driver *driver, struct id id)
{
    return driver_instance(driver, id)->status;
}

static const char *error_of(struct driver *driver, struct id id, const char *member)
{
    const struct json *error = driver_instance(driver, id)->error;
    assert_non_null(error);
    const struct json *value = json_get(error, str_of(member));
    return value ? driver_text(driver, value) : "";
}

static struct call *fail_job(struct driver *driver, const char *failure)
{
    struct job_view job = driver_polled(driver, "w", "work");
    struct call *call = driver_call(driver, CALL_FAIL_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = STR("w");
    call->as.job.text = STR("it broke");
    call->as.job.failure = failure ? driver_json(driver, failure) : NULL;
    return driver_run(driver, call);
}

/* Starts the node again at which the instance failed. */
static struct call *retry(struct driver *driver, struct id id)
{
    struct call *call = driver_call(driver, CALL_RETRY);
    struct call *explain = driver_get(driver, CALL_EXPLAIN, id);
    call->as.instance.id = id;
    for (size_t i = 0; i < explain->value.instances.token_count; i++)
        if (explain->value.instances.token[i].state == TOKEN_FAILED)
            call->as.instance.node = explain->value.instances.token[i].node;
    return driver_run(driver, call);
}

/* One turn, without the second one that submitting gives. */
static void one_turn(struct driver *driver)
{
    struct call_list none = { 0 };
    engine_turn(&driver->engine, &none);
}

static void turns(struct driver *driver, int count)
{
    for (int i = 0; i < count; i++) driver_turn(driver);
}

static void an_awaited_child_that_ends_at_once_is_part_of_the_start(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("of quick"));
    struct call *start = driver_run(driver, driver_start(driver, "of-quick", "{\"a\":0}"));
    assert_int_equal(start->status, ST_OK);
    assert_int_equal(start->value.instances.view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, start->value.instances.view->data), "{\"a\":0,\"quick\":1}");
    assert_int_equal(metric_get(&driver->metrics.children_started), 1);
    driver_check(driver);
}

static void an_awaited_child_is_waited_for(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    struct call *start = driver_start(driver, "of-worker", "{\"a\":0}");
    start->as.start.wait_ms = 60000;
    driver_submit(driver, start);
    assert_false(driver_answered(driver, start));
    struct id parent = instance_view_id(start->value.instances.view), child = child_of(driver, parent);
    struct instance_view *view = driver_instance(driver, child);
    assert_int_equal(view->parent, parent.instance);
    assert_int_equal(view->parent_created_ms, parent.ms);
    assert_int_equal(status_of(driver, parent), INSTANCE_ACTIVE);
    driver_check(driver);
    driver_complete(driver, driver_polled(driver, "w", "work"), "w", "{\"b\":1}");
    assert_true(driver_answered(driver, start));
    assert_int_equal(start->value.instances.view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, start->value.instances.view->data), "{\"a\":0,\"b\":1}");
    struct call *call = driver_get(driver, CALL_GET_INSTANCE, parent);
    assert_int_equal(call->value.instances.view->child[0].status, INSTANCE_COMPLETED);
    assert_true(call->value.instances.view->child[0].awaited);
    assert_string_equal(call->value.instances.view->child[0].definition_id.p, "worker");
}

static void a_child_nobody_awaits_is_on_its_own(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("beside worker"));
    struct call *start = driver_run(driver, driver_start(driver, "beside-worker", "{\"a\":0}"));
    assert_int_equal(start->value.instances.view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, start->value.instances.view->data), "{\"a\":0}");
    struct id parent = instance_view_id(start->value.instances.view), child = child_of(driver, parent);
    assert_false(driver_get(driver, CALL_GET_INSTANCE, parent)->value.instances.view->child[0].awaited);
    assert_int_equal(status_of(driver, child), INSTANCE_ACTIVE);
    fail_job(driver, NULL);
    assert_int_equal(status_of(driver, child), INSTANCE_FAILED);
    assert_int_equal(status_of(driver, parent), INSTANCE_COMPLETED);
    driver_check(driver);
}

static void a_failed_child_raises_its_own_error(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    driver_deploy(driver, definition("handles"));
    struct id parent = driver_started(driver, "of-worker", "{}");
    fail_job(driver,
             "{\"name\":\"Broken\",\"message\":\"oh\",\"data\":{\"code\":3},\"code\":\"ANSWER_LATE\"}");
    assert_int_equal(status_of(driver, parent), INSTANCE_FAILED);
    assert_string_equal(error_of(driver, parent, "name"), "\"Broken\"");
    assert_string_equal(error_of(driver, parent, "message"), "\"oh\"");
    assert_string_equal(error_of(driver, parent, "data"), "{\"code\":3}");
    assert_string_equal(error_of(driver, parent, "code"), ""); /* The code is not for handlers. */
    struct call *call = driver_call(driver, CALL_LIST_RUNS);
    call->as.runs.max = 2;
    struct answer_runs *runs = &driver_run(driver, call)->value.runs;
    for (size_t i = 0; i < 2; i++) assert_true(str_equal(runs->run[i].code, STR("ANSWER_LATE")));

    struct id handled = driver_started(driver, "handles", "{}");
    fail_job(driver, "{\"name\":\"Broken\",\"message\":\"oh\"}");
    assert_int_equal(status_of(driver, handled), INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, json_get(driver_instance(driver, handled)->data, STR("handled"))),
                        "true");
}

static void a_child_that_is_retried_later_does_not_touch_its_parent(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("handles"));
    struct id parent = driver_started(driver, "handles", "{}"), child = child_of(driver, parent);
    fail_job(driver, "{\"name\":\"Broken\"}");
    uint32_t revision = driver_instance(driver, parent)->revision;
    assert_int_equal(retry(driver, child)->status, ST_OK);
    driver_complete(driver, driver_polled(driver, "w", "work"), "w", "{}");
    assert_int_equal(status_of(driver, child), INSTANCE_COMPLETED);
    assert_int_equal(driver_instance(driver, parent)->revision, revision);
}

static void an_unknown_definition_is_an_error_of_the_parent(void **state)
{
    struct driver *driver = *state;
    const char *const document[] = { "of nobody", "beside nobody" };
    const char *const id[] = { "of-nobody", "beside-nobody" };
    for (size_t i = 0; i < COUNT(id); i++) {
        driver_deploy(driver, definition(document[i]));
        struct id parent = driver_started(driver, id[i], "{}");
        assert_int_equal(status_of(driver, parent), INSTANCE_FAILED);
        assert_string_equal(error_of(driver, parent, "name"), "\"SubFlowException\"");
    }
    driver_check(driver);
}

static void input_that_the_child_refuses_is_an_error_of_the_parent(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("narrow"));
    struct id parent = driver_started(driver, "narrow", "{\"list\":[1]}");
    assert_int_equal(status_of(driver, parent), INSTANCE_FAILED);
    assert_string_equal(error_of(driver, parent, "name"), "\"SubFlowException\"");
}

static void cancelling_goes_down_the_family(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    driver_deploy(driver, definition("family"));
    struct id top = driver_started(driver, "family", "{}");
    struct id middle = child_of(driver, top), bottom = child_of(driver, middle);
    driver_node(driver, CALL_CANCEL, top, "");
    assert_int_equal(status_of(driver, top), INSTANCE_CANCELLED);
    assert_int_equal(status_of(driver, middle), INSTANCE_CANCELLED);
    assert_int_equal(status_of(driver, bottom), INSTANCE_CANCELLED);
    assert_int_equal(driver_run(driver, driver_poll(driver, "w", "work", 1))->value.jobs.count, 0);
    driver_check(driver);
}

static void cancelling_in_the_middle_fails_what_is_above(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    driver_deploy(driver, definition("family"));
    struct id top = driver_started(driver, "family", "{}");
    struct id middle = child_of(driver, top), bottom = child_of(driver, middle);
    driver_node(driver, CALL_CANCEL, middle, "");
    assert_int_equal(status_of(driver, bottom), INSTANCE_CANCELLED);
    assert_int_equal(status_of(driver, top), INSTANCE_FAILED);
    assert_string_equal(error_of(driver, top, "name"), "\"SubFlowException\"");
    assert_string_equal(error_of(driver, top, "message"), "\"cancelled\"");
}

static void an_error_elsewhere_cancels_the_child(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("two with a handler"));
    struct id parent = driver_started(driver, "two", "{}"), child = child_of(driver, parent);
    driver_fail(driver, driver_polled(driver, "w", "other"), "w", false);
    assert_int_equal(status_of(driver, parent), INSTANCE_COMPLETED);
    assert_int_equal(status_of(driver, child), INSTANCE_CANCELLED);
    driver_check(driver);
}

/* Work that a state had begun is void when the state fails. */
static void a_parent_that_fails_cancels_its_child_and_a_retry_starts_another(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("two"));
    struct id parent = driver_started(driver, "two", "{}"), child = child_of(driver, parent);
    driver_fail(driver, driver_polled(driver, "w", "other"), "w", false);
    assert_int_equal(status_of(driver, parent), INSTANCE_FAILED);
    assert_int_equal(status_of(driver, child), INSTANCE_CANCELLED);
    driver_restart(driver);
    driver_check(driver);
    assert_int_equal(retry(driver, parent)->status, ST_OK);
    driver_complete(driver, driver_polled(driver, "w", "work"), "w", "{\"b\":1}");
    driver_complete(driver, driver_polled(driver, "w", "other"), "w", "{\"c\":2}");
    struct instance_view *view = driver_instance(driver, parent);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_string_equal(driver_text(driver, view->data), "{\"b\":1,\"c\":2}");
    assert_int_equal(metric_get(&driver->metrics.children_started), 2);
    driver_check(driver);
}

/* Everything that can be lost is lost between any two things that happen. */
static void a_family_survives_restarts(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    driver_deploy(driver, definition("family"));
    for (int fails = 0; fails < 2; fails++) {
        struct id top = driver_started(driver, "family", "{}");
        driver_restart(driver);
        turns(driver, 3);
        driver_check(driver);
        struct id bottom = child_of(driver, child_of(driver, top));
        assert_int_equal(status_of(driver, bottom), INSTANCE_ACTIVE);
        if (fails) fail_job(driver, "{\"name\":\"Broken\"}");
        else driver_complete(driver, driver_polled(driver, "w", "work"), "w", "{\"b\":1}");
        driver_restart(driver);
        turns(driver, 3);
        assert_int_equal(status_of(driver, top), fails ? INSTANCE_FAILED : INSTANCE_COMPLETED);
        driver_check(driver);
    }
    assert_int_equal(metric_get(&driver->metrics.children_started), 4);
}

/* More children than one transaction settles; between any two turns the engine stops. */
static void what_is_put_off_goes_on_after_a_restart(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("many"));
    struct buf text;
    buf_init(&text, &driver->arena);
    buf_add_str(&text, STR("{\"items\":["));
    for (int i = 0; i < 700; i++) buf_printf(&text, "%s{}", i ? "," : "");
    buf_add_str(&text, STR("]}"));
    struct call *start = driver_start(driver, "many", arena_str(&driver->arena, buf_str(&text)).p);
    struct call_list list = { 0 };
    call_list_add(&list, start);
    engine_turn(&driver->engine, &list);
    driver_turn(driver);
    struct id id = instance_view_id(start->value.instances.view);
    int restarts = 0;
    while (status_of(driver, id) == INSTANCE_ACTIVE && restarts++ < 50) {
        driver_check(driver);
        query_close(&driver->query);
        engine_close(&driver->engine);
        driver_open(driver);
        one_turn(driver);
    }
    struct instance_view *view = driver_instance(driver, id);
    assert_int_equal(view->status, INSTANCE_COMPLETED);
    assert_int_equal(json_count(json_get(view->data, STR("done"))), 700);
    assert_in_range(restarts, 1, 49);
    assert_int_equal(metric_get(&driver->metrics.children_started), 700);
    driver_check(driver);
}

static void a_family_without_end_leaves_others_their_turn(void **state)
{
    struct driver *driver = *state;
    const char *const document[] = { "forever", "again and again" }, *const id[] = { "forever", "again" };
    driver_deploy(driver, definition("quick"));
    for (size_t i = 0; i < COUNT(id); i++) {
        driver_deploy(driver, definition(document[i]));
        driver_started(driver, id[i], "{}");
    }
    uint64_t before = metric_get(&driver->metrics.children_started);
    one_turn(driver);
    uint64_t grown = metric_get(&driver->metrics.children_started) - before;
    assert_in_range(grown, 2, 400);
    assert_int_equal(engine_next_ms(&driver->engine), driver->now_ms);
    struct call *start = driver_run(driver, driver_start(driver, "quick", "{}"));
    assert_int_equal(start->value.instances.view->status, INSTANCE_COMPLETED);
}

static void a_family_without_end_can_be_cancelled(void **state)
{
    struct driver *driver = *state;
    driver->limits.family_depth_max = 1000000;
    driver_restart(driver);
    driver_deploy(driver, definition("forever"));
    struct id top = driver_started(driver, "forever", "{}");
    turns(driver, 1);
    driver_node(driver, CALL_CANCEL, top, "");
    for (int i = 0; i < 40; i++) {
        driver_restart(driver);
        driver_check(driver);
    }
    uint64_t started = metric_get(&driver->metrics.instances_started);
    assert_true(started > 300);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_CANCELLED]), started);
    turns(driver, 5);
    assert_int_equal(metric_get(&driver->metrics.instances_started), started);
    assert_true(engine_next_ms(&driver->engine) > driver->now_ms);
}

/* Each starts ten more. The cancellation goes from parent to child, and no new child may outrun it. */
static void a_family_that_grows_tenfold_can_be_cancelled(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("tenfold"));
    struct id top = driver_started(driver, "tenfold", "{}");
    turns(driver, 5);
    uint64_t before = metric_get(&driver->metrics.instances_started);
    assert_true(before > 100);
    driver_node(driver, CALL_CANCEL, top, "");
    turns(driver, 600);
    uint64_t started = metric_get(&driver->metrics.instances_started);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_CANCELLED]), started);
    assert_true(started < before + before / 2);
    assert_true(engine_next_ms(&driver->engine) > driver->now_ms);
    driver_check(driver);
}

static void a_family_may_be_only_so_deep(void **state)
{
    struct driver *driver = *state;
    driver->limits.family_depth_max = 3;
    driver_restart(driver);
    driver_deploy(driver, definition("forever"));
    struct id top = driver_started(driver, "forever", "{}");
    turns(driver, 5);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 4);
    assert_int_equal(status_of(driver, top), INSTANCE_FAILED);
    assert_non_null(strstr(error_of(driver, top, "message"), "family_depth_max"));
}

static void a_family_may_start_only_so_many_in_a_day(void **state)
{
    struct driver *driver = *state;
    driver->limits.family_starts_max = 20;
    driver_restart(driver);
    driver_deploy(driver, definition("again and again"));
    driver_started(driver, "again", "{}");
    turns(driver, 30);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 21);
    assert_int_equal(metric_get(&driver->metrics.instances_ended[INSTANCE_FAILED]), 1);
    driver_restart(driver);
    turns(driver, 30);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 21);
    /* Another family is not concerned. */
    driver_started(driver, "again", "{}");
    turns(driver, 30);
    assert_int_equal(metric_get(&driver->metrics.instances_started), 42);
}

static void a_child_waits_for_space_on_the_disk(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("late"));
    struct id id = driver_started(driver, "late", "{}");
    struct job_view job = driver_polled(driver, "w", "work");
    assert_true(store_release_space(driver->engine.store));
    driver_complete(driver, job, "w", "{}");
    turns(driver, 3);
    assert_int_equal(status_of(driver, id), INSTANCE_ACTIVE);
    assert_true(engine_next_ms(&driver->engine) > driver->now_ms);
    driver_check(driver);
    driver_advance(driver, 2000);
    turns(driver, 1);
    assert_int_equal(status_of(driver, id), INSTANCE_COMPLETED);
    assert_int_equal(metric_get(&driver->metrics.children_started), 1);
}

static void children_run_the_latest_version(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("quick"));
    driver_deploy(driver, definition("of quick"));
    driver_deploy(driver, definition("quick, changed"));
    struct id parent = driver_started(driver, "of-quick", "{}");
    assert_string_equal(driver_text(driver, driver_instance(driver, parent)->data), "{\"quick\":2}");
}

/* The version that a start, a child and a look at the definition use when no version is asked for. */
static void expect_in_use(struct driver *driver, int32_t version, const char *output)
{
    struct id alone = driver_started(driver, "quick", "{}"),
              parent = driver_started(driver, "of-quick", "{}");
    assert_int_equal(driver_instance(driver, alone)->definition_version, version);
    assert_string_equal(driver_text(driver, driver_instance(driver, alone)->data), output);
    assert_string_equal(driver_text(driver, driver_instance(driver, parent)->data), output);
    struct call *get = driver_call(driver, CALL_GET_DEFINITION);
    get->as.definition.id = STR("quick");
    driver_run(driver, get);
    assert_int_equal(get->status, ST_OK);
    assert_int_equal(get->value.definitions.row->version, version);
}

static void the_highest_version_is_used_whatever_came_last(void **state)
{
    struct driver *driver = *state;
    static const struct {
        const char *document;
        int32_t version, in_use;
        const char *output;
    } cases[] = {
        { "quick 1.9", 1, 1, "{\"quick\":19}" },          { "quick 1.10", 2, 2, "{\"quick\":110}" },
        { "quick 1.2", 3, 2, "{\"quick\":110}" },         { "quick 1.10-beta", 4, 2, "{\"quick\":110}" },
        { "quick 1.10, newer", 5, 5, "{\"quick\":111}" }, /* As high, and newer. */
        { "quick 1.10, newer", 5, 5, "{\"quick\":111}" }, /* Known: nothing new. */
        { "quick 2.0", 6, 6, "{\"quick\":20}" },          { "quick 1.11", 7, 6, "{\"quick\":20}" },
        { "quick 1.9", 8, 8, "{\"quick\":19}" }, /* An older text is restored, whatever it calls itself. */
        { "quick 1.2", 9, 9, "{\"quick\":12}" },          { "quick 2.0", 10, 10, "{\"quick\":20}" },
    };
    driver_deploy(driver, definition("of quick"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(driver_deploy(driver, definition(cases[i].document))->value.definitions.row->version,
                         cases[i].version);
        expect_in_use(driver, cases[i].in_use, cases[i].output);
    }
    driver_restart(driver);
    expect_in_use(driver, 10, "{\"quick\":20}");
    struct call *asked = driver_start(driver, "quick", "{}");
    asked->as.start.version = 3;
    assert_int_equal(driver_run(driver, asked)->value.instances.view->definition_version, 3);
}

/* ---- jobs that cannot be settled yet ---- */

enum { READY = 1000000 }; /* The number of the job that can be. */

static const struct store_ops *real_ops;

static enum status not_yet(struct store *store, uint64_t parent, uint32_t number, struct child_row *ret_row,
                           struct error *err)
{
    if (number < READY) return (fail)(err, ST_OVERLOAD, "test", "it has to wait");
    return real_ops->find_child(store, parent, number, ret_row, err);
}

static void put_off_jobs(struct driver *driver, uint64_t parent, uint32_t first, uint32_t count)
{
    struct error err;
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    for (uint32_t i = 0; i < count; i++) {
        struct pending_row row = { .parent = parent,
                                   .number = first + i,
                                   .ns = NAMESPACE_DEFAULT,
                                   .target = STR("\1child"),
                                   .created_ms = driver->now_ms };
        struct changeset changeset = { .pending_add = &row };
        assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    }
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
}

static size_t put_off_count(struct driver *driver)
{
    struct pending_row row[2 * CHILDREN_PUT_OFF_PER_TURN_MAX];
    struct error err;
    size_t count = 0;
    assert_int_equal(store_pending(driver->store, NAMESPACE_DEFAULT, STR("\1child"), NULL, &driver->arena,
                                   row, COUNT(row), &count, &err),
                     ST_OK);
    return count;
}

static void settle_all_but_those_that_wait(struct driver *driver)
{
    struct store_ops ops = *driver->store->ops;
    real_ops = driver->store->ops;
    ops.find_child = not_yet;
    driver->store->ops = &ops;
    driver->engine.transact.backlog[BACKLOG_CHILDREN].due = true;
    turns(driver, 4);
    driver->store->ops = real_ops;
    assert_int_equal(put_off_count(driver), CHILDREN_PUT_OFF_PER_TURN_MAX);
    /* Those that wait do not keep the engine busy. */
    assert_false(driver->engine.transact.backlog[BACKLOG_CHILDREN].due);
    assert_true(driver->engine.transact.backlog[BACKLOG_CHILDREN].left);
}

static void a_job_is_settled_behind_very_many_that_cannot_be(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    struct id parent = driver_started(driver, "of-worker", NULL);
    turns(driver, 2);
    put_off_jobs(driver, parent.instance, 1000, CHILDREN_PUT_OFF_PER_TURN_MAX);
    put_off_jobs(driver, parent.instance, READY, 1);
    settle_all_but_those_that_wait(driver);
    settle_all_but_those_that_wait(driver);
    driver_advance(driver, 5000);
    turns(driver, 3);
    assert_int_equal(put_off_count(driver), 0);
}

static uint64_t unreadable;
static int unread;

static enum status load_but_one(struct store *store, uint64_t id, struct arena *arena,
                                struct instance_row *ret_row, struct error *err)
{
    if (id != unreadable) return real_ops->load_instance(store, id, arena, ret_row, err);
    unread++;
    return (fail)(err, ST_STORE, "store", "a page is damaged");
}

static void settle_beside_unreadable(struct driver *driver, bool unreadable_first)
{
    driver_deploy(driver, definition("worker"));
    driver_deploy(driver, definition("of worker"));
    struct id first = driver_started(driver, "of-worker", NULL),
              second = driver_started(driver, "of-worker", NULL);
    turns(driver, 2);
    put_off_jobs(driver, first.instance, unreadable_first ? 1000 : READY, 1);
    put_off_jobs(driver, second.instance, unreadable_first ? READY : 1000, 1);
    struct store_ops ops = *driver->store->ops;
    real_ops = driver->store->ops;
    ops.load_instance = load_but_one;
    unreadable = unreadable_first ? first.instance : second.instance;
    unread = 0;
    driver->store->ops = &ops;
    cache_clear(&driver->engine.memory.cache);
    driver->engine.transact.backlog[BACKLOG_CHILDREN].due = true;
    for (int i = 0; i < 3; i++) {
        turns(driver, 2);
        driver_advance(driver, 1000);
    }
    driver->store->ops = real_ops;
    assert_int_equal(put_off_count(driver), 1);
    assert_in_range(unread, 1, 4); /* It does not keep the engine busy. */
    driver_advance(driver, 5000);
    turns(driver, 3);
    assert_int_equal(put_off_count(driver), 0);
}

/* Each turn failed at the first row, and there was no pause. */
static void a_job_is_settled_behind_one_whose_parent_cannot_be_read(void **state)
{
    settle_beside_unreadable(*state, true);
}

/* It was settled in each turn, and rolled back with the row behind it. */
static void a_job_is_settled_before_one_whose_parent_cannot_be_read(void **state)
{
    settle_beside_unreadable(*state, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(an_awaited_child_that_ends_at_once_is_part_of_the_start),
        DRIVER_TEST(an_awaited_child_is_waited_for),
        DRIVER_TEST(a_child_nobody_awaits_is_on_its_own),
        DRIVER_TEST(a_failed_child_raises_its_own_error),
        DRIVER_TEST(a_child_that_is_retried_later_does_not_touch_its_parent),
        DRIVER_TEST(an_unknown_definition_is_an_error_of_the_parent),
        DRIVER_TEST(input_that_the_child_refuses_is_an_error_of_the_parent),
        DRIVER_TEST(cancelling_goes_down_the_family),
        DRIVER_TEST(cancelling_in_the_middle_fails_what_is_above),
        DRIVER_TEST(an_error_elsewhere_cancels_the_child),
        DRIVER_TEST(a_parent_that_fails_cancels_its_child_and_a_retry_starts_another),
        DRIVER_TEST(a_family_survives_restarts),
        DRIVER_TEST(what_is_put_off_goes_on_after_a_restart),
        DRIVER_TEST(a_family_without_end_leaves_others_their_turn),
        DRIVER_TEST(a_family_without_end_can_be_cancelled),
        DRIVER_TEST(a_family_that_grows_tenfold_can_be_cancelled),
        DRIVER_TEST(a_job_is_settled_behind_very_many_that_cannot_be),
        DRIVER_TEST(a_job_is_settled_behind_one_whose_parent_cannot_be_read),
        DRIVER_TEST(a_job_is_settled_before_one_whose_parent_cannot_be_read),
        DRIVER_TEST(a_family_may_be_only_so_deep),
        DRIVER_TEST(a_family_may_start_only_so_many_in_a_day),
        DRIVER_TEST(a_child_waits_for_space_on_the_disk),
        DRIVER_TEST(children_run_the_latest_version),
        DRIVER_TEST(the_highest_version_is_used_whatever_came_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
