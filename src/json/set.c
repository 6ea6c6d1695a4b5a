/* json/set.c — copies of a value with one place in it changed. */
#include "json/json_int.h"

/* ---- one member ---- */

/* A copy of the object with the member replaced, or left out if there is no value. */
static const struct json *replace(struct arena *arena, const struct json *object, str name,
                                  const struct json *value)
{
    struct buf cells;
    buf_init(&cells, arena);
    buf_reserve(&cells, json_bytes(object) + name.n + 8 + (value ? json_bytes(value) : 0) +
                            (json_count(object) + 1) * 8);
    size_t offset = cells_open(&cells, TAG_OBJECT);
    const struct json *old = json_get(object, name);
    const uint32_t *body = body_of(cells_of(object)), *end = members_end(cells_of(object));
    cells_copy(&cells, body, old ? cells_of(old) - 1 - cells_for(name.n) : end);
    if (value) {
        cells_add_string(&cells, name);
        cells_add_value(&cells, value);
    }
    if (old) cells_copy(&cells, cell_after(cells_of(old)), end);
    cells_close(&cells, offset, TAG_OBJECT, json_count(object) + (value != NULL) - (old != NULL));
    return value_at(cell_at_offset(&cells, 0));
}

const struct json *json_set(struct arena *arena, const struct json *object, str name,
                            const struct json *value)
{
    must(json_is(object, JSON_OBJECT));
    return replace(arena, object, name, value ? value : json_null());
}

const struct json *json_without(struct arena *arena, const struct json *object, str name)
{
    must(json_is(object, JSON_OBJECT));
    return json_get(object, name) ? replace(arena, object, name, NULL) : json_copy(arena, object);
}

/* ---- a place further inside ---- */

struct setting {
    struct buf cells;
    const struct json_step *step;
    size_t count;
    const struct json *value;
};

static void write_from(struct setting *setting, size_t at, const struct json *node);

static void write_object(struct setting *setting, size_t at, const struct json *node)
{
    struct buf *cells = &setting->cells;
    str name = setting->step[at].name;
    size_t offset = cells_open(cells, TAG_OBJECT), count = 0;
    bool found = false;
    struct json_each each = json_each(node);
    for (; json_next(&each); count++) {
        bool here = !found && str_equal(each.name, name);
        cells_add_string(cells, each.name);
        if (here) write_from(setting, at + 1, each.value);
        else cells_add_value(cells, each.value);
        found = found || here;
    }
    if (!found) {
        cells_add_string(cells, name);
        write_from(setting, at + 1, NULL);
        count++;
    }
    cells_close(cells, offset, TAG_OBJECT, count);
}

static void write_array(struct setting *setting, size_t at, const struct json *node)
{
    struct buf *cells = &setting->cells;
    size_t offset = cells_open(cells, TAG_ARRAY), count = 0;
    struct json_each each = json_each(node);
    for (; json_next(&each); count++) {
        if (count == setting->step[at].index) write_from(setting, at + 1, each.value);
        else cells_add_value(cells, each.value);
    }
    cells_close(cells, offset, TAG_ARRAY, count);
}

/* Recursion is as deep as the result, which json_set_at() bounds. */
static void write_from(struct setting *setting, size_t at, const struct json *node)
{
    if (at == setting->count) cells_add_value(&setting->cells, setting->value);
    else if (setting->step[at].element) write_array(setting, at, node);
    else write_object(setting, at, node);
}

const struct json *json_set_at(struct arena *arena, const struct json *base, const struct json_step *step,
                               size_t count, const struct json *value)
{
    must(count <= JSON_DEPTH_MAX);
    struct setting setting = { .step = step, .count = count, .value = value };
    buf_init(&setting.cells, arena);
    buf_reserve(&setting.cells, json_bytes(base) + (value ? json_bytes(value) : 0) + 64);
    write_from(&setting, 0, base);
    return value_at(cell_at_offset(&setting.cells, 0));
}
