/* core/apply_lock.c — applies entries about locks to a state. */

#include "core/change_int.h"

enum status apply_lock_ask(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!instance_find_token(instance, entry->execution) || instance_lock_of(instance, entry->execution))
        return change_misfit(entry, "no token that needs a lock", err);
    if (!entry->lock_name.n || !entry->size) return change_misfit(entry, "no such lock", err);
    if (!change_take_number(instance, entry->lock)) return change_misfit(entry, "the number is used", err);
    OWN(change, lock);
    instance->lock[instance->lock_count++] = (struct lock){ .number = entry->lock,
                                                            .execution = entry->execution,
                                                            .name = entry->lock_name,
                                                            .size = entry->size,
                                                            .asked_ms = change->at_ms };
    return ST_OK;
}

enum status apply_lock_grant(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->lock, instance->lock_count, sizeof *instance->lock, entry->lock);
    struct token *token = i == SIZE_MAX ? NULL : change_token(change, instance->lock[i].execution);
    if (!token || token->state != TOKEN_LOCK || instance->lock[i].is_held)
        return change_misfit(entry, "no token waits for it", err);
    OWN(change, lock);
    instance->lock[i].is_held = true;
    instance->lock[i].granted_ms = change->at_ms;
    token->state = TOKEN_READY;
    return ST_OK;
}

void apply_lock_dropped(struct change *change, uint32_t execution)
{
    struct instance *instance = change->instance;
    for (size_t i = instance->lock_count; i-- > 0;)
        if (instance->lock[i].execution == execution) CUT(change, lock, i);
}

void apply_locks_ended(struct change *change)
{
    struct instance *instance = change->instance;
    for (size_t i = instance->lock_count; i-- > 0;)
        if (!instance_reaches(instance, instance->lock[i].execution)) CUT(change, lock, i);
}
