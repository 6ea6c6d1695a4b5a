/* api/grpc/health.c — grpc.health.v1.Health: what /readyz says, for balancers that speak gRPC.
 *
 * The engine is one: every service is served, or none. Watch sends the status at once and again when it has
 * changed, which health_look() notices. When the engine stops, those who watch are told, and their calls end.
 */
#include "api/grpc/message_int.h"
#include "api/grpc/services_int.h"
#include "api/probes_int.h"

#include <grpc/health/v1/health.pb-c.h>

typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus serving;

#define SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
#define NOT_SERVING GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING
#define SERVICE_UNKNOWN GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN

/* A call of Watch. */
struct health_watcher {
    struct grpc_call *call;
    struct health_watcher *before, *after;
    serving told;
    bool known;
};

static serving status_now(struct api *api)
{
    return probes_check_ready(api, NULL) == ST_OK ? SERVING : NOT_SERVING;
}

static bool is_service(const struct api *api, str name)
{
    if (!name.n) return true;
    for (const struct grpc_service *const *at = api->services; *at; at++)
        if (str_equal((*at)->name, name)) return true;
    return false;
}

/* False: the call has been ended, because its message is none. */
static bool read_service(struct grpc_call *call, str message, str *ret_service)
{
    ProtobufCMessage *request;
    struct error err;
    enum status status = message_unpack(&grpc__health__v1__health_check_request__descriptor, message,
                                        call->request->arena, &request, &err);
    if (status == ST_OK) {
        *ret_service = str_of(((Grpc__Health__V1__HealthCheckRequest *)request)->service);
        return true;
    }
    grpc_finish(call, (enum grpc_status)status_grpc(status), str_of(err.message));
    return false;
}

static bool send_status(struct grpc_call *call, serving status)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    struct buf out;
    answer.status = status;
    buf_init(&out, NULL);
    message_pack(&answer.base, &out);
    bool sent = grpc_send(call, buf_str(&out));
    buf_done(&out);
    return sent;
}

static void check(struct grpc_call *call, str message, void *context)
{
    str service;
    if (!read_service(call, message, &service)) return;
    if (!is_service(context, service)) {
        grpc_finish(call, GRPC_NOT_FOUND, STR("there is no such service"));
        return;
    }
    send_status(call, status_now(context));
    grpc_finish(call, GRPC_OK, STR_NONE);
}

/* ---- Watch ---- */

static bool has_room(const struct api *api, uint64_t peer)
{
    size_t same = 0;
    for (const struct health_watcher *watcher = api->watchers; watcher; watcher = watcher->after)
        same += watcher->call->request->peer == peer;
    return api->watcher_count < HEALTH_WATCHERS_MAX && same < HEALTH_WATCHERS_PEER_MAX;
}

static void watch(struct grpc_call *call, str message, void *context)
{
    struct api *api = context;
    str service;
    if (!read_service(call, message, &service)) return;
    if (!has_room(api, call->request->peer)) {
        grpc_finish(call, GRPC_RESOURCE_EXHAUSTED, STR("too many calls watch already"));
        return;
    }
    api->watcher_count++;
    struct health_watcher *watcher = arena_make(call->request->arena, struct health_watcher);
    watcher->call = call;
    watcher->known = is_service(api, service);
    watcher->told = watcher->known ? status_now(api) : SERVICE_UNKNOWN;
    watcher->after = api->watchers;
    if (api->watchers) api->watchers->before = watcher;
    api->watchers = watcher;
    call->user = watcher;
    send_status(call, watcher->told);
}

static void leave(struct api *api, struct health_watcher *watcher)
{
    api->watcher_count--;
    if (watcher->before) watcher->before->after = watcher->after;
    else api->watchers = watcher->after;
    if (watcher->after) watcher->after->before = watcher->before;
}

static void watch_gone(struct grpc_call *call, void *context)
{
    leave(context, call->user);
    grpc_finish(call, GRPC_CANCELLED, STR_NONE);
}

void health_look(struct api *api)
{
    serving now = api->watchers ? status_now(api) : NOT_SERVING;
    for (struct health_watcher *watcher = api->watchers, *next; watcher; watcher = next) {
        next = watcher->after;
        if (watcher->known && watcher->told != now) {
            watcher->told = now;
            send_status(watcher->call, now);
        }
        if (!api->draining) continue;
        leave(api, watcher);
        grpc_finish(watcher->call, GRPC_UNAVAILABLE, STR("the engine is stopping"));
    }
}

static const struct grpc_method methods[] = {
    { .service = STR_INIT("grpc.health.v1.Health"),
      .name = STR_INIT("Check"),
      .kind = GRPC_UNARY,
      .needs = MAY_OPEN,
      .message = check,
      .message_bytes_max = HEALTH_MESSAGE_BYTES_MAX },
    { .service = STR_INIT("grpc.health.v1.Health"),
      .name = STR_INIT("Watch"),
      .kind = GRPC_SERVER_STREAM,
      .needs = MAY_OPEN,
      .message = watch,
      .gone = watch_gone,
      .message_bytes_max = HEALTH_MESSAGE_BYTES_MAX },
};

const struct grpc_service health_service = { .name = STR_INIT("grpc.health.v1.Health"),
                                             .methods = methods,
                                             .count = COUNT(methods) };
