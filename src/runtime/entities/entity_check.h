/* runtime/entities/entity_check.h — verifies the rows by which entities are found. */
#ifndef RUNTIME_ENTITIES_ENTITY_CHECK_H
#define RUNTIME_ENTITIES_ENTITY_CHECK_H

#include "store/store.h"

/* Verifies that each living entity has its rows by model, by state, by indexed fields and by unique keys, and
 * that there are no others. Calls `found` with a sentence for every problem. A state that is damaged is left
 * out: store_check() tells of it. Nobody may write to the store meanwhile, unless it is open to read. */
enum status entity_check_rows(struct store *store, store_found_fn *found, void *context, struct error *err);

#endif
