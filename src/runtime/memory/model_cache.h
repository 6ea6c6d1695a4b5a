/* runtime/memory/model_cache.h — models that writes have used lately, decoded.
 *
 * An entry is what the store holds, or will hold when the running transaction commits: whoever changes a
 * model drops its entry, and a rollback drops all of them if the transaction had changed any. Entries that
 * were dropped live until the turn is over, so what was found in a turn stays valid in it.
 */
#ifndef RUNTIME_MEMORY_MODEL_CACHE_H
#define RUNTIME_MEMORY_MODEL_CACHE_H

#include "base/arena.h"
#include "base/text_map.h"
#include "runtime/call/call.h"

struct cached_model {
    struct model model;
    str key;
    struct arena arena; /* All of it. */
    struct cached_model *newer, *older;
};

struct model_cache {
    struct text_map by_key;
    struct cached_model *newest, *oldest; /* base/lru.h */
    size_t bytes, bytes_max;
    struct cached_model *dropped; /* Linked by `older`. */
};

void model_cache_init(struct model_cache *cache);
void model_cache_done(struct model_cache *cache);

/* The entry, which becomes the newest; NULL: there is none. */
const struct model *model_cache_find(struct model_cache *cache, str key);

/* An entry that is not in the cache yet: the caller fills in its model, in its arena, and adds or frees it.
 */
struct cached_model *model_cache_new(str key);
void model_cache_free(struct cached_model *entry);
void model_cache_add(struct model_cache *cache, struct cached_model *entry);

void model_cache_drop(struct model_cache *cache, str key);
void model_cache_clear(struct model_cache *cache);
/* Between turns: frees what was dropped and what is too much. */
void model_cache_trim(struct model_cache *cache);

#endif
