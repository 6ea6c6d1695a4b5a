/* perform/sql/sql.h — the performer of databases (row SQL): one statement per job, PostgreSQL or SQLite.
 *
 * A job's input is {connectionRef, sql, params, readOnly}; its result is {rows: [{column: value}],
 * row_count}. connectionRef is "vault:NAME". The vault's text says where the database is:
 *
 *     postgres://USER:PASSWORD@HOST:PORT/DATABASE?…    any URI that libpq takes, with one host
 *     sqlite:/absolute/path                            a file that exists already
 *
 * Values reach the database as parameters only, never as text of the statement: $1, $2, … or ? are taken
 * from a list, :name from an object. :idempotency_key is always there; it is the same in all attempts of one
 * visit of a node, so a statement can insert it and notice that it was done before.
 *
 * Rules that no document can change:
 *   - A job is one statement in one transaction of its own. If the job says readOnly, the transaction is READ
 *     ONLY and is rolled back at its end. Statements that end the transaction or change the session are
 *     refused, and a session is reset after each job.
 *   - PostgreSQL servers in networks that are not public are refused, unless perform/reach.h allows them.
 *     The name is resolved here and libpq is given the address, so it cannot resolve to another one.
 *   - SQLite may not attach files, load extensions or change how the file is kept, and the engine's own
 *     directory is refused.
 *   - A job may not take longer than its time-out, nor give more than rows_max rows or answer_bytes_max
 *     bytes.
 *
 * A failure is {name, message, data}. Names are SQL_ and the SQLSTATE (SQL_23505), SQLITE_ and a code
 * (SQLITE_CONSTRAINT_UNIQUE), or one of SQL_ERROR_MAP in sql_int.h. Deadlocks, serialization failures, busy
 * files, lost connections and time-outs are retryable; everything else is not.
 */
#ifndef PERFORM_SQL_SQL_H
#define PERFORM_SQL_SQL_H

#include "perform/reach.h"
#include "perform/worker.h"

struct sql_config {
    struct call_reach reach; /* Which addresses that are not public servers may have. */
    const char *files;       /* The directory of certificates that a URI may name; NULL: it may name none. */
    const char *own_directory; /* The engine's, in which no SQLite file may be used; NULL: it has none. */
    size_t jobs_max;           /* Accepted and not done yet. */
    size_t threads_max;
    size_t sessions_max;     /* At one time of one database; SQLite: of one that are read only. */
    size_t rows_max;         /* For one result, … */
    size_t answer_bytes_max; /* … and its bytes. */
    int64_t timeout_ms;      /* For jobs that have none. */
    int64_t idle_ms;         /* A session that is not used for so long is closed. */
    int64_t busy_ms;         /* How long a job waits for a SQLite file that others hold. */
};

struct sql_config sql_config_default(void);

/* The performer by itself, for those who have no worker. Its `stop` frees it. */
void *sql_performer_new(const struct sql_config *config, const struct perform_methods **ret_methods);

/* Registers the performer. Threads, and libpq, come with the first job. The configuration is copied. */
void sql_performer_add(struct engine_worker *worker, const struct sql_config *config);

#endif
