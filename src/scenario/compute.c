/* scenario/compute.c — calculation nodes: the processors and functions that a run plays. */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "dialect/entity/entity.h"

/* ---- entities that are being created ---- */

static const struct program *program_of(struct stage *stage, uint64_t instance)
{
    for (const struct open_write *write = stage->writes; write; write = write->next)
        if (entities_created(write->call) == instance) {
            const struct entity_item *item = write->call->as.entities.item;
            return world_program(stage, entity_definition_id(item->model, item->version, stage->arena), 0);
        }
    must(!"an entity that somebody creates");
    return NULL;
}

struct actor *compute_coming(struct stage *stage, uint64_t instance, int64_t created_ms)
{
    for (struct actor *actor = stage->coming; actor; actor = actor->next_coming)
        if (actor->id.instance == instance) return actor;
    struct actor *actor = arena_make(stage->arena, struct actor);
    const struct program *program = program_of(stage, instance);
    *actor = (struct actor){ .id = { .ms = created_ms, .instance = instance },
                             .name = arena_printf(stage->arena, "i%zu", stage->top_count + 1),
                             .program = program_ref((struct program *)(uintptr_t)program),
                             .dialect = dialect_named(program->dialect),
                             .next_coming = stage->coming };
    for (const struct naming *naming = stage->namings; naming; naming = naming->next)
        if (naming->instance == instance) {
            actor->name = naming->name;
            break;
        }
    stage->coming = actor;
    return actor;
}

/* ---- calculation nodes ---- */

str compute_processor(const struct job_view *job)
{
    return job->performer == PERFORM_COMPUTE ? json_text(job->config, STR("name")) : STR_NONE;
}

void compute_take_job(struct stage *stage, const struct job_view *job, struct work *work)
{
    int64_t timeout_ms;
    if (job->performer != PERFORM_COMPUTE) return;
    work->computes = true;
    work->decides = entity_asks(job->config, STR(ENTITY_ASKS_CRITERION));
    work->schedules = entity_asks(job->config, STR(ENTITY_ASKS_FUNCTION));
    if (json_int64(json_get(job->config, STR("timeoutMs")), &timeout_ms))
        work->late_ms = stage->now_ms + timeout_ms;
}

const struct json *compute_timeout(struct stage *stage)
{
    const struct json *result = json_set(stage->arena, json_empty_object(), STR("fail"),
                                         json_of_string(stage->arena, STR("permanent")));
    return json_set(stage->arena, result, STR("message"),
                    json_of_string(stage->arena, STR("no calculation node has answered in time")));
}

const struct json *compute_result(struct stage *stage, const struct work *work, const struct json *value)
{
    const struct json *empty = json_empty_object();
    if (work->schedules)
        return json_set(stage->arena, json_set(stage->arena, empty, STR("result"), value), STR("resultKind"),
                        json_of_string(stage->arena, STR("Schedule")));
    if (!work->decides)
        return json_is(value, JSON_OBJECT) && json_count(value)
                   ? json_set(stage->arena, empty, STR("data"), value)
                   : empty;
    if (json_is(value, JSON_BOOL)) return json_set(stage->arena, empty, STR("matches"), value);
    return json_is(value, JSON_OBJECT) ? value : empty;
}

const struct json *compute_guess(struct stage *stage, const struct work *work)
{
    enum { SOON_MS = 1000 };
    const struct json *value =
        work->decides ? json_of_bool(choices_below(stage->choices, 2) == 0) : json_null();
    if (work->schedules)
        value = json_set(stage->arena, json_empty_object(), STR("fireAfterMs"),
                         json_of_int(stage->arena, choices_below(stage->choices, 2) ? SOON_MS : 0));
    return json_set(stage->arena, json_empty_object(), STR("ok"), value);
}
