/* api/grpc/cloud_events_int.h — org.cyoda.cloud.api.grpc.CloudEventsService, method by method. */
#ifndef API_GRPC_CLOUD_EVENTS_INT_H
#define API_GRPC_CLOUD_EVENTS_INT_H

#include "api/grpc/envelope_int.h"
#include "api/grpc/services_int.h"

/* member_stream.c: startStreaming. */
void member_stream_begin(struct grpc_call *call, void *context);
void member_stream_message(struct grpc_call *call, str message, void *context);
void member_stream_closed(struct grpc_call *call, void *context);
void member_stream_gone(struct grpc_call *call, void *context);
void member_stream_drained(struct grpc_call *call, void *context);

#endif
