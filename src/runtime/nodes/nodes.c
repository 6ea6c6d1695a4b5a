/* runtime/nodes/nodes.c — answers "are there other nodes?" and "do we lead?" for the whole runtime.
 *
 * nodes_care.c keeps the answers true.
 */
#include "runtime/nodes/nodes_int.h"

/* Answers "are there other nodes?" and "do we lead?" for the rest of the runtime. nodes_care.c keeps the
 * answers true. */

bool nodes_have_others(const struct engine *engine) { return engine->nodes.count > 1; }

bool nodes_lead(const struct engine *engine)
{
    const struct nodes *nodes = &engine->nodes;
    return !nodes->shared || (nodes->last_beat_ms && nodes->rank == 0);
}

int64_t nodes_next_ms(const struct engine *engine)
{
    if (!engine->nodes.shared) return INT64_MAX;
    int64_t beat_ms = engine->nodes.next_beat_ms, spill_ms = engine->offers.spill_ms;
    return spill_ms && spill_ms < beat_ms ? spill_ms : beat_ms;
}
