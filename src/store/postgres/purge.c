/* store/postgres/purge.c — removes old rows, those of many instances with one statement for each table.
 *
 * The rows of instances are locked first. Two nodes that remove old instances at the same time take different
 * ones, and an instance that another node is changing is left for the next time.
 */
#include "store/postgres/load_int.h"

/* They take the ids of the instances. Instances come first, as everywhere: see POSTGRES_SET_MAP. */
static const enum postgres_sql removals[] = {
    SQL_PURGE_INSTANCES, SQL_PURGE_HISTORY,  SQL_PURGE_SUBSCRIPTIONS,
    SQL_PURGE_WORKLIST,  SQL_PURGE_CHILDREN, SQL_PURGE_JOBS,
};

/* Keeps the highest id, so that it is not given again when its row is gone. */
static enum status send_high(struct postgres_store *store, uint64_t highest, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_id(&params, highest);
    return postgres_send(&store->db, SQL_PURGE_HIGH, &params, err);
}

static enum status send_removals(struct postgres_store *store, struct postgres_array *ids, struct error *err)
{
    struct postgres_params params = { 0 };
    postgres_add_array(&params, ids, 'I');
    for (size_t i = 0; i < COUNT(removals); i++) TRY(postgres_send(&store->db, removals[i], &params, err));
    postgres_add_number(&params, store->node);
    TRY(postgres_send(&store->db, SQL_PURGE_TASKS, &params, err));
    return postgres_send(&store->db, SQL_PURGE_TIMERS, &params, err);
}

/* Only a failed instance has a row of why it failed. */
static enum status remove_failure(struct postgres_store *store, int64_t definition, uint64_t instance,
                                  struct error *err)
{
    struct postgres_set *set;
    TRY(postgres_row(store, SQL_FAILURE_DELETE, SQL_FAILURE_DELETE, instance, &set, err));
    postgres_array_number(&set->column[0], definition);
    postgres_array_number(&set->column[1], (int64_t)instance);
    return ST_OK;
}

/* Counts and removes the rows that belong to one instance alone. */
static enum status remove_one(struct postgres_store *store, const PGresult *found, int row,
                              struct purged *purged, struct error *err)
{
    int64_t definition = postgres_number(found, row, 1), phase = postgres_number(found, row, 2);
    if (phase < 0 || phase >= STORE_PHASES)
        return fail(err, ST_STORE, "store", "an instance has no phase %lld", (long long)phase);
    if (phase / 2 == INSTANCE_FAILED) TRY(remove_failure(store, definition, postgres_id(found, row, 0), err));
    map_take(&store->instances, postgres_id(found, row, 0));
    postgres_tally(store, definition, phase, -1);
    purged->instances[phase / 2]++;
    return ST_OK;
}

/* How many of the rows, from the first on, this purge may remove. */
static int count_taken(const struct purge *purge, const PGresult *found, struct purged *purged)
{
    int count = 0, found_count = libpq.ntuples(found);
    while (count < found_count && store_purge_takes(purge, (size_t)postgres_number(found, count, 3), purged))
        count++;
    return count;
}

static enum status remove_found(struct postgres_store *store, const PGresult *found, int count,
                                struct purged *purged, struct error *err)
{
    struct postgres_array ids = { 0 };
    enum status status = ST_OK;
    uint64_t highest = 0;
    for (int i = 0; status == ST_OK && i < count; i++) {
        uint64_t id = postgres_id(found, i, 0);
        postgres_array_number(&ids, (int64_t)id);
        if (id > highest) highest = id;
        status = remove_one(store, found, i, purged, err);
    }
    if (status == ST_OK && count) status = send_removals(store, &ids, err);
    if (status == ST_OK && count) status = send_high(store, highest, err);
    postgres_array_done(&ids);
    return status;
}

/* `*ret_left` is the first instance that was found and not removed; 0: all were removed. */
static enum status remove_instances(struct postgres_store *store, const struct purge *purge,
                                    enum postgres_sql sql, const struct postgres_params *params,
                                    struct purged *purged, uint64_t *ret_left, struct error *err)
{
    PGresult *found;
    TRY(postgres_query(store, sql, params, &found, err));
    int count = count_taken(purge, found, purged);
    enum status status = remove_found(store, found, count, purged, err);
    *ret_left = count < libpq.ntuples(found) ? postgres_id(found, count, 0) : 0;
    libpq.clear(found);
    return status;
}

/* Instances that the caller names. */
static enum status remove_named(struct postgres_store *store, const struct purge *purge, size_t max,
                                struct purged *purged, struct error *err)
{
    struct postgres_params params = { 0 };
    struct postgres_array ids = { 0 };
    size_t count = purge->instance_count < max ? purge->instance_count : max;
    uint64_t left = 0;
    if (!count) return ST_OK;
    for (size_t i = 0; i < count; i++) postgres_array_number(&ids, (int64_t)purge->instance[i]);
    postgres_add_array(&params, &ids, 'I');
    enum status status = remove_instances(store, purge, SQL_PURGE_NAMED, &params, purged, &left, err);
    while (purged->named < count && purge->instance[purged->named] != left) purged->named++;
    postgres_array_done(&ids);
    return status;
}

static enum status remove_old(struct postgres_store *store, const struct purge *purge, enum postgres_sql sql,
                              int64_t before_ms, size_t max, struct purged *purged, struct error *err)
{
    struct postgres_params params = { 0 };
    uint64_t left;
    if (before_ms == INT64_MIN || !max || purged->more) return ST_OK;
    postgres_add_number(&params, before_ms);
    postgres_add_count(&params, max);
    return remove_instances(store, purge, sql, &params, purged, &left, err);
}

/* Rows that no instance has: the statement removes and counts them. */
static enum status remove_rows(struct postgres_store *store, enum postgres_sql sql, int64_t before_ms,
                               size_t max, size_t *ret_removed, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    *ret_removed = 0;
    if (before_ms == INT64_MIN || !max) return ST_OK;
    postgres_add_number(&params, before_ms);
    postgres_add_count(&params, max);
    TRY(postgres_query(store, sql, &params, &result, err));
    *ret_removed = (size_t)postgres_number(result, 0, 0);
    libpq.clear(result);
    return ST_OK;
}

static size_t instances_of(const struct purged *purged)
{
    size_t count = 0;
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++) count += purged->instances[i];
    return count;
}

enum status postgres_purge(struct store *base, const struct purge *purge, size_t max, struct purged *purged,
                           struct error *err)
{
    struct postgres_store *store = postgres_self(base);
    TRY(remove_named(store, purge, max, purged, err));
    size_t left = max - instances_of(purged);
    TRY(remove_old(store, purge, SQL_PURGE_FIND, purge->before_ms, left, purged, err));
    left = max - instances_of(purged);
    TRY(remove_old(store, purge, SQL_PURGE_FIND_FAILED, purge->failed_before_ms, left, purged, err));
    left = max - instances_of(purged);
    TRY(remove_rows(store, SQL_PURGE_UNMATCHED, purge->before_ms, left, &purged->unmatched, err));
    return remove_rows(store, SQL_PURGE_IDEMPOTENCY, purge->keys_before_ms, left - purged->unmatched,
                       &purged->keys, err);
}
