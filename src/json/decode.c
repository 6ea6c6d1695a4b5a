/* json/decode.c — bytes from a store, trusted only when checked.
 *
 * After json_decode() all other functions may walk the value without looking at bounds. So
 * each check here is one that some function relies on: lengths and tables (all of them),
 * UTF-8 (printing), the nearest double (arithmetic), sorted and unique names (lookups), the
 * one form of a number and zero padding (comparison by bytes), depth (recursion).
 */
#include "json/json_int.h"

#include "base/utf8.h"

/* A check gets the cell where something begins and the end of what holds it; at least one cell
 * is there. It returns the cell behind it, or NULL if there is something wrong. */
struct decoder {
    struct arena *arena; /* For the marks. */
    uint32_t depth;
};

static bool padding_is_zero(const uint32_t *last, size_t n) { return n % 4 == 0 || !(*last >> n % 4 * 8); }

static const uint32_t *check_int(const uint32_t *cell, const uint32_t *end)
{
    int64_t value;
    bool good = end - cell >= 3 && n_of(cell) == 0 && plain_int_at(cell, &value) &&
                (value < SMALL_MIN || value > SMALL_MAX);
    return good ? cell + 3 : NULL;
}

/* We did not write a number that we would now write in another form. */
__attribute__((noinline)) static const uint32_t *check_number(const uint32_t *cell, const uint32_t *end)
{
    if (n_of(cell) > JSON_NUMBER_BYTES_MAX || (size_t)(end - cell) < cell_count(cell)) return NULL;
    str text = number_text_at(cell);
    const uint32_t *behind = cell_after(cell);
    struct literal literal;
    const char *text_end = text.p + text.n;
    if (json_literal_scan(text.p, text_end, &literal) || literal.end != text_end) return NULL;
    if (!padding_is_zero(behind - 1, text.n)) return NULL;
    double value;
    return json_literal_number(text, &literal, &value) && memcmp(&value, cell + 1, sizeof value) == 0 ? behind
                                                                                                      : NULL;
}

__attribute__((noinline)) static const uint32_t *check_utf8(const uint32_t *string, const uint32_t *behind)
{
    return utf8_is_valid(string_at(string)) ? behind : NULL;
}

static inline const uint32_t *check_string(const uint32_t *cell, const uint32_t *end)
{
    size_t n = n_of(cell), count = cells_for(n);
    if ((size_t)(end - cell) <= count) return NULL;
    const uint32_t *p = cell + 1, *behind = p + count;
    if (!padding_is_zero(behind - 1, n)) return NULL;
    uint64_t bits = 0;
    for (; behind - p >= 2; p += 2) bits |= word_at((const char *)p);
    if (p < behind) bits |= *p;
    bool ascii = !(bits & UINT64_C(0x8080808080808080)); /* Most text is. */
    return ascii ? behind : check_utf8(cell, behind);
}

static const uint32_t *check_value(struct decoder *decoder, const uint32_t *cell, const uint32_t *end);

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
        if (item >= end || (has_table && end[i] != (size_t)(item - body))) return false;
        item = check_value(decoder, item, end);
        if (!item) return false;
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
    uint64_t seen = 0;
    for (size_t i = 0; i < n_of(object); i++) {
        if (name >= end || tag_of(name) != TAG_STRING) return false;
        const uint32_t *value = check_string(name, end);
        if (!value || value >= end) return false;
        if (has_table) mark(&names, (size_t)(name - body));
        else if (cells_name_repeats(&seen, body, name)) return false;
        name = check_value(decoder, value, end);
        if (!name) return false;
    }
    return name == end && (!has_table || check_object_table(object, &names));
}

/* Apart from check_value(), which then needs no stack. */
__attribute__((noinline)) static const uint32_t *check_container(struct decoder *decoder,
                                                                 const uint32_t *cell, const uint32_t *end)
{
    if (end - cell < 2 || (size_t)(end - cell) - 2 < cell[1]) return NULL;
    if (decoder->depth == JSON_DEPTH_MAX) return NULL;
    uint32_t count = n_of(cell);
    bool has_table = count >= TABLE_COUNT_MIN;
    if (has_table && count > cell[1]) return NULL;

    const uint32_t *behind = body_of(cell) + cell[1], *children_end = behind - (has_table ? count : 0);
    decoder->depth++;
    bool good = tag_of(cell) == TAG_ARRAY ? check_items(decoder, cell, children_end)
                                          : check_members(decoder, cell, children_end);
    decoder->depth--;
    return good ? behind : NULL;
}

static const uint32_t *check_value(struct decoder *decoder, const uint32_t *cell, const uint32_t *end)
{
    switch (tag_of(cell)) {
    case TAG_NULL:
    case TAG_FALSE:
    case TAG_TRUE: return n_of(cell) == 0 ? cell + 1 : NULL;
    case TAG_SMALL: return cell + 1;
    case TAG_INT: return check_int(cell, end);
    case TAG_NUMBER: return check_number(cell, end);
    case TAG_STRING: return check_string(cell, end);
    case TAG_ARRAY:
    case TAG_OBJECT: return check_container(decoder, cell, end);
    default: return NULL;
    }
}

const struct json *json_decode(str bytes, struct arena *arena)
{
    if (!bytes.n || bytes.n % 4) return NULL;
    uint32_t *cells = arena_alloc(arena, bytes.n);
    memcpy(cells, bytes.p, bytes.n);
    const uint32_t *end = cells + bytes.n / 4;
    struct decoder decoder = { .arena = arena };
    return check_value(&decoder, cells, end) == end ? value_at(cells) : NULL;
}

const struct json *json_borrow(str bytes)
{
    const uint32_t *cell = (const uint32_t *)(const void *)bytes.p;
    must((uintptr_t)bytes.p % sizeof *cell == 0 && bytes.n >= sizeof *cell);
    must(tag_of(cell) < TAG_ARRAY || bytes.n >= 2 * sizeof *cell);
    must(cell_count(cell) * sizeof *cell <= bytes.n);
    return value_at(cell);
}
