/* scenario/view.c — an instance as expectations and invariants see it.
 *
 * Words are those of the dialect's own API; names that several dialects share (path, key,
 * reason, output, …) stand beside them. Here: what all views have, and those of steps.
 */
#include "scenario/view_int.h"

#include "base/datetime.h"
#include "base/must.h"

void view_begin(struct viewing *viewing, struct stage *stage, const struct actor *actor)
{
    struct call *call = world_call(stage, CALL_GET_HISTORY);
    call->id = actor->id;
    world_submit(stage, call);
    must(call->status == ST_OK);
    size_t count = 0;
    for (size_t i = 0; i < call->execution_count; i++)
        if (!call->execution[i].inner) call->execution[count++] = call->execution[i];
    *viewing = (struct viewing){
        .stage = stage, .actor = actor, .state = actor->state, .visit = call->execution, .visit_count = count
    };
    json_builder_init(&viewing->out, stage->arena);
    json_open_object(&viewing->out);
}

const struct json *view_end(struct viewing *viewing)
{
    json_close(&viewing->out);
    return json_built(&viewing->out);
}

/* ---- members ---- */

void view_add_text(struct viewing *viewing, const char *name, str text)
{
    json_add_name(&viewing->out, str_of(name));
    json_add_string(&viewing->out, text);
}

void view_add_text_if(struct viewing *viewing, const char *name, str text)
{
    if (text.n) view_add_text(viewing, name, text);
}

void view_add_int(struct viewing *viewing, const char *name, int64_t value)
{
    json_add_name(&viewing->out, str_of(name));
    json_add_int(&viewing->out, value);
}

void view_add_value(struct viewing *viewing, const char *name, const struct json *value)
{
    json_add_name(&viewing->out, str_of(name));
    json_add(&viewing->out, value);
}

void view_add_seconds(struct viewing *viewing, const char *name, int64_t ms)
{
    json_add_name(&viewing->out, str_of(name));
    if (ms % 1000 == 0) json_add_int(&viewing->out, ms / 1000);
    else json_add_double(&viewing->out, (double)ms / 1000);
}

void view_add_time(struct viewing *viewing, const char *name, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    datetime_print(ms, text);
    view_add_text(viewing, name, str_of(text));
}

str view_name(const struct viewing *viewing, const struct execution *visit)
{
    return actor_is_serverless(viewing->actor) ? visit->title : visit->node_name;
}

static void add_path(struct viewing *viewing, const char *name)
{
    json_add_name(&viewing->out, str_of(name));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++)
        json_add_string(&viewing->out, view_name(viewing, &viewing->visit[i]));
    json_close(&viewing->out);
}

static void add_current(struct viewing *viewing, const char *name)
{
    str *current;
    size_t count =
        core_current_nodes(viewing->actor->program, viewing->state, viewing->stage->arena, &current);
    json_add_name(&viewing->out, str_of(name));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < count; i++) json_add_string(&viewing->out, current[i]);
    json_close(&viewing->out);
}

static void add_rows(struct viewing *viewing, const char *name)
{
    json_add_name(&viewing->out, str_of(name));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        const struct execution *visit = &viewing->visit[i];
        json_open_object(&viewing->out);
        view_add_text(viewing, "stepId", visit->node_name);
        view_add_text(viewing, "stepType", visit->type);
        view_add_text(viewing, "status", str_of(execution_status_word(visit->status)));
        view_add_int(viewing, "attempt", visit->attempt);
        view_add_int(viewing, "attemptNumber", visit->attempt);
        view_add_time(viewing, "startedAt", visit->started_ms);
        view_add_seconds(viewing, "at", visit->started_ms - viewing->state->created_ms);
        if (visit->ended_ms) view_add_time(viewing, "endedAt", visit->ended_ms);
        view_add_text_if(viewing, "failureReason", visit->failure);
        view_add_value(viewing, "input", visit->input);
        if (visit->output) view_add_value(viewing, "output", visit->output);
        json_close(&viewing->out);
    }
    json_close(&viewing->out);
}

/* Is this the first visit to its step? */
static bool is_first(const struct viewing *viewing, size_t index)
{
    return viewing->visit[index].attempt == 1;
}

static void add_executions(struct viewing *viewing, const char *name)
{
    json_add_name(&viewing->out, str_of(name));
    json_open_object(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        if (!is_first(viewing, i)) continue;
        int64_t count = 0;
        for (size_t k = i; k < viewing->visit_count; k++)
            count += str_equal(viewing->visit[k].node_name, viewing->visit[i].node_name);
        json_add_name(&viewing->out, viewing->visit[i].node_name);
        json_add_int(&viewing->out, count);
    }
    json_close(&viewing->out);
}

/* The last output of each step. */
static void add_outputs(struct viewing *viewing)
{
    json_add_name(&viewing->out, STR("outputs"));
    json_open_object(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        if (!is_first(viewing, i)) continue;
        const struct json *last = NULL;
        for (size_t k = i; k < viewing->visit_count; k++)
            if (viewing->visit[k].output &&
                str_equal(viewing->visit[k].node_name, viewing->visit[i].node_name))
                last = viewing->visit[k].output;
        if (!last) continue;
        json_add_name(&viewing->out, viewing->visit[i].node_name);
        json_add(&viewing->out, last);
    }
    json_close(&viewing->out);
}

/* What workers were given, step by step, delivery by delivery. */
static void add_inputs(struct viewing *viewing)
{
    json_add_name(&viewing->out, STR("inputs"));
    json_open_object(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        str node = viewing->visit[i].node_name, name = view_name(viewing, &viewing->visit[i]);
        bool any = false;
        if (!is_first(viewing, i)) continue;
        for (const struct made_call *call = viewing->stage->first_call; call; call = call->next) {
            if (!str_equal(call->instance, viewing->actor->name) || !str_equal(call->names.title, name))
                continue;
            if (!any) {
                json_add_name(&viewing->out, node);
                json_open_array(&viewing->out);
            }
            any = true;
            json_add(&viewing->out, call->input);
        }
        if (any) json_close(&viewing->out);
    }
    json_close(&viewing->out);
}

void view_add_children(struct viewing *viewing)
{
    const struct stage *stage = viewing->stage;
    json_add_name(&viewing->out, STR("children"));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < stage->actor_count; i++) {
        const struct actor *child = stage->actor[i];
        if (child->parent != viewing->actor) continue;
        json_open_object(&viewing->out);
        view_add_text(viewing, "instance", child->name);
        view_add_text(viewing, "definition", child->definition_id);
        view_add_text(viewing, "workflowId", child->definition_id);
        view_add_text(viewing, "status", view_status(child));
        /* Also of one that nobody awaits: its own view is the only other place where it shows. */
        if (child->state->status == INSTANCE_COMPLETED) view_add_value(viewing, "output", child->state->data);
        json_close(&viewing->out);
    }
    json_close(&viewing->out);
}

/* ---- people's tasks: "i1.1", "i1.2" in order of their opening ---- */

static const struct program_node *task_node(const struct viewing *viewing, const struct execution *visit)
{
    uint32_t index = program_find(viewing->actor->program, visit->node_name);
    if (index == NODE_NONE) return NULL;
    const struct program_node *node = &viewing->actor->program->node[index];
    return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_PERSON ? node : NULL;
}

static const char *task_state(const struct viewing *viewing, const struct execution *visit)
{
    if (visit->status == EXECUTION_COMPLETED) return "completed";
    if (visit->status == EXECUTION_FAILED) return "expired";
    return instance_status_ended(viewing->state->status) ? "cancelled" : "open";
}

static void add_tasks(struct viewing *viewing, const char *name, bool titles)
{
    size_t number = 0;
    json_add_name(&viewing->out, str_of(name));
    json_open_object(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        const struct program_node *node = task_node(viewing, &viewing->visit[i]);
        if (!node) continue;
        view_add_text(
            viewing,
            arena_printf(viewing->stage->arena, "%.*s.%zu", STR_ARG(viewing->actor->name), ++number).p,
            titles ? node->title : str_of(task_state(viewing, &viewing->visit[i])));
    }
    json_close(&viewing->out);
}

static void add_open_tasks(struct viewing *viewing)
{
    size_t number = 0;
    json_add_name(&viewing->out, STR("openTasks"));
    json_open_array(&viewing->out);
    for (size_t i = 0; i < viewing->visit_count; i++) {
        if (!task_node(viewing, &viewing->visit[i])) continue;
        number++;
        if (strcmp(task_state(viewing, &viewing->visit[i]), "open") == 0)
            json_add_string(&viewing->out, arena_printf(viewing->stage->arena, "%.*s.%zu",
                                                        STR_ARG(viewing->actor->name), number));
    }
    json_close(&viewing->out);
}

/* ---- whole views ---- */

static void add_error(struct viewing *viewing)
{
    if (viewing->state->status != INSTANCE_FAILED) return;
    json_add_name(&viewing->out, STR("error"));
    json_open_object(&viewing->out);
    view_add_text(viewing, "message", viewing->state->failure);
    for (size_t i = 0; i < viewing->state->token_count; i++)
        if (viewing->state->token[i].state == TOKEN_FAILED)
            view_add_text(viewing, "step", viewing->state->token[i].node_name);
    json_close(&viewing->out);
    view_add_text(viewing, "errorMessage", viewing->state->failure);
}

int64_t view_elapsed_ms(const struct viewing *viewing)
{
    int64_t until_ms = viewing->state->ended_ms ? viewing->state->ended_ms : viewing->stage->now_ms;
    return until_ms - viewing->state->created_ms;
}

str view_word(const struct actor *actor, enum instance_status status, const struct json *error)
{
    return actor_is_serverless(actor) ? view_serverless_word(actor, status, error)
                                      : str_of(instance_status_word(status));
}

str view_status(const struct actor *actor)
{
    return view_word(actor, actor->state->status, actor->state->error);
}

void view_add_common(struct viewing *viewing)
{
    const struct actor *actor = viewing->actor;
    view_add_text(viewing, "status", view_status(actor));
    view_add_value(viewing, "variables", actor->state->data);
    view_add_value(viewing, "vars", actor->state->data);
    add_executions(viewing, "executions");
    add_inputs(viewing);
    add_outputs(viewing);
    view_add_seconds(viewing, "elapsed", view_elapsed_ms(viewing));
    view_add_text_if(viewing, "reason", actor->state->failure);
    view_add_text_if(viewing, "failureReason", actor->state->failure);
    view_add_text_if(viewing, "key", actor->state->business_key);
    view_add_text_if(viewing, "businessKey", actor->state->business_key);
    view_add_text(viewing, "definition", actor->definition_id);
    view_add_text(viewing, "definitionId", actor->definition_id);
    view_add_int(viewing, "version", actor->version);
    view_add_int(viewing, "definitionVersion", actor->version);
    view_add_children(viewing);
}

const struct json *view_actor(struct stage *stage, const struct actor *actor)
{
    if (actor_is_serverless(actor)) return view_serverless(stage, actor);
    struct viewing viewing;
    view_begin(&viewing, stage, actor);
    add_current(&viewing, "currentSteps");
    add_current(&viewing, "currentStepIds");
    view_add_value(&viewing, "output", actor->state->data);
    add_rows(&viewing, "history");
    add_path(&viewing, "path");
    add_path(&viewing, "order");
    add_error(&viewing);
    view_add_common(&viewing);
    add_open_tasks(&viewing);
    add_tasks(&viewing, "taskTitles", true);
    add_tasks(&viewing, "taskStates", false);
    return view_end(&viewing);
}

const struct json *view_path(struct stage *stage, const struct actor *actor)
{
    struct viewing viewing;
    view_begin(&viewing, stage, actor);
    if (actor_is_serverless(actor)) view_add_states(&viewing, "path");
    else add_path(&viewing, "path");
    return json_get(view_end(&viewing), STR("path"));
}

const struct json *view_for_invariants(struct stage *stage, const struct actor *actor)
{
    struct viewing viewing;
    view_begin(&viewing, stage, actor);
    view_add_text(&viewing, "status", view_status(actor));
    view_add_text(&viewing, "instance", actor->name);
    view_add_text(&viewing, "definition", actor->definition_id);
    view_add_text(&viewing, "reason", actor->state->failure);
    view_add_value(&viewing, "variables", actor->state->data);
    add_path(&viewing, "history");
    json_add_name(&viewing.out, STR("completed"));
    json_open_array(&viewing.out);
    for (size_t i = 0; i < viewing.visit_count; i++)
        if (viewing.visit[i].status == EXECUTION_COMPLETED)
            json_add_string(&viewing.out, view_name(&viewing, &viewing.visit[i]));
    json_close(&viewing.out);
    add_rows(&viewing, "rows");
    add_executions(&viewing, "executions");
    add_current(&viewing, "current");
    view_add_seconds(&viewing, "elapsed", view_elapsed_ms(&viewing));
    return view_end(&viewing);
}
