/* json/decode.c — bytes from a store, trusted only when checked.
 *
 * After json_decode() all other functions may walk the value without looking at bounds. So
 * each check here is one that some function relies on: lengths and tables (all of them),
 * UTF-8 (printing), the nearest double (arithmetic), sorted and unique names (lookups), the
 * one form of a number and zero padding (comparison by bytes), depth (recursion).
 */
#include "json/json_int.h"

struct decoder {
    const uint32_t *end;
    struct arena *arena; /* For the marks. */
    uint32_t depth;
};

static size_t room(const struct decoder *decoder, const uint32_t *cell)
{
    return (size_t)(decoder->end - cell);
}

static bool padding_is_zero(const char *text, size_t n)
{
    for (; n % 4; n++)
        if (text[n]) return false;
    return true;
}

static bool check_int(const struct decoder *decoder, const uint32_t *cell)
{
    int64_t value;
    return room(decoder, cell) >= 3 && n_of(cell) == 0 && plain_int_at(cell, &value) &&
           (value < SMALL_MIN || value > SMALL_MAX);
}

static bool check_number(const struct decoder *decoder, const uint32_t *cell)
{
    if (n_of(cell) > JSON_NUMBER_BYTES_MAX || room(decoder, cell) < cell_count(cell)) return false;
    str text = number_text_at(cell);
    struct literal literal;
    const char *end = text.p + text.n;
    if (json_literal_scan(text.p, end, &literal) || literal.end != end) return false;
    /* Whatever is not written as it would be now was not written by us. */
    uint32_t again[3 + JSON_NUMBER_BYTES_MAX / 4 + 1];
    struct buf cells = { .p = (char *)again, .cap = sizeof again };
    return cells_add_literal(&cells, text, &literal) == ST_OK &&
           cells.n == cell_count(cell) * 4 && memcmp(again, cell, cells.n) == 0;
}

static bool check_string(const struct decoder *decoder, const uint32_t *cell)
{
    size_t count = cell_count(cell);
    if (room(decoder, cell) < count) return false;
    str text = string_at(cell);
    if (!padding_is_zero(text.p, text.n)) return false;
    uint32_t bits = 0;
    for (size_t i = 1; i < count; i++) bits |= cell[i];
    return !(bits & 0x80808080) || str_is_utf8(text); /* Most text is ASCII. */
}

static bool check_value(struct decoder *decoder, const uint32_t *cell);

/* One bit for each cell of a body: whether a member starts there. */
struct marks {
    uint8_t *byte;
    size_t count;
};

static void mark(struct marks *marks, size_t i) { marks->byte[i / 8] |= (uint8_t)(1u << i % 8); }
static bool marked(const struct marks *marks, size_t i)
{
    return i < marks->count && marks->byte[i / 8] >> i % 8 & 1;
}

/* The table names each member once if it names only members, and in ascending order. */
static bool check_object_table(const uint32_t *object, const struct marks *names)
{
    const uint32_t *body = body_of(object), *table = table_of(object);
    for (size_t i = 0; i < n_of(object); i++) {
        if (!marked(names, table[i])) return false;
        if (i && str_compare(string_at(body + table[i - 1]), string_at(body + table[i])) >= 0) return false;
    }
    return true;
}

/* The two checks of children end where the table starts, or the body. */
static bool check_items(struct decoder *decoder, const uint32_t *array, const uint32_t *end)
{
    bool has_table = n_of(array) >= TABLE_COUNT_MIN;
    const uint32_t *body = body_of(array), *item = body;
    for (size_t i = 0; i < n_of(array); i++) {
        if (item >= end || !check_value(decoder, item)) return false;
        if (has_table && end[i] != (size_t)(item - body)) return false;
        item = cell_after(item);
    }
    return item == end;
}

static bool check_members(struct decoder *decoder, const uint32_t *object, const uint32_t *end)
{
    bool has_table = n_of(object) >= TABLE_COUNT_MIN;
    struct marks names = { NULL, 0 };
    if (has_table) {
        names.count = object[1];
        names.byte = arena_zero(decoder->arena, names.count / 8 + 1, 1);
    }
    const uint32_t *body = body_of(object), *name = body;
    for (size_t i = 0; i < n_of(object); i++) {
        if (name >= end || tag_of(name) != TAG_STRING || !check_string(decoder, name)) return false;
        if (has_table) mark(&names, (size_t)(name - body));
        const uint32_t *value = cell_after(name);
        if (value >= end || !check_value(decoder, value)) return false;
        name = cell_after(value);
    }
    if (name != end) return false;
    return has_table ? check_object_table(object, &names) : cells_find_repeat(object) == SIZE_MAX;
}

static bool check_container(struct decoder *decoder, const uint32_t *cell)
{
    if (room(decoder, cell) < 2 || room(decoder, cell) - 2 < cell[1]) return false;
    if (decoder->depth == JSON_DEPTH_MAX) return false;
    uint32_t count = n_of(cell);
    bool has_table = count >= TABLE_COUNT_MIN;
    if (has_table && count > cell[1]) return false;

    const uint32_t *outer_end = decoder->end;
    const uint32_t *end = body_of(cell) + cell[1] - (has_table ? count : 0);
    decoder->end = end;
    decoder->depth++;
    bool array = tag_of(cell) == TAG_ARRAY;
    bool good = array ? check_items(decoder, cell, end) : check_members(decoder, cell, end);
    decoder->depth--;
    decoder->end = outer_end;
    return good;
}

/* There is at least one cell. */
static bool check_value(struct decoder *decoder, const uint32_t *cell)
{
    switch (tag_of(cell)) {
    case TAG_NULL:
    case TAG_FALSE:
    case TAG_TRUE: return n_of(cell) == 0;
    case TAG_SMALL: return true;
    case TAG_INT: return check_int(decoder, cell);
    case TAG_NUMBER: return check_number(decoder, cell);
    case TAG_STRING: return check_string(decoder, cell);
    case TAG_ARRAY:
    case TAG_OBJECT: return check_container(decoder, cell);
    default: return false;
    }
}

const struct json *json_decode(str bytes, struct arena *arena)
{
    if (!bytes.n || bytes.n % 4) return NULL;
    uint32_t *cells = arena_alloc(arena, bytes.n);
    memcpy(cells, bytes.p, bytes.n);
    struct decoder decoder = { .end = cells + bytes.n / 4, .arena = arena };
    if (!check_value(&decoder, cells) || cell_after(cells) != decoder.end) return NULL;
    return value_at(cells);
}
