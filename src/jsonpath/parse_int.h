/* jsonpath/parse_int.h — the parser's state and what its files share.
 *
 *     scan.c    errors, limits, strings in quotes
 *     parse.c   segments and selectors, and jsonpath_compile()
 *     filter.c  the conditions of filters
 *
 * A function that parses starts at parser->p and leaves there the first byte it did not use.
 */
#ifndef JSONPATH_PARSE_INT_H
#define JSONPATH_PARSE_INT_H

#include "json/text.h"
#include "jsonpath/jsonpath_int.h"

struct jsonpath_parser {
    str text;
    const char *p;
    const char *end;
    enum jsonpath_mode mode;
    struct arena *arena;
    struct error *err;
    uint32_t depth; /* Filters, parentheses and calls that are open. */
};

/* Writes an error at a place in the text. */
__attribute__((format(printf, 4, 5), cold)) enum status jsonpath_fail(struct jsonpath_parser *parser,
                                                                      enum status status, const char *at,
                                                                      const char *format, ...);

/* The character at p in quotes, or "the end", for messages. */
const char *jsonpath_found(const struct jsonpath_parser *parser, char ret_text[8]);

enum status jsonpath_enter(struct jsonpath_parser *parser);
static inline void jsonpath_leave(struct jsonpath_parser *parser) { parser->depth--; }

static inline bool jsonpath_at(const struct jsonpath_parser *parser, char c)
{
    return parser->p < parser->end && *parser->p == c;
}

static inline bool jsonpath_take(struct jsonpath_parser *parser, char c)
{
    if (!jsonpath_at(parser, c)) return false;
    parser->p++;
    return true;
}

static inline void jsonpath_skip_space(struct jsonpath_parser *parser)
{
    parser->p = text_skip_space(parser->p, parser->end);
}

/* Parses the segments behind a $ or @, which has been taken. */
enum status jsonpath_parse_query(struct jsonpath_parser *parser, bool relative,
                                 struct jsonpath_query *ret_query);
/* Parses a string in single or double quotes at p. */
enum status jsonpath_parse_quoted(struct jsonpath_parser *parser, str *ret_text);
/* Parses the condition of a filter, behind its ?. */
enum status jsonpath_parse_filter(struct jsonpath_parser *parser,
                                  const struct jsonpath_condition **ret_condition);

#endif
