/* tests/sim/actors_retire.c — clients that retire and delete definitions, beside those who start, publish and
 * migrate. What is gone or retired is published again after a while, and starts come meanwhile, too. */
#include "actors.h"

enum { RESTS_MS_MAX = 15000 };

static void rest(struct world *world, struct deployed *definition)
{
    definition->accepted = false;
    definition->rests_ms = world->now_ms + world_between(world, 1, RESTS_MS_MAX);
}

static void on_retired(struct world *world, struct request *request, const struct call *answer)
{
    if (answer && answer->status == ST_OK) rest(world, request->actor);
}

static void on_deleted(struct world *world, struct request *request, const struct call *answer)
{
    struct deployed *definition = request->actor;
    if (!answer || answer->status != ST_OK) return;
    rest(world, definition);
    definition->older = STR_NONE;
    definition->latest = 0; /* Versions begin anew. */
}

void retire_any(struct world *world)
{
    struct actors *actors = world->actors;
    struct deployed *definition = &actors->definition[world_below(world, actors->definition_count)];
    bool deletes = world_below(world, definition->accepted ? 4 : 2) == 0;
    struct request *request = network_request(world, deletes ? CALL_DELETE_DEFINITION : CALL_RETIRE);
    request->definition_id = definition->id;
    request->with_ended = deletes && world_below(world, 3);
    request->actor = definition;
    request->on_reply = deletes ? on_deleted : on_retired;
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
    trace(world, "client: %s %.*s%s, op %u", deletes ? "deletes" : "retires", STR_ARG(definition->id),
          request->with_ended ? " with its ended runs" : "", request->op);
    network_send(world, request);
}
