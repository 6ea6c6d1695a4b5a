/* perform/sql/sqlite_open.c — opens a SQLite file for statements of documents. */
#include "perform/sql/sqlite_int.h"

#include "base/must.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- what a statement may do ---- */

/* Pragmas that only look. */
static bool is_harmless_pragma(str name, const char *argument)
{
    static const str any[] = {
        STR_INIT("table_info"),        STR_INIT("table_xinfo"),     STR_INIT("table_list"),
        STR_INIT("index_list"),        STR_INIT("index_info"),      STR_INIT("index_xinfo"),
        STR_INIT("quick_check"),       STR_INIT("integrity_check"), STR_INIT("foreign_key_list"),
        STR_INIT("foreign_key_check"),
    };
    static const str without_argument[] = { STR_INIT("user_version"), STR_INIT("schema_version"),
                                            STR_INIT("encoding"),     STR_INIT("page_count"),
                                            STR_INIT("page_size"),    STR_INIT("application_id") };
    for (size_t i = 0; i < COUNT(any); i++)
        if (str_equal_ignoring_case(name, any[i])) return true;
    for (size_t i = 0; i < COUNT(without_argument) && !argument; i++)
        if (str_equal_ignoring_case(name, without_argument[i])) return true;
    return false;
}

static int authorize(void *context, int action, const char *first, const char *second, const char *database,
                     const char *trigger)
{
    const struct sqlite_session *session = context;
    (void)database;
    (void)trigger;
    if (session->own_statement) return SQLITE_OK;
    switch (action) {
    case SQLITE_ATTACH: /* Also what VACUUM INTO does. */
    case SQLITE_DETACH:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT: return SQLITE_DENY;
    case SQLITE_PRAGMA: return is_harmless_pragma(str_of(first), second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
        return str_equal_ignoring_case(str_of(second), STR("load_extension")) ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_OK;
    }
}

static int restrict_session(struct sqlite_session *session, const struct sql_job *job)
{
    sqlite3 *db = session->db;
    size_t bytes_max = job->config->answer_bytes_max;
    sqlite3_extended_result_codes(db, 1);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, bytes_max > INT_MAX ? INT_MAX : (int)bytes_max);
    session->own_statement = true;
    sqlite3_set_authorizer(db, authorize, session);
    int code = job->read_only ? sqlite3_exec(db, "PRAGMA query_only = ON", NULL, NULL, NULL) : SQLITE_OK;
    session->own_statement = false;
    return code;
}

/* ---- which file ---- */

static bool is_inside(const char *path, const char *directory)
{
    size_t n = strlen(directory);
    return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Is it the engine's own store, by this name or by another one? The file is not opened to find out: closing
 * it again would take the store's locks away. */
static bool is_own(const char *path, const struct stat *about, const char *own_directory)
{
    char real[PATH_MAX], own[PATH_MAX], store[PATH_MAX + 16];
    struct stat about_store;
    if (!own_directory || !realpath(own_directory, own)) return false;
    if (!realpath(path, real) || is_inside(real, own)) return true;
    snprintf(store, sizeof store, "%s/pawl.db", own);
    return stat(store, &about_store) == 0 && about_store.st_dev == about->st_dev &&
           about_store.st_ino == about->st_ino;
}

static enum sql_end check_file(const char *path, struct sql_job *job)
{
    struct stat about;
    if (path[0] != '/')
        return sql_fail(job, SQL_ERROR_CONNECTION_REF, "the path of a SQLite file must be absolute");
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return sql_fail_named(job, false, STR("SQLITE_CANTOPEN"), STR(SQLITE_NO_DATABASE), NULL);
    if (is_own(path, &about, job->config->own_directory))
        return sql_fail(job, SQL_ERROR_ADDRESS, "the file is the engine's own, which no statement may use");
    return SQL_DONE;
}

enum sql_end sqlite_session_open(str uri, struct sql_job *job, struct sqlite_session **ret_session)
{
    str scheme = STR("sqlite:");
    const char *path = arena_str(job->job->arena, str_slice(uri, scheme.n, uri.n)).p;
    enum sql_end end = check_file(path, job);
    if (end != SQL_DONE) return end;
    struct sqlite_session *session = calloc(1, sizeof *session);
    must(session);
    int flags = SQLITE_OPEN_NOMUTEX | (job->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
    int code = sqlite3_open_v2(path, &session->db, flags, NULL);
    if (code == SQLITE_OK) code = restrict_session(session, job);
    if (code != SQLITE_OK) {
        end = sqlite_fail_job(job, session->db, code);
        sqlite_session_close(session);
        return end;
    }
    *ret_session = session;
    return SQL_DONE;
}

void sqlite_session_close(struct sqlite_session *session)
{
    sqlite3_close(session->db);
    free(session);
}
