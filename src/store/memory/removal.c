/* store/memory/removal.c — removes all rows of a tenant, some at a time (store/removal.h). Tables whose keys
 * do not begin with the namespace are walked: they are small here. */
#include "store/removal.h"

#include "base/must.h"
#include "store/memory/memory_int.h"

struct removal_pass {
    struct memory_store *store;
    int32_t ns;
    size_t max;
    struct tenant_removal *removal;
};

static struct memory_tree *tree_of(const struct removal_pass *pass, enum memory_table table)
{
    return &pass->store->working.table[table];
}

/* ---- tables that are walked ---- */

static int32_t tenant_of(enum memory_table table, const struct memory_cell *cell)
{
    const void *row = memory_row_of(cell);
    switch (table) {
    case TABLE_PENDING: return ((const struct pending_row *)row)->ns;
    case TABLE_UNMATCHED: return ((const struct unmatched_row *)row)->ns;
    case TABLE_BULK: return ((const struct bulk_row *)row)->ns;
    case TABLE_DEFINITION: return ((const struct definition_row *)row)->ns;
    default: return ((const struct memory_instance *)row)->row.ns;
    }
}

/* The next row of the tenant behind the key. */
static bool next_row(const struct removal_pass *pass, enum memory_table table, str after,
                     struct memory_found *ret_found)
{
    bool more = memory_tree_after(tree_of(pass, table), after, ret_found);
    while (more && tenant_of(table, ret_found->cell) != pass->ns)
        more = memory_tree_after(tree_of(pass, table), ret_found->key, ret_found);
    return more;
}

static void remove_parts(const struct removal_pass *pass, str bulk)
{
    struct memory_tree *parts = tree_of(pass, TABLE_BULK_PART);
    struct memory_found found;
    for (; pass->removal->removed < pass->max && memory_tree_at_or_after(parts, bulk, &found) &&
           str_starts(found.key, bulk);
         pass->removal->removed++)
        memory_tree_remove(parts, arena_str(&pass->store->scratch, found.key));
}

/* The other rows that lead to it. */
static void remove_around(const struct removal_pass *pass, enum memory_table table,
                          const struct memory_found *found)
{
    if (table == TABLE_UNMATCHED)
        memory_remove_unmatched(pass->store,
                                ((const struct unmatched_row *)memory_row_of(found->cell))->number);
    if (table == TABLE_DEFINITION) memory_unlink_definition(pass->store, memory_row_of(found->cell));
}

static void remove_walked(const struct removal_pass *pass, enum memory_table table)
{
    struct memory_found found;
    while (pass->removal->removed < pass->max && next_row(pass, table, STR(""), &found)) {
        str key = arena_str(&pass->store->scratch, found.key);
        if (table == TABLE_BULK) remove_parts(pass, key);
        if (pass->removal->removed == pass->max) return;
        remove_around(pass, table, &found);
        memory_tree_remove(tree_of(pass, table), key);
        pass->removal->removed++;
    }
}

/* ---- tables whose keys begin with the namespace ---- */

static void remove_own(const struct removal_pass *pass, enum memory_table table)
{
    struct memory_found found;
    struct memory_key prefix = memory_key(&pass->store->scratch);
    memory_key_add_number(&prefix, pass->ns);
    while (pass->removal->removed < pass->max &&
           memory_tree_at_or_after(tree_of(pass, table), memory_key_str(&prefix), &found) &&
           str_starts(found.key, memory_key_str(&prefix))) {
        str key = arena_str(&pass->store->scratch, found.key);
        if (table == TABLE_RECORD) memory_remove_record(pass->store, key);
        else if (table == TABLE_IDEMPOTENCY)
            memory_remove_idempotency(pass->store, memory_row_of(found.cell));
        else memory_tree_remove(tree_of(pass, table), key);
        pass->removal->removed++;
    }
}

/* ---- all ---- */

static void list_instances(const struct removal_pass *pass, struct arena *arena)
{
    struct tenant_removal *removal = pass->removal;
    struct memory_found found;
    size_t cap = 0, max = pass->max - removal->removed;
    for (str after = STR(""); removal->instance_count < max && next_row(pass, TABLE_INSTANCE, after, &found);
         after = found.key) {
        const struct instance_row *row = &((const struct memory_instance *)memory_row_of(found.cell))->row;
        array_reserve_in(arena, removal->instance, removal->instance_count, cap);
        removal->instance[removal->instance_count++] =
            (struct removal_instance){ .id = row->id, .status = row->status };
    }
}

static void remove_all(const struct removal_pass *pass, struct arena *arena)
{
    remove_walked(pass, TABLE_BULK);
    remove_own(pass, TABLE_TRIGGER);
    remove_walked(pass, TABLE_PENDING);
    must(pass->removal->removed <= pass->max);
    list_instances(pass, arena);
    if (pass->removal->instance_count) return;
    remove_walked(pass, TABLE_DEFINITION);
    remove_walked(pass, TABLE_UNMATCHED);
    remove_own(pass, TABLE_IDEMPOTENCY);
    remove_own(pass, TABLE_RECORD);
}

enum status memory_remove_tenant(struct store *base, int32_t ns, size_t max, struct arena *arena,
                                 struct tenant_removal *removal, struct error *err)
{
    struct memory_store *store = (struct memory_store *)base;
    memory_lock(store);
    bool stale = store->stale;
    if (!stale) remove_all(&(struct removal_pass){ store, ns, max, removal }, arena);
    memory_unlock(store);
    return stale ? fail(err, ST_AGAIN, "store", "another node has changed an instance") : ST_OK;
}
