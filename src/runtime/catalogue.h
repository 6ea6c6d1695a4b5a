/* runtime/catalogue.h — definitions by number and by id, compiled on demand.
 *
 * Each thread that needs programs has a catalogue of its own, fed by its own connection to
 * the store, so none of this needs a lock. Entries are immutable; a catalogue that has grown
 * too large is emptied between batches and fills again.
 */
#ifndef RUNTIME_CATALOGUE_H
#define RUNTIME_CATALOGUE_H

#include "base/map.h"
#include "store/store.h"

struct definition {
    int64_t number;
    int32_t ns;
    int32_t version;
    str id;
    struct program *program;
};

/* Reads a definition: by number if it is not 0, else by id and version (0: the latest). */
typedef enum status definition_source(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                      struct arena *arena, struct definition_row *ret_row, struct error *err);

struct catalogue {
    definition_source *source;
    void *context;
    struct map by_number;     /* struct definition */
    struct text_map latest;   /* struct definition, shared with by_number; only ns default has names here. */
};

void catalogue_init(struct catalogue *catalogue, definition_source *source, void *context);
void catalogue_done(struct catalogue *catalogue);

/* Both give a definition that lives until the catalogue is trimmed. ST_NOT_FOUND if there is
 * none; ST_INTERNAL if a stored document no longer compiles. */
enum status catalogue_get(struct catalogue *catalogue, int64_t number, struct definition **ret_definition,
                          struct error *err);
enum status catalogue_find(struct catalogue *catalogue, int32_t ns, str id, int32_t version,
                           struct definition **ret_definition, struct error *err);

/* A new version exists: the next look-up of the latest asks the store. */
void catalogue_forget_latest(struct catalogue *catalogue, str id);

/* Empties a catalogue. Nobody may hold a definition of it. */
void catalogue_clear(struct catalogue *catalogue);
/* The same, if it is too large. */
void catalogue_trim(struct catalogue *catalogue);

#endif
