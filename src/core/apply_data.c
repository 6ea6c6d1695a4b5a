/* core/apply_data.c — applies entries about data to a state. */

#include "core/change_int.h"

enum status apply_data(struct change *change, const struct entry *entry, struct error *err)
{
    if (entry->merge > MERGE_DEEP || !json_is(entry->data, JSON_OBJECT))
        return change_misfit(entry, "no such way to merge", err);
    const struct json *data = change->instance->data;
    enum data_merge merge = (enum data_merge)entry->merge;
    if (!merge_fits(data, entry->data, merge)) return change_misfit(entry, "it cannot be merged", err);
    change_data(change, 0, merge_result(data, entry->data, merge, change->arena));
    return ST_OK;
}

enum status apply_data_scope(struct change *change, const struct entry *entry, struct error *err)
{
    struct instance *instance = change->instance;
    if (entry->scope && !scope_find(instance, entry->scope))
        return change_misfit(entry, "no such scope", err);
    if (entry->merge > MERGE_MEMBERS) return change_misfit(entry, "no such way to merge", err);
    const struct json *data = scope_data(instance, entry->scope);
    enum data_merge merge = (enum data_merge)entry->merge;
    if (!merge_fits(data, entry->data, merge)) return change_misfit(entry, "it cannot be merged", err);
    change_data(change, entry->scope, merge_result(data, entry->data, merge, change->arena));
    return ST_OK;
}

enum status apply_data_cut(struct change *change, const struct entry *entry, struct error *err)
{
    const struct json *data = change->instance->data;
    if (!json_is(data, JSON_OBJECT) || !merge_is_names(entry->names))
        return change_misfit(entry, "no names, or nothing to cut", err);
    change_data(change, 0, merge_without(data, entry->names, change->arena));
    return ST_OK;
}
