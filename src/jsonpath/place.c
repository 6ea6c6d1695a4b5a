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

static enum status fail_in_the_way(const struct path_query *query, uint32_t step, const struct json *node,
                                   struct arena *arena, struct error *err)
{
    struct buf where;
    buf_init(&where, arena);
    for (uint32_t i = 0; i < step; i++) {
        const struct path_selector *selector = query->segment[i].selector;
        if (selector->kind == SELECT_NAME) pointer_add_token(&where, selector->name);
        else buf_printf(&where, "/%lld", (long long)selector->index);
    }
    buf_add_char(&where, '\0');
    const struct path_selector *selector = query->segment[step].selector;
    const char *kind = node ? json_kind_name(json_kind(node)) : "null";
    if (selector->kind == SELECT_NAME)
        return fail(err, ST_INVALID, where.p, "cannot set a member of what is %s", kind);
    if (json_is(node, JSON_ARRAY))
        return fail(err, ST_INVALID, where.p, "the array has no element %lld", (long long)selector->index);
    return fail(err, ST_INVALID, where.p, "cannot set an element of what is %s", kind);
}

/* Goes the way that writing will go. */
static enum status check_way(const struct json *node, const struct path_query *query, struct arena *arena,
                             struct error *err)
{
    for (uint32_t i = 0; i < query->count; i++) {
        const struct path_selector *selector = query->segment[i].selector;
        if (selector->kind == SELECT_NAME) {
            if (!counts_as_missing(node) && !json_is(node, JSON_OBJECT))
                return fail_in_the_way(query, i, node, arena, err);
            node = json_get(node, selector->name);
        } else {
            size_t index = json_is(node, JSON_ARRAY) ? element_at(node, selector->index) : SIZE_MAX;
            if (index == SIZE_MAX) return fail_in_the_way(query, i, node, arena, err);
            node = json_item(node, index);
        }
    }
    return ST_OK;
}

/* ---- writing ---- */

struct placing {
    struct buf cells;
    const struct path_query *query;
    const struct json *value;
};

static void write_placed(struct placing *placing, uint32_t step, const struct json *node);

static void write_object(struct placing *placing, uint32_t step, const struct json *node)
{
    struct buf *cells = &placing->cells;
    str name = placing->query->segment[step].selector->name;
    size_t offset = cells_open(cells, TAG_OBJECT), count = 0;
    bool found = false;
    struct json_each each = json_each(node);
    for (; json_next(&each); count++) {
        bool here = !found && str_equal(each.name, name);
        cells_add_string(cells, each.name);
        if (here) write_placed(placing, step + 1, each.value);
        else cells_add_value(cells, each.value);
        found = found || here;
    }
    if (!found) {
        cells_add_string(cells, name);
        write_placed(placing, step + 1, NULL);
        count++;
    }
    cells_close(cells, offset, TAG_OBJECT, count);
}

static void write_array(struct placing *placing, uint32_t step, const struct json *node)
{
    struct buf *cells = &placing->cells;
    size_t target = element_at(node, placing->query->segment[step].selector->index);
    size_t offset = cells_open(cells, TAG_ARRAY), count = 0;
    struct json_each each = json_each(node);
    for (; json_next(&each); count++) {
        if (count == target) write_placed(placing, step + 1, each.value);
        else cells_add_value(cells, each.value);
    }
    cells_close(cells, offset, TAG_ARRAY, count);
}

/* Recursion ends with the path, which is not longer than a value may be deep. */
static void write_placed(struct placing *placing, uint32_t step, const struct json *node)
{
    if (step == placing->query->count) cells_add_value(&placing->cells, placing->value);
    else if (placing->query->segment[step].selector->kind == SELECT_INDEX) write_array(placing, step, node);
    else write_object(placing, step, node);
}

enum status jsonpath_place(const struct json *base, const struct jsonpath *path, const struct json *value,
                           struct arena *arena, const struct json **ret_value, struct error *err)
{
    const struct path_query *query = &path->query;
    if (!query->definite)
        return fail(err, ST_INVALID, NULL, "only a path of names and indices says where a value goes");
    if (!base || json_kind(base) < JSON_ARRAY) base = json_empty_object();
    TRY(check_way(base, query, arena, err));
    if (query->count + (value ? json_depth(value) : 0) > JSON_DEPTH_MAX)
        return fail(err, ST_LIMIT, NULL, "the result would be more than %d levels deep", JSON_DEPTH_MAX);
    struct placing placing = { .query = query, .value = value };
    buf_init(&placing.cells, arena);
    buf_reserve(&placing.cells, json_bytes(base) + (value ? json_bytes(value) : 0) + 64);
    write_placed(&placing, 0, base);
    *ret_value = value_at(cell_at_offset(&placing.cells, 0));
    return ST_OK;
}
