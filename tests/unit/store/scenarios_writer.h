/* Scenarios of the writer: what is applied, committed, rolled back and found again. */
#include "fixture.h"

#include "store/store_int.h"

static void what_is_committed_is_there_and_what_is_rolled_back_is_not(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    one.business_key = STR("K-1");
    put_instance(f, &one);

    begin(f);
    apply(f, (struct changeset){ .instance = &two, .insert = true, .history = STR("h") });
    one.state = STR("changed");
    apply(f, (struct changeset){ .instance = &one, .history = STR("h2") });
    assert_str_equal(load_instance(f, 1).state, STR("changed"));
    store_rollback(f->store);

    struct instance_row row = load_instance(f, 1);
    assert_int_equal(row.id, 1);
    assert_int_equal(row.ns, NAMESPACE_DEFAULT);
    assert_int_equal(row.definition, 1);
    assert_str_equal(row.definition_id, STR("order"));
    assert_int_equal(row.definition_version, 1);
    assert_int_equal(row.status, INSTANCE_ACTIVE);
    assert_true(row.has_jobs);
    assert_int_equal(row.created_ms, 5001);
    assert_int_equal(row.ended_ms, 0);
    assert_str_equal(row.business_key, STR("K-1"));
    assert_str_equal(row.state, STR("state"));
    assert_int_equal(found_needed(store_load_instance(f->store, TENANT_ANY, 2, &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
    assert_non_null(strstr(f->err.message, "2"));
}

static void a_rollback_undoes_every_kind_of_row(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_WAITING);
    struct timer_row timer = { 100, 1, 3 }, other_timer = { 100, 1, 4 };
    struct task_row task = { .instance = 1, .execution = 2, .ns = 1, .definition = 1, .node = STR("n") };
    struct pending_row pending = {
        .parent = 1, .number = 5, .ns = 1, .target = STR("next"), .data = STR("{}")
    };
    put(f, (struct changeset){ .instance = &one,
                               .insert = true,
                               .history = STR("h"),
                               .timer_add = &timer,
                               .timer_add_count = 1,
                               .task_add = &task,
                               .task_add_count = 1,
                               .pending_add = &pending });

    struct definition_row definition = { .number = 2, .ns = 1, .id = STR("late"), .version = 1 };
    struct idempotency_row answer = { .ns = 1, .key = STR("k"), .answer = STR("a") };
    struct subscription_row subscription = { 1, STR("t"), 1 }, other_subscription = { 1, STR("u"), 1 };
    struct trigger_row trigger = { 1, STR("s"), STR("t"), 2 };
    struct child_row child = { 1, 6, 2, true };
    struct unmatched_row unmatched = { .ns = 1, .event = STR("e") };
    put(f, (struct changeset){ .subscription_add = &subscription });
    begin(f);
    apply(f, (struct changeset){ .definition = &definition,
                                 .trigger_add = &trigger,
                                 .trigger_add_count = 1,
                                 .subscription_remove = &subscription,
                                 .subscription_add = &other_subscription,
                                 .child_add = &child,
                                 .unmatched_add = &unmatched,
                                 .idempotency = &answer,
                                 .timer_remove = &timer,
                                 .timer_remove_count = 1,
                                 .timer_add = &other_timer,
                                 .timer_add_count = 1,
                                 .task_remove = &task,
                                 .task_remove_count = 1,
                                 .pending_remove = &pending });
    struct timer_row found;
    size_t count;
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, &found, 1, &count, &f->err));
    assert_int_equal(found.number, 4);
    uint64_t subscriber;
    assert_ok(f, store_subscribers(f->store, 1, STR("u"), 0, &subscriber, 1, &count, &f->err));
    assert_int_equal(count, 1); /* Inside the transaction it is there already. */
    store_rollback(f->store);

    struct triggered triggered;
    struct unmatched_row *found_unmatched;
    assert_ok(f, store_subscribers(f->store, 1, STR("u"), 0, &subscriber, 1, &count, &f->err));
    assert_int_equal(count, 0);
    assert_ok(f, store_subscribers(f->store, 1, STR("t"), 0, &subscriber, 1, &count, &f->err));
    assert_int_equal(count, 1);
    assert_ok(f, store_triggered(f->store, 1, STR("s"), STR("t"), 0, &triggered, 1, &count, &f->err));
    assert_int_equal(count, 0);
    assert_int_equal(found_needed(store_find_child(f->store, 1, 6, &child, &f->err)), ST_NOT_FOUND);
    assert_ok(f, reader_unmatched(f->reader, 1, 0, 1, &f->arena, &found_unmatched, &count, NULL, &f->err));
    assert_int_equal(count, 0);
    struct definition_row row;
    struct idempotency_row kept;
    struct pending_row waiting;
    struct store_statistics statistics;
    assert_int_equal(found_needed(store_load_definition(f->store, 2, &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
    assert_int_equal(found_needed(store_find_idempotency(f->store, 1, STR("k"), &f->arena, &kept, &f->err)),
                     ST_NOT_FOUND);
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, &found, 1, &count, &f->err));
    assert_int_equal(found.number, 3);
    assert_ok(f, store_pending(f->store, 1, STR("next"), NULL, &f->arena, &waiting, 1, &count, &f->err));
    assert_int_equal(count, 1);
    assert_ok(f, reader_statistics(f->reader, &statistics, &f->err));
    assert_int_equal(statistics.definitions, 1);
    assert_int_equal(statistics.tasks, 1);
    assert_int_equal(statistics.timers, 1);
    assert_int_equal(statistics.pending, 1);
}

static void rows_that_are_there_already_or_not_at_all_are_refused(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), absent = an_instance(7, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    struct definition_row same_number = { .number = 1, .ns = 1, .id = STR("other"), .version = 1 };
    struct definition_row same_version = { .number = 2, .ns = 1, .id = STR("order"), .version = 1 };
    struct timer_row timer[2] = { { 5, 1, 1 }, { 5, 1, 1 } };
    struct task_row task[2] = { { .instance = 1, .execution = 1, .ns = 1, .definition = 1 },
                                { .instance = 1, .execution = 1, .ns = 1, .definition = 1 } };
    struct subscription_row subscription = { 1, STR("t"), 1 };
    struct trigger_row trigger[2] = { { 1, STR("s"), STR("t"), 1 }, { 1, STR("s"), STR("t"), 1 } };
    struct child_row child = { 1, 2, 3, true };
    put(f, (struct changeset){ .subscription_add = &subscription, .child_add = &child });
    struct {
        struct changeset change;
        enum status want;
    } cases[] = {
        { { .instance = &one, .insert = true }, ST_CONFLICT },
        { { .instance = &absent }, ST_NOT_FOUND },
        { { .definition = &same_number }, ST_CONFLICT },
        { { .definition = &same_version }, ST_CONFLICT },
        { { .timer_add = timer, .timer_add_count = 2 }, ST_CONFLICT },
        { { .task_add = task, .task_add_count = 2 }, ST_CONFLICT },
        { { .subscription_add = &subscription }, ST_CONFLICT },
        { { .trigger_add = trigger, .trigger_add_count = 2 }, ST_CONFLICT },
        { { .child_add = &child }, ST_CONFLICT },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(f);
        enum status got = store_apply(f->store, &cases[i].change, &f->err);
        if (got == ST_OK) got = store_commit(f->store, &f->err);
        assert_int_equal(got, cases[i].want);
        /* Half a changeset is worse than none: only a rollback is left. */
        struct changeset nothing = { 0 };
        assert_int_equal(store_apply(f->store, &nothing, &f->err), ST_STORE);
        assert_int_equal(store_commit(f->store, &f->err), ST_STORE);
        store_rollback(f->store);
    }
    assert_str_equal(load_instance(f, 1).state, STR("state"));
}

/* A back end may gather rows and write them with the next read. Whoever reads has done nothing wrong, and the
 * transaction does not commit without those rows. */
static void a_conflict_that_a_read_meets_is_not_committed(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    struct instance_row one = an_instance(1, 1, INSTANCE_ACTIVE), two = an_instance(2, 1, INSTANCE_ACTIVE);
    put_instance(f, &one);
    struct definition_row same_number = { .number = 1, .ns = 1, .id = STR("other"), .version = 1 };
    struct timer_row timer[2] = { { 5, 1, 1 }, { 5, 1, 1 } };
    struct changeset cases[] = {
        { .instance = &one, .insert = true },
        { .definition = &same_number },
        { .timer_add = timer, .timer_add_count = 2 },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct changeset harmless = { .instance = &two, .insert = true };
        struct record_row row;
        begin(f);
        enum status got = store_apply(f->store, &harmless, &f->err);
        assert_int_equal(got, ST_OK);
        got = store_apply(f->store, &cases[i], &f->err);
        if (got == ST_OK)
            got = found_needed(
                store_find_record(f->store, 1, RECORD_DRAFT, STR("none"), &f->arena, &row, &f->err));
        assert_true(got == ST_CONFLICT || got == ST_AGAIN);
        assert_int_not_equal(store_commit(f->store, &f->err), ST_OK);
        store_rollback(f->store);
        assert_int_equal(found_needed(store_load_instance(f->store, TENANT_ANY, 2, &f->arena,
                                                          &(struct instance_row){ 0 }, &f->err)),
                         ST_NOT_FOUND);
        put(f, (struct changeset){ .timer_add = timer, .timer_add_count = 1 }); /* It can write again. */
        put(f, (struct changeset){ .timer_remove = timer, .timer_remove_count = 1 });
    }
}

static void numbers_go_on_from_the_highest_one(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(take_numbers(f).definition, 1);
    put_definition(f, 4, "order", 1);
    struct instance_row row = an_instance(77, 4, INSTANCE_ACTIVE);
    put_instance(f, &row);
    assert_true(take_numbers(f).instance > 77);
    assert_true(take_numbers(f).definition > 4);
}

static void definitions_are_found_by_version_number_and_content(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_definition(f, 2, "order", 2);
    put_definition(f, 3, "order", 10); /* Numeric order, not "10" before "2". */
    put_definition(f, 4, "orders", 1);
    struct definition_row row;
    assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("order"), 0, &f->arena, &row, &f->err)));
    assert_int_equal(row.number, 3);
    assert_int_equal(row.version, 10);
    assert_str_equal(row.title, STR("Title of order"));
    assert_str_equal(row.author, STR("ada"));
    assert_str_equal(row.source, STR("{\"id\":\"order\"}"));
    assert_str_equal(row.dialect, STR("steps"));
    assert_int_equal(row.created_ms, 1003);
    assert_true(row.content == UINT64_C(0xf000000000000003));
    assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("order"), 2, &f->arena, &row, &f->err)));
    assert_int_equal(row.number, 2);
    assert_ok(f, found_needed(store_load_definition(f->store, 4, &f->arena, &row, &f->err)));
    assert_str_equal(row.id, STR("orders"));
    assert_ok(f, found_needed(store_find_content(f->store, 1, STR("order"), UINT64_C(0xf000000000000001),
                                                 &f->arena, &row, &f->err)));
    assert_int_equal(row.version, 1);

    assert_int_equal(
        found_needed(store_find_definition(f->store, 1, STR("order"), 3, &f->arena, &row, &f->err)),
        ST_NOT_FOUND);
    assert_int_equal(
        found_needed(store_find_definition(f->store, 1, STR("orde"), 0, &f->arena, &row, &f->err)),
        ST_NOT_FOUND);
    assert_int_equal(
        found_needed(store_find_definition(f->store, 2, STR("order"), 0, &f->arena, &row, &f->err)),
        ST_NOT_FOUND);
    assert_int_equal(found_needed(store_load_definition(f->store, 9, &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
    /* The content of another id does not count. */
    assert_int_equal(found_needed(store_find_content(f->store, 1, STR("order"), UINT64_C(0xf000000000000004),
                                                     &f->arena, &row, &f->err)),
                     ST_NOT_FOUND);
}

static uint64_t holder_of(struct fixture *f, str definition_id, str key)
{
    uint64_t id = 0;
    bool is_held;
    assert_ok(f,
              found_asked(store_find_business_key(f->store, 1, definition_id, key, &id, &f->err), &is_held));
    assert_int_equal(is_held, id != 0);
    return id;
}

static void a_business_key_leads_to_the_live_instance_only(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "order", 1);
    put_definition(f, 2, "order", 2);
    put_definition(f, 3, "refund", 1);
    struct instance_row old = an_instance(1, 1, INSTANCE_COMPLETED),
                        live = an_instance(2, 1, INSTANCE_WAITING);
    struct instance_row other = an_instance(3, 3, INSTANCE_ACTIVE);
    old.business_key = live.business_key = other.business_key = STR("K");
    put_instance(f, &old);
    assert_int_equal(holder_of(f, STR("order"), STR("K")), 0);
    put_instance(f, &live);
    put_instance(f, &other);
    assert_int_equal(holder_of(f, STR("order"), STR("K")), 2); /* Of whichever version. */
    assert_int_equal(holder_of(f, STR("refund"), STR("K")), 3);
    assert_int_equal(holder_of(f, STR("order"), STR("k")), 0);
    assert_int_equal(holder_of(f, STR("other"), STR("K")), 0);

    live.status = INSTANCE_FAILED;
    live.ended_ms = 9;
    update_instance(f, &live, "failed");
    assert_int_equal(holder_of(f, STR("order"), STR("K")), 0);
    live.status = INSTANCE_ACTIVE; /* Retried. */
    live.ended_ms = 0;
    begin(f);
    apply(f, (struct changeset){ .instance = &live, .history = STR("retried") });
    assert_int_equal(holder_of(f, STR("order"), STR("K")), 2); /* Also before the commit. */
    commit(f);
    assert_int_equal(holder_of(f, STR("order"), STR("K")), 2);
}

static void keys_are_bytes(void **state)
{
    struct fixture *f = *state;
    static const str keys[] = { STR_INIT("a"),
                                STR_INIT("a\0"),
                                STR_INIT("a\0b"),
                                STR_INIT("\0"),
                                STR_INIT("gr\xc3\xbc\xc3\x9f"),
                                STR_INIT("\xff\xfe"),
                                STR_INIT("a'b\"%_") };
    put_definition(f, 1, "order", 1);
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct instance_row row = an_instance(i + 1, 1, INSTANCE_ACTIVE);
        struct idempotency_row answer = {
            .ns = 1, .key = keys[i], .request = i, .http_status = 201, .answer = keys[i]
        };
        row.business_key = keys[i];
        row.state = keys[i];
        put(f, (struct changeset){
                   .instance = &row, .insert = true, .history = keys[i], .idempotency = &answer });
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct idempotency_row answer;
        assert_int_equal(holder_of(f, STR("order"), keys[i]), i + 1);
        assert_str_equal(load_instance(f, i + 1).state, keys[i]);
        assert_ok(f, found_needed(store_find_idempotency(f->store, 1, keys[i], &f->arena, &answer, &f->err)));
        assert_int_equal(answer.request, i);
        assert_str_equal(answer.key, keys[i]);
        assert_str_equal(answer.answer, keys[i]);
        struct instance_filter filter = { .ns = 1, .status = -1, .business_key = keys[i], .max = 10 };
        struct instance_row *row;
        size_t count;
        assert_ok(f, reader_instances(f->reader, &filter, &f->arena, &row, &count, NULL, &f->err));
        assert_int_equal(count, 1);
        assert_str_equal(row->business_key, keys[i]);
    }
}

static void large_blobs_come_back_whole(void **state)
{
    struct fixture *f = *state;
    enum { BYTES = 1 << 20 };
    char *bytes = arena_alloc(&f->arena, BYTES);
    for (size_t i = 0; i < BYTES; i++) bytes[i] = (char)(i * 31 + (i >> 8));
    put_definition(f, 1, "order", 1);
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    row.state = (str){ bytes, BYTES };
    put(f, (struct changeset){ .instance = &row, .insert = true, .history = { bytes, BYTES } });
    assert_str_equal(load_instance(f, 1).state, row.state);
    str *blob;
    size_t count;
    assert_ok(f, reader_history(f->reader, 1, 0, 0, &f->arena, &blob, &count, &f->err));
    assert_int_equal(count, 1);
    assert_str_equal(blob[0], row.state);
    row.state = STR(""); /* And a state may be empty. */
    update_instance(f, &row, "h2");
    assert_int_equal(load_instance(f, 1).state.n, 0);
}

static void timers_come_in_order_strictly_after_the_cursor(void **state)
{
    struct fixture *f = *state;
    /* In the order in which they must come; added in another. */
    static const struct timer_row want[] = {
        { -5, 9, 9 }, { 0, 2, 1 },  { 10, 1, 1 },        { 10, 1, 2 },
        { 10, 2, 1 }, { 20, 1, 1 }, { INT64_MAX, 1, 1 },
    };
    for (size_t i = 0; i < COUNT(want); i++)
        put(f, (struct changeset){ .timer_add = &want[(i * 3 + 2) % COUNT(want)], .timer_add_count = 1 });
    struct timer_row got[COUNT(want) + 1];
    size_t count;
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, COUNT(want));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i].due_ms, want[i].due_ms);
        assert_int_equal(got[i].instance, want[i].instance);
        assert_int_equal(got[i].number, want[i].number);
    }
    for (size_t i = 0; i < COUNT(want); i++) { /* One at a time, like a cursor. */
        assert_ok(f, store_timers(f->store, i ? &want[i - 1] : NULL, INT64_MAX, got, 1, &count, &f->err));
        assert_int_equal(count, 1);
        assert_memory_equal(&got[0].due_ms, &want[i].due_ms, sizeof want[i].due_ms);
        assert_int_equal(got[0].number, want[i].number);
    }
    assert_ok(f, store_timers(f->store, NULL, 10, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 5); /* Due at the limit counts. */
    assert_ok(f, store_timers(f->store, &want[6], INT64_MAX, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 0);
    put(f, (struct changeset){ .timer_remove = &want[2], .timer_remove_count = 2 });
    assert_ok(f, store_timers(f->store, NULL, 10, got, COUNT(got), &count, &f->err));
    assert_int_equal(count, 3);
    /* Removing what is gone is no error: it may have fired in the same batch. */
    put(f, (struct changeset){ .timer_remove = &want[2], .timer_remove_count = 1 });
}

static void recovery_finds_instances_with_jobs_by_id(void **state)
{
    struct fixture *f = *state;
    enum { INSTANCES = 60 };
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "b", 1);
    put_definition(f, 3, "b", 2);
    size_t wanted = 0;
    begin(f);
    for (uint64_t id = 1; id <= INSTANCES; id++) {
        struct instance_row row =
            an_instance(id, 1 + (int64_t)(id * 7 % 3), (enum instance_status)(id % INSTANCE_STATUS_COUNT));
        row.has_jobs = id % 2;
        wanted += row.has_jobs; /* Ended ones, too. */
        apply(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h") });
        if (id == INSTANCES / 2) { /* Asked before the commit, too. */
            struct instance_row got[INSTANCES];
            size_t count;
            assert_ok(f, store_instances_with_jobs(f->store, 0, &f->arena, got, INSTANCES, &count, &f->err));
            assert_int_equal(count, wanted);
        }
    }
    commit(f);
    uint64_t after = 0;
    size_t seen = 0;
    for (;;) {
        struct instance_row got[5];
        size_t count;
        assert_ok(f, store_instances_with_jobs(f->store, after, &f->arena, got, COUNT(got), &count, &f->err));
        for (size_t i = 0; i < count; i++) {
            assert_true(got[i].id > after);
            assert_true(got[i].has_jobs);
            assert_str_equal(got[i].state, STR("state"));
            after = got[i].id;
        }
        seen += count;
        if (count < COUNT(got)) break;
    }
    assert_int_equal(seen, wanted);
}

static void all_ids_with_jobs_come_at_once_and_in_order(void **state)
{
    struct fixture *f = *state;
    enum { INSTANCES = 300, DEFINITIONS = 40 };
    for (int64_t number = 1; number <= DEFINITIONS; number++)
        put_definition(f, number, arena_printf(&f->arena, "d%d", (int)number).p, 1);
    uint64_t wanted[INSTANCES], *got;
    size_t wanted_count = 0, count;
    assert_ok(f, store_ids_with_jobs(f->store, TENANT_ANY, 0, SIZE_MAX, &f->arena, &got, &count, &f->err));
    assert_int_equal(count, 0);
    begin(f);
    for (uint64_t id = 1; id <= INSTANCES; id++) {
        struct instance_row row = an_instance(id, 1 + (int64_t)(id * 29 % DEFINITIONS), INSTANCE_ACTIVE);
        row.has_jobs = id % 5 > 1;
        if (row.has_jobs) wanted[wanted_count++] = id;
        apply(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h") });
    }
    commit(f);
    static const size_t limits[] = { 0, 1, 2, 3, 7, 64, 179, 180, 181, SIZE_MAX };
    assert_int_equal(wanted_count, 180);
    for (size_t i = 0; i < COUNT(limits); i++) {
        for (size_t skipped = 0; skipped <= wanted_count; skipped += 45) {
            uint64_t after = skipped ? wanted[skipped - 1] : 0;
            size_t left = wanted_count - skipped;
            assert_ok(f, store_ids_with_jobs(f->store, TENANT_ANY, after, limits[i], &f->arena, &got, &count,
                                             &f->err));
            assert_int_equal(count, left < limits[i] ? left : limits[i]);
            for (size_t k = 0; k < count; k++) assert_true(got[k] == wanted[skipped + k]);
        }
    }
}

static void an_instance_knows_the_priority_of_its_definition(void **state)
{
    struct fixture *f = *state;
    static const int32_t priority[] = { 0, 5, 10 };
    for (size_t i = 0; i < COUNT(priority); i++) {
        int64_t number = (int64_t)i + 1;
        put_row(f, number, arena_printf(&f->arena, "d%zu", i).p, 1, 0, priority[i]);
        struct definition_row definition;
        assert_ok(f, found_needed(store_load_definition(f->store, number, &f->arena, &definition, &f->err)));
        assert_int_equal(definition.priority, priority[i]);
        struct instance_row instance = an_instance((uint64_t)number, number, INSTANCE_ACTIVE);
        put_instance(f, &instance);
        assert_int_equal(load_instance(f, (uint64_t)number).definition_priority, priority[i]);
    }
}

static void an_instance_is_loaded_with_its_own_definition(void **state)
{
    struct fixture *f = *state;
    char long_id[DEFINITION_ID_BYTES_MAX + 2] = { 0 };
    const char *id[] = {
        "short", arena_printf(&f->arena, "%s", (char *)memset(long_id, 'x', DEFINITION_ID_BYTES_MAX)).p,
        (char *)memset(long_id, 'y', DEFINITION_ID_BYTES_MAX + 1), "other"
    };
    for (size_t i = 0; i < COUNT(id); i++) {
        put_row(f, (int64_t)i + 1, id[i], (int32_t)i + 10, 0, (int32_t)i);
        for (uint64_t k = 0; k < 2; k++) {
            struct instance_row instance = an_instance(i + 1 + 10 * k, (int64_t)i + 1, INSTANCE_ACTIVE);
            put_instance(f, &instance);
        }
    }
    /* Again and again, in any order: the last one may be remembered. */
    static const uint64_t order[] = { 1, 11, 2, 12, 3, 13, 4, 14, 1, 3, 2, 11, 11, 13, 12, 4, 1 };
    for (size_t i = 0; i < COUNT(order); i++) {
        size_t wanted = (order[i] - 1) % 10;
        struct instance_row row = load_instance(f, order[i]);
        assert_int_equal(row.definition, wanted + 1);
        assert_str_equal(row.definition_id, str_of(id[wanted]));
        assert_int_equal(row.definition_version, wanted + 10);
        assert_int_equal(row.definition_priority, wanted);
    }
    struct instance_row orphan = an_instance(5, 99, INSTANCE_ACTIVE);
    put_instance(f, &orphan);
    assert_int_equal(load_instance(f, 5).definition_id.n, 0);
}

static void the_number_of_a_definition_that_was_rolled_back_can_be_anothers(void **state)
{
    struct fixture *f = *state;
    static const char *const id[] = { "undone", "kept" };
    for (size_t i = 0; i < COUNT(id); i++) {
        struct definition_row definition = { .number = 1,
                                             .ns = 1,
                                             .id = str_of(id[i]),
                                             .version = (int32_t)i + 1,
                                             .priority = (int32_t)i,
                                             .source = STR("{}") };
        struct instance_row instance = an_instance(1, 1, INSTANCE_ACTIVE);
        begin(f);
        apply(f, (struct changeset){ .definition = &definition });
        apply(f, (struct changeset){ .instance = &instance, .insert = true, .history = STR("h") });
        struct instance_row row = load_instance(f, 1);
        assert_str_equal(row.definition_id, str_of(id[i]));
        assert_int_equal(row.definition_version, i + 1);
        assert_int_equal(row.definition_priority, i);
        store_rollback(f->store);
    }
}

static void an_answer_is_remembered_by_its_key(void **state)
{
    struct fixture *f = *state;
    struct idempotency_row row = { .ns = 1,
                                   .key = STR("k"),
                                   .request = UINT64_MAX,
                                   .created_ms = 5,
                                   .http_status = 201,
                                   .answer = STR("{}") };
    struct idempotency_row got;
    assert_int_equal(found_needed(store_find_idempotency(f->store, 1, STR("k"), &f->arena, &got, &f->err)),
                     ST_NOT_FOUND);
    put(f, (struct changeset){ .idempotency = &row });
    assert_ok(f, found_needed(store_find_idempotency(f->store, 1, STR("k"), &f->arena, &got, &f->err)));
    assert_true(got.request == UINT64_MAX);
    assert_int_equal(got.created_ms, 5);
    assert_int_equal(got.http_status, 201);
    assert_str_equal(got.answer, STR("{}"));
    assert_int_equal(found_needed(store_find_idempotency(f->store, 2, STR("k"), &f->arena, &got, &f->err)),
                     ST_NOT_FOUND);
    row.answer = STR("later"); /* An expired key is used again. */
    row.created_ms = 50;
    put(f, (struct changeset){ .idempotency = &row });
    struct purged removed;
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ 0, 0, 50 }, 10, &removed, &f->err));
    assert_int_equal(removed.total, 0); /* Of its former self nothing is left. */
    commit(f);
    assert_ok(f, found_needed(store_find_idempotency(f->store, 1, STR("k"), &f->arena, &got, &f->err)));
    assert_str_equal(got.answer, STR("later"));
    begin(f);
    assert_ok(f, store_purge(f->store, &(struct purge){ 0, 0, 51 }, 10, &removed, &f->err));
    assert_int_equal(removed.total, 1);
    commit(f);
    assert_int_equal(found_needed(store_find_idempotency(f->store, 1, STR("k"), &f->arena, &got, &f->err)),
                     ST_NOT_FOUND);
}

static void space_is_released_in_steps_and_reclaimed(void **state)
{
    struct fixture *f = *state;
    bool more;
    assert_int_equal(store_space(f->store), STORE_SPACE_ENOUGH);
    assert_ok(f, store_reclaim_space(f->store, false, &more, &f->err));
    assert_true(store_release_space(f->store));
    assert_int_equal(store_space(f->store), STORE_SPACE_SHORT);
    put_definition(f, 1, "order", 1); /* The store itself refuses nothing. */
    assert_true(store_release_space(f->store));
    assert_int_equal(store_space(f->store), STORE_SPACE_OUT);
    assert_false(store_release_space(f->store));
    assert_int_equal(store_space(f->store), STORE_SPACE_OUT);
    assert_ok(f, store_reclaim_space(f->store, true, &more, &f->err));
    assert_false(more);
    assert_int_equal(store_space(f->store), STORE_SPACE_ENOUGH);
    assert_false(store_maintenance_due(f->store));
    assert_ok(f, store_maintain(f->store, &f->err));
}

static enum status shrink_status;

static enum status shrink_fails(struct store *store, bool *ret_more, struct error *err)
{
    (void)store, (void)ret_more;
    return (fail)(err, shrink_status, "store", "nothing can be returned");
}

/* A full disk is another matter: its caller releases space for the next attempt. */
static void space_is_reclaimed_also_if_the_store_cannot_shrink(void **state)
{
    struct fixture *f = *state;
    const struct store_ops *real = f->store->ops;
    struct store_ops ops = *real;
    bool more = false;
    ops.shrink = shrink_fails;
    assert_ok(f, store_reclaim_space(f->store, false, &more, &f->err));
    assert_true(store_release_space(f->store));
    f->store->ops = &ops;
    shrink_status = ST_FULL;
    assert_int_equal(store_reclaim_space(f->store, true, &more, &f->err), ST_FULL);
    assert_int_equal(store_space(f->store), STORE_SPACE_SHORT);
    shrink_status = ST_STORE;
    assert_int_equal(store_reclaim_space(f->store, true, &more, &f->err), ST_STORE);
    f->store->ops = real;
    assert_int_equal(store_space(f->store), STORE_SPACE_ENOUGH);
    assert_false(more);
}
