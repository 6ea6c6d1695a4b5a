/* store/memory/find.c — access to a memory store, and the lookups that its writer and its readers share. */
#include "store/memory/memory_int.h"

#include "base/must.h"

void memory_lock(struct memory_store *store)
{
    must(pthread_mutex_lock(&store->common->mutex) == 0);
    arena_reset(&store->scratch);
}

void memory_unlock(struct memory_store *store) { must(pthread_mutex_unlock(&store->common->mutex) == 0); }

const struct memory_state *memory_current(const struct memory_store *store)
{
    return store->base.in_transaction ? &store->working : &store->common->committed;
}

const struct memory_instance *memory_find_instance(const struct memory_state *state, uint64_t id,
                                                   struct arena *scratch)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_INSTANCE], memory_key_of_id(scratch, id));
    return cell ? memory_row_of(cell) : NULL;
}

const struct memory_history *memory_find_history(const struct memory_state *state, uint64_t instance,
                                                 int64_t id, struct arena *scratch)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_HISTORY], memory_key_of_id(scratch, (uint64_t)id));
    const struct memory_history *row = cell ? memory_row_of(cell) : NULL;
    return row && row->instance == instance ? row : NULL;
}

const struct definition_row *memory_find_definition(const struct memory_state *state, int64_t number,
                                                    struct arena *scratch)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_DEFINITION], memory_key_of_id(scratch, (uint64_t)number));
    return cell ? memory_row_of(cell) : NULL;
}

static void add_definition(const struct memory_state *state, struct arena *scratch, struct arena *arena,
                           struct instance_row *row)
{
    const struct definition_row *definition = memory_find_definition(state, row->definition, scratch);
    if (!definition) return;
    row->definition_id = arena_str(arena, definition->id);
    row->definition_version = definition->version;
    row->definition_priority = definition->priority;
}

void memory_fill_instance(const struct memory_state *state, const struct memory_cell *cell,
                          struct arena *scratch, struct arena *arena, struct instance_row *ret_row)
{
    struct memory_instance instance;
    memory_row_unpack(&memory_row_instance, cell, arena, &instance);
    add_definition(state, scratch, arena, &instance.row);
    *ret_row = instance.row;
}

void memory_fill_listed(const struct memory_state *state, const struct memory_cell *cell, bool with_state,
                        struct arena *scratch, struct arena *arena, struct instance_row *ret_row)
{
    if (with_state) {
        memory_fill_instance(state, cell, scratch, arena, ret_row);
        return;
    }
    *ret_row = ((const struct memory_instance *)memory_row_of(cell))->row;
    ret_row->state = STR_NONE;
    ret_row->business_key = arena_str(arena, ret_row->business_key);
    add_definition(state, scratch, arena, ret_row);
}

enum status memory_instance(const struct memory_state *state, uint64_t id, struct arena *scratch,
                            struct arena *arena, struct instance_row *ret_row, struct error *err)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_INSTANCE], memory_key_of_id(scratch, id));
    if (!cell) return store_fail_no_instance(id, err);
    memory_fill_instance(state, cell, scratch, arena, ret_row);
    return ST_OK;
}

enum status memory_definition_number(const struct memory_state *state, int64_t number, struct arena *scratch,
                                     struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    const struct memory_cell *cell =
        memory_tree_get(&state->table[TABLE_DEFINITION], memory_key_of_id(scratch, (uint64_t)number));
    if (!cell) return store_fail_no_definition(err);
    memory_row_unpack(&memory_row_definition, cell, arena, ret_row);
    return ST_OK;
}

bool memory_find_latest(const struct memory_state *state, int32_t ns, str id, struct arena *scratch,
                        struct memory_found *ret_found)
{
    str first = memory_key_of_rank(scratch, ns, id, INT64_MIN, INT32_MIN);
    str end = memory_key_of_rank(scratch, ns, id, INT64_MAX, INT32_MAX);
    return memory_tree_before(&state->table[TABLE_DEFINITION_RANK], end, ret_found) &&
           str_compare(ret_found->key, first) > 0;
}

static bool find_newest(const struct memory_state *state, int32_t ns, str id, struct arena *scratch,
                        struct memory_found *ret_found)
{
    str first = memory_key_of_definition(scratch, ns, id, INT32_MIN);
    str end = memory_key_of_definition(scratch, ns, id, INT32_MAX);
    return memory_tree_before(&state->table[TABLE_DEFINITION_NAME], end, ret_found) &&
           str_compare(ret_found->key, first) > 0;
}

static bool find_previous(const struct memory_state *state, int32_t ns, str id, struct arena *scratch,
                          struct memory_found *ret_found)
{
    str first = memory_key_of_rank(scratch, ns, id, INT64_MIN, INT32_MIN);
    return memory_find_latest(state, ns, id, scratch, ret_found) &&
           memory_tree_before(&state->table[TABLE_DEFINITION_RANK], ret_found->key, ret_found) &&
           str_compare(ret_found->key, first) > 0;
}

enum status memory_definition(const struct memory_state *state, int32_t ns, str id, int32_t version,
                              struct arena *scratch, struct arena *arena, struct definition_row *ret_row,
                              struct error *err)
{
    struct memory_found found;
    const struct memory_cell *cell = NULL;
    if (version == VERSION_LATEST)
        cell = memory_find_latest(state, ns, id, scratch, &found) ? found.cell : NULL;
    else if (version == VERSION_NEWEST)
        cell = find_newest(state, ns, id, scratch, &found) ? found.cell : NULL;
    else if (version == VERSION_PREVIOUS)
        cell = find_previous(state, ns, id, scratch, &found) ? found.cell : NULL;
    else
        cell = memory_tree_get(&state->table[TABLE_DEFINITION_NAME],
                               memory_key_of_definition(scratch, ns, id, version));
    if (!cell) return store_fail_no_definition(err);
    return memory_definition_number(state, *(const int64_t *)memory_row_of(cell), scratch, arena, ret_row,
                                    err);
}

/* ---- nodes ---- */

struct node_row *memory_find_node(const struct memory_common *common, int64_t id)
{
    for (size_t i = 0; i < common->node_count; i++)
        if (common->node[i].id == id) return &common->node[i];
    return NULL;
}

bool memory_node_lives(const struct memory_store *store)
{
    const struct node_row *row = memory_find_node(store->common, store->node);
    return row && !row->dead;
}
