/* runtime/transact/room.c — which calls are accepted when the store's disk is full.
 *
 * store_space() tells how much work the store has space for. A transaction that finds the disk full makes
 * the engine release one step of the space that the store keeps back, and refuse more calls from then on:
 *
 *     space      ENOUGH           SHORT                      OUT
 *     refused    nothing ──full─► new work ──full again──►   all but cancels
 *                   ▲                │                          │
 *                   └── maintenance reclaimed the space ────────┘
 *
 * New work creates instances and definitions, which only fill the disk further. Work on instances that exist
 * needs little space. Cancels are refused last, because they and retention free space. Reads need none.
 */
#include "runtime/transact/transact_int.h"

#include "base/log.h"
#include "runtime/call/call.h"

bool room_for(const struct engine *engine, enum call_kind kind)
{
    return store_space(engine->store) <= call_description(kind)->space;
}

bool room_to_go_on(const struct engine *engine) { return store_space(engine->store) != STORE_SPACE_OUT; }

enum status room_check(const struct engine *engine, enum call_kind kind, struct error *err)
{
    if (room_for(engine, kind)) return ST_OK;
    return fail(err, ST_FULL, "storage", "the disk is full: %s until there is space again",
                call_description(kind)->space == STORE_SPACE_ENOUGH ? "nothing new is started or deployed"
                                                                    : "nothing but cancelling is possible");
}

enum status room_check_transients(const struct engine *engine, const struct program *program,
                                  struct error *err)
{
    if (!program->rules->is_ephemeral) return ST_OK;
    struct transients transients = store_transients(engine->store);
    if (transients.living < TRANSIENTS_LIVING_MAX && transients.bytes < TRANSIENTS_BYTES_MAX) return ST_OK;
    return fail_code(err, ST_OVERLOAD, "EPHEMERAL_INSTANCES",
                     "%zu Ephemeral instances with %zu bytes are kept in memory; the most are %d with %d",
                     transients.living, transients.bytes, TRANSIENTS_LIVING_MAX, TRANSIENTS_BYTES_MAX);
}

static void log_full(const struct engine *engine)
{
    log_write(LOG_WARN, "the disk is full", "refused", room_to_go_on(engine) ? "new work" : "all but cancels",
              NULL);
}

void room_open(struct engine *engine)
{
    bool more;
    (void)store_reclaim_space(engine->store, false, &more, NULL);
    if (store_space(engine->store) != STORE_SPACE_ENOUGH) log_full(engine);
}

bool room_release(struct engine *engine)
{
    if (!store_release_space(engine->store)) return false;
    log_full(engine);
    return true;
}

enum status room_reclaim(struct engine *engine, bool shrink, bool *ret_more, struct error *err)
{
    enum store_space before = store_space(engine->store);
    enum status status = store_reclaim_space(engine->store, shrink, ret_more, err);
    if (before != STORE_SPACE_ENOUGH && store_space(engine->store) == STORE_SPACE_ENOUGH)
        log_write(LOG_INFO, "the disk has space again", NULL);
    return status;
}
