/* json/value.c — reads values: kinds, members, items, sizes. */
#include "json/json_int.h"

#include "base/must.h"

static const enum json_kind kinds[TAG_COUNT] = {
    [TAG_NULL] = JSON_NULL,     [TAG_FALSE] = JSON_BOOL,  [TAG_TRUE] = JSON_BOOL,
    [TAG_SMALL] = JSON_NUMBER,  [TAG_INT] = JSON_NUMBER,  [TAG_NUMBER] = JSON_NUMBER,
    [TAG_STRING] = JSON_STRING, [TAG_ARRAY] = JSON_ARRAY, [TAG_OBJECT] = JSON_OBJECT,
};

enum json_kind json_kind(const struct json *value) { return kinds[tag_of(cells_of(value))]; }

const char *json_kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
        [JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object",
    };
    return names[kind];
}

const char *json_kind_phrase(enum json_kind kind)
{
    static const char *const phrases[] = {
        [JSON_NULL] = "null",       [JSON_BOOL] = "a boolean", [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a string", [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
    };
    return phrases[kind];
}

bool json_is(const struct json *value, enum json_kind kind) { return value && json_kind(value) == kind; }

bool json_bool(const struct json *value)
{
    must(json_is(value, JSON_BOOL));
    return tag_of(cells_of(value)) == TAG_TRUE;
}

str json_string(const struct json *value)
{
    must(json_is(value, JSON_STRING));
    return string_at(cells_of(value));
}

static bool is_container(const uint32_t *cell) { return tag_of(cell) >= TAG_ARRAY; }

size_t json_count(const struct json *value)
{
    return value && is_container(cells_of(value)) ? n_of(cells_of(value)) : 0;
}

const struct json *json_item(const struct json *array, size_t index)
{
    if (!array) return NULL;
    const uint32_t *cell = cells_of(array);
    if (tag_of(cell) != TAG_ARRAY || index >= n_of(cell)) return NULL;
    const uint32_t *child = body_of(cell);
    if (n_of(cell) >= TABLE_COUNT_MIN) return value_at(child + table_of(cell)[index]);
    while (index--) child = cell_after(child);
    return value_at(child);
}

/* Apart from json_get(), which then needs no stack. */
__attribute__((noinline)) static const struct json *get_by_table(const uint32_t *object, str name)
{
    const uint32_t *body = body_of(object), *table = table_of(object);
    size_t low = 0, high = n_of(object);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const uint32_t *cell = body + table[middle];
        int order = str_compare(string_at(cell), name);
        if (order == 0) return value_at(cell_after(cell));
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

const struct json *json_get(const struct json *object, str name)
{
    if (!object) return NULL;
    const uint32_t *cell = cells_of(object);
    if (tag_of(cell) != TAG_OBJECT || name.n > HEAD_N_MAX) return NULL;
    size_t left = n_of(cell);
    if (left >= TABLE_COUNT_MIN) return get_by_table(cell, name);
    uint32_t head = head_of(TAG_STRING, name.n);
    for (const uint32_t *member = body_of(cell); left; left--) {
        const uint32_t *value = member + 1 + cells_for(n_of(member));
        if (*member == head && string_has_bytes(member, name.p)) return value_at(value);
        member = cell_after(value);
    }
    return NULL;
}

str json_text(const struct json *object, str name)
{
    const struct json *value = json_get(object, name);
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

bool json_flag(const struct json *object, str name)
{
    const struct json *value = json_get(object, name);
    return json_is(value, JSON_BOOL) && json_bool(value);
}

size_t json_bytes(const struct json *value) { return cell_count(cells_of(value)) * 4; }

struct json_each json_each(const struct json *value)
{
    size_t count = json_count(value);
    if (!count) return (struct json_each){ .left_ = 0 };
    const uint32_t *cell = cells_of(value);
    return (struct json_each){ .next_ = body_of(cell),
                               .left_ = (uint32_t)count,
                               .object_ = tag_of(cell) == TAG_OBJECT };
}

bool json_next(struct json_each *each)
{
    if (!each->left_) return false;
    each->left_--;
    const uint32_t *cell = each->next_;
    if (each->object_) {
        each->name = string_at(cell);
        cell = cell_after(cell);
    }
    each->value = value_at(cell);
    each->next_ = cell_after(cell);
    return true;
}

/* Levels of the value, counted up to `most`, so that the recursion ends there. */
static uint32_t depth_up_to(const uint32_t *container, uint32_t most)
{
    uint32_t deepest = 0;
    bool object = tag_of(container) == TAG_OBJECT;
    const uint32_t *child = body_of(container);
    for (uint32_t left = n_of(container); left && deepest + 1 < most; left--) {
        if (object) child = cell_after(child);
        if (is_container(child)) {
            uint32_t depth = depth_up_to(child, most - 1);
            if (depth > deepest) deepest = depth;
        }
        child = cell_after(child);
    }
    return deepest + 1;
}

uint32_t json_depth(const struct json *value)
{
    return is_container(cells_of(value)) ? depth_up_to(cells_of(value), JSON_DEPTH_MAX + 1) : 0;
}
