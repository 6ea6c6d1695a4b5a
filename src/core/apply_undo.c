/* core/apply_undo.c — applies entries about undoing to a state. */

#include "core/change_int.h"

enum status apply_undoable(struct change *change, const struct entry *entry, uint32_t node, struct error *err)
{
    struct instance *instance = change->instance;
    if (!json_is(entry->visit, JSON_OBJECT)) return change_misfit(entry, "not an object", err);
    if (!change_take_number(instance, entry->number)) return change_misfit(entry, "the number is used", err);
    instance->undo.bytes += json_bytes(entry->visit);
    OWN(change, undo_item);
    instance->undo_item[instance->undo_item_count++] = (struct undo_item){
        .number = entry->number,
        .execution = entry->execution,
        .node = node,
        .node_name = entry->node,
        .visit = entry->visit,
    };
    return ST_OK;
}

enum status apply_undo(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!json_is(entry->error, JSON_OBJECT)) return change_misfit(entry, "not an object", err);
    if (!instance_find_token(instance, entry->host)) return change_misfit(entry, "no such token", err);
    instance->undo.error = entry->error;
    instance->undo.host = entry->host;
    if (instance->each_count) apply_each_dropped(change, entry->host); /* It hosts other regions now. */
    return ST_OK;
}

enum status apply_undo_state(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->undo_item, instance->undo_item_count, sizeof *instance->undo_item,
                            entry->number);
    if (i == SIZE_MAX || entry->undo_state > UNDO_FAILED) return change_misfit(entry, "no such visit", err);
    OWN(change, undo_item);
    struct undo_item *item = &instance->undo_item[i];
    item->state = (enum undo_state)entry->undo_state;
    item->scope = item->state == UNDO_RUNNING ? entry->scope : 0;
    if (item->state != UNDO_RUNNING) return ST_OK;
    struct scope *scope = change_scope(change, entry->scope);
    if (!scope || scope->state != REGION_OPEN) return change_misfit(entry, "no such region is open", err);
    scope->state = REGION_UNDO;
    return ST_OK;
}
