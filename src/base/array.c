/* base/array.c — doubles the room of an array, on the heap or in an arena. */
#include "base/array.h"

#include <stdlib.h>

enum { ITEMS_FIRST = 8 };

static size_t doubled(size_t cap, size_t item_bytes, size_t *ret_bytes)
{
    must(!__builtin_mul_overflow(cap, 2, &cap));
    if (!cap) cap = ITEMS_FIRST;
    must(!__builtin_mul_overflow(cap, item_bytes, ret_bytes));
    return cap;
}

void *array_grow(void *items, size_t *cap, size_t item_bytes)
{
    size_t bytes;
    *cap = doubled(*cap, item_bytes, &bytes);
    items = realloc(items, bytes);
    must(items);
    return items;
}

void *array_grow_in(struct arena *arena, void *items, size_t *cap, size_t item_bytes)
{
    size_t bytes, used = *cap * item_bytes;
    *cap = doubled(*cap, item_bytes, &bytes);
    char *room = items;
    if (!used || !arena_extend(arena, items, used, bytes)) {
        room = arena_alloc(arena, bytes);
        if (used) memcpy(room, items, used);
    }
    memset(room + used, 0, bytes - used);
    return room;
}
