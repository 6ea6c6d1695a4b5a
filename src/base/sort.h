/* base/sort.h — a stable sort without allocation that is never quadratic.
 *
 * qsort() of the C library is not stable, may allocate, and passes no context; use it where all three are
 * welcome. This one is a merge sort from the bottom up, and leaves runs alone that are in order already.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <string.h>

/* <0, 0 or >0, as a stands before, beside or behind b. */
typedef int sort_compare_fn(const void *a, const void *b, const void *context);

/* Sorts `count` items of `bytes` each; `scratch` has room for as many. Inlined, so that the size of an item
 * and the comparison are constants for the compiler. */
static inline __attribute__((always_inline)) void sort_stable(void *items, void *scratch, size_t count,
                                                              size_t bytes, sort_compare_fn *compare,
                                                              const void *context)
{
    char *item = items, *copy = scratch;
    for (size_t width = 1; width < count; width *= 2)
        for (size_t from = 0; from + width < count; from += 2 * width) {
            size_t middle = from + width;
            size_t end = middle + width < count ? middle + width : count;
            if (compare(item + (middle - 1) * bytes, item + middle * bytes, context) <= 0) continue;
            memcpy(copy, item + from * bytes, width * bytes);
            const char *left = copy, *left_end = copy + width * bytes;
            const char *right = item + middle * bytes, *right_end = item + end * bytes;
            char *to = item + from * bytes;
            while (left < left_end && right < right_end) {
                const char **next = compare(left, right, context) <= 0 ? &left : &right;
                memcpy(to, *next, bytes);
                to += bytes;
                *next += bytes;
            }
            memcpy(to, left, (size_t)(left_end - left)); /* The rest of the right run is in its place. */
        }
}

#endif
