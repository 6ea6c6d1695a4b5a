/* One command for many instances: whom it is for, what becomes of each, and that it happens once. */
#include "bulks.h"

#include "store/store_int.h"

/* "waiting" waits for a bell, after something else: no event begins it. */
static const char *definition(const char *name) { return document("runtime/bulk", name); }

static struct id fail_one(struct driver *driver, const char *reason)
{
    struct id id = driver_started(driver, "pay", NULL);
    struct job_view job = driver_polled(driver, "w", "charge");
    struct call *call = driver_call(driver, CALL_FAIL_JOB);
    call->as.job.id = job_view_id(&job);
    call->as.job.worker = STR("w");
    call->as.job.text = str_of(reason);
    driver_run(driver, call);
    assert_int_equal(driver_instance(driver, id)->status, INSTANCE_FAILED);
    return id;
}

static int commands_by_bulk(struct driver *driver, struct id id)
{
    str *blob;
    size_t count;
    int found = 0;
    struct history history;
    assert_int_equal(
        reader_history(driver->query.reader, id.instance, 0, 0, &driver->arena, &blob, &count, NULL), ST_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(history_decode(blob[i], &driver->arena, &history, NULL), ST_OK);
        found += str_starts(history.actor, STR("bulk 0"));
    }
    return found;
}

/* ---- doing it ---- */

static void failed_instances_are_retried_by_their_reason(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    struct id timeout[3], other = fail_one(driver, "card 17 declined");
    for (size_t i = 0; i < COUNT(timeout); i++) timeout[i] = fail_one(driver, "gateway timeout after 30 s");
    struct id id = begun(driver, document("runtime/bulk", "retry after a timeout"));
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=3 skipped=0 refused=0 of 3 (done)");
    for (size_t i = 0; i < COUNT(timeout); i++) {
        struct instance_view *view = driver_instance(driver, timeout[i]);
        assert_int_equal(view->status, INSTANCE_ACTIVE);
        assert_string_equal(driver_text(driver, view->data), "{\"patched\":true}");
        assert_int_equal(commands_by_bulk(driver, timeout[i]), 1);
    }
    assert_int_equal(driver_instance(driver, other)->status, INSTANCE_FAILED);
    assert_int_equal(commands_by_bulk(driver, other), 0);
    struct call *all = results(driver, id, -1, 0, 10);
    assert_int_equal(all->value.bulks.result_count, 3);
    assert_int_equal(all->value.bulks.result[0].target.number, timeout[0].instance);
    assert_int_equal(all->value.bulks.result[0].target.created_ms, timeout[0].ms);
    driver_check(driver);
}

/* The reason of a group, as a preview shows it, stands for each reason of the group. */
static void a_folded_reason_is_a_filter(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    struct id first = fail_one(driver, "card 17 declined"), second = fail_one(driver, "card 4711 declined"),
              other = fail_one(driver, "gateway timeout");
    struct id id = begun(driver, "{\"action\":\"retry\",\"filter\":{\"reason\":\"card # declined\"}}");
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=2 skipped=0 refused=0 of 2 (done)");
    assert_int_equal(commands_by_bulk(driver, first), 1);
    assert_int_equal(commands_by_bulk(driver, second), 1);
    assert_int_equal(commands_by_bulk(driver, other), 0);
}

static void what_begins_later_or_has_changed_is_not_touched(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    struct id retried = fail_one(driver, "timeout"), again = fail_one(driver, "timeout"),
              left = fail_one(driver, "timeout");
    struct call *call = bulk(driver, "{\"action\":\"retry\",\"filter\":{\"reason\":\"timeout\"}}");
    assert_true(queries_call(&driver->query, call));
    /* Found, and before the engine has heard of it: */
    driver_node(driver, CALL_RETRY, retried, "charge");
    driver_node(driver, CALL_RETRY, again, "charge");
    for (int i = 0; i < 2; i++) {
        struct job_view job = driver_polled(driver, "w", "charge");
        if (job.instance == again.instance) driver_fail(driver, job, "w", false);
    }
    struct id late = fail_one(driver, "timeout");
    struct call_list list = { 0 };
    call_list_add(&list, call);
    engine_turn(&driver->engine, &list);
    call_list_append(&driver->answered, &driver->engine.answered);
    assert_true(driver_answered(driver, call));
    struct id id = bulk_id(&call->value.bulks.view->row);
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=1 skipped=2 refused=0 of 3 (done)");
    assert_int_equal(commands_by_bulk(driver, left), 1);
    assert_int_equal(commands_by_bulk(driver, late), 0);
    assert_int_equal(driver_instance(driver, late)->status, INSTANCE_FAILED);
    struct call *skipped = results(driver, id, BULK_SKIPPED, 0, 10);
    assert_int_equal(skipped->value.bulks.result_count, 2);
    assert_string_equal(arena_str(&driver->arena, skipped->value.bulks.result[0].words).p, "it is ACTIVE");
    assert_string_equal(arena_str(&driver->arena, skipped->value.bulks.result[1].words).p,
                        "its reason is another one");
}

static void instances_are_cancelled_and_signalled_where_they_stand(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("ship"));
    struct id first = driver_started(driver, "ship", NULL), second = driver_started(driver, "ship", NULL);
    driver_node(driver, CALL_SIGNAL, second, "first");
    struct id id = begun(driver, document("runtime/bulk", "signal with variables"));
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    assert_int_equal(driver_instance(driver, second)->status, INSTANCE_COMPLETED);
    assert_int_equal(driver_instance(driver, first)->status, INSTANCE_WAITING);
    id = begun(driver, "{\"action\":\"signal\",\"filter\":{\"definitionId\":\"ship\"},\"step\":\"second\"}");
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=0 skipped=0 refused=1 of 1 (done)");
    str words = results(driver, id, BULK_REFUSED, 0, 1)->value.bulks.result[0].words;
    assert_int_not_equal(str_find(words, STR("is not waiting for a signal"), 0), SIZE_MAX);
    id = begun(driver, document("runtime/bulk", "cancel what waits"));
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    assert_int_equal(driver_instance(driver, first)->status, INSTANCE_CANCELLED);
    assert_int_equal(str_compare(driver_instance(driver, first)->failure, STR("shop closed")), 0);
    id = begun(driver, "{\"action\":\"cancel\",\"all\":true}");
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=0 skipped=0 refused=0 of 0 (done)");
}

static void every_filter_narrows_it(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("ship"));
    struct id ids[3];
    for (size_t i = 0; i < COUNT(ids); i++) {
        struct call *start = driver_start(driver, "ship", NULL);
        start->as.start.business_key = arena_printf(&driver->arena, "%s-%zu", i ? "shop" : "other", i);
        ids[i] = instance_view_id(driver_run(driver, start)->value.instances.view);
        driver_advance(driver, 1000);
    }
    char id[ID_CHARS + 1];
    id_print(ids[1], id);
    const struct {
        const char *filter;
        int found;
    } cases[] = {
        { "\"definitionId\":\"ship\"", 3 },
        { "\"definitionId\":\"ship\",\"definitionVersion\":1", 3 },
        { "\"definitionVersion\":2", 0 },
        { "\"definitionId\":\"shi\"", 0 },
        { "\"status\":\"WAITING\"", 3 },
        { "\"status\":\"ACTIVE\"", 0 },
        { "\"businessKey\":\"shop-1\"", 1 },
        { "\"businessKey\":\"shop\"", 0 },
        { "\"businessKeyPrefix\":\"shop\"", 2 },
        { "\"step\":\"first\"", 3 },
        { "\"step\":\"second\"", 0 },
        { "\"startedAfter\":\"2026-01-01T00:00:01Z\"", 2 },
        { "\"startedBefore\":\"2026-01-01T01:00:01+01:00\"", 1 },
        { arena_printf(&driver->arena, "\"ids\":[\"%s\",\"%s\"]", id, id).p, 1 },
        { "\"ids\":[\"00000000000000000000000000\"]", 0 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        str body = arena_printf(&driver->arena, "{\"action\":\"cancel\",\"filter\":{%s},\"dryRun\":true}",
                                cases[i].filter);
        struct call *call = driver_run(driver, bulk(driver, body.p));
        assert_int_equal(call->status, ST_OK);
        if (call->value.bulks.total != cases[i].found)
            fail_msg("%s: %d", cases[i].filter, (int)call->value.bulks.total);
    }
}

static void lose_event(struct driver *driver, const char *id, const char *type)
{
    struct call *call = driver_call(driver, CALL_EVENTS);
    call->as.events.event = arena_make(&driver->arena, struct call_event);
    call->as.events.event_count = 1;
    call->as.events.event->event = driver_json(
        driver,
        arena_printf(&driver->arena,
                     "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"shop\",\"type\":\"%s\"}", id, type)
            .p);
    driver_run(driver, call);
    assert_int_equal(call->as.events.event->outcome, EVENT_UNMATCHED);
}

static void unmatched_events_are_sent_again_also_to_very_many(void **state)
{
    struct driver *driver = *state;
    enum { WAITING = 60 };
    struct id ids[WAITING];
    lose_event(driver, "1", "bell");
    lose_event(driver, "2", "whistle");
    driver_deploy(driver, definition("waiting"));
    struct id id = begun(driver, "{\"action\":\"resend\",\"filter\":{\"source\":\"shop\"}}");
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=0 skipped=2 refused=0 of 2 (done)");
    for (size_t i = 0; i < WAITING; i++) ids[i] = driver_started(driver, "waiting", NULL);
    driver->limits.turn_fuel_max = 40000; /* So that the way to all of them is a long one. */
    driver_restart(driver);
    id = begun(driver, "{\"action\":\"resend\",\"filter\":{\"type\":\"bell\"}}");
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=1 skipped=0 refused=0 of 1 (done)");
    str words = results(driver, id, BULK_SUCCEEDED, 0, 1)->value.bulks.result[0].words;
    assert_int_equal(str_compare(words, STR("it is on its way to very many instances")), 0);
    for (int i = 0; i < 200; i++) driver_turn(driver);
    for (size_t i = 0; i < WAITING; i++) assert_int_equal(driver_instance(driver, ids[i])->mail_count, 1);
    id = begun(driver, "{\"action\":\"resend\",\"all\":true}");
    assert_string_equal(summary(driver, finished(driver, id)), "succeeded=0 skipped=1 refused=0 of 1 (done)");
    driver_check(driver);
}

/* ---- in the background, once ---- */

enum { SLICE = 64, MANY = 3 * SLICE + 5 };

static void a_bulk_is_done_in_slices_that_survive_a_restart(void **state)
{
    struct driver *driver = *state;
    struct id ids[MANY];
    driver_deploy(driver, definition("ship"));
    for (size_t i = 0; i < MANY; i++) ids[i] = driver_started(driver, "ship", NULL);
    struct id id = begun(driver, "{\"action\":\"cancel\",\"all\":true}");
    assert_int_equal(row_of(driver, id).done, SLICE); /* In the turn that began it. */
    driver_turn(driver);
    assert_int_equal(row_of(driver, id).done, 2 * SLICE);
    driver_restart(driver);
    int64_t before = row_of(driver, id).done;
    assert_in_range(before, 2 * SLICE, MANY - 1);
    driver_turn(driver);
    assert_in_range(row_of(driver, id).done, before + 1, before + SLICE);
    struct bulk_row row = finished(driver, id);
    assert_int_equal(row.succeeded, MANY);
    for (size_t i = 0; i < MANY; i++) assert_int_equal(commands_by_bulk(driver, ids[i]), 1);
    /* The results come in pages that do not care for slices. */
    size_t seen = 0;
    for (int64_t skip = 0; skip < MANY;) {
        struct call *page = results(driver, id, -1, skip, 50);
        for (size_t i = 0; i < page->value.bulks.result_count; i++)
            assert_int_equal(page->value.bulks.result[i].target.number, ids[seen++].instance);
        assert_true(page->as.bulks.skip > skip);
        skip = page->as.bulks.skip;
    }
    assert_int_equal(seen, MANY);
    driver_check(driver);
}

static void a_bulk_can_be_cancelled_and_takes_turns_with_others(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("ship"));
    for (size_t i = 0; i < MANY; i++) driver_started(driver, "ship", NULL);
    struct id first =
        begun(driver, "{\"action\":\"signal\",\"filter\":{\"step\":\"first\"},\"step\":\"first\"}");
    struct id second = begun(driver, "{\"action\":\"cancel\",\"all\":true}");
    for (int i = 0; i < 2; i++) driver_turn(driver);
    assert_in_range(row_of(driver, first).done, 1, MANY - 1);
    assert_in_range(row_of(driver, second).done, 1, MANY - 1);
    struct call *cancel = driver_get(driver, CALL_CANCEL_BULK, first);
    assert_int_equal(cancel->value.bulks.view->row.state, BULK_STATE_CANCELLED);
    int64_t done = row_of(driver, first).done;
    assert_int_equal(finished(driver, second).state, BULK_STATE_DONE);
    assert_int_equal(row_of(driver, first).done, done);
    assert_int_equal(driver_get(driver, CALL_CANCEL_BULK, second)->value.bulks.view->row.state,
                     BULK_STATE_DONE);
    struct call *unknown = driver_call(driver, CALL_CANCEL_BULK);
    unknown->as.bulks.id = (struct id){ .ms = first.ms + 1, .instance = first.instance, .delivery = 1 };
    assert_int_equal(driver_run(driver, unknown)->status, ST_NOT_FOUND);
    driver_check(driver);
}

/* A tenant with one bulk has every second turn, however many bulks another one has. */
static void tenants_take_turns_with_their_bulks(void **state)
{
    enum { OTHER = 2, BULKS = 4 };
    struct driver *driver = *state;
    struct id of_one[BULKS];
    int64_t done = 0;
    for (int32_t ns = OTHER; ns >= TENANT_DEFAULT; ns--) {
        driver->ns = ns;
        driver_deploy(driver, definition("ship"));
        for (size_t i = 0; i < MANY; i++) driver_started(driver, "ship", NULL);
    }
    for (size_t i = 0; i < BULKS; i++) of_one[i] = begun(driver, "{\"action\":\"cancel\",\"all\":true}");
    driver->ns = OTHER;
    assert_int_equal(finished(driver, begun(driver, "{\"action\":\"cancel\",\"all\":true}")).done, MANY);
    driver->ns = TENANT_DEFAULT;
    for (size_t i = 0; i < BULKS; i++) {
        struct bulk_row row;
        assert_int_equal(
            found_needed(store_load_bulk(driver->engine.store, TENANT_DEFAULT, (int64_t)of_one[i].instance,
                                         &row, &(struct error){ 0 })),
            ST_OK);
        done += row.done;
    }
    assert_in_range(done, BULKS * SLICE, BULKS * SLICE + MANY + 2 * SLICE);
    for (size_t i = 0; i < BULKS; i++) assert_int_equal(finished(driver, of_one[i]).state, BULK_STATE_DONE);
}

static void only_so_many_go_on_and_are_kept(void **state)
{
    struct driver *driver = *state;
    driver->limits.bulks_running_max = 1;
    driver->limits.bulks_kept_max = 1;
    driver->limits.bulk_instances_max = MANY;
    driver_restart(driver);
    driver_deploy(driver, definition("ship"));
    for (size_t i = 0; i < MANY; i++) driver_started(driver, "ship", NULL);
    struct id first =
        begun(driver, "{\"action\":\"signal\",\"filter\":{\"step\":\"first\"},\"step\":\"first\"}");
    struct call *second = driver_run(driver, bulk(driver, "{\"action\":\"cancel\",\"all\":true}"));
    assert_int_equal(second->status, ST_OVERLOAD);
    finished(driver, first);
    struct id third = begun(driver, "{\"action\":\"cancel\",\"all\":true}");
    finished(driver, third);
    for (int i = 0; i < 5; i++) driver_advance(driver, 2000);
    struct call *list = driver_call(driver, CALL_LIST_BULKS);
    list->as.bulks.max = 10;
    driver_run(driver, list);
    assert_int_equal(list->value.bulks.count, 1);
    assert_int_equal(list->value.bulks.view->row.number, third.instance);
    for (size_t i = 0; i < MANY + 1; i++) driver_started(driver, "ship", NULL);
    struct call *large = driver_run(driver, bulk(driver, "{\"action\":\"cancel\",\"all\":true}"));
    assert_int_equal(large->status, ST_LIMIT);
    assert_non_null(strstr(large->error.message, "bulk_instances_max"));
    driver_check(driver);
}

static void a_repeated_request_begins_one_bulk(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("ship"));
    driver_started(driver, "ship", NULL);
    for (int i = 0; i < 2; i++) {
        struct call *call = bulk(driver, "{\"action\":\"cancel\",\"all\":true}");
        call->idempotency_key = STR("once");
        driver_run(driver, call);
        assert_int_equal(call->status, ST_OK);
        assert_int_equal(call->replayed, i == 1);
        assert_int_equal(call->value.bulks.view->row.number, 1);
    }
    struct call *list = driver_call(driver, CALL_LIST_BULKS);
    list->as.bulks.max = 10;
    assert_int_equal(driver_run(driver, list)->value.bulks.count, 1);
}

/* ---- what fails ---- */

static const struct store_ops *real_ops;
static struct store_ops failing_ops;
static uint64_t unreadable;

static enum status failing_load(struct store *store, uint64_t id, struct arena *arena,
                                struct instance_row *ret_row, struct error *err)
{
    if (id == unreadable) return (fail)(err, ST_STORE, "store", "a page is damaged");
    return real_ops->load_instance(store, id, arena, ret_row, err);
}

static void an_instance_that_cannot_be_read_does_not_keep_the_others(void **state)
{
    struct driver *driver = *state;
    struct id ids[3];
    driver->limits.cache_bytes_max = 1;
    driver_deploy(driver, definition("pay"));
    for (size_t i = 0; i < COUNT(ids); i++) ids[i] = fail_one(driver, "timeout");
    driver_restart(driver);
    real_ops = driver->store->ops;
    failing_ops = *real_ops;
    failing_ops.load_instance = failing_load;
    unreadable = ids[1].instance;
    driver->store->ops = &failing_ops;
    struct id id = begun(driver, "{\"action\":\"retry\",\"filter\":{\"reason\":\"timeout\"}}");
    struct bulk_row row = finished(driver, id);
    driver->store->ops = real_ops;
    assert_string_equal(summary(driver, row), "succeeded=2 skipped=0 refused=1 of 3 (done)");
    struct call *refused = results(driver, id, BULK_REFUSED, 0, 5);
    assert_int_equal(refused->value.bulks.result_count, 1);
    assert_int_equal(refused->value.bulks.result->target.number, ids[1].instance);
    assert_int_not_equal(str_find(refused->value.bulks.result->words, STR("a page is damaged"), 0), SIZE_MAX);
    assert_int_equal(commands_by_bulk(driver, ids[0]), 1);
    assert_int_equal(commands_by_bulk(driver, ids[2]), 1);
}

static enum status failing_commit(struct store *store, struct error *err)
{
    (void)store;
    return (fail)(err, ST_FULL, "store", "the disk is full");
}

/* The transaction that was rolled back had found no bulk that goes on. */
static void a_bulk_goes_on_if_its_cancellation_fails(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("ship"));
    for (size_t i = 0; i < MANY; i++) driver_started(driver, "ship", NULL);
    struct id id = begun(driver, "{\"action\":\"cancel\",\"all\":true}");
    real_ops = driver->store->ops;
    failing_ops = *real_ops;
    failing_ops.commit = failing_commit;
    driver->store->ops = &failing_ops;
    struct call *cancel = driver_call(driver, CALL_CANCEL_BULK);
    cancel->as.bulks.id = id;
    assert_int_equal(driver_run(driver, cancel)->status, ST_FULL);
    driver->store->ops = real_ops;
    assert_int_equal(finished(driver, id).state, BULK_STATE_DONE);
}

/* ---- looking first ---- */

static void a_preview_groups_by_reason_and_changes_nothing(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    fail_one(driver, "order 17 declined");
    driver_advance(driver, 5000);
    struct id last = fail_one(driver, "order 4711 declined");
    fail_one(driver, "gateway \"eu-1\" timed out");
    struct call *call =
        driver_run(driver, bulk(driver, "{\"action\":\"retry\",\"all\":true,\"dryRun\":true}"));
    assert_int_equal(call->status, ST_OK);
    assert_int_equal(call->value.bulks.total, 3);
    assert_int_equal(call->value.bulks.group_count, 2);
    assert_int_equal(str_compare(call->value.bulks.group[0].reason, STR("order # declined")), 0);
    assert_int_equal(str_compare(call->value.bulks.group[0].example, STR("order 17 declined")), 0);
    assert_int_equal(call->value.bulks.group[0].count, 2);
    assert_int_equal(call->value.bulks.group[0].last_ms - call->value.bulks.group[0].first_ms, 5000);
    assert_int_equal(call->value.bulks.group[0].target[1].number, last.instance);
    assert_int_equal(str_compare(call->value.bulks.group[1].reason, STR("gateway \"…\" timed out")), 0);
    assert_int_equal(commands_by_bulk(driver, last), 0);
    struct call *list = driver_call(driver, CALL_LIST_BULKS);
    list->as.bulks.max = 10;
    assert_int_equal(driver_run(driver, list)->value.bulks.count, 0);
}

/* In one transaction; the later half failed for another reason. */
static void put_failures(struct driver *driver, int64_t definition, size_t count)
{
    static uint64_t next = 1000;
    struct error err;
    assert_int_equal(store_begin(driver->store, &err), ST_OK);
    for (size_t i = 0; i < count; i++) {
        struct instance_row row = { .id = next++,
                                    .ns = NAMESPACE_DEFAULT,
                                    .definition = definition,
                                    .status = INSTANCE_FAILED,
                                    .created_ms = 1,
                                    .ended_ms = 2,
                                    .state = STR("state") };
        struct failure_row failure = { .instance = row.id,
                                       .ns = NAMESPACE_DEFAULT,
                                       .definition = definition,
                                       .step = STR("charge"),
                                       .reason = i < count / 2 ? STR("early") : STR("late") };
        struct changeset changeset = {
            .instance = &row, .insert = true, .history = STR("h"), .at_ms = 1, .failure_put = &failure
        };
        assert_int_equal(store_apply(driver->store, &changeset, &err), ST_OK);
    }
    assert_int_equal(store_commit(driver->store, &err), ST_OK);
}

static struct answer_bulks reasons(struct driver *driver, const char *definition_id)
{
    struct bulk_request *request = arena_make(&driver->arena, struct bulk_request);
    struct call *call = driver_call(driver, CALL_REASONS);
    *request = (struct bulk_request){ .action = BULK_RETRY,
                                      .dry_run = true,
                                      .filter = { .statuses = 1u << INSTANCE_FAILED,
                                                  .definition_id = str_of(definition_id) } };
    call->as.bulk.request = request;
    assert_int_equal(driver_run(driver, call)->status, ST_OK);
    return call->value.bulks;
}

static int64_t looked_at(struct answer_bulks answer)
{
    int64_t sum = 0;
    for (size_t i = 0; i < answer.group_count; i++) sum += answer.group[i].count;
    return sum;
}

static void reasons_are_told_of_the_newest_failures_of_each_definition(void **state)
{
    struct driver *driver = *state;
    driver_deploy(driver, definition("pay"));
    driver_deploy(driver, definition("waiting"));
    enum { VERY_MANY = REASONS_OF_DEFINITION_MAX * 2 + 100 };
    put_failures(driver, 1, REASONS_OF_DEFINITION_MAX);
    struct answer_bulks answer = reasons(driver, "");
    assert_false(answer.cut);
    assert_int_equal(answer.total, REASONS_OF_DEFINITION_MAX);
    assert_int_equal(looked_at(answer), REASONS_OF_DEFINITION_MAX);

    put_failures(driver, 1, VERY_MANY - REASONS_OF_DEFINITION_MAX);
    put_failures(driver, 2, 10);
    answer = reasons(driver, "");
    assert_true(answer.cut);
    assert_int_equal(answer.total, VERY_MANY + 10);
    assert_int_equal(looked_at(answer), REASONS_OF_DEFINITION_MAX + 10);
    answer = reasons(driver, "pay");
    assert_true(answer.cut);
    assert_int_equal(answer.total, VERY_MANY);
    assert_int_equal(looked_at(answer), REASONS_OF_DEFINITION_MAX);
    assert_int_equal(str_compare(answer.group[0].reason, STR("late")), 0);
    assert_false(reasons(driver, "waiting").cut);
}

static void reasons_are_folded_where_they_differ_from_case_to_case(void **state)
{
    struct driver *driver = *state;
    static const struct {
        const char *reason, *folded;
    } cases[] = {
        { "", "" },
        { "no answer", "no answer" },
        { "after 30 s (attempt 3)", "after # s (attempt #)" },
        { "step \"a b\" isn't done", "step \"…\" isn't done" },
        { "key 'x-1' and 'y'", "key \"…\" and \"…\"" },
        { "unclosed \"quote", "unclosed \"quote" },
        { "HTTP2 v1.12", "HTTP# v#.#" },
        { "01KMB9BMQZ0000000G00000000 gone", "# gone" },
        { "id 3f2b8c1e-0a4d-4e6f-9b1a-2c3d4e5f6a7b!", "id #!" },
        { "Überweisung 12€", "Überweisung #€" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        str folded = bulk_fold_reason(str_of(cases[i].reason), &driver->arena);
        if (!str_equal(folded, str_of(cases[i].folded)))
            fail_msg("%s: %.*s", cases[i].reason, STR_ARG(folded));
    }
}

static void a_request_that_is_wrong_names_the_field(void **state)
{
    struct driver *driver = *state;
    static const struct {
        const char *body, *words;
    } cases[] = {
        { "{}", "action must be retry, cancel, signal, resend, migrate or undo" },
        { "{\"action\":\"delete\"}", "not \"delete\"" },
        { "{\"action\":\"retry\"}", "the filter is empty" },
        { "{\"action\":\"retry\",\"filter\":{}}", "the filter is empty" },
        { "{\"action\":\"retry\",\"filter\":{\"status\":\"FAILED\"},\"all\":true}",
          "all is for a request without a filter" },
        { "{\"action\":\"retry\",\"filter\":[]}", "filter must be an object, not array" },
        { "{\"action\":\"retry\",\"filtre\":{}}", "did you mean \"filter\"?" },
        { "{\"action\":\"retry\",\"filter\":{\"definitonId\":\"x\"}}", "filter.definitonId is no field" },
        { "{\"action\":\"retry\",\"filter\":{\"source\":\"x\"}}",
          "filter.source is no field of a bulk to retry" },
        { "{\"action\":\"resend\",\"filter\":{\"status\":\"FAILED\"}}",
          "filter.status is no field of a bulk to resend" },
        { "{\"action\":\"retry\",\"filter\":{\"definitionId\":\"\"}}",
          "filter.definitionId must not be empty" },
        { "{\"action\":\"retry\",\"filter\":{\"definitionId\":7}}",
          "filter.definitionId must be a text, not number" },
        { "{\"action\":\"retry\",\"filter\":{\"status\":\"ACTIVE\"}}",
          "only FAILED instances can be retried" },
        { "{\"action\":\"cancel\",\"filter\":{\"status\":\"DONE\"}}", "not \"DONE\"" },
        { "{\"action\":\"cancel\",\"filter\":{\"status\":\"COMPLETED\"}}",
          "only ACTIVE, WAITING and FAILED instances can be cancelled" },
        { "{\"action\":\"signal\",\"filter\":{\"status\":\"FAILED\"}}",
          "only ACTIVE and WAITING instances can be sent a signal" },
        { "{\"action\":\"signal\",\"filter\":{\"reason\":\"x\"}}",
          "filter.reason is no field of a bulk to signal" },
        { "{\"action\":\"retry\",\"all\":true,\"failed\":true}", "failed is no field of a bulk to retry" },
        { "{\"action\":\"retry\",\"filter\":{\"startedBefore\":\"yesterday\"}}",
          "filter.startedBefore must be a time" },
        { "{\"action\":\"retry\",\"filter\":{\"definitionVersion\":0}}",
          "filter.definitionVersion must be a version" },
        { "{\"action\":\"retry\",\"filter\":{\"ids\":[]}}", "filter.ids must not be empty" },
        { "{\"action\":\"retry\",\"filter\":{\"ids\":[\"x\"]}}", "filter.ids must hold ids" },
        { "{\"action\":\"resend\",\"filter\":{\"numbers\":[1.5]}}", "filter.numbers must hold numbers" },
        { "{\"action\":\"signal\",\"filter\":{\"definitionId\":\"x\"}}", "step is required" },
        { "{\"action\":\"cancel\",\"all\":true,\"variables\":{}}",
          "variables is no field of a bulk to cancel" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct bulk_request request;
        struct error err = { 0 };
        enum status status =
            bulk_request_read(driver_json(driver, cases[i].body), &driver->arena, &request, &err);
        if (status != ST_INVALID || !strstr(err.message, cases[i].words))
            fail_msg("%s: %s", cases[i].body, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DRIVER_TEST(failed_instances_are_retried_by_their_reason),
        DRIVER_TEST(a_folded_reason_is_a_filter),
        DRIVER_TEST(what_begins_later_or_has_changed_is_not_touched),
        DRIVER_TEST(instances_are_cancelled_and_signalled_where_they_stand),
        DRIVER_TEST(every_filter_narrows_it),
        DRIVER_TEST(unmatched_events_are_sent_again_also_to_very_many),
        DRIVER_TEST(a_bulk_is_done_in_slices_that_survive_a_restart),
        DRIVER_TEST(a_bulk_can_be_cancelled_and_takes_turns_with_others),
        DRIVER_TEST(only_so_many_go_on_and_are_kept),
        DRIVER_TEST(tenants_take_turns_with_their_bulks),
        DRIVER_TEST(a_repeated_request_begins_one_bulk),
        DRIVER_TEST(an_instance_that_cannot_be_read_does_not_keep_the_others),
        DRIVER_TEST(a_bulk_goes_on_if_its_cancellation_fails),
        DRIVER_TEST(a_preview_groups_by_reason_and_changes_nothing),
        DRIVER_TEST(reasons_are_told_of_the_newest_failures_of_each_definition),
        DRIVER_TEST(reasons_are_folded_where_they_differ_from_case_to_case),
        DRIVER_TEST(a_request_that_is_wrong_names_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
