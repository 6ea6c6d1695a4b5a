/* base/text_map.h — hash maps from text to pointers.
 *
 * Like base/map.h. Keys are borrowed: they must live as long as their entry (usually inside the value).
 * Clients choose many of the keys. A process that serves them calls text_map_seed() first, so that nobody
 * outside knows which keys share a place.
 */
#ifndef BASE_TEXT_MAP_H
#define BASE_TEXT_MAP_H

#include "base/str.h"

#include <stdint.h>

/* Changes the places of all keys. Called at most once, with a random number, before the first map and the
 * first thread. Without it the places are the same in every process, as simulations and tests need it. */
void text_map_seed(uint64_t seed);

/* The seeded hash, for tables of other kinds whose keys clients choose. Not for what is stored. */
uint64_t text_map_hash(str text);

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
void *text_map_next(const struct text_map *map, size_t *cursor);

#endif
