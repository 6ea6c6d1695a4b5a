/* core/apply_token.c — applies entries about what a token brings along to a state. */

#include "core/change_int.h"

const struct json *apply_carried(const struct change *change, uint32_t from)
{
    if (!from) return NULL;
    const struct token *token = instance_find_token(change->instance, from);
    return token ? token->carried : NULL;
}

enum status apply_token(struct change *change, const struct entry *entry, struct error *err)
{
    struct token *token = change_token(change, entry->execution);
    if (!token) return change_misfit(entry, "no such token", err);
    switch (entry->kind) {
    case ENTRY_KIND_BY: token->arrival = entry->way; return ST_OK;
    case ENTRY_KIND_CARRY: token->carried = entry->carried; return ST_OK;
    default: break;
    }
    if (!json_is(entry->task, JSON_OBJECT)) return change_misfit(entry, "not an object", err);
    token->task = entry->task;
    return ST_OK;
}
