/* tests/sim/actors_attend.c — looking at instances, and doing what they wait for. */
#include "actors.h"

#include "generate.h"

enum { EVENTS_SOON_MS = 30000 };

struct request *attend_request(struct world *world, enum call_kind kind, struct id instance, str step)
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
    struct request *request = attend_request(world, kind, instance, arena_str(&world->arena, token->node));
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
    else if (kind == CALL_RETRY && world_below(world, 3)) request->data = generate_cure(world, request->op);
    else request->data = world->calm ? generate_cure(world, request->op) : generate_data(world, request->op);
    trace(world, "client: op %u for \"%.*s\" of instance %llu", request->op, STR_ARG(request->node),
          (unsigned long long)instance.instance);
    network_send(world, request);
}

static void on_explained(struct world *world, struct request *request, const struct call *answer)
{
    if (!answer || answer->status != ST_OK) return;
    enum instance_status status = answer->value.instances.view->status;
    if (status == INSTANCE_COMPLETED || status == INSTANCE_CANCELLED) return;
    for (size_t i = 0; i < answer->value.instances.token_count; i++) {
        enum token_state state = answer->value.instances.token[i].state;
        bool waits = status == INSTANCE_FAILED ? state == TOKEN_FAILED
                                               : state == TOKEN_SIGNAL || state == TOKEN_PERSON;
        /* A token that does not go on soon waits for something else: the instance has mail enough. */
        bool soon = world->calm && world->now_ms < world->calm_ms + EVENTS_SOON_MS;
        if (status != INSTANCE_FAILED && state == TOKEN_EVENT && (soon || world_below(world, 4) == 0))
            event_send_awaited(world, answer->value.instances.token[i].node,
                               answer->value.instances.view->correlation);
        if (waits && (world->calm || world_below(world, 2)))
            answer_token(world, request->id, &answer->value.instances.token[i],
                         !str_equal(answer->value.instances.view->dialect->name, STR("steps")));
    }
}

void attend_to(struct world *world, struct id instance)
{
    struct request *request = network_request(world, CALL_EXPLAIN);
    request->id = instance;
    request->on_reply = on_explained;
    network_send(world, request);
}

/* ---- by hand ---- */

/* Where to: a step that may be there or a place where another token stands; of flows, whose names are not
 * known, only the latter. */
static str any_place(struct world *world, const struct call *answer, bool flow)
{
    if (!flow && world_below(world, 4)) return arena_printf(&world->arena, "s%u", 1 + world_below(world, 12));
    return arena_str(
        &world->arena,
        answer->value.instances.token[world_below(world, (uint32_t)answer->value.instances.token_count)]
            .node);
}

/* A token by its step or, of steps, by its visit. */
static str any_token(struct world *world, const struct call *answer, bool flow)
{
    const struct token_view *token =
        &answer->value.instances.token[world_below(world, (uint32_t)answer->value.instances.token_count)];
    if (flow || world_below(world, 2)) return arena_str(&world->arena, token->node);
    char text[ID_CHARS + 1];
    id_print((struct id){ .ms = token->since_ms,
                          .instance = answer->value.instances.view->id,
                          .number = token->execution },
             text);
    return arena_str(&world->arena, str_of(text));
}

/* A name of one of its variables, as a list. */
static const struct json *any_name(struct world *world, const struct json *data)
{
    size_t count = json_is(data, JSON_OBJECT) ? json_count(data) : 0;
    if (!count) return NULL;
    struct json_each each = json_each(data);
    for (uint32_t skip = 1 + world_below(world, (uint32_t)count); skip; skip--) json_next(&each);
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_array(&builder);
    json_add_string(&builder, each.name);
    json_close(&builder);
    return json_built(&builder);
}

static void on_explained_for_modify(struct world *world, struct request *request, const struct call *answer)
{
    if (world->calm || !answer || answer->status != ST_OK || !answer->value.instances.token_count) return;
    if (str_equal(answer->value.instances.view->dialect->name, STR("graph"))) return;
    enum instance_status status = answer->value.instances.view->status;
    bool over = status == INSTANCE_COMPLETED || status == INSTANCE_CANCELLED;
    if (over && world_below(world, 8)) return;
    bool flow = !str_equal(answer->value.instances.view->dialect->name, STR("steps"));
    struct request *modify = attend_request(world, CALL_MODIFY, request->id, STR_NONE);
    uint32_t count = world_below(world, 4);
    struct modification *list = arena_make_n(&world->arena, struct modification, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t dice = world_below(world, 10);
        list[i].kind = dice < 6 ? MODIFY_MOVE : dice < 8 ? MODIFY_CANCEL : MODIFY_ADD;
        if (list[i].kind != MODIFY_ADD || world_below(world, 2)) list[i].at = any_token(world, answer, flow);
        if (list[i].kind != MODIFY_CANCEL) list[i].to = any_place(world, answer, flow);
    }
    if (modify->op % 2) modify->text = arena_printf(&world->arena, "reason %u", modify->op);
    modify->modification = list;
    modify->modification_count = count;
    if (!flow || world_below(world, 4) == 0) modify->data = generate_cure(world, modify->op);
    if (world_below(world, 4) == 0) modify->unset = any_name(world, answer->value.instances.view->data);
    trace(world, "client: op %u modifies instance %llu, %u tokens", modify->op,
          (unsigned long long)request->id.instance, count);
    network_send(world, modify);
}

void attend_modify(struct world *world, struct id instance)
{
    struct request *request = network_request(world, CALL_EXPLAIN);
    request->id = instance;
    request->on_reply = on_explained_for_modify;
    network_send(world, request);
}

static void on_swept(struct world *world, struct request *request, const struct call *answer)
{
    (void)request;
    if (!answer || answer->status != ST_OK) return;
    for (size_t i = 0; i < answer->value.instances.count; i++) {
        client_know(world, instance_view_id(&answer->value.instances.view[i]));
        if (answer->value.instances.view[i].status == INSTANCE_WAITING)
            attend_to(world, instance_view_id(&answer->value.instances.view[i]));
    }
}

void attend_sweep(struct world *world, size_t max)
{
    struct request *request = network_request(world, CALL_LIST_INSTANCES);
    request->status = INSTANCE_WAITING;
    request->max = max;
    request->on_reply = on_swept;
    network_send(world, request);
}

/* ---- just looking ---- */

void attend_read(struct world *world)
{
    static const enum call_kind kinds[] = { CALL_GET_INSTANCE,   CALL_GET_HISTORY,    CALL_WATCH,
                                            CALL_LIST_INSTANCES, CALL_LIST_TASKS,     CALL_LIST_JOBS,
                                            CALL_STATISTICS,     CALL_GET_DEFINITION, CALL_LIST_UNMATCHED,
                                            CALL_LIST_ARRIVALS };
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
