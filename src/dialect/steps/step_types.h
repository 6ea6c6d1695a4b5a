/* dialect/steps/step_types.h — the one table of the types of steps: their fields and defaults, in the words
 * of the builder. GET /api/node-types, the builder and docs/fields.md have it from here. */
#ifndef DIALECT_STEPS_STEP_TYPES_H
#define DIALECT_STEPS_STEP_TYPES_H

#include "base/buf.h"

/* "stepTypes":[{type, label, kind, ports, params}] */
void steps_put_types(struct buf *out);

#endif
