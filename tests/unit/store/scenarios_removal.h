/* tests/unit/store/scenarios_removal.h — all rows of a tenant are removed. */
#ifndef SCENARIOS_REMOVAL_H
#define SCENARIOS_REMOVAL_H

#include "fixture.h"
#include "store/removal.h"

enum { REMOVED_NS = 7, KEPT_NS = 8, REMOVAL_ROWS = 3 };

static void put_tenant_definition(struct fixture *f, int32_t ns, int64_t number, const char *id)
{
    struct definition_row row = { .number = number,
                                  .ns = ns,
                                  .id = str_of(id),
                                  .version = 1,
                                  .priority = 5,
                                  .dialect = STR("steps"),
                                  .title = STR("T"),
                                  .source = STR("{}"),
                                  .content = (uint64_t)number,
                                  .created_ms = 1 };
    struct trigger_row trigger = { ns, STR("shop"), STR("sold"), number };
    put(f, (struct changeset){ .definition = &row, .trigger_add = &trigger, .trigger_add_count = 1 });
}

/* An instance of each status, with everything that hangs on one that lives. Their states cannot be read, so
 * the store has to look for the rows. */
static void put_tenant_instances(struct fixture *f, int32_t ns, uint64_t first, int64_t definition)
{
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++) {
        uint64_t id = first + (uint64_t)i;
        struct instance_row row = an_instance(id, definition, (enum instance_status)i);
        row.ns = ns;
        row.business_key = STR("K");
        put_instance(f, &row);
        update_instance(f, &row, "h2");
        if (instance_status_ended(row.status) && row.status != INSTANCE_FAILED) continue;
        struct timer_row timer = { 50, id, 1 };
        struct task_row task = { .instance = id, .execution = 2, .ns = ns, .definition = definition };
        struct subscription_row subscription = { definition, STR("c"), id };
        struct child_row child = { .parent = id, .number = 3, .instance = first };
        put(f, (struct changeset){ .timer_add = &timer,
                                   .timer_add_count = 1,
                                   .task_add = &task,
                                   .task_add_count = 1,
                                   .subscription_add = &subscription,
                                   .child_add = &child });
    }
}

static void put_tenant(struct fixture *f, int32_t ns)
{
    int64_t definition = ns * 10;
    put_tenant_definition(f, ns, definition, "empty");
    put_tenant_definition(f, ns, definition + 1, "order");
    put_tenant_instances(f, ns, (uint64_t)ns * 100, definition + 1);
    struct failure_row failure = { .instance = (uint64_t)ns * 100 + INSTANCE_FAILED,
                                   .ns = ns,
                                   .definition = definition + 1,
                                   .reason = STR("r") };
    struct pending_row pending = { .parent = (uint64_t)ns * 100, .number = 1, .ns = ns, .target = STR("x") };
    struct idempotency_row answer = { .ns = ns, .key = STR("k"), .created_ms = 1 };
    struct unmatched_row unmatched = { .ns = ns, .received_ms = 1, .event = STR("e") };
    struct bulk_row bulk = { .ns = ns, .created_ms = 1, .found = 2 };
    struct bulk_part_row part[] = { { .kind = BULK_PART_REQUEST, .blob = STR("r") },
                                    { .kind = BULK_PART_SELECTION, .blob = STR("s") } };
    struct record_row record[] = { { .ns = ns, .kind = RECORD_DRAFT, .key = STR("d"), .value = STR("v") },
                                   { .ns = ns, .kind = RECORD_SEEN, .key = STR("s"), .at_ms = 5 } };
    put(f, (struct changeset){ .pending_add = &pending,
                               .failure_put = &failure,
                               .idempotency = &answer,
                               .unmatched_add = &unmatched,
                               .bulk_add = &bulk,
                               .bulk_part_add = part,
                               .bulk_part_add_count = COUNT(part),
                               .record_put = record,
                               .record_put_count = COUNT(record) });
}

/* How many rows of each kind a tenant has, as far as lists tell. */
static size_t count_rows(struct fixture *f, int32_t ns)
{
    struct definition_row *definition;
    struct instance_row *instance;
    struct task_row *task;
    struct pending_row pending[4];
    struct idempotency_row answer;
    struct unmatched_row *unmatched;
    struct bulk_row *bulk;
    struct failure_row *failure;
    struct record_row *record;
    struct triggered triggered[4];
    size_t sum = 0, count;
    bool there;
    assert_ok(f,
              reader_definitions_after(f->reader, ns, STR_NONE, 9, &f->arena, &definition, &count, &f->err));
    sum += count;
    assert_ok(f, reader_instances(f->reader, &(struct instance_filter){ .ns = ns, .status = -1, .max = 9 },
                                  &f->arena, &instance, &count, NULL, &f->err));
    sum += count;
    assert_ok(f, reader_tasks(f->reader, &(struct task_filter){ .ns = ns, .max = 9 }, &f->arena, &task,
                              &count, NULL, &f->err));
    sum += count;
    assert_ok(f, store_pending(f->store, ns, STR("x"), NULL, &f->arena, pending, 4, &count, &f->err));
    sum += count;
    assert_ok(
        f, found_asked(store_find_idempotency(f->store, ns, STR("k"), &f->arena, &answer, &f->err), &there));
    sum += there;
    assert_ok(f, reader_unmatched(f->reader, ns, 0, 9, &f->arena, &unmatched, &count, NULL, &f->err));
    sum += count;
    assert_ok(f, reader_bulks(f->reader, ns, 0, 9, &f->arena, &bulk, &count, &f->err));
    sum += count;
    assert_ok(f, reader_failures(f->reader, &(struct selection_filter){ .ns = ns, .upto = 9999, .max = 9 },
                                 &f->arena, &failure, &count, &f->err));
    sum += count;
    for (enum record_kind kind = 0; kind < RECORD_KIND_COUNT; kind++) {
        const struct record_filter filter = { .ns = ns, .kind = kind, .max = 9 };
        assert_ok(f, store_records(f->store, &filter, &f->arena, &record, &count, &f->err));
        sum += count;
    }
    assert_ok(f, store_triggered(f->store, ns, STR("shop"), STR("sold"), 0, triggered, 4, &count, &f->err));
    return sum + count;
}

/* Timers and links to children are of no tenant, but of instances. */
static size_t count_timers(struct fixture *f)
{
    struct timer_row timer[16];
    size_t count;
    assert_ok(f, store_timers(f->store, NULL, INT64_MAX, timer, COUNT(timer), &count, &f->err));
    return count;
}

static size_t count_subscribers(struct fixture *f, int64_t definition)
{
    uint64_t instance[16];
    size_t count;
    assert_ok(
        f, store_subscribers(f->store, definition, STR("c"), 0, instance, COUNT(instance), &count, &f->err));
    return count;
}

/* A slice in the open transaction. True: nothing is left. */
static bool remove_slice(struct fixture *f)
{
    struct tenant_removal removal;
    struct purged purged;
    assert_ok(f, store_remove_tenant(f->store, REMOVED_NS, REMOVAL_ROWS, &f->arena, &removal, &f->err));
    assert_true(removal.removed <= REMOVAL_ROWS && removal.instance_count <= REMOVAL_ROWS);
    uint64_t id[REMOVAL_ROWS];
    for (size_t i = 0; i < removal.instance_count; i++) id[i] = removal.instance[i].id;
    for (size_t i = 0; i < removal.instance_count; i++)
        assert_int_equal(removal.instance[i].id, REMOVED_NS * 100 + removal.instance[i].status);
    const struct purge purge = { INT64_MIN, INT64_MIN, INT64_MIN, id, removal.instance_count };
    if (removal.instance_count) assert_ok(f, store_purge(f->store, &purge, REMOVAL_ROWS, &purged, &f->err));
    assert_int_equal(removal.is_over, !removal.instance_count && removal.removed < REMOVAL_ROWS);
    return removal.is_over;
}

static void a_definition_is_removed_with_its_versions_and_what_waits_for_it(void **state)
{
    struct fixture *f = *state;
    struct definition_row found,
        second = { .number = 901, .ns = 1, .id = STR("goes"), .version = 2, .rank = 1 };
    struct definition_row goes = { .number = 900, .ns = 1, .id = STR("goes"), .version = 1 };
    struct definition_row stays = { .number = 902, .ns = 1, .id = STR("goes2"), .version = 1 };
    struct definition_row *const all[] = { &goes, &second, &stays };
    struct ended_instance *ended;
    struct store_statistics before, after;
    struct pending_row pending[2] = { { .parent = 1, .number = 1, .ns = 1, .target = STR("goes") },
                                      { .parent = 1, .number = 2, .ns = 1, .target = STR("goes2") } };
    struct triggered triggered[4];
    uint64_t id[2];
    size_t count;
    assert_ok(f, reader_statistics(f->reader, &before, &f->err));
    for (size_t i = 0; i < COUNT(all); i++) {
        struct trigger_row trigger = { 1, STR("shop"), STR("gone"), all[i]->number };
        put(f, (struct changeset){ .definition = all[i],
                                   .trigger_add = &trigger,
                                   .trigger_add_count = 1,
                                   .pending_add = i < COUNT(pending) ? &pending[i] : NULL });
    }
    const enum instance_status statuses[] = { INSTANCE_COMPLETED, INSTANCE_FAILED, INSTANCE_WAITING };
    for (size_t i = 0; i < COUNT(statuses); i++) {
        struct instance_row row = an_instance(9000 + i, 900 + (int64_t)i % 2, statuses[i]);
        put_instance(f, &row);
    }
    struct instance_row other = an_instance(9010, 902, INSTANCE_COMPLETED);
    put_instance(f, &other);
    assert_ok(f, store_ended(f->store, 1, STR("goes"), 9, &f->arena, &ended, &count, &f->err));
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) assert_true((id[i] = ended[i].id) < 9002 && !ended[i].has_jobs);
    assert_ok(f, store_ended(f->store, 1, STR("goes"), 1, &f->arena, &ended, &count, &f->err));
    assert_int_equal(count, 1);
    assert_ok(f, store_ended(f->store, 2, STR("goes"), 9, &f->arena, &ended, &count, &f->err));
    assert_int_equal(count, 0);

    const uint64_t gone[] = { 9000, 9001, 9002 };
    const struct purge purge = { INT64_MIN, INT64_MIN, INT64_MIN, gone, COUNT(gone) };
    struct purged purged;
    begin(f);
    assert_ok(f, store_purge(f->store, &purge, 9, &purged, &f->err));
    commit(f);
    begin(f);
    apply(f, (struct changeset){ .definition_remove = &goes });
    commit(f);
    for (int32_t version = 0; version < 3; version++)
        assert_int_equal(found_needed(store_find_definition(f->store, 1, STR("goes"), version, &f->arena,
                                                            &found, &f->err)),
                         ST_NOT_FOUND);
    assert_ok(f, store_pending(f->store, 1, STR("goes"), NULL, &f->arena, pending, 2, &count, &f->err));
    assert_int_equal(count, 0);
    assert_ok(f, store_pending(f->store, 1, STR("goes2"), NULL, &f->arena, pending, 2, &count, &f->err));
    assert_int_equal(count, 1);
    assert_ok(f, store_triggered(f->store, 1, STR("shop"), STR("gone"), 0, triggered, 4, &count, &f->err));
    assert_true(count == 1 && triggered[0].definition == 902);
    assert_ok(f, reader_statistics(f->reader, &after, &f->err));
    assert_int_equal(after.definitions, before.definitions + 1);
    assert_int_equal(after.pending, before.pending + 1);
    goes.number = 903;
    put(f, (struct changeset){ .definition = &goes });
    assert_ok(f, found_needed(store_find_definition(f->store, 1, STR("goes"), VERSION_NEWEST, &f->arena,
                                                    &found, &f->err)));
    assert_true(found.version == 1 && found.number == 903);
}

static void a_tenant_is_removed_with_all_its_rows_and_others_keep_theirs(void **state)
{
    struct fixture *f = *state;
    put_tenant(f, KEPT_NS);
    struct store_statistics before, after;
    size_t rows = count_rows(f, KEPT_NS), slices = 0;
    assert_ok(f, reader_statistics(f->reader, &before, &f->err));
    put_tenant(f, REMOVED_NS);
    assert_int_equal(count_rows(f, REMOVED_NS), rows);
    assert_int_equal(count_timers(f), 6);
    bool is_over;
    do {
        begin(f);
        is_over = remove_slice(f);
        commit(f);
        assert_true(++slices < 20);
    } while (!is_over);
    assert_true(slices > 5);
    assert_int_equal(count_rows(f, REMOVED_NS), 0);
    assert_int_equal(count_rows(f, KEPT_NS), rows);
    assert_int_equal(count_timers(f), 3);
    assert_int_equal(count_subscribers(f, REMOVED_NS * 10 + 1), 0);
    assert_int_equal(count_subscribers(f, KEPT_NS * 10 + 1), 3);
    assert_ok(f, reader_statistics(f->reader, &after, &f->err));
    assert_int_equal(after.definitions, before.definitions);
    assert_int_equal(after.tasks, before.tasks);
    assert_int_equal(after.timers, before.timers);
    assert_int_equal(after.pending, before.pending);
    for (int i = 0; i < INSTANCE_STATUS_COUNT; i++)
        assert_int_equal(after.instances_by_status[i], before.instances_by_status[i]);
    struct bulk_part_row *part;
    size_t parts;
    for (int64_t number = 1; number <= 2; number++) {
        assert_ok(f, reader_bulk_parts(f->reader, number, BULK_PART_REQUEST, 0, 9, &f->arena, &part, &parts,
                                       &f->err));
        assert_int_equal(parts, number == 1);
    }
    put_tenant(f, REMOVED_NS); /* Nothing of the old one is in the way. */
    assert_int_equal(count_rows(f, REMOVED_NS), rows);
}

static void a_removal_that_is_rolled_back_removes_nothing(void **state)
{
    struct fixture *f = *state;
    put_tenant(f, REMOVED_NS);
    size_t rows = count_rows(f, REMOVED_NS);
    begin(f);
    remove_slice(f);
    store_rollback(f->store);
    assert_int_equal(count_rows(f, REMOVED_NS), rows);
    assert_int_equal(count_timers(f), 3);
}

#endif
