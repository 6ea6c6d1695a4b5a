/* store/unmatched.h — events that no instance took.
 *
 * A row goes when it is sent again and taken, or with its age (store_purge).
 */
#ifndef STORE_UNMATCHED_H
#define STORE_UNMATCHED_H

#include "base/arena.h"
#include "base/found.h"

struct store;
struct store_reader;

struct unmatched_row {
    int64_t number; /* Only read: ascending. */
    int32_t ns;
    int64_t received_ms;
    str reason;
    str event;    /* json_encoded() */
    str identity; /* The same event has the same one; empty: it is not looked for by that. */
};

MUST_DECIDE struct found store_find_unmatched(struct store *store, int32_t ns, int64_t number,
                                              struct arena *arena, struct unmatched_row *ret_row,
                                              struct error *err);
/* The newest one of an event. */
MUST_DECIDE struct found store_find_unmatched_of(struct store *store, int32_t ns, str identity,
                                                 struct arena *arena, struct unmatched_row *ret_row,
                                                 struct error *err);
/* For a store around another one: by its number, of any tenant, or, if that is 0, by its tenant and
 * identity. */
MUST_DECIDE struct found store_find_unmatched_like(struct store *store, const struct unmatched_row *like,
                                                   struct arena *arena, struct unmatched_row *ret_row,
                                                   struct error *err);

/* Newest first; `before` 0: from the newest. */
MUST_DECIDE enum status reader_unmatched(struct store_reader *reader, int32_t ns, int64_t before, size_t max,
                                         struct arena *arena, struct unmatched_row **ret_row,
                                         size_t *ret_count, int64_t *ret_total, struct error *err);

#endif
