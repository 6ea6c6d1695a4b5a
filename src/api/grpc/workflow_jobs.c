/* api/grpc/workflow_jobs.c — methods of the workflow service about jobs. */
#include "api/grpc/workflow_int.h"

/* ---- poll ---- */

static void write_job(const struct job_view *view, struct arena *scratch, Workflow__V1__Job *ret_message)
{
    struct id instance = { .ms = view->instance_created_ms, .instance = view->instance };
    struct id execution = { .ms = view->execution_ms, .instance = view->instance, .number = view->execution };
    workflow__v1__job__init(ret_message);
    ret_message->id = workflow_write_id(job_view_id(view), scratch);
    ret_message->job_type = message_text(scratch, view->type);
    ret_message->instance_id = workflow_write_id(instance, scratch);
    ret_message->step_id = message_text(scratch, view->node);
    ret_message->step_execution_id = workflow_write_id(execution, scratch);
    ret_message->retries_remaining = view->retries_left > INT32_MAX ? INT32_MAX : (int32_t)view->retries_left;
    ret_message->lock_expires_at = value_write_time(view->lock_expires_ms, scratch);
    workflow_write_data(view->data, scratch, &ret_message->variables, &ret_message->variables_json);
}

static enum status render_jobs(const struct call *call, struct arena *scratch, struct buf *out,
                               struct error *err)
{
    for (size_t i = 0; i < call->value.jobs.count; i++) {
        Workflow__V1__Job job;
        write_job(&call->value.jobs.view[i], scratch, &job);
        message_pack_part(1, &job.base, out);
        arena_reset(scratch);
    }
    (void)err;
    return ST_OK;
}

static enum status read_types(struct unary *unary, char *const *text, size_t count,
                              struct call_poll *ret_poll, struct error *err)
{
    TRY(v1_jobs_check_type_count(count, "job_types", err));
    str *type = arena_make_n(unary->arena, str, count);
    for (size_t i = 0; i < count; i++) {
        TRY(v1_jobs_check_type(str_of(text[i]), "job_types", err));
        type[i] = arena_str(unary->arena, str_of(text[i]));
    }
    ret_poll->type = type;
    ret_poll->type_count = count;
    return ST_OK;
}

enum status workflow_poll_jobs(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__PollJobsRequest *request = (const void *)message;
    const struct limits *limits = &unary->api->config.limits;
    struct call_poll asked = { 0 };
    int64_t max = request->max_jobs;
    TRY(unary_required_text(unary, request->worker_id, "worker_id", WORKER_ID_BYTES_MAX, &asked.worker, err));
    TRY(read_types(unary, request->job_types, request->n_job_types, &asked, err));
    TRY(field_seconds_of(request->lease_seconds, "lease_seconds", limits->lease_seconds_max, &asked.lease_ms,
                         err));
    TRY(field_seconds_of(request->wait_seconds, "wait_seconds", limits->wait_seconds_max, &asked.wait_ms,
                         err));
    unary_fit(unary, "max_jobs", limits->jobs_per_poll_max, 1, &max);
    asked.max = (size_t)max;
    return unary_submit(unary, call_poll_jobs(unary_origin(unary), &asked), render_jobs, err);
}

/* ---- results ---- */

static enum status read_job(struct unary *unary, const char *id, const char *worker, struct call_job *ret_job,
                            struct error *err)
{
    TRY(field_check_required(str_of(id), "job_id", err));
    TRY(param_read_job(str_of(id), &ret_job->id, err));
    return unary_required_text(unary, worker, "worker_id", WORKER_ID_BYTES_MAX, &ret_job->worker, err);
}

/* The JSON text may be any value: the result of a function. */
enum status workflow_complete_job(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__CompleteJobRequest *request = (const void *)message;
    struct call_job asked = { 0 };
    TRY(read_job(unary, request->job_id, request->worker_id, &asked, err));
    enum status status = workflow_read_data(unary, request->variables_to_set, "variables_to_set",
                                            request->variables_json, "variables_json", &asked.data, err);
    if (status != ST_OK && !unread_take(&asked, err, unary->arena)) return status;
    return unary_submit(unary, call_complete_job(unary_origin(unary), &asked), unary_render_nothing, err);
}

enum status workflow_fail_job(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__FailJobRequest *request = (const void *)message;
    struct call_job asked = { .retryable = request->retryable };
    TRY(read_job(unary, request->job_id, request->worker_id, &asked, err));
    TRY(unary_text(unary, request->error_message, "error_message", SIZE_MAX, &asked.text, err));
    return unary_submit(unary, call_fail_job(unary_origin(unary), &asked), unary_render_nothing, err);
}
