/* jsonpath/parse.c — the text of a path → segments and selectors; path_filter.c does filters.
 *
 * Recursive descent along the grammar of RFC 9535. The leniencies are where the grammar has
 * the dot, so that columns are those of the author's own text.
 */
#include "jsonpath/jsonpath_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors and limits ---- */

enum status path_fail(struct path_parser *parser, enum status status, const char *at, const char *format, ...)
{
    char message[ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct utf8_place place = utf8_place(parser->text, (size_t)(at - parser->text.p));
    return fail_at(parser->err, status, place.line, place.column, "%s", message);
}

const char *path_found(const struct path_parser *parser, char ret_text[8])
{
    if (parser->p == parser->end) return "the end";
    size_t n = 1;
    while (parser->p + n < parser->end && !utf8_begins(parser->p[n])) n++;
    if ((unsigned char)*parser->p < 0x20) return "a control character";
    snprintf(ret_text, 8, "'%.*s'", (int)n, parser->p);
    return ret_text;
}

enum status path_enter(struct path_parser *parser)
{
    if (parser->depth >= PATH_DEPTH_MAX)
        return path_fail(parser, ST_LIMIT, parser->p, "the path is nested more than %d levels deep",
                         PATH_DEPTH_MAX);
    parser->depth++;
    return ST_OK;
}

/* ---- names and numbers ---- */

/* The escape at p, a backslash. A quote may be escaped only inside its own kind. */
static enum status take_escape(struct path_parser *parser, char quote, struct buf *text)
{
    const char *at = parser->p;
    if (parser->end - at >= 2 && (at[1] == '\'' || at[1] == '"')) {
        if (at[1] != quote) return path_fail(parser, ST_INVALID, at, "this quote needs no escape here");
        buf_add_char(text, quote);
        parser->p += 2;
        return ST_OK;
    }
    char bytes[4];
    size_t count;
    const char *complaint = text_escape(&parser->p, parser->end, bytes, &count);
    if (complaint) return path_fail(parser, ST_INVALID, at, "%s", complaint);
    buf_add(text, bytes, count);
    return ST_OK;
}

enum status path_parse_quoted(struct path_parser *parser, str *ret_text)
{
    const char *start = parser->p;
    char quote = *parser->p++;
    struct buf text;
    buf_init(&text, parser->arena);
    while (parser->p < parser->end && *parser->p != quote) {
        if ((unsigned char)*parser->p < 0x20)
            return path_fail(parser, ST_INVALID, parser->p,
                             "a control character must be written as an escape");
        if (*parser->p == '\\') TRY(take_escape(parser, quote, &text));
        else buf_add_char(&text, *parser->p++);
    }
    if (!path_take(parser, quote)) return path_fail(parser, ST_INVALID, start, "the string has no end");
    *ret_text = buf_str(&text);
    return ST_OK;
}

static bool begins_name(char c) { return ascii_is_letter(c) || c == '_' || (unsigned char)c >= 0x80; }

/* A name behind a dot. The parser's text is its own copy, so the name can stay in it. */
static enum status parse_short_name(struct path_parser *parser, str *ret_name)
{
    const char *start = parser->p;
    char found[8];
    if (start == parser->end || !begins_name(*start))
        return path_fail(parser, ST_INVALID, start, "expected a name or '*' behind the dot, not %s",
                         path_found(parser, found));
    while (parser->p < parser->end && (begins_name(*parser->p) || ascii_is_digit(*parser->p))) parser->p++;
    *ret_name = (str){ start, (size_t)(parser->p - start) };
    return ST_OK;
}

/* An index: no leading zero, no -0, within what a double holds exactly. */
static enum status parse_integer(struct path_parser *parser, int64_t *ret_value)
{
    enum { DIGITS_MAX = 16 };
    const int64_t most = (INT64_C(1) << 53) - 1;
    const char *start = parser->p;
    path_take(parser, '-');
    const char *digits = parser->p;
    while (parser->p < parser->end && ascii_is_digit(*parser->p)) parser->p++;
    size_t count = (size_t)(parser->p - digits);
    if (!count) return path_fail(parser, ST_INVALID, digits, "expected a digit");
    if (*digits == '0' && (count > 1 || digits > start))
        return path_fail(parser, ST_INVALID, start,
                         "an index is written without leading zeros and not as -0");
    int64_t value = 0;
    if (count > DIGITS_MAX || !str_to_int64((str){ start, (size_t)(parser->p - start) }, &value) ||
        value > most || value < -most)
        return path_fail(parser, ST_INVALID, start,
                         "an index is at most 2^53 - 1, and at least its negative");
    *ret_value = value;
    return ST_OK;
}

/* ---- selectors ---- */

static bool at_integer(const struct path_parser *parser)
{
    return parser->p < parser->end && (*parser->p == '-' || ascii_is_digit(*parser->p));
}

/* Behind the start of a slice, if it has one, and behind the space that follows. */
static enum status parse_slice(struct path_parser *parser, struct path_selector *selector)
{
    selector->kind = SELECT_SLICE;
    selector->step = 1;
    parser->p++;
    path_skip_space(parser);
    if (at_integer(parser)) {
        selector->has_end = true;
        TRY(parse_integer(parser, &selector->end));
        path_skip_space(parser);
    }
    if (!path_take(parser, ':')) return ST_OK;
    path_skip_space(parser);
    return at_integer(parser) ? parse_integer(parser, &selector->step) : ST_OK;
}

static enum status parse_index_or_slice(struct path_parser *parser, struct path_selector *selector)
{
    if (at_integer(parser)) {
        selector->kind = SELECT_INDEX;
        TRY(parse_integer(parser, &selector->index));
        const char *behind = parser->p;
        path_skip_space(parser);
        if (!path_at(parser, ':')) {
            parser->p = behind;
            return ST_OK;
        }
        selector->has_start = true;
    }
    return parse_slice(parser, selector);
}

static enum status parse_selector(struct path_parser *parser, struct path_selector *ret_selector)
{
    struct path_selector selector = { .kind = SELECT_ALL };
    char found[8];
    if (path_at(parser, '\'') || path_at(parser, '"')) {
        selector.kind = SELECT_NAME;
        TRY(path_parse_quoted(parser, &selector.name));
    } else if (path_take(parser, '?')) {
        selector.kind = SELECT_FILTER;
        path_skip_space(parser);
        TRY(path_parse_filter(parser, &selector.filter));
    } else if (at_integer(parser) || path_at(parser, ':')) {
        TRY(parse_index_or_slice(parser, &selector));
    } else if (!path_take(parser, '*')) {
        return path_fail(parser, ST_INVALID, parser->p,
                         "expected a name in quotes, an index, a slice, '*' or '?', not %s",
                         path_found(parser, found));
    }
    *ret_selector = selector;
    return ST_OK;
}

/* ---- segments ---- */

static enum status parse_brackets(struct path_parser *parser, struct path_segment *segment)
{
    const char *start = parser->p++;
    struct buf selectors;
    struct path_selector selector;
    char found[8];
    buf_init(&selectors, parser->arena);
    do {
        if (segment->count == PATH_SELECTORS_MAX)
            return path_fail(parser, ST_LIMIT, start, "more than %d selectors in brackets",
                             PATH_SELECTORS_MAX);
        path_skip_space(parser);
        TRY(parse_selector(parser, &selector));
        buf_add(&selectors, &selector, sizeof selector);
        segment->count++;
        path_skip_space(parser);
    } while (path_take(parser, ','));
    if (!path_take(parser, ']'))
        return path_fail(parser, ST_INVALID, parser->p, "expected ',' or ']', not %s",
                         path_found(parser, found));
    segment->selector = (const struct path_selector *)(void *)selectors.p;
    return ST_OK;
}

/* What follows one dot or two. */
static enum status parse_dotted(struct path_parser *parser, struct path_segment *segment)
{
    if (path_at(parser, '[') && (segment->descendant || parser->mode == JSONPATH_LENIENT))
        return parse_brackets(parser, segment);
    struct path_selector *selector = arena_make(parser->arena, struct path_selector);
    *selector = (struct path_selector){ .kind = SELECT_ALL };
    if (!path_take(parser, '*')) {
        selector->kind = SELECT_NAME;
        TRY(parse_short_name(parser, &selector->name));
    }
    segment->selector = selector;
    segment->count = 1;
    return ST_OK;
}

static enum status add_segment(struct path_parser *parser, const char *at, struct path_segment *segment,
                               struct buf *segments)
{
    if (segments->n / sizeof *segment == PATH_SEGMENTS_MAX)
        return path_fail(parser, ST_LIMIT, at, "more than %d segments", PATH_SEGMENTS_MAX);
    segment->definite = !segment->descendant && segment->count == 1 &&
                        (segment->selector->kind == SELECT_NAME || segment->selector->kind == SELECT_INDEX);
    buf_add(segments, segment, sizeof *segment);
    return ST_OK;
}

/* As many segments as there are. White space behind the last one is left. */
static enum status parse_segments(struct path_parser *parser, struct buf *segments)
{
    for (;;) {
        const char *behind = parser->p;
        path_skip_space(parser);
        const char *at = parser->p;
        struct path_segment segment = { 0 };
        if (path_at(parser, '[')) {
            TRY(parse_brackets(parser, &segment));
        } else if (path_take(parser, '.')) {
            segment.descendant = path_take(parser, '.');
            TRY(parse_dotted(parser, &segment));
        } else {
            parser->p = behind;
            return ST_OK;
        }
        TRY(add_segment(parser, at, &segment, segments));
    }
}

static struct path_query finish_query(const struct buf *segments, bool relative)
{
    struct path_query query = {
        .relative = relative,
        .definite = true,
        .count = (uint32_t)(segments->n / sizeof(struct path_segment)),
        .segment = (const struct path_segment *)(void *)segments->p,
    };
    for (uint32_t i = 0; i < query.count; i++) query.definite = query.definite && query.segment[i].definite;
    return query;
}

enum status path_parse_query(struct path_parser *parser, bool relative, struct path_query *ret_query)
{
    struct buf segments;
    buf_init(&segments, parser->arena);
    TRY(parse_segments(parser, &segments));
    *ret_query = finish_query(&segments, relative);
    return ST_OK;
}

/* ---- the whole path ---- */

/* A text without its `$`: as if `$.` stood before it. */
static enum status parse_rootless(struct path_parser *parser, struct buf *segments)
{
    struct path_segment segment = { 0 };
    if (parser->p == parser->end) return ST_OK;
    if (path_take(parser, '.')) segment.descendant = !path_at(parser, '[');
    TRY(parse_dotted(parser, &segment));
    return add_segment(parser, parser->text.p, &segment, segments);
}

static enum status parse_whole(struct path_parser *parser, struct path_query *ret_query)
{
    struct buf segments;
    char found[8];
    bool lenient = parser->mode == JSONPATH_LENIENT;
    buf_init(&segments, parser->arena);
    if (path_take(parser, '$')) {
        if (lenient && path_at(parser, '.') && parser->p + 1 == parser->end) parser->p++;
    } else if (lenient && !path_at(parser, '@')) {
        TRY(parse_rootless(parser, &segments));
    } else {
        return path_fail(parser, ST_INVALID, parser->p, "a path starts with $");
    }
    TRY(parse_segments(parser, &segments));
    if (parser->p < parser->end)
        return path_fail(parser, ST_INVALID, parser->p, "expected '.', '[' or the end, not %s",
                         path_found(parser, found));
    *ret_query = finish_query(&segments, false);
    return ST_OK;
}

enum status jsonpath_compile(str text, enum jsonpath_mode mode, struct arena *arena,
                             const struct jsonpath **ret_path, struct error *err)
{
    if (text.n > PATH_BYTES_MAX)
        return fail_at(err, ST_LIMIT, 1, 1, "the path has %zu bytes; the most is %d", text.n, PATH_BYTES_MAX);
    if (!utf8_is_valid(text)) return fail_at(err, ST_INVALID, 1, 1, "the path is not UTF-8");
    text = arena_str(arena, text);
    struct path_parser parser = {
        .text = text,
        .p = text.p,
        .end = text.p + text.n,
        .mode = mode,
        .arena = arena,
        .err = err,
    };
    struct path_query query;
    TRY(parse_whole(&parser, &query));
    struct jsonpath *path = arena_make(arena, struct jsonpath);
    path->query = query;
    *ret_path = path;
    return ST_OK;
}

bool jsonpath_is_definite(const struct jsonpath *path) { return path->query.definite; }
