/* store/postgres/select.c — failures and candidates of bulks, a page at a time; bulks and their parts. */
#include "store/postgres/read_int.h"

static struct postgres_places places_of(const struct selection_filter *filter, uint32_t statuses)
{
    struct postgres_places places = { .ns = filter->ns,
                                      .version = filter->version,
                                      .definition_id = filter->definition_id };
    for (int32_t i = 0; i < INSTANCE_STATUS_COUNT; i++)
        if (statuses & 1u << i) places.phases |= postgres_phases_of(i);
    return places;
}

static void add_upto(struct postgres_params *params, const struct selection_filter *filter)
{
    postgres_add_number(params, filter->upto < INT64_MAX ? (int64_t)filter->upto : INT64_MAX);
}

static struct failure_row failure_row(const PGresult *result, int row, struct arena *arena)
{
    return (struct failure_row){
        .definition = postgres_number(result, row, 0),
        .instance = postgres_id(result, row, 1),
        .ns = (int32_t)postgres_number(result, row, 2),
        .created_ms = postgres_number(result, row, 3),
        .failed_ms = postgres_number(result, row, 4),
        .business_key = postgres_bytes(result, row, 5, arena),
        .step = postgres_bytes(result, row, 6, arena),
        .reason = postgres_bytes(result, row, 7, arena),
        .definition_id = postgres_bytes(result, row, 8, arena),
        .definition_version = (int32_t)postgres_number(result, row, 9),
    };
}

static enum status ask_failures(struct postgres_db *db, const struct selection_filter *filter, size_t among,
                                PGresult **ret_result, struct error *err)
{
    struct postgres_params params = { 0 };
    struct postgres_places places = places_of(filter, 1u << INSTANCE_FAILED);
    bool one = filter->definition_id.n;
    postgres_add_places(&params, &places);
    postgres_add_number(&params, filter->after_definition);
    postgres_add_id(&params, filter->after);
    add_upto(&params, filter);
    postgres_add_limit(&params, filter->max);
    if (filter->newest) postgres_add_limit(&params, among);
    enum postgres_sql sql = filter->newest ? (one ? SQL_FAILURES_DOWN_OF : SQL_FAILURES_DOWN)
                                           : (one ? SQL_FAILURES_OF : SQL_FAILURES);
    return postgres_ask(db, sql, &params, ret_result, err);
}

enum status postgres_select_failures(struct store_reader *reader, const struct selection_filter *filter,
                                     struct arena *arena, struct failure_row **ret_row, size_t *ret_count,
                                     struct error *err)
{
    PGresult *result;
    struct postgres_db *db = postgres_reader_db(reader);
    TRY(ask_failures(db, filter, filter->max, &result, err));
    /* The counts include failures above `upto`: so the first definitions may have too few. */
    if (filter->newest && (size_t)libpq.ntuples(result) < filter->max) {
        libpq.clear(result);
        TRY(ask_failures(db, filter, SIZE_MAX, &result, err));
    }
    int count = libpq.ntuples(result);
    struct failure_row *row = arena_make_n(arena, struct failure_row, (size_t)count);
    for (int i = 0; i < count; i++) row[i] = failure_row(result, i, arena);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_select_candidates(struct store_reader *reader, const struct selection_filter *filter,
                                       struct arena *arena, struct instance_row **ret_row, size_t *ret_count,
                                       struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    struct postgres_places places = places_of(filter, filter->statuses);
    postgres_add_places(&params, &places);
    postgres_add_id(&params, filter->after);
    postgres_add_limit(&params, filter->max);
    add_upto(&params, filter);
    postgres_add_number(&params, filter->with_state);
    TRY(postgres_ask(postgres_reader_db(reader), filter->definition_id.n ? SQL_CANDIDATES_OF : SQL_CANDIDATES,
                     &params, &result, err));
    return postgres_take_instances(result, arena, ret_row, ret_count, err);
}

/* ---- bulks ---- */

enum status postgres_select_bulks(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                  struct arena *arena, struct bulk_row **ret_row, size_t *ret_count,
                                  struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    postgres_add_number(&params, before ? before : INT64_MAX);
    postgres_add_limit(&params, max);
    TRY(postgres_ask(postgres_reader_db(reader), SQL_BULKS, &params, &result, err));
    int count = libpq.ntuples(result);
    struct bulk_row *row = arena_make_n(arena, struct bulk_row, (size_t)count);
    for (int i = 0; i < count; i++) row[i] = postgres_row_of_bulk(result, i);
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_select_bulk_parts(struct store_reader *reader, int64_t bulk, enum bulk_part kind,
                                       int64_t from, size_t max, struct arena *arena,
                                       struct bulk_part_row **ret_row, size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_number(&params, bulk);
    postgres_add_number(&params, kind);
    postgres_add_number(&params, from);
    postgres_add_limit(&params, max);
    TRY(postgres_ask(postgres_reader_db(reader), SQL_BULK_PARTS, &params, &result, err));
    int count = libpq.ntuples(result);
    struct bulk_part_row *row = arena_make_n(arena, struct bulk_part_row, (size_t)count);
    for (int i = 0; i < count; i++)
        row[i] = (struct bulk_part_row){ .bulk = bulk,
                                         .kind = kind,
                                         .number = postgres_number(result, i, 0),
                                         .blob = postgres_bytes(result, i, 1, arena) };
    libpq.clear(result);
    *ret_row = row;
    *ret_count = (size_t)count;
    return ST_OK;
}
