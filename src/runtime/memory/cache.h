/* runtime/memory/cache.h — the stored form of instances that were used lately.
 *
 * Write-through: an entry is what the store holds, or will hold when the running transaction
 * commits. Entries touched by a transaction that failed are dropped by the engine. Bounded by
 * bytes; the least recently used go first.
 */
#ifndef RUNTIME_MEMORY_CACHE_H
#define RUNTIME_MEMORY_CACHE_H

#include "base/map.h"
#include "store/store.h"

struct cached {
    uint64_t id;
    int32_t ns;
    int64_t definition;
    int64_t last_history;
    int64_t holder; /* instance_row */
    size_t n, room; /* Bytes of the state, and those that the entry has room for. */
    struct cached *newer, *older;
    char state[]; /* core_encode() */
};

struct cache {
    struct map by_id;
    struct cached *newest, *oldest; /* base/lru.h */
    size_t bytes, bytes_max;
};

void cache_init(struct cache *cache, size_t bytes_max);
void cache_done(struct cache *cache);

/* The entry, which becomes the newest, or NULL. Valid until the next call on the cache. */
const struct cached *cache_get(struct cache *cache, uint64_t id);
/* `row`: with its state. */
void cache_put(struct cache *cache, const struct instance_row *row);
void cache_drop(struct cache *cache, uint64_t id);
void cache_clear(struct cache *cache);

static inline str cached_state(const struct cached *cached) { return (str){ cached->state, cached->n }; }

#endif
