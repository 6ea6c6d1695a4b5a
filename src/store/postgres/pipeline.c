/* store/postgres/pipeline.c — statements go out without waiting, and results come back in their order.
 *
 * libpq gives the results of each statement followed by a NULL, and one for each sync. `awaited` counts the
 * statements and syncs whose results were not taken yet. When a statement fails, the server skips those
 * behind it up to the next sync; so do we, and keep the first failure.
 */
#include "store/postgres/postgres_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <poll.h>

enum {
    QUICK_REPLANS = 10, /* So many times quickly. */
    REPLAN_QUICK_US = 1000000,
    REPLAN_US = 2000000,
};

enum { OID_BYTEA = 17, OID_INT8 = 20, OID_BYTEA_ARRAY = 1001, OID_INT8_ARRAY = 1016 };

enum { LEAVE_LOOK_MS = 100 }; /* How often a thread looks whether anybody wants the answer. */

static const struct statement {
    const char *name, *letters, *text;
} statements[] = {
#define XX(NAME, letters, text) { #NAME, letters, text },
    POSTGRES_SQL_MAP(XX)
#undef XX
};

/* ---- results ---- */

/* A thread that waits for the database does nothing else. A server that answers nothing for long, without
 * being cut off, is given up. A program that is no node, such as a check, waits as long as it takes. */
static bool wait_for_result(const struct postgres_db *db)
{
    int64_t until_us = clock_monotonic_us() + db->patience_ms * 1000;
    while (libpq.isBusy(db->conn)) {
        int64_t left_ms = (until_us - clock_monotonic_us()) / 1000;
        struct pollfd ready = { .fd = libpq.socket(db->conn), .events = POLLIN };
        if (libpq.flush(db->conn) < 0) return true; /* The connection is lost: libpq says why. */
        if (left_ms <= 0 || (db->leaving && atomic_load(db->leaving))) return false;
        if (db->leaving && left_ms > LEAVE_LOOK_MS) left_ms = LEAVE_LOOK_MS;
        if (poll(&ready, 1, (int)left_ms) == 0) continue;
        if (!libpq.consumeInput(db->conn)) return true;
    }
    return true;
}

/* Was this the result of preparing a statement? One that was to be prepared behind a failure is not prepared.
 * One that was prepared stays so, also after a rollback. */
static void settle_prepared(struct postgres_db *db, const PGresult *result)
{
    for (size_t i = 0; db->preparing && i < SQL_COUNT; i++) {
        if (db->prepared[i] != PREPARE_SENT || db->prepare_place[i] != db->taken) continue;
        db->prepared[i] = libpq.resultStatus(result) == PGRES_COMMAND_OK ? PREPARED : NOT_PREPARED;
        db->preparing--;
        return;
    }
}

/* The result that stands for one statement: the last one before the NULL. `*ret_result` NULL: there is none.
 * ST_STORE: the connection is lost. */
static enum status take(struct postgres_db *db, PGresult **ret_result, struct error *err)
{
    must(db->awaited > 0);
    PGresult *kept = NULL, *result;
    int64_t began_us = clock_monotonic_us();
    db->awaited--;
    bool is_limited = db->node || (db->role != POSTGRES_WRITER && db->role != POSTGRES_READER);
    if (is_limited && !wait_for_result(db)) return postgres_fail_lost(db, err);
    while ((result = libpq.getResult(db->conn)) != NULL) {
        if (kept) libpq.clear(kept);
        kept = result;
        /* No NULL follows a sync. */
        if (libpq.resultStatus(result) == PGRES_PIPELINE_SYNC) break;
    }
    db->waited_us += clock_monotonic_us() - began_us;
    *ret_result = kept;
    if (kept) settle_prepared(db, kept);
    db->taken++;
    if (kept && libpq.status(db->conn) == CONNECTION_OK) return ST_OK;
    if (kept) libpq.clear(kept);
    *ret_result = NULL;
    return postgres_fail_lost(db, err);
}

/* The server has ended the session, and says why; libpq notices the end of the connection later. Statements
 * that were sent may have happened, also a commit: a session that is to end does so behind it. */
static bool is_last_word(const PGresult *result)
{
    const char *severity = libpq.resultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}

/* Takes results until `left` are awaited, and returns the last one. After a failure there is none. */
static enum status take_until(struct postgres_db *db, size_t left, PGresult **ret_result, struct error *err)
{
    enum status status = ST_OK;
    *ret_result = NULL;
    while (db->awaited > left) {
        PGresult *result;
        if (*ret_result) libpq.clear(*ret_result);
        *ret_result = NULL;
        TRY(take(db, &result, err));
        ExecStatusType kind = libpq.resultStatus(result);
        if (kind == PGRES_FATAL_ERROR && is_last_word(result)) {
            postgres_fail_result(result, err);
            libpq.clear(result);
            postgres_disconnect(db);
            return ST_STORE;
        }
        if (kind == PGRES_FATAL_ERROR && status == ST_OK) status = postgres_fail_result(result, err);
        if (kind == PGRES_FATAL_ERROR && !db->failed) db->hopeless = status == ST_STORE;
        if (kind == PGRES_FATAL_ERROR) db->failed = true;
        if (kind == PGRES_PIPELINE_SYNC) db->failed = false;
        *ret_result = result;
    }
    if (status == ST_OK) return ST_OK;
    if (*ret_result) libpq.clear(*ret_result);
    *ret_result = NULL;
    return status;
}

/* ---- statements ---- */

static Oid type_of(char letter)
{
    return letter == 'i' || letter == 'n' ? OID_INT8
           : letter == 'b'                ? OID_BYTEA
           : letter == 'I'                ? OID_INT8_ARRAY
                                          : OID_BYTEA_ARRAY;
}

static bool send_prepare(struct postgres_db *db, enum postgres_sql sql)
{
    must(db->prepared[sql] == NOT_PREPARED);
    const struct statement *statement = &statements[sql];
    Oid type[POSTGRES_PARAMS_MAX];
    int count = (int)strlen(statement->letters);
    must(count <= POSTGRES_PARAMS_MAX);
    for (int i = 0; i < count; i++) type[i] = type_of(statement->letters[i]);
    if (!libpq.sendPrepare(db->conn, statement->name, statement->text, count, type)) return false;
    db->prepared[sql] = PREPARE_SENT;
    db->prepare_place[sql] = db->taken + db->awaited++;
    db->preparing++;
    return true;
}

static bool send_statement(struct postgres_db *db, enum postgres_sql sql,
                           const struct postgres_params *params)
{
    static const int binary[POSTGRES_PARAMS_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    static const struct postgres_params none;
    if (!params) params = &none;
    must(strlen(statements[sql].letters) == (size_t)params->count);
    if (!libpq.sendQueryPrepared(db->conn, statements[sql].name, params->count, params->value, params->length,
                                 binary, 1))
        return false;
    db->awaited++;
    return true;
}

enum status postgres_send(struct postgres_db *db, enum postgres_sql sql, const struct postgres_params *params,
                          struct error *err)
{
    TRY(postgres_db_connect(db, err));
    if (db->prepared[sql] == NOT_PREPARED && !send_prepare(db, sql)) return postgres_fail_lost(db, err);
    return send_statement(db, sql, params) ? ST_OK : postgres_fail_lost(db, err);
}

/* A plan is made when a statement is first used, and kept. If a table is empty then, its plan may be one that
 * reads all of it, and stays so when the table has grown. So plans are made anew: often in the beginning, and
 * every two seconds later. */
static enum status renew_plans(struct postgres_db *db, struct error *err)
{
    int64_t now_us = clock_monotonic_us();
    if (db->conn && now_us - db->planned_us < (db->replans < QUICK_REPLANS ? REPLAN_QUICK_US : REPLAN_US))
        return ST_OK;
    bool is_new = !db->conn || !db->planned_us;
    db->planned_us = now_us;
    db->replans = is_new ? 0 : db->replans + 1;
    if (is_new) return ST_OK;
    TRY(postgres_send(db, SQL_DISCARD_PLANS, NULL, err));
    return postgres_sync(db, err); /* A transaction begins with BEGIN, or has no level of its own. */
}

enum status postgres_begin_transaction(struct postgres_db *db, enum postgres_sql sql, struct error *err)
{
    must(!db->in_transaction);
    TRY(postgres_db_connect(db, err));
    TRY(renew_plans(db, err));
    TRY(postgres_send(db, sql, NULL, err));
    db->in_transaction = true;
    return ST_OK;
}

static enum status take_all(struct postgres_db *db, PGresult **ret_result, struct error *err)
{
    /* The last one is the sync; the one before it is what the caller wants. */
    PGresult *result, *sync;
    enum status status = take_until(db, 1, &result, err);
    if (!db->conn) return status;
    struct error late;
    enum status ended = take_until(db, 0, &sync, status == ST_OK ? err : &late);
    if (sync) libpq.clear(sync);
    if (status == ST_OK && ended != ST_OK && result) libpq.clear(result), result = NULL;
    *ret_result = result;
    return status != ST_OK ? status : ended;
}

static enum status sync_for(struct postgres_db *db, PGresult **ret_result, struct error *err)
{
    *ret_result = NULL;
    if (!db->conn) return postgres_fail_lost(db, err);
    if (!libpq.pipelineSync(db->conn)) return postgres_fail_lost(db, err);
    db->awaited++;
    return take_all(db, ret_result, err);
}

enum status postgres_sync(struct postgres_db *db, struct error *err)
{
    PGresult *result;
    enum status status = sync_for(db, &result, err);
    if (result) libpq.clear(result);
    return status;
}

enum status postgres_verify_transaction(const struct postgres_db *db, struct error *err)
{
    if (!db->in_transaction || !db->failed) return ST_OK;
    return fail(err, db->hopeless ? ST_STORE : ST_AGAIN, "store",
                "the transaction has failed before, and nothing has happened");
}

/* Rows that were written before may be in conflict. The caller has done nothing wrong. */
static enum status ask_in_transaction(struct postgres_db *db, PGresult **ret_result, struct error *err)
{
    if (!libpq.sendFlushRequest(db->conn) || libpq.flush(db->conn) < 0) return postgres_fail_lost(db, err);
    enum status status = take_until(db, 0, ret_result, err);
    if (status != ST_CONFLICT) return status;
    return fail(err, ST_AGAIN, "store", "a row that this transaction adds is there already");
}

enum status postgres_ask(struct postgres_db *db, enum postgres_sql sql, const struct postgres_params *params,
                         PGresult **ret_result, struct error *err)
{
    *ret_result = NULL;
    /* The server would skip it, and no rows of a skipped query look like rows that are not there. */
    TRY(postgres_verify_transaction(db, err));
    TRY(postgres_db_connect(db, err));
    if (!db->in_transaction) TRY(renew_plans(db, err));
    TRY(postgres_send(db, sql, params, err));
    return db->in_transaction ? ask_in_transaction(db, ret_result, err) : sync_for(db, ret_result, err);
}

enum status postgres_ask_again(struct postgres_db *db, enum postgres_sql sql,
                               const struct postgres_params *params, PGresult **ret_result, struct error *err)
{
    bool connected = db->conn != NULL;
    enum status status = postgres_ask(db, sql, params, ret_result, err);
    if (status != ST_STORE || !connected || db->conn) return status;
    return postgres_ask(db, sql, params, ret_result, err);
}

/* In a pipeline only one statement fits into a query with parameters; each is sent for itself. The text has
 * no semicolon inside a statement. */
enum status postgres_exec(struct postgres_db *db, const char *sql, struct error *err)
{
    TRY(postgres_db_connect(db, err));
    while (*sql) {
        char text[2048];
        size_t length = strcspn(sql, ";");
        must(length < sizeof text);
        memcpy(text, sql, length);
        text[length] = '\0';
        if (!libpq.sendQueryParams(db->conn, text, 0, NULL, NULL, NULL, NULL, 1))
            return postgres_fail_lost(db, err);
        db->awaited++;
        sql += length + (sql[length] == ';');
    }
    return postgres_sync(db, err);
}

/* ---- transactions of readers ---- */

enum status postgres_begin_read(struct postgres_db *db, struct error *err)
{
    if (db->held) return ST_OK;
    return postgres_begin_transaction(db, SQL_BEGIN_READ, err);
}

enum status postgres_end_read(struct postgres_db *db, enum status status, struct error *err)
{
    struct error later;
    if (db->held) return status;
    if (!db->conn) return status == ST_OK ? postgres_fail_lost(db, err) : status;
    /* Behind a failure the server takes nothing before a sync. */
    if (db->failed) postgres_sync(db, &later);
    db->in_transaction = false;
    enum status ended = db->conn ? postgres_send(db, SQL_ROLLBACK, NULL, &later) : ST_STORE;
    if (ended == ST_OK) ended = postgres_sync(db, &later);
    if (status == ST_OK && ended != ST_OK && err) *err = later;
    return status != ST_OK ? status : ended;
}

/* The first query of the transaction makes the moment. */
enum status postgres_hold_moment(struct postgres_db *db, struct error *err)
{
    must(!db->held);
    PGresult *result;
    TRY(postgres_begin_read(db, err));
    TRY(postgres_ask(db, SQL_SCHEMA_VERSION, NULL, &result, err));
    libpq.clear(result);
    db->held = true;
    return ST_OK;
}
