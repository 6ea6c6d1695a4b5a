/* Scenarios of failed instances and of bulks: one command for many of them. */
#include "fixture.h"

/* ---- why instances failed ---- */

static struct failure_row a_failure(uint64_t instance, int64_t definition, const char *reason)
{
    return (struct failure_row){ .instance = instance,
                                 .ns = NAMESPACE_DEFAULT,
                                 .definition = definition,
                                 .created_ms = 5000 + (int64_t)instance,
                                 .failed_ms = 9000 + (int64_t)instance,
                                 .business_key = STR("k\0y"),
                                 .step = STR("charge"),
                                 .reason = str_of(reason) };
}

static void put_failed(struct fixture *f, uint64_t id, int64_t definition, const char *reason)
{
    struct instance_row row = an_instance(id, definition, INSTANCE_FAILED);
    struct failure_row failure = a_failure(id, definition, reason);
    put(f, (struct changeset){
               .instance = &row, .insert = true, .history = STR("h1"), .at_ms = 1, .failure_put = &failure });
}

/* As "1:10 1:12": definitions and instances. */
static str failures(struct fixture *f, struct selection_filter filter)
{
    struct failure_row *row;
    size_t count;
    filter.ns = NAMESPACE_DEFAULT;
    if (!filter.upto) filter.upto = INT64_MAX;
    if (!filter.max) filter.max = 100;
    assert_ok(f, reader_failures(f->reader, &filter, &f->arena, &row, &count, &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%d:%d", STR_ARG(text), i ? " " : "", (int)row[i].definition,
                            (int)row[i].instance);
    return text;
}

static void failures_come_by_definition_and_instance_strictly_after_the_cursor(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "b", 1);
    put_definition(f, 3, "a", 2);
    static const struct {
        uint64_t id;
        int64_t definition;
    } rows[] = { { 7, 3 }, { 3, 1 }, { 300, 1 }, { 5, 2 }, { 9, 1 } };
    for (size_t i = 0; i < COUNT(rows); i++) put_failed(f, rows[i].id, rows[i].definition, "no answer");
    assert_str_equal(failures(f, (struct selection_filter){ 0 }), STR("1:3 1:9 1:300 2:5 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .max = 2 }), STR("1:3 1:9"));
    assert_str_equal(failures(f, (struct selection_filter){ .after_definition = 1, .after = 9, .max = 2 }),
                     STR("1:300 2:5"));
    assert_str_equal(failures(f, (struct selection_filter){ .after_definition = 3, .after = 7 }), STR(""));
    assert_str_equal(failures(f, (struct selection_filter){ .upto = 7 }), STR("1:3 2:5 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .definition_id = STR("a") }),
                     STR("1:3 1:9 1:300 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .definition_id = STR("a"), .version = 2 }),
                     STR("3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .definition_id = STR("A") }), STR(""));
}

static void failures_of_a_definition_come_from_the_newest_if_asked(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "b", 1);
    put_definition(f, 3, "a", 2);
    static const struct {
        uint64_t id;
        int64_t definition;
    } rows[] = { { 7, 3 }, { 3, 1 }, { 300, 1 }, { 5, 2 }, { 9, 1 } };
    for (size_t i = 0; i < COUNT(rows); i++) put_failed(f, rows[i].id, rows[i].definition, "no answer");
    assert_str_equal(failures(f, (struct selection_filter){ .newest = true }), STR("1:300 1:9 1:3 2:5 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .newest = true, .max = 2 }), STR("1:300 1:9"));
    assert_str_equal(
        failures(f, (struct selection_filter){ .newest = true, .after_definition = 1, .after = 9, .max = 2 }),
        STR("1:3 2:5"));
    assert_str_equal(
        failures(f, (struct selection_filter){ .newest = true, .after_definition = 1, .after = 3 }),
        STR("2:5 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .newest = true, .after_definition = 2 }),
                     STR("2:5 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .newest = true, .upto = 7 }), STR("1:3 2:5 3:7"));
    assert_str_equal(
        failures(f,
                 (struct selection_filter){ .newest = true, .upto = 9, .after_definition = 1, .after = 300 }),
        STR("1:9 1:3 2:5 3:7"));
    assert_str_equal(failures(f, (struct selection_filter){ .newest = true, .definition_id = STR("a") }),
                     STR("1:300 1:9 1:3 3:7"));
}

static void a_failure_is_replaced_and_goes_with_its_instance(void **state)
{
    struct fixture *f = *state;
    put_definition(f, 1, "a", 1);
    put_failed(f, 1, 1, "no answer");
    struct failure_row again = a_failure(1, 1, "no answer\0again"), *row;
    again.reason = STR("no answer\0again");
    put(f, (struct changeset){ .failure_put = &again });
    struct selection_filter all = { .ns = 1, .upto = INT64_MAX, .max = 10 };
    size_t count;
    assert_ok(f, reader_failures(f->reader, &all, &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 1);
    assert_str_equal(row->reason, STR("no answer\0again"));
    assert_str_equal(row->step, STR("charge"));
    assert_str_equal(row->business_key, STR("k\0y"));
    assert_str_equal(row->definition_id, STR("a"));
    assert_int_equal(row->definition_version, 1);
    assert_int_equal(row->created_ms, 5001);
    assert_int_equal(row->failed_ms, 9001);

    begin(f);
    apply(f, (struct changeset){ .failure_remove = &again });
    store_rollback(f->store);
    assert_str_equal(failures(f, (struct selection_filter){ 0 }), STR("1:1"));
    put_failed(f, 2, 1, "other");
    put(f, (struct changeset){ .failure_remove = &again });
    assert_str_equal(failures(f, (struct selection_filter){ 0 }), STR("1:2"));
    begin(f);
    struct purged purged;
    assert_ok(f, store_purge(f->store, &(struct purge){ INT64_MAX, INT64_MAX, 0 }, 100, &purged, &f->err));
    commit(f);
    assert_str_equal(failures(f, (struct selection_filter){ 0 }), STR(""));
}

/* As "3 5*": ids, and which came with their state. */
static str candidates(struct fixture *f, struct selection_filter filter)
{
    struct instance_row *row;
    size_t count;
    filter.ns = NAMESPACE_DEFAULT;
    if (!filter.upto) filter.upto = INT64_MAX;
    if (!filter.max) filter.max = 100;
    assert_ok(f, reader_candidates(f->reader, &filter, &f->arena, &row, &count, &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%d%s", STR_ARG(text), i ? " " : "", (int)row[i].id,
                            row[i].state.n ? "*" : "");
    return text;
}

static void candidates_come_oldest_first_by_status_and_definition(void **state)
{
    struct fixture *f = *state;
    enum { LIVE = 1 << INSTANCE_ACTIVE | 1 << INSTANCE_WAITING };
    put_definition(f, 1, "a", 1);
    put_definition(f, 2, "a", 2);
    put_definition(f, 3, "b", 1);
    static const enum instance_status statuses[] = { INSTANCE_ACTIVE,  INSTANCE_WAITING, INSTANCE_COMPLETED,
                                                     INSTANCE_WAITING, INSTANCE_ACTIVE,  INSTANCE_FAILED };
    for (size_t i = 0; i < COUNT(statuses); i++) {
        struct instance_row row = an_instance(10 + i, 1 + (int64_t)i % 3, statuses[i]);
        put_instance(f, &row);
    }
    assert_str_equal(candidates(f, (struct selection_filter){ .statuses = LIVE }), STR("10 11 13 14"));
    assert_str_equal(
        candidates(f, (struct selection_filter){ .statuses = 1 << INSTANCE_WAITING, .with_state = true }),
        STR("11* 13*"));
    assert_str_equal(candidates(f, (struct selection_filter){ .statuses = LIVE, .after = 10, .max = 2 }),
                     STR("11 13"));
    assert_str_equal(candidates(f, (struct selection_filter){ .statuses = LIVE, .upto = 13 }),
                     STR("10 11 13"));
    assert_str_equal(
        candidates(f, (struct selection_filter){ .statuses = LIVE, .definition_id = STR("a"), .version = 1 }),
        STR("10 13"));
    assert_str_equal(candidates(f, (struct selection_filter){ .statuses = 0 }), STR(""));
}

/* ---- bulks ---- */

static int64_t put_bulk(struct fixture *f, int64_t found, int64_t ended_ms)
{
    struct bulk_row row = {
        .ns = NAMESPACE_DEFAULT, .action = 2, .created_ms = 100, .ended_ms = ended_ms, .found = found
    };
    struct bulk_part_row part[] = { { .kind = BULK_PART_REQUEST, .blob = STR("asked") },
                                    { .kind = BULK_PART_SELECTION, .number = 0, .blob = STR("\1\2") },
                                    { .kind = BULK_PART_SELECTION, .number = 1, .blob = STR("\3") } };
    struct changeset change = { .bulk_add = &row, .bulk_part_add = part, .bulk_part_add_count = COUNT(part) };
    begin(f);
    assert_ok(f, store_apply(f->store, &change, &f->err));
    commit(f);
    return change.ret_bulk;
}

/* As "2 1": newest first. */
static str bulks(struct fixture *f, int64_t before, size_t max)
{
    struct bulk_row *row;
    size_t count;
    assert_ok(f, reader_bulks(f->reader, NAMESPACE_DEFAULT, before, max, &f->arena, &row, &count, &f->err));
    str text = STR("");
    for (size_t i = 0; i < count; i++)
        text = arena_printf(&f->arena, "%.*s%s%d", STR_ARG(text), i ? " " : "", (int)row[i].number);
    return text;
}

static void a_bulk_moves_with_its_results_and_ends(void **state)
{
    struct fixture *f = *state;
    struct bulk_row row;
    int64_t first = put_bulk(f, 3, 0), second = put_bulk(f, 1, 0);
    assert_int_equal(second, first + 1);
    assert_ok(f, found_needed(store_running_bulk(f->store, &(struct bulk_row){ 0 }, &row, &f->err)));
    assert_int_equal(row.number, first);
    assert_ok(
        f, found_needed(store_running_bulk(f->store, &(struct bulk_row){ .number = first }, &row, &f->err)));
    assert_int_equal(row.number, second);
    assert_int_equal(
        found_needed(store_running_bulk(f->store, &(struct bulk_row){ .number = second }, &row, &f->err)),
        ST_NOT_FOUND);

    struct bulk_row paused = { .number = first, .state = 3 };
    const struct bulk_row open = { .state = 3, .ns = NAMESPACE_DEFAULT };
    const struct bulk_row of_another = { .state = 3, .ns = NAMESPACE_DEFAULT + 1 };
    put(f, (struct changeset){ .bulk_update = &paused });
    assert_ok(f, found_needed(store_running_bulk(f->store, &(struct bulk_row){ 0 }, &row, &f->err)));
    assert_int_equal(row.number, second);
    assert_ok(f, found_needed(store_running_bulk(f->store, &open, &row, &f->err)));
    assert_int_equal(row.number, first);
    assert_int_equal(found_needed(store_running_bulk(f->store, &of_another, &row, &f->err)), ST_NOT_FOUND);

    struct bulk_row after = {
        .number = first, .state = 1, .ended_ms = 900, .done = 3, .succeeded = 1, .skipped = 1, .refused = 1
    };
    struct bulk_part_row results[] = { { first, BULK_PART_RESULTS, 0, STR("r0") },
                                       { first, BULK_PART_RESULTS, 2, STR("r2") } };
    put(f, (struct changeset){ .bulk_update = &after, .bulk_part_add = results, .bulk_part_add_count = 2 });
    assert_ok(f, found_needed(store_load_bulk(f->store, TENANT_ANY, first, &row, &f->err)));
    assert_int_equal(row.action, 2);
    assert_int_equal(row.created_ms, 100);
    assert_int_equal(row.ended_ms, 900);
    assert_int_equal(row.found, 3);
    assert_int_equal(row.done, 3);
    assert_int_equal(row.succeeded + row.skipped + row.refused, 3);
    assert_ok(f, found_needed(store_running_bulk(f->store, &(struct bulk_row){ 0 }, &row, &f->err)));
    assert_int_equal(row.number, second);
    assert_int_equal(found_needed(store_load_bulk(f->store, TENANT_ANY, 99, &row, &f->err)), ST_NOT_FOUND);
    after.number = 99;
    begin(f);
    assert_int_equal(store_apply(f->store, &(struct changeset){ .bulk_update = &after }, &f->err),
                     ST_NOT_FOUND);
    store_rollback(f->store);

    str blob;
    struct bulk_part_row *part;
    size_t count;
    assert_ok(f, found_needed(store_load_bulk_part(f->store, first, BULK_PART_SELECTION, 1, &f->arena, &blob,
                                                   &f->err)));
    assert_str_equal(blob, STR("\3"));
    assert_int_equal(found_needed(store_load_bulk_part(f->store, first, BULK_PART_SELECTION, 2, &f->arena,
                                                       &blob, &f->err)),
                     ST_NOT_FOUND);
    assert_ok(
        f, reader_bulk_parts(f->reader, first, BULK_PART_RESULTS, 1, 9, &f->arena, &part, &count, &f->err));
    assert_int_equal(count, 1);
    assert_int_equal(part->number, 2);
    assert_str_equal(part->blob, STR("r2"));
    assert_ok(
        f, reader_bulk_parts(f->reader, first, BULK_PART_RESULTS, -5, 1, &f->arena, &part, &count, &f->err));
    assert_int_equal(part->number, 0);
    begin(f); /* A part is there once: what was done is not done again. */
    struct changeset again = { .bulk_part_add = results, .bulk_part_add_count = 1 };
    enum status got = store_apply(f->store, &again, &f->err);
    if (got == ST_OK) got = store_commit(f->store, &f->err);
    assert_int_equal(got, ST_CONFLICT);
    store_rollback(f->store);
}

static void bulks_that_ended_are_purged_by_age_and_number(void **state)
{
    struct fixture *f = *state;
    size_t removed;
    int64_t first = put_bulk(f, 1, 500);
    put_bulk(f, 1, 0);
    put_bulk(f, 1, 300);
    put_bulk(f, 1, 700);
    assert_str_equal(bulks(f, 0, 9), STR("4 3 2 1"));
    assert_str_equal(bulks(f, 4, 2), STR("3 2"));
    begin(f); /* A bulk and its three parts are four rows. */
    assert_ok(f, store_purge_bulks(f->store, 301, 9, 2, &removed, &f->err));
    assert_int_equal(removed, 2);
    commit(f);
    assert_str_equal(bulks(f, 0, 9), STR("4 3 2 1"));
    begin(f);
    assert_ok(f, store_purge_bulks(f->store, 301, 9, 100, &removed, &f->err));
    assert_int_equal(removed, 2);
    commit(f);
    assert_str_equal(bulks(f, 0, 9), STR("4 2 1"));
    begin(f);
    assert_ok(f, store_purge_bulks(f->store, INT64_MIN, 1, 100, &removed, &f->err));
    assert_int_equal(removed, 4);
    store_rollback(f->store);
    begin(f);
    assert_ok(f, store_purge_bulks(f->store, INT64_MIN, 1, 100, &removed, &f->err));
    commit(f);
    assert_str_equal(bulks(f, 0, 9), STR("4 2"));
    struct bulk_part_row *part;
    size_t count;
    assert_ok(
        f, reader_bulk_parts(f->reader, first, BULK_PART_REQUEST, 0, 9, &f->arena, &part, &count, &f->err));
    assert_int_equal(count, 0);
    begin(f);
    assert_ok(f, store_purge_bulks(f->store, INT64_MAX, 0, 100, &removed, &f->err));
    commit(f);
    assert_str_equal(bulks(f, 0, 9), STR("2"));
    assert_int_equal(put_bulk(f, 1, 0), 5); /* A number does not come back. */
}
