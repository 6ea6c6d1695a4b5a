/* runtime/memory/catalogue.h — definitions by number and by id, compiled on demand.
 *
 * Each thread that needs programs has a catalogue of its own, fed by its own connection to the store, so none
 * of this needs a lock. Entries are immutable. The least lately used ones go when all together take too many
 * bytes, and only when nobody holds any: between turns.
 */
#ifndef RUNTIME_MEMORY_CATALOGUE_H
#define RUNTIME_MEMORY_CATALOGUE_H

#include "base/map.h"
#include "base/text_map.h"
#include "store/store.h"

/* The query thread has one part in so many of the bytes for programs, the engine has the others. */
enum { QUERY_PROGRAMS_PART = 8 };

struct definition {
    int64_t number;
    int32_t ns;
    int32_t version;
    str id;  /* The program's. */
    str key; /* Its qualified name (base/tenant.h). */
    struct program *program;
    int64_t retired_ms; /* As the row has it. */
    int64_t cost; /* The cost of its latest commands, in operations; 0: none has run yet. Only the engine's
                     catalogue fills it in. */
    struct definition *newer, *older; /* In order of their last use. */
};

/* Reads a definition: by number if it is not 0, else by id and version (0: the latest). */
typedef struct found definition_source(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                       struct arena *arena, struct definition_row *ret_row,
                                       struct error *err);

struct catalogue {
    definition_source *source;
    void *context;
    struct map by_number;               /* struct definition */
    struct text_map latest;             /* struct definition by its key, shared with by_number. */
    struct definition *newest, *oldest; /* base/lru.h */
    size_t bytes, bytes_max;
    struct arena scratch; /* A document on its way to a program. */
};

void catalogue_init(struct catalogue *catalogue, size_t bytes_max, definition_source *source, void *context);
void catalogue_done(struct catalogue *catalogue);

/* Both give a definition that lives until the catalogue is trimmed. NOT_NOW has ST_INTERNAL if a stored
 * document no longer compiles. */
MUST_DECIDE struct found catalogue_get(struct catalogue *catalogue, int64_t number,
                                       struct definition **ret_definition, struct error *err);
MUST_DECIDE struct found catalogue_find(struct catalogue *catalogue, int32_t ns, str id, int32_t version,
                                        struct definition **ret_definition, struct error *err);

/* The same for what is in memory already; NULL: it is not. */
struct definition *catalogue_peek(const struct catalogue *catalogue, int64_t number);
struct definition *catalogue_peek_latest(const struct catalogue *catalogue, int32_t ns, str id,
                                         int32_t version);

/* A new version exists: the next look-up of the latest asks the store. */
void catalogue_forget_latest(struct catalogue *catalogue, int32_t ns, str id);

/* The version is the latest of its definition, which is retired from now on. */
void catalogue_note_retired(struct catalogue *catalogue, int64_t number, int64_t retired_ms);

/* Nobody may hold a definition of it when these are called. */
void catalogue_clear(struct catalogue *catalogue);
/* Lets go what is too much. */
void catalogue_trim(struct catalogue *catalogue);

/* Notes what a command of the definition has cost, in operations (core/core.h). */
enum { FUEL_EXPENSIVE = 100000 }; /* A definition with such commands is expensive. */
void catalogue_note_cost(struct definition *definition, int64_t fuel);
/* True if the definition's commands are known to be cheap. NULL: they are not. */
bool catalogue_is_cheap(const struct definition *definition);

#endif
