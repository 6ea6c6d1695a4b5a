/* api/api.c — a request's way in and its way out.
 *
 *     path unknown           404, plain text          (as the clients of this API know it)
 *     method not for it      405, Allow
 *     token asked, not sent  401                      (probes and preflights are free)
 *     else                   the route's handler
 */
#include "api/api_int.h"

#include "base/log.h"
#include "base/must.h"

#include <stdio.h>
#include <stdlib.h>

struct api *api_new(const struct api_config *config)
{
    struct api *api = calloc(1, sizeof *api);
    must(api);
    api->config = *config;
    arena_init(&api->arena, 0);
    api->config.token = arena_str(&api->arena, config->token);
    struct clock clock = clock_system();
    api->started_ms = clock_now_ms(&clock);
    map_init(&api->series);
    return api;
}

void api_free(struct api *api)
{
    if (!api) return;
    metrics_done(api);
    arena_done(&api->arena);
    free(api);
}

void api_set_draining(struct api *api) { api->draining = true; }

/* Takes as long for a wrong secret as for the right one. */
static bool same_secret(str secret, str sent)
{
    volatile unsigned difference = secret.n != sent.n;
    for (size_t i = 0; i < secret.n; i++)
        difference |= (unsigned char)secret.p[i] ^ (unsigned char)(sent.n ? sent.p[i % sent.n] : 0);
    return difference == 0;
}

static bool may_pass(struct api_request *request)
{
    str token = request->api->config.token;
    if (!token.n || (request->route && request->route->free)) return true;
    str header = http_header(request->http, STR("Authorization"));
    str scheme = STR("Bearer ");
    if (!str_equal_ignoring_case(str_slice(header, 0, scheme.n), scheme)) return false;
    return same_secret(token, str_trim(str_slice(header, scheme.n, header.n)));
}

static enum status decode_params(struct api_request *request, struct error *err)
{
    for (size_t i = 0; i < ROUTE_PARAMS_MAX && request->param[i].n; i++) {
        str *param = &request->param[i];
        if (!http_decode(*param, false, request->http->arena, param) || !str_is_utf8(*param))
            return fail(err, ST_INVALID, "", "the path is not valid percent-encoded UTF-8");
    }
    return ST_OK;
}

static enum status dispatch(struct api_request *request, struct error *err)
{
    struct http_request *http = request->http;
    str allow;
    request->route = route_find(http->method, http->path, request->param, &allow);
    if (str_equal(http->method, STR("OPTIONS")) &&
        http_header(http, STR("Access-Control-Request-Method")).n) {
        answer_preflight(request);
        return ST_OK;
    }
    if (!may_pass(request))
        return fail(err, ST_UNAUTHORIZED, "", "send the engine's token: Authorization: Bearer …");
    if (request->route) {
        TRY(decode_params(request, err));
        return request->route->handle(request, err);
    }
    if (allow.n) {
        str line = arena_printf(http->arena, "Allow: %.*s\r\n", STR_ARG(allow));
        answer(request, 405, line, STR_NONE);
    } else {
        answer_typed(request, 404, STR("text/plain; charset=utf-8"), STR_NONE, STR("404 page not found"));
    }
    return ST_OK;
}

void api_handle(struct http_request *http, void *context)
{
    struct api_request *request = arena_make(http->arena, struct api_request);
    request->api = context;
    request->http = http;
    http->user = request;
    struct error err = { 0 };
    if (dispatch(request, &err) != ST_OK) answer_error(request, &err);
}

/* Polls come all the time: only those that fail are worth a line. */
static bool worth_logging(const struct api_request *request, int http_status)
{
    if (!request || !request->route || http_status >= 400) return true;
    return request->route->handle != api_jobs_poll && !request->route->free;
}

static void log_request(const struct http_request *http, int64_t took_us)
{
    char method[16], target[512], status[8], took[24], trace[64];
    str parent = http_header(http, STR("traceparent"));
    snprintf(method, sizeof method, "%.*s", STR_ARG(http->method));
    snprintf(target, sizeof target, "%.*s", STR_ARG(http->target));
    snprintf(status, sizeof status, "%d", http->status);
    snprintf(took, sizeof took, "%lld", (long long)took_us);
    snprintf(trace, sizeof trace, "%.*s", STR_ARG(parent));
    log_write(LOG_INFO, "request", "method", method, "target", target, "status", status, "us", took,
              parent.n ? "traceparent" : NULL, trace, NULL);
}

void api_observe(const struct http_request *http, int64_t took_us, void *context)
{
    struct api *api = context;
    const struct api_request *request = http->user;
    metrics_observe(api, request ? request->route : NULL, http->method, http->status, took_us);
    if (api->config.log_requests && worth_logging(request, http->status)) log_request(http, took_us);
}
