/* json/build.c — makes values in an arena, member by member. */
#include "json/json_int.h"

#include "base/must.h"

#include <math.h>

void json_builder_init(struct json_builder *builder, struct arena *arena)
{
    buf_init(&builder->cells, arena);
    builder->depth = 0;
}

/* While a container is open its head counts the values added to it. */
static void count_value(struct json_builder *builder)
{
    if (!builder->depth) {
        must(builder->cells.n == 0); /* One value only. */
        return;
    }
    size_t offset = (size_t)builder->open[builder->depth - 1] * 4;
    *cell_at_offset(&builder->cells, offset) += 1 << TAG_BITS;
}

static void open_container(struct json_builder *builder, enum json_tag tag)
{
    count_value(builder);
    must(builder->depth < COUNT(builder->open));
    size_t offset = cells_open(&builder->cells, tag);
    must(offset / 4 <= UINT32_MAX);
    builder->open[builder->depth++] = (uint32_t)(offset / 4);
}

void json_open_object(struct json_builder *builder) { open_container(builder, TAG_OBJECT); }
void json_open_array(struct json_builder *builder) { open_container(builder, TAG_ARRAY); }

/* A member without a name would shift all that follow. */
static bool names_are_strings(const struct buf *cells, size_t offset, uint32_t count)
{
    const uint32_t *cell = body_of(cell_at_offset(cells, offset));
    const uint32_t *end = cell_at_offset(cells, cells->n);
    for (; count; count--) {
        if (cell >= end || tag_of(cell) != TAG_STRING) return false;
        cell = cell_after(cell_after(cell));
    }
    return cell == end;
}

void json_close(struct json_builder *builder)
{
    must(builder->depth);
    size_t offset = (size_t)builder->open[--builder->depth] * 4;
    const uint32_t *head = cell_at_offset(&builder->cells, offset);
    enum json_tag tag = tag_of(head);
    uint32_t count = n_of(head);
    if (tag == TAG_OBJECT) must(names_are_strings(&builder->cells, offset, count));
    cells_close(&builder->cells, offset, tag, count);
}

void json_add_name(struct json_builder *builder, str name)
{
    must(builder->depth);
    cells_add_string(&builder->cells, name);
}

void json_add(struct json_builder *builder, const struct json *value)
{
    count_value(builder);
    cells_add_value(&builder->cells, value);
}

void json_add_null(struct json_builder *builder) { json_add(builder, json_null()); }
void json_add_bool(struct json_builder *builder, bool value) { json_add(builder, json_of_bool(value)); }

void json_add_int(struct json_builder *builder, int64_t value)
{
    count_value(builder);
    cells_add_int(&builder->cells, value);
}

void json_add_double(struct json_builder *builder, double value)
{
    count_value(builder);
    number_add_double(&builder->cells, value);
}

void json_add_string(struct json_builder *builder, str text)
{
    count_value(builder);
    cells_add_string(&builder->cells, text);
}

void json_add_text(struct json_builder *builder, str name, str text)
{
    json_add_name(builder, name);
    json_add_string(builder, text);
}

const struct json *json_built(struct json_builder *builder)
{
    must(builder->depth == 0 && builder->cells.n > 0);
    return value_at(cell_at_offset(&builder->cells, 0));
}

/* ---- values that need no builder ---- */

static const struct json null_value = { TAG_NULL };
static const struct json bool_values[] = { { TAG_FALSE }, { TAG_TRUE } };
static const struct json empty_array[] = { { TAG_ARRAY }, { 0 } };
static const struct json empty_object[] = { { TAG_OBJECT }, { 0 } };

const struct json *json_null(void) { return &null_value; }
const struct json *json_of_bool(bool value) { return &bool_values[value]; }
const struct json *json_empty_object(void) { return empty_object; }
const struct json *json_empty_array(void) { return empty_array; }

const struct json *json_of_int(struct arena *arena, int64_t value)
{
    struct buf cells;
    buf_init(&cells, arena);
    buf_reserve(&cells, 12);
    cells_add_int(&cells, value);
    return value_at(cell_at_offset(&cells, 0));
}

const struct json *json_of_double(struct arena *arena, double value)
{
    struct buf cells;
    buf_init(&cells, arena);
    number_add_double(&cells, value);
    return value_at(cell_at_offset(&cells, 0));
}

const struct json *json_of_string(struct arena *arena, str text)
{
    struct buf cells;
    buf_init(&cells, arena);
    buf_reserve(&cells, 4 + cells_for(text.n) * 4);
    cells_add_string(&cells, text);
    return value_at(cell_at_offset(&cells, 0));
}

const struct json *json_copy(struct arena *arena, const struct json *value)
{
    size_t bytes = json_bytes(value);
    return memcpy(arena_alloc(arena, bytes), value, bytes);
}
