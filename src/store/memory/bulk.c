/* store/memory/bulk.c — rows of failures and bulks in the memory store. */
#include "store/memory/memory_int.h"

#include "base/must.h"

static struct memory_store *self(struct store *store) { return (struct memory_store *)store; }

str memory_key_of_failure(struct arena *arena, int64_t definition, uint64_t instance)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_number(&key, definition);
    memory_key_add_id(&key, instance);
    return memory_key_str(&key);
}

static str part_key(struct arena *arena, int64_t bulk, enum bulk_part kind, int64_t number)
{
    struct memory_key key = memory_key(arena);
    memory_key_add_id(&key, (uint64_t)bulk);
    memory_key_add_number(&key, kind);
    memory_key_add_number(&key, number);
    return memory_key_str(&key);
}

/* ---- writing ---- */

static void put_failure(struct memory_store *store, const struct failure_row *row)
{
    struct failure_row stored = *row;
    stored.definition_id = STR_NONE;
    stored.definition_version = 0;
    memory_tree_put(&store->working.table[TABLE_FAILURE],
                    memory_key_of_failure(&store->scratch, row->definition, row->instance),
                    memory_row_pack(&memory_row_failure, &stored));
}

static void put_bulk(struct memory_store *store, const struct bulk_row *row)
{
    memory_tree_put(&store->working.table[TABLE_BULK],
                    memory_key_of_id(&store->scratch, (uint64_t)row->number),
                    memory_row_pack(&memory_row_bulk, row));
}

static enum status update_bulk(struct memory_store *store, const struct bulk_row *row, struct error *err)
{
    const struct memory_cell *cell = memory_tree_get(
        &store->working.table[TABLE_BULK], memory_key_of_id(&store->scratch, (uint64_t)row->number));
    if (!cell) return store_fail_no_bulk(row->number, err);
    struct bulk_row after = *(const struct bulk_row *)memory_row_of(cell);
    after.state = row->state;
    after.ended_ms = row->ended_ms;
    after.done = row->done;
    after.succeeded = row->succeeded;
    after.skipped = row->skipped;
    after.refused = row->refused;
    put_bulk(store, &after);
    return ST_OK;
}

static enum status add_part(struct memory_store *store, int64_t bulk, const struct bulk_part_row *row,
                            struct error *err)
{
    struct memory_tree *tree = &store->working.table[TABLE_BULK_PART];
    struct bulk_part_row stored = *row;
    if (!stored.bulk) stored.bulk = bulk;
    str key = part_key(&store->scratch, stored.bulk, stored.kind, stored.number);
    if (memory_tree_has(tree, key)) return fail(err, ST_CONFLICT, "memory", "it is there already");
    memory_tree_put(tree, key, memory_row_pack(&memory_row_bulk_part, &stored));
    return ST_OK;
}

enum status memory_apply_bulk(struct memory_store *store, struct changeset *change, struct error *err)
{
    const struct failure_row *gone = change->failure_remove;
    if (gone)
        memory_tree_remove(&store->working.table[TABLE_FAILURE],
                           memory_key_of_failure(&store->scratch, gone->definition, gone->instance));
    if (change->failure_put) put_failure(store, change->failure_put);
    if (change->bulk_add) {
        struct bulk_row row = *change->bulk_add;
        change->ret_bulk = row.number = store->working.next_bulk++;
        put_bulk(store, &row);
    }
    if (change->bulk_update) TRY(update_bulk(store, change->bulk_update, err));
    for (size_t i = 0; i < change->bulk_part_add_count; i++)
        TRY(add_part(store, change->ret_bulk, &change->bulk_part_add[i], err));
    return ST_OK;
}

/* ---- reading ---- */

enum status memory_running_bulk(struct store *base, const struct bulk_row *after, struct bulk_row *ret_row,
                                struct error *err)
{
    struct memory_store *store = self(base);
    struct memory_found found;
    bool has = false;
    memory_lock(store);
    const struct memory_tree *bulks = &memory_current(store)->table[TABLE_BULK];
    for (str key = memory_key_of_id(&store->scratch, (uint64_t)after->number);
         !has && memory_tree_after(bulks, key, &found); key = found.key) {
        *ret_row = *(const struct bulk_row *)memory_row_of(found.cell);
        has = !ret_row->ended_ms && ret_row->state == after->state && tenant_fits(after->ns, ret_row->ns);
    }
    memory_unlock(store);
    return has ? ST_OK : store_fail_no_bulk(after->number, err);
}

enum status memory_load_bulk(struct store *base, int64_t number, struct bulk_row *ret_row, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_cell *cell = memory_tree_get(&memory_current(store)->table[TABLE_BULK],
                                                     memory_key_of_id(&store->scratch, (uint64_t)number));
    if (cell) *ret_row = *(const struct bulk_row *)memory_row_of(cell);
    memory_unlock(store);
    return cell ? ST_OK : store_fail_no_bulk(number, err);
}

enum status memory_load_bulk_part(struct store *base, int64_t bulk, enum bulk_part kind, int64_t number,
                                  struct arena *arena, str *ret_blob, struct error *err)
{
    struct memory_store *store = self(base);
    memory_lock(store);
    const struct memory_cell *cell = memory_tree_get(&memory_current(store)->table[TABLE_BULK_PART],
                                                     part_key(&store->scratch, bulk, kind, number));
    if (cell) *ret_blob = arena_str(arena, ((const struct bulk_part_row *)memory_row_of(cell))->blob);
    memory_unlock(store);
    return cell ? ST_OK : store_fail_no_bulk(bulk, err);
}

/* True if the instance belongs to the definition that the filter asks for. */
static const struct definition_row *selected_definition(struct memory_store *store, int64_t number,
                                                        const struct selection_filter *filter)
{
    const struct definition_row *row =
        memory_find_definition(&store->common->committed, number, &store->scratch);
    if (!row || row->ns != filter->ns) return NULL;
    if (filter->definition_id.n && !str_equal(row->id, filter->definition_id)) return NULL;
    return !filter->version || row->version == filter->version ? row : NULL;
}

/* False: the filter does not ask for it. */
static bool take_failure(struct memory_store *store, const struct selection_filter *filter,
                         const struct memory_found *found, struct arena *arena, struct failure_row *ret_row)
{
    const struct failure_row *row = memory_row_of(found->cell);
    const struct definition_row *definition = selected_definition(store, row->definition, filter);
    if (!definition || row->instance > filter->upto) return false;
    memory_row_unpack(&memory_row_failure, found->cell, arena, ret_row);
    ret_row->definition_id = arena_str(arena, definition->id);
    ret_row->definition_version = definition->version;
    return true;
}

/* Goes through the definitions from the first, and through each from its newest. */
static size_t newest_failures(struct memory_store *store, const struct selection_filter *filter,
                              struct arena *arena, struct failure_row *ret_row)
{
    const struct memory_tree *failures = &store->common->committed.table[TABLE_FAILURE];
    int64_t definition = filter->after_definition;
    uint64_t before = filter->after ? filter->after : UINT64_MAX;
    struct memory_found found;
    size_t count = 0;
    for (;;) {
        str key = memory_key_of_failure(&store->scratch, definition, before);
        while (count < filter->max && memory_tree_before(failures, key, &found)) {
            if (((const struct failure_row *)memory_row_of(found.cell))->definition != definition) break;
            key = found.key;
            count += take_failure(store, filter, &found, arena, &ret_row[count]);
        }
        str last = memory_key_of_failure(&store->scratch, definition, UINT64_MAX);
        if (count == filter->max || !memory_tree_after(failures, last, &found)) return count;
        definition = ((const struct failure_row *)memory_row_of(found.cell))->definition;
        before = UINT64_MAX;
    }
}

void memory_failures(struct memory_store *store, const struct selection_filter *filter, struct arena *arena,
                     struct failure_row **ret_row, size_t *ret_count)
{
    const struct memory_tree *failures = &store->common->committed.table[TABLE_FAILURE];
    struct failure_row *list = arena_make_n(arena, struct failure_row, filter->max);
    struct memory_found found;
    size_t count = 0;
    if (filter->newest) count = newest_failures(store, filter, arena, list);
    for (str key = memory_key_of_failure(&store->scratch, filter->after_definition, filter->after);
         !filter->newest && count < filter->max && memory_tree_after(failures, key, &found); key = found.key)
        count += take_failure(store, filter, &found, arena, &list[count]);
    *ret_row = list;
    *ret_count = count;
}

void memory_candidates(struct memory_store *store, const struct selection_filter *filter, struct arena *arena,
                       struct instance_row **ret_row, size_t *ret_count)
{
    const struct memory_tree *instances = &store->common->committed.table[TABLE_INSTANCE];
    struct instance_row *list = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0;
    for (str key = memory_key_of_id(&store->scratch, filter->after);
         count < filter->max && memory_tree_after(instances, key, &found); key = found.key) {
        const struct instance_row *row = &((const struct memory_instance *)memory_row_of(found.cell))->row;
        if (row->id > filter->upto) break;
        if (!(filter->statuses >> row->status & 1) || !selected_definition(store, row->definition, filter))
            continue;
        array_reserve_in(arena, list, count, cap);
        must(memory_instance(&store->common->committed, row->id, &store->scratch, arena, &list[count],
                             NULL) == ST_OK);
        if (!filter->with_state) list[count].state = STR_NONE;
        count++;
    }
    *ret_row = list;
    *ret_count = count;
}

void memory_bulks(struct memory_store *store, int32_t ns, int64_t before, size_t max, struct arena *arena,
                  struct bulk_row **ret_row, size_t *ret_count)
{
    const struct memory_tree *bulks = &store->common->committed.table[TABLE_BULK];
    struct bulk_row *list = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0;
    for (str key = memory_key_of_id(&store->scratch, before ? (uint64_t)before : INT64_MAX);
         count < max && memory_tree_before(bulks, key, &found); key = found.key) {
        const struct bulk_row *row = memory_row_of(found.cell);
        if (row->ns != ns) continue;
        array_reserve_in(arena, list, count, cap);
        list[count++] = *row;
    }
    *ret_row = list;
    *ret_count = count;
}

void memory_bulk_parts(struct memory_store *store, int64_t bulk, enum bulk_part kind, int64_t from,
                       size_t max, struct arena *arena, struct bulk_part_row **ret_row, size_t *ret_count)
{
    const struct memory_tree *parts = &store->common->committed.table[TABLE_BULK_PART];
    struct bulk_part_row *list = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0;
    for (str key = part_key(&store->scratch, bulk, kind, from - 1);
         count < max && memory_tree_after(parts, key, &found); key = found.key) {
        const struct bulk_part_row *row = memory_row_of(found.cell);
        if (row->bulk != bulk || row->kind != kind) break;
        array_reserve_in(arena, list, count, cap);
        memory_row_unpack(&memory_row_bulk_part, found.cell, arena, &list[count++]);
    }
    *ret_row = list;
    *ret_count = count;
}

/* ---- retention ---- */

/* The number of the bulk that ended first, if it is old enough to be removed; else 0. */
static int64_t find_victim(struct memory_store *store, int64_t before_ms, int64_t kept_max)
{
    const struct memory_tree *bulks = &store->working.table[TABLE_BULK];
    struct memory_found found;
    struct bulk_row first = { 0 };
    int64_t ended = 0;
    for (str key = STR(""); memory_tree_after(bulks, key, &found); key = found.key) {
        const struct bulk_row *row = memory_row_of(found.cell);
        if (!row->ended_ms) continue;
        ended++;
        if (!first.number || row->ended_ms < first.ended_ms) first = *row;
    }
    return first.number && (first.ended_ms < before_ms || ended > kept_max) ? first.number : 0;
}

static size_t remove_parts(struct memory_store *store, int64_t bulk, size_t max)
{
    struct memory_tree *parts = &store->working.table[TABLE_BULK_PART];
    str prefix = memory_key_of_id(&store->scratch, (uint64_t)bulk);
    struct memory_found found;
    size_t removed = 0;
    for (; removed < max && memory_tree_at_or_after(parts, prefix, &found) && str_starts(found.key, prefix);
         removed++)
        memory_tree_remove(parts, arena_str(&store->scratch, found.key));
    return removed;
}

enum status memory_purge_bulks(struct store *base, int64_t before_ms, int64_t kept_max, size_t max,
                               size_t *ret_removed, struct error *err)
{
    (void)err;
    struct memory_store *store = self(base);
    size_t removed = 0;
    memory_lock(store);
    for (int64_t number; removed < max && (number = find_victim(store, before_ms, kept_max)) != 0;) {
        removed += remove_parts(store, number, max - removed);
        if (removed == max) break;
        memory_tree_remove(&store->working.table[TABLE_BULK],
                           memory_key_of_id(&store->scratch, (uint64_t)number));
        removed++;
    }
    memory_unlock(store);
    *ret_removed = removed;
    return ST_OK;
}
