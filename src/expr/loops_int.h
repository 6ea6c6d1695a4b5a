/* expr/loops_int.h — functions that evaluate a body for each element of a list.
 */
#ifndef EXPR_LOOPS_INT_H
#define EXPR_LOOPS_INT_H

#include "expr/order_int.h"

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

struct vm_loop {
    enum loop_kind kind;
    bool descending;
    size_t index;
    struct json_each each; /* each.value is the element. */
    size_t count;
    size_t hits;
    size_t hit_index;         /* The index of the last hit… */
    const struct json *hit;   /* … and the element. */
    const struct json *total; /* The result so far, for sum and reduce. */
    struct json_builder out;
    struct sort_entry *entry; /* The result of each turn, for sortBy and groupBy. */
};

/* `option` is the argument behind the body, or NULL.
 * `*ret_turn`: there is a first (next) element; else `*ret_value` is the result. */
enum status loops_begin(struct vm *vm, struct vm_loop *loop, enum loop_kind kind, const struct json *list,
                        const struct json *option, bool *ret_turn, const struct json **ret_value);
enum status loops_next(struct vm *vm, struct vm_loop *loop, const struct json *given, bool *ret_turn,
                       const struct json **ret_value);

#endif
