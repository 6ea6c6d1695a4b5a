/* runtime/nodes/nodes.c — answers "are there other nodes?" and "do we lead?" for the whole runtime.
 *
 * heartbeat.c keeps the answers true.
 */
#include "runtime/nodes/nodes_int.h"

#include <stdlib.h>

bool nodes_have_others(const struct engine *engine) { return engine->nodes.count > 1; }

bool nodes_lead(const struct engine *engine) { return engine->nodes.leads; }

void nodes_wake_others(const struct engine *engine, enum store_wake why)
{
    if (nodes_have_others(engine)) store_wake_others(engine->store, why);
}

int64_t nodes_next_ms(const struct engine *engine)
{
    int64_t next_ms = engine->nodes.next_heartbeat_ms, release_ms = engine->nodes.offers.release_ms;
    if (release_ms && release_ms < next_ms) next_ms = release_ms;
    return lease_news_next_ms(engine) < next_ms ? lease_news_next_ms(engine) : next_ms;
}

void nodes_close(struct engine *engine)
{
    free(engine->nodes.changed);
    engine->nodes.changed = NULL;
}
