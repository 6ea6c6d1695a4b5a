/* tests/unit/store/sqlite_file.h — the file of a store, behind the store's back. */
#ifndef SQLITE_FILE_H
#define SQLITE_FILE_H

#include "fixture.h"

#include "store/sqlite/sqlite_int.h"

static inline void run_sql(const char *path, const char *sql)
{
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(handle, sql, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s: %s", sql, message);
    sqlite3_close(handle);
}

static inline int64_t ask_sql(const char *path, const char *sql)
{
    struct sqlite_db db;
    struct error err;
    int64_t value = -1;
    assert_int_equal(sqlite_db_open(&db, path, SQLITE_OPEN_READWRITE, NULL, &err), ST_OK);
    assert_int_equal(sqlite_number(&db, sql, &value, &err), ST_OK);
    sqlite_db_close(&db);
    return value;
}

#endif
