/* store/sqlite/record_rows.c — rows of the table of records, one at a time. */
#include "store/sqlite/sqlite_int.h"

void sqlite_bind_record(sqlite3_stmt *statement, int32_t ns, enum record_kind kind, str key)
{
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_number(statement, 2, kind);
    sqlite_bind_str(statement, 3, key);
}

struct record_row sqlite_record_row(sqlite3_stmt *statement, int32_t ns, enum record_kind kind,
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

enum status sqlite_remove_record(struct sqlite_db *db, const struct record_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_RECORD_DELETE, &statement, err));
    sqlite_bind_record(statement, row->ns, row->kind, row->key);
    return sqlite_run(db, statement, err);
}

enum status sqlite_put_record(struct sqlite_db *db, const struct record_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_RECORD_PUT, &statement, err));
    sqlite_bind_record(statement, row->ns, row->kind, row->key);
    sqlite_bind_number(statement, 4, row->at_ms);
    sqlite_bind_str(statement, 5, row->value);
    return sqlite_run(db, statement, err);
}

/* The first key that the filter may list. One bound, not two: of two, SQLite would seek by the first and step
 * over all rows in between. */
str sqlite_first_key(const struct record_filter *filter, struct arena *arena)
{
    struct buf key;
    if (!filter->after.n || str_compare(filter->after, filter->prefix) < 0) return filter->prefix;
    buf_init(&key, arena);
    buf_add_str(&key, filter->after);
    buf_add_char(&key, '\0'); /* No key is between the two. */
    return buf_str(&key);
}
