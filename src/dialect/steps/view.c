/* dialect/steps/view.c — an instance of steps, shown. The engine's own words are those of this dialect. */
#include "dialect/steps/view.h"

#include "dialect/run_view.h"
#include "dialect/view_int.h"

str steps_data_word(enum instance_status status)
{
    (void)status;
    return STR("variables");
}

void steps_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                        int64_t bytes_max)
{
    view_put_head(out, view, style, bytes_max);
    view_put_relatives(out, view);
    view_put_signals(out, view);
    buf_add_char(out, '}');
}

void steps_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit)
{
    view_put_visit(out, history, visit, NULL);
}

/* ---- people's tasks: "i1.1", "i1.2" in order of their opening ---- */

static const struct program_node *task_node(const struct run_view *view, const struct execution *visit)
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

static str task_name(const struct run_view *view, size_t number)
{
    return arena_printf(view->arena, "%.*s.%zu", STR_ARG(view->name), number);
}

static void add_tasks(struct run_view *view, const char *name, bool titles)
{
    size_t number = 0;
    json_add_name(&view->out, str_of(name));
    json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        const struct program_node *node = task_node(view, &view->visit[i]);
        if (!node) continue;
        json_add_name(&view->out, task_name(view, ++number));
        json_add_string(&view->out, titles ? node->title : str_of(task_state(view, &view->visit[i])));
    }
    json_close(&view->out);
}

static void add_open_tasks(struct run_view *view)
{
    size_t number = 0;
    json_add_name(&view->out, STR("openTasks"));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        if (!task_node(view, &view->visit[i])) continue;
        number++;
        if (strcmp(task_state(view, &view->visit[i]), "open") == 0)
            json_add_string(&view->out, task_name(view, number));
    }
    json_close(&view->out);
}

/* ---- the run ---- */

static void add_error(struct run_view *view)
{
    const struct instance *instance = view->instance;
    if (instance->status != INSTANCE_FAILED) return;
    json_add_name(&view->out, STR("error"));
    json_open_object(&view->out);
    run_view_text(view, "message", instance->failure);
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state == TOKEN_FAILED)
            run_view_text(view, "step", instance->token[i].node_name);
    json_close(&view->out);
    run_view_text(view, "errorMessage", instance->failure);
}

void steps_add_run(struct run_view *view)
{
    run_view_current(view, "currentSteps");
    run_view_current(view, "currentStepIds");
    run_view_value(view, "output", view->instance->data);
    run_view_rows(view, "history");
    run_view_path(view, "path");
    run_view_path(view, "order");
    add_error(view);
    run_view_common(view);
    add_open_tasks(view);
    add_tasks(view, "taskTitles", true);
    add_tasks(view, "taskStates", false);
}
