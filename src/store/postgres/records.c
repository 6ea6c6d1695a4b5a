/* store/postgres/records.c — records in PostgreSQL: small things by kind and key. */
#include "store/postgres/load_int.h"

#include "base/hash.h"
#include "base/must.h"

/* ---- writing ---- */

/* Tells a record from others. Two that are mistaken for each other cost a statement more, and no harm. */
static uint64_t key_of(const struct record_row *row)
{
    uint64_t place[3] = { (uint64_t)row->ns, (uint64_t)row->kind, hash_bytes(row->key) };
    return hash_bytes((str){ (const char *)place, sizeof place });
}

/* Memory keeps what these say, in all nodes. A slot of a schedule is not among them: it is written with every
 * tick, and compared with the store. */
static bool is_configuration(enum record_kind kind)
{
    return kind == RECORD_SECRET || kind == RECORD_ROUTE || kind == RECORD_PAUSED || kind == RECORD_MODEL ||
           kind == RECORD_INDEXED || kind == RECORD_SECRET_KEY || kind == RECORD_REMOVAL;
}

static enum status add_row(struct postgres_store *store, enum postgres_sql sql, const struct record_row *row,
                           struct postgres_set **ret_set, struct error *err)
{
    store->begins_generation |= is_configuration(row->kind);
    TRY(postgres_row(store, sql, SQL_RECORD_DELETE, key_of(row), ret_set, err));
    struct postgres_array *column = (*ret_set)->column;
    postgres_array_number(&column[0], row->ns);
    postgres_array_number(&column[1], row->kind);
    postgres_array_bytes(&column[2], row->key);
    return ST_OK;
}

enum status postgres_apply_records(struct postgres_store *store, const struct changeset *changeset,
                                   struct error *err)
{
    struct postgres_set *set;
    for (size_t i = 0; i < changeset->record_remove_count; i++)
        TRY(add_row(store, SQL_RECORD_DELETE, &changeset->record_remove[i], &set, err));
    for (size_t i = 0; i < changeset->record_put_count; i++) {
        const struct record_row *row = &changeset->record_put[i];
        TRY(add_row(store, SQL_RECORD_PUT, row, &set, err));
        postgres_array_number(&set->column[3], row->at_ms);
        postgres_array_bytes(&set->column[4], row->value);
    }
    return ST_OK;
}

/* ---- reading ---- */

static struct record_row row_of(const PGresult *result, int row, int32_t ns, enum record_kind kind,
                                struct arena *arena)
{
    return (struct record_row){
        .ns = ns,
        .kind = kind,
        .key = postgres_bytes(result, row, 0, arena),
        .at_ms = postgres_number(result, row, 1),
        .value = postgres_bytes(result, row, 2, arena),
    };
}

enum status postgres_find_record(struct postgres_db *db, int32_t ns, enum record_kind kind, str key,
                                 struct arena *arena, struct record_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, ns);
    postgres_add_number(&params, kind);
    postgres_add_bytes(&params, key);
    TRY(postgres_ask(db, SQL_RECORD, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) *ret_row = row_of(result, 0, ns, kind, arena);
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_record(kind, err);
}

str postgres_first_key(const struct record_filter *filter, struct arena *arena)
{
    struct buf key;
    if (!filter->after.n || str_compare(filter->after, filter->prefix) < 0) return filter->prefix;
    buf_init(&key, arena);
    buf_add_str(&key, filter->after);
    buf_add_char(&key, '\0'); /* No key is between the two. */
    return buf_str(&key);
}

/* The first key behind all that begin with the prefix; empty: there is none. */
static str behind_prefix(str prefix, struct arena *arena)
{
    struct buf key;
    while (prefix.n && (unsigned char)prefix.p[prefix.n - 1] == 0xff) prefix.n--;
    if (!prefix.n) return STR_NONE;
    buf_init(&key, arena);
    buf_add_str(&key, (str){ prefix.p, prefix.n - 1 });
    buf_add_char(&key, (char)(prefix.p[prefix.n - 1] + 1));
    return buf_str(&key);
}

str postgres_end_key(const struct record_filter *filter, struct arena *arena)
{
    str end = behind_prefix(filter->prefix, arena);
    return filter->upto.n && (!end.n || str_compare(filter->upto, end) < 0) ? filter->upto : end;
}

/* The server stops at the end, because it would send everything behind it, too. */
enum status postgres_records(struct postgres_db *db, const struct record_filter *filter, struct arena *arena,
                             struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    str end = postgres_end_key(filter, arena);
    postgres_add_number(&params, filter->ns);
    postgres_add_number(&params, filter->kind);
    postgres_add_bytes(&params, postgres_first_key(filter, arena));
    postgres_add_count(&params, filter->max);
    postgres_add_count(&params, filter->skip);
    if (end.n) postgres_add_bytes(&params, end);
    must(!filter->down || end.n);
    enum postgres_sql sql = filter->down ? SQL_RECORDS_DOWN : end.n ? SQL_RECORDS_UPTO : SQL_RECORDS;
    TRY(postgres_ask(db, sql, &params, &result, err));
    int count = libpq.ntuples(result);
    struct record_row *row = arena_make_n(arena, struct record_row, (size_t)count);
    for (int i = 0; i < count; i++) row[i] = row_of(result, i, filter->ns, filter->kind, arena);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}

/* ---- retention ---- */

enum status postgres_records_purge(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                   size_t *ret_removed, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, kind);
    postgres_add_number(&params, before_ms);
    postgres_add_count(&params, max);
    TRY(postgres_query(postgres_self(store), SQL_RECORDS_PURGE, &params, &result, err));
    *ret_removed = (size_t)postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}
