/* store/sqlite/measure.c — the bytes of a tenant, a part at a time.
 *
 * SQLite knows the length of a value without reading it, so long states cost no more than short ones.
 */
#include "store/sqlite/sqlite_int.h"

static enum status list_definitions(struct sqlite_db *db, struct store_measure *measure, struct arena *arena,
                                    struct error *err)
{
    sqlite3_stmt *statement;
    size_t cap = 0;
    TRY(sqlite_use(db, SQL_MEASURE_DEFINITIONS, &statement, err));
    sqlite_bind_number(statement, 1, measure->ns);
    measure->began_ = true;
    measure->phase_ = measure->instance_ = -1;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return ST_OK;
        array_reserve_in(arena, measure->definition_, measure->definition_count_, cap);
        measure->definition_[measure->definition_count_++] = sqlite3_column_int64(statement, 0);
        measure->bytes += sqlite3_column_int64(statement, 1);
    }
}

/* A chain that is broken ends there. */
static enum status add_history(struct sqlite_db *db, int64_t last, struct store_measure *measure,
                               struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    for (int64_t id = last; id;) {
        TRY(sqlite_use(db, SQL_MEASURE_HISTORY, &statement, err));
        sqlite_bind_number(statement, 1, id);
        TRY(sqlite_step(db, statement, &row, err));
        id = row ? sqlite3_column_int64(statement, 0) : 0;
        measure->bytes += row ? sqlite3_column_int64(statement, 1) : 0;
        sqlite_end(statement);
    }
    return ST_OK;
}

/* Instances of the version whose turn it is. */
static enum status add_instances(struct sqlite_db *db, struct store_measure *measure, size_t max,
                                 size_t *ret_count, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = ST_OK;
    size_t count = 0;
    TRY(sqlite_use(db, SQL_MEASURE_INSTANCES, &statement, err));
    sqlite_bind_number(statement, 1, measure->definition_[measure->definition_count_ - 1]);
    sqlite_bind_number(statement, 2, measure->phase_);
    sqlite_bind_number(statement, 3, measure->instance_);
    sqlite_bind_number(statement, 4, (int64_t)max);
    for (bool row; status == ST_OK;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        measure->phase_ = sqlite3_column_int64(statement, 0);
        measure->instance_ = sqlite3_column_int64(statement, 1);
        measure->bytes += sqlite3_column_int64(statement, 2);
        status = add_history(db, sqlite3_column_int64(statement, 3), measure, err);
        if (status != ST_OK) sqlite_end(statement);
        count++;
    }
    *ret_count = count;
    return status;
}

enum status sqlite_measure(struct sqlite_db *db, struct store_measure *measure, size_t max,
                           struct arena *arena, struct error *err)
{
    if (!measure->began_) TRY(list_definitions(db, measure, arena, err));
    while (max && measure->definition_count_) {
        size_t count;
        TRY(add_instances(db, measure, max, &count, err));
        if (count < max) {
            measure->definition_count_--;
            measure->phase_ = measure->instance_ = -1;
            max--; /* A version without instances costs something, too. */
        }
        max = count < max ? max - count : 0;
    }
    measure->is_over = !measure->definition_count_;
    return ST_OK;
}
