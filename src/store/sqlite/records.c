/* store/sqlite/records.c — records in SQLite: small things by kind and key. */
#include "store/sqlite/sqlite_int.h"

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

static bool is_block(enum record_kind kind) { return kind == RECORD_AUDIT_BLOCK; }

enum status sqlite_apply_records(struct sqlite_store *store, const struct changeset *change,
                                 struct error *err)
{
    for (size_t i = 0; i < change->record_remove_count; i++) {
        const struct record_row *row = &change->record_remove[i];
        TRY(is_block(row->kind) ? sqlite_remove_block(store, row, err)
                                : sqlite_remove_record(&store->db, row, err));
    }
    for (size_t i = 0; i < change->record_put_count; i++) {
        const struct record_row *row = &change->record_put[i];
        TRY(is_block(row->kind) ? sqlite_put_block(store, row, err)
                                : sqlite_put_record(&store->db, row, err));
    }
    return ST_OK;
}

enum status sqlite_find_record(struct sqlite_db *db, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    if (is_block(kind)) return sqlite_find_block(db, ns, key, arena, ret_row, err);
    TRY(sqlite_use(db, SQL_RECORD, &statement, err));
    sqlite_bind_record(statement, ns, kind, key);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_record(kind, err);
    *ret_row = sqlite_record_row(statement, ns, kind, arena);
    sqlite_end(statement);
    return ST_OK;
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
    if (is_block(filter->kind)) return sqlite_blocks(db, filter, arena, ret_row, ret_count, err);
    TRY(sqlite_use(db, filter->down ? SQL_RECORDS_DOWN : SQL_RECORDS, &statement, err));
    sqlite_bind_record(statement, filter->ns, filter->kind,
                       filter->down ? store_record_bound(filter, arena) : sqlite_first_key(filter, arena));
    bind_count(statement, 4, filter->max);
    bind_count(statement, 5, filter->skip);
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        struct record_row found = sqlite_record_row(statement, filter->ns, filter->kind, arena);
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
