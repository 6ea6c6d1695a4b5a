/* store/memory/pick.c — instances found for lists of operators. Filters scan the table. */
#include "store/memory/memory_int.h"

#include <stdlib.h>

static bool is_asked(const struct memory_state *state, int64_t number, const struct find_filter *filter,
                     struct arena *scratch)
{
    const struct definition_row *row = memory_find_definition(state, number, scratch);
    return row && row->ns == filter->ns &&
           (!filter->definition_id.n || str_equal(row->id, filter->definition_id)) &&
           (!filter->version || row->version == filter->version) &&
           (!filter->dialect.n || str_equal(row->dialect, filter->dialect)) &&
           (!filter->other_dialect.n || !str_equal(row->dialect, filter->other_dialect));
}

static bool has_task(const struct memory_state *state, uint64_t instance, struct arena *scratch)
{
    struct memory_found found;
    return memory_tree_after(&state->table[TABLE_TASK], memory_key_of_pair(scratch, instance, 0), &found) &&
           ((const struct task_row *)memory_row_of(found.cell))->instance == instance;
}

void memory_find(const struct memory_state *state, const struct find_filter *filter, struct arena *scratch,
                 struct arena *arena, uint64_t **ret_id, size_t *ret_count)
{
    const struct memory_tree *instances = &state->table[TABLE_INSTANCE];
    uint64_t *id = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0;
    for (str key = memory_key_of_id(scratch, filter->before ? filter->before : UINT64_MAX);
         count < filter->max && memory_tree_before(instances, key, &found); key = found.key) {
        const struct instance_row *row = &((const struct memory_instance *)memory_row_of(found.cell))->row;
        bool fits = filter->with_tasks ? has_task(state, row->id, scratch)
                                       : filter->phases >> store_phase(row->status, row->has_jobs) & 1;
        if (!fits || !is_asked(state, row->definition, filter, scratch)) continue;
        array_reserve_in(arena, id, count, cap);
        id[count++] = row->id;
    }
    *ret_id = id;
    *ret_count = count;
}

static int compare_keys(const void *a, const void *b)
{
    const struct found_key *x = a, *y = b;
    int by_key = str_compare(x->key, y->key);
    if (by_key) return by_key;
    if (x->phase != y->phase) return x->phase < y->phase ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

void memory_pick_keys(const struct memory_state *state, int32_t ns, str prefix, const struct found_key *after,
                      size_t max, struct arena *scratch, struct arena *arena, struct found_key **ret_found,
                      size_t *ret_count)
{
    struct found_key *list = NULL;
    struct memory_found found;
    size_t count = 0, cap = 0;
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_INSTANCE_KEY], key, &found);
         key = found.key) {
        const struct memory_instance *instance =
            memory_find_instance(state, memory_key_last_id(found.key), scratch);
        if (!instance || instance->row.ns != ns || !str_starts(instance->row.business_key, prefix)) continue;
        struct found_key one = { instance->row.business_key,
                                 store_phase(instance->row.status, instance->row.has_jobs),
                                 instance->row.id };
        if (after->id && compare_keys(&one, after) <= 0) continue;
        one.key = arena_str(arena, one.key);
        array_reserve_in(arena, list, count, cap);
        list[count++] = one;
    }
    if (count) qsort(list, count, sizeof *list, compare_keys);
    *ret_found = list;
    *ret_count = count < max ? count : max;
}

void memory_counts(const struct memory_state *state, const struct find_filter *filter, struct arena *scratch,
                   struct store_counts *counts)
{
    struct memory_found found;
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_INSTANCE], key, &found); key = found.key) {
        const struct instance_row *row = &((const struct memory_instance *)memory_row_of(found.cell))->row;
        if (is_asked(state, row->definition, filter, scratch))
            counts->phase[store_phase(row->status, row->has_jobs)]++;
    }
    for (str key = STR(""); memory_tree_after(&state->table[TABLE_TASK], key, &found); key = found.key) {
        const struct task_row *row = memory_row_of(found.cell);
        counts->tasks += is_asked(state, row->definition, filter, scratch);
    }
}
