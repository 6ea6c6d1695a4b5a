/* tests/sim/actors_trigger_routes.c — those who publish definitions whose triggers want the same paths, and
 * send requests to these paths.
 *
 * There are more definitions than paths. A definition takes one or two of them, leaves them with its next
 * version, or has only a path of its own. What is refused is not sent again: the next version is another one.
 */
#include "actors.h"

#include "generate.h"

#include <stdio.h>

enum { PATH_COUNT = 3, NAME_COUNT = 40, SENDERS = 3 };

/* ---- documents ---- */

static void put_trigger(struct world *world, struct buf *out, uint32_t number, str path)
{
    static const char *const on_match[] = { "AlwaysCreate", "MapOrCreate", "MapOrDiscard" };
    buf_printf(out, "%s{\"id\":\"t%u\",\"type\":\"http\",\"path\":\"%.*s\",\"onMatch\":\"%s\"}",
               number ? "," : "", number, STR_ARG(path), on_match[world_below(world, COUNT(on_match))]);
}

static str shared_path(struct world *world, uint32_t number)
{
    return arena_printf(&world->arena, "/shared/p%u", number % PATH_COUNT);
}

/* `path_count` paths of all from that one on; without one it has only its own. */
static str generate(struct world *world, str id, uint32_t first, uint32_t path_count)
{
    struct buf triggers;
    buf_init(&triggers, &world->arena);
    if (!path_count) put_trigger(world, &triggers, 0, arena_printf(&world->arena, "/own/%.*s", STR_ARG(id)));
    for (uint32_t i = 0; i < path_count; i++) put_trigger(world, &triggers, i, shared_path(world, first + i));
    return arena_printf(&world->arena,
                        "{\"dialect\":\"graph/1\",\"definitionId\":\"%.*s\",\"name\":\"Route %u\","
                        "\"triggers\":[%.*s],\"nodes\":[{\"id\":\"e\",\"type\":\"end\"}],"
                        "\"edges\":[{\"from\":\"t0\",\"to\":\"e\"}%s]}",
                        STR_ARG(id), world_below(world, NAME_COUNT), STR_ARG(buf_str(&triggers)),
                        path_count > 1 ? ",{\"from\":\"t1\",\"to\":\"e\"}" : "");
}

/* ---- publishing ---- */

static void on_published(struct world *world, struct request *request, const struct call *answer)
{
    (void)world;
    struct deployed *trigger_route = request->actor;
    if (answer && answer->status == ST_OK) trigger_route->accepted = true;
}

static void publish(struct world *world, struct deployed *trigger_route, uint32_t first, uint32_t path_count)
{
    struct request *request = network_request(world, CALL_DEPLOY);
    trigger_route->source = generate(world, trigger_route->id, first, path_count);
    request->text = trigger_route->source;
    request->actor = trigger_route;
    request->on_reply = on_published;
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
    trace(world, "client: publishes %.*s with %u paths from p%u on, op %u", STR_ARG(trigger_route->id),
          path_count, first, request->op);
    if (world->verbose) printf("%.*s\n", STR_ARG(trigger_route->source));
    network_send(world, request);
}

/* ---- arrivals ---- */

static void arrive(struct world *world, uint32_t path)
{
    struct request *request = network_request(world, CALL_ARRIVE);
    request->text = shared_path(world, path);
    request->data = generate_payload(world, request->op);
    trace(world, "client: op %u arrives at %.*s", request->op, STR_ARG(request->text));
    network_send(world, request);
}

/* ---- what happens ---- */

/* One definition, or two that want the same path at the same time. Some requests do not wait for them. */
static void publish_any(struct world *world)
{
    struct actors *actors = world->actors;
    uint32_t first = world_below(world, PATH_COUNT), at = world_below(world, actors->trigger_route_count);
    publish(world, &actors->trigger_route[at], first, world_below(world, 3));
    if (world_below(world, 2) == 0)
        publish(world, &actors->trigger_route[(at + 1) % actors->trigger_route_count], first,
                1 + world_below(world, 2));
    for (uint32_t i = world_below(world, SENDERS + 1); i; i--) arrive(world, first);
}

void trigger_routes_begin(struct world *world)
{
    struct actors *actors = world->actors;
    actors->trigger_route_count = world->profile.trigger_routes;
    for (uint32_t i = 0; i < actors->trigger_route_count; i++) {
        actors->trigger_route[i].id = arena_printf(&world->arena, "route%u", i);
        publish(world, &actors->trigger_route[i], 0, 1);
    }
}

void trigger_routes_any(struct world *world)
{
    if (world_below(world, 2)) publish_any(world);
    for (uint32_t i = world_below(world, SENDERS + 1); i; i--) arrive(world, world_below(world, PATH_COUNT));
}

void trigger_routes_calm(struct world *world)
{
    struct actors *actors = world->actors;
    for (uint32_t i = 0; i < actors->trigger_route_count; i++)
        if (!actors->trigger_route[i].accepted) publish(world, &actors->trigger_route[i], 0, 0);
}
