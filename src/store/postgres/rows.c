/* store/postgres/rows.c — turns rows into structs, and has the lookups that writer and readers share. */
#include "store/postgres/load_int.h"

/* ---- rows ---- */

enum status postgres_instance_row(const PGresult *result, int row, bool with_state, struct arena *arena,
                                  struct instance_row *ret_row, struct error *err)
{
    int64_t phase = postgres_number(result, row, 3);
    if (phase < 0 || phase >= STORE_PHASES)
        return fail(err, ST_STORE, "store", "an instance has no phase %lld", (long long)phase);
    int64_t revision = postgres_number(result, row, 7);
    *ret_row = (struct instance_row){
        .id = postgres_id(result, row, 0),
        .ns = (int32_t)postgres_number(result, row, 1),
        .definition = postgres_number(result, row, 2),
        .status = (enum instance_status)(phase / 2),
        .has_jobs = phase % 2,
        .created_ms = postgres_number(result, row, 4),
        .ended_ms = postgres_number(result, row, 5),
        .business_key = postgres_bytes(result, row, 6, arena),
        .last_history = revision,
        .revision = (uint32_t)revision,
        .state = with_state ? postgres_state(result, row, 8, arena) : STR_NONE,
        .definition_id = postgres_bytes(result, row, 9, arena),
        .definition_version = (int32_t)postgres_number(result, row, 10),
        .definition_priority = (int32_t)postgres_number(result, row, 11),
        .holder = postgres_number(result, row, 12),
    };
    return ST_OK;
}

void postgres_definition_row(const PGresult *result, int row, bool with_source, struct arena *arena,
                             struct definition_row *ret_row)
{
    *ret_row = (struct definition_row){
        .number = postgres_number(result, row, 0),
        .ns = (int32_t)postgres_number(result, row, 1),
        .id = postgres_bytes(result, row, 2, arena),
        .version = (int32_t)postgres_number(result, row, 3),
        .dialect = postgres_bytes(result, row, 4, arena),
        .title = postgres_bytes(result, row, 5, arena),
        .content = (uint64_t)postgres_number(result, row, 6),
        .created_ms = postgres_number(result, row, 7),
        .rank = postgres_number(result, row, 8),
        .priority = (int32_t)postgres_number(result, row, 9),
        .author = postgres_bytes(result, row, 10, arena),
        .revision = postgres_bytes(result, row, 11, arena),
        .restores = (int32_t)postgres_number(result, row, 12),
        .source = with_source ? postgres_bytes(result, row, 14, arena) : STR_NONE,
    };
    store_read_retired(postgres_number(result, row, 13), ret_row);
}

void postgres_task_row(const PGresult *result, int row, struct arena *arena, struct task_row *ret_row)
{
    *ret_row = (struct task_row){
        .instance = postgres_id(result, row, 0),
        .execution = (uint32_t)postgres_number(result, row, 1),
        .ns = (int32_t)postgres_number(result, row, 2),
        .definition = postgres_number(result, row, 3),
        .created_ms = postgres_number(result, row, 4),
        .node = postgres_bytes(result, row, 5, arena),
        .title = postgres_bytes(result, row, 6, arena),
        .label = postgres_bytes(result, row, 7, arena),
        .definition_id = postgres_bytes(result, row, 8, arena),
        .definition_version = (int32_t)postgres_number(result, row, 9),
        .instance_created_ms = postgres_number(result, row, 10),
        .business_key = postgres_bytes(result, row, 11, arena),
        .details = postgres_bytes(result, row, 12, arena),
    };
}

struct bulk_row postgres_row_of_bulk(const PGresult *result, int row)
{
    return (struct bulk_row){
        .number = postgres_number(result, row, 0),
        .ns = (int32_t)postgres_number(result, row, 1),
        .action = (int32_t)postgres_number(result, row, 2),
        .state = (int32_t)postgres_number(result, row, 3),
        .created_ms = postgres_number(result, row, 4),
        .ended_ms = postgres_number(result, row, 5),
        .found = postgres_number(result, row, 6),
        .done = postgres_number(result, row, 7),
        .succeeded = postgres_number(result, row, 8),
        .skipped = postgres_number(result, row, 9),
        .refused = postgres_number(result, row, 10),
    };
}

struct unmatched_row postgres_unmatched_row(const PGresult *result, int row, struct arena *arena)
{
    return (struct unmatched_row){
        .number = postgres_number(result, row, 0),
        .ns = (int32_t)postgres_number(result, row, 1),
        .received_ms = postgres_number(result, row, 2),
        .reason = postgres_bytes(result, row, 3, arena),
        .event = postgres_bytes(result, row, 4, arena),
        .identity = postgres_bytes(result, row, 5, arena),
    };
}

void postgres_set_bond(struct child_row *row, int64_t bond)
{
    row->awaited = bond & 1;
    row->chained = bond >> 1 & 1;
}

/* ---- lookups ---- */

enum status postgres_instance(struct postgres_db *db, uint64_t id, struct arena *arena,
                              struct instance_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, id);
    TRY(postgres_ask(db, SQL_INSTANCE, &params, &result, err));
    enum status status = libpq.ntuples(result) ? postgres_instance_row(result, 0, true, arena, ret_row, err)
                                               : store_fail_no_instance(id, err);
    libpq.clear(result);
    return status;
}

static enum status ask_definition(struct postgres_db *db, enum postgres_sql sql,
                                  const struct postgres_params *params, struct arena *arena,
                                  struct definition_row *ret_row, struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(db, sql, params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) postgres_definition_row(result, 0, true, arena, ret_row);
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_definition(err);
}

enum status postgres_definition(struct postgres_db *db, int32_t ns, str id, int32_t version,
                                struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, id);
    if (version == VERSION_LATEST)
        return ask_definition(db, SQL_DEFINITION_LATEST, &params, arena, ret_row, err);
    if (version == VERSION_NEWEST)
        return ask_definition(db, SQL_DEFINITION_NEWEST, &params, arena, ret_row, err);
    if (version == VERSION_PREVIOUS)
        return ask_definition(db, SQL_DEFINITION_PREVIOUS, &params, arena, ret_row, err);
    postgres_add_number(&params, version);
    return ask_definition(db, SQL_DEFINITION_VERSION, &params, arena, ret_row, err);
}

enum status postgres_definition_content(struct postgres_db *db, int32_t ns, str id, uint64_t content,
                                        struct arena *arena, struct definition_row *ret_row,
                                        struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, id);
    postgres_add_id(&params, content);
    return ask_definition(db, SQL_DEFINITION_CONTENT, &params, arena, ret_row, err);
}

enum status postgres_definition_number(struct postgres_db *db, int64_t number, struct arena *arena,
                                       struct definition_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_number(&params, number);
    return ask_definition(db, SQL_DEFINITION, &params, arena, ret_row, err);
}
