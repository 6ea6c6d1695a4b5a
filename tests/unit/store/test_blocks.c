/* How SQLite keeps blocks of the audit: among the rows of the history, and found by groups. */
#include "sqlite_file.h"

#include "store/limits.h"
#include "store/removal.h"

#define GROUPED "SELECT ifnull(sum(-at), 0) FROM record WHERE at < 0"
#define STORED "SELECT count(*) FROM history WHERE instance = 0"

static void put_block(struct fixture *f, int32_t ns, int number)
{
    struct record_row row = { .ns = ns,
                              .kind = RECORD_AUDIT_BLOCK,
                              .key = arena_printf(&f->arena, "%06d", number),
                              .value = STR("block") };
    put(f, (struct changeset){ .record_put = &row, .record_put_count = 1 });
}

static void put_blocks(struct fixture *f, int32_t ns, int first, int last)
{
    for (int i = first; i <= last; i++) put_block(f, ns, i);
}

static size_t count_blocks(struct fixture *f, int32_t ns)
{
    const struct record_filter filter = { .ns = ns, .kind = RECORD_AUDIT_BLOCK, .max = SIZE_MAX };
    struct record_row *row;
    size_t count, again;
    assert_ok(f, store_records(f->store, &filter, &f->arena, &row, &count, &f->err));
    assert_ok(f, reader_records(f->reader, &filter, &f->arena, &row, &again, &f->err));
    assert_int_equal(count, again);
    return count;
}

/* One transaction of an instance that does much. */
static void grow_history(struct fixture *f, int rows)
{
    struct instance_row row = an_instance(1, 1, INSTANCE_ACTIVE);
    put_definition(f, 1, "a", 1);
    put_instance(f, &row);
    begin(f);
    for (int i = 1; i < rows; i++) {
        struct changeset changeset = { .instance = &row, .history = STR("h"), .at_ms = 1 };
        assert_ok(f, store_apply(f->store, &changeset, &f->err));
    }
    commit(f);
}

static void note_finding(void *context, const char *finding)
{
    struct buf *out = context;
    buf_printf(out, "%s; ", finding);
}

static void must_find(struct fixture *f, const char *findings)
{
    struct buf out;
    buf_init(&out, &f->arena);
    assert_ok(f, sqlite_integrity(f->store, note_finding, &out, &f->err));
    assert_str_equal(buf_str(&out), str_of(findings));
}

static void many_blocks_are_grouped(void **state)
{
    struct fixture *f = *state;
    put_blocks(f, 1, 1, TAIL_BLOCKS_MAX);
    assert_int_equal(ask_sql(f->path, GROUPED), 0);
    put_block(f, 1, TAIL_BLOCKS_MAX + 1);
    assert_int_equal(ask_sql(f->path, GROUPED), TAIL_BLOCKS_MAX);
    assert_int_equal(ask_sql(f->path, STORED), TAIL_BLOCKS_MAX + 1);
    assert_int_equal(count_blocks(f, 1), TAIL_BLOCKS_MAX + 1);
    must_find(f, "");
}

/* Nobody looks at a long history for few blocks. */
static void few_blocks_in_much_history_are_grouped(void **state)
{
    struct fixture *f = *state;
    put_blocks(f, 1, 1, 3);
    put_blocks(f, 2, 1, 2);
    grow_history(f, TAIL_ROWS_MAX);
    assert_int_equal(ask_sql(f->path, GROUPED), 5);
    assert_int_equal(ask_sql(f->path, "SELECT value = (SELECT max(id) FROM history) FROM meta "
                                      "WHERE name = 'blocks'"),
                     1);
    put_block(f, 1, 4);
    assert_int_equal(count_blocks(f, 1), 4);
    assert_int_equal(count_blocks(f, 2), 2);
}

static void begin_block(struct fixture *f, int number)
{
    struct record_row row = { .ns = 1,
                              .kind = RECORD_AUDIT_BLOCK,
                              .key = arena_printf(&f->arena, "%06d", number),
                              .value = STR("block") };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    begin(f);
    assert_ok(f, store_apply(f->store, &changeset, &f->err));
}

/* Every turn that has nothing to write ends like this. */
static void a_transaction_without_blocks_that_is_rolled_back_costs_no_look_at_the_history(void **state)
{
    struct fixture *f = *state;
    const struct sqlite_blocks *blocks = &((const struct sqlite_store *)f->store)->blocks;
    put_blocks(f, 1, 1, 3);
    begin(f);
    store_rollback(f->store);
    assert_true(blocks->is_known);
    assert_int_equal(blocks->count, 3);
    begin_block(f, 4);
    store_rollback(f->store);
    assert_false(blocks->is_known);
    assert_int_equal(count_blocks(f, 1), 3);
    begin_block(f, 4);
    commit(f);
    assert_true(blocks->is_known);
    assert_int_equal(blocks->count, 4);
    begin(f);
    store_rollback(f->store);
    assert_true(blocks->is_known);
    put_block(f, 1, 5);
    assert_int_equal(count_blocks(f, 1), 5);
    must_find(f, "");
}

static void blocks_are_there_after_opening(void **state)
{
    struct fixture *f = *state;
    put_blocks(f, 1, 1, 200);
    for (int opened = 0; opened < 3; opened++) {
        close_store(f);
        open_sqlite(f);
        assert_int_equal(count_blocks(f, 1), 200 + opened);
        put_block(f, 1, 201 + opened);
    }
    assert_int_equal(count_blocks(f, 1), 203);
    must_find(f, "");
}

/* The newest rows of the history may go with their instance. A block never gets a number behind which nobody
 * looks. */
static void a_number_of_the_history_that_came_back_hides_no_block(void **state)
{
    struct fixture *f = *state;
    put_blocks(f, 1, 1, 3);
    grow_history(f, TAIL_ROWS_MAX);
    close_store(f);
    run_sql(f->path, "DELETE FROM history WHERE instance = 1; DELETE FROM instance; DELETE FROM tally");
    open_sqlite(f);
    put_block(f, 1, 4);
    assert_int_equal(count_blocks(f, 1), 4);
    close_store(f);
    open_sqlite(f);
    assert_int_equal(count_blocks(f, 1), 4);
}

static void a_block_before_others_is_kept(void **state)
{
    struct fixture *f = *state;
    const struct record_filter filter = { .ns = 1, .kind = RECORD_AUDIT_BLOCK, .max = 9 };
    struct record_row *row;
    size_t count;
    put_blocks(f, 1, 6, 7);
    put_block(f, 1, 5);
    close_store(f);
    open_sqlite(f);
    put_block(f, 1, 5);
    put_block(f, 1, 4);
    assert_ok(f, store_records(f->store, &filter, &f->arena, &row, &count, &f->err));
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) assert_str_equal(row[i].key, arena_printf(&f->arena, "%06zu", i + 4));
    assert_int_equal(ask_sql(f->path, STORED), 2);
    must_find(f, "");
}

static void a_key_that_is_too_long_is_refused(void **state)
{
    struct fixture *f = *state;
    struct record_row row = { .ns = 1,
                              .kind = RECORD_AUDIT_BLOCK,
                              .key = STR("000006-and-so-on-to-33-characters"),
                              .value = STR("v") };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    begin(f);
    assert_int_equal(store_apply(f->store, &changeset, &f->err), ST_LIMIT);
    assert_non_null(strstr(f->err.message, "BLOCK_KEY_BYTES_MAX"));
    store_rollback(f->store);
    assert_int_equal(count_blocks(f, 1), 0);
}

static void blocks_of_a_tenant_go_with_it(void **state)
{
    struct fixture *f = *state;
    put_blocks(f, 7, 1, 150);
    put_blocks(f, 8, 1, 150);
    for (bool is_over = false; !is_over;) {
        struct tenant_removal removal = { 0 };
        begin(f);
        assert_ok(f, store_remove_tenant(f->store, 7, 40, &f->arena, &removal, &f->err));
        commit(f);
        assert_true(removal.removed <= 40);
        is_over = !removal.removed;
    }
    assert_int_equal(count_blocks(f, 7), 0);
    assert_int_equal(count_blocks(f, 8), 150);
    assert_int_equal(ask_sql(f->path, STORED), 150);
    assert_int_equal(ask_sql(f->path, "SELECT count(*) FROM record WHERE ns = 7"), 0);
    must_find(f, "");
}

/* Somebody has changed the file. The check of the audit tells which row is missing. */
static void damage_is_found_and_hides_nothing_else(void **state)
{
    struct fixture *f = *state;
    put_blocks(f, 1, 1, 200);
    run_sql(f->path, "DELETE FROM history WHERE id = 5");
    assert_int_equal(count_blocks(f, 1), 199);
    must_find(f, "the audit has 127 blocks, but 128 in its groups; ");
    run_sql(f->path, "UPDATE record SET value = x'0102ff' WHERE at < 0");
    assert_int_equal(count_blocks(f, 1), 200 - TAIL_BLOCKS_MAX + 2);
    run_sql(f->path, "UPDATE history SET revision = -1 WHERE id = 190");
    assert_int_equal(count_blocks(f, 1), 200 - TAIL_BLOCKS_MAX + 2);
    close_store(f);
    open_sqlite(f);
    put_block(f, 1, 201);
    assert_int_equal(count_blocks(f, 1), 200 - TAIL_BLOCKS_MAX + 3);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, setup_sqlite, teardown)
    const struct CMUnitTest tests[] = {
        OPENED(many_blocks_are_grouped),
        OPENED(few_blocks_in_much_history_are_grouped),
        OPENED(a_transaction_without_blocks_that_is_rolled_back_costs_no_look_at_the_history),
        OPENED(blocks_are_there_after_opening),
        OPENED(a_number_of_the_history_that_came_back_hides_no_block),
        OPENED(a_block_before_others_is_kept),
        OPENED(a_key_that_is_too_long_is_refused),
        OPENED(blocks_of_a_tenant_go_with_it),
        OPENED(damage_is_found_and_hides_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
