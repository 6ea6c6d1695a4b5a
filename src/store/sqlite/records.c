/* store/sqlite/records.c — records in SQLite: small things by kind and key. */
#include "store/sqlite/sqlite_int.h"

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

/* The namespace, the kind and the key, in this order, are the first parameters of every statement here. */
static void bind_key(sqlite3_stmt *statement, int32_t ns, enum record_kind kind, str key)
{
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_number(statement, 2, kind);
    sqlite_bind_str(statement, 3, key);
}

static struct record_row row_of(sqlite3_stmt *statement, int32_t ns, enum record_kind kind,
                                struct arena *arena)
{
    return (struct record_row){
        .ns = ns,
        .kind = kind,
        .key = sqlite_column_str(statement, 0, arena),
        .at_ms = sqlite3_column_int64(statement, 1),
        .value = sqlite_column_str(statement, 2, arena),
    };
}

static enum status remove_record(struct sqlite_db *db, const struct record_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_RECORD_DELETE, &statement, err));
    bind_key(statement, row->ns, row->kind, row->key);
    return sqlite_run(db, statement, err);
}

static enum status put_record(struct sqlite_db *db, const struct record_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_RECORD_PUT, &statement, err));
    bind_key(statement, row->ns, row->kind, row->key);
    sqlite_bind_number(statement, 4, row->at_ms);
    sqlite_bind_str(statement, 5, row->value);
    return sqlite_run(db, statement, err);
}

enum status sqlite_apply_records(struct sqlite_db *db, const struct changeset *change, struct error *err)
{
    for (size_t i = 0; i < change->record_remove_count; i++)
        TRY(remove_record(db, &change->record_remove[i], err));
    for (size_t i = 0; i < change->record_put_count; i++) TRY(put_record(db, &change->record_put[i], err));
    return ST_OK;
}

enum status sqlite_find_record(struct sqlite_db *db, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_RECORD, &statement, err));
    bind_key(statement, ns, kind, key);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_record(kind, err);
    *ret_row = row_of(statement, ns, kind, arena);
    sqlite_end(statement);
    return ST_OK;
}

/* The first key that the filter may list. One bound, not two: of two, SQLite would seek by the first and step
 * over all rows in between. */
static str first_key(const struct record_filter *filter, struct arena *arena)
{
    struct buf key;
    if (!filter->after.n || str_compare(filter->after, filter->prefix) < 0) return filter->prefix;
    buf_init(&key, arena);
    buf_add_str(&key, filter->after);
    buf_add_char(&key, '\0'); /* No key is between the two. */
    return buf_str(&key);
}

static void bind_count(sqlite3_stmt *statement, int index, size_t count)
{
    sqlite_bind_number(statement, index, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

enum status sqlite_records(struct sqlite_db *db, const struct record_filter *filter, struct arena *arena,
                           struct record_row **ret_row, size_t *ret_count, struct error *err)
{
    sqlite3_stmt *statement;
    struct record_row *rows = NULL;
    size_t count = 0, cap = 0;
    TRY(sqlite_use(db, filter->down ? SQL_RECORDS_DOWN : SQL_RECORDS, &statement, err));
    bind_key(statement, filter->ns, filter->kind,
             filter->down ? store_record_bound(filter, arena) : first_key(filter, arena));
    bind_count(statement, 4, filter->max);
    bind_count(statement, 5, filter->skip);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        struct record_row found = row_of(statement, filter->ns, filter->kind, arena);
        if (!store_wants_record(filter, found.key)) { /* Nor those behind it. */
            sqlite_end(statement);
            break;
        }
        array_reserve_in(arena, rows, count, cap);
        rows[count++] = found;
    }
    *ret_row = rows;
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_records_purge(struct store *store, enum record_kind kind, int64_t before_ms, size_t max,
                                 size_t *ret_removed, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_RECORDS_PURGE, &statement, err));
    sqlite_bind_number(statement, 1, kind);
    sqlite_bind_number(statement, 2, before_ms);
    sqlite_bind_number(statement, 3, (int64_t)max);
    TRY(sqlite_run(db, statement, err));
    *ret_removed = (size_t)sqlite3_changes(db->handle);
    return ST_OK;
}
