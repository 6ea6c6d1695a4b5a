/* store/postgres/instances.c — rows of instances and their histories on the way to the server.
 *
 * A transaction may change an instance several times before its row is sent: the last row counts, and it is
 * written only if the server has the revision that the first change was made from. Otherwise another node has
 * changed the instance, and the transaction fails with ST_AGAIN.
 */
#include "store/postgres/postgres_int.h"

#include "base/must.h"

#include <stdlib.h>

struct postgres_pending {
    struct instance_row row; /* In the transaction's arena. */
    uint32_t stored; /* The revision of the row that the server has, once all that was sent is done. */
    bool waits;      /* The row is not sent yet. */
    bool insert;
    bool state_only; /* No other column has changed. */
};

/* The columns that indexes and counts go by. */
struct head {
    int32_t ns;
    int64_t definition;
    int64_t phase;
    int64_t created_ms, ended_ms;
    bool same_key;
    uint32_t revision;
};

static int64_t phase_of(const struct instance_row *row) { return store_phase(row->status, row->has_jobs); }

static struct head known_head(const struct instance_row *row, uint32_t revision)
{
    return (struct head){ row->ns,         row->definition, phase_of(row),
                          row->created_ms, row->ended_ms,   true /* It never changes. */,
                          revision };
}

static enum status read_head(struct postgres_store *store, const struct instance_row *row,
                             struct head *ret_head, struct error *err)
{
    struct postgres_params params = { 0 };
    PGresult *result;
    postgres_add_number(&params, (int64_t)row->id);
    TRY(postgres_query(store, SQL_INSTANCE_HEAD, &params, &result, err));
    bool found = libpq.ntuples(result) > 0;
    if (found)
        *ret_head = (struct head){
            .ns = (int32_t)postgres_number(result, 0, 0),
            .definition = postgres_number(result, 0, 1),
            .phase = postgres_number(result, 0, 2),
            .created_ms = postgres_number(result, 0, 3),
            .ended_ms = postgres_number(result, 0, 4),
            .same_key = str_equal(postgres_borrowed(result, 0, 5), row->business_key),
            .revision = (uint32_t)postgres_number(result, 0, 6),
        };
    libpq.clear(result);
    return found ? ST_OK : store_fail_no_instance(row->id, err);
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

static bool same_columns(const struct head *a, const struct head *b)
{
    return a->ns == b->ns && a->definition == b->definition && a->phase == b->phase &&
           a->created_ms == b->created_ms && a->ended_ms == b->ended_ms && a->same_key == b->same_key;
}

static void add_waiting(struct postgres_store *store, struct postgres_pending *pending)
{
    pending->waits = true;
    pending->state_only = true;
    if (store->waiting_count == store->waiting_cap) {
        store->waiting_cap = store->waiting_cap ? 2 * store->waiting_cap : 64;
        store->waiting = realloc(store->waiting, store->waiting_cap * sizeof(struct postgres_pending *));
        must(store->waiting);
    }
    store->waiting[store->waiting_count++] = pending;
}

static void put_row(struct postgres_store *store, struct postgres_pending *pending, bool insert,
                    const struct instance_row *row, const struct head *before, const struct head *after)
{
    if (!pending->waits) {
        add_waiting(store, pending);
        pending->insert = insert;
    }
    pending->state_only &= !insert && same_columns(before, after);
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
    struct head before = { 0 };
    if (changeset->before) before = known_head(changeset->before, changeset->before->revision);
    else if (!changeset->insert) TRY(read_head(store, row, &before, err));
    struct postgres_pending *pending = pending_of(store, row->id, before.revision);
    struct head after = known_head(row, before.revision + (changeset->history.n > 0));
    if (changeset->history.n) add_history(store, row->id, after.revision, changeset);
    changeset->ret_last_history = after.revision;
    if (!changeset->row_later) put_row(store, pending, changeset->insert, row, &before, &after);
    return ST_OK;
}

/* ---- sending ---- */

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = (*(struct postgres_pending *const *)a)->row.id;
    uint64_t y = (*(struct postgres_pending *const *)b)->row.id;
    return (x > y) - (x < y);
}

/* The columns that a new row and a replaced one have in the same order. */
static void put_columns(struct postgres_array *column, const struct instance_row *row)
{
    postgres_array_number(&column[0], row->ns);
    postgres_array_number(&column[1], row->definition);
    postgres_array_number(&column[2], phase_of(row));
    postgres_array_number(&column[3], row->created_ms);
    if (row->ended_ms) postgres_array_number(&column[4], row->ended_ms);
    else postgres_array_null(&column[4]);
    postgres_array_optional(&column[5], row->business_key);
    postgres_array_number(&column[6], row->revision);
    postgres_array_bytes(&column[7], row->state);
}

static void put_pending(struct postgres_store *store, const struct postgres_pending *pending)
{
    const struct instance_row *row = &pending->row;
    enum postgres_sql sql = pending->insert       ? SQL_INSTANCE_INSERT
                            : pending->state_only ? SQL_INSTANCE_STATE
                                                  : SQL_INSTANCE_UPDATE;
    struct postgres_set *set = &store->set[sql];
    set->rows++;
    postgres_array_number(&set->column[0], (int64_t)row->id);
    if (!pending->insert) postgres_array_number(&set->column[1], pending->stored);
    if (sql == SQL_INSTANCE_STATE) {
        postgres_array_number(&set->column[2], row->revision);
        postgres_array_bytes(&set->column[3], row->state);
    } else {
        put_columns(&set->column[pending->insert ? 1 : 2], row);
    }
}

void postgres_flush_instances(struct postgres_store *store)
{
    if (store->waiting_count > 1)
        qsort(store->waiting, store->waiting_count, sizeof(struct postgres_pending *), compare_ids);
    for (size_t i = 0; i < store->waiting_count; i++) {
        struct postgres_pending *pending = store->waiting[i];
        put_pending(store, pending);
        pending->stored = pending->row.revision;
        pending->waits = false;
    }
    store->waiting_count = 0;
}

/* ---- counts ---- */

void postgres_tally(struct postgres_store *store, int64_t definition, int64_t slot, int64_t delta)
{
    for (size_t i = 0; i < store->tally_count; i++) {
        struct postgres_tally *tally = &store->tally[i];
        if (tally->definition != definition || tally->slot != slot) continue;
        tally->delta += delta;
        return;
    }
    if (store->tally_count == store->tally_cap) {
        store->tally_cap = store->tally_cap ? 2 * store->tally_cap : 64;
        store->tally = realloc(store->tally, store->tally_cap * sizeof *store->tally);
        must(store->tally);
    }
    store->tally[store->tally_count++] = (struct postgres_tally){ definition, slot, delta };
}

void postgres_put_tally(struct postgres_store *store)
{
    struct postgres_set *set = &store->set[SQL_TALLY_ADD];
    for (size_t i = 0; i < store->tally_count; i++) {
        const struct postgres_tally *tally = &store->tally[i];
        if (!tally->delta) continue;
        set->rows++;
        postgres_array_number(&set->column[0], tally->definition);
        postgres_array_number(&set->column[1], tally->slot);
        postgres_array_number(&set->column[2], tally->delta);
    }
    store->tally_count = 0;
}
