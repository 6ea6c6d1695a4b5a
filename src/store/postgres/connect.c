/* store/postgres/connect.c — a connection to the database, its settings, and what its errors mean. */
#include "store/postgres/postgres_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum { REFUSED_PAUSE_US = 1000000 };

/* Settings that the user does not give. A server that is cut off is given up in seconds, because everything
 * waits. */
#define DEFAULTS(XX)                                                    \
    XX("application_name", "pawl")                                      \
    XX("connect_timeout", db->role == POSTGRES_SIDE ? "2" : "5")        \
    XX("tcp_user_timeout", db->role == POSTGRES_SIDE ? "2000" : "5000") \
    XX("keepalives_idle", "2")                                          \
    XX("keepalives_interval", "1")                                      \
    XX("keepalives_count", "3")                                         \
    XX("target_session_attrs", "read-write")                            \
    XX("client_encoding", "UTF8")

/* Plans are made once and go from the arrays to the rows by index: the planner cannot know how long an array
 * is, and other joins cost three times as much. */
#define PLANS                                                                                           \
    "SET plan_cache_mode = force_generic_plan; SET enable_hashjoin = off; SET enable_mergejoin = off; " \
    "SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off; "

static const char *const settings[] = {
    [POSTGRES_WRITER] = PLANS "SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '60s'",
    [POSTGRES_READER] = PLANS "SET default_transaction_read_only = on; SET statement_timeout = '60s'; "
                              "SET idle_in_transaction_session_timeout = '60s'",
    [POSTGRES_SIDE] =
        PLANS "SET default_transaction_isolation = 'read committed'; SET synchronous_commit = off; "
              "SET lock_timeout = '200ms'; SET statement_timeout = '2s'",
    [POSTGRES_NODE_MESSAGES] =
        PLANS "SET default_transaction_isolation = 'read committed'; SET synchronous_commit = off; "
              "SET lock_timeout = '1s'; SET statement_timeout = '20s'",
};

/* The server's own limits come first: for a lock, a statement, a node message. */
static const int64_t patience_ms[] = {
    [POSTGRES_WRITER] = 15000,
    [POSTGRES_READER] = 65000,
    [POSTGRES_SIDE] = 3000,
    [POSTGRES_NODE_MESSAGES] = 25000,
};

void postgres_db_init(struct postgres_db *db, const char *conninfo, enum postgres_role role)
{
    *db =
        (struct postgres_db){ .conninfo = strdup(conninfo), .role = role, .patience_ms = patience_ms[role] };
    must(db->conninfo);
}

void postgres_db_done(struct postgres_db *db)
{
    postgres_disconnect(db);
    free(db->conninfo);
    db->conninfo = NULL;
}

void postgres_disconnect(struct postgres_db *db)
{
    if (db->conn) libpq.finish(db->conn);
    db->conn = NULL;
    db->awaited = db->preparing = 0;
    db->in_transaction = db->failed = false;
    db->planned_us = 0;
    memset(db->prepared, 0, sizeof db->prepared);
}

/* libpq ends its messages with a line end, and may write several lines. */
static str first_line(const char *message) { return (str){ message, strcspn(message, "\n") }; }

/* The server's notices are not ours to print. */
static void ignore_notice(void *context, const char *message) { (void)context, (void)message; }

static enum status connect_now(struct postgres_db *db, struct error *err)
{
#define XX(name, value) name,
    const char *const name[] = { DEFAULTS(XX) "dbname", NULL };
#undef XX
#define XX(name, value) value,
    const char *const value[] = { DEFAULTS(XX) db->conninfo, NULL };
#undef XX
    db->conn = libpq.connectdbParams(name, value, 1);
    if (!db->conn || libpq.status(db->conn) != CONNECTION_OK) {
        str why = first_line(db->conn ? libpq.errorMessage(db->conn) : "out of memory");
        fail(err, ST_STORE, "store", "the database cannot be reached: %.*s", STR_ARG(why));
        postgres_disconnect(db);
        db->refused_us = clock_monotonic_us();
        return ST_STORE;
    }
    db->refused_us = 0;
    db->connections++;
    libpq.setNoticeProcessor(db->conn, ignore_notice, NULL);
    return ST_OK;
}

/* Runs a statement before there is a pipeline. */
static enum status run_plain(struct postgres_db *db, const char *sql, bool *ret_true, struct error *err)
{
    PGresult *result = libpq.exec(db->conn, sql);
    ExecStatusType kind = libpq.resultStatus(result);
    bool well = kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK;
    enum status status = well ? ST_OK : postgres_fail_result(result, err);
    *ret_true = kind == PGRES_TUPLES_OK && libpq.getvalue(result, 0, 0)[0] == 't';
    libpq.clear(result);
    return status;
}

enum status postgres_fail_locked(struct error *err)
{
    return fail(err, ST_CONFLICT, "store",
                "the store in this database is being copied, or a command of pawl works on it");
}

/* Others find our sessions by their name when they fence us: a process that hangs must not keep its locks.
 * Nodes share a lock, which a copy of the store, or a command that works on it, has alone. */
static enum status name_session(struct postgres_db *db, struct error *err)
{
    static const char *const locks[] = { "SELECT pg_try_advisory_lock_shared(" NODE_LOCK_KEY ")",
                                         "SELECT pg_try_advisory_lock(" NODE_LOCK_KEY ")" };
    char sql[256];
    bool is_true;
    snprintf(sql, sizeof sql, "SELECT set_config('application_name', " SESSION_NAME("%" PRId64) ", false)",
             db->node);
    TRY(run_plain(db, sql, &is_true, err));
    if (db->role != POSTGRES_WRITER) return ST_OK;
    TRY(run_plain(db, locks[db->alone], &is_true, err));
    return is_true ? ST_OK : postgres_fail_locked(err);
}

static enum status set_up(struct postgres_db *db, struct error *err)
{
    bool is_true;
    enum status status = run_plain(db, settings[db->role], &is_true, err);
    if (db->node_of) db->node = atomic_load(db->node_of);
    if (status == ST_OK && db->node) status = name_session(db, err);
    if (status == ST_OK && !libpq.enterPipelineMode(db->conn))
        status = fail(err, ST_STORE, "store", "libpq has no pipeline");
    if (status != ST_OK) postgres_disconnect(db);
    return status;
}

/* Connecting may take seconds, in which the engine does nothing else. So after a failure the calls of the
 * next second fail at once. */
static enum status check_pause(const struct postgres_db *db, struct error *err)
{
    if (!db->refused_us || clock_monotonic_us() - db->refused_us > REFUSED_PAUSE_US) return ST_OK;
    return fail(err, ST_STORE, "store", "the database cannot be reached");
}

/* The others end our sessions when they fence us. A reader that waits for nothing has nothing to hear but
 * that, and need not fail for it. */
static bool has_ended(const struct postgres_db *db)
{
    if (db->role != POSTGRES_READER || db->held || db->in_transaction || db->awaited) return false;
    struct pollfd ready = { .fd = libpq.socket(db->conn), .events = POLLIN };
    return poll(&ready, 1, 0) != 0;
}

enum status postgres_db_connect(struct postgres_db *db, struct error *err)
{
    if (db->conn && has_ended(db)) postgres_disconnect(db);
    if (db->conn) return ST_OK;
    if (db->held)
        return fail(err, ST_STORE, "store", "the connection is lost, and with it the moment that was shown");
    TRY(check_pause(db, err));
    TRY(libpq_load(err));
    TRY(connect_now(db, err));
    return set_up(db, err);
}

/* ---- errors ---- */

#define NOT_ALL_OF "22012" /* division_by_zero: ALL_OF() in sql.h has found another count. */

/* Classes and codes of SQLSTATE (appendix A of PostgreSQL's manual). */
static enum status status_of(const PGresult *result, const char *code)
{
    if (str_equal(str_of(code), STR("23505"))) { /* unique_violation */
        const char *name = libpq.resultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
        /* Another node has written the same revision of an instance. */
        return name && strcmp(name, "history_pkey") == 0 ? ST_AGAIN : ST_CONFLICT;
    }
    static const char *const again[] = { "40001" /* serialization_failure */, "40P01" /* deadlock_detected */,
                                         "55P03" /* lock_not_available */, NOT_ALL_OF };
    for (size_t i = 0; i < COUNT(again); i++)
        if (strcmp(code, again[i]) == 0) return ST_AGAIN;
    return strcmp(code, "53100") == 0 ? ST_FULL : ST_STORE; /* disk_full */
}

enum status postgres_fail_result(const PGresult *result, struct error *err)
{
    const char *code = libpq.resultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = libpq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (!message) message = libpq.resultErrorMessage(result);
    if (!code) code = "";
    if (strcmp(code, NOT_ALL_OF) == 0)
        return fail(err, ST_AGAIN, "store", "another node has changed what this transaction rests on");
    return fail(err, status_of(result, code), "store", "PostgreSQL: %.*s%s%s%s", STR_ARG(first_line(message)),
                *code ? " (" : "", code, *code ? ")" : "");
}

enum status postgres_fail_lost(struct postgres_db *db, struct error *err)
{
    str why = first_line(db->conn ? libpq.errorMessage(db->conn) : "");
    fail(err, ST_STORE, "store", "the connection to the database is lost%s%.*s", why.n ? ": " : "",
         STR_ARG(why));
    postgres_disconnect(db);
    return ST_STORE;
}
