/* dialect/entity/stamp.c — what each command adds to the lifecycle that the entity's token carries. */
#include "dialect/entity/entity_int.h"

#include "base/datetime.h"
#include "base/uuid.h"

static void add_now(struct json_builder *builder, str name, int64_t now_ms)
{
    char time[DATETIME_CHARS + 1];
    datetime_print(now_ms, time);
    json_add_text(builder, name, str_of(time));
}

static const struct json *closed(struct json_builder *builder)
{
    json_close(builder);
    return json_built(builder);
}

const struct json *entity_time_stamp(int64_t now_ms, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    add_now(&builder, ENTITY_UPDATED, now_ms);
    return closed(&builder);
}

const struct json *entity_originator_of(const struct instance *instance)
{
    const struct token *token = entity_token(instance);
    const struct json *originator = token ? json_get(token->carried, ENTITY_ORIGINATOR) : NULL;
    return json_is(originator, JSON_OBJECT) ? originator : NULL;
}

static void add_originator(struct json_builder *builder, const struct json *originator)
{
    if (!originator) return;
    json_add_name(builder, ENTITY_ORIGINATOR);
    json_add(builder, originator);
}

const struct json *entity_delete_stamp(const struct json *originator, struct arena *arena)
{
    struct json_builder builder;
    if (!originator) return NULL;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    add_originator(&builder, originator);
    return closed(&builder);
}

const struct json *entity_write_stamp(const struct entity_write *write, int64_t now_ms, struct arena *arena)
{
    struct json_builder builder;
    str transition = write->transition;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    if (write->created) {
        char id[UUID_CHARS + 1];
        uuid_print(uuid_of_instance(now_ms, write->created), id);
        json_add_text(&builder, ENTITY_ID, str_of(id));
        json_add_text(&builder, ENTITY_STATE, STR_NONE);
        add_now(&builder, ENTITY_CREATED, now_ms);
        if (transition.n) json_add_text(&builder, ENTITY_ASKED, transition);
    }
    json_add_text(&builder, ENTITY_TRANSITION, transition.n ? transition : ENTITY_LOOPBACK);
    add_now(&builder, ENTITY_UPDATED, now_ms);
    json_add_text(&builder, ENTITY_TRANSACTION, write->transaction);
    add_originator(&builder, write->originator);
    return closed(&builder);
}

/* A transaction that nobody has asked for has an id that is made of the revision that it makes, so that the
 * same one is made again if the turn runs again. */
static void add_own_transaction(const struct instance *instance, struct arena *arena,
                                struct json_builder *builder)
{
    char entity[UUID_CHARS + 1], id[UUID_CHARS + 1];
    uuid_print(uuid_of_instance(instance->created_ms, instance->id), entity);
    uuid_print(uuid_of_name(arena_printf(arena, "%s#%u", entity, instance->revision + 1)), id);
    json_add_text(builder, ENTITY_TRANSACTION, str_of(id));
}

const struct json *entity_stamp_answer(const struct program *program, const struct instance *instance,
                                       uint32_t number, int64_t now_ms, struct arena *arena)
{
    const struct job *job = instance_find_job(instance, number);
    const struct token *token = job ? instance_find_token(instance, job->execution) : NULL;
    if (!token || program->node[token->node].as.task.holds) return entity_time_stamp(now_ms, arena);
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    add_now(&builder, ENTITY_UPDATED, now_ms);
    add_own_transaction(instance, arena, &builder);
    return closed(&builder);
}

/* The transition that a timer of the instance makes; empty: it makes none. */
static str timed_transition(const struct program *program, const struct instance *instance, uint32_t number)
{
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        const struct token *token = instance_find_token(instance, timer->execution);
        if (timer->number != number || !token || token->node >= program->node_count) continue;
        const struct program_node *node = &program->node[token->node];
        if (timer->index < node->timer_count && node->timer[timer->index].does == TIMER_FIRE)
            return node->edge[node->timer[timer->index].edge].name;
    }
    return STR_NONE;
}

const struct json *entity_timer_stamp(const struct program *program, const struct instance *instance,
                                      uint32_t timer, int64_t now_ms, struct arena *arena)
{
    str transition = timed_transition(program, instance, timer);
    if (!transition.n) return NULL;
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, ENTITY_TRANSITION, transition);
    add_now(&builder, ENTITY_UPDATED, now_ms);
    add_own_transaction(instance, arena, &builder);
    /* The originator stays: the last one who wrote has armed the transition. */
    return closed(&builder);
}
