/* core/past.c — the data of an instance as it was, from its histories newest first.
 *
 * A replay from the first command on costs more with every command. Looking back costs as much as it takes to
 * the last command that replaced all data, which for an entity is its last write.
 */

#include "core/change_int.h"

#include "base/array.h"

struct past {
    struct arena *arena;
    const struct entry **later; /* Changes of the data, newest first, that a later base gets. */
    size_t later_count, later_cap;
    const struct json *base; /* All of the data, before those; NULL: not known yet. */
    const struct json *carried;
    bool has_newest; /* The newest history has been told. */
    bool has_ended;
};

struct past *core_past_new(struct arena *arena)
{
    struct past *past = arena_make(arena, struct past);
    past->arena = arena;
    return past;
}

static void tell_status(struct past *past, const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_STATUS)
            past->has_ended = history->entry[i].status < INSTANCE_STATUS_COUNT &&
                              instance_status_ended((enum instance_status)history->entry[i].status);
    past->has_newest = true;
}

static void tell_data(struct past *past, const struct entry *entry)
{
    if (past->base) return;
    bool replaces = entry->kind == ENTRY_KIND_SCOPE_DATA && entry->merge == MERGE_REPLACE;
    if (replaces) {
        past->base = entry->data;
        return;
    }
    array_reserve_in(past->arena, past->later, past->later_count, past->later_cap);
    past->later[past->later_count++] = entry;
}

bool core_past_tell(struct past *past, const struct history *history)
{
    if (!past->has_newest) tell_status(past, history);
    for (size_t i = history->entry_count; i-- > 0;) {
        const struct entry *entry = &history->entry[i];
        switch (entry->kind) {
        case ENTRY_KIND_CARRY:
            if (!past->carried) past->carried = entry->carried;
            break;
        case ENTRY_KIND_SCOPE_DATA:
            if (!entry->scope) tell_data(past, entry);
            break;
        case ENTRY_KIND_DATA:
        case ENTRY_KIND_DATA_CUT: tell_data(past, entry); break;
        default: break;
        }
    }
    if (history->command == COMMAND_START && !past->base) past->base = json_empty_object();
    return history->command == COMMAND_START || (past->base && past->carried);
}

enum status core_past_end(struct past *past, struct past_state *ret_state, struct error *err)
{
    struct instance instance = { .data = past->base ? past->base : json_empty_object() };
    struct change change = { .instance = &instance, .arena = past->arena };
    for (size_t i = past->later_count; i-- > 0;) {
        const struct entry *entry = past->later[i];
        if (entry->kind == ENTRY_KIND_DATA_CUT) TRY(apply_data_cut(&change, entry, err));
        else if (entry->kind == ENTRY_KIND_DATA) TRY(apply_data(&change, entry, err));
        else TRY(apply_data_scope(&change, entry, err));
    }
    *ret_state =
        (struct past_state){ .data = instance.data, .carried = past->carried, .has_ended = past->has_ended };
    return ST_OK;
}
