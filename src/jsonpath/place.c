/* jsonpath/place.c — a copy of a value with one place in it set. */
#include "jsonpath/jsonpath_int.h"

static bool counts_as_missing(const struct json *value) { return !value || json_is(value, JSON_NULL); }

/* The element of the array that the index means, or SIZE_MAX. */
static size_t element_at(const struct json *array, int64_t index)
{
    int64_t count = (int64_t)json_count(array);
    if (index < 0) index += count;
    return index < 0 || index >= count ? SIZE_MAX : (size_t)index;
}

static enum status fail_in_the_way(const struct jsonpath_query *query, uint32_t step, const struct json *node,
                                   struct arena *arena, struct error *err)
{
    struct buf where;
    buf_init(&where, arena);
    for (uint32_t i = 0; i < step; i++) {
        const struct jsonpath_selector *selector = query->segment[i].selector;
        if (selector->kind == SELECT_NAME) json_pointer_add(&where, selector->name);
        else buf_printf(&where, "/%lld", (long long)selector->index);
    }
    buf_add_char(&where, '\0');
    const struct jsonpath_selector *selector = query->segment[step].selector;
    const char *kind = node ? json_kind_name(json_kind(node)) : "null";
    if (selector->kind == SELECT_NAME)
        return fail(err, ST_INVALID, where.p, "cannot set a member of what is %s", kind);
    if (json_is(node, JSON_ARRAY))
        return fail(err, ST_INVALID, where.p, "the array has no element %lld", (long long)selector->index);
    return fail(err, ST_INVALID, where.p, "cannot set an element of what is %s", kind);
}

/* Follows the path as far as there are values, and makes its steps. */
static enum status make_steps(const struct json *node, const struct jsonpath_query *query,
                              struct arena *arena, struct json_step *ret_steps, struct error *err)
{
    for (uint32_t i = 0; i < query->count; i++) {
        const struct jsonpath_selector *selector = query->segment[i].selector;
        if (selector->kind == SELECT_NAME) {
            if (!counts_as_missing(node) && !json_is(node, JSON_OBJECT))
                return fail_in_the_way(query, i, node, arena, err);
            node = json_get(node, selector->name);
            ret_steps[i] = (struct json_step){ .name = selector->name };
        } else {
            size_t index = json_is(node, JSON_ARRAY) ? element_at(node, selector->index) : SIZE_MAX;
            if (index == SIZE_MAX) return fail_in_the_way(query, i, node, arena, err);
            node = json_item(node, index);
            ret_steps[i] = (struct json_step){ .element = true, .index = index };
        }
    }
    return ST_OK;
}

enum status jsonpath_place(const struct json *base, const struct jsonpath *path, const struct json *value,
                           struct arena *arena, const struct json **ret_value, struct error *err)
{
    const struct jsonpath_query *query = &path->query;
    if (!query->definite)
        return fail(err, ST_INVALID, NULL, "only a path of names and indices says where a value goes");
    if (!base || json_kind(base) < JSON_ARRAY) base = json_empty_object();
    struct json_step *step = arena_make_n(arena, struct json_step, query->count);
    TRY(make_steps(base, query, arena, step, err));
    if (query->count + (value ? json_depth(value) : 0) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, NULL, "the result would be more than %d levels deep (JSON_DEPTH_MAX)",
                    JSON_DEPTH_MAX);
    *ret_value = json_set_at(arena, base, step, query->count, value);
    return ST_OK;
}
