/* core/apply_scope.c — applies entries about scopes and regions to a state. */

#include "core/change_int.h"

enum status apply_scope_open(struct change *change, const struct entry *entry, uint32_t node,
                             struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->around && !scope_find(instance, entry->around))
        return change_misfit(entry, "no such scope around it", err);
    if (!change_take_number(instance, entry->scope)) return change_misfit(entry, "the number is used", err);
    OWN(change, scope);
    instance->scope[instance->scope_count++] = (struct scope){
        .number = entry->scope,
        .parent = entry->around,
        .fork = node,
        .fork_name = entry->node,
    };
    return ST_OK;
}

enum status apply_scope_close(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, entry->scope);
    if (i == SIZE_MAX) return change_misfit(entry, "no such scope", err);
    CUT(change, scope, i);
    if (instance->owed_count || instance->visited_count) apply_counts_dropped(change, entry->scope);
    return ST_OK;
}

enum status apply_region_open(struct change *change, const struct entry *entry, uint32_t node,
                              struct error *err)
{
    if (!instance_find_token(change->instance, entry->host))
        return change_misfit(entry, "no such token", err);
    if (!entry->data) return change_misfit(entry, "no data", err);
    if (change->instance->each_count && !apply_item_begun(change, entry->host, entry->index))
        return change_misfit(entry, "not the next item", err);
    TRY(apply_scope_open(change, entry, node, err));
    struct scope *scope = &change->instance->scope[change->instance->scope_count - 1];
    scope->state = REGION_OPEN;
    scope->index = entry->index;
    scope->host = entry->host;
    scope->data = entry->data;
    return ST_OK;
}

enum status apply_region_end(struct change *change, const struct entry *entry, struct error *err)
{
    struct scope *scope = change_scope(change, entry->scope);
    if (!scope || scope->state != REGION_OPEN) return change_misfit(entry, "no such region is open", err);
    switch ((enum region_state)entry->state) {
    case REGION_DONE: break;
    case REGION_FAILED:
        if (!json_is(entry->error, JSON_OBJECT)) return change_misfit(entry, "no error", err);
        scope->data = entry->error;
        break;
    case REGION_DETACHED: scope->parent = scope->host = 0; break;
    default: return change_misfit(entry, "no such end", err);
    }
    scope->state = (enum region_state)entry->state;
    return ST_OK;
}
