/* runtime/memory/model_cache.c — a list of decoded models, newest first, with a map by their keys. */
#include "runtime/memory/model_cache.h"

#include "base/must.h"
#include "runtime/limits.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

void model_cache_init(struct model_cache *cache)
{
    *cache = (struct model_cache){ 0 };
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

/* ---- the order of use ---- */

static void unlink_entry(struct model_cache *cache, struct cached_model *entry)
{
    if (entry->newer) entry->newer->older = entry->older;
    else cache->newest = entry->older;
    if (entry->older) entry->older->newer = entry->newer;
    else cache->oldest = entry->newer;
}

static void link_newest(struct model_cache *cache, struct cached_model *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    if (cache->newest) cache->newest->newer = entry;
    else cache->oldest = entry;
    cache->newest = entry;
}

const struct model *model_cache_find(struct model_cache *cache, str key)
{
    struct cached_model *entry = text_map_get(&cache->by_key, key);
    if (!entry) return NULL;
    if (entry != cache->newest) {
        unlink_entry(cache, entry);
        link_newest(cache, entry);
    }
    return &entry->model;
}

void model_cache_add(struct model_cache *cache, struct cached_model *entry)
{
    must(!text_map_put(&cache->by_key, entry->key, entry));
    link_newest(cache, entry);
    cache->bytes += cost(entry);
}

static struct cached_model *take(struct model_cache *cache, str key)
{
    struct cached_model *entry = text_map_take(&cache->by_key, key);
    if (!entry) return NULL;
    unlink_entry(cache, entry);
    cache->bytes -= cost(entry);
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
    while (cache->bytes > MODELS_CACHED_BYTES_MAX && cache->oldest)
        model_cache_free(take(cache, cache->oldest->key));
}
