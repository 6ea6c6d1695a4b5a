/* store/memory/definitions.c — a definition goes with all its versions (changeset.definition_remove). Tables
 * whose keys do not begin with the definition are walked: they are small here. */
#include "store/memory/memory_int.h"

void memory_unlink_definition(struct memory_store *store, const struct definition_row *row)
{
    struct memory_tree *table = store->working.table;
    memory_tree_remove(&table[TABLE_DEFINITION_NAME],
                       memory_key_of_definition(&store->scratch, row->ns, row->id, row->version));
    memory_tree_remove(&table[TABLE_DEFINITION_RANK],
                       memory_key_of_rank(&store->scratch, row->ns, row->id, row->rank, row->version));
}

/* A trigger is of the version, a start that waits is for the id. */
static bool names_definition(enum memory_table table, const struct memory_found *found,
                             const struct definition_row *definition)
{
    if (table == TABLE_TRIGGER) return (int64_t)memory_key_last_id(found->key) == definition->number;
    const struct pending_row *row = memory_row_of(found->cell);
    return row->ns == definition->ns && str_equal(row->target, definition->id);
}

static void remove_naming(struct memory_store *store, enum memory_table table,
                          const struct definition_row *definition)
{
    struct memory_tree *tree = &store->working.table[table];
    struct memory_found found;
    for (str after = STR(""); memory_tree_after(tree, after, &found);) {
        after = arena_str(&store->scratch, found.key);
        if (names_definition(table, &found, definition)) memory_tree_remove(tree, after);
    }
}

void memory_remove_definition(struct memory_store *store, int32_t ns, str id)
{
    struct memory_tree *definitions = &store->working.table[TABLE_DEFINITION];
    struct memory_found found;
    for (str after = STR(""); memory_tree_after(definitions, after, &found);) {
        const struct definition_row *row = memory_row_of(found.cell);
        after = arena_str(&store->scratch, found.key);
        if (row->ns != ns || !str_equal(row->id, id)) continue;
        remove_naming(store, TABLE_TRIGGER, row);
        remove_naming(store, TABLE_PENDING, row);
        memory_unlink_definition(store, row);
        memory_tree_remove(definitions, after);
    }
}
