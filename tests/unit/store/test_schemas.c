/* Files of older schemas of SQLite, whose rows are as they were after the migration. */
#include "sqlite_file.h"

static const char schema_0[] = "PRAGMA application_id = 0x5041574c;"
                               "CREATE TABLE meta(name TEXT PRIMARY KEY, value INT) WITHOUT ROWID;"
                               "INSERT INTO meta VALUES('schema', 0)";

/* Opens a store whose rows were written in an older schema. */
static void open_older(struct fixture *f, size_t version, const char *rows)
{
    struct sqlite_db db;
    run_sql(f->path, schema_0);
    assert_ok(f, sqlite_db_open(&db, f->path, SQLITE_OPEN_READWRITE, NULL, &f->err));
    assert_ok(f, sqlite_migrate(&db, (struct sqlite_schema){ .step = sqlite_schema().step, .count = version },
                                &f->err));
    sqlite_db_close(&db);
    run_sql(f->path, rows);
    open_sqlite(f);
}

/* The table of definitions was made anew: nothing of a version is lost, and it says what nobody knows. */
static void a_store_of_the_eleventh_version_gets_the_origins_of_its_versions(void **state)
{
    struct fixture *f = *state;
    open_older(f, 11,
               "INSERT INTO definition(number, ns, id, version, rank, priority, dialect, title, content,"
               " created, source, author) VALUES(3, 1, x'61', 2, 9, 4, x'64', x'74', -7, 11, x'7b7d',"
               " x'616e6e')");
    struct definition_row row;
    assert_ok(f, found_needed(store_load_definition(f->store, 3, &f->arena, &row, &f->err)));
    assert_str_equal(row.id, STR("a"));
    assert_str_equal(row.author, STR("ann"));
    assert_str_equal(row.source, STR("{}"));
    assert_str_equal(row.revision, STR(""));
    assert_true(row.version == 2 && row.rank == 9 && row.priority == 4 && (int64_t)row.content == -7);
    assert_true(row.created_ms == 11 && !row.restores && !row.retired_ms);
}

/* Events that nobody took before are as they were, and those that come are found by themselves. */
static void a_store_of_the_twelfth_version_finds_events_that_come(void **state)
{
    struct fixture *f = *state;
    open_older(f, 12, "INSERT INTO unmatched(ns, received, reason, event) VALUES(1, 7, x'72', x'65')");
    struct unmatched_row row;
    assert_ok(f, found_needed(store_find_unmatched(f->store, 1, 1, &f->arena, &row, &f->err)));
    assert_str_equal(row.event, STR("e"));
    assert_str_equal(row.identity, STR(""));
    put(f, (struct changeset){ .unmatched_add = &(struct unmatched_row){ .ns = 1, .identity = STR("i") } });
    assert_ok(f, found_needed(store_find_unmatched_of(f->store, 1, STR("i"), &f->arena, &row, &f->err)));
    assert_int_equal(row.number, 2);
}

/* An engine that knows no blocks of the audit refuses the store: it would go on with a chain from where it
 * was before. */
static void a_store_of_the_thirteenth_version_is_no_longer_for_engines_without_blocks(void **state)
{
    enum { LAST_WITHOUT_BLOCKS = 13 };
    struct fixture *f = *state;
    open_older(f, LAST_WITHOUT_BLOCKS,
               "INSERT INTO history VALUES(7, 1, 0, 1, 0, x'00');"
               "INSERT INTO record VALUES(1, 43, x'0031', 0, x'6f6c64')");
    struct record_row row = {
        .ns = 1, .kind = RECORD_AUDIT_BLOCK, .key = { "\0002", 2 }, .value = STR("new")
    };
    put(f, (struct changeset){ .record_put = &row, .record_put_count = 1 });
    const struct record_filter filter = { .ns = 1, .kind = RECORD_AUDIT_BLOCK, .max = 9 };
    struct record_row *got;
    size_t count;
    assert_ok(f, store_records(f->store, &filter, &f->arena, &got, &count, &f->err));
    assert_int_equal(count, 2);
    assert_str_equal(got[0].value, STR("old"));
    assert_str_equal(got[1].value, STR("new"));
    assert_true(ask_sql(f->path, "SELECT value FROM meta WHERE name = 'schema'") > LAST_WITHOUT_BLOCKS);
    assert_int_equal(ask_sql(f->path, "SELECT id FROM history WHERE instance = 0"), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_of_the_eleventh_version_gets_the_origins_of_its_versions,
                                        setup_directory, teardown),
        cmocka_unit_test_setup_teardown(a_store_of_the_twelfth_version_finds_events_that_come,
                                        setup_directory, teardown),
        cmocka_unit_test_setup_teardown(
            a_store_of_the_thirteenth_version_is_no_longer_for_engines_without_blocks, setup_directory,
            teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
