/* runtime/bulk/bulk_int.h — what the files of this room share. */
#ifndef RUNTIME_BULK_BULK_INT_H
#define RUNTIME_BULK_BULK_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/bulk/bulk.h"

/* ---- bulk_migrate.c: instances that go on with another version ---- */

/* A migration, or the way back. */
static inline bool bulk_changes_version(enum bulk_action action)
{
    return action == BULK_MIGRATE || action == BULK_UNDO;
}

/* The mapping that the target of a request has, in the arena. ST_CONFLICT: its way back is not known. */
enum status bulk_mapping_of(const struct bulk_request *request, const struct bulk_target *target,
                            struct arena *arena, struct command_migrate *migrate, struct error *err);

/* Migrates an instance. Fills in the target's revision and way back. */
enum status bulk_migrate(struct turn *turn, const struct bulk_request *request, str actor,
                         const struct instance *instance, struct definition *definition,
                         struct bulk_target *target, struct error *err);

/* ---- bulk_judge.c: before anything is written, on the query thread ---- */

/* Looks whether the versions of a migration are there, and what its mapping names. For UNDO finds the
 * migration, and makes `call->as.bulk.request` the request for the way back. */
enum status bulk_judge_request(struct query *query, struct call *call, int64_t *ret_undone,
                               struct error *err);

/* Tries the migration of an instance. `ret_why` says why it stays. */
enum status bulk_judge(struct query *query, struct call *call, const struct instance_row *row,
                       const struct bulk_target *target, struct arena *arena, enum bulk_verdict *ret_verdict,
                       struct error *ret_why, struct error *err);

/* ---- bulk_find.c ---- */

/* The parts that a search has found, ready to be stored; and one part of it read back. */
void bulk_found(const struct call *call, const struct bulk_part_row **ret_part, size_t *ret_count);

bool bulk_targets_read(enum bulk_action action, str part, struct bulk_target ret_target[BULK_PART_SUBJECTS],
                       size_t *ret_count);

/* ---- bulk_read.c ---- */

/* May the caller see a bulk with this request (NULL: it cannot be had)? It names the bulk's definition. */
struct sight;
bool bulk_is_seen(const struct sight *sight, const struct json *request);

/* The bulk of that id, if the caller may see it. ST_NOT_FOUND. */
enum status bulk_load_view(struct query *query, struct call *call, struct id id, struct bulk_view *ret_view,
                           struct error *err);

/* One of the results of a stored part. */
struct bulk_result bulk_result_read(const struct json *stored);

#endif
