/* store/postgres/reader.c — readers: opening, statistics, and the table of their functions.
 *
 * A reader has a connection of its own. It is read only, and each query sees what was committed before it
 * began. Only a store that shows one moment shares its connection with its readers.
 */
#include "store/postgres/read_int.h"

#include <stdlib.h>

static enum status read_instance(struct store_reader *reader, uint64_t id, struct arena *arena,
                                 struct instance_row *ret_row, struct error *err)
{
    return postgres_instance(postgres_reader_db(reader), id, arena, ret_row, err);
}

static enum status read_definition(struct store_reader *reader, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    return postgres_definition(postgres_reader_db(reader), ns, id, version, arena, ret_row, err);
}

static enum status read_definition_by_number(struct store_reader *reader, int64_t number, struct arena *arena,
                                             struct definition_row *ret_row, struct error *err)
{
    return postgres_definition_number(postgres_reader_db(reader), number, arena, ret_row, err);
}

static enum status read_record(struct store_reader *reader, int32_t ns, enum record_kind kind, str key,
                               struct arena *arena, struct record_row *ret_row, struct error *err)
{
    return postgres_find_record(postgres_reader_db(reader), ns, kind, key, arena, ret_row, err);
}

static enum status read_records(struct store_reader *reader, const struct record_filter *filter,
                                struct arena *arena, struct record_row **ret_row, size_t *ret_count,
                                struct error *err)
{
    return postgres_records(postgres_reader_db(reader), filter, arena, ret_row, ret_count, err);
}

/* ---- statistics ---- */

static enum status count_statuses(struct postgres_db *db, struct store_statistics *statistics,
                                  struct error *err)
{
    PGresult *result;
    TRY(postgres_ask(db, SQL_TALLY_BY_STATUS, NULL, &result, err));
    for (int i = 0; i < libpq.ntuples(result); i++) {
        int64_t status = postgres_number(result, i, 0), count = postgres_number(result, i, 1);
        if (status == POSTGRES_SLOT_TIMERS) statistics->timers = count;
        else if (status == POSTGRES_SLOT_TASKS) statistics->tasks = count;
        else if (status >= 0 && status < INSTANCE_STATUS_COUNT)
            statistics->instances_by_status[status] = count;
    }
    libpq.clear(result);
    return ST_OK;
}

static enum status count_rows(struct postgres_db *db, struct store_statistics *statistics, struct error *err)
{
    PGresult *result;
    TRY(count_statuses(db, statistics, err));
    TRY(postgres_ask(db, SQL_STATISTICS, NULL, &result, err));
    statistics->definitions = postgres_number(result, 0, 0);
    statistics->pending = postgres_number(result, 0, 1);
    statistics->file_bytes = postgres_number(result, 0, 2);
    statistics->offered = postgres_number(result, 0, 3);
    libpq.clear(result);
    return ST_OK;
}

static enum status read_statistics(struct store_reader *reader, struct store_statistics *ret_statistics,
                                   struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
    struct store_statistics statistics = { 0 };
    TRY(postgres_begin_read(db, err));
    TRY(postgres_end_read(db, count_rows(db, &statistics, err), err));
    *ret_statistics = statistics;
    return ST_OK;
}

/* ---- opening ---- */

static void reader_close(struct store_reader *reader)
{
    postgres_db_done(&((struct postgres_reader *)reader)->own);
    free(reader);
}

const struct reader_ops postgres_reader_ops = {
    .close = reader_close,
    .instances = postgres_read_instances,
    .instance = read_instance,
    .history = postgres_history_read,
    .history_back = postgres_history_read_back,
    .definitions = postgres_read_definitions,
    .definitions_after = postgres_read_definitions_after,
    .definition = read_definition,
    .definition_by_number = read_definition_by_number,
    .tasks = postgres_tasks_read,
    .worklist = postgres_tasks_worklist,
    .children = postgres_read_children,
    .unmatched = postgres_read_unmatched,
    .failures = postgres_select_failures,
    .candidates = postgres_select_candidates,
    .bulks = postgres_select_bulks,
    .bulk_parts = postgres_select_bulk_parts,
    .find_record = read_record,
    .records = read_records,
    .find = postgres_pick_find,
    .find_keys = postgres_pick_find_keys,
    .counts = postgres_pick_counts,
    .measure = postgres_measure,
    .statistics = read_statistics,
    .histories = postgres_ahead_histories,
    .instances_of = postgres_ahead_instances_of,
};

enum status postgres_reader_open(struct store *base, struct store_reader **ret_reader, struct error *err)
{
    struct postgres_db *db = &postgres_self(base)->db;
    struct postgres_reader *reader = calloc(1, sizeof *reader);
    must(reader);
    reader->base.ops = &postgres_reader_ops;
    reader->db = db->held ? db : &reader->own;
    if (!db->held) postgres_db_init(&reader->own, db->conninfo, POSTGRES_READER);
    reader->own.leaving = &reader->base.leaving;
    reader->own.node_of = &postgres_self(base)->node_of_sessions;
    enum status status = postgres_db_connect(reader->db, err);
    if (status == ST_OK) *ret_reader = &reader->base;
    else reader_close(&reader->base);
    return status;
}
