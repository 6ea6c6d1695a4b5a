/* store/sqlite/db.c — one connection: its prepared statements and its errors. */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const sql_text[SQL_COUNT] = {
#define XX(NAME, text) [SQL_##NAME] = text,
    SQL_MAP(XX)
#undef XX
};

/* Each connection belongs to one thread, and nothing asks SQLite how much memory it uses, so both kinds of
 * bookkeeping are off. If something in the process has used SQLite before, this fails and SQLite is only
 * slower. */
static void configure(void)
{
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite_memory_configure();
    sqlite_pages_configure();
}

void sqlite_configure(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, configure);
}

/* `name`: how SQLite is told of the file. */
static enum status open_name(struct sqlite_db *db, const char *path, const char *name, int flags,
                             const char *vfs, struct error *err)
{
    sqlite_configure();
    *db = (struct sqlite_db){ .path = strdup(path) };
    must(db->path);
    int code = sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, vfs);
    must(db->handle);
    enum status status = code == SQLITE_OK ? ST_OK : sqlite_fail(db, err);
    if (status == ST_OK) {
        sqlite3_extended_result_codes(db->handle, 1);
        sqlite3_busy_timeout(db->handle, STORE_BUSY_TIMEOUT_MS);
        status = sqlite_exec(db, "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY", err);
    }
    if (status != ST_OK) sqlite_db_close(db);
    return status;
}

enum status sqlite_db_open(struct sqlite_db *db, const char *path, int flags, const char *vfs,
                           struct error *err)
{
    return open_name(db, path, path, flags, vfs, err);
}

static bool has_log(const char *path)
{
    struct stat about;
    char *log = sqlite_path_beside(path, "-wal");
    bool has = stat(log, &about) == 0 && about.st_size > 0;
    free(log);
    return has;
}

/* `immutable` tells SQLite that no process changes the file, which none can. So it needs no files beside
 * it. */
static enum status open_immutable(struct sqlite_db *db, const char *path, const char *vfs, struct error *err)
{
    static const char scheme[] = "file:", option[] = "?immutable=1";
    char *name = malloc(sizeof scheme + sizeof option + 3 * strlen(path)), *at = name;
    must(name);
    at += sprintf(at, "%s", scheme);
    for (const char *from = path; *from; from++)
        at += sprintf(at, strchr("%?#", *from) ? "%%%02X" : "%c", (unsigned char)*from);
    memcpy(at, option, sizeof option);
    enum status status = open_name(db, path, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs, err);
    free(name);
    return status;
}

enum status sqlite_db_open_to_read(struct sqlite_db *db, const char *path, const char *vfs, struct error *err)
{
    int64_t tables;
    TRY(sqlite_db_open(db, path, SQLITE_OPEN_READONLY, vfs, err));
    enum status status = sqlite_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (status == ST_OK) return ST_OK;
    int code = sqlite3_errcode(db->handle) & 0xff;
    sqlite_db_close(db);
    if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) return status;
    if (has_log(path))
        return fail(err, ST_STORE, path,
                    "%s-wal has commits that can only be read where its directory can be written to; copy %s "
                    "and %s-wal "
                    "to such a directory",
                    path, path, path);
    return open_immutable(db, path, vfs, err);
}

void sqlite_db_close(struct sqlite_db *db)
{
    for (size_t i = 0; i < SQL_COUNT; i++) sqlite3_finalize(db->statement[i]);
    must(sqlite3_close(db->handle) == SQLITE_OK);
    free(db->path);
    *db = (struct sqlite_db){ 0 };
}

enum status sqlite_find_file(const char *path, struct error *err)
{
    if (access(path, R_OK) == 0) return ST_OK;
    if (errno == ENOENT || errno == ENOTDIR)
        return fail(err, ST_NOT_FOUND, path, "there is no file %s", path);
    return fail(err, errno == EACCES ? ST_FORBIDDEN : ST_STORE, path, "%s: %s", path, strerror(errno));
}

char *sqlite_path_beside(const char *path, const char *suffix)
{
    size_t bytes = strlen(path) + strlen(suffix) + 1;
    char *beside = malloc(bytes);
    must(beside);
    snprintf(beside, bytes, "%s%s", path, suffix);
    return beside;
}

/* ---- errors ---- */

static bool is_full(const struct sqlite_db *db, int code)
{
    int reason = sqlite3_system_errno(db->handle);
    return code == SQLITE_FULL ||
           ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && (reason == ENOSPC || reason == EDQUOT));
}

enum status sqlite_fail(struct sqlite_db *db, struct error *err)
{
    int code = sqlite3_errcode(db->handle) & 0xff;
    const char *text = sqlite3_errmsg(db->handle);
    if (is_full(db, code)) {
        db->was_full = true;
        return fail(err, ST_FULL, db->path, "no space left to write to (%s)", text);
    }
    if (code == SQLITE_CONSTRAINT) return fail(err, ST_CONFLICT, db->path, "it is there already (%s)", text);
    if (code == SQLITE_NOTADB) return fail(err, ST_INVALID, db->path, "this is not a Pawl store (%s)", text);
    return fail(err, ST_STORE, db->path, "%s", text);
}

/* ---- statements ---- */

enum status sqlite_exec(struct sqlite_db *db, const char *sql, struct error *err)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? ST_OK : sqlite_fail(db, err);
}

enum status sqlite_number(struct sqlite_db *db, const char *sql, int64_t *ret_value, struct error *err)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK) return sqlite_fail(db, err);
    int code = sqlite3_step(statement);
    enum status status = code == SQLITE_ROW || code == SQLITE_DONE ? ST_OK : sqlite_fail(db, err);
    if (status == ST_OK) *ret_value = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return status;
}

enum status sqlite_use(struct sqlite_db *db, enum sql sql, sqlite3_stmt **ret_statement, struct error *err)
{
    must((unsigned)sql < SQL_COUNT);
    sqlite3_stmt **kept = &db->statement[sql];
    if (!*kept &&
        sqlite3_prepare_v3(db->handle, sql_text[sql], -1, SQLITE_PREPARE_PERSISTENT, kept, NULL) != SQLITE_OK)
        return sqlite_fail(db, err);
    must(!sqlite3_stmt_busy(*kept));
    *ret_statement = *kept;
    return ST_OK;
}

enum status sqlite_step(struct sqlite_db *db, sqlite3_stmt *statement, bool *ret_row, struct error *err)
{
    int code = sqlite3_step(statement);
    *ret_row = code == SQLITE_ROW;
    if (code == SQLITE_ROW) return ST_OK;
    enum status status = code == SQLITE_DONE ? ST_OK : sqlite_fail(db, err);
    sqlite3_reset(statement);
    return status;
}

enum status sqlite_run(struct sqlite_db *db, sqlite3_stmt *statement, struct error *err)
{
    bool row;
    TRY(sqlite_step(db, statement, &row, err));
    must(!row);
    return ST_OK;
}

void sqlite_end(sqlite3_stmt *statement) { sqlite3_reset(statement); }

/* ---- values ---- */

/* The bytes are only read while the statement runs, and every use binds anew. */
void sqlite_bind_str(sqlite3_stmt *statement, int at, str bytes)
{
    sqlite3_bind_blob64(statement, at, bytes.n ? bytes.p : "", bytes.n, SQLITE_STATIC);
}

void sqlite_bind_optional(sqlite3_stmt *statement, int at, str bytes)
{
    if (bytes.n) sqlite_bind_str(statement, at, bytes);
    else sqlite3_bind_null(statement, at);
}

str sqlite_column_str(sqlite3_stmt *statement, int at, struct arena *arena)
{
    const void *p = sqlite3_column_blob(statement, at);
    return arena_str(arena, (str){ p, (size_t)sqlite3_column_bytes(statement, at) });
}
