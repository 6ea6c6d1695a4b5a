/* jsonpath/scan.c — what both parsers need: errors, limits, strings in quotes. */
#include "jsonpath/parse_int.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors and limits ---- */

enum status jsonpath_fail(struct jsonpath_parser *parser, enum status status, const char *at,
                          const char *format, ...)
{
    char message[ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct utf8_place place = utf8_place(parser->text, (size_t)(at - parser->text.p));
    return fail_at(parser->err, status, place.line, place.column, "%s", message);
}

const char *jsonpath_found(const struct jsonpath_parser *parser, char ret_text[8])
{
    if (parser->p == parser->end) return "the end";
    size_t n = 1;
    while (parser->p + n < parser->end && !utf8_begins(parser->p[n])) n++;
    if ((unsigned char)*parser->p < 0x20) return "a control character";
    snprintf(ret_text, 8, "'%.*s'", (int)n, parser->p);
    return ret_text;
}

enum status jsonpath_enter(struct jsonpath_parser *parser)
{
    if (parser->depth >= PATH_DEPTH_MAX)
        return jsonpath_fail(parser, ST_LIMIT, parser->p,
                             "the path is nested more than %d levels deep (PATH_DEPTH_MAX)", PATH_DEPTH_MAX);
    parser->depth++;
    return ST_OK;
}

/* ---- strings in quotes ---- */

/* The escape at p, a backslash. A quote may be escaped only inside its own kind. */
static enum status take_escape(struct jsonpath_parser *parser, char quote, struct buf *text)
{
    const char *at = parser->p;
    if (parser->end - at >= 2 && (at[1] == '\'' || at[1] == '"')) {
        if (at[1] != quote) return jsonpath_fail(parser, ST_INVALID, at, "this quote needs no escape here");
        buf_add_char(text, quote);
        parser->p += 2;
        return ST_OK;
    }
    char bytes[4];
    size_t count;
    const char *complaint = text_escape(&parser->p, parser->end, bytes, &count);
    if (complaint) return jsonpath_fail(parser, ST_INVALID, at, "%s", complaint);
    buf_add(text, bytes, count);
    return ST_OK;
}

enum status jsonpath_parse_quoted(struct jsonpath_parser *parser, str *ret_text)
{
    const char *start = parser->p;
    char quote = *parser->p++;
    struct buf text;
    buf_init(&text, parser->arena);
    while (parser->p < parser->end && *parser->p != quote) {
        if ((unsigned char)*parser->p < 0x20)
            return jsonpath_fail(parser, ST_INVALID, parser->p,
                                 "a control character must be written as an escape");
        if (*parser->p == '\\') TRY(take_escape(parser, quote, &text));
        else buf_add_char(&text, *parser->p++);
    }
    if (!jsonpath_take(parser, quote))
        return jsonpath_fail(parser, ST_INVALID, start, "the string has no end");
    *ret_text = buf_str(&text);
    return ST_OK;
}
