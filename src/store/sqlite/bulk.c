/* store/sqlite/bulk.c — rows of failures and bulks in SQLite. */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

static struct sqlite_store *self(struct store *store) { return (struct sqlite_store *)store; }

/* ---- failures ---- */

static enum status put_failure(struct sqlite_db *db, const struct failure_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_FAILURE_PUT, &statement, err));
    sqlite_bind_number(statement, 1, row->definition);
    sqlite_bind_id(statement, 2, row->instance);
    sqlite_bind_number(statement, 3, row->ns);
    sqlite_bind_number(statement, 4, row->created_ms);
    sqlite_bind_number(statement, 5, row->failed_ms);
    sqlite_bind_optional(statement, 6, row->business_key);
    sqlite_bind_str(statement, 7, row->step);
    sqlite_bind_str(statement, 8, row->reason);
    return sqlite_run(db, statement, err);
}

enum status sqlite_remove_failure(struct sqlite_db *db, int64_t definition, uint64_t instance,
                                  struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_FAILURE_DELETE, &statement, err));
    sqlite_bind_number(statement, 1, definition);
    sqlite_bind_id(statement, 2, instance);
    return sqlite_run(db, statement, err);
}

/* Adds the row of one failed instance of an older file. A state that cannot be read gives a row without a
 * reason, because the instance must be in the table all the same. */
static enum status fill_one(struct sqlite_db *db, sqlite3_stmt *instance, struct arena *arena,
                            struct error *err)
{
    const struct instance *state;
    int32_t ns = sqlite3_column_int(instance, 2);
    struct failure_row row = { .instance = (uint64_t)sqlite3_column_int64(instance, 0),
                               .ns = ns,
                               .definition = sqlite3_column_int64(instance, 1),
                               .created_ms = sqlite3_column_int64(instance, 3),
                               .failed_ms = sqlite3_column_int64(instance, 4),
                               .business_key = sqlite_column_str(instance, 5, arena) };
    if (core_decode(sqlite_column_str(instance, 6, arena), NULL, arena, &state, NULL) == ST_OK) {
        struct failure_row told = store_state_failure(state, ns);
        row.failed_ms = told.failed_ms;
        row.step = told.step;
        row.reason = told.reason;
    }
    return put_failure(db, &row, err);
}

enum status sqlite_fill_failures(struct sqlite_db *db, struct error *err)
{
    sqlite3_stmt *instance;
    struct arena arena;
    if (sqlite3_prepare_v2(
            db->handle,
            "SELECT id, definition, ns, created, ifnull(ended, created), key, state FROM instance "
            "WHERE phase >> 1 = ?1",
            -1, &instance, NULL) != SQLITE_OK)
        return sqlite_fail(db, err);
    sqlite_bind_number(instance, 1, INSTANCE_FAILED);
    arena_init(&arena, 0);
    enum status status = ST_OK;
    bool row = true;
    while (status == ST_OK && row) {
        status = sqlite_step(db, instance, &row, err);
        if (status == ST_OK && row) status = fill_one(db, instance, &arena, err);
        arena_reset(&arena);
    }
    sqlite3_finalize(instance);
    arena_done(&arena);
    return status;
}

static enum status failures_of(struct sqlite_db *db, int64_t definition,
                               const struct selection_filter *filter, struct arena *arena,
                               struct failure_row *ret_row, size_t *count, struct error *err)
{
    must(*count < filter->max);
    sqlite3_stmt *statement;
    bool goes_on = definition == filter->after_definition && filter->after;
    TRY(sqlite_use(db, filter->newest ? SQL_FAILURES_DOWN : SQL_FAILURES, &statement, err));
    sqlite_bind_number(statement, 1, definition);
    sqlite_bind_id(statement, 2, goes_on && !filter->newest ? filter->after : 0);
    sqlite_bind_id(statement, 3,
                   goes_on && filter->newest && filter->after <= filter->upto ? filter->after - 1
                                                                              : filter->upto);
    sqlite_bind_number(statement, 4, (int64_t)(filter->max - *count));
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) return ST_OK;
        must(*count < filter->max);
        ret_row[(*count)++] = (struct failure_row){
            .definition = sqlite3_column_int64(statement, 0),
            .instance = (uint64_t)sqlite3_column_int64(statement, 1),
            .ns = sqlite3_column_int(statement, 2),
            .created_ms = sqlite3_column_int64(statement, 3),
            .failed_ms = sqlite3_column_int64(statement, 4),
            .business_key = sqlite_column_str(statement, 5, arena),
            .step = sqlite_column_str(statement, 6, arena),
            .reason = sqlite_column_str(statement, 7, arena),
            .definition_id = sqlite_column_str(statement, 8, arena),
            .definition_version = sqlite3_column_int(statement, 9),
        };
    }
}

enum status sqlite_failures(struct sqlite_db *db, const struct selection_filter *filter, struct arena *arena,
                            struct failure_row **ret_row, size_t *ret_count, struct error *err)
{
    struct selection_filter failed = *filter;
    int64_t *definition;
    size_t definitions, count = 0;
    failed.statuses = 1u << INSTANCE_FAILED;
    TRY(sqlite_pick_definitions(db, &failed, arena, &definition, &definitions, err));
    struct failure_row *row = arena_make_n(arena, struct failure_row, filter->max);
    for (size_t i = 0; i < definitions && count < filter->max; i++)
        if (definition[i] >= filter->after_definition)
            TRY(failures_of(db, definition[i], filter, arena, row, &count, err));
    *ret_row = row;
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_candidates(struct sqlite_db *db, const struct selection_filter *filter,
                              struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                              struct error *err)
{
    uint64_t *id;
    size_t picked, count = 0;
    TRY(sqlite_pick_selected(db, filter, filter->max, arena, &id, &picked, err));
    must(picked <= filter->max);
    struct instance_row *row = arena_make_n(arena, struct instance_row, picked);
    for (; count < picked && id[count] <= filter->upto; count++)
        TRY(sqlite_instance(db, filter->with_state ? SQL_INSTANCE : SQL_INSTANCE_PLAIN, id[count], arena,
                            &row[count], err));
    *ret_row = row;
    *ret_count = count;
    return ST_OK;
}

/* ---- bulks: writing ---- */

static void bind_ended(sqlite3_stmt *statement, int at, const struct bulk_row *row)
{
    if (row->ended_ms) sqlite_bind_number(statement, at, row->ended_ms);
    else sqlite3_bind_null(statement, at);
}

static enum status add_bulk(struct sqlite_db *db, const struct bulk_row *row, int64_t *ret_number,
                            struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BULK_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, row->ns);
    sqlite_bind_number(statement, 2, row->action);
    sqlite_bind_number(statement, 3, row->state);
    sqlite_bind_number(statement, 4, row->created_ms);
    bind_ended(statement, 5, row);
    sqlite_bind_number(statement, 6, row->found);
    sqlite_bind_number(statement, 7, row->done);
    sqlite_bind_number(statement, 8, row->succeeded);
    sqlite_bind_number(statement, 9, row->skipped);
    sqlite_bind_number(statement, 10, row->refused);
    TRY(sqlite_run(db, statement, err));
    *ret_number = sqlite3_last_insert_rowid(db->handle);
    return ST_OK;
}

static enum status update_bulk(struct sqlite_db *db, const struct bulk_row *row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BULK_UPDATE, &statement, err));
    sqlite_bind_number(statement, 1, row->number);
    sqlite_bind_number(statement, 2, row->state);
    bind_ended(statement, 3, row);
    sqlite_bind_number(statement, 4, row->done);
    sqlite_bind_number(statement, 5, row->succeeded);
    sqlite_bind_number(statement, 6, row->skipped);
    sqlite_bind_number(statement, 7, row->refused);
    TRY(sqlite_run(db, statement, err));
    return sqlite3_changes(db->handle) == 1 ? ST_OK : store_fail_no_bulk(row->number, err);
}

static enum status add_part(struct sqlite_db *db, int64_t bulk, const struct bulk_part_row *row,
                            struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BULK_PART_INSERT, &statement, err));
    sqlite_bind_number(statement, 1, row->bulk ? row->bulk : bulk);
    sqlite_bind_number(statement, 2, row->kind);
    sqlite_bind_number(statement, 3, row->number);
    sqlite_bind_str(statement, 4, row->blob);
    return sqlite_run(db, statement, err);
}

enum status sqlite_apply_bulk(struct sqlite_store *store, struct changeset *change, struct error *err)
{
    struct sqlite_db *db = &store->db;
    const struct failure_row *gone = change->failure_remove;
    if (gone) TRY(sqlite_remove_failure(db, gone->definition, gone->instance, err));
    if (change->failure_put) TRY(put_failure(db, change->failure_put, err));
    if (change->bulk_add) TRY(add_bulk(db, change->bulk_add, &change->ret_bulk, err));
    if (change->bulk_update) TRY(update_bulk(db, change->bulk_update, err));
    for (size_t i = 0; i < change->bulk_part_add_count; i++)
        TRY(add_part(db, change->ret_bulk, &change->bulk_part_add[i], err));
    return ST_OK;
}

/* ---- bulks: reading ---- */

static struct bulk_row bulk_row(sqlite3_stmt *statement)
{
    return (struct bulk_row){
        .number = sqlite3_column_int64(statement, 0),
        .ns = sqlite3_column_int(statement, 1),
        .action = sqlite3_column_int(statement, 2),
        .state = sqlite3_column_int(statement, 3),
        .created_ms = sqlite3_column_int64(statement, 4),
        .ended_ms = sqlite3_column_int64(statement, 5),
        .found = sqlite3_column_int64(statement, 6),
        .done = sqlite3_column_int64(statement, 7),
        .succeeded = sqlite3_column_int64(statement, 8),
        .skipped = sqlite3_column_int64(statement, 9),
        .refused = sqlite3_column_int64(statement, 10),
    };
}

static enum status one_bulk(struct store *store, enum sql sql, int64_t number, struct bulk_row *ret_row,
                            struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_number(statement, 1, number);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_bulk(number, err);
    *ret_row = bulk_row(statement);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_running_bulk(struct store *store, const struct bulk_row *after, struct bulk_row *ret_row,
                                struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_BULK_RUNNING, &statement, err));
    sqlite_bind_number(statement, 1, after->number);
    sqlite_bind_number(statement, 2, after->state);
    sqlite_bind_number(statement, 3, after->ns);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_bulk(after->number, err);
    *ret_row = bulk_row(statement);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_bulk_load(struct store *store, int64_t number, struct bulk_row *ret_row, struct error *err)
{
    return one_bulk(store, SQL_BULK, number, ret_row, err);
}

enum status sqlite_bulk_load_part(struct store *store, int64_t bulk, enum bulk_part kind, int64_t number,
                                  struct arena *arena, str *ret_blob, struct error *err)
{
    struct sqlite_db *db = &self(store)->db;
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, SQL_BULK_PART, &statement, err));
    sqlite_bind_number(statement, 1, bulk);
    sqlite_bind_number(statement, 2, kind);
    sqlite_bind_number(statement, 3, number);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_bulk(bulk, err);
    *ret_blob = sqlite_column_str(statement, 0, arena);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_bulks(struct sqlite_db *db, int32_t ns, int64_t before, size_t max, struct arena *arena,
                         struct bulk_row **ret_row, size_t *ret_count, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BULKS, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_number(statement, 2, before ? before : INT64_MAX);
    sqlite_bind_number(statement, 3, (int64_t)max);
    struct bulk_row *list = NULL;
    size_t count = 0, cap = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, list, count, cap);
        list[count++] = bulk_row(statement);
    }
    *ret_row = list;
    *ret_count = count;
    return ST_OK;
}

enum status sqlite_bulk_parts(struct sqlite_db *db, int64_t bulk, enum bulk_part kind, int64_t from,
                              size_t max, struct arena *arena, struct bulk_part_row **ret_row,
                              size_t *ret_count, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BULK_PARTS, &statement, err));
    sqlite_bind_number(statement, 1, bulk);
    sqlite_bind_number(statement, 2, kind);
    sqlite_bind_number(statement, 3, from);
    sqlite_bind_number(statement, 4, (int64_t)max);
    struct bulk_part_row *list = NULL;
    size_t count = 0, cap = 0;
    for (bool row;;) {
        TRY(sqlite_step(db, statement, &row, err));
        if (!row) break;
        array_reserve_in(arena, list, count, cap);
        list[count++] = (struct bulk_part_row){ .bulk = bulk,
                                                .kind = kind,
                                                .number = sqlite3_column_int64(statement, 0),
                                                .blob = sqlite_column_str(statement, 1, arena) };
    }
    *ret_row = list;
    *ret_count = count;
    return ST_OK;
}

/* ---- bulks: retention ---- */

/* The number of the bulk that ended first, if it is old enough to be removed; else 0. */
static enum status find_victim(struct sqlite_db *db, int64_t before_ms, int64_t kept_max, int64_t *ret_number,
                               struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    *ret_number = 0;
    TRY(sqlite_use(db, SQL_BULK_OLDEST, &statement, err));
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return ST_OK;
    if (sqlite3_column_int64(statement, 1) < before_ms || sqlite3_column_int64(statement, 2) > kept_max)
        *ret_number = sqlite3_column_int64(statement, 0);
    sqlite_end(statement);
    return ST_OK;
}

static enum status remove_parts(struct sqlite_db *db, int64_t bulk, size_t max, size_t *ret_removed,
                                struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_BULK_PARTS_DELETE, &statement, err));
    sqlite_bind_number(statement, 1, bulk);
    sqlite_bind_number(statement, 2, (int64_t)max);
    TRY(sqlite_run(db, statement, err));
    *ret_removed = (size_t)sqlite3_changes64(db->handle);
    return ST_OK;
}

enum status sqlite_bulk_purge(struct store *base, int64_t before_ms, int64_t kept_max, size_t max,
                              size_t *ret_removed, struct error *err)
{
    struct sqlite_db *db = &self(base)->db;
    size_t removed = 0;
    while (removed < max) {
        int64_t number;
        size_t parts;
        sqlite3_stmt *statement;
        TRY(find_victim(db, before_ms, kept_max, &number, err));
        if (!number) break;
        TRY(remove_parts(db, number, max - removed, &parts, err));
        removed += parts;
        if (removed == max) break;
        TRY(sqlite_use(db, SQL_BULK_DELETE, &statement, err));
        sqlite_bind_number(statement, 1, number);
        TRY(sqlite_run(db, statement, err));
        removed++;
    }
    must(removed <= max);
    *ret_removed = removed;
    return ST_OK;
}
