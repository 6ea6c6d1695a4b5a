/* dialect/graph/view_run.c — an instance of a flow graph as scenarios see it. */
#include "dialect/graph/view.h"

#include "base/datetime.h"
#include "dialect/show/run_view.h"

/* ---- visits ---- */

/* Is the visit over, and not only because something else ended it? */
static bool counts(const struct execution *visit)
{
    bool failed = visit->tried_count && visit->tried[visit->tried_count - 1].outcome == ATTEMPT_FAILED;
    return visit->status == EXECUTION_COMPLETED || core_is_late(visit) ||
           (visit->status == EXECUTION_FAILED && (visit->raised || failed));
}

static void add_executions(struct run_view *view)
{
    json_add_name(&view->out, STR("executions"));
    json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        if (view->visit[i].attempt != 1) continue;
        int64_t count = 0;
        for (size_t k = i; k < view->visit_count; k++)
            count += str_equal(view->visit[k].node_name, view->visit[i].node_name) && counts(&view->visit[k]);
        if (!count) continue;
        json_add_name(&view->out, view->visit[i].node_name);
        json_add_int(&view->out, count);
    }
    json_close(&view->out);
}

/* The nodes in the order in which their visits ended. */
static void add_order(struct run_view *view)
{
    const struct execution **ended = arena_make_n(view->arena, const struct execution *, view->visit_count);
    size_t count = 0;
    for (size_t i = 0; i < view->visit_count; i++) {
        const struct execution *visit = &view->visit[i];
        if (!counts(visit)) continue;
        size_t at = count++;
        for (; at > 0 && ended[at - 1]->ended_ms > visit->ended_ms; at--) ended[at] = ended[at - 1];
        ended[at] = visit;
    }
    json_add_name(&view->out, STR("order"));
    json_open_array(&view->out);
    for (size_t i = 0; i < count; i++) json_add_string(&view->out, ended[i]->node_name);
    json_close(&view->out);
}

/* ---- data ---- */

/* The members whose names begin with the prefix, without it. */
static void add_group(struct run_view *view, const char *name, const struct json *data, str prefix)
{
    json_add_name(&view->out, str_of(name));
    json_open_object(&view->out);
    struct json_each each = json_each(data);
    while (json_next(&each)) {
        if (!str_starts(each.name, prefix) || each.name.n == prefix.n) continue;
        json_add_name(&view->out, str_slice(each.name, prefix.n, each.name.n));
        json_add(&view->out, each.value);
    }
    json_close(&view->out);
}

/* ---- people's tasks: "i1.1", "i1.2" in order of their opening ---- */

/* A visit that waits to begin has no open task yet. */
static bool is_task(const struct run_view *view, const struct execution *visit)
{
    if (visit->waited == TOKEN_MILESTONE || visit->waited == TOKEN_LOCK) return false;
    uint32_t index = program_find(view->program, visit->node_name);
    if (index == NODE_NONE) return false;
    const struct program_node *node = &view->program->node[index];
    return node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_PERSON && !view->instance->is_test;
}

static const char *task_state(const struct run_view *view, const struct execution *visit)
{
    if (visit->status == EXECUTION_COMPLETED) return "completed";
    if (core_is_late(visit)) return "expired";
    bool open = visit->status == EXECUTION_RUNNING && !instance_status_ended(view->instance->status);
    return open ? "open" : "cancelled";
}

static str task_title(const struct run_view *view, const struct execution *visit)
{
    const struct token *token = instance_find_token(view->instance, visit->number);
    const struct json *title = token ? json_get(token->task, STR("title")) : NULL;
    return json_is(title, JSON_STRING) ? json_string(title) : visit->title;
}

enum task_member { TASK_OPEN, TASK_TITLE, TASK_STATE };

static void add_tasks(struct run_view *view, const char *name, enum task_member member)
{
    size_t number = 0;
    json_add_name(&view->out, str_of(name));
    if (member == TASK_OPEN) json_open_array(&view->out);
    else json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        const struct execution *visit = &view->visit[i];
        if (!is_task(view, visit)) continue;
        str task = arena_printf(view->arena, "%.*s.%zu", STR_ARG(view->plain_name), ++number);
        const char *state = task_state(view, visit);
        if (member == TASK_OPEN) {
            if (strcmp(state, "open") == 0) json_add_string(&view->out, task);
            continue;
        }
        json_add_name(&view->out, task);
        json_add_string(&view->out, member == TASK_TITLE ? task_title(view, visit) : str_of(state));
    }
    json_close(&view->out);
}

/* ---- errors ---- */

/* The message of the attempt after which a call waits. */
static str last_failure(const struct run_view *view)
{
    for (size_t i = view->visit_count; i > 0; i--) {
        const struct execution *visit = &view->visit[i - 1];
        if (visit->status != EXECUTION_RUNNING) continue;
        for (size_t k = visit->tried_count; k > 0; k--)
            if (visit->tried[k - 1].outcome == ATTEMPT_FAILED) return visit->tried[k - 1].error;
    }
    return STR_NONE;
}

static void add_text_or_null(struct run_view *view, const char *name, str text)
{
    json_add_name(&view->out, str_of(name));
    if (text.n) json_add_string(&view->out, text);
    else json_add_null(&view->out);
}

/* Times are written as in templates: without a fraction, if there is none. */
static void add_time(struct run_view *view, const char *name, int64_t ms)
{
    char text[DATETIME_CHARS + 1];
    if (ms % 1000) datetime_print(ms, text);
    else datetime_print_seconds(ms, text);
    run_view_text(view, name, str_of(text));
}

static void add_error(struct run_view *view, const struct standing *standing)
{
    const struct json *error = view->instance->error;
    str code = json_text(error, STR("name")), message = json_text(error, STR("message"));
    if (!error && standing->waits_for_retry && !standing->runs) {
        code = STR("TRANSIENT_FAILURE");
        message = last_failure(view);
    }
    add_text_or_null(view, "errorCode", code);
    add_text_or_null(view, "errorMessage", message);
    if (!error) return;
    json_add_name(&view->out, STR("error"));
    json_open_object(&view->out);
    add_text_or_null(view, "code", code);
    add_text_or_null(view, "message", message);
    add_text_or_null(view, "nodeId", json_text(error, STR("node")));
    json_close(&view->out);
}

/* ---- undoing ---- */

static void add_undo_names(struct run_view *view, const char *name, const struct standing *standing,
                           bool failed_only)
{
    json_add_name(&view->out, str_of(name));
    json_open_array(&view->out);
    for (size_t i = 0; i < standing->undo_count; i++)
        if (!failed_only || standing->undo[i].state == UNDO_FAILED)
            json_add_string(&view->out, standing->undo[i].node);
    json_close(&view->out);
}

/* Which of the undoings by the same node is this one? */
static size_t turn_of(const struct standing *standing, size_t index)
{
    size_t turn = 0;
    for (size_t i = 0; i < index; i++) turn += str_equal(standing->undo[i].node, standing->undo[index].node);
    return turn;
}

/* The first input of each call that undid something. */
static void add_undo_inputs(struct run_view *view, const struct standing *standing)
{
    json_add_name(&view->out, STR("compensationInputs"));
    json_open_array(&view->out);
    for (size_t i = 0; i < standing->undo_count; i++) {
        const struct json *inputs = json_get(view->inputs, standing->undo[i].node);
        const struct json *input = json_item(inputs, turn_of(standing, i));
        if (input) json_add(&view->out, input);
    }
    json_close(&view->out);
}

static void add_undo(struct run_view *view, const struct standing *standing)
{
    json_add_name(&view->out, STR("compensated"));
    json_add_bool(&view->out, standing->undo_count && !standing->undoes);
    add_undo_names(view, "compensation", standing, false);
    add_undo_names(view, "compensationFailed", standing, true);
    add_undo_inputs(view, standing);
    if (standing->undoes) run_view_text(view, "phase", STR("compensating"));
}

/* ---- the whole ---- */

static void add_pending(struct run_view *view)
{
    if (!instance_status_ended(view->instance->status)) {
        run_view_current(view, "pendingTokens");
        return;
    }
    json_add_name(&view->out, STR("pendingTokens"));
    json_open_array(&view->out);
    json_close(&view->out);
}

static void add_history(struct run_view *view)
{
    json_add_name(&view->out, STR("history"));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        json_open_object(&view->out);
        run_view_text(view, "nodeId", view->visit[i].node_name);
        run_view_text(view, "type", view->visit[i].type);
        run_view_row_course(view, &view->visit[i], false);
        json_close(&view->out);
    }
    json_close(&view->out);
}

void graph_add_run(struct run_view *view)
{
    const struct instance *instance = view->instance;
    int64_t now_ms = instance->created_ms + view->elapsed_ms;
    const struct standing standing = standing_of(view->program, instance, now_ms, view->arena);
    run_view_text(view, "status", graph_status_word(&standing));
    add_text_or_null(view, "key", instance->business_key);
    run_view_text(view, "definition", view->definition_id);
    run_view_text(view, "definitionId", view->definition_id);
    run_view_int(view, "version", view->version);
    run_view_value(view, "vars", json_get(instance->data, STR("vars")));
    run_view_value(view, "variables", json_get(instance->data, STR("vars")));
    run_view_value(view, "trigger", json_get(instance->data, STR("trigger")));
    run_view_value(view, "result", json_get(instance->data, STR("result")));
    run_view_value(view, "output", json_get(instance->data, STR("result")));
    add_group(view, "triggers", instance->data, STR("triggers."));
    add_group(view, "outputs", instance->data, STR("nodes."));
    run_view_value(view, "inputs", view->inputs);
    add_executions(view);
    add_order(view);
    run_view_visits(view, "path");
    add_history(view);
    add_tasks(view, "openTasks", TASK_OPEN);
    add_tasks(view, "taskTitles", TASK_TITLE);
    add_tasks(view, "taskStates", TASK_STATE);
    if (standing.resume_ms) add_time(view, "resumeAfter", standing.resume_ms);
    add_pending(view);
    add_error(view, &standing);
    json_add_name(&view->out, STR("handledError"));
    json_add_bool(&view->out, instance->has_handled_error);
    add_undo(view, &standing);
    run_view_text_if(view, "replacedBy", view->replaced_by);
    run_view_text_if(view, "reason", graph_reason(instance->error, instance->failure));
    if (instance->ended_ms && view->program->rules->retention_ms >= 0)
        add_time(view, "purgeAt", instance->ended_ms + view->program->rules->retention_ms);
    run_view_seconds(view, "elapsed", view->elapsed_ms);
    run_view_value(view, "children", view->children);
}
