/* store/postgres/instances.c — a changeset's instance and its history become rows that wait. */
#include "store/postgres/postgres_int.h"

#include "base/must.h"

/* The columns that indexes and counts go by. */
struct instance_head {
    int32_t ns;
    int64_t definition;
    int64_t phase;
    int64_t created_ms;
    bool same_key;
    uint32_t revision;
};

static struct instance_head known_head(const struct instance_row *row, uint32_t revision)
{
    return (struct instance_head){ .ns = row->ns,
                                   .definition = row->definition,
                                   .phase = postgres_phase(row),
                                   .created_ms = row->created_ms,
                                   .same_key = true, /* It never changes. */
                                   .revision = revision };
}

static enum status read_head(struct postgres_store *store, const struct instance_row *row,
                             struct instance_head *ret_head, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, (int64_t)row->id);
    TRY(postgres_query(store, SQL_INSTANCE_HEAD, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found)
        *ret_head = (struct instance_head){
            .revision = (uint32_t)postgres_number(result, 0, 0),
            .ns = (int32_t)postgres_number(result, 0, 1),
            .definition = postgres_number(result, 0, 2),
            .phase = postgres_number(result, 0, 3),
            .created_ms = postgres_number(result, 0, 4),
            .same_key = str_equal(postgres_borrowed(result, 0, 5), row->business_key),
        };
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_instance(row->id, err);
}

/* The row as it is now. The transaction's own writes need not be asked for: an instance that it changes a
 * thousand times is sent once. */
static enum status find_head(struct postgres_store *store, const struct instance_row *row,
                             struct instance_head *ret_head, struct error *err)
{
    const struct postgres_pending *pending = map_get(&store->instances, row->id);
    if (!pending || !pending->row.id) return read_head(store, row, ret_head, err);
    *ret_head = known_head(&pending->row, pending->row.revision);
    ret_head->same_key = str_equal(pending->row.business_key, row->business_key);
    return ST_OK;
}

static struct postgres_pending *pending_of(struct postgres_store *store, uint64_t id, uint32_t revision)
{
    struct postgres_pending *pending = map_get(&store->instances, id);
    if (pending) return pending;
    pending = arena_make(&store->scratch, struct postgres_pending);
    *pending = (struct postgres_pending){ .stored = revision };
    map_put(&store->instances, id, pending);
    return pending;
}

static void add_history(struct postgres_store *store, uint64_t instance, uint32_t revision,
                        const struct changeset *changeset)
{
    struct postgres_set *set = &store->set[SQL_HISTORY_INSERT];
    set->rows++;
    postgres_array_number(&set->column[0], (int64_t)instance);
    postgres_array_number(&set->column[1], revision);
    postgres_array_number(&set->column[2], changeset->at_ms);
    postgres_array_bytes(&set->column[3], changeset->history);
}

/* Compares the columns that INSTANCE_STEP leaves as they are. */
static bool same_columns(const struct instance_head *a, const struct instance_head *b)
{
    return a->ns == b->ns && a->definition == b->definition && a->created_ms == b->created_ms &&
           a->same_key == b->same_key;
}

static void put_row(struct postgres_store *store, struct postgres_pending *pending, bool insert,
                    const struct instance_row *row, const struct instance_head *before,
                    const struct instance_head *after)
{
    if (!pending->waits) {
        postgres_add_waiting(store, pending);
        pending->insert = insert;
    }
    pending->steps_only &= !insert && same_columns(before, after);
    pending->row = *row;
    pending->row.revision = after->revision;
    pending->row.business_key = arena_str(&store->scratch, row->business_key);
    pending->row.state = arena_str(&store->scratch, row->state);
    if (!insert) postgres_tally(store, before->definition, before->phase, -1);
    postgres_tally(store, after->definition, after->phase, 1);
}

enum status postgres_apply_instance(struct postgres_store *store, struct changeset *changeset,
                                    struct error *err)
{
    const struct instance_row *row = changeset->instance;
    must(row->status >= 0 && row->status < INSTANCE_STATUS_COUNT);
    struct instance_head before = { 0 };
    if (changeset->before) before = known_head(changeset->before, changeset->before->revision);
    else if (!changeset->insert) TRY(find_head(store, row, &before, err));
    struct postgres_pending *pending = pending_of(store, row->id, before.revision);
    if (changeset->insert && pending->row.id)
        return fail(err, ST_CONFLICT, "instance", "the transaction has added it already");
    struct instance_head after = known_head(row, before.revision + (changeset->history.n > 0));
    if (changeset->history.n) add_history(store, row->id, after.revision, changeset);
    changeset->ret_last_history = after.revision;
    if (!changeset->row_later) put_row(store, pending, changeset->insert, row, &before, &after);
    return ST_OK;
}
