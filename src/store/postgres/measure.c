/* store/postgres/measure.c — the definitions of a tenant, and its bytes, a part at a time. */
#include "store/postgres/read_int.h"

#include "base/must.h"

enum status postgres_count_definitions(struct store_reader *reader, int32_t ns, struct store_counts *counts,
                                       struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_number(&params, ns);
    TRY(postgres_ask(postgres_reader_db(reader), SQL_COUNT_DEFINITIONS, &params, &result, err));
    counts->definitions += postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

static enum status list_definitions(struct postgres_db *db, struct store_measure *measure,
                                    struct arena *arena, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_number(&params, measure->ns);
    TRY(postgres_ask(db, SQL_MEASURE_DEFINITIONS, &params, &result, err));
    int count = libpq.ntuples(result);
    measure->began_ = true;
    measure->phase_ = measure->instance_ = -1;
    measure->definition_ = arena_make_n(arena, int64_t, (size_t)count);
    for (int i = 0; i < count; i++) {
        measure->definition_[measure->definition_count_++] = postgres_number(result, i, 0);
        measure->bytes += postgres_number(result, i, 1);
    }
    libpq.clear(result);
    return ST_OK;
}

/* Instances of the version whose turn it is. */
static enum status add_instances(struct postgres_db *db, struct store_measure *measure, size_t max,
                                 size_t *ret_count, struct error *err)
{
    PGresult *result;
    struct postgres_params params = { 0 };
    postgres_add_number(&params, measure->definition_[measure->definition_count_ - 1]);
    postgres_add_number(&params, measure->phase_);
    postgres_add_number(&params, measure->instance_);
    postgres_add_count(&params, max);
    TRY(postgres_ask(db, SQL_MEASURE_INSTANCES, &params, &result, err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++) measure->bytes += postgres_number(result, i, 2);
    if (count) measure->phase_ = postgres_number(result, count - 1, 0);
    if (count) measure->instance_ = postgres_number(result, count - 1, 1);
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_measure(struct store_reader *reader, struct store_measure *measure, size_t max,
                             struct arena *arena, struct error *err)
{
    struct postgres_db *db = postgres_reader_db(reader);
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
