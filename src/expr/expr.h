/* expr/expr.h — text → bytecode → value.
 *
 * An expression is compiled once, lives in the arena it was compiled in (its regular
 * expressions too), never changes, and can be evaluated by several threads at once.
 * Evaluation reads nothing but its environment and stops when its fuel or the arena's
 * budget runs out.
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include "json/json.h"

struct expr;
struct jsonpath;

/* A value with a name that is not part of the data: a job's result, an error. */
struct expr_local {
    str name;
    const struct json *value;
};

/* The values that an expression can read. Names resolve to locals, then to members of the data, then to
 * members of the data around it. */
struct expr_env {
    const struct json *data;
    const struct json *const *around; /* The data of the scopes around this one, the innermost first. */
    size_t around_count;
    const struct expr_local *local;
    size_t local_count;
    int64_t now_ms;                 /* now(). */
    bool strict;                    /* A filter that selects nothing is a failure. */
    const struct jsonpath **missed; /* Gets the path of a filter that selected nothing; NULL: nobody asks. */
};

/* Compiles a whole text. Errors: ST_INVALID or ST_LIMIT with line and column (1-based, in
 * characters) and a message without the place in it. `text` is copied. */
enum status expr_compile(str text, struct arena *arena, const struct expr **ret_expr, struct error *err);

/* `fuel` is what may be used and is lowered by what was used. The result lives in the
 * arena or in the environment. Errors carry the place of the operation that failed. */
enum status expr_eval(const struct expr *expr, const struct expr_env *env, int64_t *fuel, struct arena *arena,
                      const struct json **ret_value, struct error *err);

/* The values that the paths of a condition (build.h) select from this data: {"$['a']['b']": value, …}, for
 * messages. An empty object for expressions of other makes. */
const struct json *expr_operands(const struct expr *expr, const struct json *data, int64_t fuel,
                                 struct arena *arena);

/* The text it was compiled from. */
str expr_text(const struct expr *expr);

/* The bytecode, one instruction a line, with the place each came from. */
void expr_print(const struct expr *expr, struct buf *out);

/* The line of the text an error points at, and a caret under the column. */
void expr_print_caret(str text, const struct error *err, struct buf *out);

/* ---- analysis without running ---- */

/* One test of one variable against a literal; a conjunction of them describes a rule of a
 * decision table well enough to see whether two rules can hold at once. */
enum expr_test_op { EXPR_TEST_EQ, EXPR_TEST_NE, EXPR_TEST_LT, EXPR_TEST_LE, EXPR_TEST_GT, EXPR_TEST_GE };
struct expr_test {
    str path; /* "amount", "user.age". */
    enum expr_test_op op;
    const struct json *literal; /* A number, string or boolean. */
};

/* If the expression is nothing but `path op literal` tests (either way round) joined by
 * and, writes up to `max` of them and returns how many there are, which may be more; SIZE_MAX if
 * it is anything else. */
size_t expr_tests(const struct expr *expr, struct arena *arena, struct expr_test *ret_tests, size_t max);

/* The same for comparisons anywhere in the expression, whatever joins them; `path in [literals]` counts
 * as equalities, and a path by itself where a truth value is asked for as `path == true`. */
size_t expr_comparisons(const struct expr *expr, struct arena *arena, struct expr_test *ret_tests,
                        size_t max);

/* Writes up to `max` names of variables that the expression reads, some perhaps more than once, and
 * returns how many there are, which may be more. One that asks for all of the data (`$env`) may
 * look for names itself: 0. The names live as long as the expression. */
size_t expr_variables(const struct expr *expr, str *ret_names, size_t max);

/* True if the expression is a constant, and which. */
bool expr_is_constant(const struct expr *expr, const struct json **ret_value);

#endif
