/* dialect/show/run_view.c — writes the members of a run that several dialects share. */
#include "dialect/show/run_view.h"

#include "base/datetime.h"

/* ---- one member ---- */

void run_view_text(struct run_view *view, const char *name, str text)
{
    json_add_name(&view->out, str_of(name));
    json_add_string(&view->out, text);
}

void run_view_text_if(struct run_view *view, const char *name, str text)
{
    if (text.n) run_view_text(view, name, text);
}

void run_view_int(struct run_view *view, const char *name, int64_t value)
{
    json_add_name(&view->out, str_of(name));
    json_add_int(&view->out, value);
}

void run_view_value(struct run_view *view, const char *name, const struct json *value)
{
    json_add_name(&view->out, str_of(name));
    json_add(&view->out, value);
}

void run_view_seconds(struct run_view *view, const char *name, int64_t ms)
{
    json_add_name(&view->out, str_of(name));
    if (ms % 1000 == 0) json_add_int(&view->out, ms / 1000);
    else json_add_double(&view->out, (double)ms / 1000);
}

void run_view_time(struct run_view *view, const char *name, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    datetime_print(ms, text);
    run_view_text(view, name, str_of(text));
}

/* ---- members about the visits ---- */

static void add_names(struct run_view *view, const char *name, bool top_level_only)
{
    json_add_name(&view->out, str_of(name));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++)
        if (!top_level_only || !view->visit[i].scope)
            json_add_string(&view->out, run_view_name(view, &view->visit[i]));
    json_close(&view->out);
}

void run_view_visits(struct run_view *view, const char *name) { add_names(view, name, false); }

void run_view_path(struct run_view *view, const char *name)
{
    if (view->state_count) {
        json_add_name(&view->out, str_of(name));
        json_open_array(&view->out);
        for (size_t i = 0; i < view->state_count; i++) json_add_string(&view->out, view->state[i]);
        json_close(&view->out);
        return;
    }
    add_names(view, name, view->dialect->path_is_top_level);
}

void run_view_current(struct run_view *view, const char *name)
{
    str *current;
    size_t count = core_current_nodes(view->program, view->instance, view->arena, &current);
    json_add_name(&view->out, str_of(name));
    json_open_array(&view->out);
    for (size_t i = 0; i < count; i++) json_add_string(&view->out, current[i]);
    json_close(&view->out);
}

/* Is this the first visit to its node? */
static bool is_first(const struct run_view *view, size_t index) { return view->visit[index].attempt == 1; }

void run_view_executions(struct run_view *view, const char *name)
{
    json_add_name(&view->out, str_of(name));
    json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        if (!is_first(view, i)) continue;
        int64_t count = 0;
        for (size_t k = i; k < view->visit_count; k++)
            count += str_equal(view->visit[k].node_name, view->visit[i].node_name);
        json_add_name(&view->out, view->visit[i].node_name);
        json_add_int(&view->out, count);
    }
    json_close(&view->out);
}

void run_view_row_course(struct run_view *view, const struct execution *visit, bool with_number)
{
    run_view_text(view, "status", str_of(execution_status_word(visit->status)));
    run_view_int(view, "attempt", visit->attempt);
    if (with_number) run_view_int(view, "attemptNumber", visit->attempt);
    run_view_time(view, "startedAt", visit->started_ms);
    run_view_seconds(view, "at", visit->started_ms - view->instance->created_ms);
    if (visit->ended_ms) run_view_time(view, "endedAt", visit->ended_ms);
    run_view_text_if(view, "failureReason", visit->failure);
    run_view_value(view, "input", visit->input);
    if (visit->output) run_view_value(view, "output", visit->output);
}

void run_view_rows(struct run_view *view, const char *name)
{
    json_add_name(&view->out, str_of(name));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        json_open_object(&view->out);
        run_view_text(view, "stepId", view->visit[i].node_name);
        run_view_text(view, "stepType", view->visit[i].type);
        run_view_row_course(view, &view->visit[i], true);
        json_close(&view->out);
    }
    json_close(&view->out);
}

/* The last output of each node. */
static void add_outputs(struct run_view *view)
{
    json_add_name(&view->out, STR("outputs"));
    json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        if (!is_first(view, i)) continue;
        const struct json *last = NULL;
        for (size_t k = i; k < view->visit_count; k++)
            if (view->visit[k].output && str_equal(view->visit[k].node_name, view->visit[i].node_name))
                last = view->visit[k].output;
        if (!last) continue;
        json_add_name(&view->out, view->visit[i].node_name);
        json_add(&view->out, last);
    }
    json_close(&view->out);
}

/* ---- members about people's tasks ---- */

const struct program_node *run_view_task_node(const struct run_view *view, const struct execution *visit)
{
    uint32_t index = program_find(view->program, visit->node_name);
    if (index == NODE_NONE) return NULL;
    const struct program_node *node = &view->program->node[index];
    return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_PERSON ? node : NULL;
}

static const char *task_state(const struct run_view *view, const struct execution *visit)
{
    if (visit->status == EXECUTION_COMPLETED) return "completed";
    if (visit->status == EXECUTION_FAILED) return "expired";
    return instance_status_ended(view->instance->status) ? "cancelled" : "open";
}

static str task_title(const struct run_view *view, const struct execution *visit)
{
    const struct token *token = instance_find_token(view->instance, visit->number);
    const struct json *title = token ? json_get(token->task, STR("title")) : NULL;
    return json_is(title, JSON_STRING) ? json_string(title) : run_view_task_node(view, visit)->title;
}

static void add_tasks(struct run_view *view, str prefix, bool titles)
{
    size_t number = 0;
    json_add_name(&view->out, titles ? STR("taskTitles") : STR("taskStates"));
    json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        const struct execution *visit = &view->visit[i];
        if (!run_view_task_node(view, visit)) continue;
        json_add_name(&view->out, arena_printf(view->arena, "%.*s.%zu", STR_ARG(prefix), ++number));
        json_add_string(&view->out, titles ? task_title(view, visit) : str_of(task_state(view, visit)));
    }
    json_close(&view->out);
}

void run_view_tasks(struct run_view *view, str prefix)
{
    size_t number = 0;
    json_add_name(&view->out, STR("openTasks"));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        if (!run_view_task_node(view, &view->visit[i])) continue;
        number++;
        if (strcmp(task_state(view, &view->visit[i]), "open") == 0)
            json_add_string(&view->out, arena_printf(view->arena, "%.*s.%zu", STR_ARG(prefix), number));
    }
    json_close(&view->out);
    add_tasks(view, prefix, true);
    add_tasks(view, prefix, false);
}

/* ---- the rest ---- */

void run_view_common(struct run_view *view)
{
    const struct instance *instance = view->instance;
    const struct standing standing =
        standing_of(view->program, instance, instance->created_ms + view->elapsed_ms, view->arena);
    run_view_text(view, "status", dialect_status_word(view->dialect, &standing));
    run_view_value(view, "variables", instance->data);
    run_view_value(view, "vars", instance->data);
    run_view_executions(view, "executions");
    run_view_value(view, "inputs", view->inputs);
    add_outputs(view);
    run_view_seconds(view, "elapsed", view->elapsed_ms);
    run_view_text_if(view, "reason", instance->failure);
    run_view_text_if(view, "failureReason", instance->failure);
    run_view_text_if(view, "key", instance->business_key);
    run_view_text_if(view, "businessKey", instance->business_key);
    run_view_text(view, "definition", view->definition_id);
    run_view_text(view, "definitionId", view->definition_id);
    run_view_int(view, "version", view->version);
    run_view_int(view, "definitionVersion", view->version);
    run_view_value(view, "children", view->children);
}
