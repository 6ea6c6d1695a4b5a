/* json/parse.c — text → value, strictly, in one pass.
 *
 * Cells are written in the order of the text; a container's head is completed when it
 * closes. Repeated names are noticed on the way while an object has no table, and through
 * its table else, but complained about only when it closes. Room for a string is made for
 * the whole rest of the text (a string in cells is never longer than in the text), so
 * copying needs no checks.
 *
 * Each function takes the place where its part of the text begins and returns the place behind it, or NULL
 * after it has noted in the parser what is wrong. The common cases are short and call nothing; each rare one
 * has a function of its own that starts anew.
 */
#include "json/json_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

struct json_parser {
    const char *end;
    str text;
    struct buf cells;
    uint32_t depth;
    uint32_t depth_max;
    struct error *err;
    enum status status; /* The status of the failure. */
};

/* A character makes at most two cells ("-0," makes five with its table entry), so that the
 * cells of this much text can be counted in 32 bits. */

__attribute__((cold)) static const char *wrong(struct json_parser *parser, const char *at,
                                               const char *complaint)
{
    struct utf8_place place = utf8_place(parser->text, (size_t)(at - parser->text.p));
    parser->status = fail_at(parser->err, ST_INVALID, place.line, place.column, "%s", complaint);
    return NULL;
}

__attribute__((cold)) static const char *over_limit(struct json_parser *parser, const char *at,
                                                    const char *what, size_t most, const char *name)
{
    struct utf8_place place = utf8_place(parser->text, (size_t)(at - parser->text.p));
    parser->status =
        fail_at(parser->err, ST_LIMIT, place.line, place.column, "%s %zu (%s)", what, most, name);
    return NULL;
}

/* ---- strings ---- */

/* The high bit of each byte that ends a run of plain characters: '"', '\', controls and
 * what is not ASCII. Bytes behind the first such byte may be marked wrongly. */
static inline uint64_t special_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    /* Subtracting sets the high bit of what is too small, and keeps it only where the word has it. */
    return ((quote - ones) | (backslash - ones) | (word - ones * 0x20) | word) & (ones * 0x80);
}

/* Copies plain characters, eight at a time. Writes up to seven bytes too many. */
static inline const char *copy_plain(const char *p, const char *end, char **to)
{
    char *out = *to;
    while (end - p >= 8) {
        uint64_t word = word_at(p), special = special_bytes(word);
        memcpy(out, &word, 8);
        if (special) {
            size_t plain = (size_t)__builtin_ctzll(special) / 8;
            *to = out + plain;
            return p + plain;
        }
        p += 8;
        out += 8;
    }
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80)
        *out++ = *p++;
    *to = out;
    return p;
}

/* Copies the run of bytes beyond ASCII at p: a character has no others. */
static const char *copy_characters(const char *p, const char *end, char **to)
{
    const char *from = p;
    while (p < end && (unsigned char)*p >= 0x80) p++;
    str run = { from, (size_t)(p - from) };
    if (!utf8_is_valid(run)) return NULL;
    memcpy(*to, run.p, run.n);
    *to += run.n;
    return p;
}

/* Copies a string and returns where its closing quote is. */
static const char *copy_special(struct json_parser *parser, const char *open, char **to)
{
    const char *p = open + 1, *end = parser->end;
    for (;;) {
        const char *complaint = NULL;
        p = copy_plain(p, end, to);
        if (p >= end) {
            p = open;
            complaint = "the string has no end";
        } else if (*p == '"') {
            return p;
        } else if (*p == '\\') {
            char bytes[4];
            size_t count = 0;
            complaint = text_escape(&p, end, bytes, &count);
            memcpy(*to, bytes, count);
            *to += count;
        } else if ((unsigned char)*p >= 0x80) {
            const char *behind = copy_characters(p, end, to);
            if (behind) p = behind;
            else complaint = "not UTF-8";
        } else {
            complaint = "control characters in a string must be escaped";
        }
        if (complaint) return wrong(parser, p, complaint);
    }
}

/* Completes the string whose bytes end at `end`. */
static inline void end_string(struct json_parser *parser, uint32_t *head, char *end)
{
    size_t n = (size_t)(end - (char *)(head + 1));
    memset(end, 0, 4);
    *head = head_of(TAG_STRING, n);
    parser->cells.n += (1 + cells_for(n)) * 4;
}

/* The room a string may need: its head, the bytes written beyond its end, and the rest of the text. */
static inline size_t string_room(const struct json_parser *parser, const char *open)
{
    return (4 + (size_t)(parser->end - open) / 4) * 4;
}

__attribute__((noinline)) static const char *parse_any_string(struct json_parser *parser, const char *open)
{
    uint32_t *head = (uint32_t *)(void *)buf_reserve(&parser->cells, string_room(parser, open));
    char *out = (char *)(head + 1);
    const char *p = copy_special(parser, open, &out);
    if (!p) return NULL;
    end_string(parser, head, out);
    return p + 1;
}

/* At the opening quote. Most strings are plain; what else there is starts again. */
static const char *parse_string(struct json_parser *parser, const char *open)
{
    if (parser->cells.cap - parser->cells.n < string_room(parser, open))
        return parse_any_string(parser, open);
    uint32_t *head = cell_at_offset(&parser->cells, parser->cells.n);
    char *out = (char *)(head + 1);
    const char *p = copy_plain(open + 1, parser->end, &out);
    if (p >= parser->end || *p != '"') return parse_any_string(parser, open);
    end_string(parser, head, out);
    return p + 1;
}

/* ---- numbers and words ---- */

__attribute__((noinline)) static const char *parse_any_number(struct json_parser *parser, const char *p)
{
    struct literal literal;
    const char *complaint = json_literal_scan(p, parser->end, &literal);
    if (complaint) return wrong(parser, literal.end, complaint);
    str text = { p, (size_t)(literal.end - p) };
    if (text.n > JSON_NUMBER_BYTES_MAX)
        return over_limit(parser, p, "a number has more characters than", JSON_NUMBER_BYTES_MAX,
                          "JSON_NUMBER_BYTES_MAX");
    if (number_add_literal(&parser->cells, text, &literal) != ST_OK)
        return over_limit(parser, p, "a number has an exponent beyond", NUMBER_EXPONENT_MAX,
                          "NUMBER_EXPONENT_MAX");
    return literal.end;
}

/* Most numbers are integers of a few digits; what else there is starts again. */
__attribute__((noinline)) static const char *parse_number(struct json_parser *parser, const char *number)
{
    const char *p = number, *end = parser->end;
    int64_t value = 0;
    for (; p < end && ascii_is_digit(*p); p++) {
        if (value > SMALL_MAX) return parse_any_number(parser, number);
        value = value * 10 + (*p - '0');
    }
    bool whole = p > number && (*number != '0' || p == number + 1);
    if (!whole || (p < end && (*p == '.' || *p == 'e' || *p == 'E'))) return parse_any_number(parser, number);
    cells_add_int(&parser->cells, value);
    return p;
}

__attribute__((noinline)) static const char *parse_word(struct json_parser *parser, const char *p)
{
    size_t left = (size_t)(parser->end - p);
    enum json_tag tag = TAG_NULL;
    size_t n = 4;
    if (left >= 4 && memcmp(p, "true", 4) == 0) tag = TAG_TRUE;
    else if (left >= 5 && memcmp(p, "false", 5) == 0) tag = TAG_FALSE, n = 5;
    else if (left < 4 || memcmp(p, "null", 4) != 0) return wrong(parser, p, "expected a value");
    cells_add_head(&parser->cells, head_of(tag, 0));
    return p + n;
}

/* ---- arrays and objects ---- */

static const char *parse_value(struct json_parser *parser, const char *p);

static inline bool next_is(const char *p, const char *end, char c) { return p < end && *p == c; }

/* text_skip_space(), before a character that mostly comes without any. */
static inline const char *skip_to(const char *p, const char *end, char c)
{
    return next_is(p, end, c) ? p : text_skip_space(p, end);
}

__attribute__((cold)) static const char *too_many(struct json_parser *parser, const char *at)
{
    return over_limit(parser, at, "an array or object has more children than", JSON_MEMBERS_MAX,
                      "JSON_MEMBERS_MAX");
}

static const char *parse_array(struct json_parser *parser, const char *p)
{
    const char *end = parser->end;
    size_t offset = cells_open(&parser->cells, TAG_ARRAY), count = 0;
    p = text_skip_space(p + 1, end);
    bool more = !next_is(p, end, ']');
    while (more) {
        p = parse_value(parser, p);
        if (!p) return NULL;
        p = skip_to(p, end, ',');
        more = next_is(p, end, ',');
        if (++count == JSON_MEMBERS_MAX && more) return too_many(parser, p);
        p += more;
    }
    if (!next_is(p, end, ']')) return wrong(parser, p, "expected ',' or ']'");
    cells_close(&parser->cells, offset, TAG_ARRAY, count);
    return p + 1;
}

__attribute__((cold)) static const char *repeated(struct json_parser *parser, const char *open,
                                                  const uint32_t *object, size_t index)
{
    const uint32_t *name = body_of(object);
    for (size_t i = 0; i < index; i++) name = cell_after(cell_after(name));
    const char *at = text_member_name(open, parser->end, index);
    struct utf8_place place = utf8_place(parser->text, (size_t)(at - parser->text.p));
    parser->status = fail_at(parser->err, ST_INVALID, place.line, place.column, "duplicate name \"%.*s\"",
                             STR_ARG(string_at(name)));
    return NULL;
}

/* Leaves the offset of the name's cells. */
static inline const char *parse_name(struct json_parser *parser, const char *p, size_t *ret_offset)
{
    const char *end = parser->end;
    p = skip_to(p, end, '"');
    if (!next_is(p, end, '"')) return wrong(parser, p, "expected a name");
    *ret_offset = parser->cells.n;
    p = parse_string(parser, p);
    if (!p) return NULL;
    p = skip_to(p, end, ':');
    return next_is(p, end, ':') ? p + 1 : wrong(parser, p, "expected ':'");
}

static const char *parse_object(struct json_parser *parser, const char *open)
{
    size_t offset = cells_open(&parser->cells, TAG_OBJECT), count = 0;
    uint64_t seen = 0;
    bool has_repeated = false;
    const char *end = parser->end, *p = text_skip_space(open + 1, end);
    bool more = !next_is(p, end, '}');
    while (more) {
        size_t name = 0;
        p = parse_name(parser, p, &name);
        if (!p) return NULL;
        if (count < TABLE_COUNT_MIN)
            has_repeated |= cells_name_repeats(&seen, cell_at_offset(&parser->cells, offset) + 2,
                                               cell_at_offset(&parser->cells, name));
        p = parse_value(parser, p);
        if (!p) return NULL;
        p = skip_to(p, end, ',');
        more = next_is(p, end, ',');
        if (++count == JSON_MEMBERS_MAX && more) return too_many(parser, p);
        p += more;
    }
    if (!next_is(p, end, '}')) return wrong(parser, p, "expected ',' or '}'");
    cells_close(&parser->cells, offset, TAG_OBJECT, count);
    if (!has_repeated && count < TABLE_COUNT_MIN) return p + 1;
    const uint32_t *object = cell_at_offset(&parser->cells, offset);
    size_t index = cells_find_repeat(object);
    return index == SIZE_MAX ? p + 1 : repeated(parser, open, object, index);
}

__attribute__((noinline)) static const char *parse_container(struct json_parser *parser, const char *p)
{
    if (parser->depth == parser->depth_max)
        return over_limit(parser, p, "nested deeper than", parser->depth_max, "JSON_DEPTH_MAX");
    parser->depth++;
    p = *p == '{' ? parse_object(parser, p) : parse_array(parser, p);
    parser->depth--;
    return p;
}

/* All that it calls is apart, so that it needs no stack of its own. */
static const char *parse_value(struct json_parser *parser, const char *p)
{
    p = skip_to(p, parser->end, '"');
    if (p >= parser->end) return wrong(parser, p, "expected a value");
    char c = *p;
    if (c == '"') return parse_string(parser, p);
    if (c == '{' || c == '[') return parse_container(parser, p);
    if (c == '-' || ascii_is_digit(c)) return parse_number(parser, p);
    return parse_word(parser, p);
}

enum status json_parse(str text, const struct json_limits *limits, struct arena *arena,
                       const struct json **ret_value, struct error *err)
{
    size_t bytes_max = limits && limits->bytes_max ? limits->bytes_max : TEXT_BYTES_MAX;
    if (bytes_max > TEXT_BYTES_MAX) bytes_max = TEXT_BYTES_MAX;
    if (text.n > bytes_max)
        return fail(err, ST_LIMIT, NULL, "%zu bytes of JSON; the most is %zu (body_bytes_max)", text.n,
                    bytes_max);

    struct json_parser parser = {
        .end = text.p + text.n, .text = text, .depth_max = JSON_DEPTH_MAX, .err = err
    };
    if (limits && limits->depth_max && limits->depth_max < JSON_DEPTH_MAX)
        parser.depth_max = limits->depth_max;
    buf_init(&parser.cells, arena);
    buf_reserve(&parser.cells, text.n + text.n / 2 + 64); /* Enough for most texts. */
    const char *p = parse_value(&parser, text.p);
    if (!p) return parser.status;
    if (limits && limits->rest) {
        *limits->rest = (size_t)(p - text.p);
        p = parser.end;
    }
    p = text_skip_space(p, parser.end);
    if (p != parser.end) {
        wrong(&parser, p, "expected the end of the text");
        return parser.status;
    }
    *ret_value = value_at(cell_at_offset(&parser.cells, 0));
    return ST_OK;
}
