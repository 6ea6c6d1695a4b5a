#include "json/json_int.h"

#include "base/must.h"

/* The cells of one member of an object. */
struct member {
    const uint32_t *name;
    const uint32_t *value;
    const uint32_t *end;
};

static struct member member_at(const uint32_t *name)
{
    const uint32_t *value = cell_after(name);
    return (struct member){ name, value, cell_after(value) };
}

static void merge_into(struct buf *cells, const uint32_t *a, const uint32_t *b, bool deep);

static void add_merged_member(struct buf *cells, struct member member, const uint32_t *other, bool deep)
{
    cells_copy(cells, member.name, member.value);
    if (deep && tag_of(member.value) == TAG_OBJECT && tag_of(other) == TAG_OBJECT)
        merge_into(cells, member.value, other, deep);
    else
        cells_copy(cells, other, cell_after(other));
}

static void merge_into(struct buf *cells, const uint32_t *a, const uint32_t *b, bool deep)
{
    size_t offset = cells_open(cells, TAG_OBJECT), count = n_of(a);
    const uint32_t *name = body_of(a);
    for (uint32_t left = n_of(a); left; left--) {
        struct member member = member_at(name);
        const struct json *other = json_get(value_at(b), string_at(name));
        if (other) add_merged_member(cells, member, cells_of(other), deep);
        else cells_copy(cells, member.name, member.end);
        name = member.end;
    }
    name = body_of(b);
    for (uint32_t left = n_of(b); left; left--) {
        struct member member = member_at(name);
        if (!json_get(value_at(a), string_at(name))) {
            cells_copy(cells, member.name, member.end);
            count++;
        }
        name = member.end;
    }
    cells_close(cells, offset, TAG_OBJECT, count);
}

static const struct json *merge(const struct json *a, const struct json *b, struct arena *arena, bool deep)
{
    must(json_is(a, JSON_OBJECT) && json_is(b, JSON_OBJECT));
    if (!json_count(b)) return json_copy(arena, a);
    if (!json_count(a)) return json_copy(arena, b);
    struct buf cells;
    buf_init(&cells, arena);
    /* The cells of both, and a table that neither had, with its scratch. */
    buf_reserve(&cells, json_bytes(a) + json_bytes(b) + (json_count(a) + json_count(b)) * 8);
    merge_into(&cells, cells_of(a), cells_of(b), deep);
    return value_at(cell_at_offset(&cells, 0));
}

const struct json *json_merge(const struct json *a, const struct json *b, struct arena *arena)
{
    return merge(a, b, arena, false);
}

const struct json *json_merge_deep(const struct json *a, const struct json *b, struct arena *arena)
{
    return merge(a, b, arena, true);
}

/* ---- one member ---- */

/* A copy of the object with the member replaced, or left out if there is no value. */
static const struct json *replace(struct arena *arena, const struct json *object, str name,
                                  const struct json *value)
{
    struct buf cells;
    buf_init(&cells, arena);
    buf_reserve(&cells, json_bytes(object) + name.n + 8 + (value ? json_bytes(value) : 0) +
                            (json_count(object) + 1) * 8);
    size_t offset = cells_open(&cells, TAG_OBJECT), count = 0;
    bool found = false;
    const uint32_t *next = body_of(cells_of(object));
    for (size_t left = json_count(object); left; left--) {
        struct member member = member_at(next);
        next = member.end;
        if (found || !str_equal(string_at(member.name), name)) {
            cells_copy(&cells, member.name, member.end);
            count++;
            continue;
        }
        found = true;
        if (!value) continue;
        cells_copy(&cells, member.name, member.value);
        cells_add_value(&cells, value);
        count++;
    }
    if (value && !found) {
        cells_add_string(&cells, name);
        cells_add_value(&cells, value);
        count++;
    }
    cells_close(&cells, offset, TAG_OBJECT, count);
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
