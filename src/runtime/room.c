/* runtime/room.c — what is still done when the disk is full.
 *
 * The store holds a reserve of space in parts. A transaction that finds the disk full makes the
 * engine give up one of them, and refuse more from then on:
 *
 *     parts of the reserve    2                1                          0
 *     refused                 nothing ──full─► new work ──full again──►   all but cancels
 *                                ▲                  │                        │
 *                                └── the parts could be taken again ─────────┘
 *
 * New work makes instances and definitions: it only fills the disk further. What goes on with
 * instances that are there needs little. Cancels come last, because they and retention are the
 * way back to space. Reads need none.
 */
#include "runtime/engine_int.h"

#include "base/log.h"

static int parts_needed(enum call_kind kind)
{
    switch (kind) {
    case CALL_START:
    case CALL_EVENTS:
    case CALL_BULK:
    case CALL_DEPLOY: return STORE_RESERVE_PARTS;
    case CALL_CANCEL_BULK:
    case CALL_CANCEL: return 0;
    default: return 1;
    }
}

bool room_for(const struct engine *engine, enum call_kind kind)
{
    return engine->reserve_parts >= parts_needed(kind);
}

enum status room_check(const struct engine *engine, enum call_kind kind, struct error *err)
{
    if (room_for(engine, kind)) return ST_OK;
    return fail(err, ST_FULL, "storage", "the disk is full: %s until there is space again",
                parts_needed(kind) > 1 ? "nothing new is started or deployed"
                                       : "nothing but cancelling is possible");
}

static void say_full(const struct engine *engine)
{
    log_write(LOG_WARN, "the disk is full", "refused", engine->reserve_parts ? "new work" : "all but cancels",
              NULL);
}

void room_open(struct engine *engine)
{
    engine->reserve_parts = store_take_reserve(engine->store);
    if (engine->reserve_parts < STORE_RESERVE_PARTS) say_full(engine);
}

bool room_give(struct engine *engine)
{
    if (!engine->reserve_parts) return false;
    engine->reserve_parts = store_give_reserve(engine->store);
    say_full(engine);
    return true;
}

void room_take(struct engine *engine)
{
    if (engine->reserve_parts == STORE_RESERVE_PARTS) return;
    engine->reserve_parts = store_take_reserve(engine->store);
    if (engine->reserve_parts == STORE_RESERVE_PARTS) log_write(LOG_INFO, "the disk has space again", NULL);
}
