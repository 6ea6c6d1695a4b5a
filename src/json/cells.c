/* json/cells.c — the cells of a value: tables of members, copies, repeated names. */
#include "json/json_int.h"

#include "base/sort.h"

/* ---- the table ---- */

static str name_at(const uint32_t *body, uint32_t offset) { return string_at(body + offset); }

static int compare_names(const void *a, const void *b, const void *body)
{
    return str_compare(name_at(body, *(const uint32_t *)a), name_at(body, *(const uint32_t *)b));
}

void cells_add_table(struct buf *cells, size_t offset, enum json_tag tag, size_t count)
{
    uint32_t *table = cells_room(cells, count * 2); /* The second half is scratch. */
    const uint32_t *body = body_of(cell_at_offset(cells, offset));
    const uint32_t *child = body;
    for (size_t i = 0; i < count; i++) {
        table[i] = (uint32_t)(child - body);
        if (tag == TAG_OBJECT) child = cell_after(child);
        child = cell_after(child);
    }
    if (tag == TAG_OBJECT) sort_stable(table, table + count, count, sizeof *table, compare_names, body);
    cells->n += count * sizeof *table;
}

/* ---- names that are there twice ---- */

static size_t index_of_member(const uint32_t *object, uint32_t offset)
{
    const uint32_t *name = body_of(object);
    size_t index = 0;
    for (; name < body_of(object) + offset; index++) name = cell_after(cell_after(name));
    return index;
}

static size_t find_repeat_in_table(const uint32_t *object)
{
    const uint32_t *body = body_of(object), *table = table_of(object);
    uint32_t first = UINT32_MAX;
    for (size_t i = 1; i < n_of(object); i++)
        if (table[i] < first && str_equal(name_at(body, table[i - 1]), name_at(body, table[i])))
            first = table[i];
    return first == UINT32_MAX ? SIZE_MAX : index_of_member(object, first);
}

bool cells_name_is_before(const uint32_t *body, const uint32_t *name)
{
    const uint32_t *other = body;
    for (; other < name; other = cell_after(cell_after(other)))
        if (*other == *name && string_has_bytes(other, string_at(name).p)) return true;
    return false;
}

size_t cells_find_repeat(const uint32_t *object)
{
    size_t count = n_of(object);
    if (count >= TABLE_COUNT_MIN) return find_repeat_in_table(object);
    const uint32_t *name = body_of(object);
    uint64_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        if (cells_name_repeats(&seen, body_of(object), name)) return i;
        name = cell_after(cell_after(name));
    }
    return SIZE_MAX;
}

/* ---- adding ---- */

void cells_copy(struct buf *cells, const uint32_t *from, const uint32_t *to)
{
    size_t count = (size_t)(to - from);
    memcpy(cells_room(cells, count), from, count * 4);
    cells->n += count * 4;
}

void cells_add_value(struct buf *cells, const struct json *value)
{
    if (!value) cells_add_head(cells, head_of(TAG_NULL, 0));
    else cells_copy(cells, cells_of(value), cell_after(cells_of(value)));
}

void cells_add_string(struct buf *cells, str text)
{
    must(text.n <= HEAD_N_MAX);
    size_t count = cells_for(text.n);
    uint32_t *cell = cells_room(cells, 1 + count);
    *cell = head_of(TAG_STRING, text.n);
    if (count) {
        cell[count] = 0;
        memcpy(cell + 1, text.p, text.n);
    }
    cells->n += (1 + count) * 4;
}

void cells_add_int(struct buf *cells, int64_t value)
{
    uint32_t *cell = cells_room(cells, 3);
    if (value >= SMALL_MIN && value <= SMALL_MAX) {
        *cell = (uint32_t)value << TAG_BITS | TAG_SMALL;
        cells->n += 4;
        return;
    }
    *cell = head_of(TAG_INT, 0);
    memcpy(cell + 1, &value, sizeof value);
    cells->n += 12;
}
