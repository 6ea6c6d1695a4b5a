/* json/merge.c — merges objects: flat, deep, and as a merge patch. */
#include "json/json_int.h"

#include "base/must.h"

/* The cells of one member of an object. */
struct member_cells {
    const uint32_t *name;
    const uint32_t *value;
    const uint32_t *end;
};

static struct member_cells member_at(const uint32_t *name)
{
    const uint32_t *value = cell_after(name);
    return (struct member_cells){ name, value, cell_after(value) };
}

static void merge_into(struct buf *cells, const uint32_t *a, const uint32_t *b, bool deep);

static void add_merged_member(struct buf *cells, struct member_cells member, const uint32_t *other, bool deep)
{
    cells_copy(cells, member.name, member.value);
    if (deep && tag_of(member.value) == TAG_OBJECT && tag_of(other) == TAG_OBJECT)
        merge_into(cells, member.value, other, deep);
    else cells_copy(cells, other, cell_after(other));
}

/* Adds the members of b that a does not have, and returns how many these are. */
static size_t add_new_members(struct buf *cells, const uint32_t *a, const uint32_t *b)
{
    size_t count = 0;
    const uint32_t *name = body_of(b);
    for (uint32_t left = n_of(b); left; left--) {
        struct member_cells member = member_at(name);
        if (!json_get(value_at(a), string_at(name))) {
            cells_copy(cells, member.name, member.end);
            count++;
        }
        name = member.end;
    }
    return count;
}

static void merge_into(struct buf *cells, const uint32_t *a, const uint32_t *b, bool deep)
{
    size_t offset = cells_open(cells, TAG_OBJECT), replaced = 0, added = 0;
    const uint32_t *name = body_of(a), *copied = name;
    for (uint32_t left = n_of(a); left; left--) {
        struct member_cells member = member_at(name);
        const struct json *other = json_get(value_at(b), string_at(name));
        name = member.end;
        if (!other) continue;
        cells_copy(cells, copied, member.name);
        add_merged_member(cells, member, cells_of(other), deep);
        copied = name;
        replaced++;
    }
    cells_copy(cells, copied, name);

    /* Mostly all members of b are new, or none is. */
    if (replaced == 0) {
        cells_copy(cells, body_of(b), members_end(b));
        added = n_of(b);
    } else if (replaced < n_of(b)) {
        added = add_new_members(cells, a, b);
    }
    cells_close(cells, offset, TAG_OBJECT, n_of(a) + added);
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

/* No value is nested deeper than JSON_DEPTH_MAX. `value` may be NULL. */
static void add_patched(struct json_builder *builder, const struct json *value, const struct json *patch)
{
    if (!json_is(patch, JSON_OBJECT)) {
        json_add(builder, patch);
        return;
    }
    bool has_members = json_is(value, JSON_OBJECT);
    json_open_object(builder);
    for (struct json_each each = json_each(has_members ? value : json_empty_object()); json_next(&each);) {
        const struct json *change = json_get(patch, each.name);
        if (json_is(change, JSON_NULL)) continue;
        json_add_name(builder, each.name);
        if (change) add_patched(builder, each.value, change);
        else json_add(builder, each.value);
    }
    for (struct json_each each = json_each(patch); json_next(&each);) {
        if (json_is(each.value, JSON_NULL) || (has_members && json_get(value, each.name))) continue;
        json_add_name(builder, each.name);
        add_patched(builder, NULL, each.value);
    }
    json_close(builder);
}

const struct json *json_merge_patch(const struct json *value, const struct json *patch, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    add_patched(&builder, value, patch);
    return json_built(&builder);
}
