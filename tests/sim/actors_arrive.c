/* tests/sim/actors_arrive.c — those who send requests to triggers or fire them by hand, with and
 * without a key. */
#include "actors.h"

#include "generate.h"

enum { AT_ONCE_MAX = 4 };

static void arrive(struct world *world, str definition_id)
{
    struct request *request = network_request(world, CALL_ARRIVE);
    uint32_t trigger = world_below(world, 3) ? 0 : world_below(world, GRAPH_TRIGGERS_MAX);
    request->definition_id = definition_id;
    request->node = arena_printf(&world->arena, "t%u", trigger);
    request->text = arena_printf(&world->arena, "/%.*s/%.*s", STR_ARG(definition_id), STR_ARG(request->node));
    request->data = generate_payload(world, request->op);
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
    request->by_hand = world_below(world, 4) == 0;
    if (request->by_hand) request->worker = arena_printf(&world->arena, "op-%u", request->op);
    trace(world, "client: op %u arrives at %.*s%s%s", request->op, STR_ARG(request->text),
          request->key.n ? ", keyed" : "", request->by_hand ? ", by hand" : "");
    network_send(world, request);
}

void arrive_any(struct world *world)
{
    struct actors *actors = world->actors;
    const struct deployed *definition = &actors->definition[world_below(world, world->profile.graph_count)];
    for (uint32_t i = 1 + world_below(world, AT_ONCE_MAX); i && actors->starts_left; i--) {
        actors->starts_left--;
        arrive(world, definition->id);
    }
}
