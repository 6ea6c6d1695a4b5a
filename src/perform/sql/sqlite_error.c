/* perform/sql/sqlite_error.c — SQLite's codes as errors of jobs. */
#include "perform/sql/sqlite_int.h"

/* clang-format off */
#define CODE_MAP(XX)                                                                                    \
    XX(ERROR) XX(INTERNAL) XX(PERM) XX(ABORT) XX(BUSY) XX(LOCKED) XX(NOMEM) XX(READONLY) XX(INTERRUPT)  \
    XX(IOERR) XX(CORRUPT) XX(NOTFOUND) XX(FULL) XX(CANTOPEN) XX(PROTOCOL) XX(SCHEMA) XX(TOOBIG)         \
    XX(CONSTRAINT) XX(MISMATCH) XX(MISUSE) XX(NOLFS) XX(AUTH) XX(RANGE) XX(NOTADB)                      \
    XX(CONSTRAINT_CHECK) XX(CONSTRAINT_FOREIGNKEY) XX(CONSTRAINT_NOTNULL) XX(CONSTRAINT_PRIMARYKEY)     \
    XX(CONSTRAINT_TRIGGER) XX(CONSTRAINT_UNIQUE) XX(CONSTRAINT_ROWID) XX(CONSTRAINT_DATATYPE)           \
    XX(BUSY_SNAPSHOT)
/* clang-format on */

static str code_name(int code)
{
    static const struct {
        int code;
        str name;
    } names[] = {
#define XX(NAME) { SQLITE_##NAME, STR_INIT("SQLITE_" #NAME) },
        CODE_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (names[i].code == code) return names[i].name;
    return code > 0xff ? code_name(code & 0xff) : STR("SQLITE_ERROR");
}

enum sql_end sqlite_fail_job(struct sql_job *job, sqlite3 *db, int code)
{
    int primary = code & 0xff;
    if (atomic_load(&job->leave->now)) return SQL_LEFT;
    if (primary == SQLITE_INTERRUPT)
        return sql_fail_code(job, SQL_ERROR_TIMEOUT, REASON_RESULT_LATE, "no result in time (%lld ms)",
                             (long long)job->timeout_ms);
    if (primary == SQLITE_TOOBIG)
        return sql_fail(job, SQL_ERROR_RESULT_TOO_LARGE, "a value is larger than %zu bytes",
                        job->config->answer_bytes_max);
    /* Whether there is another file of that name is nobody's business. */
    if (primary == SQLITE_CANTOPEN || primary == SQLITE_NOTADB || primary == SQLITE_PERM)
        return sql_fail_named(job, false, STR("SQLITE_CANTOPEN"), STR(SQLITE_NO_DATABASE), NULL);
    str message = db ? str_of(sqlite3_errmsg(db)) : str_of(sqlite3_errstr(code));
    return sql_fail_named(job, primary == SQLITE_BUSY || primary == SQLITE_LOCKED, code_name(code), message,
                          NULL);
}
