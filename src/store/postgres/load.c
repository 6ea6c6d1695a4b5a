/* store/postgres/load.c — the queries of the writer. */
#include "store/postgres/load_int.h"

enum {
    BLOCK_IDS = 16,    /* Ids of instances that one number of the sequence stands for. */
    BLOCKS_TAKEN = 64, /* By a node that does not know how many ids it needs. */
};

/* ---- numbers ---- */

/* The next number of a sequence. A database may hold numbers that its sequence does not know, if its rows
 * came from elsewhere: then the sequence is set forward. */
static enum status skip_to(struct postgres_store *store, enum postgres_sql skip, int64_t first,
                           int64_t *ret_number, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, first);
    TRY(postgres_ask_again(&store->side, skip, &params, &result, err));
    *ret_number = postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

/* Blocks that follow each other: another node may take some at the same time, and what is behind those is
 * left out. The side connection asks, because a transaction that has read the highest id would be in the way
 * of every node that adds one. */
static enum status take_instances(struct postgres_store *store, struct store_numbers *numbers,
                                  struct error *err)
{
    size_t wanted = numbers->wanted ? (numbers->wanted + BLOCK_IDS - 1) / BLOCK_IDS : BLOCKS_TAKEN;
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_count(&params, wanted < BLOCKS_TAKEN ? wanted : BLOCKS_TAKEN);
    TRY(postgres_ask_again(&store->side, SQL_NEXT_BLOCKS, &params, &result, err));
    int count = 1, rows = libpq.ntuples(result);
    int64_t block = postgres_number(result, 0, 0), first = postgres_number(result, 0, 1);
    while (count < rows && postgres_number(result, count, 0) == block + count) count++;
    libpq.clear(result);
    if (block < first) {
        count = 1;
        TRY(skip_to(store, SQL_SKIP_BLOCKS, first, &block, err));
    }
    numbers->instance = (uint64_t)block * BLOCK_IDS + 1;
    numbers->instance_end = numbers->instance + (uint64_t)count * BLOCK_IDS;
    return ST_OK;
}

static enum status take_next(struct postgres_store *store, enum postgres_sql next, enum postgres_sql skip,
                             int64_t *ret_number, struct error *err)
{
    PGresult *result;
    TRY(postgres_ask_again(&store->side, next, NULL, &result, err));
    int64_t number = postgres_number(result, 0, 0), first = postgres_number(result, 0, 1);
    libpq.clear(result);
    *ret_number = number;
    return number < first ? skip_to(store, skip, first, ret_number, err) : ST_OK;
}

enum status postgres_take_numbers(struct store *base, struct store_numbers *numbers, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    if (numbers->instance == numbers->instance_end) TRY(take_instances(store, numbers, err));
    if (numbers->definition == numbers->definition_end) {
        TRY(take_next(store, SQL_NEXT_DEFINITION, SQL_SKIP_DEFINITIONS, &numbers->definition, err));
        numbers->definition_end = numbers->definition + 1;
    }
    return ST_OK;
}

/* ---- instances and definitions ---- */

enum status postgres_load_instance(struct store *base, uint64_t id, struct arena *arena,
                                   struct instance_row *ret_row, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    if (!postgres_reads_ahead(store) || map_get(&store->instances, id)) TRY(postgres_settle(store, err));
    return postgres_instance(&store->db, id, arena, ret_row, err);
}

enum status postgres_find_definition(struct store *base, int32_t ns, str id, int32_t version,
                                     struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_definition(&store->db, ns, id, version, arena, ret_row, err);
}

enum status postgres_load_definition(struct store *base, int64_t number, struct arena *arena,
                                     struct definition_row *ret_row, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_definition_number(&store->db, number, arena, ret_row, err);
}

enum status postgres_find_content(struct store *base, int32_t ns, str id, uint64_t content,
                                  struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(postgres_settle(store, err));
    return postgres_definition_content(&store->db, ns, id, content, arena, ret_row, err);
}

/* The counts of the transaction are written before a query looks at `tally`. */
enum status postgres_count_living(struct store *base, int32_t ns, str definition_id, int64_t *ret_count,
                                  struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, definition_id);
    postgres_add_number(&params, POSTGRES_PHASE_ENDED);
    if (base->in_transaction) postgres_put_tally(store);
    TRY(postgres_query(store, SQL_COUNT_LIVING, &params, &result, err));
    *ret_count = postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

enum status postgres_ended(struct store *base, int32_t ns, str definition_id, size_t max, struct arena *arena,
                           struct ended_instance **ret_instance, size_t *ret_count, struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, definition_id);
    postgres_add_number(&params, POSTGRES_PHASE_ENDED);
    postgres_add_count(&params, max);
    TRY(postgres_query(store, SQL_ENDED, &params, &result, err));
    size_t count = (size_t)libpq.ntuples(result);
    struct ended_instance *list = arena_make_n(arena, struct ended_instance, count);
    for (size_t i = 0; i < count; i++) {
        int64_t phase = postgres_number(result, (int)i, 1);
        list[i] = (struct ended_instance){ .id = postgres_id(result, (int)i, 0),
                                           .status = (enum instance_status)(phase / 2),
                                           .has_jobs = phase % 2 };
    }
    libpq.clear(result);
    *ret_instance = list;
    *ret_count = count;
    return ST_OK;
}

enum status postgres_find_business_key(struct store *store, int32_t ns, str definition_id, str key,
                                       uint64_t *ret_instance, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, key);
    postgres_add_number(&params, POSTGRES_PHASE_ENDED);
    postgres_add_bytes(&params, definition_id);
    TRY(postgres_query(postgres_self(store), SQL_BUSINESS_KEY, &params, &result, err));
    bool is_there = libpq.ntuples(result) > 0;
    if (is_there) *ret_instance = postgres_id(result, 0, 0);
    libpq.clear(result);
    return is_there ? ST_OK : store_fail_no_holder(err);
}

enum status postgres_find_idempotency(struct store *store, int32_t ns, str key, struct arena *arena,
                                      struct idempotency_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, key);
    TRY(postgres_query(postgres_self(store), SQL_IDEMPOTENCY, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found)
        *ret_row = (struct idempotency_row){
            .ns = (int32_t)postgres_number(result, 0, 0),
            .key = postgres_bytes(result, 0, 1, arena),
            .request = (uint64_t)postgres_number(result, 0, 2),
            .created_ms = postgres_number(result, 0, 3),
            .http_status = (int32_t)postgres_number(result, 0, 4),
            .answer = postgres_bytes(result, 0, 5, arena),
        };
    libpq.clear(result);
    return found ? ST_OK : fail(err, ST_NOT_FOUND, "idempotency", "the key was not used");
}

enum status postgres_ids_with_jobs(struct store *base, int32_t ns, uint64_t after, size_t max,
                                   struct arena *arena, uint64_t **ret_id, size_t *ret_count,
                                   struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, after);
    postgres_add_count(&params, max);
    if (ns != TENANT_ANY) postgres_add_number(&params, ns);
    if (base->in_transaction) postgres_put_tally(store);
    TRY(postgres_query(store, ns == TENANT_ANY ? SQL_IDS_WITH_JOBS : SQL_IDS_WITH_JOBS_OF, &params, &result,
                       err));
    int count = libpq.ntuples(result);
    uint64_t *id = arena_make_n(arena, uint64_t, (size_t)count);
    for (int i = 0; i < count; i++) id[i] = postgres_id(result, i, 0);
    libpq.clear(result);
    *ret_id = id;
    *ret_count = (size_t)count;
    return ST_OK;
}

/* ---- timers and starts that wait ---- */

enum status postgres_timers(struct store *store, const struct timer_row *after, int64_t until_ms,
                            struct timer_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    static const struct timer_row before_all = { .due_ms = INT64_MIN };
    struct postgres_params params = { 0 };
    PGresult *result;
    if (!after) after = &before_all;
    postgres_add_number(&params, after->due_ms);
    postgres_add_id(&params, after->instance);
    postgres_add_number(&params, after->number);
    postgres_add_number(&params, until_ms);
    postgres_add_count(&params, max);
    TRY(postgres_query(postgres_self(store), SQL_TIMERS, &params, &result, err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++)
        ret_row[i] = (struct timer_row){
            .due_ms = postgres_number(result, i, 0),
            .instance = postgres_id(result, i, 1),
            .number = (uint32_t)postgres_number(result, i, 2),
            .priority = (int32_t)postgres_number(result, i, 3),
            .ns = (int32_t)postgres_number(result, i, 4),
        };
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_pending(struct store *store, int32_t ns, str target, int32_t priority,
                             const struct pending_row *after, struct arena *arena,
                             struct pending_row *ret_row, size_t max, size_t *ret_count, struct error *err)
{
    static const struct pending_row before_all = { .created_ms = INT64_MIN };
    struct postgres_params params = { 0 };
    PGresult *result;
    if (!after) after = &before_all;
    postgres_add_number(&params, ns);
    postgres_add_number(&params, after->created_ms);
    postgres_add_id(&params, after->parent);
    postgres_add_number(&params, after->number);
    postgres_add_count(&params, max);
    if (target.n) postgres_add_bytes(&params, target);
    else postgres_add_number(&params, priority);
    TRY(postgres_query(postgres_self(store), target.n ? SQL_PENDING_OF : SQL_PENDING_READY, &params, &result,
                       err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++)
        ret_row[i] = (struct pending_row){
            .parent = postgres_id(result, i, 0),
            .number = (uint32_t)postgres_number(result, i, 1),
            .ns = (int32_t)postgres_number(result, i, 2),
            .target = postgres_bytes(result, i, 3, arena),
            .business_key = postgres_bytes(result, i, 4, arena),
            .created_ms = postgres_number(result, i, 5),
            .data = postgres_bytes(result, i, 6, arena),
        };
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}

/* ---- events ---- */

enum status postgres_subscribers(struct store *store, int64_t definition, str correlation, uint64_t after,
                                 uint64_t *ret_instance, size_t max, size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, definition);
    postgres_add_bytes(&params, correlation);
    postgres_add_id(&params, after);
    postgres_add_count(&params, max);
    TRY(postgres_query(postgres_self(store), SQL_SUBSCRIBERS, &params, &result, err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++) ret_instance[i] = postgres_id(result, i, 0);
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_triggered(struct store *store, int32_t ns, str source, str type, int64_t after,
                               struct triggered *ret_triggered, size_t max, size_t *ret_count,
                               struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, ns);
    postgres_add_bytes(&params, source);
    postgres_add_bytes(&params, type);
    postgres_add_number(&params, after);
    postgres_add_count(&params, max);
    TRY(postgres_query(postgres_self(store), SQL_TRIGGERED, &params, &result, err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++)
        ret_triggered[i] = (struct triggered){
            .definition = postgres_number(result, i, 0),
            .latest = postgres_number(result, i, 1) != 0,
        };
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_subscriptions(struct store *store, const struct subscription_row *after,
                                   struct arena *arena, struct subscription_row *ret_row, size_t max,
                                   size_t *ret_count, struct error *err)
{
    static const struct subscription_row before_all = { .definition = INT64_MIN };
    struct postgres_params params = { 0 };
    PGresult *result;
    if (!after) after = &before_all;
    postgres_add_number(&params, after->definition);
    postgres_add_bytes(&params, after->correlation);
    postgres_add_id(&params, after->instance);
    postgres_add_count(&params, max);
    TRY(postgres_query(postgres_self(store), SQL_SUBSCRIPTIONS, &params, &result, err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++)
        ret_row[i] = (struct subscription_row){
            .definition = postgres_number(result, i, 0),
            .correlation = postgres_bytes(result, i, 1, arena),
            .instance = postgres_id(result, i, 2),
        };
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}

enum status postgres_find_unmatched(struct store *store, const struct unmatched_row *like,
                                    struct arena *arena, struct unmatched_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    enum postgres_sql sql = like->number ? SQL_UNMATCHED : SQL_UNMATCHED_OF;
    postgres_add_number(&params, like->number ? like->number : like->ns);
    if (!like->number) postgres_add_bytes(&params, like->identity);
    TRY(postgres_query(postgres_self(store), sql, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) *ret_row = postgres_unmatched_row(result, 0, arena);
    libpq.clear(result);
    return found ? ST_OK : fail(err, ST_NOT_FOUND, "event", "no such unmatched event");
}

/* ---- children ---- */

static struct child_row child_row(const PGresult *result, int row)
{
    struct child_row child = {
        .parent = postgres_id(result, row, 0),
        .number = (uint32_t)postgres_number(result, row, 1),
        .instance = postgres_id(result, row, 2),
    };
    postgres_set_bond(&child, postgres_number(result, row, 3));
    return child;
}

enum status postgres_find_child(struct store *store, uint64_t parent, uint32_t number,
                                struct child_row *ret_row, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, parent);
    postgres_add_number(&params, number);
    TRY(postgres_query(postgres_self(store), SQL_CHILD, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found) *ret_row = child_row(result, 0);
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_child(parent, number, err);
}

enum status postgres_children(struct store *store, const struct child_row *after, struct child_row *ret_row,
                              size_t max, size_t *ret_count, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_id(&params, after ? after->parent : 0);
    postgres_add_number(&params, after ? after->number : 0);
    postgres_add_count(&params, max);
    TRY(postgres_query(postgres_self(store), SQL_CHILDREN, &params, &result, err));
    int count = libpq.ntuples(result);
    for (int i = 0; i < count; i++) ret_row[i] = child_row(result, i);
    libpq.clear(result);
    *ret_count = (size_t)count;
    return ST_OK;
}
