/* tests/sim/actors_secrets.c — those who set, remove and list secrets, and ask for another key. */
#include "actors.h"

#include "server.h"

enum { SECRET_NAME_COUNT = 3, SECRETS_LISTED = 20 };

void secrets_any(struct world *world)
{
    uint32_t dice = world_below(world, 100);
    enum call_kind kind = dice < 45   ? CALL_SET_SECRET
                          : dice < 60 ? CALL_REMOVE_SECRET
                          : dice < 75 ? CALL_REKEY_SECRETS
                                      : CALL_LIST_SECRETS;
    struct request *request = network_request(world, kind);
    request->node = arena_printf(&world->arena, "s%u", world_below(world, SECRET_NAME_COUNT));
    request->text = arena_printf(&world->arena, "%u", request->op);
    request->max = SECRETS_LISTED;
    /* Nodes do not replace a next key that is young, and all of a run is short. */
    if (kind == CALL_REKEY_SECRETS && world_below(world, 2) && server_age_next_key(world))
        trace(world, "client: the next key is old");
    trace(world, "client: op %u %s %.*s", request->op, call_description(kind)->name, STR_ARG(request->node));
    network_send(world, request);
}
