/* runtime/entities/entities_int.h — what the files of this room share. */
#ifndef RUNTIME_ENTITIES_ENTITIES_INT_H
#define RUNTIME_ENTITIES_ENTITIES_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/entities/entities.h"
#include "runtime/entities/entity_history.h"

/* ---- entity_counts.c ---- */

/* Does the call ask for entities in this state? */
bool entity_count_is_asked(const struct call_counts *asked, str state);

/* ---- entity_reads.c ---- */

/* ST_NOT_FOUND with the code ENTITY_NOT_FOUND. */
/* A page has more bytes than an answer may have. */
enum status entity_fail_page(size_t count, size_t bytes, struct error *err);

/* The row of an entity, living or deleted. */
enum status entity_find_row(struct query *query, const struct call *call, struct uuid id, struct arena *arena,
                            struct instance_row *ret_row, struct definition **ret_definition,
                            struct error *err);

/* A view that knows the entity's id and its model, and nothing else yet. */
void entity_view_head(struct uuid id, const struct definition *definition, struct arena *arena,
                      struct entity_view *ret_view);

/* A view of a living entity, in the call's arena. It is not there if it is deleted meanwhile, or damaged. */
enum status entity_view_listed(struct query *query, const struct call *call, uint64_t instance,
                               struct entity_view *ret_view, bool *ret_is_there, size_t *ret_bytes,
                               struct error *err);

/* originator.c: the one that made the write, for entity_write_stamp(). `joined` is the originator of the
 * transaction that it joins; NULL: it joins none. `before` is the entity as it is; NULL: it is new. */
const struct json *entity_originator(const struct call *call, const struct json *joined,
                                     const struct instance *before, struct arena *arena);
/* The originator of the transaction in which the entity is being changed, for writes that join it. Null: it
 * has none. */
const struct json *entity_keep_originator(const struct instance *instance, struct arena *arena);

#endif
