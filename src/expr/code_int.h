/* expr/code_int.h — the code of a compiled expression.
 *
 *     text --lexer--> lexemes --parser--> tree --fold--> tree --compile--> code --vm--> value
 *                        parts --build.h---^
 *
 * Ownership: everything that compiling makes (trees, code, constants, patterns) lives in the arena the
 * expression was compiled in.
 */
#ifndef EXPR_CODE_INT_H
#define EXPR_CODE_INT_H

#include "base/regex.h"
#include "expr/build.h"
#include "expr/limits.h"

/* Operands: what an instruction's `arg` means and how expr_print shows it. */
/* clang-format off */
#define OPCODE_MAP(XX)                                                                   \
    /* name            operand    meaning                                             */ \
    XX(CONSTANT,       CONSTANT,  "push a constant")                                     \
    XX(VARIABLE,       CONSTANT,  "push a local or a member of the data; it must be there") \
    XX(VARIABLE_OR_NULL, CONSTANT, "push a local or a member of the data, or null")      \
    XX(DATA,           NONE,      "push the data")                                       \
    XX(ELEMENT,        NONE,      "push the innermost loop's element")                   \
    XX(ELEMENT_INDEX,  NONE,      "push the innermost loop's index")                     \
    XX(ACCUMULATOR,    PLACE,     "push what a loop of reduce() has got so far")         \
    XX(STORE,          PLACE,     "keep a value for a name of let, and drop it")         \
    XX(LOCAL,          PLACE,     "push the value of a name of let")                     \
    XX(MEMBER,         CONSTANT,  "replace a map by one of its members, or null")        \
    XX(INDEX,          NONE,      "replace a container and an index by what is there")   \
    XX(SLICE,          BOUNDS,    "replace a list or text and its bounds by a part")     \
    XX(NOT,            NONE,      "negate a boolean")                                    \
    XX(NEGATE,         NONE,      "negate a number")                                     \
    XX(NUMBER,         NONE,      "make numeric text a number")                          \
    XX(EQUAL,          NONE,      "a == b")                                              \
    XX(NOT_EQUAL,      NONE,      "a != b")                                              \
    XX(LESS,           NONE,      "a < b")                                               \
    XX(LESS_EQUAL,     NONE,      "a <= b")                                              \
    XX(GREATER,        NONE,      "a > b")                                               \
    XX(GREATER_EQUAL,  NONE,      "a >= b")                                              \
    XX(IN,             NONE,      "a in b")                                              \
    XX(CONTAINS,       NONE,      "a contains b")                                        \
    XX(STARTS_WITH,    NONE,      "a startsWith b")                                      \
    XX(ENDS_WITH,      NONE,      "a endsWith b")                                        \
    XX(MATCHES,        NONE,      "a matches b, b compiled now")                         \
    XX(RANGE,          NONE,      "the integers from a to b")                            \
    XX(ADD,            NONE,      "a + b")                                               \
    XX(SUBTRACT,       NONE,      "a - b")                                               \
    XX(MULTIPLY,       NONE,      "a * b")                                               \
    XX(DIVIDE,         NONE,      "a / b")                                               \
    XX(MODULO,         NONE,      "a % b")                                               \
    XX(POWER,          NONE,      "a ** b")                                              \
    XX(MATCHES_PATTERN, PATTERN,  "a matches a pattern compiled before")                 \
    XX(BOOLEAN,        NONE,      "make the text true or false a boolean")               \
    XX(AND,            TARGET,    "if false, keep it and jump; else drop it")            \
    XX(OR,             TARGET,    "if true, keep it and jump; else drop it")             \
    XX(COALESCE,       TARGET,    "if not null, keep it and jump; else drop it")         \
    XX(IF_NULL,        TARGET,    "if null, keep it and jump; else keep it")             \
    XX(UNLESS,         TARGET,    "drop a boolean; jump if it was false")                \
    XX(JUMP,           TARGET,    "jump")                                                \
    XX(LIST,           COUNT,     "make a list of the last values")                      \
    XX(MAP,            COUNT,     "make a map of the last names and values")             \
    XX(CALL,           FUNCTION,  "call a function with the last values")                \
    XX(LOOP,           LOOP,      "begin a loop over a list; jump if it is over already") \
    XX(LOOP_WITH,      LOOP,      "the same, with an option above the list")             \
    XX(NEXT,           LOOP,      "end a turn; jump unless it was the last")             \
    /* Only build.h makes these: no text of the language above does. */                  \
    XX(MEMBER_OR_NULL, CONSTANT,  "replace anything by one of its members, or null")     \
    XX(IS_OBJECT,      NONE,      "whether it is a map")                                 \
    XX(PATH,           PATH,      "replace a value by what a path selects in it")        \
    XX(PLACE,          PATH,      "a with b where a path leads to")                      \
    XX(COLLECT,        PATH,      "a with b's items behind those of a list in it")       \
    XX(EVENTS,         PATHS,     "a with what the events b bring")                      \
    XX(COMBINE,        NONE,      "a and b merged deeply")                               \
    XX(WRAPPED,        NONE,      "the members of a map as a list of maps")              \
    XX(FOLD,           NONE,      "a with what the items of b changed in it")            \
    XX(CHOICE,         TEST,      "compare any of a with the text b or the value c")     \
    XX(HOLDS,          TEST,      "compare a and b, or any of their nodes; no coercion") \
    XX(FINDS,          TEST,      "find the pattern b in a, or in any of its nodes")     \
    XX(FINDS_PATTERN,  PATTERN,   "the same with a pattern compiled before")             \
    XX(TRUTH,          TEST,      "make anything, or a list of nodes, a boolean")        \
    /* Only template.h makes these. */                                                   \
    XX(ITEM_OR_NULL,   CONSTANT,  "replace anything by one of its items, or null")       \
    XX(LENGTH_OR_NULL, NONE,      "replace a list or text by its length, a map by its member length") \
    XX(TEXT,           COUNT,     "make a text of the last values")                      \
    XX(AS_JSON,        NONE,      "make the text of a value as JSON")                    \
    XX(ESCAPE,         ESCAPE,    "make the text of a value safe for its place")         \
    XX(STRUCTURED,     STRUCTURED, "compare a and b, or look at a; no coercion")         \
    XX(NESTED,         NESTED,    "run another expression, which gives a boolean")       \
    /* Only predicate.h makes this. */                                                    \
    XX(PREDICATE,      PREDICATE, "test what a path leads to; any of its values will do") \
    XX(NEEDED,         CONSTANT,  "fail if it is null")                                  \
    XX(ASSIGN,         CONSTANT,  "a with b set, merged, added, appended or cleared in it") \
    XX(RETURN,         NONE,      "done")
/* clang-format on */

enum opcode {
#define XX(NAME, operand, meaning) OP_##NAME,
    OPCODE_MAP(XX)
#undef XX
};

struct predicate_test;

struct instruction {
    uint8_t op;
    uint8_t detail; /* Arguments of a call, kind of a loop, bounds of a slice, use of a path, a test. */
    uint16_t at;    /* Byte of the text, for errors. */
    uint32_t arg;
};

enum { SLICE_FROM = 1, SLICE_TO = 2 };

/* A test: an enum choice_test, and which sides are lists of nodes of which any will do. */
enum { TEST_KIND = 7, TEST_LEFT_NODES = 8, TEST_RIGHT_NODES = 16 };

/* The words of structured conditions. The ones that compare two values come first. */
/* clang-format off */
#define STRUCTURED_MAP(XX)                \
    XX(EQ,           "eq")                \
    XX(NEQ,          "neq")               \
    XX(GT,           "gt")                \
    XX(GTE,          "gte")               \
    XX(LT,           "lt")                \
    XX(LTE,          "lte")               \
    XX(CONTAINS,     "contains")          \
    XX(STARTS_WITH,  "starts_with")       \
    XX(IN,           "in")                \
    XX(EXISTS,       "exists")            \
    XX(NOT_EXISTS,   "not_exists")        \
    XX(IS_EMPTY,     "is_empty")          \
    XX(IS_NOT_EMPTY, "is_not_empty")      \
    XX(IS_TRUE,      "is_true")           \
    XX(IS_FALSE,     "is_false")
/* clang-format on */

enum structured_op {
#define XX(NAME, word) STRUCTURED_##NAME,
    STRUCTURED_MAP(XX)
#undef XX
        STRUCTURED_COUNT
};

/* The places that placeholders are escaped for, and the functions that stand for them in an expression's
 * text. */
/* clang-format off */
#define ESCAPE_MAP(XX)                                                                   \
    XX(SCHEME,     "forScheme")     /* A URL's. */                                       \
    XX(HOST,       "forHost")       /* A URL's, with or without a port. */               \
    XX(PATH,       "forPath")       /* A segment of a URL's path, or a part of one. */   \
    XX(QUERY,      "forQuery")      /* A name or a value of a URL's query or of a form. */ \
    XX(HTML,       "forHtml")       /* HTML or XML. */                                   \
    XX(RECIPIENTS, "forRecipients") /* An address of e-mail, or a list of them. */       \
    XX(RECIPIENT,  "forRecipient")  /* A part of a text of addresses: at most one. */    \
    XX(QUOTED,     "forQuoted")     /* The same between quotes. */
/* clang-format on */

enum escape {
#define XX(NAME, word) ESCAPE_##NAME,
    ESCAPE_MAP(XX)
#undef XX
};

/* The detail of its instruction: the op, and whether what cannot be compared is false. */
enum { STRUCTURED_OP = 15, STRUCTURED_LENIENT = 16 };

static inline bool structured_is_single(enum structured_op op) { return op >= STRUCTURED_EXISTS; }

struct expr {
    str text;
    bool built; /* Made of parts by build.h: errors have no places. */
    const struct instruction *code;
    size_t code_count;
    const struct json *const *constant;
    const struct regex *const *pattern;
    const struct jsonpath *const *path;
    const struct expr *const *nested;
    const struct predicate_test *const *predicate;
    uint32_t stack_max;
    uint32_t locals_max; /* Names of let known at once. */
    uint32_t loops_max;  /* Loops inside each other. */
    const struct expr_tree *root;
};

#endif
