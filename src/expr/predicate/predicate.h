/* expr/predicate/predicate.h — conditions on entities, as JSON documents have them.
 *
 *     {"type": "simple", "jsonPath": "$.laureates[*].surname", "operatorType": "EQUALS", "value": "Curie"}
 *     {"type": "lifecycle", "field": "state", "operatorType": "NOT_EQUAL", "value": "NEW"}
 *     {"type": "array", "jsonPath": "$.tags", "values": ["a", null, "c"]}
 *     {"type": "group", "operator": "AND" or "OR", "conditions": […]}
 *     {"type": "function", "function": {"name": …, "config": {…}}}
 *
 * A condition becomes one expression, which gives a boolean. It fails only if its fuel or memory runs out, or
 * with ST_INVALID if a pattern calls itself without end, such as (?R).
 *
 * Missing and null. A test of a value that is missing or null is false, also that of a NOT_ operator, except
 * IS_NULL. An operand that is null or absent fits nothing.
 *
 * Arrays. An array stands for its elements, at any depth: the operator must hold for one of them, NOT_NULL
 * and the other negatives too. So nothing holds for an empty array, not even IS_NULL.
 *
 * Kinds. The value in the document decides how it is compared. A number is compared as an exact decimal with
 * an operand that is a number or a text in the form of one; a boolean only for equality, with true, false and
 * these words; a text byte by byte with the operand as text, in which numbers keep their digits. Anything
 * else does not hold. CONTAINS and its like, LIKE and MATCHES_PATTERN look at texts only. The two dates of
 * the lifecycle are compared as instants.
 */
#ifndef EXPR_PREDICATE_PREDICATE_H
#define EXPR_PREDICATE_PREDICATE_H

#include "expr/expr.h"

/* ---- operators ---- */

/* clang-format off */
#define PREDICATE_MAP(XX)                                                          \
    /* name               is about            negated  ignores case             */ \
    XX(EQUALS,             EQUALS,            false,   false)                      \
    XX(NOT_EQUAL,          EQUALS,            true,    false)                      \
    XX(GREATER_THAN,       GREATER_THAN,      false,   false)                      \
    XX(GREATER_OR_EQUAL,   GREATER_OR_EQUAL,  false,   false)                      \
    XX(LESS_THAN,          LESS_THAN,         false,   false)                      \
    XX(LESS_OR_EQUAL,      LESS_OR_EQUAL,     false,   false)                      \
    XX(BETWEEN,            BETWEEN,           false,   false)                      \
    XX(BETWEEN_INCLUSIVE,  BETWEEN_INCLUSIVE, false,   false)                      \
    XX(CONTAINS,           CONTAINS,          false,   false)                      \
    XX(NOT_CONTAINS,       CONTAINS,          true,    false)                      \
    XX(STARTS_WITH,        STARTS_WITH,       false,   false)                      \
    XX(NOT_STARTS_WITH,    STARTS_WITH,       true,    false)                      \
    XX(ENDS_WITH,          ENDS_WITH,         false,   false)                      \
    XX(NOT_ENDS_WITH,      ENDS_WITH,         true,    false)                      \
    XX(IEQUALS,            EQUALS,            false,   true)                       \
    XX(INOT_EQUAL,         EQUALS,            true,    true)                       \
    XX(ICONTAINS,          CONTAINS,          false,   true)                       \
    XX(INOT_CONTAINS,      CONTAINS,          true,    true)                       \
    XX(ISTARTS_WITH,       STARTS_WITH,       false,   true)                       \
    XX(INOT_STARTS_WITH,   STARTS_WITH,       true,    true)                       \
    XX(IENDS_WITH,         ENDS_WITH,         false,   true)                       \
    XX(INOT_ENDS_WITH,     ENDS_WITH,         true,    true)                       \
    XX(LIKE,               LIKE,              false,   false)                      \
    XX(MATCHES_PATTERN,    MATCHES_PATTERN,   false,   false)                      \
    XX(IS_NULL,            IS_NULL,           false,   false)                      \
    XX(NOT_NULL,           IS_NULL,           true,    false)
/* clang-format on */

enum predicate_op {
#define XX(NAME, basis, negated, folded) PREDICATE_##NAME,
    PREDICATE_MAP(XX)
#undef XX
        PREDICATE_COUNT
};

str predicate_op_name(enum predicate_op op);

/* ---- paths ---- */

/* Names, indices and [*]: `$.a.b`, `$.a[*].b`, `$.a[0]`, `$.a.0`, `$['odd name']`; `$` may be left out. A
 * negative index counts from the end. The value before [*] or an index must be an array. */
enum predicate_step_kind {
    PREDICATE_NAME,   /* `.name`, `['name']` */
    PREDICATE_INDEX,  /* `[0]` */
    PREDICATE_NUMBER, /* `.0`: an index of an array, a name of an object. */
    PREDICATE_ALL,    /* `[*]` */
};

struct predicate_step {
    enum predicate_step_kind kind;
    str name;      /* NAME, NUMBER */
    int64_t index; /* INDEX, NUMBER */
};

struct predicate_path {
    const struct predicate_step *step;
    size_t count; /* 0: the whole document. */
};

/* Fails with ST_INVALID or ST_LIMIT, without a place. */
enum status predicate_path_parse(str text, struct arena *arena, struct predicate_path *ret_path,
                                 struct error *err);
/* The path in one form: paths that mean the same print the same, and it parses again. */
void predicate_path_print(const struct predicate_path *path, struct buf *out);

/* ---- conditions ---- */

/* Where the parts of a condition are found when it is evaluated: the data is the entity's document, and the
 * value of the name `lifecycle_name` is an object with the lifecycle fields. */
struct predicate_options {
    str lifecycle_name;
    bool allows_function; /* As the whole condition. */
};

/* Compiles a condition. A function by itself is checked, and *ret_expr is NULL: somebody else has to be
 * asked. Errors: ST_INVALID or ST_LIMIT with the JSON Pointer of the wrong part as `where`. */
enum status expr_predicate(const struct json *condition, const struct predicate_options *options,
                           struct arena *arena, const struct expr **ret_expr, struct error *err);

struct predicate_function {
    str name;
    const struct json *config; /* An object, or NULL. */
};

/* True if the whole condition is a function that expr_predicate() accepts, and its parts. */
bool predicate_is_function(const struct json *condition, struct predicate_function *ret_function);

/* ---- analysis without running ---- */

/* A test that every match must pass. The value at the path may also be an array of which one element passes;
 * and an operand like 5 fits the number 5.0 and the text "5". */
struct predicate_bound {
    str path; /* Printed, names only; or the field of the lifecycle. */
    bool is_lifecycle;
    enum predicate_op op; /* EQUALS, GREATER_…, LESS_…: of a BETWEEN there are two. */
    const struct json *operand;
};

/* Writes up to `max` such tests of a condition that expr_predicate() accepts and returns how many there are,
 * which may be more. */
size_t predicate_bounds(const struct json *condition, struct arena *arena, struct predicate_bound *ret_bounds,
                        size_t max);

/* One test of a condition. */
struct predicate_leaf {
    struct predicate_path path;
    bool is_lifecycle;
    str field;       /* If so: its name as entities have it. */
    int64_t element; /* In an `array`: the index of the element that it tests; else -1. */
    enum predicate_op op;
    const struct json *operand; /* Null if it is absent. */
    str pointer;                /* JSON Pointer of the test, in the condition; ends with a NUL. */
};

typedef enum status predicate_visit_fn(void *context, const struct predicate_leaf *leaf, struct error *err);

/* Calls back with every test, in order, until one fails. Fails itself where expr_predicate() would, but does
 * not look at operands. */
enum status predicate_visit(const struct json *condition, struct arena *arena, predicate_visit_fn *visit,
                            void *context, struct error *err);

/* A condition as it was read: a test, or a group of parts. */
struct predicate_part {
    bool group, any; /* A group holds if all of its parts hold or, if `any`, one of them. */
    const struct predicate_part *part;
    size_t count;
    struct predicate_leaf leaf;
};

/* Reads a condition that is no function. Fails where expr_predicate() would, but does not look at operands.
 */
enum status predicate_read(const struct json *condition, struct arena *arena,
                           const struct predicate_part **ret_part, struct error *err);

/* Kinds of values that a place can have. */
struct predicate_kinds {
    bool numbers, booleans, texts;
};

/* False: the test compares, and its operand cannot be compared with any of these kinds. */
bool predicate_fits(const struct predicate_leaf *leaf, struct predicate_kinds kinds, struct arena *arena);

/* ---- indexes ---- */

/* False: no further values are wanted. */
typedef bool predicate_value_fn(void *context, const struct json *value);

/* Calls back with each value that tests of the path look at: the elements of arrays, at any depth, and null
 * if the path leads to nothing. */
void predicate_values(const struct predicate_path *path, const struct json *document,
                      predicate_value_fn *visit, void *context);

/* Keys of values (json/key.h) from `from` on, before `to`. */
struct predicate_keys {
    str from, to;
};

/* Finds the keys of all values in the data that can pass the test; of those that have such a key, some may
 * not pass. False: they are not known, and any value can. `bytes_max` is that of the keys. */
bool predicate_find_keys(const struct predicate_leaf *leaf, size_t bytes_max, struct arena *arena,
                         struct predicate_keys **ret_keys, size_t *ret_count);

#endif
