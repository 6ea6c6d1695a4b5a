/* dialect/graph/view.c — an instance of a flow graph, for the API.
 *
 * The data of an instance has flat names (graph_int.h). Views show them as the author thinks of them:
 * variables, what each trigger last brought, the outputs of the nodes.
 */
#include "dialect/graph/view.h"

#include "dialect/show/sentences.h"
#include "dialect/show/view_int.h"

/* ---- words ---- */

/* A call that is made again later suspends a flow, as the seed's contract has it, though its work is open. */
static enum show_status flow_status(const struct standing *standing)
{
    if (instance_status_ended(standing->status)) return show_status_of_engine(standing->status);
    if (standing->runs || standing->undoes) return SHOW_RUNNING;
    if (standing->waits_for_person) return SHOW_PERSON;
    if (standing->waits_for_time || standing->waits_for_retry) return SHOW_WAITING;
    return show_status_of_engine(standing->status);
}

str graph_status_word(const struct standing *standing)
{
    return standing->is_held ? STR("pending") : str_of(show_status_flow(flow_status(standing)));
}

str graph_data_word(enum instance_status status)
{
    return status == INSTANCE_COMPLETED ? STR("result") : STR("vars");
}

str graph_reason(const struct json *error, str failure)
{
    return str_equal(json_text(error, STR("name")), STR("EXECUTION_TIMEOUT")) ? STR("execution_timeout")
                                                                              : failure;
}

/* ---- parts ---- */

static void put_member(struct buf *out, const char *name, str text)
{
    buf_printf(out, ",\"%s\":", name);
    if (text.n) put_text(out, text);
    else PUT(out, "null");
}

static void put_moment(struct buf *out, const char *name, int64_t ms)
{
    if (!ms) return;
    buf_printf(out, ",\"%s\":", name);
    put_time(out, ms);
}

static void put_value(struct buf *out, const char *name, const struct json *value)
{
    buf_printf(out, ",\"%s\":", name);
    json_print(value ? value : json_null(), out);
}

/* The members whose names begin with the prefix, without it: {"a": …} of `nodes.a`. */
static void put_group(struct buf *out, const char *name, const struct json *data, str prefix)
{
    bool first = true;
    buf_printf(out, ",\"%s\":{", name);
    struct json_each each = json_each(data);
    while (json_next(&each)) {
        if (!str_starts(each.name, prefix)) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, str_slice(each.name, prefix.n, each.name.n));
        buf_add_char(out, ':');
        json_print(each.value, out);
    }
    buf_add_char(out, '}');
}

static void put_data(struct buf *out, const struct instance_view *view)
{
    const struct json *data = view->data;
    put_value(out, "vars", json_get(data, STR("vars")));
    put_value(out, "trigger", json_get(data, STR("trigger")));
    put_group(out, "triggers", data, STR("triggers."));
    put_group(out, "nodes", data, STR("nodes."));
    put_value(out, "result", json_get(data, STR("result")));
}

static void put_error(struct buf *out, const struct instance_view *view)
{
    const struct standing *standing = &view->standing;
    bool retries = standing->waits_for_retry && !standing->runs;
    str code = view->error ? json_text(view->error, STR("name"))
               : retries   ? STR("TRANSIENT_FAILURE")
                           : STR_NONE;
    str message = view->error ? json_text(view->error, STR("message")) : STR_NONE;
    put_member(out, "errorCode", code);
    put_member(out, "errorMessage", message);
    if (!view->error) return;
    PUT(out, ",\"error\":{\"code\":");
    put_text(out, code);
    put_member(out, "message", message);
    put_member(out, "nodeId", json_text(view->error, STR("node")));
    buf_add_char(out, '}');
}

static void put_undo_names(struct buf *out, const char *name, const struct standing *standing,
                           bool failed_only)
{
    bool first = true;
    buf_printf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < standing->undo_count; i++) {
        if (failed_only && standing->undo[i].state != UNDO_FAILED) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, standing->undo[i].node);
    }
    buf_add_char(out, ']');
}

static void put_undo(struct buf *out, const struct instance_view *view)
{
    const struct standing *standing = &view->standing;
    if (standing->undoes) PUT(out, ",\"phase\":\"compensating\"");
    if (!standing->undo_count) return;
    put_undo_names(out, "compensation", standing, false);
    put_undo_names(out, "compensationFailed", standing, true);
    if (!standing->undoes) PUT(out, ",\"compensated\":true");
}

static void put_tasks(struct buf *out, const struct instance_view *view)
{
    PUT(out, ",\"openTasks\":[");
    for (size_t i = 0; i < view->standing.task_count; i++) {
        const struct standing_task *task = &view->standing.task[i];
        buf_add_str(out, i ? STR(",{\"taskId\":") : STR("{\"taskId\":"));
        put_id(out, (struct id){ .ms = task->since_ms, .instance = view->id, .number = task->execution });
        PUT(out, ",\"nodeId\":");
        put_text(out, task->node);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

/* Puts the members that only flow graphs have, each with a comma before it. */
static void put_own(struct buf *out, const struct instance_view *view, bool with_data)
{
    put_member(out, "key", view->business_key);
    if (with_data) put_data(out, view);
    put_error(out, view);
    put_tasks(out, view);
    view_put_arrivals(out, view);
    put_moment(out, "resumeAfter", view->standing.resume_ms);
    if (view->has_handled_error) PUT(out, ",\"handledError\":true");
    put_undo(out, view);
    if (view->replaced_by) {
        PUT(out, ",\"replacedBy\":");
        put_id(out, (struct id){ .ms = view->replaced_by_created_ms, .instance = view->replaced_by });
    }
    if (view->status == INSTANCE_CANCELLED)
        put_member(out, "reason", graph_reason(view->error, view->failure));
    put_moment(out, "purgeAt", view->purge_ms);
}

/* ---- the whole ---- */

static str status_of(const struct instance_view *view)
{
    struct standing standing = view->standing;
    standing.status = view->status; /* If an instance could not be read, only its status is known. */
    return graph_status_word(&standing);
}

/* As /api/workflows shows it. */
static void put_run(struct buf *out, const struct instance_view *view, int64_t bytes_max)
{
    PUT(out, "{\"instanceId\":");
    put_id(out, instance_view_id(view));
    PUT(out, ",\"definitionId\":");
    put_text(out, view->definition_id);
    PUT(out, ",\"version\":");
    put_int(out, view->definition_version);
    put_member(out, "status", status_of(view));
    if (view->is_test) PUT(out, ",\"isTest\":true");
    bool with_data = !view->data_omitted && put_may_fit(out, view->data, bytes_max);
    size_t before = out->n;
    put_own(out, view, with_data);
    if (with_data && put_is_beyond(out, bytes_max)) {
        out->n = before;
        with_data = false;
        put_own(out, view, false);
    }
    if (!with_data) PUT(out, ",\"dataOmitted\":true");
    PUT(out, ",\"createdAt\":");
    put_time(out, view->created_ms);
    put_moment(out, "endedAt", view->ended_ms);
    buf_add_char(out, '}');
}

void graph_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                        int64_t bytes_max)
{
    if (style == INSTANCE_RUN) {
        put_run(out, view, bytes_max);
        return;
    }
    bool with_data = view_put_head(out, view, style, bytes_max);
    PUT(out, ",\"dialect\":\"graph\",\"executionStatus\":");
    put_text(out, status_of(view));
    /* The data is there already, as "variables". */
    (void)with_data;
    put_own(out, view, false);
    view_put_relatives(out, view);
    view_put_signals(out, view);
    buf_add_char(out, '}');
}

static void put_node(struct buf *out, const struct execution *visit)
{
    PUT(out, ",\"nodeId\":");
    put_text(out, visit->node_name);
    put_member(out, "label", visit->title);
}

void graph_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit)
{
    view_put_visit(out, history, visit, put_node);
}
