#include "json/json_int.h"

/* ---- strings ---- */

/* The high bit of each byte that must be escaped. Bytes behind the first such byte may be
 * marked wrongly. */
static inline uint64_t escaped_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
            ((word - ones * 0x20) & ~word)) & (ones * 0x80);
}

static inline bool needs_escape(char c) { return c == '"' || c == '\\' || (unsigned char)c < 0x20; }

/* Copies up to the first character that must be escaped. */
static inline const char *copy_clean(const char *p, const char *end, char **to)
{
    char *out = *to;
    for (; end - p >= 8; p += 8, out += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        if (escaped_bytes(word)) break;
        memcpy(out, &word, 8);
    }
    while (p < end && !needs_escape(*p)) *out++ = *p++;
    *to = out;
    return p;
}

enum { ESCAPE_CHARS_MAX = 6 };

static char *print_escape(char c, char *out)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
    };
    *out++ = '\\';
    if ((unsigned char)c >= 0x20) {
        *out++ = c;
    } else if (letters[(unsigned char)c]) {
        *out++ = letters[(unsigned char)c];
    } else {
        memcpy(out, "u00", 3);
        out[3] = hex[c >> 4];
        out[4] = hex[c & 15];
        out += 5;
    }
    return out;
}

void json_print_string(str text, struct buf *out)
{
    const char *p = text.p, *end = text.p + text.n;
    char *to = buf_reserve(out, text.n + 2);
    *to++ = '"';
    while ((p = copy_clean(p, end, &to)) < end) {
        out->n = (size_t)(to - out->p);
        to = buf_reserve(out, ESCAPE_CHARS_MAX + (size_t)(end - p) + 1);
        to = print_escape(*p++, to);
    }
    *to++ = '"';
    out->n = (size_t)(to - out->p);
}

/* ---- other leaves ---- */

static void print_int(int64_t value, struct buf *out)
{
    char digits[20], *p = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) buf_add_char(out, '-');
    buf_add(out, p, (size_t)(digits + sizeof digits - p));
}

static void print_leaf(const uint32_t *cell, struct buf *out)
{
    int64_t integer;
    switch (tag_of(cell)) {
    case TAG_NULL: buf_add_str(out, STR("null")); break;
    case TAG_FALSE: buf_add_str(out, STR("false")); break;
    case TAG_TRUE: buf_add_str(out, STR("true")); break;
    case TAG_NUMBER: buf_add_str(out, number_text_at(cell)); break;
    case TAG_STRING: json_print_string(string_at(cell), out); break;
    default:
        if (plain_int_at(cell, &integer)) print_int(integer, out);
    }
}

/* ---- compact ---- */

void json_print(const struct json *value, struct buf *out)
{
    const uint32_t *cell = cells_of(value);
    enum json_tag tag = tag_of(cell);
    if (tag < TAG_ARRAY) {
        print_leaf(cell, out);
        return;
    }
    buf_add_char(out, tag == TAG_OBJECT ? '{' : '[');
    const uint32_t *child = body_of(cell);
    for (uint32_t left = n_of(cell); left; left--) {
        if (tag == TAG_OBJECT) {
            json_print_string(string_at(child), out);
            buf_add_char(out, ':');
            child = cell_after(child);
        }
        json_print(value_at(child), out);
        if (left > 1) buf_add_char(out, ',');
        child = cell_after(child);
    }
    buf_add_char(out, tag == TAG_OBJECT ? '}' : ']');
}

/* ---- pretty ---- */

static void print_line(struct buf *out, size_t level)
{
    char *to = buf_reserve(out, 1 + level * 2);
    *to = '\n';
    memset(to + 1, ' ', level * 2);
    out->n += 1 + level * 2;
}

static void print_pretty(const struct json *value, size_t level, struct buf *out)
{
    if (!json_count(value)) {
        json_print(value, out);
        return;
    }
    bool object = json_kind(value) == JSON_OBJECT;
    buf_add_char(out, object ? '{' : '[');
    struct json_each each = json_each(value);
    while (json_next(&each)) {
        print_line(out, level + 1);
        if (object) {
            json_print_string(each.name, out);
            buf_add_str(out, STR(": "));
        }
        print_pretty(each.value, level + 1, out);
        if (each.left_) buf_add_char(out, ',');
    }
    print_line(out, level);
    buf_add_char(out, object ? '}' : ']');
}

void json_print_pretty(const struct json *value, struct buf *out) { print_pretty(value, 0, out); }

/* ---- canonical ---- */

static void print_canonical_number(const uint32_t *cell, struct buf *out)
{
    struct decimal decimal;
    char text[DECIMAL_CHARS_MAX];
    json_decimal_of(cell, &decimal);
    buf_add_str(out, json_decimal_print(&decimal, text));
}

static void print_canonical_member(const uint32_t *name, bool first, struct buf *out)
{
    if (!first) buf_add_char(out, ',');
    json_print_string(string_at(name), out);
    buf_add_char(out, ':');
    json_print_canonical(value_at(cell_after(name)), out);
}

/* A table for an object that has none, sorted by insertion. */
static void sort_small(const uint32_t *object, uint32_t ret_table[TABLE_COUNT_MIN])
{
    const uint32_t *body = body_of(object), *name = body;
    for (uint32_t i = 0; i < n_of(object); i++) {
        uint32_t k = i;
        for (; k && str_compare(string_at(body + ret_table[k - 1]), string_at(name)) > 0; k--)
            ret_table[k] = ret_table[k - 1];
        ret_table[k] = (uint32_t)(name - body);
        name = cell_after(cell_after(name));
    }
}

static void print_canonical_object(const uint32_t *object, struct buf *out)
{
    uint32_t small[TABLE_COUNT_MIN];
    const uint32_t *table = small;
    if (n_of(object) >= TABLE_COUNT_MIN) table = table_of(object);
    else sort_small(object, small);
    buf_add_char(out, '{');
    for (uint32_t i = 0; i < n_of(object); i++)
        print_canonical_member(body_of(object) + table[i], i == 0, out);
    buf_add_char(out, '}');
}

static void print_canonical_array(const struct json *array, struct buf *out)
{
    buf_add_char(out, '[');
    struct json_each each = json_each(array);
    while (json_next(&each)) {
        json_print_canonical(each.value, out);
        if (each.left_) buf_add_char(out, ',');
    }
    buf_add_char(out, ']');
}

void json_print_canonical(const struct json *value, struct buf *out)
{
    const uint32_t *cell = cells_of(value);
    switch (tag_of(cell)) {
    case TAG_NUMBER: print_canonical_number(cell, out); break;
    case TAG_ARRAY: print_canonical_array(value, out); break;
    case TAG_OBJECT: print_canonical_object(cell, out); break;
    default: print_leaf(cell, out);
    }
}
