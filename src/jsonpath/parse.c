/* jsonpath/parse.c — the text of a path → segments and selectors; filter.c parses filters.
 *
 * Recursive descent along the grammar of RFC 9535. The leniencies are where the grammar has
 * the dot, so that columns are those of the author's own text.
 */
#include "jsonpath/parse_int.h"

#include "base/ascii.h"
#include "base/utf8.h"

/* ---- names and numbers ---- */

static bool begins_name(char c) { return ascii_is_letter(c) || c == '_' || (unsigned char)c >= 0x80; }

/* A name behind a dot. The parser's text is its own copy, so the name can stay in it. */
static enum status parse_short_name(struct jsonpath_parser *parser, str *ret_name)
{
    const char *start = parser->p;
    char found[8];
    if (start == parser->end || !begins_name(*start))
        return jsonpath_fail(parser, ST_INVALID, start, "expected a name or '*' behind the dot, not %s",
                             jsonpath_found(parser, found));
    while (parser->p < parser->end && (begins_name(*parser->p) || ascii_is_digit(*parser->p))) parser->p++;
    *ret_name = (str){ start, (size_t)(parser->p - start) };
    return ST_OK;
}

/* An index: no leading zero, no -0, within what a double holds exactly. */
static enum status parse_integer(struct jsonpath_parser *parser, int64_t *ret_value)
{
    const int64_t most = (INT64_C(1) << 53) - 1;
    const char *start = parser->p;
    jsonpath_take(parser, '-');
    const char *digits = parser->p;
    while (parser->p < parser->end && ascii_is_digit(*parser->p)) parser->p++;
    size_t count = (size_t)(parser->p - digits);
    if (!count) return jsonpath_fail(parser, ST_INVALID, digits, "expected a digit");
    if (*digits == '0' && (count > 1 || digits > start))
        return jsonpath_fail(parser, ST_INVALID, start,
                             "an index is written without leading zeros and not as -0");
    int64_t value = 0;
    if (count > INDEX_DIGITS_MAX || !str_to_int64((str){ start, (size_t)(parser->p - start) }, &value) ||
        value > most || value < -most)
        return jsonpath_fail(parser, ST_INVALID, start,
                             "an index is at most 2^53 - 1, and at least its negative");
    *ret_value = value;
    return ST_OK;
}

/* ---- selectors ---- */

static bool at_integer(const struct jsonpath_parser *parser)
{
    return parser->p < parser->end && (*parser->p == '-' || ascii_is_digit(*parser->p));
}

/* Behind the start of a slice, if it has one, and behind the space that follows. */
static enum status parse_slice(struct jsonpath_parser *parser, struct jsonpath_selector *selector)
{
    selector->kind = SELECT_SLICE;
    selector->step = 1;
    parser->p++;
    jsonpath_skip_space(parser);
    if (at_integer(parser)) {
        selector->has_end = true;
        TRY(parse_integer(parser, &selector->end));
        jsonpath_skip_space(parser);
    }
    if (!jsonpath_take(parser, ':')) return ST_OK;
    jsonpath_skip_space(parser);
    return at_integer(parser) ? parse_integer(parser, &selector->step) : ST_OK;
}

static enum status parse_index_or_slice(struct jsonpath_parser *parser, struct jsonpath_selector *selector)
{
    if (at_integer(parser)) {
        selector->kind = SELECT_INDEX;
        TRY(parse_integer(parser, &selector->index));
        const char *behind = parser->p;
        jsonpath_skip_space(parser);
        if (!jsonpath_at(parser, ':')) {
            parser->p = behind;
            return ST_OK;
        }
        selector->has_start = true;
    }
    return parse_slice(parser, selector);
}

static enum status parse_selector(struct jsonpath_parser *parser, struct jsonpath_selector *ret_selector)
{
    struct jsonpath_selector selector = { .kind = SELECT_ALL };
    char found[8];
    if (jsonpath_at(parser, '\'') || jsonpath_at(parser, '"')) {
        selector.kind = SELECT_NAME;
        TRY(jsonpath_parse_quoted(parser, &selector.name));
    } else if (jsonpath_take(parser, '?')) {
        selector.kind = SELECT_FILTER;
        jsonpath_skip_space(parser);
        TRY(jsonpath_parse_filter(parser, &selector.filter));
    } else if (at_integer(parser) || jsonpath_at(parser, ':')) {
        TRY(parse_index_or_slice(parser, &selector));
    } else if (!jsonpath_take(parser, '*')) {
        return jsonpath_fail(parser, ST_INVALID, parser->p,
                             "expected a name in quotes, an index, a slice, '*' or '?', not %s",
                             jsonpath_found(parser, found));
    }
    *ret_selector = selector;
    return ST_OK;
}

/* ---- segments ---- */

static enum status parse_brackets(struct jsonpath_parser *parser, struct jsonpath_segment *segment)
{
    const char *start = parser->p++;
    struct buf selectors;
    struct jsonpath_selector selector;
    char found[8];
    buf_init(&selectors, parser->arena);
    do {
        if (segment->count == PATH_SELECTORS_MAX)
            return jsonpath_fail(parser, ST_LIMIT, start,
                                 "more than %d selectors in brackets (PATH_SELECTORS_MAX)",
                                 PATH_SELECTORS_MAX);
        jsonpath_skip_space(parser);
        TRY(parse_selector(parser, &selector));
        buf_add(&selectors, &selector, sizeof selector);
        segment->count++;
        jsonpath_skip_space(parser);
    } while (jsonpath_take(parser, ','));
    if (!jsonpath_take(parser, ']'))
        return jsonpath_fail(parser, ST_INVALID, parser->p, "expected ',' or ']', not %s",
                             jsonpath_found(parser, found));
    segment->selector = (const struct jsonpath_selector *)(void *)selectors.p;
    return ST_OK;
}

/* Parses the selector behind one dot or two. */
static enum status parse_dotted(struct jsonpath_parser *parser, struct jsonpath_segment *segment)
{
    if (jsonpath_at(parser, '[') && (segment->descendant || parser->mode == JSONPATH_LENIENT))
        return parse_brackets(parser, segment);
    struct jsonpath_selector *selector = arena_make(parser->arena, struct jsonpath_selector);
    *selector = (struct jsonpath_selector){ .kind = SELECT_ALL };
    if (!jsonpath_take(parser, '*')) {
        selector->kind = SELECT_NAME;
        TRY(parse_short_name(parser, &selector->name));
    }
    segment->selector = selector;
    segment->count = 1;
    return ST_OK;
}

static enum status add_segment(struct jsonpath_parser *parser, const char *at,
                               struct jsonpath_segment *segment, struct buf *segments)
{
    if (segments->n / sizeof *segment == PATH_SEGMENTS_MAX)
        return jsonpath_fail(parser, ST_LIMIT, at, "more than %d segments (PATH_SEGMENTS_MAX)",
                             PATH_SEGMENTS_MAX);
    segment->definite = !segment->descendant && segment->count == 1 &&
                        (segment->selector->kind == SELECT_NAME || segment->selector->kind == SELECT_INDEX);
    buf_add(segments, segment, sizeof *segment);
    return ST_OK;
}

/* As many segments as there are. White space behind the last one is left. */
static enum status parse_segments(struct jsonpath_parser *parser, struct buf *segments)
{
    for (;;) {
        const char *behind = parser->p;
        jsonpath_skip_space(parser);
        const char *at = parser->p;
        struct jsonpath_segment segment = { 0 };
        if (jsonpath_at(parser, '[')) {
            TRY(parse_brackets(parser, &segment));
        } else if (jsonpath_take(parser, '.')) {
            segment.descendant = jsonpath_take(parser, '.');
            TRY(parse_dotted(parser, &segment));
        } else {
            parser->p = behind;
            return ST_OK;
        }
        TRY(add_segment(parser, at, &segment, segments));
    }
}

static struct jsonpath_query finish_query(const struct buf *segments, bool relative)
{
    struct jsonpath_query query = {
        .relative = relative,
        .definite = true,
        .count = (uint32_t)(segments->n / sizeof(struct jsonpath_segment)),
        .segment = (const struct jsonpath_segment *)(void *)segments->p,
    };
    for (uint32_t i = 0; i < query.count; i++) query.definite = query.definite && query.segment[i].definite;
    return query;
}

enum status jsonpath_parse_query(struct jsonpath_parser *parser, bool relative,
                                 struct jsonpath_query *ret_query)
{
    struct buf segments;
    buf_init(&segments, parser->arena);
    TRY(parse_segments(parser, &segments));
    *ret_query = finish_query(&segments, relative);
    return ST_OK;
}

/* ---- the whole path ---- */

/* A text without its `$`: as if `$.` stood before it. */
static enum status parse_rootless(struct jsonpath_parser *parser, struct buf *segments)
{
    struct jsonpath_segment segment = { 0 };
    if (parser->p == parser->end) return ST_OK;
    if (jsonpath_take(parser, '.')) segment.descendant = !jsonpath_at(parser, '[');
    TRY(parse_dotted(parser, &segment));
    return add_segment(parser, parser->text.p, &segment, segments);
}

static enum status parse_whole(struct jsonpath_parser *parser, struct jsonpath_query *ret_query)
{
    struct buf segments;
    char found[8];
    bool lenient = parser->mode == JSONPATH_LENIENT;
    buf_init(&segments, parser->arena);
    if (jsonpath_take(parser, '$')) {
        if (lenient && jsonpath_at(parser, '.') && parser->p + 1 == parser->end) parser->p++;
    } else if (lenient && !jsonpath_at(parser, '@')) {
        TRY(parse_rootless(parser, &segments));
    } else {
        return jsonpath_fail(parser, ST_INVALID, parser->p, "a path starts with $");
    }
    TRY(parse_segments(parser, &segments));
    if (parser->p < parser->end)
        return jsonpath_fail(parser, ST_INVALID, parser->p, "expected '.', '[' or the end, not %s",
                             jsonpath_found(parser, found));
    *ret_query = finish_query(&segments, false);
    return ST_OK;
}

enum status jsonpath_compile(str text, enum jsonpath_mode mode, struct arena *arena,
                             const struct jsonpath **ret_path, struct error *err)
{
    if (text.n > PATH_BYTES_MAX)
        return fail_at(err, ST_LIMIT, 1, 1, "the path has %zu bytes; the most is %d (PATH_BYTES_MAX)", text.n,
                       PATH_BYTES_MAX);
    if (!utf8_is_valid(text)) return fail_at(err, ST_INVALID, 1, 1, "the path is not UTF-8");
    text = arena_str(arena, text);
    struct jsonpath_parser parser = {
        .text = text,
        .p = text.p,
        .end = text.p + text.n,
        .mode = mode,
        .arena = arena,
        .err = err,
    };
    struct jsonpath_query query;
    TRY(parse_whole(&parser, &query));
    struct jsonpath *path = arena_make(arena, struct jsonpath);
    path->query = query;
    *ret_path = path;
    return ST_OK;
}

bool jsonpath_is_definite(const struct jsonpath *path) { return path->query.definite; }
