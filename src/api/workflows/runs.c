/* api/workflows/runs.c — starting workflows, and what may be done to a run. */
#include "api/workflows/workflows_int.h"

#include "dialect/dialect.h"
#include "dialect/show/sentences.h"
#include "runtime/tasks/tasks.h"

static void put_run(struct buf *out, const struct instance_view *view, int64_t bytes_max)
{
    view->dialect->put_instance(out, view, INSTANCE_RUN, bytes_max);
}

static void render_run(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_run(out, call->value.instances.view, call->answer_max);
}

static void render_started(const struct call *call, int *ret_http_status, struct buf *out)
{
    if (call->value.instances.view) put_run(out, call->value.instances.view, call->answer_max);
    *ret_http_status = answer_put_start(call, out);
}

/* ---- starting ---- */

enum status workflows_start(struct api_request *request, struct error *err)
{
    struct call_start asked = { .definition_id = request->param[0],
                                .may_queue = true,
                                .actor = takes_header(request, TAKES_ACTOR) };
    const struct json *body;
    int64_t version;
    TRY(request_body(request, false, &body, err));
    TRY(field_integer(body, "version", &version, err));
    if (version < 0 || version > INT32_MAX)
        return fail(err, ST_INVALID, "version", "version must be that of a workflow");
    asked.version = (int32_t)version;
    TRY(field_text(body, "trigger", TITLE_BYTES_MAX, &asked.trigger, err));
    TRY(field_text(body, "businessKey", BUSINESS_KEY_BYTES_MAX, &asked.business_key, err));
    TRY(field_flag(body, "isTest", &asked.is_test, err));
    asked.data = body ? json_get(body, STR("input")) : NULL;
    TRY(query_seconds(request, STR("wait"), request->api->config.limits.wait_seconds_max, &asked.wait_ms,
                      err));
    return request_submit(request, call_start(request_origin(request), &asked), render_started, err);
}

enum status workflows_replay(struct api_request *request, struct error *err)
{
    struct call_replay asked = { .actor = takes_header(request, TAKES_ACTOR) };
    const struct json *body;
    TRY(param_instance(request, &asked.id, err));
    TRY(request_body(request, false, &body, err));
    TRY(field_flag(body, "isTest", &asked.is_test, err));
    asked.is_as_before = !json_is(body ? json_get(body, STR("isTest")) : NULL, JSON_BOOL);
    return request_submit(request, call_replay(request_origin(request), &asked), render_started, err);
}

/* ---- reading ---- */

/* Where the page ended: at an item for which there was no room, or where the search stopped. */
static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_runs *answer = &call->value.runs;
    struct id next = { .instance = answer->next.id };
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        size_t before = out->n;
        if (i) buf_add_char(out, ',');
        put_run(out, &answer->view[i], 0);
        if (!i || !put_is_beyond(out, call->answer_max)) continue;
        out->n = before;
        next = instance_view_id(&answer->view[i - 1]);
        break;
    }
    buf_add_char(out, ']');
    if (next.instance) {
        PUT(out, ",\"nextCursor\":");
        put_id(out, next);
    }
    buf_add_char(out, '}');
}

enum status workflows_runs(struct api_request *request, struct error *err)
{
    struct call_runs asked = { .definition_id = request->param[0], .with_views = true };
    int64_t skip;
    bool cursor;
    struct id after;
    str status = query_text(request, STR("status"));
    TRY(query_cursor(request, &cursor, &after, err));
    TRY(query_page(request, &skip, &asked.max, err));
    if (cursor) asked.after.id = after.instance;
    asked.shown = show_statuses_of_flow(status);
    if (status.n && !asked.shown)
        return fail(err, ST_INVALID, "status", "status is one of %s, or waiting for both kinds of it",
                    SHOW_FLOW_WORDS);
    return request_submit(request, call_list_runs(request_origin(request), &asked), render_page, err);
}

enum status workflows_run(struct api_request *request, struct error *err)
{
    struct call_read asked = { .with_children = true };
    TRY(param_instance(request, &asked.id, err));
    return request_submit(request, call_get_instance(request_origin(request), &asked), render_run, err);
}

/* ---- commands ---- */

static void render_resumed(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct instance_view *view = call->value.instances.view;
    *ret_http_status = 200;
    PUT(out, "{\"instanceId\":");
    put_id(out, instance_view_id(view));
    PUT(out, ",\"status\":");
    put_text(out, dialect_status_word(view->dialect, &view->standing));
    buf_add_char(out, '}');
}

enum status workflows_resume(struct api_request *request, struct error *err)
{
    struct id id;
    const struct json *body;
    if (param_instance(request, &id, err) != ST_OK)
        return fail_code(err, ST_NOT_FOUND, "INSTANCE_NOT_FOUND", "there is no instance of this id");
    TRY(request_body(request, true, &body, err));
    struct call *call = call_complete_task(request_origin(request), &(struct call_instance){ 0 });
    TRY(resume_read(body, id, call, err));
    return request_submit(request, call, render_resumed, err);
}

enum status workflows_cancel(struct api_request *request, struct error *err)
{
    struct call_instance asked = { .actor = takes_header(request, TAKES_ACTOR) };
    const struct json *body;
    TRY(param_instance(request, &asked.id, err));
    TRY(request_body(request, false, &body, err));
    TRY(field_text(body, "reason", ERROR_MESSAGE_BYTES, &asked.text, err));
    TRY(field_flag(body, "failedToo", &asked.failed_too, err));
    return request_submit(request, call_cancel(request_origin(request), &asked), render_run, err);
}
