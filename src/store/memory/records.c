/* store/memory/records.c — records in memory: small things by kind and key. */
#include "store/memory/memory_int.h"

#include "base/must.h"

static struct memory_store *self(struct store *store) { return (struct memory_store *)store; }

static str record_key(struct arena *arena, int32_t ns, enum record_kind kind, str key)
{
    struct memory_key bytes = memory_key(arena);
    memory_key_add_number(&bytes, ns);
    memory_key_add_number(&bytes, kind);
    memory_key_add_text(&bytes, key);
    return memory_key_str(&bytes);
}

static str age_key(struct arena *arena, const struct record_row *row)
{
    struct memory_key bytes = memory_key(arena);
    memory_key_add_number(&bytes, row->kind);
    memory_key_add_number(&bytes, row->at_ms);
    memory_key_add_number(&bytes, row->ns);
    memory_key_add_text(&bytes, row->key);
    return memory_key_str(&bytes);
}

void memory_remove_record(struct memory_store *store, str key)
{
    struct memory_tree *records = &store->working.table[TABLE_RECORD];
    const struct memory_cell *cell = memory_tree_get(records, key);
    if (!cell) return;
    const struct record_row *row = memory_row_of(cell);
    if (row->at_ms)
        memory_tree_remove(&store->working.table[TABLE_RECORD_AGE], age_key(&store->scratch, row));
    memory_tree_remove(records, key);
}

static void put_record(struct memory_store *store, const struct record_row *row)
{
    str key = record_key(&store->scratch, row->ns, row->kind, row->key);
    memory_remove_record(store, key);
    memory_tree_put(&store->working.table[TABLE_RECORD], key, memory_row_pack(&memory_row_record, row));
    if (!row->at_ms) return;
    /* The cell leads back to the row, so that the key need not be parsed. */
    struct memory_cell *back = memory_cell_new(key.n);
    memcpy(back->data, key.p, key.n);
    memory_tree_put(&store->working.table[TABLE_RECORD_AGE], age_key(&store->scratch, row), back);
}

void memory_apply_records(struct memory_store *store, const struct changeset *change)
{
    for (size_t i = 0; i < change->record_remove_count; i++) {
        const struct record_row *row = &change->record_remove[i];
        memory_remove_record(store, record_key(&store->scratch, row->ns, row->kind, row->key));
    }
    for (size_t i = 0; i < change->record_put_count; i++) put_record(store, &change->record_put[i]);
}

enum status memory_records_find(const struct memory_state *state, int32_t ns, enum record_kind kind, str key,
                                struct arena *scratch, struct arena *arena, struct record_row *ret_row,
                                struct error *err)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_RECORD], record_key(scratch, ns, kind, key));
    if (!cell) return store_fail_no_record(kind, err);
    memory_row_unpack(&memory_row_record, cell, arena, ret_row);
    return ST_OK;
}

/* The first record that the filter may list. */
static bool first_record(const struct memory_tree *records, const struct record_filter *filter,
                         struct arena *scratch, struct memory_found *ret_found)
{
    if (filter->down)
        return memory_tree_before(
            records, record_key(scratch, filter->ns, filter->kind, store_record_bound(filter, scratch)),
            ret_found);
    if (str_compare(filter->after, filter->prefix) >= 0 && filter->after.n)
        return memory_tree_after(records, record_key(scratch, filter->ns, filter->kind, filter->after),
                                 ret_found);
    return memory_tree_at_or_after(records, record_key(scratch, filter->ns, filter->kind, filter->prefix),
                                   ret_found);
}

static bool next_record(const struct memory_tree *records, const struct record_filter *filter,
                        struct memory_found *found)
{
    return filter->down ? memory_tree_before(records, found->key, found)
                        : memory_tree_after(records, found->key, found);
}

void memory_records(const struct memory_state *state, const struct record_filter *filter,
                    struct arena *scratch, struct arena *arena, struct record_row **ret_row,
                    size_t *ret_count)
{
    const struct memory_tree *records = &state->table[TABLE_RECORD];
    struct record_row *list = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0, skipped = 0;
    bool more = first_record(records, filter, scratch, &found);
    for (; more && count < filter->max; more = next_record(records, filter, &found)) {
        const struct record_row *row = memory_row_of(found.cell);
        if (row->ns != filter->ns || row->kind != filter->kind || !store_wants_record(filter, row->key))
            break;
        if (skipped++ < filter->skip) continue;
        array_reserve_in(arena, list, count, cap);
        memory_row_unpack(&memory_row_record, found.cell, arena, &list[count++]);
    }
    *ret_row = list;
    *ret_count = count;
}

enum status memory_purge_records(struct store *base, enum record_kind kind, int64_t before_ms, size_t max,
                                 size_t *ret_removed, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    struct memory_found found;
    size_t removed = 0;
    memory_lock(store);
    struct memory_key from = memory_key(&store->scratch);
    memory_key_add_number(&from, kind);
    while (removed < max &&
           memory_tree_at_or_after(&store->working.table[TABLE_RECORD_AGE], memory_key_str(&from), &found)) {
        str key = arena_str(&store->scratch, (str){ found.cell->data, found.cell->bytes });
        const struct record_row *row =
            memory_row_of(memory_tree_get(&store->working.table[TABLE_RECORD], key));
        if (row->kind != kind || row->at_ms >= before_ms) break;
        memory_remove_record(store, key);
        removed++;
    }
    memory_unlock(store);
    must(removed <= max);
    *ret_removed = removed;
    return ST_OK;
}
