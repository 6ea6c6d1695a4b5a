/* tests/sim/actors_client.c — clients: they deploy, start, cancel, and ask for nonsense. */
#include "actors.h"
#include "entity.h"

#include "generate.h"

#include <stdio.h>

enum { KNOWN_MAX = 400, BUSINESS_KEY_COUNT = 5, TRIGGER_ROUTES_CHANCE = 600 };

/* ---- who takes part ---- */

void actors_begin(struct world *world)
{
    struct actors *actors = world->actors = arena_make(&world->arena, struct actors);
    if (world->entities) {
        entity_actors_begin(world);
        return;
    }
    const struct profile *profile = &world->profile;
    actors->starts_left = profile->start_count;
    actors->definition_count = profile->definition_count;
    for (uint32_t i = 0; i < actors->definition_count; i++)
        actors->definition[i].id = arena_printf(&world->arena, "d%u", i);
    /* Chains lead to later definitions only, or they would never end. */
    for (uint32_t i = 0; i + 1 < actors->definition_count; i++)
        if (!profile->retire && world_below(world, 2))
            actors->definition[i].next =
                actors->definition[i + 1 + world_below(world, actors->definition_count - i - 1)].id;
    for (uint32_t i = 0; i < profile->flow_count; i++) actors->definition[i].flow = true;
    for (uint32_t i = 0; i < profile->graph_count; i++) actors->definition[i].graph = true;
    uint32_t performers = profile->flow_count || profile->graph_count ? 1 + world_below(world, 2) : 0;
    for (uint32_t i = 0; i < profile->worker_count + performers; i++)
        *list_push(&world->arena, &actors->workers) =
            (struct worker){ .id = arena_printf(&world->arena, "w%u", i),
                             .performs = i >= profile->worker_count };
    for (uint32_t i = 0; i < profile->client_count; i++)
        *list_push(&world->arena, &actors->clients) = (struct client){ i };
    for (size_t i = 0; i < actors->workers.count; i++) worker_begin(world, &actors->workers.item[i]);
    for (size_t i = 0; i < actors->clients.count; i++)
        world_after(world, world_between(world, 1, 200), client_tick, &actors->clients.item[i]);
    client_deploy(world, &actors->definition[world_below(world, actors->definition_count)], true);
    /* Flows start others: they are there from the beginning, if nothing goes wrong. */
    for (uint32_t i = 0; i < profile->flow_count + profile->graph_count; i++)
        client_deploy(world, &actors->definition[i], false);
    actors->scheduled_count = profile->schedules;
    for (uint32_t i = 0; i < actors->scheduled_count; i++) {
        actors->scheduled[i] =
            (struct deployed){ .id = arena_printf(&world->arena, "tick%u", i), .ticks = true };
        client_deploy(world, &actors->scheduled[i], true);
    }
    trigger_routes_begin(world);
}

void actors_calm(struct world *world) { world->actors->starts_left = 0; }

void client_know(struct world *world, struct id instance)
{
    struct actors *actors = world->actors;
    for (size_t i = 0; i < actors->known.count; i++)
        if (actors->known.item[i].instance == instance.instance) return;
    if (actors->known.count < KNOWN_MAX) *list_push(&world->arena, &actors->known) = instance;
}

static void put_key(struct world *world, struct request *request)
{
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
}

/* ---- definitions ---- */

static void on_deployed(struct world *world, struct request *request, const struct call *answer)
{
    (void)world;
    struct deployed *definition = request->actor;
    if (!answer || answer->status != ST_OK) return;
    definition->accepted = true;
    if (!answer->replayed && answer->value.definitions.row &&
        answer->value.definitions.row->version > definition->latest)
        definition->latest = answer->value.definitions.row->version;
}

/* A flow may start those behind it, steps too: a family comes to an end. */
static str make_flow(struct world *world, const struct deployed *definition)
{
    const struct actors *actors = world->actors;
    str child[DEFINITIONS_IN_USE_MAX];
    struct flow_children children = { .index = (uint32_t)(definition - actors->definition), .child = child };
    for (uint32_t i = children.index + 1; i < actors->definition_count; i++)
        child[children.count++] = actors->definition[i].id;
    return generate_flow(world, definition->id, &children);
}

static void send_document(struct world *world, struct deployed *definition, str text)
{
    struct request *request = network_request(world, CALL_DEPLOY);
    request->text = text;
    request->actor = definition;
    request->on_reply = on_deployed;
    put_key(world, request);
    trace(world, "client: deploys %.*s, op %u", STR_ARG(definition->id), request->op);
    if (world->verbose) printf("%.*s\n", STR_ARG(text));
    network_send(world, request);
}

/* A version that differs a little, so that instances can go on with it. */
static void vary(struct world *world, struct deployed *definition)
{
    uint32_t number = network_count(world);
    str next, source = generate_variation(world, definition->source, number, &next);
    if (!source.n) return;
    definition->source = source;
    definition->inserted = arena_printf(&world->arena, "x%u", number);
    definition->behind = next;
}

void client_deploy(struct world *world, struct deployed *definition, bool anew)
{
    if (anew) definition->older = definition->source;
    if ((anew || !definition->source.n) && definition->ticks)
        definition->source = generate_ticking(world, definition->id);
    else if ((anew || !definition->source.n) && definition->graph)
        definition->source = generate_graph(world, definition->id);
    else if ((anew || !definition->source.n) && definition->flow)
        definition->source = make_flow(world, definition);
    else if (anew && world->profile.migrate && definition->source.n && world_below(world, 5))
        vary(world, definition);
    else if (anew || !definition->source.n)
        definition->source = generate_definition(world, definition->id, definition->next);
    send_document(world, definition, definition->source);
}

/* Somebody goes back to the text before: an older one becomes the latest again. */
static void revert(struct world *world, struct deployed *definition)
{
    str older = definition->older;
    definition->older = definition->source;
    definition->source = older;
    send_document(world, definition, older);
}

/* ---- starts ---- */

static void on_started(struct world *world, struct request *request, const struct call *answer)
{
    if (!answer || answer->status != ST_OK) return;
    if (request->key.n) world->actors->spent_key = request->key;
    if (answer->value.instances.view) client_know(world, instance_view_id(answer->value.instances.view));
}

static void start(struct world *world, const struct deployed *definition)
{
    struct request *request = network_request(world, CALL_START);
    request->definition_id = definition->id;
    if (world_below(world, 8) == 0) request->version = 1 + (int32_t)world_below(world, 3);
    request->worker = arena_printf(&world->arena, "op-%u", request->op);
    request->data = definition->graph  ? generate_payload(world, request->op)
                    : definition->flow ? generate_flow_input(world, request->op)
                                       : generate_input(world, request->op);
    if (world_chance(world, world->profile.business_keyed))
        request->business_key =
            arena_printf(&world->arena, "order-%u", world_below(world, BUSINESS_KEY_COUNT));
    if (definition->graph && world_below(world, 3) == 0)
        request->node = arena_printf(&world->arena, "t%u", world_below(world, GRAPH_TRIGGERS_MAX));
    request->may_queue = definition->graph && world_below(world, 2);
    if (world_below(world, 6) == 0) request->wait_ms = world_between(world, 100, 5000);
    request->on_reply = on_started;
    put_key(world, request);
    trace(world, "client: starts %.*s, op %u%s%s", STR_ARG(request->definition_id), request->op,
          request->key.n ? ", keyed" : "", request->business_key.n ? ", with a business key" : "");
    network_send(world, request);
}

/* ---- the rest ---- */

static void cancel(struct world *world, struct id instance)
{
    struct request *request = attend_request(world, CALL_CANCEL, instance, STR_NONE);
    request->text = arena_printf(&world->arena, "op-%u has had enough", request->op);
    request->failed_too = world_below(world, 2);
    trace(world, "client: cancels instance %llu, op %u", (unsigned long long)instance.instance, request->op);
    network_send(world, request);
}

/* For a step that may not wait yet, of an instance that is known by its id or by its business key. */
static void signal_early(struct world *world, struct id instance)
{
    const struct deployed *definition =
        &world->actors->definition[world_below(world, world->actors->definition_count)];
    bool by_key = world_below(world, 3) == 0;
    struct request *request = attend_request(world, CALL_SIGNAL, by_key ? (struct id){ 0 } : instance,
                                             arena_printf(&world->arena, "s%u", 1 + world_below(world, 12)));
    if (by_key) {
        request->definition_id = definition->id;
        request->business_key =
            arena_printf(&world->arena, "order-%u", world_below(world, BUSINESS_KEY_COUNT));
    }
    request->early = world_below(world, 6) > 0;
    request->data = generate_data(world, request->op);
    trace(world, "client: signals op %u early", request->op);
    network_send(world, request);
}

/* Things that should be refused, mostly. */
static void ask_nonsense(struct world *world, struct id instance)
{
    static const enum call_kind kinds[] = { CALL_SIGNAL, CALL_COMPLETE_TASK, CALL_RETRY };
    if (world_below(world, 4) == 0) instance.ms++;
    struct request *request = attend_request(world, kinds[world_below(world, COUNT(kinds))], instance,
                                             arena_printf(&world->arena, "s%u", 1 + world_below(world, 12)));
    request->data = generate_data(world, request->op);
    network_send(world, request);
}

static void start_with_spent_key(struct world *world)
{
    struct request *request = network_request(world, CALL_START);
    request->definition_id = world->actors->definition[0].id;
    request->worker = arena_printf(&world->arena, "op-%u", request->op);
    request->key = world->actors->spent_key;
    request->wrong = true;
    network_send(world, request);
}

static struct id any_known(struct world *world)
{
    struct actors *actors = world->actors;
    /* The younger ones are more interesting. */
    uint32_t count = (uint32_t)actors->known.count, recent = count < 12 ? count : 12;
    return actors->known
        .item[world_below(world, 4) ? count - 1 - world_below(world, recent) : world_below(world, count)];
}

static void start_any(struct world *world)
{
    struct actors *actors = world->actors;
    if (!actors->starts_left) return;
    actors->starts_left--;
    start(world, &actors->definition[world_below(world, actors->definition_count)]);
}

/* Some cannot wait to use what they have just sent. */
static void deploy_any(struct world *world)
{
    struct actors *actors = world->actors;
    struct deployed *definition = &actors->definition[world_below(world, actors->definition_count)];
    bool anew = definition->accepted && world_chance(world, world->profile.redeploy);
    if (!anew && definition->accepted && definition->older.n && !definition->ticks &&
        world_below(world, 4) == 0)
        revert(world, definition);
    if ((!anew && definition->accepted) || world->now_ms < definition->rests_ms) return;
    client_deploy(world, definition, anew);
    for (uint32_t i = world_below(world, 3); i && actors->starts_left; i--, actors->starts_left--)
        start(world, definition);
}

static void act(struct world *world)
{
    struct actors *actors = world->actors;
    if (world->profile.flow_count && world_chance(world, world->profile.events)) event_send_any(world);
    if (world->profile.graph_count && world_below(world, 3)) arrive_any(world);
    if (world_chance(world, world->profile.bulk)) bulk_any(world);
    if (world_chance(world, world->profile.retire)) retire_any(world);
    if (actors->trigger_route_count && world_chance(world, TRIGGER_ROUTES_CHANCE)) trigger_routes_any(world);
    if (world_chance(world, world->profile.secrets)) secrets_any(world);
    uint32_t dice = world_below(world, 100);
    if (dice < 35) {
        start_any(world);
    } else if (dice < 42) {
        deploy_any(world);
        if (actors->scheduled_count && world_below(world, 3) == 0)
            client_deploy(world, &actors->scheduled[world_below(world, actors->scheduled_count)],
                          world_chance(world, world->profile.redeploy));
    } else if (dice < 55) {
        attend_read(world);
    } else if (dice < 65 || !actors->known.count) {
        attend_sweep(world, 1 + world_below(world, 8));
    } else {
        struct id instance = any_known(world);
        if (world_chance(world, world->profile.early)) signal_early(world, instance);
        else if (world_chance(world, world->profile.cancel)) cancel(world, instance);
        else if (world_chance(world, world->profile.modify)) attend_modify(world, instance);
        else if (!world_chance(world, world->profile.wrong)) attend_to(world, instance);
        else if (world->actors->spent_key.n && world_below(world, 3) == 0) start_with_spent_key(world);
        else ask_nonsense(world, instance);
    }
}

/* Everything that waits is found and helped on its way. */
static void act_calmly(struct world *world, const struct client *client)
{
    struct actors *actors = world->actors;
    if (client->index) return;
    for (uint32_t i = 0; i < actors->definition_count; i++)
        if (!actors->definition[i].accepted) client_deploy(world, &actors->definition[i], false);
    for (uint32_t i = 0; i < actors->scheduled_count; i++)
        if (!actors->scheduled[i].accepted) client_deploy(world, &actors->scheduled[i], false);
    trigger_routes_calm(world);
    attend_sweep(world, 1000);
}

void client_tick(struct world *world, void *client)
{
    if (world->calm) act_calmly(world, client);
    else act(world);
    world_after(world, world->calm ? world_between(world, 500, 1500) : world_between(world, 20, 700),
                client_tick, client);
}
