/* api/gate.c — who may ask, decided by a request's head alone, before its body is read.
 *
 *     Host that is not ours       421   (a page of another name that was pointed at this machine)
 *     Origin that is not listed   403   (a page of another site)
 *     two credentials             400
 *     a credential that is no good, or none where one is asked for    401   (probes and preflights are free)
 *     a permission is missing     403   (access/identify.c)
 *     path, method or tenant unknown    404, 405
 *     a call of gRPC              the same, as its statuses
 *     a page's body whose type any page may send    415
 *
 * A browser sends Host always and Origin with everything that a page of another site could abuse, so these
 * two keep pages away from an engine without a secret. Where a secret is asked for, any Host will do: no page
 * has the secret. Clients that are no browsers send no Origin, and nothing here concerns them.
 */
#include "api/access/access_int.h"
#include "api/answer_int.h"
#include "api/entity/entity_int.h"
#include "api/events/events_int.h"
#include "api/forms/forms_int.h"
#include "api/grpc/services_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

#include "runtime/call/call.h"
#include "runtime/call/cloud_event.h"

#include <arpa/inet.h>

/* ---- the host ---- */

/* Without its port, and without the brackets of an IPv6 address. */
static str host_name(str host)
{
    if (host.n && host.p[0] == '[') return str_slice(host, 1, str_find(host, STR("]"), 0));
    return str_slice(host, 0, str_find(host, STR(":"), 0));
}

static bool is_loopback(str name)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr four;
    struct in6_addr six;
    /* Nearly all clients say one of these. */
    if (str_equal(name, STR("127.0.0.1")) || str_equal_ignoring_case(name, STR("localhost"))) return true;
    if (!name.n || name.n >= sizeof text) return false;
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    if (inet_pton(AF_INET, text, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, text, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

static bool is_listed(const str *list, size_t count, str text)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_ignoring_case(list[i], text)) return true;
    return false;
}

static enum status check_host(const struct api_request *request, struct error *err)
{
    const struct api_config *config = &request->api->config;
    str host = http_header(request->http, STR("Host"));
    if (directory_is_closed(request->api->directory) || !host.n) return ST_OK;
    str name = host_name(host);
    if (is_loopback(name) || str_equal_ignoring_case(name, host_name(config->listen_host)) ||
        is_listed(config->host, config->host_count, name))
        return ST_OK;
    return fail(err, ST_MISDIRECTED, "Host",
                "this engine does not serve the host \"%.*s\"; start it with --host %.*s if it should",
                STR_ARG(name), STR_ARG(name));
}

/* ---- the origin ---- */

/* Is it a page that this engine's own address gave? The scheme is the browser's business. */
static bool is_same_origin(const struct api_request *request, str origin)
{
    size_t mark = str_find(origin, STR("://"), 0);
    if (mark == SIZE_MAX) return false;
    str host = http_header(request->http, STR("Host"));
    return host.n && str_equal_ignoring_case(str_slice(origin, mark + 3, origin.n), host);
}

static enum status check_origin(struct api_request *request, struct error *err)
{
    const struct api_config *config = &request->api->config;
    str origin = http_header(request->http, STR("Origin"));
    if (!origin.n) return ST_OK;
    if (is_listed(config->origin, config->origin_count, origin)) request->allowed_origin = origin;
    else if (is_listed(config->origin, config->origin_count, STR("*"))) request->allowed_origin = STR("*");
    else if (!is_same_origin(request, origin))
        return fail(
            err, ST_FORBIDDEN, "Origin",
            "pages of \"%.*s\" may not use this engine; start it with --cors-origin %.*s if they should",
            STR_ARG(origin), STR_ARG(origin));
    return ST_OK;
}

/* ---- the body's type ---- */

static bool is_yaml_or_xml(str type)
{
    static const str names[] = { STR_INIT("application/yaml"), STR_INIT("application/x-yaml"),
                                 STR_INIT("text/yaml"),        STR_INIT("text/x-yaml"),
                                 STR_INIT("application/xml"),  STR_INIT("text/xml") };
    return is_listed(names, COUNT(names), type);
}

/* Types that a form can send need no preflight, so a browser lets every page send them. */
static enum status check_type(const struct api_request *request, struct error *err)
{
    if (!request->http->has_body || request->route->any_type || !http_header(request->http, STR("Origin")).n)
        return ST_OK;
    str type = request_media_type(request);
    if (cloud_event_type_is_json(type) || is_yaml_or_xml(type) || cloud_binary_is(request->http))
        return ST_OK;
    return fail(err, ST_UNSUPPORTED, "Content-Type",
                "a page's request must say what its body is: application/json, application/yaml, "
                "application/xml or another type in JSON, not \"%.*s\"",
                STR_ARG(type));
}

/* All requests in memory share one budget, so that a longer body takes nothing that others were promised. */
static enum status allow_length(struct api_request *request, struct error *err)
{
    const struct limits *limits = &request->api->config.limits;
    int64_t bytes, max = limits->entity_body_bytes_max;
    if (max < limits->body_bytes_max) max = limits->body_bytes_max;
    request->http->body_bytes_max = max;
    if (!str_to_int64(http_header(request->http, STR("Content-Length")), &bytes) || bytes <= max)
        return ST_OK;
    return fail_code(err, ST_LIMIT, "BAD_REQUEST",
                     "the body has %lld bytes; the most is %lld (entity_body_bytes_max)", (long long)bytes,
                     (long long)max);
}

static const char *name_of_length(const struct api_request *request)
{
    if (!request->http->body_bytes_max) return "body_bytes_max";
    if (request->route && request->route->large) return "entity_body_bytes_max";
    bool is_of_anybody = request->http->body_bytes_max <= request->api->config.limits.hook_body_bytes_max;
    return is_of_anybody ? "hook_body_bytes_max" : "FORM_BODY_BYTES_MAX";
}

/* A webhook's body is small, because it needs no secret. One that announces more is refused before it is
 * read. */
static enum status check_length(struct api_request *request, struct error *err)
{
    int64_t bytes;
    str length = http_header(request->http, STR("Content-Length"));
    if (request->route->large) return allow_length(request, err);
    if (request->route->needs != MAY_DATA) return ST_OK;
    int64_t max = forms_body_max(request);
    if (max < request->api->config.limits.body_bytes_max) request->http->body_bytes_max = max;
    else max = request->api->config.limits.body_bytes_max;
    if (!str_to_int64(length, &bytes) || bytes <= max) return ST_OK;
    return fail(err, ST_LIMIT, "", "the body has %lld bytes; the most is %lld (%s)", (long long)bytes,
                (long long)max, name_of_length(request));
}

/* ---- the gate ---- */

static bool is_preflight(const struct api_request *request)
{
    return request->allowed_origin.n && str_equal(request->http->method, STR("OPTIONS")) &&
           http_header(request->http, STR("Access-Control-Request-Method")).n;
}

static enum status check(struct api_request *request, struct error *err)
{
    /* The gate of another node has let it in. */
    bool is_let_in = request->http->is_local;
    if (!is_let_in) TRY(check_host(request, err));
    if (!is_let_in) TRY(check_origin(request, err));
    request->preflight = is_preflight(request);
    if (request->preflight) {
        /* It asks about a request that is still to come: nothing of that one runs now. */
        request->route = NULL;
        request->method = NULL;
        return ST_OK;
    }
    TRY(access_identify(request, err));
    if (!request->unresolved) TRY(access_authorize(request, err));
    if (!request->route) return ST_OK;
    TRY(check_length(request, err));
    return check_type(request, err);
}

static void find_route(struct api_request *request)
{
    struct route_match match;
    struct http_request *http = request->http;
    str context = request->api->config.context_path;
    if (context.n && entity_is_below(http->path, context))
        http->path =
            arena_printf(http->arena, "/api%.*s", STR_ARG(str_slice(http->path, context.n, http->path.n)));
    route_find(routes_all, http->method, http->path, http->arena, &match);
    if (!match.route && !match.allow.n && request->api->config.hooks_at_root)
        route_find(routes_all, http->method, arena_printf(http->arena, "/hooks%.*s", STR_ARG(http->path)),
                   http->arena, &match);
    if (!request->api->config.mcp && str_equal(http->path, STR("/mcp"))) match = (struct route_match){ 0 };
    request->surface = match.surface ? match.surface : entity_surface_of(http->path);
    request->route = match.route;
    request->route_number = match.number;
    request->allow = match.allow;
    memcpy(request->param, match.param, sizeof match.param);
}

enum http_verdict api_gate(struct http_request *http, void *context)
{
    struct api_request *request = arena_make(http->arena, struct api_request);
    struct error err;
    request->api = context;
    request->http = http;
    http->user = request;
    request->calls = grpc_is_call(http);
    enum status status = identify_take_prefix(request, &err);
    if (request->calls) request->method = services_find(http->path, &request->service);
    else find_route(request);
    if (status == ST_OK) status = check(request, &err);
    if (status != ST_OK) {
        request->refusal = arena_alloc(http->arena, sizeof err);
        memcpy(request->refusal, &err, sizeof err);
        return HTTP_TAKE_HEAD;
    }
    if (request->method) return HTTP_TAKE_PIECES;
    if (!request->route) return HTTP_TAKE_HEAD;
    /* A client without the secret may ask, but its body is not kept. */
    if (request->route->needs == MAY_OPEN && http->has_body) return HTTP_TAKE_HEAD;
    return request->route->probe ? HTTP_TAKE_ALWAYS : HTTP_TAKE;
}

/* A body that comes in chunks does not announce how large it is. */
bool api_large_body(struct http_request *http, struct arena *arena, void *context, str *ret_type,
                    str *ret_body)
{
    struct api_request *request = http->user;
    const struct api *api = context;
    struct error err;
    if (!request || request->calls || !request->surface) return false;
    int64_t max = http->body_bytes_max ? http->body_bytes_max : api->config.limits.body_bytes_max;
    fail_code(&err, ST_LIMIT, "BAD_REQUEST", "the body has more than %lld bytes, which is the most (%s)",
              (long long)max, name_of_length(request));
    *ret_body = answer_error_body(request, &err, arena);
    *ret_type = request->surface->errors->media_type;
    return true;
}

str api_refusal_headers(struct http_request *http, void *context)
{
    (void)context;
    return http->user ? answer_lines(http->user) : STR_NONE;
}
