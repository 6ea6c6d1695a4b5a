/* tests/sim/actors_event.c — those who send events: what somebody waits for, what nobody does, and the
 * same once more, because the first answer was lost or for no reason at all. */
#include "actors.h"

#include "generate.h"

enum { TOKEN_COUNT = 4, EVENTS_AT_ONCE_MAX = 3, RECENT_EVENTS = 20 };

static void send(struct world *world, const struct json *const *event, size_t count)
{
    struct request *request = network_request(world, CALL_EVENTS);
    request->event = arena_make_n(&world->arena, const struct json *, count);
    request->event_count = count;
    for (size_t i = 0; i < count; i++) {
        request->event[i] = event[i];
        trace(world, "client: sends %.*s of %.*s, op %u", STR_ARG(json_string(json_get(event[i], STR("id")))),
              STR_ARG(json_string(json_get(event[i], STR("type")))), request->op);
    }
    network_send(world, request);
}

static const struct json *any_token(struct world *world)
{
    uint32_t token = world_below(world, TOKEN_COUNT + 1);
    if (token == TOKEN_COUNT) return NULL;
    return token % 2 ? json_of_int(&world->arena, token)
                     : json_of_string(&world->arena, arena_printf(&world->arena, "k%u", token));
}

static const struct json *new_event(struct world *world, uint32_t type, const struct json *token)
{
    struct actors *actors = world->actors;
    const struct json *event = generate_event(world, (uint32_t)actors->events.count + 1, type, token);
    *list_push(&world->arena, &actors->events) = event;
    return event;
}

static const struct json *old_event(struct world *world)
{
    struct actors *actors = world->actors;
    uint32_t count = (uint32_t)actors->events.count, recent = count < RECENT_EVENTS ? count : RECENT_EVENTS;
    return actors->events.item[count - 1 - world_below(world, recent)];
}

void event_send_any(struct world *world)
{
    const struct json *event[EVENTS_AT_ONCE_MAX];
    size_t count = 0;
    for (uint32_t i = world_below(world, EVENTS_AT_ONCE_MAX) + 1; i; i--) {
        bool again = world->actors->events.count && world_chance(world, world->profile.resend);
        event[count++] =
            again ? old_event(world)
                  : new_event(world, generate_event_type(world, world->profile.flow_count), any_token(world));
    }
    send(world, event, count);
}

/* The name of an EVENT state says it: "wait-t3-t5-17". One at a time: what comes after the one that
 * was enough would start another instance, and so on for ever. */
void event_send_awaited(struct world *world, str node, str correlation)
{
    const struct json *token = NULL;
    int64_t type[2];
    size_t at = str_find(node, STR("wait-t"), 0);
    if (at == SIZE_MAX) return;
    for (size_t i = 0; i < COUNT(type); i++) {
        at = str_find(node, STR("-t"), at) + 2;
        must(str_to_int64(str_slice(node, at, str_find(node, STR("-"), at)), &type[i]));
    }
    if (!correlation.n || json_parse(correlation, NULL, &world->arena, &token, NULL) != ST_OK)
        token = any_token(world);
    const struct json *event = new_event(world, (uint32_t)type[world_below(world, COUNT(type))], token);
    send(world, &event, 1);
}
