/* store/postgres/pick.c — finds instances and counts them, in many places at once.
 *
 * A place is a definition's version and a phase. The index instance_place holds the ids of each place in
 * order, and `tally` tells which places are not empty. A statement takes the first ids of each place that may
 * have one of the list (PICK in sql_read.h). So the cost grows with the number of places and with the
 * length of the list, not with the number of instances.
 */
#include "store/postgres/read_int.h"

void postgres_add_slots(struct postgres_params *params, uint32_t phases, bool tasks)
{
    postgres_add_number(params, (int64_t)phases << 1 | tasks);
}

void postgres_add_places(struct postgres_params *params, const struct postgres_places *places)
{
    postgres_add_number(params, places->ns);
    postgres_add_slots(params, places->phases, places->tasks);
    postgres_add_number(params, places->version);
    postgres_add_optional(params, places->dialect);
    postgres_add_optional(params, places->other_dialect);
    postgres_add_optional(params, places->definition_id);
}

static struct postgres_places places_of(const struct find_filter *filter)
{
    return (struct postgres_places){ .ns = filter->ns,
                                     .version = filter->version,
                                     .dialect = filter->dialect,
                                     .other_dialect = filter->other_dialect,
                                     .definition_id = filter->definition_id };
}

/* ---- counts ---- */

enum status postgres_count_places(struct postgres_db *db, const struct postgres_places *places,
                                  struct store_counts *counts, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_places(&params, places);
    TRY(postgres_ask(db, places->definition_id.n ? SQL_COUNTS_OF : SQL_COUNTS, &params, &result, err));
    for (int i = 0; i < libpq.ntuples(result); i++) {
        int64_t slot = postgres_number(result, i, 0), count = postgres_number(result, i, 1);
        if (slot == POSTGRES_SLOT_TASKS) counts->tasks += count;
        else if (slot >= 0 && slot < STORE_PHASES) counts->phase[slot] += count;
    }
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_pick_counts(struct store_reader *reader, const struct find_filter *filter,
                                 struct store_counts *counts, struct error *err)
{
    struct postgres_places places = places_of(filter);
    places.phases = POSTGRES_PHASES_ALL;
    places.tasks = true;
    counts->kind = "postgresql";
    TRY(postgres_count_places(postgres_reader_db(reader), &places, counts, err));
    return filter->with_definitions ? postgres_count_definitions(reader, filter->ns, counts, err) : ST_OK;
}

/* ---- lists of operators ---- */

enum status postgres_pick_find(struct store_reader *reader, const struct find_filter *filter,
                               struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    struct postgres_places places = places_of(filter);
    bool one = filter->definition_id.n;
    if (filter->with_tasks) places.tasks = true;
    else places.phases = filter->phases;
    postgres_add_places(&params, &places);
    postgres_add_before(&params, filter->before);
    postgres_add_limit(&params, filter->max);
    enum postgres_sql sql =
        filter->with_tasks ? (one ? SQL_FIND_TASKS_OF : SQL_FIND_TASKS) : (one ? SQL_FIND_OF : SQL_FIND);
    TRY(postgres_ask(postgres_reader_db(reader), sql, &params, &result, err));
    int count = libpq.ntuples(result);
    uint64_t *id = arena_make_n(arena, uint64_t, (size_t)count);
    for (int i = 0; i < count; i++) id[i] = postgres_id(result, i, 0);
    libpq.clear(result);
    *ret_id = id;
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_pick_find_keys(struct store_reader *reader, int32_t ns, str prefix,
                                    const struct found_key *after, size_t max, struct arena *arena,
                                    struct found_key **ret_found, size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    bool goes_on = after->id && str_compare(after->key, prefix) >= 0;
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, goes_on ? after->key : prefix);
    postgres_add_number(&params, goes_on ? (int64_t)after->phase : -1);
    postgres_add_id(&params, goes_on ? after->id : 0);
    postgres_add_limit(&params, max);
    TRY(postgres_ask(postgres_reader_db(reader), SQL_FIND_KEYS, &params, &result, err));
    int rows = libpq.ntuples(result), count = 0;
    struct found_key *found = arena_make_n(arena, struct found_key, (size_t)rows);
    for (; count < rows && str_starts(postgres_borrowed(result, count, 0), prefix); count++)
        found[count] =
            (struct found_key){ postgres_bytes(result, count, 0, arena),
                                (uint32_t)postgres_number(result, count, 1), postgres_id(result, count, 2) };
    libpq.clear(result);
    *ret_found = found;
    *ret_count = (size_t)count;
    return ST_OK;
}
