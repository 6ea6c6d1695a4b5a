/* core/apply_each.c — applies entries about regions per item to a state. */

#include "core/change_int.h"

/* The list of items that are over is borrowed, as its array is, until the first write. */
static struct each *each_for_writing(struct change *change, uint32_t host)
{
    struct instance *instance = change->instance;
    bool borrowed = instance->each_cap == 0;
    OWN(change, each);
    for (size_t i = 0; borrowed && i < instance->each_count; i++) instance->each[i].item_cap = 0;
    size_t i = number_index(instance->each, instance->each_count, sizeof *instance->each, host);
    return i == SIZE_MAX ? NULL : &instance->each[i];
}

enum status apply_each_open(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (!instance_find_token(instance, entry->host)) return change_misfit(entry, "no such token", err);
    if (!json_is(entry->items, JSON_ARRAY)) return change_misfit(entry, "not a list", err);
    /* Tokens do not always run in the order in which they entered their nodes. */
    size_t at = instance->each_count;
    while (at && instance->each[at - 1].host > entry->host) at--;
    if (at && instance->each[at - 1].host == entry->host)
        return change_misfit(entry, "the token has items already", err);
    each_for_writing(change, 0);
    struct each *place = &instance->each[at];
    memmove(place + 1, place, (instance->each_count++ - at) * sizeof *place);
    *place = (struct each){ .host = entry->host, .items = entry->items };
    return ST_OK;
}

enum status apply_each_add(struct change *change, const struct entry *entry, struct error *err)
{
    struct each *each = each_for_writing(change, entry->host);
    if (!each || !entry->data) return change_misfit(entry, "no items to add to", err);
    struct json_builder builder;
    struct json_each item = json_each(each->items);
    json_builder_init(&builder, change->arena);
    json_open_array(&builder);
    while (json_next(&item)) json_add(&builder, item.value);
    json_add(&builder, entry->data);
    json_close(&builder);
    each->items = json_built(&builder);
    return ST_OK;
}

bool apply_item_begun(struct change *change, uint32_t host, uint32_t index)
{
    if (instance_find_each(change->instance, host) == NULL) return true; /* Not a region per item. */
    struct each *each = each_for_writing(change, host);
    if (index != each->begun || index >= json_count(each->items)) return false;
    each->begun++;
    return true;
}

enum status apply_item_end(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    const struct scope *scope = scope_find(instance, entry->scope);
    if (!scope || scope->state != REGION_OPEN) return change_misfit(entry, "no such region is open", err);
    uint32_t index = scope->index;
    struct each *each = each_for_writing(change, scope->host);
    if (!each || entry->item_verdict > ITEM_CANCELLED) return change_misfit(entry, "no such item", err);
    if (entry->item_verdict == ITEM_FAILED && !json_is(entry->result, JSON_OBJECT))
        return change_misfit(entry, "no error", err);
    each->item = change_own(change->arena, each->item, each->item_count, &each->item_cap, sizeof *each->item);
    each->item[each->item_count++] =
        (struct each_item){ index, (enum item_verdict)entry->item_verdict, entry->result };
    return ST_OK;
}

void apply_each_dropped(struct change *change, uint32_t host)
{
    struct instance *instance = change->instance;
    size_t i = number_index(instance->each, instance->each_count, sizeof *instance->each, host);
    if (i == SIZE_MAX) return;
    each_for_writing(change, 0); /* The lists of items of the others are still borrowed. */
    CUT(change, each, i);
}
