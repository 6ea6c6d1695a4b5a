/* perform/sql/postgres.c — statements in PostgreSQL.
 *
 *     BEGIN, settings ──► the statement and its parameters ──► rows, one by one ──► COMMIT or ROLLBACK
 *     (a job that only reads ends with ROLLBACK in any case)
 *
 * The thread waits for the server with poll(), so it notices at once when it should leave. It leaves by
 * asking the server to cancel the statement and closing the connection; the server rolls back.
 *
 * If the connection is lost before BEGIN was answered, nothing was done and another session may be tried. If
 * it is lost later, nobody knows whether the statement was done: the job fails and may be tried again.
 */
#include "perform/sql/postgres_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "perform/aside.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>

enum {
    GRACE_MS = 2000,  /* The server ends a statement by itself; this long we wait for it to say so. */
    RESET_MS = 5000,  /* For DISCARD ALL. */
    CANCEL_MS = 1000, /* To hand the server a request to cancel. */
};

/* How a wait for the server ended. */
enum wait_end { WAIT_OVER, WAIT_LOST, WAIT_LEFT, WAIT_LATE, WAIT_TOO_LARGE };

struct wait {
    struct postgres_session *session;
    const struct sql_leave *leave;
    int64_t until_us;
    size_t bytes_max; /* For one row; 0: any. */
};

/* ---- waiting for the server ---- */

/* libpq keeps a row in memory before it shows it, however large it is, so its bytes are counted as they
 * come. */
static bool count_bytes(struct postgres_session *session, size_t bytes_max)
{
    int waiting = 0;
    if (ioctl(libpq.socket(session->connection), FIONREAD, &waiting) == 0 && waiting > 0)
        session->unread += (size_t)waiting;
    return !bytes_max || session->unread <= bytes_max;
}

/* Waits until something can be read or, if there is something to send, written. */
static enum wait_end wait_once(const struct wait *wait, bool sends)
{
    PGconn *connection = wait->session->connection;
    int64_t left_us = wait->until_us - clock_monotonic_us();
    struct pollfd fds[] = {
        { .fd = libpq.socket(connection), .events = (short)(POLLIN | (sends ? POLLOUT : 0)) },
        { .fd = wait->leave->fd, .events = POLLIN },
    };
    if (atomic_load(&wait->leave->now)) return WAIT_LEFT;
    if (left_us <= 0) return WAIT_LATE;
    if (fds[0].fd < 0) return WAIT_LOST;
    poll(fds, 2, (int)((left_us + 999) / 1000));
    if (!(fds[0].revents & ~POLLOUT)) return WAIT_OVER;
    if (!count_bytes(wait->session, wait->bytes_max)) return WAIT_TOO_LARGE;
    return libpq.consumeInput(connection) ? WAIT_OVER : WAIT_LOST;
}

/* Waits for the next result; NULL: there is none any more. */
static enum wait_end await_result(const struct wait *wait, PGresult **ret_result)
{
    PGconn *connection = wait->session->connection;
    int unsent = 1;
    for (;;) {
        if (unsent) unsent = libpq.flush(connection);
        if (unsent < 0) return WAIT_LOST;
        if (!unsent && !libpq.isBusy(connection)) break;
        enum wait_end end = wait_once(wait, unsent);
        if (end != WAIT_OVER) return end;
    }
    *ret_result = libpq.getResult(connection);
    return WAIT_OVER;
}

/* Runs statements without results. WAIT_LOST also if the server reports an error; `job`, if given, gets it.
 */
static enum wait_end exec(const struct wait *wait, const char *text, struct sql_job *job)
{
    enum wait_end end = libpq.sendQuery(wait->session->connection, text) ? WAIT_OVER : WAIT_LOST;
    for (PGresult *result; end == WAIT_OVER;) {
        enum wait_end next = await_result(wait, &result);
        if (next != WAIT_OVER) return next;
        if (!result) return WAIT_OVER;
        if (libpq.resultStatus(result) != PGRES_COMMAND_OK) {
            end = WAIT_LOST;
            if (job) postgres_fail(job, result);
        }
        libpq.clear(result);
    }
    return end;
}

/* ---- leaving ---- */

static void cancel(void *data)
{
    char why[256];
    libpq.cancel(data, why, sizeof why);
}

static void cancel_free(void *data) { libpq.freeCancel(data); }

static void ask_to_cancel(PGconn *connection)
{
    PGcancel *request = libpq.getCancel(connection);
    if (request && aside_run(cancel, cancel_free, request, -1, CANCEL_MS) == ASIDE_DONE)
        libpq.freeCancel(request);
}

/* Tells the job why its wait did not end well. The session cannot be used again. */
static enum sql_end give_up(struct postgres_session *session, struct sql_job *job, enum wait_end end)
{
    switch (end) {
    case WAIT_LEFT: ask_to_cancel(session->connection); return SQL_LEFT;
    case WAIT_LATE:
        ask_to_cancel(session->connection);
        return sql_fail_code(job, SQL_ERROR_TIMEOUT, REASON_RESULT_LATE, "no result in time (%lld ms)",
                             (long long)job->timeout_ms);
    case WAIT_TOO_LARGE:
        ask_to_cancel(session->connection);
        return sql_fail(job, SQL_ERROR_RESULT_TOO_LARGE,
                        "the result is larger than %zu bytes; ask for fewer rows or columns",
                        job->config->answer_bytes_max);
    case WAIT_LOST:
    case WAIT_OVER: break;
    }
    return sql_fail(job, SQL_ERROR_CONNECTION, "the connection was lost before the result came");
}

/* ---- the statement ---- */

static bool send_statement(struct postgres_session *session, struct sql_job *job)
{
    struct arena *arena = job->job->arena;
    const struct sql_text *text = &job->text;
    const char **value = arena_make_n(arena, const char *, text->param_count);
    for (size_t i = 0; i < text->param_count; i++) value[i] = postgres_parameter(text->param[i], arena);
    return libpq.sendQueryParams(session->connection, text->text.p, (int)text->param_count, NULL, value, NULL,
                                 NULL, 0) &&
           libpq.setSingleRowMode(session->connection);
}

static bool begin_rows(struct sql_rows *rows, struct sql_job *job, const PGresult *result)
{
    size_t count = (size_t)libpq.nfields(result);
    str *name = arena_make_n(job->job->arena, str, count);
    for (size_t i = 0; i < count; i++)
        name[i] = arena_str(job->job->arena, str_of(libpq.fname(result, (int)i)));
    return sql_rows_init(rows, job, name, count);
}

static bool read_row(struct sql_rows *rows, const PGresult *result)
{
    if (!sql_rows_begin(rows)) return false;
    for (size_t i = 0; i < rows->column_count; i++) {
        int column = (int)i;
        str text = { libpq.getvalue(result, 0, column), (size_t)libpq.getlength(result, 0, column) };
        const struct json *value = libpq.getisnull(result, 0, column)
                                       ? json_null()
                                       : postgres_value(rows, libpq.ftype(result, column), text);
        if (!sql_rows_add(rows, i, value)) return false;
    }
    sql_rows_end(rows);
    return true;
}

/* A statement's result on its way. */
struct reading_rows {
    struct sql_rows rows;
    bool begun;
    bool complete; /* Nothing but the end of the results may follow. */
};

/* Reads one of the results that a statement gives: a row, or the end of the rows. */
static enum sql_end read_result(struct sql_job *job, struct reading_rows *reading, const PGresult *result)
{
    ExecStatusType status = libpq.resultStatus(result);
    bool rows = status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK;
    if (status == PGRES_FATAL_ERROR) return postgres_fail(job, result);
    if (!rows && status != PGRES_COMMAND_OK)
        return sql_fail(job, SQL_ERROR_STATEMENT, "a statement of this kind cannot be a job");
    if (!reading->begun && !begin_rows(&reading->rows, job, result)) return SQL_FAILED;
    reading->begun = true;
    if (status == PGRES_SINGLE_TUPLE) return read_row(&reading->rows, result) ? SQL_DONE : SQL_FAILED;
    int64_t changed = 0;
    str_to_int64(str_of(libpq.cmdTuples((PGresult *)(uintptr_t)result)), &changed);
    sql_rows_done(&reading->rows, changed);
    reading->complete = true;
    return SQL_DONE;
}

/* *ret_usable: the server has answered completely, so the transaction can be ended in an orderly way. */
static enum sql_end run_statement(const struct wait *wait, struct sql_job *job, bool *ret_usable)
{
    struct postgres_session *session = wait->session;
    struct reading_rows reading = { .begun = false };
    enum sql_end end = SQL_DONE;
    *ret_usable = false;
    if (!send_statement(session, job)) return give_up(session, job, WAIT_LOST);
    for (PGresult *result;;) {
        enum wait_end waited = await_result(wait, &result);
        if (waited != WAIT_OVER) return end == SQL_DONE ? give_up(session, job, waited) : end;
        if (!result) break;
        bool refused = libpq.resultStatus(result) == PGRES_FATAL_ERROR;
        if (end == SQL_DONE) end = read_result(job, &reading, result);
        session->unread = 0;
        libpq.clear(result);
        /* A result that we do not want any more may be long: nobody reads it to its end. */
        if (end != SQL_DONE && !refused) {
            ask_to_cancel(session->connection);
            return end;
        }
    }
    *ret_usable = libpq.status(session->connection) == CONNECTION_OK;
    if (end == SQL_DONE && !reading.complete) return give_up(session, job, WAIT_LOST);
    return end;
}

/* ---- the job ---- */

/* Settings that decide how values are printed and read hold for the transaction only: nothing that a
 * statement did before can change them. */
static str begin_text(const struct sql_job *job)
{
    int64_t left_ms = sql_job_left_ms(job);
    return arena_printf(
        job->job->arena,
        "BEGIN %s;SET LOCAL statement_timeout=%lld;SET LOCAL datestyle='ISO, MDY';"
        "SET LOCAL timezone='UTC';SET LOCAL bytea_output=hex;SET LOCAL intervalstyle=iso_8601;"
        "SET LOCAL extra_float_digits=1;SET LOCAL standard_conforming_strings=on;"
        "SET LOCAL client_encoding='UTF8'",
        job->read_only ? "READ ONLY" : "READ WRITE", (long long)(left_ms ? left_ms : 1));
}

/* Ends a transaction whose statement did well. READ ONLY leaves gaps, such as lo_create() and NOTIFY, so a
 * job that only reads is rolled back. */
static enum sql_end end_well(const struct wait *wait, struct sql_job *job, bool *ret_usable)
{
    enum wait_end end = exec(wait, job->read_only ? "ROLLBACK" : "COMMIT", job);
    *ret_usable = end == WAIT_OVER;
    if (end == WAIT_OVER) return SQL_DONE;
    /* Constraints that are checked at the end, and serialization failures, are the statement's own. */
    if (end == WAIT_LOST && job->job->error) return SQL_FAILED;
    return give_up(wait->session, job, end);
}

/* A session that has died while it was idle shows it here, before anything was done. */
static enum sql_end begin(const struct wait *wait, struct sql_job *job)
{
    enum wait_end end = exec(wait, begin_text(job).p, job);
    bool alive = libpq.status(wait->session->connection) == CONNECTION_OK;
    if (end == WAIT_OVER) return SQL_DONE;
    if (end != WAIT_LOST) return give_up(wait->session, job, end);
    if (alive && job->job->error && !job->job->retryable) return SQL_FAILED;
    job->job->error = NULL;
    return SQL_STALE;
}

static enum sql_end run(void *self, struct sql_job *job, bool *ret_usable)
{
    struct postgres_session *session = self;
    struct wait wait = {
        .session = session,
        .leave = job->leave,
        .until_us = job->deadline_us + GRACE_MS * 1000,
        .bytes_max = 2 * job->config->answer_bytes_max,
    };
    session->unread = 0;
    *ret_usable = false;
    enum sql_end end = begin(&wait, job);
    if (end != SQL_DONE) return end;
    end = run_statement(&wait, job, ret_usable);
    if (end == SQL_DONE) return end_well(&wait, job, ret_usable);
    if (*ret_usable) *ret_usable = exec(&wait, "ROLLBACK", NULL) == WAIT_OVER;
    return end;
}

static bool reset(void *self, const struct sql_leave *leave)
{
    struct postgres_session *session = self;
    const struct wait wait = { session, leave, clock_monotonic_us() + RESET_MS * 1000, 0 };
    return exec(&wait, "DISCARD ALL", NULL) == WAIT_OVER;
}

static enum sql_end open(str uri, struct sql_job *job, void **ret_session)
{
    PGconn *connection;
    enum sql_end end = postgres_connect(uri, job, &connection);
    if (end != SQL_DONE) return end;
    struct postgres_session *session = calloc(1, sizeof *session);
    must(session);
    session->connection = connection;
    *ret_session = session;
    return SQL_DONE;
}

static void close(void *self)
{
    struct postgres_session *session = self;
    libpq.finish(session->connection);
    free(session);
}

const struct sql_driver sql_postgres = { open, run, reset, close };
