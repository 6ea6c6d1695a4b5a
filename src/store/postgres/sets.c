/* store/postgres/sets.c — rows that wait to be sent, gathered by statement. */
#include "store/postgres/postgres_int.h"

#include "base/hash.h"

enum { KEYS_KEPT = 1024 }; /* A larger map of keys is freed after its transaction. */

static const char *const letters[] = {
#define XX(NAME, letters, text) letters,
    POSTGRES_SET_MAP(XX)
#undef XX
};

/* A key of the map says with which flush its row went out, or will go. */
static bool is_waiting(struct postgres_store *store, enum postgres_sql table, uint64_t key)
{
    uint64_t place[2] = { (uint64_t)table, key };
    void *flush = (void *)(uintptr_t)(store->flushes + 1);
    return map_put(&store->keys, hash_bytes((str){ (const char *)place, sizeof place }), flush) == flush;
}

enum status postgres_row(struct postgres_store *store, enum postgres_sql sql, enum postgres_sql table,
                         uint64_t key, struct postgres_set **ret_set, struct error *err)
{
    if (is_waiting(store, table, key)) {
        TRY(postgres_flush(store, err));
        is_waiting(store, table, key);
    }
    *ret_set = &store->set[sql];
    (*ret_set)->rows++;
    return ST_OK;
}

enum status postgres_transaction(struct postgres_store *store, struct error *err)
{
    if (store->db.in_transaction) return ST_OK;
    TRY(postgres_begin_transaction(&store->db, SQL_BEGIN, err));
    return store->locks_first ? postgres_send(&store->db, SQL_LOCK_TURNS, NULL, err) : ST_OK;
}

static enum status send_set(struct postgres_store *store, enum postgres_sql sql, struct error *err)
{
    struct postgres_set *set = &store->set[sql];
    struct postgres_params params = { 0 };
    for (const char *letter = letters[sql]; *letter; letter++) {
        if (*letter == 'n') postgres_add_number(&params, store->node);
        else postgres_add_array(&params, &set->column[letter - letters[sql]], *letter);
    }
    enum status status = postgres_send(&store->db, sql, &params, err);
    for (const char *letter = letters[sql]; *letter; letter++)
        postgres_array_clear(&set->column[letter - letters[sql]]);
    set->rows = 0;
    return status;
}

enum status postgres_flush(struct postgres_store *store, struct error *err)
{
    postgres_flush_instances(store);
    store->flushes++;
    for (size_t sql = 0; sql < SQL_SET_COUNT; sql++) {
        if (!store->set[sql].rows) continue;
        TRY(postgres_transaction(store, err));
        TRY(send_set(store, (enum postgres_sql)sql, err));
    }
    return ST_OK;
}

enum status postgres_query(struct postgres_store *store, enum postgres_sql sql,
                           const struct postgres_params *params, PGresult **ret_result, struct error *err)
{
    if (!store->base.in_transaction) return postgres_ask(&store->db, sql, params, ret_result, err);
    TRY(postgres_flush(store, err));
    TRY(postgres_transaction(store, err));
    return postgres_ask(&store->db, sql, params, ret_result, err);
}

void postgres_sets_clear(struct postgres_store *store)
{
    for (size_t i = 0; i < SQL_SET_COUNT; i++) {
        struct postgres_set *set = &store->set[i];
        for (size_t k = 0; set->rows && k < COUNT(set->column); k++) postgres_array_clear(&set->column[k]);
        set->rows = 0;
    }
    store->flushes++;
    if (store->keys.count <= KEYS_KEPT) return;
    map_done(&store->keys);
    map_init(&store->keys);
}

void postgres_sets_done(struct postgres_store *store)
{
    for (size_t i = 0; i < SQL_SET_COUNT; i++)
        for (size_t k = 0; k < COUNT(store->set[i].column); k++)
            postgres_array_done(&store->set[i].column[k]);
    map_done(&store->keys);
}
