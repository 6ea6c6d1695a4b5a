/* store/check_int.h — rows that a check reads ahead, a page at a time.
 *
 * A store behind a network takes as long for one row as for a hundred. Rows that were not read ahead, because
 * they are large, damaged or not there, or because the back end does not read ahead, are asked for when they
 * are needed. So a check finds the same with it and without it.
 */
#ifndef STORE_CHECK_INT_H
#define STORE_CHECK_INT_H

#include "base/map.h"
#include "store/store_int.h"

struct check_ahead {
    struct map histories; /* struct history_ahead by instance, in `history_arena`. */
    struct map instances; /* struct instance_row by id, in `instance_arena`. */
    struct arena history_arena, instance_arena;
};

void check_ahead_init(struct check_ahead *ahead);
void check_ahead_done(struct check_ahead *ahead);

/* Reads the histories of these instances, and forgets those of the page before. */
enum status check_ahead_histories(struct check_ahead *ahead, struct store_reader *reader,
                                  const struct instance_row *row, size_t count, struct error *err);
/* Reads these instances, some of which may be named several times, and forgets those of the page before. */
enum status check_ahead_instances(struct check_ahead *ahead, struct store_reader *reader, const uint64_t *id,
                                  size_t count, struct error *err);

/* reader_history() of a whole history, and reader_instance(). The rows live until the next page is read, or
 * as long as the arena. */
enum status check_history_of(const struct check_ahead *ahead, struct store_reader *reader, uint64_t instance,
                             struct arena *arena, str **ret_blob, size_t *ret_count, struct error *err);
MUST_DECIDE struct found check_instance_of(const struct check_ahead *ahead, struct store_reader *reader,
                                           uint64_t id, struct arena *arena, struct instance_row *ret_row,
                                           struct error *err);

#endif
