/* api/grpc/workflow_instances.c — methods of the workflow service about instances, tasks and signals. */
#include "api/grpc/workflow_int.h"

typedef Workflow__V1__WorkflowInstance instance_message;

/* ---- answers ---- */

/* Status words are the same in both worlds. */
static Workflow__V1__InstanceStatus status_of(enum instance_status status)
{
    return (Workflow__V1__InstanceStatus)translate_enum(&workflow__v1__instance_status__descriptor,
                                                        str_of(instance_status_word(status)));
}

static void write_instance(const struct instance_view *view, bool with_data, struct arena *scratch,
                           instance_message *ret_message)
{
    workflow__v1__workflow_instance__init(ret_message);
    ret_message->id = workflow_write_id(instance_view_id(view), scratch);
    ret_message->definition_id = message_text(scratch, view->definition_id);
    ret_message->definition_version = view->definition_version;
    ret_message->status = status_of(view->status);
    ret_message->current_step_ids = arena_make_n(scratch, char *, view->current_count);
    for (size_t i = 0; i < view->current_count; i++)
        ret_message->current_step_ids[ret_message->n_current_step_ids++] =
            message_text(scratch, view->current[i]);
    ret_message->started_at = value_write_time(view->created_ms, scratch);
    ret_message->completed_at = value_write_time(view->ended_ms, scratch);
    ret_message->failure_reason = message_text(scratch, view->failure);
    ret_message->business_key = message_text(scratch, view->business_key);
    ret_message->is_test = view->is_test;
    if (with_data && !view->data_omitted)
        workflow_write_data(view->data, scratch, &ret_message->variables, &ret_message->variables_json);
    else ret_message->variables_omitted = true;
}

/* The answers of start, get, cancel and retry have the same only field. */
static enum status render_instance(const struct call *call, struct arena *scratch, struct buf *out,
                                   struct error *err)
{
    instance_message message;
    write_instance(call->value.instances.view, true, scratch, &message);
    message_pack_part(1, &message.base, out);
    (void)err;
    return ST_OK;
}

static enum status read_instance(const char *text, const char *name, struct id *ret_id, struct error *err)
{
    TRY(field_check_required(str_of(text), name, err));
    return param_read_instance(str_of(text), ret_id, err);
}

/* ---- start ---- */

/* Clients of this service know a business key that is taken by a status of its own. */
static int start_code(const struct error *err)
{
    bool taken = err->status == ST_CONFLICT && str_equal(str_of(err->where), STR("businessKey"));
    return taken ? GRPC_ALREADY_EXISTS : status_grpc(err->status);
}

enum status workflow_start_instance(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__StartInstanceRequest *request = (const void *)message;
    struct call_start asked = { 0 };
    int64_t wait_seconds_max = unary->api->config.limits.wait_seconds_max;
    TRY(unary_required_text(unary, request->definition_id, "definition_id", DEFINITION_ID_BYTES_MAX,
                            &asked.definition_id, err));
    TRY(unary_text(unary, request->business_key, "business_key", BUSINESS_KEY_BYTES_MAX, &asked.business_key,
                   err));
    TRY(workflow_read_data(unary, request->variables, "variables", request->variables_json, "variables_json",
                           &asked.data, err));
    TRY(field_check_object(asked.data, "variables_json", err));
    TRY(field_seconds_of(request->wait_seconds, "wait_seconds", wait_seconds_max, &asked.wait_ms, err));
    asked.version = request->definition_version <= 0 ? 0 : request->definition_version;
    asked.is_test = request->is_test;
    unary->code = start_code;
    return unary_submit(unary, call_start(unary_origin(unary), &asked), render_instance, err);
}

/* ---- reading ---- */

enum status workflow_get_instance(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__GetInstanceRequest *request = (const void *)message;
    struct call_read asked = { 0 };
    TRY(read_instance(request->id, "id", &asked.id, err));
    return unary_submit(unary, call_get_instance(unary_origin(unary), &asked), render_instance, err);
}

static void write_execution(const struct instance_view *instance, const struct execution *visit,
                            struct arena *scratch, Workflow__V1__StepExecution *ret_message)
{
    struct id id = { .ms = visit->started_ms, .instance = instance->id, .number = visit->number };
    workflow__v1__step_execution__init(ret_message);
    ret_message->id = workflow_write_id(id, scratch);
    ret_message->instance_id = workflow_write_id(instance_view_id(instance), scratch);
    ret_message->step_id = message_text(scratch, visit->node_name);
    ret_message->step_type =
        (Workflow__V1__StepType)translate_enum(&workflow__v1__step_type__descriptor, visit->type);
    ret_message->step_type_name = message_text(scratch, visit->type);
    ret_message->attempt_number = visit->attempt > INT32_MAX ? INT32_MAX : (int32_t)visit->attempt;
    ret_message->status = (Workflow__V1__StepExecutionStatus)translate_enum(
        &workflow__v1__step_execution_status__descriptor, str_of(execution_status_word(visit->status)));
    ret_message->started_at = value_write_time(visit->started_ms, scratch);
    ret_message->ended_at = value_write_time(visit->ended_ms, scratch);
    ret_message->failure_reason = message_text(scratch, visit->failure);
    ret_message->simulated = visit->simulated;
}

static enum status render_history(const struct call *call, struct arena *scratch, struct buf *out,
                                  struct error *err)
{
    const struct answer_instances *answer = &call->value.instances;
    size_t shown = 0;
    for (; shown < answer->execution_count && !put_is_beyond(out, MESSAGE_ANSWER_BYTES_MAX); shown++) {
        Workflow__V1__StepExecution item;
        write_execution(answer->view, &answer->execution[shown], scratch, &item);
        message_pack_part(1, &item.base, out);
        arena_reset(scratch);
    }
    message_pack_number(100, answer->cut || shown < answer->execution_count, out);
    (void)err;
    return ST_OK;
}

enum status workflow_get_instance_history(struct unary *unary, const ProtobufCMessage *message,
                                          struct error *err)
{
    const Workflow__V1__GetInstanceHistoryRequest *request = (const void *)message;
    struct call_read asked = { 0 };
    TRY(read_instance(request->id, "id", &asked.id, err));
    return unary_submit(unary, call_get_history(unary_origin(unary), &asked), render_history, err);
}

/* Instances are packed one by one: together they may be large. From the one on that does not fit, they come
 * without variables. */
static enum status render_instances(const struct call *call, struct arena *scratch, struct buf *out,
                                    struct error *err)
{
    const struct answer_instances *answer = &call->value.instances;
    for (size_t i = 0; i < answer->count; i++) {
        instance_message item;
        size_t before = out->n;
        write_instance(&answer->view[i], !put_is_beyond(out, MESSAGE_ANSWER_BYTES_MAX), scratch, &item);
        message_pack_part(1, &item.base, out);
        if (put_is_beyond(out, MESSAGE_ANSWER_BYTES_MAX) && !item.variables_omitted && i) {
            out->n = before;
            write_instance(&answer->view[i], false, scratch, &item);
            message_pack_part(1, &item.base, out);
        }
        arena_reset(scratch);
    }
    message_pack_number(2, (uint64_t)answer->total, out);
    (void)err;
    return ST_OK;
}

enum status workflow_list_instances(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__ListInstancesRequest *request = (const void *)message;
    struct call_instances asked = { .with_total = true };
    struct instance_filter *filter = &asked.filter;
    TRY(unary_text(unary, request->definition_id, "definition_id", SIZE_MAX, &filter->definition_id, err));
    TRY(unary_text(unary, request->business_key, "business_key", SIZE_MAX, &filter->business_key, err));
    unary_page(unary, request->page, request->page_size, &filter->skip, &filter->max);
    filter->status = -1;
    for (int i = 0; request->status && i < INSTANCE_STATUS_COUNT; i++)
        if (status_of((enum instance_status)i) == request->status) filter->status = i;
    if (request->status && filter->status < 0) { /* No instance has it: an empty page. */
        unary_answer(unary, STR_NONE);
        return ST_OK;
    }
    return unary_submit(unary, call_list_instances(unary_origin(unary), &asked), render_instances, err);
}

/* ---- commands ---- */

enum status workflow_cancel_instance(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__CancelInstanceRequest *request = (const void *)message;
    struct call_instance asked = { 0 };
    TRY(read_instance(request->id, "id", &asked.id, err));
    TRY(unary_text(unary, request->reason, "reason", SIZE_MAX, &asked.text, err));
    return unary_submit(unary, call_cancel(unary_origin(unary), &asked), render_instance, err);
}

enum status workflow_complete_user_task(struct unary *unary, const ProtobufCMessage *message,
                                        struct error *err)
{
    const Workflow__V1__CompleteUserTaskRequest *request = (const void *)message;
    struct call_instance asked = { 0 };
    TRY(read_instance(request->instance_id, "instance_id", &asked.id, err));
    TRY(unary_required_text(unary, request->user_task_step_id, "user_task_step_id", SIZE_MAX, &asked.node,
                            err));
    TRY(unary_text(unary, request->completed_by, "completed_by", WORKER_ID_BYTES_MAX, &asked.actor, err));
    TRY(workflow_read_data(unary, request->result, "result", request->result_json, "result_json", &asked.data,
                           err));
    TRY(field_check_object(asked.data, "result_json", err));
    return unary_submit(unary, call_complete_task(unary_origin(unary), &asked), unary_render_nothing, err);
}

enum status workflow_signal_wait(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__SignalWaitRequest *request = (const void *)message;
    struct call_instance asked = { 0 };
    TRY(read_instance(request->instance_id, "instance_id", &asked.id, err));
    TRY(unary_required_text(unary, request->wait_step_id, "wait_step_id", SIZE_MAX, &asked.node, err));
    TRY(workflow_read_data(unary, request->variables, "variables", request->variables_json, "variables_json",
                           &asked.data, err));
    TRY(field_check_object(asked.data, "variables_json", err));
    return unary_submit(unary, call_signal(unary_origin(unary), &asked), unary_render_nothing, err);
}

enum status workflow_retry_step(struct unary *unary, const ProtobufCMessage *message, struct error *err)
{
    const Workflow__V1__RetryStepRequest *request = (const void *)message;
    struct call_instance asked = { 0 };
    TRY(read_instance(request->instance_id, "instance_id", &asked.id, err));
    TRY(unary_text(unary, request->step_id, "step_id", SIZE_MAX, &asked.node,
                   err)); /* Empty: the one that failed. */
    TRY(workflow_read_data(unary, request->variables, "variables", request->variables_json, "variables_json",
                           &asked.data, err));
    TRY(field_check_object(asked.data, "variables_json", err));
    return unary_submit(unary, call_retry(unary_origin(unary), &asked), render_instance, err);
}
