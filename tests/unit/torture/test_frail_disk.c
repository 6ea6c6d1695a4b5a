/* A database on the frail disk, in a child process that the disk takes with it. */
#include "torture/frail_disk.h"

#include "base/str.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS_MAX = 100, PATH_BYTES = 100 };

static char directory[PATH_BYTES - 40];

static sqlite3 *open_database(const char *path)
{
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    sqlite3_exec(handle,
                 "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 20;"
                 "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, pad BLOB)",
                 NULL, NULL, NULL);
    return handle;
}

/* Writes rows and tells of each that was committed. */
static _Noreturn void write_rows(const char *path, const struct frail_plan *plan, int out)
{
    char sql[100];
    frail_install(plan);
    sqlite3 *handle = open_database(path);
    int code = SQLITE_OK;
    for (int i = 0; i < ROWS_MAX && code == SQLITE_OK; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO t VALUES ((SELECT count(*) FROM t), randomblob(1500))");
        code = sqlite3_exec(handle, sql, NULL, NULL, NULL);
        if (code == SQLITE_OK && write(out, "+", 1) != 1) _exit(1);
    }
    _exit(code);
}

/* Runs it to its end: the exit code, and how many rows it has told of. */
static int run_writer(const char *path, const struct frail_plan *plan, size_t *ret_told)
{
    int ends[2], status;
    char c;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) write_rows(path, plan, ends[1]);
    close(ends[1]);
    for (*ret_told = 0; read(ends[0], &c, 1) == 1; ++*ret_told) continue;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int64_t number(sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(handle, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static size_t sound_rows(const char *path)
{
    sqlite3 *handle = open_database(path);
    assert_int_equal(number(handle, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    size_t rows = (size_t)number(handle, "SELECT count(*) FROM t");
    sqlite3_close(handle);
    return rows;
}

static void remove_files(const char *path)
{
    static const char *const suffixes[] = { "", "-wal", "-shm" };
    char name[PATH_BYTES + 8];
    for (size_t i = 0; i < COUNT(suffixes); i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

static void a_power_cut_spares_what_was_committed(void **state)
{
    char path[PATH_BYTES];
    (void)state;
    snprintf(path, sizeof path, "%s/cut.db", directory);
    for (int kind = 0; kind < CUT_KIND_COUNT; kind++) {
        size_t before = 0, told;
        /* Again and again on what the last cut has left. */
        for (uint64_t at = 1; at < 40; at += 13) {
            struct frail_plan plan = { .armed = true, .cut = { .kind = (enum cut_kind)kind, .seed = at } };
            if (at % 2) plan.cut_at_sync = at;
            else plan.cut_at_write = at;
            assert_int_equal(run_writer(path, &plan, &told), POWER_GONE_EXIT);
            size_t rows = sound_rows(path);
            assert_true(rows >= before + told && rows <= before + told + 1);
            before = rows;
        }
        remove_files(path);
    }
}

static void nothing_is_cut_before_it_is_armed(void **state)
{
    char path[PATH_BYTES];
    size_t told;
    (void)state;
    snprintf(path, sizeof path, "%s/unarmed.db", directory);
    assert_int_equal(run_writer(path, &(struct frail_plan){ .cut_at_sync = 1 }, &told), SQLITE_OK);
    assert_int_equal(told, ROWS_MAX);
    remove_files(path);
}

static void a_full_disk_refuses_and_a_larger_one_goes_on(void **state)
{
    char path[PATH_BYTES];
    size_t told, more;
    (void)state;
    snprintf(path, sizeof path, "%s/full.db", directory);
    assert_int_equal(run_writer(path, &(struct frail_plan){ .capacity = 150000 }, &told), SQLITE_FULL);
    assert_true(told > 10 && told < ROWS_MAX);
    assert_true(frail_used(path) <= 150000);
    assert_int_equal(sound_rows(path), told);
    assert_int_equal(run_writer(path, &(struct frail_plan){ .capacity = 1500000 }, &more), SQLITE_OK);
    assert_int_equal(sound_rows(path), told + more);
    remove_files(path);
}

static int make_directory(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%.30s/pawl-frail-XXXXXX", base ? base : "/tmp");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_power_cut_spares_what_was_committed),
        cmocka_unit_test(nothing_is_cut_before_it_is_armed),
        cmocka_unit_test(a_full_disk_refuses_and_a_larger_one_goes_on),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
