/* api/api.c — a request's way in and its way out.
 *
 *     refused at the gate    its error                (gate.c)
 *     path unknown           404, plain text          (as the clients of this API know it; problem
 *                                                      documents under /api: entity/unknown.c)
 *     method not for it      405, Allow
 *     else                   the route's handler
 *     a call of gRPC         its method               (grpc/services.c)
 */
#include "api/access/access_int.h"
#include "api/access/issuers_int.h"
#include "api/access/person_int.h"
#include "api/ahead_int.h"
#include "api/answer_int.h"
#include "api/aside_int.h"
#include "api/entity/entity_int.h"
#include "api/forward_int.h"
#include "api/grpc/services_int.h"
#include "api/live/live_int.h"
#include "api/forwarding/forwarding_int.h"
#include "api/request_int.h"
#include "api/route_int.h"
#include "api/submit_int.h"
#include "api/trials/trials_int.h"
#include "api/ui/assets_int.h"

#include "base/log.h"
#include "base/must.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

static const str *copy_list(struct api *api, const str *list, size_t count)
{
    str *copy = arena_make_n(&api->arena, str, count);
    for (size_t i = 0; i < count; i++) copy[i] = arena_str(&api->arena, list[i]);
    return copy;
}

void api_set_secret(struct api *api, str secret)
{
    must(secret.n);
    directory_set_root(api->directory, secret);
}

/* An engine without a directory of principals knows the key "root" at most. */
static void make_directory(struct api *api, str secret)
{
    const struct directory_config config = { .root_secret = secret };
    api->directory = directory_new(&config);
}

struct api *api_new(const struct api_config *config)
{
    struct api *api = calloc(1, sizeof *api);
    must(api);
    api->config = *config;
    arena_init(&api->arena, 0);
    arena_init(&api->scratch, 0);
    api->directory = config->directory;
    if (!api->directory) make_directory(api, config->secret);
    api->config.secret = STR_NONE;
    api->config.context_path = arena_str(&api->arena, config->context_path);
    api->config.listen_host = arena_str(&api->arena, config->listen_host);
    api->config.origin = copy_list(api, config->origin, config->origin_count);
    api->config.public_url = arena_str(&api->arena, config->public_url);
    api->config.proxy = copy_list(api, config->proxy, config->proxy_count);
    api->config.host = copy_list(api, config->host, config->host_count);
    struct clock clock = clock_system();
    api->started_ms = clock_now_ms(&clock);
    map_init(&api->series);
    map_init(&api->streams);
    map_init(&api->approvals);
    map_init(&api->calls);
    fetch_init(&api->fetches);
    must(getrandom(api->login_secret, sizeof api->login_secret, 0) == sizeof api->login_secret);
    api->surfaces = routes_all;
    api->services = services_all;
    api->forwarding = forwarding_new(api);
    return api;
}

void api_set_server(struct api *api, struct http_server *server) { api->server = server; }

void api_part(struct api *api)
{
    if (!api) return;
    fetch_end_all(api);
    aside_end_all(api);
    bearer_queue_part(api);
    forwarding_free(api->forwarding);
    api->forwarding = NULL;
    api->server = NULL;
}

bool api_has_ui(void) { return ui_assets.count > 0; }

void api_free(struct api *api)
{
    if (!api) return;
    api_part(api);
    metrics_gather_done(api);
    metrics_done(api);
    access_streams_free(api);
    live_free(api);
    trials_free(api);
    bearer_queue_free(api);
    issuers_free(api);
    signing_free(api);
    fetch_done(&api->fetches);
    map_done(&api->approvals);
    access_free_refusals(api);
    free(api->setup);
    if (!api->config.directory) directory_free(api->directory);
    arena_done(&api->scratch);
    arena_done(&api->arena);
    free(api);
}

void api_set_draining(struct api *api)
{
    api->draining = true;
    access_look_at_refusals(api, true);
    api_look(api);
}

void api_look(struct api *api)
{
    health_look(api);
    live_look(api);
    trials_look(api);
    member_streams_look(api);
    access_look(api);
    forwarding_deliver(api->forwarding);
}

void api_deliver(struct api *api)
{
    trials_look(api);
    fetch_deliver(api);
    forwarding_deliver(api->forwarding);
}

static enum status decode_params(struct api_request *request, struct error *err)
{
    for (size_t i = 0; i < ROUTE_PARAMS_MAX && request->param[i].n; i++) {
        str *param = &request->param[i];
        if (!http_decode(*param, false, request->http->arena, param) || !utf8_is_valid(*param))
            return fail(err, ST_INVALID, "", "the path is not valid percent-encoded UTF-8");
    }
    return ST_OK;
}

static enum status dispatch(struct api_request *request, struct error *err)
{
    if (request->preflight) {
        str methods = route_all_methods(routes_all, request->http->arena);
        answer_preflight(request, arena_printf(request->http->arena, "%.*s, OPTIONS", STR_ARG(methods)));
    } else if (request->route) {
        TRY(decode_params(request, err));
        TRY(submit_check_actor(http_header(request->http, STR("X-Actor")), err));
        TRY(submit_check_groups(http_header(request->http, STR("X-Groups")), err));
        TRY(takes_check(request, err));
        TRY(person_take(&request->caller, http_header(request->http, STR("X-Actor")), err));
        if (forward_is_due(request)) return forward_request(request, err);
        return ahead_handle(request, err);
    } else if (request->surface) {
        entity_refuse_unknown(request);
    } else if (request->allow.n) {
        str line = arena_printf(request->http->arena, "Allow: %.*s\r\n", STR_ARG(request->allow));
        answer(request, 405, line, STR_NONE);
    } else {
        answer_typed(request, 404, STR("text/plain; charset=utf-8"), STR_NONE, STR("404 page not found"));
    }
    return ST_OK;
}

static void take(struct api_request *request)
{
    struct error err;
    error_init(&err);
    if (request->pieces) pieces_go_on(request);
    else if (request->calls) services_handle(request);
    else if (request->refusal) answer_error(request, request->refusal);
    else if (dispatch(request, &err) != ST_OK) answer_error(request, &err);
}

/* The caller was read from the store. */
static void go_on(struct api_request *request, struct error *err)
{
    if (err) {
        request->refusal = arena_alloc(request->http->arena, sizeof *err);
        memcpy(request->refusal, err, sizeof *err);
    }
    take(request);
}

void api_handle(struct http_request *http, void *context)
{
    if (!http->user) api_gate(http, context);
    struct api_request *request = http->user;
    if (!request->unresolved || request->refusal || request->preflight) {
        take(request);
        return;
    }
    if (request->method) pieces_keep(request);
    access_resolve(request, go_on);
}

static bool worth_logging(const struct api_request *request, int http_status)
{
    if (!request || !request->route || http_status >= 400) return true;
    return !request->route->quiet;
}

static void log_request(const struct http_request *http, int64_t took_us)
{
    char method[16], target[512], status[24], took[24], trace[64];
    str parent = http_header(http, STR("traceparent"));
    snprintf(method, sizeof method, "%.*s", STR_ARG(http->method));
    snprintf(target, sizeof target, "%.*s", STR_ARG(http->target));
    if (http->grpc) snprintf(status, sizeof status, "%s", grpc_status_word(http->grpc->code));
    else snprintf(status, sizeof status, "%d", http->status);
    snprintf(took, sizeof took, "%lld", (long long)took_us);
    snprintf(trace, sizeof trace, "%.*s", STR_ARG(parent));
    log_write(LOG_DEBUG, "request", "method", method, "target", target, "#status", status, "#us", took,
              parent.n ? "traceparent" : NULL, trace, NULL);
}

void api_observe(const struct http_request *http, int64_t took_us, void *context)
{
    struct api *api = context;
    if (http->grpc) {
        metrics_observe_call(api, http->grpc, took_us);
        if (api->config.log_requests) log_request(http, took_us);
        return;
    }
    const struct api_request *request = http->user;
    metrics_observe(api, request, http, took_us);
    if (api->config.log_requests && worth_logging(request, http->status)) log_request(http, took_us);
}
