/* runtime/bulk/bulk_int.h — what the files of this room share. */
#ifndef RUNTIME_BULK_BULK_INT_H
#define RUNTIME_BULK_BULK_INT_H

#include "runtime/engine.h"
#include "runtime/turn.h"
#include "runtime/bulk/bulk.h"

/* ---- bulk.c: one command for many instances ---- */

/* ---- bulk_find.c ---- */

/* May the caller see a bulk with this request (NULL: it cannot be had)? It names the bulk's definition. */
struct sight;
bool bulk_is_seen(const struct sight *sight, const struct json *request);

/* bulk_find.c: what a search has found, ready to be stored; and one part of it read back. */
void bulk_found(const struct call *call, const struct bulk_part_row **ret_part, size_t *ret_count);

bool bulk_targets_read(str part, struct bulk_target ret_target[BULK_PART_SUBJECTS], size_t *ret_count);

#endif
