/* base/map.c — linear probing without tombstones.
 *
 * An entry lies at its home (its hash's place) or behind it, with no empty slot between.
 * Removal keeps that true by moving later entries of the run back, so lookups never get
 * slower by use, and a table that shrinks to nothing is as good as a new one.
 */
#include "base/map.h"

#include "base/int128.h"
#include "base/must.h"

#include <stdlib.h>

enum { CAP_FIRST = 16 };

struct map_slot {
    uint64_t key;
    void *value; /* NULL: empty. */
};

struct text_map_slot {
    str key;
    uint64_t hash;
    void *value; /* NULL: empty. */
};

/* True if one more entry would fill more than three quarters. */
static bool is_crowded(size_t count, size_t cap) { return count + 1 > cap - cap / 4; }

static size_t cap_after(size_t cap)
{
    if (!cap) return CAP_FIRST;
    must(cap <= SIZE_MAX / 2 / sizeof(struct text_map_slot));
    return cap * 2;
}

/* True if the entry at `from` may move to the free slot at `to`: its home is not between. */
static bool may_move(size_t home, size_t from, size_t to, size_t mask)
{
    return ((from - home) & mask) >= ((from - to) & mask);
}

/* ---- integers ---- */

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
    map->cap = cap_after(old.cap);
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
    if (is_crowded(map->count, map->cap)) grow_map(map);
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
        if (!may_move(hash_integer(map->slot[i].key) & mask, i, hole, mask)) continue;
        map->slot[hole] = map->slot[i];
        hole = i;
    }
    map->slot[hole].value = NULL;
    map->count--;
    return value;
}

void *map_next(const struct map *map, size_t *cursor)
{
    while (*cursor < map->cap) {
        void *value = map->slot[(*cursor)++].value;
        if (value) return value;
    }
    return NULL;
}

/* ---- text ---- */

/* Folds the 128-bit product: each input bit changes about half of the result. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_text(str text)
{
    uint64_t hash = UINT64_C(0x243f6a8885a308d3) ^ text.n;
    const char *p = text.p;
    size_t left = text.n;
    for (; left >= 8; p += 8, left -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = mix(hash ^ word, UINT64_C(0x9e3779b97f4a7c15));
    }
    uint64_t word = 0;
    if (left) memcpy(&word, p, left);
    return mix(hash ^ word, UINT64_C(0xd6e8feb86659fd93));
}

void text_map_init(struct text_map *map) { *map = (struct text_map){ 0 }; }

void text_map_done(struct text_map *map)
{
    free(map->slot);
    text_map_init(map);
}

static size_t find_text_slot(const struct text_map *map, str key, uint64_t hash)
{
    size_t mask = map->cap - 1;
    size_t i = hash & mask;
    while (map->slot[i].value && (map->slot[i].hash != hash || !str_equal(map->slot[i].key, key)))
        i = (i + 1) & mask;
    return i;
}

static void grow_text_map(struct text_map *map)
{
    struct text_map old = *map;
    map->cap = cap_after(old.cap);
    map->slot = calloc(map->cap, sizeof *map->slot);
    must(map->slot);
    for (size_t i = 0; i < old.cap; i++) {
        const struct text_map_slot *slot = &old.slot[i];
        if (slot->value) map->slot[find_text_slot(map, slot->key, slot->hash)] = *slot;
    }
    free(old.slot);
}

void *text_map_get(const struct text_map *map, str key)
{
    return map->count ? map->slot[find_text_slot(map, key, hash_text(key))].value : NULL;
}

void *text_map_put(struct text_map *map, str key, void *value)
{
    must(value);
    if (is_crowded(map->count, map->cap)) grow_text_map(map);
    uint64_t hash = hash_text(key);
    struct text_map_slot *slot = &map->slot[find_text_slot(map, key, hash)];
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
    size_t hole = find_text_slot(map, key, hash_text(key));
    void *value = map->slot[hole].value;
    if (!value) return NULL;
    for (size_t i = (hole + 1) & mask; map->slot[i].value; i = (i + 1) & mask) {
        if (!may_move(map->slot[i].hash & mask, i, hole, mask)) continue;
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
