/* scenario/writes.c — writes of entities, whose answers may wait for a processor. */
#include "scenario/scenario_int.h"

#include "dialect/entity/entity.h"

/* ---- calls ---- */

/* The n-th write of a run is transaction "tn". */
static struct call *write_call(struct stage *stage, struct entity_item given)
{
    struct call *call = world_call(stage, CALL_WRITE_ENTITIES);
    struct entity_item *item = arena_make(stage->arena, struct entity_item);
    *item = given;
    call->as.entities.item = item;
    call->as.entities.count = 1;
    call->as.entities.transaction = arena_printf(stage->arena, "t%zu", ++stage->write_count);
    call->as.entities.actor = STR("scenario");
    return call;
}

struct call *writes_create(struct stage *stage, str definition, str transition, const struct json *data)
{
    struct entity_item item = { .action = ENTITY_CREATE,
                                .transition = transition,
                                .data = data ? data : json_empty_object() };
    entity_model_of(definition, &item.model, &item.version);
    return write_call(stage, item);
}

struct call *writes_change(struct stage *stage, const struct op *op, const struct actor *actor,
                           const struct json *data)
{
    const struct json *name = json_get(op->body, STR("name")), *match = json_get(op->body, STR("ifMatch"));
    struct entity_item item = {
        .action = op->kind == OP_CANCEL ? ENTITY_DELETE : ENTITY_UPDATE,
        .id = uuid_of_instance(actor->id.ms, actor->id.instance),
        .data = data,
        .transition = name ? json_string(name) : STR_NONE,
        .if_match = match ? json_string(match) : STR_NONE,
    };
    return write_call(stage, item);
}

/* ---- the end of a case ---- */

bool writes_check_end(struct stage *stage)
{
    const struct open_write *write = stage->writes;
    if (!write || stage->variation != VARY_NOTHING) return true;
    const struct work *work = work_unanswered(stage);
    if (work)
        return stage_stop(stage, "%.*s waits for \"%.*s\", which has no mock", STR_ARG(write->op->where),
                          STR_ARG(work->names.function));
    return stage_stop(stage, "%.*s has no answer yet: a processor is held or late",
                      STR_ARG(write->op->where));
}

/* ---- trials ---- */

/* The answers that nobody expects in a certain way. */
static void take_answers(struct stage *stage)
{
    for (const struct open_write *write; (write = entities_take_answered(stage)) != NULL;)
        if (write->call->status != ST_OK)
            stage_record(stage, "refused", STR_NONE, "%.*s: %d %s", STR_ARG(write->op->where),
                         entity_error_http(&write->call->error), write->call->error.message);
}

bool writes_try_create(struct stage *stage, str definition, const struct json *data)
{
    static const struct op create = { .where = STR_INIT("the create") };
    struct call *call = writes_create(stage, definition, STR_NONE, data);
    entities_submitted(stage, &create, call);
    world_submit(stage, call);
    work_settle(stage);
    while (!stage->writes->is_answered && work_move(stage, INT64_MAX)) {
    }
    take_answers(stage);
    if (call->status == ST_OK) return true;
    stage->refused = true;
    stage->refusal = arena_str(stage->arena, str_of(call->error.message));
    return false;
}

bool writes_at_rest(const struct actor *actor)
{
    const struct token *token = entities_has(actor->program) ? entity_token(actor->state) : NULL;
    return token && token->state == TOKEN_TRANSITION && !actor->state->timer_count;
}

bool writes_fire(struct stage *stage, const struct actor *actor, str name, const struct json *data)
{
    struct op *op = arena_make(stage->arena, struct op);
    *op = (struct op){ .kind = OP_TRANSITION,
                       .where = arena_printf(stage->arena, "transition %.*s", STR_ARG(name)),
                       .body = json_set(stage->arena, json_empty_object(), STR("name"),
                                        json_of_string(stage->arena, name)) };
    struct call *call = writes_change(stage, op, actor, data);
    entities_submitted(stage, op, call);
    world_submit(stage, call);
    bool goes_on = work_settle(stage);
    take_answers(stage);
    return goes_on;
}

bool writes_fire_by_chance(struct stage *stage)
{
    enum { STOP_ONE_IN = 8 };
    const struct actor *actor = stage->actor_count ? stage->actor[0] : NULL;
    str *name;
    if (!actor || !writes_at_rest(actor) || stage->write_count >= GUESSED_TRANSITIONS_MAX) return false;
    size_t count = entity_transitions(actor->program, actor->state, stage->arena, &name);
    if (!count || choices_rarely(stage->choices, STOP_ONE_IN)) return false;
    return writes_fire(stage, actor, name[choices_below(stage->choices, (uint32_t)count)], NULL);
}
