/* api/v1/instances.c — `/v1/instances`: starts, lists, cancels, retries, signals, explanations. */
#include "api/v1/v1_int.h"

#include "dialect/dialect.h"

void v1_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                     int64_t bytes_max)
{
    view->dialect->put_instance(out, view, style, bytes_max);
}

void v1_render_instance(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    v1_put_instance(out, call->value.instances.view, INSTANCE_WHOLE, call->answer_max);
}

/* ---- start ---- */

static void render_started(const struct call *call, int *ret_http_status, struct buf *out)
{
    enum instance_style style = call->as.start.wait_ms ? INSTANCE_WHOLE : INSTANCE_STARTED;
    if (call->value.instances.view) v1_put_instance(out, call->value.instances.view, style, call->answer_max);
    *ret_http_status = answer_put_start(call, out);
}

static enum status start(struct api_request *request, const struct json *body, str definition_id,
                         struct error *err)
{
    struct call_start asked = { .definition_id = definition_id, .may_queue = true };
    int64_t version;
    TRY(field_integer(body, "definitionVersion", &version, err));
    asked.version = version <= 0 ? 0 : version > INT32_MAX ? INT32_MAX : (int32_t)version;
    TRY(field_variables(body, "variables", &asked.data, err));
    TRY(field_text(body, "businessKey", BUSINESS_KEY_BYTES_MAX, &asked.business_key, err));
    TRY(field_flag(body, "isTest", &asked.is_test, err));
    TRY(query_seconds(request, STR("wait"), request->api->config.limits.wait_seconds_max, &asked.wait_ms,
                      err));
    return request_submit(request, call_start(request_origin(request), &asked), render_started, err);
}

enum status v1_instances_start(struct api_request *request, struct error *err)
{
    const struct json *body;
    str definition_id;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "definitionId", DEFINITION_ID_BYTES_MAX, &definition_id, err));
    return start(request, body, definition_id, err);
}

enum status v1_instances_start_of(struct api_request *request, struct error *err)
{
    const struct json *body;
    str definition_id;
    TRY(request_body(request, false, &body, err));
    TRY(field_text(body, "definitionId", DEFINITION_ID_BYTES_MAX, &definition_id, err));
    if (definition_id.n && !str_equal(definition_id, request->param[0]))
        return fail(err, ST_INVALID, "definitionId", "definitionId in the body is not the one in the path");
    return start(request, body, request->param[0], err);
}

/* ---- reading ---- */

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_instances *answer = &call->value.instances;
    const struct instance_filter *filter = &call->as.instances.filter;
    size_t shown = 0;
    bool more = answer->cut || answer->count == filter->max;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (; shown < answer->count; shown++) {
        size_t before = out->n;
        if (shown) buf_add_char(out, ',');
        /* A page by number keeps its items; one that goes on at a cursor may end early. */
        v1_put_instance(out, &answer->view[shown], INSTANCE_WHOLE,
                        call->as.instances.with_total ? call->answer_max : 0);
        if (call->as.instances.with_total || !shown || !put_is_beyond(out, call->answer_max)) continue;
        out->n = before;
        more = true;
        break;
    }
    buf_add_char(out, ']');
    if (call->as.instances.with_total) {
        if (!answer->has_no_total) {
            PUT(out, ",\"total\":");
            put_int(out, answer->total);
        }
        PUT(out, ",\"page\":");
        put_int(out, filter->skip / (int64_t)filter->max);
    }
    PUT(out, ",\"pageSize\":");
    put_int(out, (int64_t)filter->max);
    if (more && shown) {
        PUT(out, ",\"nextCursor\":");
        put_id(out, instance_view_id(&answer->view[shown - 1]));
    }
    buf_add_char(out, '}');
}

enum status v1_instances_list(struct api_request *request, struct error *err)
{
    struct call_instances asked = { 0 };
    struct instance_filter *filter = &asked.filter;
    bool cursor;
    struct id after;
    TRY(query_cursor(request, &cursor, &after, err));
    TRY(query_page(request, &filter->skip, &filter->max, err));
    asked.with_total = !cursor;
    if (cursor) {
        filter->before = after.instance;
        filter->skip = 0;
    }
    filter->status = -1;
    filter->definition_id = query_text(request, STR("definitionId"));
    filter->business_key = query_text(request, STR("businessKey"));
    str word = query_text(request, STR("status"));
    enum instance_status status;
    if (word.n && !instance_status_parse(word, &status)) { /* No instance has it: an empty page. */
        struct buf out;
        int http_status = 200;
        buf_init(&out, request->http->arena);
        render_page(call_list_instances(request_origin(request), &asked), &http_status, &out);
        answer(request, http_status, STR_NONE, buf_str(&out));
        return ST_OK;
    }
    if (word.n) filter->status = (int32_t)status;
    return request_submit(request, call_list_instances(request_origin(request), &asked), render_page, err);
}

enum status v1_instances_get(struct api_request *request, struct error *err)
{
    struct call_read asked = { 0 };
    asked.with_children = true;
    TRY(param_instance(request, &asked.id, err));
    return request_submit(request, call_get_instance(request_origin(request), &asked), v1_render_instance,
                          err);
}

/* ---- commands ---- */

static void render_cancelled(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    v1_put_instance(out, call->value.instances.view, INSTANCE_STOPPED, call->answer_max);
}

enum status v1_instances_cancel(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    TRY(param_instance(request, &asked.id, err));
    TRY(query_flag(request, STR("failed"), &asked.failed_too, err));
    /* A body that cannot be read is no reason to keep an instance running. */
    const struct json *body;
    struct error ignored;
    if (request_body(request, false, &body, &ignored) != ST_OK)
        request_warn(request, "the body has no effect: it is no JSON object");
    else if (field_text(body, "reason", SIZE_MAX, &asked.text, &ignored) != ST_OK)
        request_warn(request, "the reason has no effect: it is no text");
    return request_submit(request, call_cancel(request_origin(request), &asked), render_cancelled, err);
}

enum status v1_instances_retry(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    const struct json *body;
    TRY(param_instance(request, &asked.id, err));
    TRY(query_flag(request, STR("alone"), &asked.alone, err));
    TRY(request_body(request, false, &body, err));
    TRY(field_variables(body, "variables", &asked.data, err));
    asked.node = request->param[1]; /* None in the path: the step that failed. */
    return request_submit(request, call_retry(request_origin(request), &asked), v1_render_instance, err);
}

/* 202: the signal came early and is kept for its step. */
static void render_signalled(const struct call *call, int *ret_http_status, struct buf *out)
{
    (void)out;
    *ret_http_status = call->value.instances.kept ? 202 : 204;
}

static enum status signal_step(struct api_request *request, struct call_instance *asked, struct error *err)
{
    TRY(query_flag(request, STR("early"), &asked->early, err));
    TRY(request_body(request, false, &asked->data, err));
    asked->node = request->param[1];
    request->identity = arena_printf(request->http->arena, "%s%.*s", asked->early ? "early " : "",
                                     STR_ARG(asked->business_key));
    return request_submit(request, call_signal(request_origin(request), asked), render_signalled, err);
}

enum status v1_instances_signal(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    TRY(param_instance(request, &asked.id, err));
    return signal_step(request, &asked, err);
}

/* Signals the live instance of a definition that has the business key. */
enum status v1_instances_signal_key(struct api_request *request, struct error *err)
{
    struct call_instance asked = { 0 };
    asked.definition_id = request->param[0];
    asked.business_key = query_text(request, STR("businessKey"));
    if (!asked.business_key.n || asked.business_key.n > BUSINESS_KEY_BYTES_MAX)
        return fail(err, ST_INVALID, "businessKey", "businessKey is required: at most %d bytes",
                    BUSINESS_KEY_BYTES_MAX);
    return signal_step(request, &asked, err);
}

/* ---- why is it waiting? ---- */

const char *v1_token_word(enum token_state state)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [TOKEN_##NAME] = word,
        TOKEN_STATE_MAP(XX)
#undef XX
    };
    return words[state];
}

void v1_put_token(struct buf *out, const struct instance_view *instance, const struct token_view *token)
{
    struct id execution = { .ms = token->since_ms, .instance = instance->id, .number = token->execution };
    PUT(out, "{\"stepExecutionId\":");
    put_id(out, execution);
    PUT(out, ",\"stepId\":");
    put_text(out, token->node);
    PUT(out, ",\"name\":");
    put_text(out, token->title);
    PUT(out, ",\"stepType\":");
    put_text(out, token->type);
    PUT(out, ",\"state\":");
    put_text(out, str_of(v1_token_word(token->state)));
    PUT(out, ",\"since\":");
    put_time(out, token->since_ms);
    PUT(out, ",\"why\":");
    put_text(out, token->why);
    if (token->job) {
        PUT(out, ",\"job\":");
        v1_put_job(out, token->job, JOB_IN_LIST);
    }
    PUT(out, ",\"timersDueAt\":[");
    for (size_t i = 0; i < token->timer_count; i++) {
        if (i) buf_add_char(out, ',');
        put_time(out, token->timer_due_ms[i]);
    }
    PUT(out, "]}");
}

static void put_callback(struct buf *out, const struct callback_view *callback)
{
    PUT(out, "{\"at\":");
    put_time(out, callback->at_ms);
    PUT(out, ",\"jobId\":");
    put_id(out, callback->job);
    PUT(out, ",\"callback\":");
    put_text(out, str_of(callback_kind_word(callback->kind)));
    PUT(out, ",\"workerId\":");
    put_text(out, callback->worker);
    PUT(out, ",\"reason\":");
    put_text(out, str_of(callback_drop_word(callback->why)));
    PUT(out, ",\"message\":");
    put_text(out, str_of(callback_drop_meaning(callback->why)));
    buf_add_char(out, '}');
}

static void render_explained(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_instances *answer = &call->value.instances;
    *ret_http_status = 200;
    PUT(out, "{\"instance\":");
    v1_put_instance(out, answer->view, INSTANCE_WHOLE, call->answer_max);
    PUT(out, ",\"revision\":");
    put_int(out, answer->view->revision);
    PUT(out, ",\"tokens\":[");
    for (size_t i = 0; i < answer->token_count; i++) {
        if (i) buf_add_char(out, ',');
        v1_put_token(out, answer->view, &answer->token[i]);
    }
    PUT(out, "],\"droppedCallbacks\":[");
    for (size_t i = 0; i < answer->callback_count; i++) {
        if (i) buf_add_char(out, ',');
        put_callback(out, &answer->callback[i]);
    }
    PUT(out, "]}");
}

enum status v1_instances_explain(struct api_request *request, struct error *err)
{
    struct call_read asked = { 0 };
    TRY(param_instance(request, &asked.id, err));
    return request_submit(request, call_explain(request_origin(request), &asked), render_explained, err);
}
