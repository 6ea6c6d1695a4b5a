/* dialect/serverless/view.c — an instance of a workflow, shown in the words of the specification: its
 * states by name, its branches, its error as an object, its output (which may be any value), its events. */
#include "dialect/serverless/view.h"

#include "dialect/show/run_view.h"
#include "dialect/serverless/serverless_int.h"
#include "dialect/show/view_int.h"

enum {
    SMALL_ERROR_BYTES = 4096
}; /* An error up to this size is shown even where there is no room for data. */

/* ---- words ---- */

static bool is_timeout(const struct json *error)
{
    const struct json *name = error ? json_get(error, STR("name")) : NULL;
    return json_is(name, JSON_STRING) && str_equal(json_string(name), STR(ERROR_NAME_TIMEOUT));
}

str serverless_status_word(const struct standing *standing)
{
    switch (standing->status) {
    case INSTANCE_WAITING: return STR("Waiting");
    case INSTANCE_COMPLETED: return STR("Success");
    case INSTANCE_FAILED: return is_timeout(standing->error) ? STR("Timeout") : STR("Fail");
    case INSTANCE_CANCELLED: return STR("Cancelled");
    default: return STR("Running");
    }
}

str serverless_data_word(enum instance_status status)
{
    return status == INSTANCE_COMPLETED ? STR("output") : STR("data");
}

/* ---- the API's instance ---- */

static void put_events(struct buf *out, const struct instance_view *view)
{
    const char *between = "{\"id\":";
    PUT(out, ",\"pendingEvents\":[");
    for (size_t i = 0; i < view->mail_count; i++) {
        const struct mail_view *mail = &view->mail[i];
        if (mail->node.n || mail->arrival.n) continue; /* view_put_signals(), view_put_arrivals(). */
        buf_add_str(out, str_of(between));
        between = ",{\"id\":";
        put_text(out, mail->id);
        PUT(out, ",\"source\":");
        put_text(out, mail->source);
        PUT(out, ",\"type\":");
        put_text(out, mail->type);
        PUT(out, ",\"receivedAt\":");
        put_time(out, mail->received_ms);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

void serverless_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                             int64_t bytes_max)
{
    bool with_data = view_put_head(out, view, style, bytes_max);
    PUT(out, ",\"dialect\":\"serverless\",\"executionStatus\":");
    const struct standing standing = standing_plain(view->status, view->error);
    put_text(out, serverless_status_word(&standing));
    if (view->status == INSTANCE_COMPLETED && with_data) {
        PUT(out, ",\"output\":");
        json_print(view->data, out);
    }
    if (view->error && (with_data || json_bytes(view->error) <= SMALL_ERROR_BYTES)) {
        PUT(out, ",\"error\":");
        json_print(view->error, out);
    }
    if (view->correlation.n) {
        PUT(out, ",\"correlation\":");
        buf_add_str(out, view->correlation); /* It is JSON. */
    }
    put_events(out, view);
    view_put_relatives(out, view);
    if (view->lingers) PUT(out, ",\"detachedWork\":true");
    view_put_signals(out, view);
    buf_add_char(out, '}');
}

/* ---- the API's history ---- */

/* States have names that need not be unique, and may be in a branch. */
static void put_state(struct buf *out, const struct execution *visit)
{
    PUT(out, ",\"name\":");
    put_text(out, visit->title);
    if (visit->region.n) {
        PUT(out, ",\"branch\":");
        put_text(out, visit->region);
    }
}

void serverless_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit)
{
    view_put_visit(out, history, visit, put_state);
}

/* The way through the top level, by the names of its states. */
void serverless_put_path(struct buf *out, const struct history_view *history)
{
    bool first = true;
    PUT(out, ",\"path\":[");
    for (size_t i = 0; i < history->visit_count; i++) {
        const struct execution *visit = &history->visit[i];
        if (visit->scope) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, visit->title);
    }
    buf_add_char(out, ']');
}

/* ---- the run ---- */

static bool is_first_of_branch(const struct run_view *view, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (view->visit[i].scope && str_equal(view->visit[i].region, view->visit[index].region)) return false;
    return true;
}

/* {branch: [states]}. Branches of the same name, in several states or rounds of a loop, are one list. */
static void add_branches(struct run_view *view)
{
    json_add_name(&view->out, STR("branchPaths"));
    json_open_object(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        if (!view->visit[i].scope || !is_first_of_branch(view, i)) continue;
        json_add_name(&view->out, view->visit[i].region);
        json_open_array(&view->out);
        for (size_t k = i; k < view->visit_count; k++)
            if (view->visit[k].scope && str_equal(view->visit[k].region, view->visit[i].region))
                json_add_string(&view->out, view->visit[k].title);
        json_close(&view->out);
    }
    json_close(&view->out);
}

static void add_events(struct run_view *view)
{
    static const char *const shown[] = { "id", "source", "type" };
    json_add_name(&view->out, STR("pendingEvents"));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->instance->mail_count; i++) {
        json_open_object(&view->out);
        for (size_t k = 0; k < COUNT(shown); k++)
            run_view_value(view, shown[k], json_get(view->instance->mail[i].event, str_of(shown[k])));
        json_close(&view->out);
    }
    json_close(&view->out);
}

/* The names of the states in which tokens stand, visit by visit. */
static void add_current(struct run_view *view)
{
    json_add_name(&view->out, STR("currentStates"));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        const struct execution *visit = &view->visit[i];
        if (visit->status == EXECUTION_RUNNING && instance_find_token(view->instance, visit->number))
            json_add_string(&view->out, visit->title);
    }
    json_close(&view->out);
}

static void add_history(struct run_view *view)
{
    json_add_name(&view->out, STR("history"));
    json_open_array(&view->out);
    for (size_t i = 0; i < view->visit_count; i++) {
        const struct execution *visit = &view->visit[i];
        json_open_object(&view->out);
        run_view_text(view, "state", visit->title);
        run_view_text_if(view, "branch", visit->region);
        run_view_text(view, "type", visit->type);
        run_view_row_course(view, visit, false);
        json_close(&view->out);
    }
    json_close(&view->out);
}

void serverless_add_run(struct run_view *view)
{
    const struct instance *instance = view->instance;
    if (instance->status == INSTANCE_COMPLETED) run_view_value(view, "output", instance->data);
    if (instance->status == INSTANCE_FAILED && instance->error)
        run_view_value(view, "error", instance->error);
    run_view_path(view, "path");
    add_branches(view);
    add_current(view);
    add_history(view);
    add_events(view);
    run_view_text_if(view, "correlation", instance->correlation);
    run_view_common(view);
}
