/* expr/condition/condition_int.h — what the files of the condition parser share.
 *
 *     lexer.c    text → lexemes
 *     parser.c   or, and, not, and the part that conditions and event conditions have in common
 *     operand.c  comparisons of paths, names and literals: conditions
 *     event.c    names of events: event conditions
 *
 * A function that parses takes its first lexeme from `lexeme` and leaves there the first one it did not use.
 */
#ifndef EXPR_CONDITION_INT_H
#define EXPR_CONDITION_INT_H

#include "expr/lexer_int.h"
#include "expr/tree_int.h"

/* ---- lexemes ---- */

/* Written as words, in any case. */
/* clang-format off */
#define CONDITION_WORD_MAP(XX)     \
    XX(AND,           "and")       \
    XX(OR,            "or")        \
    XX(NOT,           "not")       \
    XX(EQUAL,         "eq")        \
    XX(EQUAL,         "is")        \
    XX(NOT_EQUAL,     "ne")        \
    XX(LESS,          "lt")        \
    XX(LESS_EQUAL,    "le")        \
    XX(GREATER,       "gt")        \
    XX(GREATER_EQUAL, "ge")        \
    XX(MATCHES,       "matches")   \
    XX(TRUE,          "true")      \
    XX(FALSE,         "false")     \
    XX(NULL,          "null")
/* clang-format on */

/* Written as signs, longer ones before their beginnings. */
/* clang-format off */
#define CONDITION_SIGN_MAP(XX)     \
    XX(EQUAL,         "==")        \
    XX(NOT_EQUAL,     "!=")        \
    XX(LESS_EQUAL,    "<=")        \
    XX(GREATER_EQUAL, ">=")        \
    XX(MATCHES,       "=~")        \
    XX(AND,           "&&")        \
    XX(OR,            "||")        \
    XX(LESS,          "<")         \
    XX(GREATER,       ">")         \
    XX(NOT,           "!")         \
    XX(OPEN,          "(")         \
    XX(CLOSE,         ")")         \
    XX(COMMA,         ",")         \
    XX(DOT,           ".")
/* clang-format on */

/* Comparisons are together, from EQUAL to MATCHES. */
enum condition_kind {
    CONDITION_END,
    CONDITION_AND,
    CONDITION_OR,
    CONDITION_NOT,
    CONDITION_EQUAL,
    CONDITION_NOT_EQUAL,
    CONDITION_LESS,
    CONDITION_LESS_EQUAL,
    CONDITION_GREATER,
    CONDITION_GREATER_EQUAL,
    CONDITION_MATCHES,
    CONDITION_TRUE,
    CONDITION_FALSE,
    CONDITION_NULL,
    CONDITION_OPEN,
    CONDITION_CLOSE,
    CONDITION_COMMA,
    CONDITION_DOT,
    CONDITION_NAME,
    CONDITION_PATH,   /* From its $ to its end. */
    CONDITION_CALL,   /* #name */
    CONDITION_STRING, /* With its quotes. */
    CONDITION_NUMBER,
    CONDITION_REGEX, /* /…/flags, only behind MATCHES. */
};

struct condition_lexeme {
    enum condition_kind kind;
    bool word; /* Written as a word: a member of that name is meant behind a dot. */
    uint16_t at;
    uint16_t end;
};

/* ---- parsing ---- */

/* A part that has been parsed: any value, perhaps the nodes of an indefinite path as a list. */
struct condition_value {
    struct expr_tree *tree;
    bool nodes;
    bool boolean; /* Known to be one. */
};

struct condition_parser;
typedef enum status condition_fn(struct condition_parser *condition, struct condition_value *ret_value);

struct condition_parser {
    struct lexer lexer;
    struct condition_lexeme lexeme; /* The next one, not yet used. */
    struct arena *arena;
    uint32_t depth;
    condition_fn *parse_test; /* Parses the tests between and, or and not. */

    /* For conditions. */
    const struct condition_names *names;
    bool root_is_used;

    /* For event conditions. */
    bool events;
    bool negated; /* Under an odd number of nots. */
    const struct event_name *event;
    size_t event_count;
    struct event_operands operands;
};

enum status condition_advance(struct condition_parser *condition);
/* The value of a string lexeme. */
str condition_string(const struct condition_parser *condition, struct condition_lexeme lexeme);

static inline str condition_word(const struct condition_parser *condition)
{
    return str_slice(condition->lexer.text, condition->lexeme.at, condition->lexeme.end);
}

#define condition_complain(condition, place, ...) \
    lexer_fail((condition)->lexer.err, ST_INVALID, (condition)->lexer.text, (place), __VA_ARGS__)
/* "expected …, found …", of the next lexeme. */
enum status condition_unexpected(struct condition_parser *condition, const char *wanted);

/* `( … )`, of which the next lexeme is the first. */
enum status condition_enclosed(struct condition_parser *condition, struct condition_value *ret_value);

/* The value as a boolean. */
struct expr_tree *condition_truth(struct condition_parser *condition, struct condition_value value);

/* A whole text. The tree is the caller's alone, for its `text` to be set. */
enum status condition_parse(struct condition_parser *condition, str text, struct arena *arena,
                            struct expr_tree **ret_tree, struct error *err);

#endif
