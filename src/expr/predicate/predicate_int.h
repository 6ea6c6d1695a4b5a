/* expr/predicate/predicate_int.h — what the files behind expr/predicate/predicate.h share.
 *
 *     JSON --predicate.c--> parts --predicate/operand.c--> tests --tree, code--> predicate/test.c
 */
#ifndef EXPR_PREDICATE_PREDICATE_INT_H
#define EXPR_PREDICATE_PREDICATE_INT_H

#include "base/regex.h"
#include "expr/limits.h"
#include "expr/predicate/predicate.h"

/* An operand in all the forms that values of the document may ask for. */
struct predicate_operand {
    str text;
    const struct json *number; /* NULL: it is none. */
    bool is_boolean, boolean;
    int64_t instant_ms;
};

/* One test, compiled. */
struct predicate_test {
    struct predicate_path path;
    int64_t element;         /* Not negative: only this element of what the path leads to. */
    enum predicate_op op;    /* As it is written, and… */
    enum predicate_op basis; /* … what it is about. */
    bool negated;
    bool folded;                       /* Ignores case: the operand is folded. */
    bool instant;                      /* The value is a text in the form of RFC 3339. */
    bool never;                        /* The operand is null. */
    struct predicate_operand bound[2]; /* Only BETWEEN has two. */
    const struct regex *pattern;
    const struct json *operand; /* As it is written, for people. */
};

/* Finds the operator of a name (predicate/operand.c); a name that there is not gets a message. */
enum status predicate_find_op(str name, enum predicate_op *ret_op, struct error *err);

/* The two bounds of a BETWEEN: `[lo, hi]` or "lo,hi". */
enum status predicate_range(enum predicate_op op, const struct json *operand, struct arena *arena,
                            const struct json *ret_bound[2], struct error *err);

/* Makes a test of a leaf. `instant`: its field is a date. Fails without a place. */
enum status predicate_compile(const struct predicate_leaf *leaf, bool instant, struct arena *arena,
                              const struct predicate_test **ret_test, struct error *err);

/* The value behind a step that is not [*], or NULL (predicate/test.c). */
const struct json *predicate_step_into(const struct json *value, const struct predicate_step *step);

/* The steps without `$`, and the operator with its operand. */
void predicate_print(const struct predicate_test *test, struct buf *out);

#endif
