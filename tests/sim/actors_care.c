/* tests/sim/actors_care.c — looking at instances, and doing what they wait for. */
#include "actors.h"

#include "generate.h"

enum { EVENTS_SOON_MS = 30000 };

struct request *care_request(struct world *world, enum call_kind kind, struct id instance, str step)
{
    struct request *request = network_request(world, kind);
    request->id = instance;
    request->node = step;
    request->worker = arena_printf(&world->arena, "op-%u", request->op);
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
    return request;
}

/* ---- what a token waits for ---- */

static void answer_token(struct world *world, struct id instance, const struct token_view *token, bool flow)
{
    enum call_kind kind = token->state == TOKEN_SIGNAL   ? CALL_SIGNAL
                          : token->state == TOKEN_PERSON ? CALL_COMPLETE_TASK
                                                         : CALL_RETRY;
    struct request *request = care_request(world, kind, instance, arena_str(&world->arena, token->node));
    /* A person's task has an id of its own. */
    if (kind == CALL_COMPLETE_TASK && world_below(world, 4) == 0) {
        request->id =
            (struct id){ .ms = token->since_ms, .instance = instance.instance, .number = token->execution };
    }
    if (kind == CALL_RETRY && world_below(world, 2)) request->node = STR_NONE; /* There is only one. */
    request->alone = kind == CALL_RETRY && world_below(world, 3) == 0;
    request->early = kind == CALL_SIGNAL && world_below(world, 4) == 0;
    if (kind == CALL_RETRY && flow) /* Its data need not be an object. */
        request->data = NULL;
    else if (kind == CALL_RETRY && world_below(world, 3))
        request->data = generate_cure(world, request->op);
    else
        request->data = world->calm ? generate_cure(world, request->op) : generate_data(world, request->op);
    trace(world, "client: op %u for \"%.*s\" of instance %llu", request->op, STR_ARG(request->node),
          (unsigned long long)instance.instance);
    network_send(world, request);
}

static void on_explained(struct world *world, struct request *request, const struct call *answer)
{
    if (!answer || answer->status != ST_OK) return;
    enum instance_status status = answer->instance->status;
    if (status == INSTANCE_COMPLETED || status == INSTANCE_CANCELLED) return;
    for (size_t i = 0; i < answer->token_count; i++) {
        enum token_state state = answer->token[i].state;
        bool waits = status == INSTANCE_FAILED ? state == TOKEN_FAILED
                                               : state == TOKEN_SIGNAL || state == TOKEN_PERSON;
        /* Who does not go on soon waits for something else, and has mail enough. */
        bool soon = world->calm && world->now_ms < world->calm_ms + EVENTS_SOON_MS;
        if (status != INSTANCE_FAILED && state == TOKEN_EVENT && (soon || world_below(world, 4) == 0))
            event_send_awaited(world, answer->token[i].node, answer->instance->correlation);
        if (waits && (world->calm || world_below(world, 2)))
            answer_token(world, request->id, &answer->token[i],
                         !str_equal(answer->instance->dialect, STR("steps")));
    }
}

void care_for(struct world *world, struct id instance)
{
    struct request *request = network_request(world, CALL_EXPLAIN);
    request->id = instance;
    request->on_reply = on_explained;
    network_send(world, request);
}

static void on_swept(struct world *world, struct request *request, const struct call *answer)
{
    (void)request;
    if (!answer || answer->status != ST_OK) return;
    for (size_t i = 0; i < answer->instance_count; i++) {
        client_know(world, instance_view_id(&answer->instance[i]));
        if (answer->instance[i].status == INSTANCE_WAITING)
            care_for(world, instance_view_id(&answer->instance[i]));
    }
}

void care_sweep(struct world *world, size_t max)
{
    struct request *request = network_request(world, CALL_LIST_INSTANCES);
    request->status = INSTANCE_WAITING;
    request->max = max;
    request->on_reply = on_swept;
    network_send(world, request);
}

/* ---- just looking ---- */

void care_read(struct world *world)
{
    static const enum call_kind kinds[] = { CALL_GET_INSTANCE,   CALL_GET_HISTORY,    CALL_WATCH,
                                            CALL_LIST_INSTANCES, CALL_LIST_TASKS,     CALL_LIST_JOBS,
                                            CALL_STATISTICS,     CALL_GET_DEFINITION, CALL_LIST_LETTERS };
    struct actors *actors = world->actors;
    struct request *request = network_request(world, kinds[world_below(world, COUNT(kinds))]);
    if (actors->known.count)
        request->id = actors->known.item[world_below(world, (uint32_t)actors->known.count)];
    request->max = 1 + world_below(world, 20);
    switch (request->kind) {
    case CALL_WATCH:
        request->after = world_below(world, 8);
        request->wait_ms = world_below(world, 2) ? world_between(world, 100, 10000) : 0;
        break;
    case CALL_LIST_INSTANCES:
        request->status = (int32_t)world_below(world, INSTANCE_STATUS_COUNT + 1) - 1;
        if (world_below(world, 3) == 0)
            request->definition_id = actors->definition[world_below(world, actors->definition_count)].id;
        break;
    case CALL_GET_DEFINITION:
        request->definition_id = actors->definition[world_below(world, actors->definition_count)].id;
        request->version = (int32_t)world_below(world, 3);
        break;
    case CALL_LIST_JOBS: request->id = (struct id){ 0 }; break;
    default: break;
    }
    request->tries_left = 1;
    network_send(world, request);
}
