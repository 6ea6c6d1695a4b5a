/* store/postgres/commit.c — transactions of the writer.
 *
 * Nothing is sent before the first query or the commit. A transaction that asks nothing is one round trip:
 * begin, sets, counts, the mark of our node, commit.
 *
 * **Two kinds of transactions.** One that has asked the server is SERIALIZABLE: what it was told is part of
 * what it rests on. But SERIALIZABLE takes note of whole pages of indexes, where the instances of all nodes
 * lie side by side: two nodes that only change instances of their own would fail all the time. So a
 * transaction is *simple*, and READ COMMITTED, if it rests on nothing but rows that it changes itself, whose
 * revisions are compared, and on the configuration. Most turns are simple: they start instances and complete
 * jobs. A turn that overtakes such a turn has seen all of it or fails on one of its rows.
 *
 * **The configuration** is what a simple transaction reads and does not change. It marks its node first,
 * which locks the table `node_turn` against those that change the configuration, and reads the generation
 * with that lock. A transaction that changes the configuration locks the table for itself: then no simple one
 * is under way, and the transaction has seen all that have committed. It takes the lock before its first
 * query if it is a repetition. At its first attempt it takes the lock at the end, and fails if any node has
 * committed something since its first query.
 *
 * **A commit whose answer is lost** may have happened. Every transaction writes its number into our row of
 * `node_turn`. So we connect again and read that row with a lock, which waits for the end of a transaction
 * that is still under way. One that the server has not begun, because it hangs with all that we have sent,
 * must not happen later: so the row gets another number then, and the mark of the transaction fails. If we
 * were fenced meanwhile, the fence has kept the number. Numbers of transactions of PostgreSQL itself would
 * not do: after a crash they are given again.
 */
#include "store/postgres/nodes_int.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"

#include <poll.h>
#include <stdlib.h>

enum {
    RESOLVE_MS = 60000,     /* A lost answer is looked for so long; then the process must stop. */
    RESOLVE_PAUSE_MS = 100, /* Between two attempts. */
};

static enum status ask_turn(struct postgres_store *store, enum postgres_sql sql, int64_t *ret_turn,
                            bool *ret_there, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, store->node);
    if (sql == SQL_NODE_TURN) postgres_add_number(&params, store->turn + 1);
    TRY(postgres_ask(&store->db, sql, &params, &result, err));
    *ret_there = libpq.ntuples(result) > 0;
    *ret_turn = *ret_there ? postgres_number(result, 0, 0) : 0;
    libpq.clear(result);
    return ST_OK;
}

static enum status read_turn(struct postgres_store *store, int64_t *ret_turn, bool *ret_there,
                             bool *ret_fenced, struct error *err)
{
    TRY(ask_turn(store, SQL_NODE_TURN, ret_turn, ret_there, err));
    *ret_fenced = !*ret_there;
    return *ret_there ? ST_OK : ask_turn(store, SQL_NODE_LAST_TURN, ret_turn, ret_there, err);
}

static enum status fail_fenced(struct error *err)
{
    return fail(err, ST_AGAIN, "node", "the other nodes have taken this one for dead");
}

/* A fence ends the sessions of a node. A session that the fenced node opens later would keep its locks for a
 * minute if the node were cut off once more, because no node is fenced twice. So a new session asks first
 * whether the node lives. It has the node's name already, and a fence from now on ends it. */
static enum status check_life(struct postgres_store *store, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    if (!store->node || store->checked == store->db.connections) return ST_OK;
    postgres_add_number(&params, store->node);
    TRY(postgres_ask(&store->db, SQL_NODE_LIVES, &params, &result, err));
    bool lives = postgres_number(result, 0, 0) != 0;
    libpq.clear(result);
    if (!lives) return fail_fenced(err);
    store->checked = store->db.connections;
    return ST_OK;
}

/* If we are fenced from here on, the commit finds out. */
enum status postgres_begin(struct store *base, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    if (store->db.held) return fail(err, ST_CONFLICT, "store", "the store is open for reading only");
    TRY(postgres_db_connect(&store->db, err));
    return check_life(store, err);
}

static void forget(struct postgres_store *store)
{
    postgres_sets_clear(store);
    map_done(&store->instances);
    map_init(&store->instances);
    store->waiting_count = store->tally_count = 0;
    store->begins_generation = false;
    store->news.told.n = 0;
    arena_reset(&store->scratch);
}

void postgres_rollback(struct store *base)
{
    struct postgres_store *store = postgres_self(base);
    struct error err;
    forget(store);
    if (!store->db.in_transaction) return;
    /* Behind a failure the server takes nothing before a sync. A connection on which the rollback fails is
     * dropped, and the server rolls back by itself. */
    enum status status = store->db.failed ? postgres_sync(&store->db, &err) : ST_OK;
    store->db.in_transaction = false;
    if (store->db.conn) status = postgres_send(&store->db, SQL_ROLLBACK, NULL, &err);
    if (status == ST_OK && store->db.conn) status = postgres_sync(&store->db, &err);
    if (status != ST_OK) postgres_disconnect(&store->db);
}

/* ---- commit ---- */

static enum status send_generation(struct postgres_store *store, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, store->generation);
    return postgres_send(&store->db, SQL_NEXT_GENERATION, &params, err);
}

static void add_mark(const struct postgres_store *store, struct postgres_params *params)
{
    postgres_add_number(params, store->node);
    postgres_add_number(params, store->turn + 1);
    postgres_add_number(params, store->generation + store->begins_generation);
    postgres_add_number(params, store->marked);
}

static enum status send_mark(struct postgres_store *store, struct error *err)
{
    struct postgres_params params = { 0 };
    add_mark(store, &params);
    return postgres_send(&store->db, SQL_NODE_MARK, &params, err);
}

/* For a simple transaction: the counts and the news go with it. */
static enum status send_mark_all(struct postgres_store *store, struct error *err)
{
    enum { COLUMNS = 3 };
    struct postgres_params params = { 0 };
    struct postgres_set *tally = &store->set[SQL_TALLY_ADD];
    add_mark(store, &params);
    for (size_t i = 0; i < COLUMNS; i++) postgres_add_array(&params, &tally->column[i], 'I');
    postgres_add_number(&params, store->news.told_turn);
    postgres_add_bytes(&params, buf_str(&store->news.told));
    enum status status = postgres_send(&store->db, SQL_NODE_MARK_ALL, &params, err);
    for (size_t i = 0; i < COLUMNS; i++) postgres_array_clear(&tally->column[i]);
    tally->rows = 0;
    return status;
}

/* Does another transaction's answer depend on such rows only by the instances that they belong to? */
static bool is_simple_set(enum postgres_sql sql)
{
    switch (sql) {
    case SQL_INSTANCE_INSERT:
    case SQL_INSTANCE_STEP:
    case SQL_HISTORY_INSERT:
    case SQL_TIMER_DELETE:
    case SQL_TIMER_INSERT:
    case SQL_JOB_DELETE:
    case SQL_JOB_PUT:
    case SQL_TASK_DELETE:
    case SQL_TASK_INSERT:
    case SQL_WORKLIST_DELETE:
    case SQL_WORKLIST_INSERT:
    case SQL_TALLY_ADD: return true;
    default: return false;
    }
}

/* All rows are in their sets. */
static bool is_simple(const struct postgres_store *store)
{
    if (store->db.in_transaction || store->begins_generation) return false;
    for (size_t sql = 0; sql < SQL_SET_COUNT; sql++)
        if (store->set[sql].rows && !is_simple_set((enum postgres_sql)sql)) return false;
    return true;
}

/* The lock is of no use if somebody has committed between our first query and the lock. Each of them has
 * changed its row, and so this fails. */
static enum status lock_late(struct postgres_store *store, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, store->node);
    TRY(postgres_send(&store->db, SQL_LOCK_TURNS, NULL, err));
    return postgres_send(&store->db, SQL_TOUCH_TURNS, &params, err);
}

static enum status send_all(struct postgres_store *store, struct error *err)
{
    postgres_put_tally(store);
    postgres_flush_instances(store);
    bool simple = is_simple(store);
    if (simple) TRY(postgres_begin_transaction(&store->db, SQL_BEGIN_SIMPLE, err));
    if (simple) TRY(send_mark_all(store, err));
    if (simple) return postgres_flush(store, err);
    TRY(postgres_transaction(store, err));
    TRY(postgres_flush(store, err));
    TRY(postgres_send_news(store, err));
    if (store->begins_generation && !store->locks_first) TRY(lock_late(store, err));
    if (store->begins_generation) TRY(send_generation(store, err));
    return send_mark(store, err);
}

/* The answer to a commit is lost: has it happened? */
static enum status resolve(struct postgres_store *store, struct error *err)
{
    int64_t until_us = clock_monotonic_us() + RESOLVE_MS * INT64_C(1000), turn = 0;
    struct error why = *err;
    enum status status;
    bool there, fenced = false;
    while ((status = read_turn(store, &turn, &there, &fenced, &why)) != ST_OK &&
           clock_monotonic_us() < until_us) {
        postgres_disconnect(&store->db);
        poll(NULL, 0, RESOLVE_PAUSE_MS);
    }
    if (status != ST_OK || !there) { /* We cannot ask, or were fenced too long ago. */
        store->base.broken = true;
        if (status != ST_OK) *err = why;
        return ST_STORE;
    }
    if (llabs(turn) < store->turn) return postgres_fail_forgotten(store, err);
    bool happened = turn == store->turn + 1;
    log_write(LOG_WARN, "the answer to a commit was lost", "outcome", happened ? "committed" : "rolled back",
              NULL);
    if (!happened && !fenced) { /* Its number is used up. */
        store->turn++;
        store->marked = -store->turn;
    }
    if (happened || !fenced) return happened ? ST_OK : ST_STORE;
    return fail_fenced(err);
}

enum status postgres_commit(struct store *base, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    /* The server would skip all of it, and nothing would tell. */
    TRY(postgres_verify_transaction(&store->db, err));
    TRY(send_all(store, err));
    enum status status = postgres_send(&store->db, SQL_COMMIT, NULL, err);
    store->db.in_transaction = false;
    if (status == ST_OK) status = postgres_sync(&store->db, err);
    if (status != ST_OK && !store->db.conn) status = resolve(store, err);
    store->locks_first = status == ST_AGAIN && store->begins_generation;
    if (status != ST_OK) {
        /* The server may have stopped at an earlier statement: then its transaction is open. */
        store->db.in_transaction = store->db.conn != NULL;
        return status;
    }
    must(!store->db.in_transaction);
    store->marked = ++store->turn;
    store->generation += store->begins_generation;
    if (store->news.told.n) store->news.told_turn = store->turn;
    forget(store);
    return ST_OK;
}
