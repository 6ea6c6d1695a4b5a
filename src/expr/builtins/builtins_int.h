/* expr/builtins/builtins_int.h — the functions of the language.
 *
 * A function is a row of BUILTIN_MAP and a definition that begins with BUILTIN(name), in the
 * file of the values it works on.
 */
#ifndef EXPR_BUILTINS_BUILTINS_INT_H
#define EXPR_BUILTINS_BUILTINS_INT_H

#include "expr/limits.h"
#include "expr/vm_int.h"

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

/* The name of a function or loop that looks like this one, or an empty str. */
str builtin_like(str name);

#endif
