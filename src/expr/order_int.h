/* expr/order_int.h — sorting and grouping, for functions and loops.
 */
#ifndef EXPR_ORDER_INT_H
#define EXPR_ORDER_INT_H

#include "expr/vm_int.h"

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

#define GROUP_END UINT32_MAX

/* The groups of equal keys among `count`. */
struct grouping {
    uint32_t *first; /* The first index with the same key, itself if it is the first. */
    uint32_t *next;  /* The next index with the same key, or GROUP_END. */
};

enum status order_group(struct vm *vm, const str *key, size_t count, struct grouping *ret_grouping);

#endif
