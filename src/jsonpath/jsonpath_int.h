/* jsonpath/jsonpath_int.h — a compiled path, for the files path_*.c only. */
#ifndef JSONPATH_JSONPATH_INT_H
#define JSONPATH_JSONPATH_INT_H

#include "json/json_int.h"
#include "jsonpath/jsonpath.h"

#include "base/regex.h"

struct path_condition;

/* ---- queries ---- */

enum path_selector_kind { SELECT_NAME, SELECT_INDEX, SELECT_SLICE, SELECT_ALL, SELECT_FILTER };

struct path_selector {
    enum path_selector_kind kind;
    bool has_start, has_end; /* Of a slice. */
    str name;
    int64_t index; /* A slice's start, too. */
    int64_t end;
    int64_t step;
    const struct path_condition *filter;
};

struct path_segment {
    bool descendant;
    bool definite; /* One name or index, of children. */
    uint32_t count;
    const struct path_selector *selector;
};

struct path_query {
    bool relative; /* To the node a filter looks at (@), not to the root ($). */
    bool definite;
    uint32_t count;
    const struct path_segment *segment;
};

struct jsonpath {
    struct path_query query;
};

/* ---- filters ---- */

/* The types of RFC 9535, 2.4.1. */
enum path_type { TYPE_VALUE, TYPE_LOGICAL, TYPE_NODES };

/* clang-format off */
#define PATH_FUNCTION_MAP(XX)                                 \
    /* name    word      result   arguments, and their type */ \
    XX(LENGTH, "length", VALUE,   1, VALUE)                    \
    XX(COUNT,  "count",  VALUE,   1, NODES)                    \
    XX(VALUE,  "value",  VALUE,   1, NODES)                    \
    XX(MATCH,  "match",  LOGICAL, 2, VALUE)                    \
    XX(SEARCH, "search", LOGICAL, 2, VALUE)
/* clang-format on */

enum path_function {
#define XX(NAME, word, result, count, argument) FUNCTION_##NAME,
    PATH_FUNCTION_MAP(XX)
#undef XX
        FUNCTION_COUNT_ALL
};

struct path_function_spec {
    const char *word;
    enum path_type result;
    uint32_t argument_count;
    enum path_type argument;
};

extern const struct path_function_spec path_functions[FUNCTION_COUNT_ALL];

enum path_operand_kind { OPERAND_LITERAL, OPERAND_QUERY, OPERAND_CALL };

/* What is compared, or given to a function. */
struct path_operand {
    enum path_operand_kind kind;
    const struct json *literal;
    const struct path_query *query;
    const struct path_call *call;
};

struct path_call {
    enum path_function function;
    struct path_operand argument[2];
    /* Of match() and search(). A literal pattern is compiled with the path; NULL if it is no
     * I-Regexp. */
    bool pattern_is_literal;
    const struct regex *pattern;
    str slashes; /* `/regex/i`, if written with =~. */
};

enum path_comparison {
    COMPARE_EQUAL,
    COMPARE_NOT_EQUAL,
    COMPARE_LESS_EQUAL,
    COMPARE_GREATER_EQUAL,
    COMPARE_LESS,
    COMPARE_GREATER,
    COMPARISON_COUNT
};

extern const str path_comparisons[COMPARISON_COUNT]; /* As they are written. */

enum path_condition_kind {
    CONDITION_OR,      /* Children; at least two. */
    CONDITION_AND,     /* Children; at least two. */
    CONDITION_NOT,     /* One child. */
    CONDITION_EXISTS,  /* query */
    CONDITION_COMPARE, /* left, comparison, right */
    CONDITION_CALL,    /* call, with a logical result */
};

struct path_condition {
    enum path_condition_kind kind;
    enum path_comparison comparison;
    struct path_condition *first; /* Child. */
    struct path_condition *next;  /* Sibling. */
    struct path_operand left, right;
    const struct path_query *query;
    const struct path_call *call;
};

/* ---- parsing (path_parse.c, path_filter.c) ---- */

struct path_parser {
    str text;
    const char *p;
    const char *end;
    enum jsonpath_mode mode;
    struct arena *arena;
    struct error *err;
    uint32_t depth; /* Filters, parentheses and calls that are open. */
};

/* Writes an error at a place in the text. */
__attribute__((format(printf, 4, 5), cold)) enum status path_fail(struct path_parser *parser,
                                                                  enum status status, const char *at,
                                                                  const char *format, ...);

/* "x" or "the end", what stands at p, for messages. */
const char *path_found(const struct path_parser *parser, char ret_text[8]);

enum status path_enter(struct path_parser *parser);
static inline void path_leave(struct path_parser *parser) { parser->depth--; }

static inline bool path_at(const struct path_parser *parser, char c)
{
    return parser->p < parser->end && *parser->p == c;
}

static inline bool path_take(struct path_parser *parser, char c)
{
    if (!path_at(parser, c)) return false;
    parser->p++;
    return true;
}

static inline void path_skip_space(struct path_parser *parser)
{
    parser->p = skip_space(parser->p, parser->end);
}

/* The segments behind a $ or @ that has been taken. */
enum status path_parse_query(struct path_parser *parser, bool relative, struct path_query *ret_query);
/* What stands in single or double quotes at p. */
enum status path_parse_quoted(struct path_parser *parser, str *ret_text);
/* What stands behind the ? of a filter. */
enum status path_parse_filter(struct path_parser *parser, const struct path_condition **ret_condition);

/* The pattern for match() (whole) or search(), or NULL if it is no I-Regexp. */
const struct regex *path_regex(str pattern, bool whole, struct arena *arena);

/* ---- running (path_select.c, path_condition.c) ---- */

struct path_run {
    const struct json *root;
    struct arena *arena;
    struct error *err;
    enum status status; /* Of the first failure. */
    int64_t fuel;
    int64_t fuel_given;
    uint32_t depth;
    struct regex_matcher matcher;
    /* The latest pattern that came from data: mostly it is the same for all nodes. */
    const struct json *pattern_text;
    bool pattern_whole;
    const struct regex *pattern;
};

/* Notes the failure and returns false. */
__attribute__((cold)) bool path_exhausted(struct path_run *run);

/* Pays for what follows. False: it cannot. */
static inline bool path_spend(struct path_run *run, uint64_t operations)
{
    if (run->fuel < 0 || operations > (uint64_t)run->fuel || arena_over(run->arena))
        return path_exhausted(run);
    run->fuel -= (int64_t)operations;
    return true;
}

/* One walk along a query's segments. */
struct path_walk {
    struct path_run *run;
    const struct path_query *query;
    size_t count_enough; /* Stops when it has so many nodes. */
    size_t count;
    const struct json *first; /* Node. */
    struct buf *list;         /* Takes all nodes; NULL: they are only counted. */
};

/* False if it stopped early: because it has enough, or because run->status says so. */
bool path_walk(struct path_walk *walk, const struct json *node);

/* The node of a definite query, or NULL if there is none or the fuel is out. */
const struct json *path_follow(struct path_run *run, const struct path_query *query, const struct json *node);

/* Whether the condition holds for a node; means nothing if run->status tells of a failure. */
bool path_test(struct path_run *run, const struct path_condition *condition, const struct json *node);

/* ---- printing (path_print.c) ---- */

/* In single quotes, escaped as in normalized paths. */
void path_print_quoted(str text, struct buf *out);

#endif
