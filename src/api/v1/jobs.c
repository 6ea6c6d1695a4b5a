/* api/v1/jobs.c — `/v1/jobs`: polls, completions, failures, extensions, lists. */
#include "api/v1/v1_int.h"

#include "json/json.h"

enum { LARGE_POLL_BYTES = 16 << 10 };

static void put_lock(struct buf *out, const struct job_view *view)
{
    if (view->state != JOB_LOCKED) return;
    PUT(out, ",\"workerId\":");
    put_text(out, view->worker);
    PUT(out, ",\"lockedAt\":");
    put_time(out, view->locked_ms);
    PUT(out, ",\"lockExpiresAt\":");
    put_time(out, view->lock_expires_ms);
}

/* Workers expect an object. The input of a function can be any value: then it stands beside an empty object.
 */
static void put_data(struct buf *out, const struct json *data)
{
    bool object = !data || json_is(data, JSON_OBJECT);
    PUT(out, ",\"variables\":");
    if (data && object) json_print(data, out);
    else PUT(out, "{}");
    if (object) return;
    PUT(out, ",\"input\":");
    json_print(data, out);
}

/* Names the function that a job calls, and its performer if that is not a worker. */
static void put_function(struct buf *out, const struct job_view *view)
{
    str function = performer_function(view->config);
    if (function.n) {
        PUT(out, ",\"functionName\":");
        put_text(out, function);
    }
    if (function.n || performer_place(view->performer) != PERFORMED_OUTSIDE) {
        PUT(out, ",\"performer\":");
        put_text(out, str_of(performer_word(view->performer)));
    }
}

void v1_put_job(struct buf *out, const struct job_view *view, enum job_style style)
{
    PUT(out, "{\"id\":");
    put_id(out, job_view_id(view));
    PUT(out, ",\"instanceId\":");
    put_id(out, (struct id){ .ms = view->instance_created_ms, .instance = view->instance });
    PUT(out, ",\"stepExecutionId\":");
    put_id(out,
           (struct id){ .ms = view->execution_ms, .instance = view->instance, .number = view->execution });
    PUT(out, ",\"stepId\":");
    put_text(out, view->node);
    PUT(out, ",\"jobType\":");
    put_text(out, view->type);
    put_function(out, view);
    PUT(out, ",\"status\":\"");
    buf_add_str(out, str_of(call_job_state_word(view->state)));
    buf_add_char(out, '"');
    put_lock(out, view);
    PUT(out, ",\"retriesRemaining\":");
    put_int(out, view->retries_left);
    if (style == JOB_FOR_WORKER) {
        put_data(out, view->data);
    } else {
        PUT(out, ",\"attempt\":");
        put_int(out, view->attempt);
        if (view->state == JOB_DELAYED) {
            PUT(out, ",\"availableAt\":");
            put_time(out, view->available_ms);
        }
    }
    PUT(out, ",\"createdAt\":");
    put_time(out, view->created_ms);
    buf_add_char(out, '}');
}

/* ---- poll ---- */

static void render_jobs(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"jobs\":[");
    for (size_t i = 0; i < call->value.jobs.count; i++) {
        if (i) buf_add_char(out, ',');
        v1_put_job(out, &call->value.jobs.view[i], JOB_FOR_WORKER);
    }
    PUT(out, "]}");
}

enum status v1_jobs_check_type_count(size_t count, const char *name, struct error *err)
{
    if (!count) return fail(err, ST_INVALID, name, "%s is required", name);
    if (count > JOB_TYPES_PER_POLL_MAX)
        return fail(err, ST_LIMIT, name, "%zu %s; the most is %d (JOB_TYPES_PER_POLL_MAX)", count, name,
                    JOB_TYPES_PER_POLL_MAX);
    return ST_OK;
}

enum status v1_jobs_check_type(str type, const char *name, struct error *err)
{
    if (!type.n) return fail(err, ST_INVALID, name, "%s must hold texts that are not empty", name);
    if (performer_queue_is_reserved(type))
        return fail(err, ST_INVALID, name, "%s must not begin with a control character", name);
    if (type.n > JOB_TYPE_BYTES_MAX)
        return fail(err, ST_LIMIT, name, "a job type of %zu bytes; the most is %d (JOB_TYPE_BYTES_MAX)",
                    type.n, JOB_TYPE_BYTES_MAX);
    return ST_OK;
}

static enum status read_types(const struct json *object, struct arena *arena, struct call_poll *ret_poll,
                              struct error *err)
{
    const struct json *list;
    TRY(field_list(object, "jobTypes", &list, err));
    size_t count = list ? json_count(list) : 0;
    TRY(v1_jobs_check_type_count(count, "jobTypes", err));
    str *type = arena_make_n(arena, str, count);
    size_t n = 0;
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        type[n] = json_is(each.value, JSON_STRING) ? json_string(each.value) : STR_NONE;
        TRY(v1_jobs_check_type(type[n++], "jobTypes", err));
    }
    ret_poll->type = type;
    ret_poll->type_count = n;
    return ST_OK;
}

enum status v1_jobs_read_poll(struct api_request *request, const struct json *object, struct arena *arena,
                              struct call_poll *ret_poll, struct error *err)
{
    const struct limits *limits = &request->api->config.limits;
    int64_t max;
    TRY(read_types(object, arena, ret_poll, err));
    TRY(field_integer(object, "maxJobs", &max, err));
    str warning = query_fit(request->http->arena, "maxJobs", limits->jobs_per_poll_max, 10, &max);
    if (warning.n) request_warn(request, "%.*s", STR_ARG(warning));
    ret_poll->max = (size_t)max;
    TRY(field_seconds(object, "leaseSeconds", limits->lease_seconds_max, &ret_poll->lease_ms, err));
    TRY(field_seconds(object, "waitSeconds", limits->wait_seconds_max, &ret_poll->wait_ms, err));
    return ST_OK;
}

static enum status read_poll(struct api_request *request, struct arena *arena, struct call_poll *ret_poll,
                             struct error *err)
{
    const struct json *body;
    TRY(request_body_in(request, true, arena, &body, err));
    TRY(field_required_text(body, "workerId", WORKER_ID_BYTES_MAX, &ret_poll->worker, err));
    return v1_jobs_read_poll(request, body, arena, ret_poll, err);
}

/* A poll may wait for long. So a large body is dropped, and only the members that the poll needs are copied.
 */
static enum status read_large_poll(struct api_request *request, struct arena *arena,
                                   struct call_poll *ret_poll, struct error *err)
{
    struct arena *scratch = &request->api->scratch;
    enum status status = read_poll(request, scratch, ret_poll, err);
    if (status == ST_OK) {
        str *type = arena_make_n(arena, str, ret_poll->type_count);
        for (size_t i = 0; i < ret_poll->type_count; i++) type[i] = arena_str(arena, ret_poll->type[i]);
        ret_poll->type = type;
        ret_poll->worker = arena_str(arena, ret_poll->worker);
    }
    arena_done(scratch);
    return status;
}

enum status v1_jobs_poll(struct api_request *request, struct error *err)
{
    struct call_poll asked = { 0 };
    bool large = request->http->body.n > LARGE_POLL_BYTES;
    TRY((large ? read_large_poll : read_poll)(request, request->http->arena, &asked, err));
    return request_submit(request, call_poll_jobs(request_origin(request), &asked), render_jobs, err);
}

/* ---- results ---- */

static enum status read_failure(const struct json *object, struct arena *arena, struct call_job *ret_job,
                                struct error *err)
{
    str name;
    TRY(field_text(object, "errorMessage", SIZE_MAX, &ret_job->text, err));
    TRY(field_text(object, "errorName", ERROR_NAME_BYTES_MAX, &name, err));
    TRY(field_flag(object, "retryable", &ret_job->retryable, err));
    const struct json *data = json_get(object, STR("errorData"));
    if (!name.n && !data) return ST_OK;
    struct json_builder failure;
    json_builder_init(&failure, arena);
    json_open_object(&failure);
    if (name.n) {
        json_add_name(&failure, STR("name"));
        json_add_string(&failure, name);
    }
    json_add_name(&failure, STR("message"));
    json_add_string(&failure, ret_job->text);
    if (data) {
        json_add_name(&failure, STR("data"));
        json_add(&failure, data);
    }
    json_close(&failure);
    ret_job->failure = json_built(&failure);
    return ST_OK;
}

void v1_warn_of_both(struct api_request *request, const struct json *object, const char *used,
                     const char *other)
{
    const struct json *first = json_get(object, str_of(used)), *second = json_get(object, str_of(other));
    if (!first || !second || json_is(first, JSON_NULL) || json_is(second, JSON_NULL)) return;
    request_warn(request, "%s has no effect beside %s: they are two names for one thing", other, used);
}

/* The result of a function may be null. Beside variables null says nothing. */
static const struct json *choose_result(const struct json *variables, const struct json *result)
{
    return result && !(variables && json_is(result, JSON_NULL)) ? result : variables;
}

enum status v1_jobs_read_result(struct api_request *request, enum call_kind kind, const struct json *object,
                                struct call_job *ret_job, struct error *err)
{
    const struct json *variables;
    if (kind == CALL_FAIL_JOB) return read_failure(object, request->http->arena, ret_job, err);
    TRY(field_variables(object, "variables", &variables, err));
    const struct json *result = json_get(object, STR("result"));
    if (result && variables) v1_warn_of_both(request, object, "result", "variables");
    ret_job->data = choose_result(variables, result);
    return ST_OK;
}

static enum status read_result(struct api_request *request, enum call_kind kind, struct call_job *ret_job,
                               struct error *err)
{
    struct arena *arena = request->http->arena;
    const struct json *body;
    enum status status = request_body(request, true, &body, err);
    if (status != ST_OK) {
        ret_job->worker = unread_worker(request->http->body, arena);
        return status;
    }
    TRY(field_required_text(body, "workerId", WORKER_ID_BYTES_MAX, &ret_job->worker, err));
    return v1_jobs_read_result(request, kind, body, ret_job, err);
}

/* Constructs the call of a result. */
typedef struct call *result_fn(struct call_origin origin, const struct call_job *asked);

static enum status take_result(struct api_request *request, enum call_kind kind, result_fn *construct,
                               struct error *err)
{
    struct call_job asked = { 0 };
    TRY(param_job(request, &asked.id, err));
    enum status status = read_result(request, kind, &asked, err);
    bool fails_job = kind == CALL_COMPLETE_JOB && status != ST_OK;
    if (fails_job ? !unread_take(&asked, err, request->http->arena) : status != ST_OK) return status;
    return request_submit(request, construct(request_origin(request), &asked), answer_render_nothing, err);
}

enum status v1_jobs_complete(struct api_request *request, struct error *err)
{
    return take_result(request, CALL_COMPLETE_JOB, call_complete_job, err);
}

enum status v1_jobs_fail(struct api_request *request, struct error *err)
{
    return take_result(request, CALL_FAIL_JOB, call_fail_job, err);
}

/* ---- leases and lists ---- */

/* An extension that comes too late gets 204, like other callbacks that come too late. */
static void render_extended(const struct call *call, int *ret_http_status, struct buf *out)
{
    if (!call->value.jobs.count) {
        answer_render_nothing(call, ret_http_status, out);
        return;
    }
    *ret_http_status = 200;
    v1_put_job(out, call->value.jobs.view, JOB_IN_LIST);
}

enum status v1_jobs_extend(struct api_request *request, struct error *err)
{
    struct call_job asked = { 0 };
    const struct json *body;
    TRY(param_job(request, &asked.id, err));
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "workerId", WORKER_ID_BYTES_MAX, &asked.worker, err));
    TRY(field_seconds(body, "leaseSeconds", request->api->config.limits.lease_seconds_max, &asked.lease_ms,
                      err));
    return request_submit(request, call_extend_job(request_origin(request), &asked), render_extended, err);
}

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_jobs *answer = &call->value.jobs;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        v1_put_job(out, &answer->view[i], JOB_IN_LIST);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.jobs.max);
    if (answer->more) { /* There may be more: the runtime has left the cursor where it stopped. */
        PUT(out, ",\"nextCursor\":");
        put_id(out, (struct id){ .instance = call->as.jobs.cursor.instance,
                                 .number = call->as.jobs.cursor.number });
    }
    buf_add_char(out, '}');
}

enum status v1_jobs_list(struct api_request *request, struct error *err)
{
    struct call_jobs asked = { 0 };
    bool cursor;
    struct id after = { 0 };
    int64_t skip;
    TRY(query_cursor(request, &cursor, &after, err));
    TRY(query_page(request, &skip, &asked.max, err));
    asked.cursor.instance = after.instance;
    asked.cursor.number = after.number;
    asked.instance = query_instance(request);
    str type = query_text(request, STR("jobType"));
    if (type.n > JOB_TYPE_BYTES_MAX)
        return fail(err, ST_INVALID, "jobType", "a job type of %zu bytes; the most is %d", type.n,
                    JOB_TYPE_BYTES_MAX);
    asked.type = type;
    return request_submit(request, call_list_jobs(request_origin(request), &asked), render_page, err);
}
