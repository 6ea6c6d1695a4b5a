/* store/postgres/ahead.c — rows of many instances at once, for checks (../check_int.h).
 *
 * Rows that are not as they should be are left out: the check asks for them again, and says what is wrong.
 */
#include "store/postgres/read_int.h"

enum {
    AHEAD_REVISIONS = 1000,           /* Longer histories are left out. */
    AHEAD_REVISIONS_TOGETHER = 10000, /* So many rows are asked for at once. */
};

/* ---- histories ---- */

static enum status ask_for(struct postgres_db *db, enum postgres_sql sql, struct postgres_array *ids,
                           size_t bytes_max, PGresult **ret_result, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_array(&params, ids, 'I');
    postgres_add_bound(&params, bytes_max);
    enum status status = postgres_ask(db, sql, &params, ret_result, err);
    postgres_array_done(ids);
    return status;
}

/* How many rows from this one on belong to the same instance. */
static int group_of(const PGresult *result, int from)
{
    int64_t instance = postgres_number(result, from, 0);
    int end = from + 1, count = libpq.ntuples(result);
    while (end < count && postgres_number(result, end, 0) == instance) end++;
    return end - from;
}

static bool is_whole(const PGresult *result, int from, int count, const struct instance_row *row)
{
    if (count != row->last_history) return false;
    for (int i = 0; i < count; i++)
        if (postgres_number(result, from + i, 1) != i + 1) return false;
    return true;
}

static const struct instance_row *find_row(const struct instance_row *row, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (row[i].id == id) return &row[i];
    return NULL;
}

static void take_histories(const PGresult *result, const struct instance_row *row, size_t count,
                           struct arena *arena, struct history_ahead *read, size_t *ret_count)
{
    int rows = libpq.ntuples(result), length;
    *ret_count = 0;
    for (int from = 0; from < rows; from += length) {
        length = group_of(result, from);
        const struct instance_row *of = find_row(row, count, postgres_id(result, from, 0));
        if (!of || !is_whole(result, from, length, of)) continue;
        struct history_ahead *one = &read[(*ret_count)++];
        one->instance = of->id;
        one->count = (size_t)length;
        one->blob = arena_make_n(arena, str, one->count);
        for (int i = 0; i < length; i++) one->blob[i] = postgres_bytes(result, from + i, 2, arena);
    }
}

enum status postgres_ahead_histories(struct store_reader *reader, const struct instance_row *row,
                                     size_t count, size_t bytes_max, struct arena *arena,
                                     struct history_ahead **ret_read, size_t *ret_count, struct error *err)
{
    struct postgres_array ids = { 0 };
    PGresult *result;
    int64_t revisions = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t more = row[i].last_history;
        if (more > AHEAD_REVISIONS || revisions + more > AHEAD_REVISIONS_TOGETHER) continue;
        postgres_array_number(&ids, (int64_t)row[i].id);
        revisions += more;
    }
    TRY(ask_for(postgres_reader_db(reader), SQL_HISTORIES, &ids, bytes_max, &result, err));
    *ret_read = arena_make_n(arena, struct history_ahead, count);
    take_histories(result, row, count, arena, *ret_read, ret_count);
    libpq.clear(result);
    return ST_OK;
}

/* ---- instances ---- */

/* Rows behind the bound come without their states. */
enum status postgres_ahead_instances_of(struct store_reader *reader, const uint64_t *id, size_t count,
                                        size_t bytes_max, struct arena *arena, struct instance_row **ret_row,
                                        size_t *ret_count, struct error *err)
{
    struct postgres_array ids = { 0 };
    PGresult *result;
    for (size_t i = 0; i < count; i++) postgres_array_number(&ids, (int64_t)id[i]);
    TRY(ask_for(postgres_reader_db(reader), SQL_INSTANCES_OF, &ids, bytes_max, &result, err));
    *ret_row = arena_make_n(arena, struct instance_row, (size_t)libpq.ntuples(result));
    *ret_count = 0;
    for (int i = 0; i < libpq.ntuples(result); i++) {
        struct instance_row *row = &(*ret_row)[*ret_count];
        if (!postgres_is_null(result, i, 8) &&
            postgres_instance_row(result, i, true, arena, row, NULL) == ST_OK)
            (*ret_count)++;
    }
    libpq.clear(result);
    return ST_OK;
}
