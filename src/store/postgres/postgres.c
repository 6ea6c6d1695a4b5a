/* store/postgres/postgres.c — opening and closing a store on PostgreSQL. */
#include "store/postgres/postgres_int.h"

#include "base/must.h"

#include <stdlib.h>

/* Takes a place among the nodes. */
static enum status join(struct postgres_store *store, struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(&store->db, SQL_NODE_JOIN, NULL, &result, err));
    store->node = postgres_number(result, 0, 0);
    store->turn = 0;
    libpq.clear(result);
    return ST_OK;
}

static void leave(struct postgres_store *store)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    struct error err;
    if (!store->node) return;
    postgres_add_number(&params, store->node);
    if (postgres_ask(&store->db, SQL_NODE_LEAVE, &params, &result, &err) == ST_OK) libpq.clear(result);
    if (postgres_ask(&store->db, SQL_NODE_FOLD, &params, &result, &err) == ST_OK) libpq.clear(result);
}

void postgres_close(struct store *base)
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

enum status postgres_open(const struct store_config *config, struct store **ret_store, struct error *err)
{
    TRY(libpq_load(err));
    struct postgres_store *store = calloc(1, sizeof *store);
    must(store);
    store->base.ops = &postgres_ops;
    store->base.settles_commits = true;
    postgres_db_init(&store->db, config->path, POSTGRES_WRITER);
    map_init(&store->keys);
    map_init(&store->instances);
    arena_init(&store->scratch, 0);
    enum status status = postgres_migrate(&store->db, config, err);
    if (status == ST_OK && !config->read_only) status = join(store, err);
    if (status == ST_OK) *ret_store = &store->base;
    else postgres_close(&store->base);
    return status;
}
