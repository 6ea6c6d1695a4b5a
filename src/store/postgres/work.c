/* store/postgres/work.c — work that goes on in later turns: one question about all of it. */
#include "store/postgres/load_int.h"
#include "store/postgres/nodes_int.h"

/* On the side connection, which is READ COMMITTED: no transaction rests on the answer. */
enum status postgres_find_work(struct store *base, const struct work_question *question, struct arena *arena,
                               struct work_found *found, struct error *err)
{
    enum { NS, KIND, FIRST, STOP, COLUMNS };
    static const char letters[COLUMNS] = { 'I', 'I', 'B', 'B' };
    struct postgres_array column[COLUMNS] = { 0 };
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, NAMESPACE_DEFAULT);
    postgres_add_bytes(&params, question->target);
    postgres_add_number(&params, question->bulk_state);
    postgres_add_number(&params, question->lease_end_ms);
    for (size_t i = 0; i < question->filter_count; i++) {
        const struct record_filter *filter = &question->filter[i];
        postgres_array_number(&column[NS], filter->ns);
        postgres_array_number(&column[KIND], filter->kind);
        postgres_array_bytes(&column[FIRST], postgres_first_key(filter, arena));
        postgres_array_bytes(&column[STOP], postgres_end_key(filter, arena));
    }
    for (int i = 0; i < COLUMNS; i++) postgres_add_array(&params, &column[i], letters[i]);
    enum status status = postgres_ask_again(&postgres_self(base)->side, SQL_FIND_WORK, &params, &result, err);
    for (int i = 0; i < COLUMNS; i++) postgres_array_done(&column[i]);
    TRY(status);
    *found = (struct work_found){ .starts = postgres_id(result, 0, 0),
                                  .has_target = postgres_number(result, 0, 1) != 0,
                                  .has_bulk = postgres_number(result, 0, 2) != 0,
                                  .has_offers = postgres_number(result, 0, 3) != 0,
                                  .has_ended_leases = postgres_number(result, 0, 4) != 0,
                                  .records = postgres_id(result, 0, 5) };
    libpq.clear(result);
    return ST_OK;
}
