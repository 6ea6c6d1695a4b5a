/* store/sqlite/rows.c — turns rows into structs, and has the lookups that writer and readers share. */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

enum status sqlite_instance_row(struct sqlite_db *db, sqlite3_stmt *statement, bool with_state,
                                struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    int64_t phase = sqlite3_column_int64(statement, 3);
    if (phase < 0 || phase >= INSTANCE_STATUS_COUNT * 2)
        return fail(err, ST_STORE, db->path, "an instance has no phase %lld", (long long)phase);
    *ret_row = (struct instance_row){
        .id = (uint64_t)sqlite3_column_int64(statement, 0),
        .ns = sqlite3_column_int(statement, 1),
        .definition = sqlite3_column_int64(statement, 2),
        .status = (enum instance_status)(phase / 2),
        .has_jobs = phase % 2,
        .created_ms = sqlite3_column_int64(statement, 4),
        .ended_ms = sqlite3_column_int64(statement, 5),
        .business_key = sqlite_column_str(statement, 6, arena),
        .last_history = sqlite3_column_int64(statement, 7),
        .state = with_state ? sqlite_column_str(statement, 8, arena) : STR_NONE,
        .definition_id = sqlite_column_str(statement, 9, arena),
        .definition_version = sqlite3_column_int(statement, 10),
        .definition_priority = sqlite3_column_int(statement, 11),
    };
    return ST_OK;
}

void sqlite_definition_row(sqlite3_stmt *statement, bool with_source, struct arena *arena,
                           struct definition_row *ret_row)
{
    *ret_row = (struct definition_row){
        .number = sqlite3_column_int64(statement, 0),
        .ns = sqlite3_column_int(statement, 1),
        .id = sqlite_column_str(statement, 2, arena),
        .version = sqlite3_column_int(statement, 3),
        .dialect = sqlite_column_str(statement, 4, arena),
        .title = sqlite_column_str(statement, 5, arena),
        .content = (uint64_t)sqlite3_column_int64(statement, 6),
        .created_ms = sqlite3_column_int64(statement, 7),
        .rank = sqlite3_column_int64(statement, 8),
        .priority = sqlite3_column_int(statement, 9),
        .author = sqlite_column_str(statement, 10, arena),
        .revision = sqlite_column_str(statement, 11, arena),
        .restores = sqlite3_column_int(statement, 12),
        .source = with_source ? sqlite_column_str(statement, 14, arena) : STR_NONE,
    };
    store_read_retired(sqlite3_column_int64(statement, 13), ret_row);
}

enum status sqlite_instance(struct sqlite_db *db, enum sql sql, uint64_t id, struct arena *arena,
                            struct instance_row *ret_row, struct error *err)
{
    sqlite3_stmt *statement;
    bool row;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_id(statement, 1, id);
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_instance(id, err);
    enum status status = sqlite_instance_row(db, statement, true, arena, ret_row, err);
    sqlite_end(statement);
    return status;
}

/* Steps a bound statement that returns one definition or none. */
static enum status take_definition(struct sqlite_db *db, sqlite3_stmt *statement, struct arena *arena,
                                   struct definition_row *ret_row, struct error *err)
{
    bool row;
    TRY(sqlite_step(db, statement, &row, err));
    if (!row) return store_fail_no_definition(err);
    sqlite_definition_row(statement, true, arena, ret_row);
    sqlite_end(statement);
    return ST_OK;
}

enum status sqlite_definition(struct sqlite_db *db, int32_t ns, str id, int32_t version, struct arena *arena,
                              struct definition_row *ret_row, struct error *err)
{
    sqlite3_stmt *statement;
    must(version >= VERSION_PREVIOUS);
    bool numbered = version > 0;
    enum sql sql = numbered                      ? SQL_DEFINITION_VERSION
                   : version == VERSION_NEWEST   ? SQL_DEFINITION_NEWEST
                   : version == VERSION_PREVIOUS ? SQL_DEFINITION_PREVIOUS
                                                 : SQL_DEFINITION_LATEST;
    TRY(sqlite_use(db, sql, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, id);
    if (numbered) sqlite_bind_number(statement, 3, version);
    return take_definition(db, statement, arena, ret_row, err);
}

enum status sqlite_definition_content(struct sqlite_db *db, int32_t ns, str id, uint64_t content,
                                      struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_DEFINITION_CONTENT, &statement, err));
    sqlite_bind_number(statement, 1, ns);
    sqlite_bind_str(statement, 2, id);
    sqlite_bind_id(statement, 3, content);
    return take_definition(db, statement, arena, ret_row, err);
}

enum status sqlite_definition_number(struct sqlite_db *db, int64_t number, struct arena *arena,
                                     struct definition_row *ret_row, struct error *err)
{
    sqlite3_stmt *statement;
    TRY(sqlite_use(db, SQL_DEFINITION, &statement, err));
    sqlite_bind_number(statement, 1, number);
    return take_definition(db, statement, arena, ret_row, err);
}
