/* api/grpc/cloud_events.c — org.cyoda.cloud.api.grpc.CloudEventsService: the table of the service. */
#include "api/grpc/cloud_events_int.h"

#define SERVICE STR_INIT("org.cyoda.cloud.api.grpc.CloudEventsService")

static const struct grpc_method methods[] = {
    { .service = SERVICE,
      .name = STR_INIT("startStreaming"),
      .kind = GRPC_BIDI,
      .begin = member_stream_begin,
      .message = member_stream_message,
      .closed = member_stream_closed,
      .gone = member_stream_gone,
      .drained = member_stream_drained },
};

const struct grpc_service cloud_events_service = {
    .name = SERVICE,
    .methods = methods,
    .count = COUNT(methods),
    .free = false,
};
