/* api/grpc/services.c — the services that are offered by gRPC, and a call's way to its method.
 *
 *     refused at the gate    the status that goes with the error (base/status.h)
 *     path unknown           UNIMPLEMENTED
 *     tx-token               INVALID_ARGUMENT, unless the method may join a transaction
 *     else                   the method
 */
#include "api/grpc/services_int.h"
#include "api/route_int.h"

const struct grpc_service *const services_all[] = { &health_service,           &reflection_service,
                                                    &reflection_alpha_service, &workflow_service,
                                                    &cloud_events_service,     NULL };

const struct grpc_method *services_find(str path, const struct grpc_service **ret_service)
{
    *ret_service = NULL;
    if (path.n < 2 || path.p[0] != '/') return NULL;
    size_t slash = str_find(path, STR("/"), 1);
    if (slash == SIZE_MAX) return NULL;
    str service = str_slice(path, 1, slash), name = str_slice(path, slash + 1, path.n);
    for (const struct grpc_service *const *at = services_all; *at; at++) {
        if (!str_equal((*at)->name, service)) continue;
        *ret_service = *at;
        for (size_t i = 0; i < (*at)->count; i++)
            if (str_equal((*at)->methods[i].name, name)) return &(*at)->methods[i];
        return NULL;
    }
    return NULL;
}

/* The kinds of CloudEventsService's events say which of them join (event_call_int.h). */
static bool may_join(const struct api_request *request)
{
    return request->service == &cloud_events_service && request->method->kind != GRPC_BIDI;
}

void services_handle(struct api_request *request)
{
    struct http_request *http = request->http;
    struct error err;
    if (request->refusal)
        grpc_refuse(http, request->method, (enum grpc_status)status_grpc(request->refusal->status),
                    str_of(request->refusal->message));
    else if (!request->method)
        grpc_refuse(
            http, NULL, GRPC_UNIMPLEMENTED,
            arena_printf(http->arena, "there is no method %.*s", STR_ARG(str_slice(http->path, 0, 256))));
    else if (http_header(http, STR("tx-token")).n && !may_join(request)) {
        takes_fail_token("tx-token", &err);
        grpc_refuse(http, request->method, GRPC_INVALID_ARGUMENT,
                    arena_str(http->arena, str_of(err.message)));
    } else grpc_start(http, request->method, request->api);
}
