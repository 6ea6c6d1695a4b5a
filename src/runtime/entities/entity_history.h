/* runtime/entities/entity_history.h — the history of an entity, newest first, for queries of its past. */
#ifndef RUNTIME_ENTITIES_ENTITY_HISTORY_H
#define RUNTIME_ENTITIES_ENTITY_HISTORY_H

#include "runtime/call/call.h"

struct query;

/* reader_history_back() with the histories decoded, bounded to about so many bytes. `ret_row` may be NULL. */
enum status entity_history_read(struct query *query, const struct history_filter *filter, size_t bytes_max,
                                struct arena *arena, struct history **ret_history,
                                struct history_row **ret_row, size_t *ret_count,
                                struct history_place *ret_next, struct error *err);

/* The entity after the history at that place; false: its history does not go back far enough. Lives in the
 * arena. */
enum status entity_history_state(struct query *query, uint64_t instance, struct history_place place,
                                 struct arena *arena, struct past_state *ret_state, bool *ret_is_known,
                                 struct error *err);

/* The entity at that time; false: it did not live then. Lives in the arena. */
enum status entity_history_at(struct query *query, uint64_t instance, int64_t at_ms, struct arena *arena,
                              struct past_state *ret_state, bool *ret_lived, struct error *err);

/* entity_history_attribution() in the arena. */
struct entity_attribution entity_keep_attribution(const struct history *history, struct arena *arena);

#endif
