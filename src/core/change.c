/* core/change.c — the working copy of an instance, and how it is written to.
 *
 * Only apply_*.c and this file write to an instance.
 */

#include "core/change_int.h"

#include "base/id.h"

void change_begin(struct change *change, const struct program *program, const struct instance *before,
                  const struct created *created, int64_t at_ms, struct arena *arena)
{
    struct instance *instance = arena_alloc(arena, sizeof *instance);
    if (before) {
        *instance = *before;
        instance->token_cap = instance->scope_cap = instance->job_cap = instance->timer_cap = 0;
        instance->mail_cap = instance->taken_cap = instance->each_cap = instance->undo_item_cap = 0;
        instance->owed_cap = instance->visited_cap = instance->reached_cap = instance->lock_cap = 0;
    } else {
        *instance = (struct instance){
            .id = created->id,
            .definition = created->definition,
            .status = INSTANCE_ACTIVE,
            .created_ms = at_ms,
            .business_key = created->business_key,
            .data = json_empty_object(),
            .next_number = 1,
        };
    }
    *change = (struct change){ .instance = instance, .program = program, .arena = arena, .at_ms = at_ms };
}

void *change_own(struct arena *arena, void *items, size_t count, size_t *cap, size_t bytes)
{
    if (count < *cap) return items;
    *cap = count + count / 2 + 4;
    char *copy = arena_alloc(arena, *cap * bytes);
    if (count) memcpy(copy, items, count * bytes);
    return copy;
}

void *change_cut(struct arena *arena, void *items, size_t *count, size_t *cap, size_t at, size_t bytes)
{
    size_t behind = --*count - at;
    char *hole = (char *)items + at * bytes;
    if (at == 0) { /* The oldest goes first, as a rule. */
        if (*cap) --*cap;
        return hole + bytes;
    }
    if (*cap) {
        memmove(hole, hole + bytes, behind * bytes);
        return items;
    }
    *cap = *count + *count / 2 + 4;
    char *copy = arena_alloc(arena, *cap * bytes);
    memcpy(copy, items, at * bytes);
    memcpy(copy + at * bytes, hole + bytes, behind * bytes);
    return copy;
}

bool change_take_number(struct instance *instance, uint32_t number)
{
    if (number < instance->next_number || number > ID_NUMBER_MAX) return false;
    instance->next_number = number + 1;
    return true;
}

enum status change_misfit(const struct entry *entry, const char *what, struct error *err)
{
    return fail(err, ST_INTERNAL, "", "a history entry \"%s\" does not fit the state: %s",
                entry_word(entry->kind), what);
}

struct token *change_token(struct change *change, uint32_t execution)
{
    struct instance *instance = change->instance;
    OWN(change, token);
    size_t i = number_index(instance->token, instance->token_count, sizeof *instance->token, execution);
    return i == SIZE_MAX ? NULL : &instance->token[i];
}

struct scope *change_scope(struct change *change, uint32_t number)
{
    struct instance *instance = change->instance;
    OWN(change, scope);
    size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, number);
    return i == SIZE_MAX ? NULL : &instance->scope[i];
}

static struct scope *scope_with_data(struct change *change, uint32_t number)
{
    struct instance *instance = change->instance;
    while (number) {
        size_t i = number_index(instance->scope, instance->scope_count, sizeof *instance->scope, number);
        if (i == SIZE_MAX) return NULL;
        if (instance->scope[i].data) {
            OWN(change, scope);
            return &instance->scope[i];
        }
        number = instance->scope[i].parent;
    }
    return NULL;
}

void change_data(struct change *change, uint32_t number, const struct json *data)
{
    struct instance *instance = change->instance;
    struct scope *scope = scope_with_data(change, number);
    if (scope) {
        scope->data = data;
        return;
    }
    for (size_t i = 0; i < instance->job_count; i++) {
        if (instance->job[i].payload) continue;
        OWN(change, job);
        instance->job[i].payload = instance->data;
    }
    instance->data = data;
}
