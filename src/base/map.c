/* base/map.c — an open hash table with integer keys. */
#include "base/map.h"

#include "base/must.h"
#include "base/probe_int.h"

#include <stdlib.h>

struct map_slot {
    uint64_t key;
    void *value; /* NULL: empty. */
};

/* Every bit of the key reaches the low bits: keys are often multiples or a sequence. */
static uint64_t hash_integer(uint64_t key)
{
    key ^= key >> 32;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return key ^ (key >> 32);
}

void map_init(struct map *map) { *map = (struct map){ 0 }; }

void map_done(struct map *map)
{
    free(map->slot);
    map_init(map);
}

/* The key's slot, or the empty one where it would go. The table has at least one. */
static size_t find_slot(const struct map *map, uint64_t key)
{
    size_t mask = map->cap - 1;
    size_t i = hash_integer(key) & mask;
    while (map->slot[i].value && map->slot[i].key != key) i = (i + 1) & mask;
    return i;
}

static void grow_map(struct map *map)
{
    struct map old = *map;
    map->cap = probe_cap_after(old.cap);
    map->slot = calloc(map->cap, sizeof *map->slot);
    must(map->slot);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].value) map->slot[find_slot(map, old.slot[i].key)] = old.slot[i];
    free(old.slot);
}

void *map_get(const struct map *map, uint64_t key)
{
    return map->count ? map->slot[find_slot(map, key)].value : NULL;
}

void *map_put(struct map *map, uint64_t key, void *value)
{
    must(value);
    if (probe_is_crowded(map->count, map->cap)) grow_map(map);
    struct map_slot *slot = &map->slot[find_slot(map, key)];
    void *before = slot->value;
    *slot = (struct map_slot){ .key = key, .value = value };
    if (!before) map->count++;
    return before;
}

void *map_take(struct map *map, uint64_t key)
{
    if (!map->count) return NULL;
    size_t mask = map->cap - 1;
    size_t hole = find_slot(map, key);
    void *value = map->slot[hole].value;
    if (!value) return NULL;
    for (size_t i = (hole + 1) & mask; map->slot[i].value; i = (i + 1) & mask) {
        if (!probe_may_move(hash_integer(map->slot[i].key) & mask, i, hole, mask)) continue;
        map->slot[hole] = map->slot[i];
        hole = i;
    }
    map->slot[hole].value = NULL;
    map->count--;
    return value;
}

void *map_next_entry(const struct map *map, size_t *cursor, uint64_t *ret_key)
{
    while (*cursor < map->cap) {
        const struct map_slot *slot = &map->slot[(*cursor)++];
        if (!slot->value) continue;
        *ret_key = slot->key;
        return slot->value;
    }
    return NULL;
}

void *map_next(const struct map *map, size_t *cursor)
{
    uint64_t key;
    return map_next_entry(map, cursor, &key);
}
