/* core/merge.c — merges a value into data, in the ways that enum data_merge names. */

#include "core/change_int.h"

static bool all_lists(const struct json *data, const struct json *more)
{
    struct json_each each = json_each(more);
    while (json_next(&each)) {
        const struct json *list = json_get(data, each.name);
        if (list && !json_is(list, JSON_ARRAY)) return false;
    }
    return true;
}

static bool all_objects(const struct json *data, const struct json *more)
{
    struct json_each each = json_each(more);
    while (json_next(&each)) {
        const struct json *object = json_get(data, each.name);
        if (!json_is(each.value, JSON_OBJECT) || (object && !json_is(object, JSON_OBJECT))) return false;
    }
    return true;
}

bool merge_fits(const struct json *data, const struct json *more, enum data_merge merge)
{
    switch (merge) {
    case MERGE_REPLACE: return more != NULL;
    case MERGE_SHALLOW:
    case MERGE_DEEP: return json_is(data, JSON_OBJECT) && json_is(more, JSON_OBJECT);
    case MERGE_APPEND:
        return json_is(data, JSON_OBJECT) && json_is(more, JSON_OBJECT) && all_lists(data, more);
    case MERGE_MEMBERS:
        return json_is(data, JSON_OBJECT) && json_is(more, JSON_OBJECT) && all_objects(data, more);
    }
    return false;
}

static const struct json *list_with(const struct json *list, const struct json *item, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    if (list) {
        struct json_each each = json_each(list);
        while (json_next(&each)) json_add(&builder, each.value);
    }
    json_add(&builder, item);
    json_close(&builder);
    return json_built(&builder);
}

static const struct json *data_appended(const struct json *data, const struct json *more, struct arena *arena)
{
    struct json_each each = json_each(more);
    while (json_next(&each))
        data = json_set(arena, data, each.name, list_with(json_get(data, each.name), each.value, arena));
    return data;
}

static const struct json *data_with_members(const struct json *data, const struct json *more,
                                            struct arena *arena)
{
    struct json_each each = json_each(more);
    while (json_next(&each)) {
        const struct json *object = json_get(data, each.name);
        data = json_set(arena, data, each.name,
                        object && json_count(object) ? json_merge(object, each.value, arena) : each.value);
    }
    return data;
}

const struct json *merge_result(const struct json *data, const struct json *more, enum data_merge merge,
                                struct arena *arena)
{
    if (merge == MERGE_REPLACE) return more;
    if (merge == MERGE_APPEND) return data_appended(data, more, arena);
    if (merge == MERGE_MEMBERS) return data_with_members(data, more, arena);
    if (json_count(data) == 0) return more;
    return merge == MERGE_DEEP ? json_merge_deep(data, more, arena) : json_merge(data, more, arena);
}

bool merge_is_names(const struct json *names)
{
    if (!json_is(names, JSON_ARRAY)) return false;
    struct json_each each = json_each(names);
    while (json_next(&each))
        if (!json_is(each.value, JSON_STRING)) return false;
    return true;
}

const struct json *merge_without(const struct json *data, const struct json *names, struct arena *arena)
{
    struct json_each each = json_each(names);
    while (json_next(&each))
        if (json_get(data, json_string(each.value)))
            data = json_without(arena, data, json_string(each.value));
    return data;
}
