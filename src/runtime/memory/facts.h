/* runtime/memory/facts.h — what can be said of a version of a definition without its instances.
 *
 * Finding it out means to compile the document with its warnings, so it is done once: versions never change.
 * Belongs to one query, and its thread.
 */
#ifndef RUNTIME_MEMORY_FACTS_H
#define RUNTIME_MEMORY_FACTS_H

#include "base/map.h"
#include "runtime/call/secret_calls.h"
#include "store/store.h"

/* A secret that the document names. */
struct fact_use {
    str name, place;
    enum connection_kind kind;
};

struct facts {
    size_t warnings; /* Warnings of the document alone. Warnings of other definitions that are missing do not
                      * count. */
    str first_warning;              /* Its message; empty: there is none. */
    const char *first_warning_code; /* NULL: there is none. */
    size_t triggers;                /* Through which arrivals come. */
    size_t tables;                  /* Decision tables. */
    const struct json *tags;        /* A list of texts. */
    struct fact_use *use;           /* The first FACTS_USES_MAX of them. */
    size_t use_count;
    struct arena arena_;
};

struct facts_cache {
    struct map by_number; /* struct facts */
};

void facts_init(struct facts_cache *cache);
void facts_done(struct facts_cache *cache);

/* The facts of a version that were found before; NULL: they were not. */
const struct facts *facts_peek(const struct facts_cache *cache, int64_t number);

/* The facts of a version, whose row needs no source. They live until the next call with this cache. */
MUST_DECIDE struct found facts_get(struct facts_cache *cache, struct store_reader *reader, int64_t number,
                                   const struct facts **ret_facts, struct error *err);

#endif
