/* base/text_map.c — an open hash table with text keys and a secret seed. */
#include "base/text_map.h"

#include "base/int128.h"
#include "base/must.h"
#include "base/probe_int.h"
#include "base/word_int.h"

#include <stdlib.h>

struct text_map_slot {
    str key;
    uint64_t hash;
    void *value; /* NULL: empty. */
};

/* Folds the 128-bit product: each input bit changes about half of the result. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Both are zero without a seed. The second one is even, so that the factors stay odd. */
static uint64_t seed_of_start, seed_of_factors;

void text_map_seed(uint64_t seed)
{
    seed_of_start = seed ? mix(seed ^ UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d1)) : 0;
    seed_of_factors =
        seed ? mix(seed ^ UINT64_C(0x082efa98ec4e6c89), UINT64_C(0x452821e638d01377)) & ~UINT64_C(1) : 0;
}

/* The seed is in the factors, too: keys that share a place for one seed do not for another one. With known
 * factors a client could choose words whose differences cancel out whatever the start is. */
uint64_t text_map_hash(str text)
{
    uint64_t hash = UINT64_C(0x243f6a8885a308d3) ^ seed_of_start ^ text.n;
    for (size_t at = 0; at + 8 <= text.n; at += 8)
        hash = mix(hash ^ word_at(text.p + at), UINT64_C(0x9e3779b97f4a7c15) ^ seed_of_factors);
    return mix(hash ^ word_of_tail(text), UINT64_C(0xd6e8feb86659fd93) ^ seed_of_factors);
}

void text_map_init(struct text_map *map) { *map = (struct text_map){ 0 }; }

void text_map_done(struct text_map *map)
{
    free(map->slot);
    text_map_init(map);
}

static size_t find_slot(const struct text_map *map, str key, uint64_t hash)
{
    size_t mask = map->cap - 1;
    size_t i = hash & mask;
    while (map->slot[i].value && (map->slot[i].hash != hash || !str_equal(map->slot[i].key, key)))
        i = (i + 1) & mask;
    return i;
}

static void grow_map(struct text_map *map)
{
    struct text_map old = *map;
    map->cap = probe_cap_after(old.cap);
    map->slot = calloc(map->cap, sizeof *map->slot);
    must(map->slot);
    for (size_t i = 0; i < old.cap; i++) {
        const struct text_map_slot *slot = &old.slot[i];
        if (slot->value) map->slot[find_slot(map, slot->key, slot->hash)] = *slot;
    }
    free(old.slot);
}

void *text_map_get(const struct text_map *map, str key)
{
    return map->count ? map->slot[find_slot(map, key, text_map_hash(key))].value : NULL;
}

void *text_map_put(struct text_map *map, str key, void *value)
{
    must(value);
    if (probe_is_crowded(map->count, map->cap)) grow_map(map);
    uint64_t hash = text_map_hash(key);
    struct text_map_slot *slot = &map->slot[find_slot(map, key, hash)];
    void *before = slot->value;
    /* Also when it replaces: the old key may die with the old value. */
    *slot = (struct text_map_slot){ .key = key, .hash = hash, .value = value };
    if (!before) map->count++;
    return before;
}

void *text_map_take(struct text_map *map, str key)
{
    if (!map->count) return NULL;
    size_t mask = map->cap - 1;
    size_t hole = find_slot(map, key, text_map_hash(key));
    void *value = map->slot[hole].value;
    if (!value) return NULL;
    for (size_t i = (hole + 1) & mask; map->slot[i].value; i = (i + 1) & mask) {
        if (!probe_may_move(map->slot[i].hash & mask, i, hole, mask)) continue;
        map->slot[hole] = map->slot[i];
        hole = i;
    }
    map->slot[hole].value = NULL;
    map->count--;
    return value;
}

void *text_map_next(const struct text_map *map, size_t *cursor)
{
    while (*cursor < map->cap) {
        void *value = map->slot[(*cursor)++].value;
        if (value) return value;
    }
    return NULL;
}
