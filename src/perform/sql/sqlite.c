/* perform/sql/sqlite.c — statements in SQLite files.
 *
 * SQLite works on the thread that calls it. Its progress handler looks at the clock and at `leave` every so
 * many operations, and its busy handler does while another process holds the file, so a statement ends when
 * it should.
 */
#include "perform/sql/sqlite_int.h"

#include "base/base64.h"
#include "base/clock.h"
#include "perform/limits.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>

enum {
    PROGRESS_OPERATIONS = 4000, /* Well below a millisecond. */
    BUSY_STEP_MS = 5,
};

/* ---- waiting ---- */

static bool must_end(const struct sql_job *job)
{
    return atomic_load(&job->leave->now) || !sql_job_left_ms(job);
}

static int on_progress(void *context)
{
    const struct sqlite_session *session = context;
    return session->job && must_end(session->job);
}

/* Asks the file again after a few milliseconds, as long as the job allows. */
static int on_busy(void *context, int count)
{
    const struct sqlite_session *session = context;
    const struct sql_job *job = session->job;
    if (!job || must_end(job) || (int64_t)count * BUSY_STEP_MS >= job->config->busy_ms) return 0;
    struct pollfd leave = { .fd = job->leave->fd, .events = POLLIN };
    poll(&leave, 1, BUSY_STEP_MS);
    return 1;
}

static enum sql_end fail_here(struct sqlite_session *session)
{
    return sqlite_fail_job(session->job, session->db, sqlite3_extended_errcode(session->db));
}

/* ---- parameters ---- */

/* A number that neither an integer nor a double holds exactly is bound as text, with all its digits. */
static int bind_number(sqlite3_stmt *statement, int at, const struct json *value, struct arena *arena)
{
    int64_t integer;
    if (json_int64(value, &integer)) return sqlite3_bind_int64(statement, at, integer);
    double nearest = json_double(value);
    if (isfinite(nearest) && json_number_compare(json_of_double(arena, nearest), value) == 0)
        return sqlite3_bind_double(statement, at, nearest);
    struct buf text;
    buf_init(&text, arena);
    json_print(value, &text);
    return sqlite3_bind_text64(statement, at, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind(sqlite3_stmt *statement, int at, const struct json *value, struct arena *arena)
{
    struct buf text;
    str string;
    switch (json_kind(value)) {
    case JSON_NULL: return sqlite3_bind_null(statement, at);
    case JSON_BOOL: return sqlite3_bind_int(statement, at, json_bool(value));
    case JSON_NUMBER: return bind_number(statement, at, value, arena);
    case JSON_STRING:
        string = json_string(value);
        return sqlite3_bind_text64(statement, at, string.n ? string.p : "", string.n, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    buf_init(&text, arena);
    json_print(value, &text);
    return sqlite3_bind_text64(statement, at, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
}

static enum sql_end bind_all(struct sqlite_session *session, sqlite3_stmt *statement)
{
    struct sql_job *job = session->job;
    size_t count = (size_t)sqlite3_bind_parameter_count(statement);
    if (count != job->text.param_count)
        return sql_fail(job, SQL_ERROR_PARAMETERS,
                        "the statement has a placeholder that params has no value for; placeholders are $1 "
                        "or ? of a list, and :name of an object");
    for (size_t i = 0; i < count; i++)
        if (bind(statement, (int)i + 1, job->text.param[i], job->job->arena) != SQLITE_OK)
            return fail_here(session);
    return SQL_DONE;
}

/* ---- rows ---- */

static bool is_declared(sqlite3_stmt *statement, int column, const char *type)
{
    return str_equal_ignoring_case(str_of(sqlite3_column_decltype(statement, column)), str_of(type));
}

/* Adds the meaning of the column's declared type to the value's own. */
static const struct json *read_integer(sqlite3_stmt *statement, int column, struct arena *arena)
{
    int64_t value = sqlite3_column_int64(statement, column);
    bool truth = is_declared(statement, column, "boolean") || is_declared(statement, column, "bool");
    if (truth && (value == 0 || value == 1)) return json_of_bool(value == 1);
    return json_of_int(arena, value);
}

static const struct json *read_value(struct sql_rows *rows, sqlite3_stmt *statement, int column)
{
    struct arena *arena = rows->job->job->arena;
    const void *bytes;
    double number;
    str text;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return read_integer(statement, column, arena);
    case SQLITE_FLOAT:
        number = sqlite3_column_double(statement, column);
        if (isfinite(number)) return json_of_double(arena, number);
        return json_of_string(arena, number > 0 ? STR("Infinity") : STR("-Infinity"));
    case SQLITE_TEXT:
        bytes = sqlite3_column_text(statement, column);
        text = (str){ bytes, (size_t)sqlite3_column_bytes(statement, column) };
        if (is_declared(statement, column, "json")) return sql_rows_json(rows, text);
        return sql_rows_text(rows, text);
    case SQLITE_BLOB:
        bytes = sqlite3_column_blob(statement, column);
        text = (str){ bytes, (size_t)sqlite3_column_bytes(statement, column) };
        return json_of_string(arena, base64_encode(text, arena));
    default: return json_null();
    }
}

static bool read_row(struct sql_rows *rows, sqlite3_stmt *statement)
{
    if (!sql_rows_begin(rows)) return false;
    for (size_t i = 0; i < rows->column_count; i++) {
        const struct json *value = read_value(rows, statement, (int)i);
        if (!sql_rows_add(rows, i, value)) return false;
    }
    sql_rows_end(rows);
    return true;
}

static enum sql_end read_all(struct sqlite_session *session, sqlite3_stmt *statement)
{
    struct sql_job *job = session->job;
    size_t count = (size_t)sqlite3_column_count(statement);
    str *name = arena_make_n(job->job->arena, str, count);
    struct sql_rows rows;
    for (size_t i = 0; i < count; i++)
        name[i] = arena_str(job->job->arena, str_of(sqlite3_column_name(statement, (int)i)));
    if (!sql_rows_init(&rows, job, name, count)) return SQL_FAILED;
    int64_t before = sqlite3_total_changes64(session->db);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!read_row(&rows, statement)) return SQL_FAILED;
    }
    if (code != SQLITE_DONE) return fail_here(session);
    /* A statement that changes no rows leaves the count of the one before. */
    bool changed = sqlite3_total_changes64(session->db) != before;
    sql_rows_done(&rows, changed ? sqlite3_changes64(session->db) : 0);
    return SQL_DONE;
}

/* ---- the job ---- */

static enum sql_end exec(struct sqlite_session *session, const char *text)
{
    /* The authorizer refuses transactions to statements of documents only. */
    session->own_statement = true;
    int code = sqlite3_exec(session->db, text, NULL, NULL, NULL);
    session->own_statement = false;
    return code == SQLITE_OK ? SQL_DONE : fail_here(session);
}

static enum sql_end run_statement(struct sqlite_session *session, sqlite3_stmt *statement)
{
    enum sql_end end = bind_all(session, statement);
    if (end != SQL_DONE) return end;
    end = exec(session, sqlite3_stmt_readonly(statement) ? "BEGIN" : "BEGIN IMMEDIATE");
    if (end != SQL_DONE) return end;
    end = read_all(session, statement);
    sqlite3_reset(statement);
    return end == SQL_DONE ? exec(session, "COMMIT") : end;
}

static enum sql_end prepare(struct sqlite_session *session, sqlite3_stmt **ret_statement)
{
    struct sql_job *job = session->job;
    const char *rest = NULL;
    str text = job->text.text;
    sqlite3_stmt *more = NULL;
    if (sqlite3_prepare_v2(session->db, text.p, (int)text.n + 1, ret_statement, &rest) != SQLITE_OK)
        return fail_here(session);
    if (!*ret_statement) return sql_fail(job, SQL_ERROR_STATEMENT, "there is no statement");
    bool alone = sqlite3_prepare_v2(session->db, rest, -1, &more, NULL) == SQLITE_OK && !more;
    sqlite3_finalize(more);
    return alone ? SQL_DONE : sql_fail(job, SQL_ERROR_STATEMENT, "more than one statement; a job is one");
}

static enum sql_end run(void *self, struct sql_job *job, bool *ret_usable)
{
    struct sqlite_session *session = self;
    sqlite3_stmt *statement = NULL;
    session->job = job;
    enum sql_end end = prepare(session, &statement);
    if (end == SQL_DONE) end = run_statement(session, statement);
    sqlite3_finalize(statement);
    session->job = NULL; /* The next steps must not be interrupted. */
    if (!sqlite3_get_autocommit(session->db)) {
        session->own_statement = true;
        sqlite3_exec(session->db, "ROLLBACK", NULL, NULL, NULL);
        session->own_statement = false;
    }
    *ret_usable = sqlite3_get_autocommit(session->db);
    return end;
}

static bool reset(void *session, const struct sql_leave *leave)
{
    (void)session;
    (void)leave;
    return true;
}

static enum sql_end open(str uri, struct sql_job *job, void **ret_session)
{
    struct sqlite_session *session;
    enum sql_end end = sqlite_session_open(uri, job, &session);
    if (end != SQL_DONE) return end;
    sqlite3_progress_handler(session->db, PROGRESS_OPERATIONS, on_progress, session);
    sqlite3_busy_handler(session->db, on_busy, session);
    *ret_session = session;
    return SQL_DONE;
}

static void close(void *session) { sqlite_session_close(session); }

const struct sql_driver sql_sqlite = { open, run, reset, close };
