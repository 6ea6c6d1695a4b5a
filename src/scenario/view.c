/* scenario/view.c — an instance as expectations and invariants see it. Its dialect names the members. */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "dialect/show/run_view.h"

/* The instance that took the place of this one; empty: none did. */
static str successor(const struct stage *stage, const struct instance *instance)
{
    for (size_t i = 0; instance->replaced_by && i < stage->actor_count; i++)
        if (stage->actor[i]->id.instance == instance->replaced_by) return stage->actor[i]->name;
    return STR_NONE;
}

/* Opens the object, with the visits to nodes that an author knows. */
static void begin(struct run_view *view, struct stage *stage, const struct actor *actor)
{
    struct call *call = world_call(stage, CALL_GET_HISTORY);
    call->as.read.id = actor->id;
    world_submit(stage, call);
    /* If an instance is gone, only its last state is known. */
    size_t count = 0, told = call->status == ST_OK ? call->value.instances.execution_count : 0;
    for (size_t i = 0; i < told; i++)
        if (!call->value.instances.execution[i].inner)
            call->value.instances.execution[count++] = call->value.instances.execution[i];
    const struct instance *instance = actor->state;
    *view = (struct run_view){
        .dialect = actor->dialect,
        .program = actor->program,
        .instance = instance,
        .visit = call->value.instances.execution,
        .visit_count = count,
        .state = actor->passed,
        .state_count = actor->passed_count,
        .name = actor->name,
        .plain_name = actor->plain_name,
        .replaced_by = successor(stage, instance),
        .definition_id = actor->definition_id,
        .version = actor->version,
        .elapsed_ms = (instance->ended_ms ? instance->ended_ms : stage->now_ms) - instance->created_ms,
        .arena = stage->arena,
    };
    json_builder_init(&view->out, stage->arena);
    json_open_object(&view->out);
}

static const struct json *end(struct run_view *view)
{
    json_close(&view->out);
    return json_built(&view->out);
}

/* The jobs that workers were given, by node, delivery by delivery: {node: [input]}. */
static const struct json *inputs_of(const struct stage *stage, const struct run_view *view)
{
    struct json_builder out;
    json_builder_init(&out, stage->arena);
    json_open_object(&out);
    for (size_t i = 0; i < view->visit_count; i++) {
        str name = run_view_name(view, &view->visit[i]);
        bool any = false;
        if (view->visit[i].attempt != 1) continue; /* Its node was shown with the first visit. */
        for (const struct made_call *call = stage->first_call; call; call = call->next) {
            if (!str_equal(call->instance, view->name) || !str_equal(call->names.title, name)) continue;
            if (!any) {
                json_add_name(&out, view->visit[i].node_name);
                json_open_array(&out);
            }
            any = true;
            json_add(&out, call->input);
        }
        if (any) json_close(&out);
    }
    json_close(&out);
    return json_built(&out);
}

static const struct json *children_of(const struct stage *stage, const struct actor *actor)
{
    struct json_builder out;
    json_builder_init(&out, stage->arena);
    json_open_array(&out);
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct actor *child = stage->actor[i];
        if (child->parent != actor) continue;
        json_open_object(&out);
        json_add_text(&out, STR("instance"), child->name);
        json_add_text(&out, STR("definition"), child->definition_id);
        json_add_text(&out, STR("workflowId"), child->definition_id);
        json_add_text(&out, STR("status"), view_status(stage, child));
        /* Also for a child that is not awaited: otherwise only its own view would show the output. */
        if (child->state->status == INSTANCE_COMPLETED) {
            json_add_name(&out, STR("output"));
            json_add(&out, child->state->data);
        }
        json_close(&out);
    }
    json_close(&out);
    return json_built(&out);
}

/* ---- people's tasks ---- */

static size_t count_tasks(const struct run_view *view, size_t stop_at, const struct execution **ret_last)
{
    size_t count = 0;
    for (size_t i = 0; i < view->visit_count && count < stop_at; i++) {
        if (!run_view_task_node(view, &view->visit[i])) continue;
        *ret_last = &view->visit[i];
        count++;
    }
    return count;
}

size_t view_task(struct stage *stage, const struct actor *actor, str name)
{
    const str prefix[] = { actor->plain_name, actor->name };
    struct run_view view;
    const struct execution *last;
    int64_t number = 0;
    for (size_t i = 0; i < COUNT(prefix) && !number; i++) {
        if (!str_starts(name, prefix[i]) || name.n <= prefix[i].n || name.p[prefix[i].n] != '.') continue;
        if (!str_to_int64(str_slice(name, prefix[i].n + 1, name.n), &number) || number < 0) number = 0;
    }
    if (!number) return 0;
    begin(&view, stage, actor);
    return count_tasks(&view, (size_t)number, &last) == (size_t)number ? (size_t)number : 0;
}

struct id view_task_id(struct stage *stage, const struct actor *actor, size_t number)
{
    struct run_view view;
    const struct execution *visit = NULL;
    begin(&view, stage, actor);
    must(count_tasks(&view, number, &visit) == number);
    return (struct id){ .ms = visit->started_ms, .instance = actor->id.instance, .number = visit->number };
}

/* ---- views ---- */

str view_status(const struct stage *stage, const struct actor *actor)
{
    const struct standing standing = standing_of(actor->program, actor->state, stage->now_ms, stage->arena);
    return dialect_status_word(actor->dialect, &standing);
}

const struct json *view_actor(struct stage *stage, const struct actor *actor)
{
    struct run_view view;
    begin(&view, stage, actor);
    view.inputs = inputs_of(stage, &view);
    view.children = children_of(stage, actor);
    actor->dialect->add_run(&view);
    return end(&view);
}

const struct json *view_path(struct stage *stage, const struct actor *actor)
{
    struct run_view view;
    begin(&view, stage, actor);
    run_view_path(&view, "path");
    return json_get(end(&view), STR("path"));
}

const struct json *view_for_invariants(struct stage *stage, const struct actor *actor)
{
    struct run_view view;
    begin(&view, stage, actor);
    run_view_text(&view, "status", view_status(stage, actor));
    run_view_text(&view, "instance", actor->name);
    run_view_text(&view, "definition", actor->definition_id);
    run_view_text(&view, "reason", actor->state->failure);
    run_view_value(&view, "variables", actor->state->data);
    run_view_visits(&view, "history");
    json_add_name(&view.out, STR("completed"));
    json_open_array(&view.out);
    for (size_t i = 0; i < view.visit_count; i++)
        if (view.visit[i].status == EXECUTION_COMPLETED)
            json_add_string(&view.out, run_view_name(&view, &view.visit[i]));
    json_close(&view.out);
    run_view_rows(&view, "rows");
    run_view_executions(&view, "executions");
    run_view_current(&view, "current");
    run_view_seconds(&view, "elapsed", view.elapsed_ms);
    return end(&view);
}
