/* base/map.h — hash maps from integers and from text to pointers.
 *
 * Open addressing on the heap. Keys of a text map are borrowed: they must live as long
 * as their entry (usually inside the value). A value is never NULL.
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

struct text_map_slot;

struct text_map {
    struct text_map_slot *slot;
    size_t count;
    size_t cap;
};

void text_map_init(struct text_map *map);
void text_map_done(struct text_map *map);

void *text_map_get(const struct text_map *map, str key);
void *text_map_put(struct text_map *map, str key, void *value);
void *text_map_take(struct text_map *map, str key);

/* Walks all entries in no particular order: start with *cursor = 0, ends with NULL.
 * The map must not change meanwhile. */
void *map_next(const struct map *map, size_t *cursor);
void *text_map_next(const struct text_map *map, size_t *cursor);

#endif
