/* api/grpc/workflow_int.h — the methods of workflow.v1.WorkflowEngine: the steps dialect over gRPC.
 *
 * Each method makes the call that its path under /v1 makes, with the same limits, and renders the same
 * answer.
 */
#ifndef API_GRPC_WORKFLOW_INT_H
#define API_GRPC_WORKFLOW_INT_H

#include "api/grpc/translate_int.h"
#include "api/grpc/unary_int.h"
#include "api/v1/v1_int.h"

#include <workflow/v1/engine.pb-c.h>

/* clang-format off */
#define WORKFLOW_METHOD_MAP(XX)                                                      \
    XX("UploadDefinition",   upload_definition,    upload_definition_request, MAY_DEFINITIONS_WRITE)        \
    XX("GetDefinition",      get_definition,       get_definition_request, MAY_DEFINITIONS_READ)           \
    XX("ListDefinitions",    list_definitions,     list_definitions_request, MAY_DEFINITIONS_READ)         \
    XX("StartInstance",      start_instance,       start_instance_request, MAY_INSTANCES_START)           \
    XX("GetInstance",        get_instance,         get_instance_request, MAY_INSTANCES_READ)             \
    XX("GetInstanceHistory", get_instance_history, get_instance_history_request, MAY_INSTANCES_READ)     \
    XX("CancelInstance",     cancel_instance,      cancel_instance_request, MAY_INSTANCES_OPERATE)          \
    XX("ListInstances",      list_instances,       list_instances_request, MAY_INSTANCES_READ)           \
    XX("PollJobs",           poll_jobs,            poll_jobs_request, MAY_JOBS_WORK)                \
    XX("CompleteJob",        complete_job,         complete_job_request, MAY_JOBS_WORK)             \
    XX("FailJob",            fail_job,             fail_job_request, MAY_JOBS_WORK)                 \
    XX("CompleteUserTask",   complete_user_task,   complete_user_task_request, MAY_TASKS_OWN)       \
    XX("SignalWait",         signal_wait,          signal_wait_request, MAY_EVENTS_SEND)              \
    XX("RetryStep",          retry_step,           retry_step_request, MAY_INSTANCES_OPERATE)
/* clang-format on */

#define XX(wire_name, name, request, permission) unary_fn workflow_##name;
WORKFLOW_METHOD_MAP(XX)
#undef XX

/* Variables of a request: as a Struct, as a JSON text, or none (NULL). They live in the arena of the call. */
enum status workflow_read_data(struct unary *unary, const Google__Protobuf__Struct *object, const char *name,
                               const char *text, const char *text_name, const struct json **ret_data,
                               struct error *err);
/* Writes variables to the two fields. `data` may be NULL or of any kind. */
void workflow_write_data(const struct json *data, struct arena *scratch,
                         Google__Protobuf__Struct **ret_object, char **ret_text);

char *workflow_write_id(struct id id, struct arena *scratch);

#endif
