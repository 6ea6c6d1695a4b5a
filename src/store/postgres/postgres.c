/* store/postgres/postgres.c — opening and closing a store on PostgreSQL, and the table of its functions. */
#include "store/postgres/load_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <poll.h>
#include <stdlib.h>

enum {
    LOCK_MS = 3000,     /* The server may take a while to notice that an engine was killed. */
    LOCK_PAUSE_MS = 50, /* Between two attempts. */
};

static enum status ask_number(struct postgres_store *store, enum postgres_sql sql, int64_t *ret_number,
                              struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(&store->db, sql, NULL, &result, err));
    *ret_number = libpq.ntuples(result) ? postgres_number(result, 0, 0) : 0;
    libpq.clear(result);
    return ST_OK;
}

/* One engine has the store at a time. */
static enum status lock(struct postgres_store *store, struct error *err)
{
    int64_t until_us = clock_monotonic_us() + LOCK_MS * INT64_C(1000), locked;
    for (;;) {
        TRY(ask_number(store, SQL_NODE_LOCK, &locked, err));
        if (locked) return ST_OK;
        if (clock_monotonic_us() > until_us)
            return fail(err, ST_CONFLICT, "store", "another engine has the store in this database open");
        poll(NULL, 0, LOCK_PAUSE_MS);
    }
}

/* Takes the place of the node before us. If that is still there, cut off from the server, it can write
 * nothing any more: its row is gone. */
static enum status join(struct postgres_store *store, struct error *err)
{
    int64_t none;
    TRY(lock(store, err));
    TRY(ask_number(store, SQL_NODE_BURY, &none, err));
    TRY(ask_number(store, SQL_NODE_FOLD, &none, err));
    return ask_number(store, SQL_NODE_JOIN, &store->node, err);
}

static void leave(struct postgres_store *store)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    struct error err;
    if (!store->node) return;
    postgres_add_number(&params, store->node);
    if (postgres_ask(&store->db, SQL_NODE_LEAVE, &params, &result, &err) == ST_OK) libpq.clear(result);
}

static void postgres_close(struct store *base)
{
    struct postgres_store *store = postgres_self(base);
    leave(store);
    postgres_db_done(&store->db);
    postgres_sets_done(store);
    map_done(&store->instances);
    arena_done(&store->scratch);
    free(store->waiting);
    free(store->tally);
    free(store);
}

/* ---- the table ---- */

static enum status find_record(struct store *base, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_find_record(&store->db, ns, kind, key, arena, ret_row, err);
}

static enum status list_records(struct store *base, const struct record_filter *filter, struct arena *arena,
                                struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_records(&store->db, filter, arena, ret_row, ret_count, err);
}

/* The server does its own upkeep, and its space is not ours to keep. */
static const struct store_ops postgres_ops = {
    .close = postgres_close,
    .begin = postgres_begin,
    .apply = postgres_apply,
    .commit = postgres_commit,
    .rollback = postgres_rollback,
    .take_numbers = postgres_take_numbers,
    .load_instance = postgres_load_instance,
    .find_definition = postgres_find_definition,
    .load_definition = postgres_load_definition,
    .find_content = postgres_find_content,
    .count_living = postgres_count_living,
    .find_business_key = postgres_find_business_key,
    .find_idempotency = postgres_find_idempotency,
    .timers = postgres_timers,
    .ids_with_jobs = postgres_ids_with_jobs,
    .pending = postgres_pending,
    .subscribers = postgres_subscribers,
    .triggered = postgres_triggered,
    .find_child = postgres_find_child,
    .find_unmatched = postgres_find_unmatched,
    .running_bulk = postgres_running_bulk,
    .load_bulk = postgres_load_bulk,
    .load_bulk_part = postgres_load_bulk_part,
    .purge_bulks = postgres_purge_bulks,
    .find_record = find_record,
    .records = list_records,
    .purge_records = postgres_purge_records,
    .purge = postgres_purge,
    .reader_open = postgres_reader_open,
    .integrity = postgres_integrity,
    .subscriptions = postgres_subscriptions,
    .children = postgres_children,
};

/* ---- opening ---- */

enum status postgres_open(const struct store_config *config, struct store **ret_store, struct error *err)
{
    TRY(libpq_load(err));
    struct postgres_store *store = calloc(1, sizeof *store);
    must(store);
    store->base.ops = &postgres_ops;
    store->base.settles_commits = true;
    postgres_db_init(&store->db, config->path, config->read_only ? POSTGRES_READER : POSTGRES_WRITER);
    map_init(&store->keys);
    map_init(&store->instances);
    arena_init(&store->scratch, 0);
    enum status status = postgres_migrate(&store->db, config, err);
    if (status == ST_OK)
        status = config->read_only ? postgres_hold_moment(&store->db, err) : join(store, err);
    if (status == ST_OK) *ret_store = &store->base;
    else postgres_close(&store->base);
    return status;
}
