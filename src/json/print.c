/* json/print.c — prints values: compact, pretty and canonical. */
#include "json/json_int.h"

/* ---- strings ---- */

/* The high bit of each byte that must be escaped. Bytes behind the first such byte may be
 * marked wrongly. */
static inline uint64_t escaped_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    return ((quote - ones) | (backslash - ones) | (word - ones * 0x20)) & ~word & (ones * 0x80);
}

static inline bool needs_escape(char c) { return c == '"' || c == '\\' || (unsigned char)c < 0x20; }

/* copy_clean() for less than eight bytes. */
static inline size_t copy_few_clean(const char *p, size_t n, char *to)
{
    if (n >= 4) {
        uint32_t first = half_word_at(p), last = half_word_at(p + n - 4);
        memcpy(to, &first, 4);
        memcpy(to + n - 4, &last, 4);
        if (!escaped_bytes((uint64_t)last << 32 | first)) return n;
    }
    size_t i = 0;
    for (; i < n && !needs_escape(p[i]); i++) to[i] = p[i];
    return i;
}

/* Copies up to the first character that must be escaped, and says how many these are; there is
 * room for all n. The last bytes are copied together with some that already were. */
static inline size_t copy_clean(const char *p, size_t n, char *to)
{
    if (n < 8) return copy_few_clean(p, n, to);
    for (size_t i = 0, last = n - 8;; i = i + 8 < last ? i + 8 : last) {
        uint64_t word = word_at(p + i), marks = escaped_bytes(word);
        memcpy(to + i, &word, 8);
        if (marks) return i + (size_t)__builtin_ctzll(marks) / 8;
        if (i == last) return n;
    }
}

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

__attribute__((noinline)) static void print_any_string(str text, struct buf *out)
{
    const char *p = text.n ? text.p : "", *end = p + text.n; /* An empty text may be NULL. */
    buf_add_char(out, '"');
    while (p < end) {
        char *to = buf_reserve(out, (size_t)(end - p) + ESCAPE_CHARS_MAX);
        size_t n = copy_clean(p, (size_t)(end - p), to);
        p += n;
        to += n;
        if (p < end) to = print_escape(*p++, to);
        out->n = (size_t)(to - out->p);
    }
    buf_add_char(out, '"');
}

/* Most strings have nothing to escape and room where they go; what else there is starts again. */
void json_print_string(str text, struct buf *out)
{
    if (out->cap - out->n >= text.n + 2) {
        char *to = out->p + out->n;
        if (copy_clean(text.p, text.n, to + 1) == text.n) {
            to[0] = to[text.n + 1] = '"';
            out->n += text.n + 2;
            return;
        }
    }
    print_any_string(text, out);
}

/* A member's name, behind the brace or comma. */
static inline void print_name(char mark, str name, struct buf *out)
{
    char *to = buf_reserve(out, name.n + 4);
    to[0] = mark;
    if (copy_clean(name.p, name.n, to + 2) < name.n) {
        out->n++;
        print_any_string(name, out);
        buf_add_char(out, ':');
        return;
    }
    to[1] = to[name.n + 2] = '"';
    to[name.n + 3] = ':';
    out->n += name.n + 4;
}

/* ---- other leaves ---- */

/* Apart from print_leaf(), which then needs no stack. */
__attribute__((noinline)) static void print_int(int64_t value, struct buf *out)
{
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0) buf_add_char(out, '-');
    size_t n = 1;
    for (uint64_t rest = left; rest >= 10; rest /= 10) n++;
    char *to = buf_reserve(out, n);
    for (size_t i = n; i--; left /= 10) to[i] = (char)('0' + left % 10);
    out->n += n;
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

static void print_container(const uint32_t *container, struct buf *out)
{
    bool object = tag_of(container) == TAG_OBJECT;
    char mark = object ? '{' : '[';
    const uint32_t *child = body_of(container);
    if (!n_of(container)) buf_add_char(out, mark);
    for (uint32_t left = n_of(container); left; left--) {
        if (object) {
            print_name(mark, string_at(child), out);
            child = cell_after(child);
        } else {
            buf_add_char(out, mark);
        }
        if (tag_of(child) == TAG_STRING) json_print_string(string_at(child), out);
        else if (tag_of(child) < TAG_ARRAY) print_leaf(child, out);
        else print_container(child, out);
        child = cell_after(child);
        mark = ',';
    }
    buf_add_char(out, object ? '}' : ']');
}

void json_print(const struct json *value, struct buf *out)
{
    const uint32_t *cell = cells_of(value);
    if (tag_of(cell) < TAG_ARRAY) {
        print_leaf(cell, out);
        return;
    }
    buf_reserve(out, json_bytes(value)); /* The text is about as long. */
    print_container(cell, out);
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
