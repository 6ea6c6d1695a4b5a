/* dialect/steps/view.c — an instance of steps, shown. The engine's own words are those of this dialect. */
#include "dialect/steps/view.h"

#include "dialect/show/run_view.h"
#include "dialect/show/view_int.h"

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
    run_view_tasks(view, view->name);
}
