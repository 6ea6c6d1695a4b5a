/* jsonpath/jsonpath_int.h — the compiled form of a path.
 *
 * A path is a query: segments, each with selectors. A filter selector has a condition, which compares
 * operands; operands may be queries again. parse_int.h is for the files that make this form, run_int.h for
 * those that walk along it.
 */
#ifndef JSONPATH_JSONPATH_INT_H
#define JSONPATH_JSONPATH_INT_H

#include "jsonpath/jsonpath.h"
#include "jsonpath/limits.h"

#include "base/regex.h"

struct jsonpath_condition;

/* ---- queries ---- */

enum jsonpath_selector_kind { SELECT_NAME, SELECT_INDEX, SELECT_SLICE, SELECT_ALL, SELECT_FILTER };

struct jsonpath_selector {
    enum jsonpath_selector_kind kind;
    bool has_start, has_end; /* A slice has these bounds. */
    str name;
    int64_t index; /* A slice's start, too. */
    int64_t end;
    int64_t step;
    const struct jsonpath_condition *filter;
};

struct jsonpath_segment {
    bool descendant;
    bool definite; /* One name or index, of children. */
    uint32_t count;
    const struct jsonpath_selector *selector;
};

struct jsonpath_query {
    bool relative; /* To the node a filter looks at (@), not to the root ($). */
    bool definite;
    uint32_t count;
    const struct jsonpath_segment *segment;
};

struct jsonpath {
    struct jsonpath_query query;
};

/* ---- filters ---- */

/* The types of RFC 9535, 2.4.1. */
enum jsonpath_type { TYPE_VALUE, TYPE_LOGICAL, TYPE_NODES };

/* clang-format off */
#define JSONPATH_FUNCTION_MAP(XX)                                 \
    /* name    word      result   arguments, and their type */ \
    XX(LENGTH, "length", VALUE,   1, VALUE)                    \
    XX(COUNT,  "count",  VALUE,   1, NODES)                    \
    XX(VALUE,  "value",  VALUE,   1, NODES)                    \
    XX(MATCH,  "match",  LOGICAL, 2, VALUE)                    \
    XX(SEARCH, "search", LOGICAL, 2, VALUE)
/* clang-format on */

enum jsonpath_function {
#define XX(NAME, word, result, count, argument) FUNCTION_##NAME,
    JSONPATH_FUNCTION_MAP(XX)
#undef XX
        FUNCTION_COUNT_ALL
};

struct jsonpath_function_spec {
    const char *word;
    enum jsonpath_type result;
    uint32_t argument_count;
    enum jsonpath_type argument;
};

extern const struct jsonpath_function_spec jsonpath_functions[FUNCTION_COUNT_ALL];

enum jsonpath_operand_kind { OPERAND_LITERAL, OPERAND_QUERY, OPERAND_CALL };

/* One side of a comparison, or an argument of a function. */
struct jsonpath_operand {
    enum jsonpath_operand_kind kind;
    const struct json *literal;
    const struct jsonpath_query *query;
    const struct jsonpath_call *call;
};

struct jsonpath_call {
    enum jsonpath_function function;
    struct jsonpath_operand argument[2];
    /* For match() and search(): a literal pattern is compiled with the path; NULL if it is no
     * I-Regexp. */
    bool pattern_is_literal;
    const struct regex *pattern;
    str slashes; /* `/regex/i`, if written with =~. */
};

enum jsonpath_comparison {
    COMPARE_EQUAL,
    COMPARE_NOT_EQUAL,
    COMPARE_LESS_EQUAL,
    COMPARE_GREATER_EQUAL,
    COMPARE_LESS,
    COMPARE_GREATER,
    COMPARISON_COUNT
};

extern const str jsonpath_comparisons[COMPARISON_COUNT]; /* As they are written. */

enum jsonpath_condition_kind {
    CONDITION_OR,      /* Children; at least two. */
    CONDITION_AND,     /* Children; at least two. */
    CONDITION_NOT,     /* One child. */
    CONDITION_EXISTS,  /* query */
    CONDITION_COMPARE, /* left, comparison, right */
    CONDITION_CALL,    /* call, with a logical result */
};

struct jsonpath_condition {
    enum jsonpath_condition_kind kind;
    enum jsonpath_comparison comparison;
    struct jsonpath_condition *first; /* Child. */
    struct jsonpath_condition *next;  /* Sibling. */
    struct jsonpath_operand left, right;
    const struct jsonpath_query *query;
    const struct jsonpath_call *call;
};

/* ---- patterns (regex.c) ---- */

/* The pattern for match() (whole) or search(), or NULL if it is no I-Regexp. */
const struct regex *jsonpath_regex(str pattern, bool whole, struct arena *arena);

/* ---- printing (print.c) ---- */

/* In single quotes, escaped as in normalized paths. */
void jsonpath_print_quoted(str text, struct buf *out);

#endif
