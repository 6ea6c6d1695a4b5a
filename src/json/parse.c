/* json/parse.c — text → value, strictly, in one pass.
 *
 * Cells are written in the order of the text; a container's head is completed when it
 * closes, and only then are its names checked, through its table if it has one. Room for a
 * string is made for the whole rest of the text (a string in cells is never longer than in
 * the text), so copying needs no checks.
 */
#include "json/json_int.h"

struct parser {
    const char *p;
    const char *end;
    str text;
    struct buf cells;
    uint32_t depth;
    uint32_t depth_max;
    struct error *err;
};

/* A character makes at most two cells ("-0," makes five with its table entry), so that the
 * cells of this much text can be counted in 32 bits. */
#define TEXT_BYTES_MAX ((size_t)HEAD_N_MAX)

static enum status wrong(const struct parser *parser, const char *at, const char *complaint)
{
    struct place place = text_place(parser->text, at);
    return fail_at(parser->err, ST_INVALID, place.line, place.column, "%s", complaint);
}

__attribute__((cold)) static enum status over_limit(const struct parser *parser, const char *at,
                                                    const char *what, size_t most)
{
    struct place place = text_place(parser->text, at);
    return fail_at(parser->err, ST_LIMIT, place.line, place.column, "%s %zu", what, most);
}

/* ---- strings ---- */

/* The high bit of each byte that ends a run of plain characters: '"', '\', controls and
 * what is not ASCII. Bytes behind the first such byte may be marked wrongly. */
static inline uint64_t special_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
    return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
            ((word - ones * 0x20) & ~word) | word) & (ones * 0x80);
}

/* Copies plain characters, eight at a time. Writes up to seven bytes too many. */
static inline const char *copy_plain(const char *p, const char *end, char **to)
{
    char *out = *to;
    while (end - p >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        memcpy(out, &word, 8);
        uint64_t special = special_bytes(word);
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
    if (!str_is_utf8(run)) return NULL;
    memcpy(*to, run.p, run.n);
    *to += run.n;
    return p;
}

/* Copies the rest of a string from the first character on that is not plain; leaves
 * parser->p at the closing quote. NULL after ST_INVALID. Apart from parse_string(), so that
 * most strings need neither a guard on the stack nor variables in memory. */
__attribute__((noinline)) static char *copy_rest(struct parser *parser, const char *p, char *out)
{
    const char *end = parser->end;
    for (;; p = copy_plain(p, end, &out)) {
        const char *complaint = NULL;
        if (p >= end) {
            p = parser->p;
            complaint = "the string has no end";
        } else if (*p == '"') {
            parser->p = p;
            return out;
        } else if (*p == '\\') {
            char bytes[4];
            size_t count = 0;
            complaint = text_escape(&p, end, bytes, &count);
            memcpy(out, bytes, count);
            out += count;
        } else if ((unsigned char)*p >= 0x80) {
            const char *behind = copy_characters(p, end, &out);
            if (behind) p = behind;
            else complaint = "not UTF-8";
        } else {
            complaint = "control characters in a string must be escaped";
        }
        if (complaint) {
            wrong(parser, p, complaint);
            return NULL;
        }
    }
}

/* At the opening quote. */
static enum status parse_string(struct parser *parser)
{
    const char *p = parser->p + 1, *end = parser->end;
    uint32_t *head = cells_room(&parser->cells, 4 + (size_t)(end - p) / 4);
    char *begin = (char *)(head + 1), *out = begin;
    p = copy_plain(p, end, &out);
    if (p < end && *p == '"') parser->p = p;
    else if (!(out = copy_rest(parser, p, out))) return ST_INVALID;
    size_t n = (size_t)(out - begin);
    memset(out, 0, 4);
    *head = head_of(TAG_STRING, n);
    parser->cells.n += (1 + cells_for(n)) * 4;
    parser->p++;
    return ST_OK;
}

/* ---- numbers and words ---- */

static enum status parse_number(struct parser *parser)
{
    struct literal literal;
    const char *complaint = json_literal_scan(parser->p, parser->end, &literal);
    if (complaint) return wrong(parser, literal.end, complaint);
    str text = { parser->p, (size_t)(literal.end - parser->p) };
    if (text.n > JSON_NUMBER_BYTES_MAX)
        return over_limit(parser, parser->p, "a number has more characters than", JSON_NUMBER_BYTES_MAX);
    if (cells_add_literal(&parser->cells, text, &literal) != ST_OK)
        return over_limit(parser, parser->p, "a number has an exponent beyond", NUMBER_EXPONENT_MAX);
    parser->p = literal.end;
    return ST_OK;
}

static enum status parse_word(struct parser *parser)
{
    static const struct { str word; uint32_t head; } words[] = {
        { STR_INIT("null"), TAG_NULL }, { STR_INIT("false"), TAG_FALSE }, { STR_INIT("true"), TAG_TRUE },
    };
    str rest = { parser->p, (size_t)(parser->end - parser->p) };
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!str_starts(rest, words[i].word)) continue;
        cells_add_head(&parser->cells, words[i].head);
        parser->p += words[i].word.n;
        return ST_OK;
    }
    return wrong(parser, parser->p, "expected a value");
}

/* ---- arrays and objects ---- */

static enum status parse_value(struct parser *parser);

static void skip(struct parser *parser) { parser->p = skip_space(parser->p, parser->end); }

static bool next_is(const struct parser *parser, char c)
{
    return parser->p < parser->end && *parser->p == c;
}

/* Behind a child: takes the comma, or sees the end. */
static enum status parse_separator(struct parser *parser, char closing, size_t count, bool *ret_more)
{
    skip(parser);
    *ret_more = next_is(parser, ',');
    if (!*ret_more && !next_is(parser, closing))
        return wrong(parser, parser->p, closing == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    if (*ret_more && count == JSON_MEMBERS_MAX)
        return over_limit(parser, parser->p, "an array or object has more children than", JSON_MEMBERS_MAX);
    parser->p++;
    return ST_OK;
}

static enum status parse_array(struct parser *parser)
{
    size_t offset = cells_open(&parser->cells, TAG_ARRAY), count = 0;
    parser->p++;
    skip(parser);
    bool more = !next_is(parser, ']');
    if (!more) parser->p++;
    while (more) {
        TRY(parse_value(parser));
        TRY(parse_separator(parser, ']', ++count, &more));
    }
    cells_close(&parser->cells, offset, TAG_ARRAY, count);
    return ST_OK;
}

__attribute__((cold)) static enum status repeated(const struct parser *parser, const char *open,
                                                  const uint32_t *object, size_t index)
{
    const uint32_t *name = body_of(object);
    for (size_t i = 0; i < index; i++) name = cell_after(cell_after(name));
    struct place place = text_place(parser->text, text_member_name(open, parser->end, index));
    return fail_at(parser->err, ST_INVALID, place.line, place.column, "duplicate name \"%.*s\"",
                   STR_ARG(string_at(name)));
}

static enum status parse_member(struct parser *parser)
{
    skip(parser);
    if (!next_is(parser, '"')) return wrong(parser, parser->p, "expected a name");
    TRY(parse_string(parser));
    skip(parser);
    if (!next_is(parser, ':')) return wrong(parser, parser->p, "expected ':'");
    parser->p++;
    return parse_value(parser);
}

static enum status parse_object(struct parser *parser)
{
    const char *open = parser->p++;
    size_t offset = cells_open(&parser->cells, TAG_OBJECT), count = 0;
    skip(parser);
    bool more = !next_is(parser, '}');
    if (!more) parser->p++;
    while (more) {
        TRY(parse_member(parser));
        TRY(parse_separator(parser, '}', ++count, &more));
    }
    cells_close(&parser->cells, offset, TAG_OBJECT, count);
    const uint32_t *object = cell_at_offset(&parser->cells, offset);
    size_t index = count > 1 ? cells_find_repeat(object) : SIZE_MAX;
    return index == SIZE_MAX ? ST_OK : repeated(parser, open, object, index);
}

static enum status parse_container(struct parser *parser)
{
    if (parser->depth == parser->depth_max)
        return over_limit(parser, parser->p, "nested deeper than", parser->depth_max);
    parser->depth++;
    TRY(*parser->p == '{' ? parse_object(parser) : parse_array(parser));
    parser->depth--;
    return ST_OK;
}

static enum status parse_value(struct parser *parser)
{
    skip(parser);
    if (parser->p >= parser->end) return wrong(parser, parser->p, "expected a value");
    char c = *parser->p;
    if (c == '"') return parse_string(parser);
    if (c == '{' || c == '[') return parse_container(parser);
    if (c == '-' || (c >= '0' && c <= '9')) return parse_number(parser);
    return parse_word(parser);
}

enum status json_parse(str text, const struct json_limits *limits, struct arena *arena,
                       const struct json **ret_value, struct error *err)
{
    size_t bytes_max = limits && limits->bytes_max ? limits->bytes_max : TEXT_BYTES_MAX;
    if (bytes_max > TEXT_BYTES_MAX) bytes_max = TEXT_BYTES_MAX;
    if (text.n > bytes_max)
        return fail(err, ST_LIMIT, NULL, "%zu bytes of JSON; the most is %zu", text.n, bytes_max);

    struct parser parser = {
        .p = text.p, .end = text.p + text.n, .text = text, .depth_max = JSON_DEPTH_MAX, .err = err
    };
    if (limits && limits->depth_max && limits->depth_max < JSON_DEPTH_MAX)
        parser.depth_max = limits->depth_max;
    buf_init(&parser.cells, arena);
    buf_reserve(&parser.cells, text.n + text.n / 2 + 64); /* Enough for most texts. */
    TRY(parse_value(&parser));
    if (limits && limits->rest) {
        *limits->rest = (size_t)(parser.p - text.p);
        parser.p = parser.end;
    }
    skip(&parser);
    if (parser.p != parser.end) return wrong(&parser, parser.p, "expected the end of the text");
    *ret_value = value_at(cell_at_offset(&parser.cells, 0));
    return ST_OK;
}
