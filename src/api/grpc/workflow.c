/* api/grpc/workflow.c — the table of the service. */
#include "api/grpc/services_int.h"
#include "api/grpc/workflow_int.h"

#define XX(wire_name, name, request, permission)                                                 \
    static void take_##name(struct grpc_call *call, str message, void *api)                      \
    {                                                                                            \
        unary_take(call, message, api, &workflow__v1__##request##__descriptor, workflow_##name); \
    }
WORKFLOW_METHOD_MAP(XX)
#undef XX

static void leave(struct grpc_call *call, void *api)
{
    (void)api;
    unary_leave(call);
}

static const struct grpc_method methods[] = {
#define XX(wire_name, method, request, permission)       \
    { .service = STR_INIT("workflow.v1.WorkflowEngine"), \
      .name = STR_INIT(wire_name),                       \
      .kind = GRPC_UNARY,                                \
      .message = take_##method,                          \
      .needs = permission,                               \
      .gone = leave },
    WORKFLOW_METHOD_MAP(XX)
#undef XX
};

const struct grpc_service workflow_service = { STR_INIT("workflow.v1.WorkflowEngine"), methods,
                                               COUNT(methods) };
