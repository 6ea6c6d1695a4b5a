/* base/map.h — hash maps from integers to pointers.
 *
 * Open addressing on the heap. A value is never NULL. base/text_map.h has text as keys.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/str.h"

struct map_slot;

struct map {
    struct map_slot *slot;
    size_t count;
    size_t cap; /* A power of two, or 0. */
};

void map_init(struct map *map);
void map_done(struct map *map); /* Frees the table, not the values. */

void *map_get(const struct map *map, uint64_t key);        /* NULL if absent. */
void *map_put(struct map *map, uint64_t key, void *value); /* Returns the value it replaced, or NULL. */
void *map_take(struct map *map, uint64_t key);             /* Removes and returns, or NULL. */

/* Walks all entries in no particular order: start with *cursor = 0, ends with NULL.
 * The map must not change meanwhile. */
void *map_next(const struct map *map, size_t *cursor);
/* The same, and tells the key. */
void *map_next_entry(const struct map *map, size_t *cursor, uint64_t *ret_key);

#endif
