/* base/array.h — arrays that grow by doubling.
 *
 * A growing array is three fields side by side: a pointer to the items, their count, and for how many there
 * is room (`size_t …_cap`). Before an item is added, one of the two macros below makes room:
 *
 *     array_reserve(queue->item, queue->count, queue->cap);
 *     queue->item[queue->count++] = item;
 *
 * array_reserve() keeps the items on the heap: free() ends the array. array_reserve_in() keeps them in an
 * arena; the new room is zeroed. All three fields begin as zero.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include "base/arena.h"

#define array_reserve(item, count, cap)                                            \
    do {                                                                           \
        if ((count) == (cap)) (item) = array_grow((item), &(cap), sizeof *(item)); \
    } while (0)

#define array_reserve_in(arena, item, count, cap)                                              \
    do {                                                                                       \
        if ((count) == (cap)) (item) = array_grow_in((arena), (item), &(cap), sizeof *(item)); \
    } while (0)

/* For the macros: doubles the room. Running out of memory aborts. */
void *array_grow(void *items, size_t *cap, size_t item_bytes);
void *array_grow_in(struct arena *arena, void *items, size_t *cap, size_t item_bytes);

#endif
