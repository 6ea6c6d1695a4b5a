/* perform/sql/sql_int.h — shared by the files of this folder. */
#ifndef PERFORM_SQL_SQL_INT_H
#define PERFORM_SQL_SQL_INT_H

#include "perform/sql/sql.h"

#include "base/clock.h"
#include "json/json.h"
#include "program/reason.h"

#include <stdatomic.h>

/* Errors that no database names. */
/* clang-format off */
#define SQL_ERROR_MAP(XX)                                                                       \
    /* name               retry  why                                                         */ \
    XX(INPUT,             false, "the job's input is not what a database job has")              \
    XX(CONNECTION_REF,    false, "the secret of connectionRef is no database")                  \
    XX(STATEMENT,         false, "not a single statement, or one that is refused")              \
    XX(PARAMETERS,        false, "parameters and placeholders do not fit together")             \
    XX(ADDRESS,           false, "the server is in a network that may not be reached")          \
    XX(RESULT,            false, "the result cannot be an answer: two columns of one name, …")  \
    XX(RESULT_TOO_LARGE,  false, "more rows or bytes than allowed")                             \
    XX(HOST_NOT_FOUND,    false, "the server's name has no address")                            \
    XX(CONNECTION,        true,  "no connection, or it was lost")                               \
    XX(TIMEOUT,           true,  "no result in time")                                           \
    XX(LIBRARY,           false, "libpq is missing")
/* clang-format on */

enum sql_error {
#define XX(NAME, retry, why) SQL_ERROR_##NAME,
    SQL_ERROR_MAP(XX)
#undef XX
};

/* The kinds of databases. */
enum sql_kind { SQL_POSTGRES, SQL_SQLITE };

/* ---- text.c: pure ---- */

/* A statement as a database takes it: every placeholder is $1, $2, … (PostgreSQL) or ?1, ?2, … (SQLite). */
struct sql_text {
    str text; /* A NUL follows. */
    const struct json **param;
    size_t param_count;
};

/* Reads a statement and its parameters: NULL, a list or an object. On failure names the error and says why.
 */
bool sql_text_read(str text, const struct json *params, str idempotency_key, enum sql_kind kind,
                   struct arena *arena, struct sql_text *ret_text, enum sql_error *ret_error, str *ret_why);

/* ---- jobs ---- */

/* How a thread is told to leave what it does: a flag, and a descriptor that can be polled. */
struct sql_leave {
    atomic_bool now;
    int fd; /* An eventfd, readable once `now` is set. */
};

/* A job under way, in the engine job's arena. */
struct sql_job {
    struct engine_job *job;
    const struct sql_config *config;
    struct sql_text text;
    bool read_only;
    int64_t timeout_ms;
    int64_t deadline_us;           /* Set when a thread begins it. */
    const struct sql_leave *leave; /* The signal of the thread that runs it; NULL: it waits. */
    struct sql_place *place;
    struct sql_job *next; /* In its place's queue. */
};

/* Milliseconds that the job may still take; 0: none. */
static inline int64_t sql_job_left_ms(const struct sql_job *job)
{
    int64_t left_us = job->deadline_us - clock_monotonic_us();
    return left_us > 0 ? (left_us + 999) / 1000 : 0;
}

/* How a driver's work on a job ended. */
enum sql_end {
    SQL_DONE,   /* The engine job has its value. */
    SQL_FAILED, /* The engine job has its error. */
    SQL_LEFT,   /* `leave` was set. */
    SQL_STALE,  /* The session was dead before the statement was sent: worth another session. */
};

/* ---- error.c ---- */

__attribute__((format(printf, 3, 4))) enum sql_end sql_fail(struct sql_job *job, enum sql_error error,
                                                            const char *format, ...);
/* The same with a code of program/reason.h. */
__attribute__((format(printf, 4, 5))) enum sql_end sql_fail_code(struct sql_job *job, enum sql_error error,
                                                                 enum reason_code code, const char *format,
                                                                 ...);
/* An error that the database names. `data` may be NULL. */
enum sql_end sql_fail_named(struct sql_job *job, bool retryable, str name, str message,
                            const struct json *data);

/* ---- rows.c: a result, bounded ---- */

struct sql_rows {
    struct sql_job *job;
    struct json_builder builder;
    const str *name; /* The names of the columns. */
    size_t column_count;
    size_t row_count;
};

/* False: the job has its error. */
bool sql_rows_init(struct sql_rows *rows, struct sql_job *job, const str *name, size_t column_count);
bool sql_rows_begin(struct sql_rows *rows);
/* The columns of a row in order. NULL as the value: it is no UTF-8 text, which is an error. So is a result
 * that has grown too large. */
bool sql_rows_add(struct sql_rows *rows, size_t column, const struct json *value);
/* JSON that a column holds as text; text if it is no JSON that we take. */
const struct json *sql_rows_json(struct sql_rows *rows, str text);
/* NULL if the text is not UTF-8. */
const struct json *sql_rows_text(struct sql_rows *rows, str text);
void sql_rows_end(struct sql_rows *rows);
/* The engine job's value. `changed`: rows that the statement changed, if it has no columns. */
void sql_rows_done(struct sql_rows *rows, int64_t changed);

/* ---- drivers ---- */

/* The functions run on the pool's threads. A session is a driver's own struct, used by one thread at a time.
 */
struct sql_driver {
    /* Opens a session. SQL_DONE: there is one; else the job has its error, or `leave` was set. */
    enum sql_end (*open)(str uri, struct sql_job *job, void **ret_session);
    /* Runs the job in a transaction of its own. *ret_usable: the session may be used again. */
    enum sql_end (*run)(void *session, struct sql_job *job, bool *ret_usable);
    /* Prepares the session for the next job. False: it cannot be used again. */
    bool (*reset)(void *session, const struct sql_leave *leave);
    void (*close)(void *session);
};

extern const struct sql_driver sql_postgres, sql_sqlite;

/* ---- pool.c ---- */

struct sql_pool;

struct sql_pool *sql_pool_new(const struct sql_config *config);
/* Takes the job; its `done` comes from a thread of the pool. */
void sql_pool_submit(struct sql_pool *pool, struct sql_job *job, str uri, enum sql_kind kind);
/* The job's `done` comes soon, if it has not come yet. */
void sql_pool_cancel(struct sql_pool *pool, struct engine_job *job);
size_t sql_pool_room(struct sql_pool *pool);
/* Breaks off all jobs, waits until every `done` was called, and frees the pool. */
void sql_pool_stop(struct sql_pool *pool);

#endif
