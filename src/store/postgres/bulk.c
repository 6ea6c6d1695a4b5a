/* store/postgres/bulk.c — rows of failures and bulks in PostgreSQL. */
#include "store/postgres/load_int.h"

#include "base/hash.h"

/* ---- failures ---- */

static enum status add_failure(struct postgres_store *store, enum postgres_sql sql,
                               const struct failure_row *row, struct postgres_set **ret_set,
                               struct error *err)
{
    TRY(postgres_row(store, sql, SQL_FAILURE_DELETE, row->instance, ret_set, err));
    postgres_array_number(&(*ret_set)->column[0], row->definition);
    postgres_array_number(&(*ret_set)->column[1], (int64_t)row->instance);
    return ST_OK;
}

static enum status put_failure(struct postgres_store *store, const struct failure_row *row, struct error *err)
{
    struct postgres_set *set;
    TRY(add_failure(store, SQL_FAILURE_PUT, row, &set, err));
    postgres_array_number(&set->column[2], row->ns);
    postgres_array_number(&set->column[3], row->created_ms);
    postgres_array_number(&set->column[4], row->failed_ms);
    postgres_array_optional(&set->column[5], row->business_key);
    postgres_array_bytes(&set->column[6], row->step);
    postgres_array_bytes(&set->column[7], row->reason);
    return ST_OK;
}

/* ---- bulks: writing ---- */

static void add_ended(struct postgres_params *params, const struct bulk_row *row)
{
    if (row->ended_ms) postgres_add_number(params, row->ended_ms);
    else postgres_add_null(params);
}

static enum status add_bulk(struct postgres_store *store, const struct bulk_row *row, int64_t *ret_number,
                            struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, row->ns);
    postgres_add_number(&params, row->action);
    postgres_add_number(&params, row->state);
    postgres_add_number(&params, row->created_ms);
    add_ended(&params, row);
    postgres_add_number(&params, row->found);
    postgres_add_number(&params, row->done);
    postgres_add_number(&params, row->succeeded);
    postgres_add_number(&params, row->skipped);
    postgres_add_number(&params, row->refused);
    TRY(postgres_query(store, SQL_BULK_INSERT, &params, &result, err));
    *ret_number = postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

static enum status update_bulk(struct postgres_store *store, const struct bulk_row *row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, row->number);
    postgres_add_number(&params, row->state);
    add_ended(&params, row);
    postgres_add_number(&params, row->done);
    postgres_add_number(&params, row->succeeded);
    postgres_add_number(&params, row->skipped);
    postgres_add_number(&params, row->refused);
    TRY(postgres_query(store, SQL_BULK_UPDATE, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_bulk(row->number, err);
}

static enum status add_part(struct postgres_store *store, int64_t bulk, const struct bulk_part_row *row,
                            struct error *err)
{
    struct postgres_set *set;
    uint64_t key[3] = { (uint64_t)bulk, (uint64_t)row->kind, (uint64_t)row->number };
    TRY(postgres_row(store, SQL_BULK_PART_INSERT, SQL_BULK_PART_INSERT,
                     hash_bytes((str){ (const char *)key, sizeof key }), &set, err));
    postgres_array_number(&set->column[0], bulk);
    postgres_array_number(&set->column[1], row->kind);
    postgres_array_number(&set->column[2], row->number);
    postgres_array_bytes(&set->column[3], row->blob);
    return ST_OK;
}

enum status postgres_apply_bulk(struct postgres_store *store, struct changeset *changeset, struct error *err)
{
    struct postgres_set *set;
    if (changeset->failure_remove)
        TRY(add_failure(store, SQL_FAILURE_DELETE, changeset->failure_remove, &set, err));
    if (changeset->failure_put) TRY(put_failure(store, changeset->failure_put, err));
    if (changeset->bulk_add) TRY(add_bulk(store, changeset->bulk_add, &changeset->ret_bulk, err));
    if (changeset->bulk_update) TRY(update_bulk(store, changeset->bulk_update, err));
    for (size_t i = 0; i < changeset->bulk_part_add_count; i++) {
        const struct bulk_part_row *part = &changeset->bulk_part_add[i];
        TRY(add_part(store, part->bulk ? part->bulk : changeset->ret_bulk, part, err));
    }
    return ST_OK;
}

/* ---- bulks: reading ---- */

static enum status one_bulk(struct store *store, enum postgres_sql sql, struct postgres_params *params,
                            int64_t number, struct bulk_row *ret_row, struct error *err)
{
    PGresult *result;
    TRY(postgres_query(postgres_self(store), sql, params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) *ret_row = postgres_row_of_bulk(result, 0);
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_bulk(number, err);
}

enum status postgres_running_bulk(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                  struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, after->number);
    postgres_add_number(&params, after->state);
    postgres_add_number(&params, after->ns);
    return one_bulk(store, SQL_BULK_RUNNING, &params, after->number, ret_row, err);
}

enum status postgres_bulk_load(struct store *store, int64_t number, struct bulk_row *ret_row,
                               struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, number);
    return one_bulk(store, SQL_BULK, &params, number, ret_row, err);
}

enum status postgres_bulk_load_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                    struct arena *arena, str *ret_blob, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, bulk);
    postgres_add_number(&params, kind);
    postgres_add_number(&params, number);
    TRY(postgres_query(postgres_self(store), SQL_BULK_PART, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) *ret_blob = postgres_bytes(result, 0, 0, arena);
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_bulk(bulk, err);
}

/* ---- bulks: retention ---- */

/* The number of the bulk that ended first, if it is old enough to be removed; else 0. */
static enum status find_victim(struct postgres_store *store, int64_t before_ms, int64_t kept_max,
                               int64_t *ret_number, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    *ret_number = 0;
    postgres_add_number(&params, kept_max < INT64_MAX ? kept_max + 1 : INT64_MAX);
    TRY(postgres_query(store, SQL_BULK_OLDEST, &params, &result, err));
    if (libpq.ntuples(result) &&
        (postgres_number(result, 0, 1) < before_ms || postgres_number(result, 0, 2) > kept_max))
        *ret_number = postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

static enum status remove_parts(struct postgres_store *store, int64_t bulk, size_t max, size_t *ret_removed,
                                struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, bulk);
    postgres_add_count(&params, max);
    TRY(postgres_query(store, SQL_BULK_PARTS_DELETE, &params, &result, err));
    *ret_removed = (size_t)postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_bulk_purge(struct store *base, int64_t before_ms, int64_t kept_max, size_t max,
                                size_t *ret_removed, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    size_t removed = 0;
    while (removed < max) {
        struct postgres_params params = { 0 };
        int64_t number;
        size_t parts;
        TRY(find_victim(store, before_ms, kept_max, &number, err));
        if (!number) break;
        TRY(remove_parts(store, number, max - removed, &parts, err));
        removed += parts;
        if (removed == max) break;
        postgres_add_number(&params, number);
        TRY(postgres_send(&store->db, SQL_BULK_DELETE, &params, err));
        removed++;
    }
    *ret_removed = removed;
    return ST_OK;
}
