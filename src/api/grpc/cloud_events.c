/* api/grpc/cloud_events.c — org.cyoda.cloud.api.grpc.CloudEventsService: the table of the service. */
#include "api/grpc/cloud_events_int.h"
#include "api/grpc/event_call_int.h"

#define SERVICE STR_INIT("org.cyoda.cloud.api.grpc.CloudEventsService")

#define EVENT_METHOD_MAP(XX)                                         \
    XX(entityModelManage, GRPC_UNARY, event_model)                   \
    XX(entityManage, GRPC_UNARY, event_manage)                       \
    XX(entityManageCollection, GRPC_SERVER_STREAM, event_collection) \
    XX(entitySearch, GRPC_UNARY, event_search)                       \
    XX(entitySearchCollection, GRPC_SERVER_STREAM, event_list)

#define XX(method, type, what)                                                \
    static void take_##what(struct grpc_call *call, str message, void *api)   \
    {                                                                         \
        event_call_take(call, message, api, what##_kinds, what##_kind_count); \
    }
EVENT_METHOD_MAP(XX)
#undef XX

static const struct grpc_method methods[] = { { .service = SERVICE,
                                                .name = STR_INIT("startStreaming"),
                                                .kind = GRPC_BIDI,
                                                .needs = MAY_JOBS_WORK,
                                                .begin = member_stream_begin,
                                                .message = member_stream_message,
                                                .closed = member_stream_closed,
                                                .gone = member_stream_gone,
                                                .drained = member_stream_drained },
#define XX(method, type, what)                                   \
    { .service = SERVICE,                                        \
      .name = STR_INIT(#method),                                 \
      .kind = type,                                              \
      .message = take_##what,                                    \
      .needs = MAY_SELF, /* Each kind of event names its own. */ \
      .gone = event_call_gone,                                   \
      .drained = event_call_drained },
                                              EVENT_METHOD_MAP(XX)
#undef XX
};

const struct grpc_service cloud_events_service = {
    .name = SERVICE,
    .methods = methods,
    .count = COUNT(methods),
};
