/* store/postgres/waiting.c — rows of instances, and changes of counts, that wait for the next flush.
 *
 * A transaction may change an instance several times before its row is sent: the last row counts, and it is
 * written only if the server has the revision that the first change was made from. Otherwise another node has
 * changed the instance, and the transaction fails with ST_AGAIN.
 */
#include "store/postgres/postgres_int.h"

#include "base/must.h"

#include <stdlib.h>

/* ---- instances ---- */

void postgres_add_waiting(struct postgres_store *store, struct postgres_pending *pending)
{
    pending->waits = true;
    pending->steps_only = true;
    if (store->waiting_count == store->waiting_cap) {
        store->waiting_cap = store->waiting_cap ? 2 * store->waiting_cap : 64;
        store->waiting = realloc(store->waiting, store->waiting_cap * sizeof(struct postgres_pending *));
        must(store->waiting);
    }
    store->waiting[store->waiting_count++] = pending;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = (*(struct postgres_pending *const *)a)->row.id;
    uint64_t y = (*(struct postgres_pending *const *)b)->row.id;
    return (x > y) - (x < y);
}

static void put_optional(struct postgres_array *column, int64_t number)
{
    if (number) postgres_array_number(column, number);
    else postgres_array_null(column);
}

/* The columns that a new row and a replaced one have in the same order. */
static void put_columns(struct postgres_array *column, const struct instance_row *row)
{
    postgres_array_number(&column[0], row->ns);
    postgres_array_number(&column[1], row->definition);
    postgres_array_number(&column[2], postgres_phase(row));
    postgres_array_number(&column[3], row->created_ms);
    put_optional(&column[4], row->ended_ms);
    postgres_array_optional(&column[5], row->business_key);
    postgres_array_number(&column[6], row->revision);
    postgres_array_state(&column[7], row->state);
    put_optional(&column[8], row->holder);
}

static void put_step(struct postgres_array *column, const struct instance_row *row)
{
    put_optional(&column[0], row->holder);
    put_optional(&column[1], row->ended_ms);
    postgres_array_number(&column[2], postgres_phase(row));
    postgres_array_number(&column[3], row->revision);
    postgres_array_state(&column[4], row->state);
}

static void put_pending(struct postgres_store *store, const struct postgres_pending *pending)
{
    const struct instance_row *row = &pending->row;
    enum postgres_sql sql = pending->insert       ? SQL_INSTANCE_INSERT
                            : pending->steps_only ? SQL_INSTANCE_STEP
                                                  : SQL_INSTANCE_UPDATE;
    struct postgres_set *set = &store->set[sql];
    set->rows++;
    postgres_array_number(&set->column[0], (int64_t)row->id);
    if (!pending->insert) postgres_array_number(&set->column[1], pending->stored);
    if (sql == SQL_INSTANCE_STEP) put_step(&set->column[2], row);
    else put_columns(&set->column[pending->insert ? 1 : 2], row);
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
