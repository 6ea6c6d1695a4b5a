/* core/apply_mail.c — applies entries about events and early signals to a state. */

#include "core/change_int.h"

enum status apply_mail_in(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->kind == ENTRY_KIND_SIGNAL_IN && !entry->node.n)
        return change_misfit(entry, "no such node", err);
    if (entry->kind == ENTRY_KIND_ARRIVAL_IN && !entry->arrival.n)
        return change_misfit(entry, "no such trigger", err);
    if (!json_is(entry->event, JSON_OBJECT)) return change_misfit(entry, "not an object", err);
    if (!change_take_number(instance, entry->mail)) return change_misfit(entry, "the number is used", err);
    OWN(change, mail);
    instance->mail[instance->mail_count++] = (struct mail){
        .number = entry->mail,
        .at_ms = change->at_ms,
        .node = entry->node,
        .arrival = entry->kind == ENTRY_KIND_ARRIVAL_IN ? entry->arrival : STR_NONE,
        .event = entry->event,
    };
    return ST_OK;
}

enum status apply_mail_out(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->mail, instance->mail_count, sizeof *instance->mail, entry->mail);
    if (i == SIZE_MAX) return change_misfit(entry, "no such event", err);
    CUT(change, mail, i);
    return ST_OK;
}

/* Where an item of that number belongs. */
static size_t place_of(const void *items, size_t count, size_t bytes, uint32_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t found;
        memcpy(&found, (const char *)items + middle * bytes, sizeof found);
        if (found < number) low = middle + 1;
        else high = middle;
    }
    return low;
}

enum status apply_mail_take(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->mail, instance->mail_count, sizeof *instance->mail, entry->mail);
    if (i == SIZE_MAX || !mail_is_event(&instance->mail[i]))
        return change_misfit(entry, "no such event", err);
    if (!instance_find_token(instance, entry->holder)) return change_misfit(entry, "no such token", err);
    const struct taken_event taken = { .number = entry->mail,
                                       .holder = entry->holder,
                                       .at_ms = instance->mail[i].at_ms,
                                       .event = instance->mail[i].event };
    CUT(change, mail, i);
    OWN(change, taken);
    size_t at = place_of(instance->taken, instance->taken_count, sizeof taken, taken.number);
    memmove(&instance->taken[at + 1], &instance->taken[at], (instance->taken_count++ - at) * sizeof taken);
    instance->taken[at] = taken;
    return ST_OK;
}

void apply_taken_dropped(struct change *change, uint32_t holder)
{
    struct instance *instance = change->instance;
    for (size_t i = instance->taken_count; i-- > 0;)
        if (instance->taken[i].holder == holder) CUT(change, taken, i);
}

void apply_taken_back(struct change *change, uint32_t holder)
{
    struct instance *instance = change->instance;
    for (size_t i = 0; i < instance->taken_count; i++) {
        const struct taken_event taken = instance->taken[i];
        if (taken.holder != holder) continue;
        OWN(change, mail);
        size_t at = place_of(instance->mail, instance->mail_count, sizeof *instance->mail, taken.number);
        memmove(&instance->mail[at + 1], &instance->mail[at],
                (instance->mail_count++ - at) * sizeof *instance->mail);
        instance->mail[at] =
            (struct mail){ .number = taken.number, .at_ms = taken.at_ms, .event = taken.event };
    }
    apply_taken_dropped(change, holder);
}
