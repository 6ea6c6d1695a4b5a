/* expr/expr_int.h — what the files of this folder share.
 *
 *     text --lexer--> tokens --parser--> nodes --fold--> nodes --compile--> code --vm--> value
 *                        parts --build.h--^
 *
 * Ownership: everything lives in the arena the expression was compiled in (nodes, code,
 * constants, patterns) or in the arena it is evaluated in (stack, frames, results).
 */
#ifndef EXPR_EXPR_INT_H
#define EXPR_EXPR_INT_H

#include "base/limits.h"
#include "base/must.h"
#include "base/regex.h"
#include "expr/build.h"
#include "expr/expr.h"

#include <stdarg.h>

/* ---- tokens ---- */

/* Spelled tokens, longer ones before their beginnings: the lexer takes the first that fits. */
/* clang-format off */
#define SYMBOL_MAP(XX)          \
    XX(EQUAL,         "==")     \
    XX(NOT_EQUAL,     "!=")     \
    XX(LESS_EQUAL,    "<=")     \
    XX(GREATER_EQUAL, ">=")     \
    XX(AND,           "&&")     \
    XX(OR,            "||")     \
    XX(PIPE,          "|")      \
    XX(COALESCE,      "??")     \
    XX(OPTIONAL,      "?.")     \
    XX(RANGE,         "..")     \
    XX(POWER,         "**")     \
    XX(DOLLAR_BRACE,  "${")     \
    XX(ASSIGN,        "=")      \
    XX(LESS,          "<")      \
    XX(GREATER,       ">")      \
    XX(NOT,           "!")      \
    XX(QUESTION,      "?")      \
    XX(COLON,         ":")      \
    XX(COMMA,         ",")      \
    XX(SEMICOLON,     ";")      \
    XX(DOT,           ".")      \
    XX(PLUS,          "+")      \
    XX(MINUS,         "-")      \
    XX(STAR,          "*")      \
    XX(SLASH,         "/")      \
    XX(PERCENT,       "%")      \
    XX(HASH,          "#")      \
    XX(PAREN_OPEN,    "(")      \
    XX(PAREN_CLOSE,   ")")      \
    XX(BRACKET_OPEN,  "[")      \
    XX(BRACKET_CLOSE, "]")      \
    XX(BRACE_OPEN,    "{")      \
    XX(BRACE_CLOSE,   "}")
/* clang-format on */

enum token_kind {
#define XX(NAME, text) TOKEN_##NAME,
    SYMBOL_MAP(XX)
#undef XX
        TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_NAME,
    TOKEN_END,
};

struct token {
    enum token_kind kind;
    uint16_t at; /* Byte offsets in the text, which has at most EXPRESSION_BYTES_MAX. */
    uint16_t end;
};

struct lexer {
    str text;
    size_t next;
    struct error *err;
};

/* Fails on a character that begins no token, a malformed number, a string or a comment
 * never closed. */
enum status lexer_next(struct lexer *lexer, struct token *ret_token);

/* The value of a string token, its escapes resolved. */
enum status lexer_string(const struct lexer *lexer, struct token token, struct arena *arena, str *ret_value);

static inline str lexer_token_text(str text, struct token token)
{
    return (str){ text.p + token.at, (size_t)(token.end - token.at) };
}

/* In quotes. */
const char *lexer_token_name(enum token_kind kind);

/* The end of the name that begins here, or `at` if none does. */
size_t lexer_name_end(str text, size_t at);
/* Says what is wrong with a character that begins nothing. */
enum status lexer_fail_character(const struct lexer *lexer, size_t at);
/* 16, 8 or 2 if a number with 0x, 0o or 0b begins here, else 0. */
unsigned lexer_base(str text, size_t at);

/* fail_at() for a byte of the text. */
__attribute__((format(printf, 5, 6))) enum status lexer_fail(struct error *err, enum status status, str text,
                                                             size_t at, const char *format, ...);
__attribute__((format(printf, 5, 0))) enum status lexer_fail_v(struct error *err, enum status status,
                                                               str text, size_t at, const char *format,
                                                               va_list args);

/* ---- code ---- */

/* Operands: what an instruction's `arg` means and how expr_print shows it. */
/* clang-format off */
#define OPCODE_MAP(XX)                                                                   \
    /* name            operand    meaning                                             */ \
    XX(CONSTANT,       CONSTANT,  "push a constant")                                     \
    XX(VARIABLE,       CONSTANT,  "push a local or a member of the data; it must be there") \
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
    XX(RETURN,         NONE,      "done")
/* clang-format on */

enum opcode {
#define XX(NAME, operand, meaning) OP_##NAME,
    OPCODE_MAP(XX)
#undef XX
};

struct instruction {
    uint8_t op;
    uint8_t detail; /* Arguments of a call, kind of a loop, bounds of a slice, use of a path, a test. */
    uint16_t at;    /* Where in the text, for errors. */
    uint32_t arg;
};

enum { SLICE_FROM = 1, SLICE_TO = 2 };

/* A test: an enum choice_test, and which sides are lists of nodes of which any will do. */
enum { TEST_KIND = 7, TEST_LEFT_NODES = 8, TEST_RIGHT_NODES = 16 };

struct expr {
    str text;
    bool built; /* Of parts, so its text has no places. */
    const struct instruction *code;
    size_t code_count;
    const struct json *const *constant;
    const struct regex *const *pattern;
    const struct jsonpath *const *path;
    uint32_t stack_max;
    uint32_t locals_max; /* Names of let known at once. */
    uint32_t loops_max;  /* Loops inside each other. */
    const struct expr_tree *root;
};

/* ---- nodes ---- */

/* Chains of operators of one precedence and chains of `.b[c]` are flat, so that the depth
 * of the tree is bounded by EXPRESSION_DEPTH_MAX and not by the length of the text. */
enum node_kind {
    NODE_LITERAL,  /* value */
    NODE_VARIABLE, /* value: its name */
    NODE_DATA,
    NODE_ELEMENT,
    NODE_ELEMENT_INDEX,
    NODE_ACCUMULATOR, /* Of the innermost reduce(). */
    NODE_LOCAL,       /* slot; definition */
    NODE_LET,         /* slot: of the first; the values of names, and last the expression. */
    NODE_PIPE,        /* A value, and calls that each take what is before them… */
    NODE_PIPED,       /* … as this, their first argument: it is on the stack already. */
    NODE_UNARY,       /* op; one child */
    NODE_BINARY,      /* Children joined from the left, each by its own `join`. */
    NODE_AND,
    NODE_OR,
    NODE_COALESCE,
    NODE_CONDITION, /* Three children. */
    NODE_PATH,      /* A value and the steps into it: the next three kinds. */
    NODE_MEMBER,    /* value: the name */
    NODE_INDEX,     /* One child. */
    NODE_SLICE,     /* bounds; a child for each. */
    NODE_LIST,
    NODE_MAP,       /* Names (literals) and values in turn. */
    NODE_CALL,      /* function */
    NODE_LOOP,      /* function: the loop; list, body, further arguments. */
    NODE_OPERATION, /* op, detail, path, pattern: children, then that one instruction. */
};

/* Trees that build.h makes nest at most so deep. */
enum { TREE_DEPTH_MAX = 1024 };

struct expr_tree {
    uint8_t kind;
    uint8_t op;
    uint8_t join;   /* The opcode between the sibling before and this one. */
    uint8_t detail; /* What the instruction's will be; SLICE_FROM, SLICE_TO. */
    bool optional;  /* A step reached by ?. */
    bool join_not;  /* "not in" and its kin. */
    uint8_t function;
    uint16_t at;
    uint16_t join_at;
    uint16_t slot;
    struct expr_tree *first;
    struct expr_tree *next;
    const struct json *value;
    /* What a name stands for. In built trees only a key that a let and its locals share, until
     * expr_of_tree() gives them slots. */
    const struct expr_tree *definition;
    const struct jsonpath *path[2];
    const struct regex *pattern;
    str text; /* Of the author, if this is a whole condition. */
};

enum status parser_parse(str text, struct arena *arena, struct expr_tree **ret_root, struct error *err);

/* Replaces what cannot fail and needs no data by its value. */
void fold_constants(struct expr_tree *root, str text, struct arena *arena);

/* Folds and compiles. `text` is what expr_text() shall give. */
enum status compile_expr(struct expr_tree *root, str text, bool built, struct arena *arena,
                         const struct expr **ret_expr, struct error *err);

/* ---- built trees (build.c, build_text.c) ---- */

struct expr_tree *tree_operation(enum opcode op, uint8_t detail, struct expr_tree *const *child, size_t count,
                                 struct arena *arena);
/* Member of member of member, flat; `of` itself if there is no name. */
struct expr_tree *tree_members(struct expr_tree *of, const str *name, size_t count, struct arena *arena);
/* `body`, in which tree_local(value) stands for value, evaluated once. */
struct expr_tree *tree_let(struct expr_tree *value, struct expr_tree *body, struct arena *arena);
struct expr_tree *tree_local(const struct expr_tree *value, struct arena *arena);
/* The tree as text. */
void tree_print(const struct expr_tree *tree, struct buf *out);
/* The path in quotes, with dots where brackets are not needed. */
void tree_print_path(const struct jsonpath *path, struct buf *out);
extern const char *const tree_path_uses[];  /* By enum path_use. */
extern const char *const tree_test_signs[]; /* By enum choice_test. */

/* ---- running ---- */

struct vm {
    str text;
    const struct expr_env *env;
    struct arena *arena;
    struct error *err;
    int64_t fuel;
    int64_t fuel_given;
    uint16_t at; /* Of the instruction that runs. */
    bool built;  /* There are no places. */
    struct regex_matcher matcher;
};

/* Writes an error with the place of the running instruction. */
__attribute__((format(printf, 3, 4), cold)) enum status vm_fail(struct vm *vm, enum status status,
                                                                const char *format, ...);

/* The same for what build.h says, with "filter" as the error's `where`. */
__attribute__((format(printf, 3, 4), cold)) enum status vm_fail_filter(struct vm *vm, enum status status,
                                                                       const char *format, ...);

__attribute__((cold)) enum status vm_exhausted(struct vm *vm);
__attribute__((cold)) enum status vm_too_large(struct vm *vm);

/* Pays for work; the cost of what follows is known before it is done. */
static inline enum status vm_spend(struct vm *vm, uint64_t operations)
{
    if (vm->fuel < 0 || operations > (uint64_t)vm->fuel || arena_over(vm->arena)) return vm_exhausted(vm);
    vm->fuel -= (int64_t)operations;
    return ST_OK;
}

/* Pays for copying and for looking at bytes one by one. */
enum { COPY_BYTES_PER_FUEL = 64, SCAN_BYTES_PER_FUEL = 16 };

static inline enum status vm_spend_copy(struct vm *vm, uint64_t bytes)
{
    if (bytes > EXPRESSION_VALUE_BYTES_MAX) return vm_too_large(vm);
    return vm_spend(vm, bytes / COPY_BYTES_PER_FUEL + 1);
}
static inline enum status vm_spend_scan(struct vm *vm, uint64_t bytes)
{
    return vm_spend(vm, bytes / SCAN_BYTES_PER_FUEL + 1);
}

/* Pays for looking for one text in another, at worst. */
static inline enum status vm_spend_search(struct vm *vm, str text, str part)
{
    return vm_spend(vm, (text.n / SCAN_BYTES_PER_FUEL + 1) * (part.n / COPY_BYTES_PER_FUEL + 1));
}

/* A new list or map may hold others; together they stay within JSON_DEPTH_MAX. */
enum status vm_check_depth(struct vm *vm, const struct json *value);

/* "a number", "null", … */
const char *vm_kind_phrase(const struct json *value);

/* ---- operators (operators.c) ---- */

enum status op_unary(struct vm *vm, enum opcode op, const struct json *a, const struct json **ret_value);
enum status op_binary(struct vm *vm, enum opcode op, const struct json *a, const struct json *b,
                      const struct json **ret_value);
enum status op_calculate(struct vm *vm, enum json_operator op, const struct json *a, const struct json *b,
                         const struct json **ret_value);
/* A number as it is, numeric text as a number; else an error. */
enum status op_number(struct vm *vm, const struct json *value, const struct json **ret_number);
/* A boolean, or the text true or false in any case; else an error. */
enum status op_boolean(struct vm *vm, const struct json *value, bool *ret_value);
/* A boolean and nothing else. */
enum status op_strict_boolean(struct vm *vm, const struct json *value, bool *ret_value);
/* Whether the pattern is found in the text. */
enum status op_matches(struct vm *vm, const struct regex *pattern, str text, bool *ret_found);

/* ---- reaching into values (access.c) ---- */

enum status access_member(struct vm *vm, const struct json *value, str name, const struct json **ret_value);
enum status access_index(struct vm *vm, const struct json *value, const struct json *index,
                         const struct json **ret_value);
/* NULL bounds are the ends. */
enum status access_slice(struct vm *vm, const struct json *value, const struct json *from,
                         const struct json *to, const struct json **ret_value);

/* ---- by a path (paths.c) ---- */

enum status op_path(struct vm *vm, enum path_use use, const struct jsonpath *path, const struct json *value,
                    const struct json **ret_value);
enum status op_place(struct vm *vm, const struct json *base, const struct jsonpath *path,
                     const struct json *value, const struct json **ret_value);
enum status op_collect(struct vm *vm, const struct json *base, const struct jsonpath *path,
                       const struct json *list, const struct json **ret_value);
enum status op_events(struct vm *vm, const struct json *base, const struct jsonpath *take,
                      const struct jsonpath *put, const struct json *events, const struct json **ret_value);

/* ---- merging (merging.c) ---- */

enum status op_combine(struct vm *vm, const struct json *a, const struct json *b,
                       const struct json **ret_value);
enum status op_wrapped(struct vm *vm, const struct json *outputs, const struct json **ret_value);
enum status op_fold(struct vm *vm, const struct json *base, const struct json *list,
                    const struct json **ret_value);

/* ---- tests without coercion (comparing.c) ---- */

/* `text` is what a string is compared with, `value` what anything else is. */
enum status op_choice(struct vm *vm, enum choice_test test, const struct json *nodes, const struct json *text,
                      const struct json *value, bool *ret_value);
/* `test` with its TEST_… bits. */
enum status op_holds(struct vm *vm, uint8_t test, const struct json *a, const struct json *b,
                     bool *ret_value);
/* `pattern` NULL: it is in b. */
enum status op_finds(struct vm *vm, uint8_t test, const struct json *a, const struct regex *pattern,
                     const struct json *b, bool *ret_value);
bool op_truth(uint8_t test, const struct json *value);

/* ---- characters (chars.c) ---- */

/* The text, or as much of it as a message should show. */
str chars_cut(str text);
/* A value as text: strings as they are, anything else as JSON. */
str chars_of(const struct json *value, struct arena *arena);
enum status chars_change_case(struct vm *vm, str text, bool upper, str *ret_text);

/* ---- sorting and grouping (order.c) ---- */

struct sort_entry {
    const struct json *key;
    const struct json *value;
};

/* Stable. Keys must be all numbers or all strings: else an error that names `function`. */
enum status order_sort(struct vm *vm, const char *function, struct sort_entry *entry, size_t count,
                       bool descending);
/* Reads the optional last argument of sort and sortBy: "asc" or "desc"; NULL is "asc". */
enum status order_direction(struct vm *vm, const char *function, const struct json *word,
                            bool *ret_descending);

enum { GROUP_END = UINT32_MAX };

/* Which of `count` keys are equal. */
struct grouping {
    uint32_t *first; /* The first index with the same key, itself if it is the first. */
    uint32_t *next;  /* The next index with the same key, or GROUP_END. */
};

enum status order_group(struct vm *vm, const str *key, size_t count, struct grouping *ret_grouping);

/* ---- functions ---- */

enum { ARGUMENTS_MAX = 255 };

/* clang-format off */
#define BUILTIN_MAP(XX)                   \
    /* name       fewest  most         */ \
    XX(len,       1, 1)                   \
    XX(upper,     1, 1)                   \
    XX(lower,     1, 1)                   \
    XX(trim,      1, 2)                   \
    XX(split,     2, 3)                   \
    XX(join,      1, 2)                   \
    XX(replace,   3, 3)                   \
    XX(indexOf,   2, 2)                   \
    XX(lastIndexOf, 2, 2)                 \
    XX(repeat,    2, 2)                   \
    XX(trimPrefix, 1, 2)                  \
    XX(trimSuffix, 1, 2)                  \
    XX(splitAfter, 2, 3)                  \
    XX(abs,       1, 1)                   \
    XX(ceil,      1, 1)                   \
    XX(floor,     1, 1)                   \
    XX(round,     1, 2)                   \
    XX(min,       1, ARGUMENTS_MAX)       \
    XX(max,       1, ARGUMENTS_MAX)       \
    XX(sum,       1, 1)                   \
    XX(mean,      1, 1)                   \
    XX(median,    1, 1)                   \
    XX(int,       1, 1)                   \
    XX(float,     1, 1)                   \
    XX(string,    1, 1)                   \
    XX(bool,      1, 1)                   \
    XX(type,      1, 1)                   \
    XX(keys,      1, 1)                   \
    XX(values,    1, 1)                   \
    XX(toPairs,   1, 1)                   \
    XX(fromPairs, 1, 1)                   \
    XX(first,     1, 1)                   \
    XX(last,      1, 1)                   \
    XX(take,      2, 2)                   \
    XX(reverse,   1, 1)                   \
    XX(sort,      1, 2)                   \
    XX(uniq,      1, 1)                   \
    XX(flatten,   1, 1)                   \
    XX(concat,    1, ARGUMENTS_MAX)       \
    XX(toJSON,    1, 1)                   \
    XX(fromJSON,  1, 1)                   \
    XX(toBase64,  1, 1)                   \
    XX(fromBase64, 1, 1)                  \
    XX(bitand,    2, 2)                   \
    XX(bitor,     2, 2)                   \
    XX(bitxor,    2, 2)                   \
    XX(bitnand,   2, 2)                   \
    XX(bitnot,    1, 1)                   \
    XX(bitshl,    2, 2)                   \
    XX(bitshr,    2, 2)                   \
    XX(bitushr,   2, 2)                   \
    XX(now,       0, 0)                   \
    XX(date,      1, 1)                   \
    XX(duration,  1, 1)                   \
    XX(get,       2, 2)
/* clang-format on */

/* Functions that are another way to write an operator. */
/* clang-format off */
#define OPERATOR_FUNCTION_MAP(XX)   \
    XX(contains,   CONTAINS)        \
    XX(startsWith, STARTS_WITH)     \
    XX(endsWith,   ENDS_WITH)       \
    XX(hasPrefix,  STARTS_WITH)     \
    XX(hasSuffix,  ENDS_WITH)       \
    XX(matches,    MATCHES)
/* clang-format on */

typedef enum status builtin_fn(struct vm *vm, const struct json *const *arg, size_t count,
                               const struct json **ret_value);

enum builtin {
#define XX(name, fewest, most) BUILTIN_##name,
    BUILTIN_MAP(XX)
#undef XX
        BUILTIN_COUNT
};

#define XX(name, fewest, most) builtin_fn builtin_##name;
BUILTIN_MAP(XX)
#undef XX

/* The head of a function's definition; most have one fixed number of arguments. */
#define BUILTIN(name)                                                                                \
    enum status builtin_##name(struct vm *vm, const struct json *const *arg __attribute__((unused)), \
                               size_t count __attribute__((unused)), const struct json **ret_value)

struct builtin_entry {
    str name;
    uint8_t fewest;
    uint8_t most;
    builtin_fn *call;
};

extern const struct builtin_entry builtin_table[BUILTIN_COUNT];

/* Arguments of the wrong kind: "upper() needs a string, not a number". */
enum status builtin_wants(struct vm *vm, const char *function, const char *wanted, const struct json *got);

/* ---- loops (loops.c) ---- */

/* clang-format off */
#define LOOP_MAP(XX)          \
    /* name    fewest  most */ \
    XX(all,           2, 2)   \
    XX(any,           2, 2)   \
    XX(none,          2, 2)   \
    XX(one,           2, 2)   \
    XX(filter,        2, 2)   \
    XX(map,           2, 2)   \
    XX(count,         1, 2)   \
    XX(sum,           1, 2)   \
    XX(find,          2, 2)   \
    XX(findIndex,     2, 2)   \
    XX(findLast,      2, 2)   \
    XX(findLastIndex, 2, 2)   \
    XX(groupBy,       2, 2)   \
    XX(sortBy,        2, 3)   \
    XX(reduce,        2, 3)
/* clang-format on */

enum loop_kind {
#define XX(name, fewest, most) LOOP_##name,
    LOOP_MAP(XX)
#undef XX
        LOOP_COUNT
};

extern const struct loop_entry {
    str name;
    uint8_t fewest, most;
} loops_table[LOOP_COUNT];

struct loop {
    enum loop_kind kind;
    bool descending;
    size_t index;
    struct json_each each; /* each.value is the element. */
    size_t count;
    size_t hits;
    size_t hit_index;         /* Of the last hit… */
    const struct json *hit;   /* … and the element. */
    const struct json *total; /* Of sum and reduce. */
    struct json_builder out;
    struct sort_entry *entry; /* Of sortBy and groupBy: what each turn gave. */
};

/* `option` is the argument behind the body, or NULL.
 * `*ret_turn`: there is a first (next) element; else `*ret_value` is the result. */
enum status loops_begin(struct vm *vm, struct loop *loop, enum loop_kind kind, const struct json *list,
                        const struct json *option, bool *ret_turn, const struct json **ret_value);
enum status loops_next(struct vm *vm, struct loop *loop, const struct json *given, bool *ret_turn,
                       const struct json **ret_value);

/* The name of a function or loop that looks like this one, or an empty str. */
str builtin_like(str name);

#endif
