/* How the log is written: in one piece per commit, and what a failure of that piece means. A layer under the
 * store counts what reaches the log's file, and fails on demand. */
#include "store/sqlite/sqlite_int.h"

#include "fixture.h"

#include <sqlite3.h>
#include <string.h>

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *system;
    sqlite3_io_methods methods; /* The log's, with its own xWrite. */
    const sqlite3_io_methods *real;
    size_t writes;
    int largest;
    int fail_with;             /* SQLITE_OK: not at all. */
    sqlite3_int64 fail_behind; /* No space there; 0: there is. */
} under;

static int counted_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    under.writes++;
    if (n > under.largest) under.largest = n;
    if (under.fail_behind && at + n > under.fail_behind) return SQLITE_FULL;
    return under.fail_with != SQLITE_OK ? under.fail_with : under.real->xWrite(file, bytes, n, at);
}

static int counted_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
    (void)vfs;
    int code = under.system->xOpen(under.system, name, file, flags, ret_flags);
    if (code != SQLITE_OK || !(flags & SQLITE_OPEN_WAL)) return code;
    under.real = file->pMethods;
    under.methods = *file->pMethods;
    under.methods.xWrite = counted_write;
    file->pMethods = &under.methods;
    return code;
}

static int setup(void **state)
{
    memset(&under, 0, sizeof under);
    under.system = sqlite3_vfs_find(NULL);
    under.vfs = *under.system;
    under.vfs.zName = "counted";
    under.vfs.pNext = NULL;
    under.vfs.xOpen = counted_open;
    assert_int_equal(sqlite3_vfs_register(&under.vfs, 1), SQLITE_OK);
    setup_sqlite(state);
    put_definition(*state, 1, "order", 1);
    return 0;
}

static int done(void **state)
{
    under.fail_with = SQLITE_OK;
    teardown(state);
    sqlite3_vfs_unregister(&under.vfs);
    return 0;
}

static void put_large(struct fixture *f, uint64_t first, size_t count, size_t bytes)
{
    begin(f);
    char *state = arena_alloc(&f->arena, bytes);
    memset(state, 's', bytes);
    for (size_t i = 0; i < count; i++) {
        struct instance_row row = an_instance(first + i, 1, INSTANCE_ACTIVE);
        row.state = (str){ state, bytes };
        apply(f, (struct changeset){ .instance = &row, .insert = true, .history = STR("h"), .at_ms = 1 });
    }
}

static void a_commit_of_several_pages_is_one_write(void **state)
{
    struct fixture *f = *state;
    put_large(f, 1, 1, 3000);
    commit(f);
    size_t before = under.writes;
    put_large(f, 2, 3, 3000);
    commit(f);
    assert_int_equal(under.writes, before + 1);
    assert_true(under.largest > 3 * STORE_PAGE_BYTES);
    assert_true(reader_sees(f, 4));
}

/* More than is gathered, and more than SQLite keeps in memory: it reads back what it has not committed. */
static void a_large_transaction_is_written_in_pieces_that_all_arrive(void **state)
{
    struct fixture *f = *state;
    size_t before = under.writes;
    put_large(f, 1, 1200, 60000);
    assert_true(under.writes > before); /* The cache was full. */
    assert_int_equal(load_instance(f, 1).state.n, 60000);
    commit(f);
    assert_true(under.largest < 128 << 10);
    close_store(f);
    open_sqlite(f);
    assert_int_equal(load_instance(f, 1).state.n, 60000);
    assert_int_equal(load_instance(f, 1200).state.n, 60000);
}

static void a_commit_without_space_has_not_happened(void **state)
{
    struct fixture *f = *state;
    put_large(f, 1, 1, 3000);
    under.fail_with = SQLITE_FULL;
    assert_int_equal(store_commit(f->store, &f->err), ST_FULL);
    under.fail_with = SQLITE_OK;
    store_rollback(f->store);
    assert_false(store_broken(f->store));
    assert_false(reader_sees(f, 1));

    put_large(f, 2, 1, 3000);
    commit(f);
    close_store(f);
    open_sqlite(f);
    assert_false(reader_sees(f, 1));
    assert_true(reader_sees(f, 2));
}

static void a_commit_that_cannot_be_written_breaks_the_store(void **state)
{
    struct fixture *f = *state;
    put_large(f, 1, 1, 3000);
    under.fail_with = SQLITE_IOERR_WRITE;
    assert_int_equal(store_commit(f->store, &f->err), ST_STORE);
    under.fail_with = SQLITE_OK;
    store_rollback(f->store);
    assert_true(store_broken(f->store));
    close_store(f);
    open_sqlite(f);
    assert_false(reader_sees(f, 1));
}

static void what_was_rolled_back_is_not_in_the_way_of_what_follows(void **state)
{
    struct fixture *f = *state;
    put_large(f, 1, 1200, 60000);
    store_rollback(f->store);
    put_large(f, 5000, 2, 3000);
    commit(f);
    assert_false(reader_sees(f, 1));
    close_store(f);
    open_sqlite(f);
    assert_false(reader_sees(f, 1));
    assert_true(reader_sees(f, 5001));
}

static sqlite3_int64 log_bytes(struct fixture *f)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 bytes = 0;
    sqlite3_file_control(((struct sqlite_store *)f->store)->db.handle, NULL, SQLITE_FCNTL_JOURNAL_POINTER,
                         &file);
    assert_int_equal(file->pMethods->xFileSize(file, &bytes), SQLITE_OK);
    return bytes;
}

/* The pages that SQLite has written to the log. */
static sqlite3_int64 used_bytes(struct fixture *f)
{
    return 32 + (sqlite3_int64)((struct sqlite_store *)f->store)->wal_pages * (STORE_PAGE_BYTES + 24);
}

/* A sync is quicker if the file has not grown. */
static void a_log_grows_by_more_than_was_written(void **state)
{
    struct fixture *f = *state;
    size_t grown = 0;
    for (uint64_t id = 1; id < 102; id++) {
        sqlite3_int64 before = log_bytes(f);
        put_large(f, id, 1, 3000);
        commit(f);
        grown += log_bytes(f) > before;
        assert_true(log_bytes(f) >= used_bytes(f));
    }
    assert_in_range(grown, 1, 15);
    close_store(f);
    open_sqlite(f);
    assert_true(reader_sees(f, 101));
}

static void a_log_takes_no_more_than_it_needs_while_space_is_short(void **state)
{
    struct fixture *f = *state;
    f->store->space = STORE_SPACE_SHORT;
    put_large(f, 1, 1, 3000);
    commit(f); /* And a checkpoint behind it: the log is begun anew. */
    put_large(f, 2, 300, 3000);
    commit(f);
    assert_int_equal(log_bytes(f), used_bytes(f));
}

/* Nothing is lost by a disk that has room for the log and for no zeros. */
static void zeros_that_find_no_space_are_left_out(void **state)
{
    struct fixture *f = *state;
    under.fail_behind = log_bytes(f) + 32 * STORE_PAGE_BYTES;
    for (uint64_t id = 1; id < 40; id++) {
        put_large(f, id, 1, 3000);
        if (store_commit(f->store, &f->err) == ST_OK) continue;
        assert_int_equal(f->err.status, ST_FULL);
        store_rollback(f->store);
        break;
    }
    assert_false(store_broken(f->store));
    assert_true(reader_sees(f, 8));
    under.fail_behind = 0;
    put_large(f, 100, 1, 3000);
    commit(f);
    close_store(f);
    open_sqlite(f);
    assert_true(reader_sees(f, 8));
    assert_true(reader_sees(f, 100));
}

static void a_commit_leaves_the_checkpoint_to_others_until_it_is_overdue(void **state)
{
    struct fixture *f = *state;
    sqlite_checkpoint_every(f->store, 50);
    assert_false(store_maintenance_due(f->store));
    put_large(f, 1, 100, 3000);
    commit(f);
    assert_true(store_maintenance_due(f->store));
    assert_ok(f, store_maintain(f->store, &f->err));
    assert_false(store_maintenance_due(f->store));

    /* Nobody looks: the log grows to what is overdue, and is then begun anew. */
    for (uint64_t i = 0; i < 60; i++) {
        put_large(f, 1000 + i * 100, 100, 3000);
        commit(f);
    }
    assert_true(log_bytes(f) > 1000 * STORE_PAGE_BYTES);
    assert_true(log_bytes(f) < 3000 * STORE_PAGE_BYTES);
}

int main(void)
{
#define LOG_TEST(name) cmocka_unit_test_setup_teardown(name, setup, done)
    const struct CMUnitTest tests[] = {
        LOG_TEST(a_commit_of_several_pages_is_one_write),
        LOG_TEST(a_large_transaction_is_written_in_pieces_that_all_arrive),
        LOG_TEST(a_commit_without_space_has_not_happened),
        LOG_TEST(a_commit_that_cannot_be_written_breaks_the_store),
        LOG_TEST(what_was_rolled_back_is_not_in_the_way_of_what_follows),
        LOG_TEST(a_log_grows_by_more_than_was_written),
        LOG_TEST(a_log_takes_no_more_than_it_needs_while_space_is_short),
        LOG_TEST(zeros_that_find_no_space_are_left_out),
        LOG_TEST(a_commit_leaves_the_checkpoint_to_others_until_it_is_overdue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
