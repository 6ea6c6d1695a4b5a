/* core/apply_count.c — applies entries about what is counted by scope and node to a state. */

#include "core/change_int.h"

enum status apply_owe(struct change *change, const struct entry *entry, uint32_t node, struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->scope && !scope_find(instance, entry->scope))
        return change_misfit(entry, "no such scope", err);
    if (entry->is_owed) {
        OWN(change, owed);
        instance->owed[instance->owed_count++] = (struct owed){ entry->scope, node, entry->way, entry->node };
        return ST_OK;
    }
    for (size_t i = 0; i < instance->owed_count; i++) {
        const struct owed *owed = &instance->owed[i];
        if (owed->scope != entry->scope || owed->arrival != entry->way ||
            !str_equal(owed->node_name, entry->node))
            continue;
        CUT(change, owed, i);
        return ST_OK;
    }
    return change_misfit(entry, "nothing is owed", err);
}

enum status apply_visited(struct change *change, const struct entry *entry, uint32_t node, struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->scope && !scope_find(instance, entry->scope))
        return change_misfit(entry, "no such scope", err);
    OWN(change, visited);
    for (size_t i = 0; i < instance->visited_count; i++) {
        struct visited *visited = &instance->visited[i];
        if (visited->scope != entry->scope || !str_equal(visited->node_name, entry->node)) continue;
        visited->count = entry->visit_count;
        return ST_OK;
    }
    instance->visited[instance->visited_count++] =
        (struct visited){ entry->scope, node, entry->visit_count, entry->node };
    return ST_OK;
}

enum status apply_reach(struct change *change, const struct entry *entry, uint32_t node, struct error *err)
{
    struct instance *instance = change->instance;
    if (!instance_find_token(instance, entry->execution)) return change_misfit(entry, "no such token", err);
    OWN(change, reached);
    for (size_t i = 0; i < instance->reached_count; i++) {
        if (!str_equal(instance->reached[i].node_name, entry->node)) continue;
        instance->reached[i].execution = entry->execution;
        return ST_OK;
    }
    instance->reached[instance->reached_count++] =
        (struct reached_node){ node, entry->execution, entry->node };
    return ST_OK;
}

enum status apply_fire(struct change *change, const struct entry *entry)
{
    change->instance->visited_count = change->instance->visited_cap = 0;
    if (entry->moved_to) change->instance->definition = (int64_t)entry->moved_to;
    return ST_OK;
}

void apply_counts_dropped(struct change *change, uint32_t scope)
{
    struct instance *instance = change->instance;
    for (size_t i = instance->owed_count; i-- > 0;)
        if (instance->owed[i].scope == scope) CUT(change, owed, i);
    for (size_t i = instance->visited_count; i-- > 0;)
        if (instance->visited[i].scope == scope) CUT(change, visited, i);
}
