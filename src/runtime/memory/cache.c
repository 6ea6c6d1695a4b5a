/* runtime/memory/cache.c — a list of stored instances, newest first, with a map by their ids. */
#include "runtime/memory/cache.h"

#include "base/lru.h"
#include "base/must.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

enum {
    ENTRY_OVERHEAD_BYTES = 48, /* The map's slot and the allocator's header. */
    ROOM_STEP = 64,            /* An entry has room for its state, rounded up to this, … */
    ROOM_SPARE = 256,          /* … and never for so much more. */
};

void cache_init(struct cache *cache, size_t bytes_max)
{
    *cache = (struct cache){ .bytes_max = bytes_max };
    map_init(&cache->by_id);
}

void cache_done(struct cache *cache)
{
    for (struct cached *entry = cache->newest; entry;) {
        struct cached *older = entry->older;
        free(entry);
        entry = older;
    }
    map_done(&cache->by_id);
    *cache = (struct cache){ 0 };
}

static size_t cost(const struct cached *entry) { return sizeof *entry + entry->room + ENTRY_OVERHEAD_BYTES; }

const struct cached *cache_get(struct cache *cache, uint64_t id)
{
    struct cached *entry = map_get(&cache->by_id, id);
    if (entry) lru_touch(cache, entry);
    return entry;
}

void cache_drop(struct cache *cache, uint64_t id)
{
    struct cached *entry = map_take(&cache->by_id, id);
    if (!entry) return;
    must(cache->bytes >= cost(entry));
    lru_remove(cache, entry, cost(entry));
    free(entry);
}

void cache_clear(struct cache *cache)
{
    while (cache->newest) cache_drop(cache, cache->newest->id);
    must(!cache->bytes && !cache->by_id.count && !cache->oldest);
}

/* An entry at the newest place with room for so many bytes. Most commands leave the size of a state nearly as
 * it was, so the entry mostly stays where it is. */
static struct cached *make_room(struct cache *cache, uint64_t id, size_t n)
{
    struct cached *entry = map_get(&cache->by_id, id);
    size_t room = (n + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
    if (entry && n <= entry->room && entry->room < room + ROOM_SPARE) {
        lru_touch(cache, entry);
        return entry;
    }
    cache_drop(cache, id);
    entry = malloc(sizeof *entry + room);
    must(entry);
    entry->id = id;
    entry->room = room;
    must(!map_put(&cache->by_id, id, entry));
    lru_add(cache, entry, cost(entry));
    while (lru_is_over(cache) && cache->oldest != entry) cache_drop(cache, cache->oldest->id);
    return entry;
}

void cache_put(struct cache *cache, const struct instance_row *row)
{
    struct cached *entry = make_room(cache, row->id, row->state.n);
    entry->ns = row->ns;
    entry->definition = row->definition;
    entry->last_history = row->last_history;
    entry->holder = row->holder;
    entry->n = row->state.n;
    must(row->state.n <= entry->room && entry->id == row->id);
    memcpy(entry->state, row->state.p, row->state.n);
}
