/* runtime/entity_history.h — the history of an entity, newest first, for queries of its past. */
#ifndef RUNTIME_ENTITY_HISTORY_H
#define RUNTIME_ENTITY_HISTORY_H

#include "runtime/call.h"

struct query;

/* reader_history_back() with the histories decoded, bounded to about so many bytes. `ret_row` may be NULL. */
enum status entity_history_read(struct query *query, const struct history_filter *filter, size_t bytes_max,
                                struct arena *arena, struct history **ret_history,
                                struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err);

#endif
