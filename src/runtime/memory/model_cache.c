/* runtime/memory/model_cache.c — a list of decoded models, newest first, with a map by their keys. */
#include "runtime/memory/model_cache.h"

#include "base/lru.h"
#include "base/must.h"
#include "runtime/limits.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

void model_cache_init(struct model_cache *cache)
{
    *cache = (struct model_cache){ .bytes_max = MODELS_CACHED_BYTES_MAX };
    text_map_init(&cache->by_key);
}

struct cached_model *model_cache_new(str key)
{
    struct cached_model *entry = malloc(sizeof *entry);
    must(entry);
    *entry = (struct cached_model){ 0 };
    arena_init(&entry->arena, 0);
    entry->key = arena_str(&entry->arena, key);
    return entry;
}

void model_cache_free(struct cached_model *entry)
{
    arena_done(&entry->arena);
    free(entry);
}

static void free_all(struct cached_model *entry)
{
    for (struct cached_model *older; entry; entry = older) {
        older = entry->older;
        model_cache_free(entry);
    }
}

void model_cache_done(struct model_cache *cache)
{
    free_all(cache->newest);
    free_all(cache->dropped);
    text_map_done(&cache->by_key);
}

static size_t cost(const struct cached_model *entry) { return sizeof *entry + arena_bytes(&entry->arena); }

const struct model *model_cache_find(struct model_cache *cache, str key)
{
    struct cached_model *entry = text_map_get(&cache->by_key, key);
    if (!entry) return NULL;
    lru_touch(cache, entry);
    return &entry->model;
}

void model_cache_add(struct model_cache *cache, struct cached_model *entry)
{
    must(!text_map_put(&cache->by_key, entry->key, entry));
    lru_add(cache, entry, cost(entry));
}

static struct cached_model *take(struct model_cache *cache, str key)
{
    struct cached_model *entry = text_map_take(&cache->by_key, key);
    if (!entry) return NULL;
    lru_remove(cache, entry, cost(entry));
    return entry;
}

void model_cache_drop(struct model_cache *cache, str key)
{
    struct cached_model *entry = take(cache, key);
    if (!entry) return;
    entry->older = cache->dropped;
    cache->dropped = entry;
}

void model_cache_clear(struct model_cache *cache)
{
    while (cache->newest) model_cache_drop(cache, cache->newest->key);
}

void model_cache_trim(struct model_cache *cache)
{
    free_all(cache->dropped);
    cache->dropped = NULL;
    while (lru_is_over(cache) && cache->oldest) model_cache_free(take(cache, cache->oldest->key));
}
