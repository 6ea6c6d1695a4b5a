/* scenario/paths.c — members of members, by names with dots between them. */
#include "scenario/scenario_int.h"

const struct json *path_get(const struct json *value, str path)
{
    if (str_starts(path, STR("$"))) path = str_slice(path, 1, path.n);
    if (str_starts(path, STR("."))) path = str_slice(path, 1, path.n);
    while (value && path.n) {
        size_t dot = str_find(path, STR("."), 0);
        value = json_get(value, str_slice(path, 0, dot));
        path = dot == SIZE_MAX ? STR_NONE : str_slice(path, dot + 1, path.n);
    }
    return value;
}

const struct json *path_set(struct arena *arena, const struct json *object, str path,
                            const struct json *value)
{
    size_t dot = str_find(path, STR("."), 0);
    if (!json_is(object, JSON_OBJECT)) object = json_empty_object();
    if (dot == SIZE_MAX) return json_set(arena, object, path, value);
    str name = str_slice(path, 0, dot);
    return json_set(arena, object, name,
                    path_set(arena, json_get(object, name), str_slice(path, dot + 1, path.n), value));
}
