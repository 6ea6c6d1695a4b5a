/* api/takes.c — what a request may carry: obeyed by the route, refused here, or warned about in the answer.
 *
 * A route lists the parameters of its query and the members of its body, and enum route_takes has parts that
 * many routes share. Headers are in takes_headers.c. A surface whose clients we do not write (`lenient`)
 * answers a request with an unknown parameter or member and says so in X-Pawl-Warning; the others refuse it.
 * A parameter that would change the meaning of an answer, a time or a transaction, is refused everywhere.
 */
#include "api/request_int.h"

#include "json/json.h"

/* A lenient surface looks at no more parameters when its warning is as long as it may be. */
static bool has_warned_enough(const struct api_request *request)
{
    return request->surface->lenient && request_is_warned(request);
}

static size_t count_of(struct api_request *request, str name)
{
    str rest = request->http->query, value;
    size_t count = 0;
    while (query_next(request, name, &rest, &value)) count++;
    return count;
}

static const char *place_of(struct api_request *request, str name)
{
    return arena_printf(request->http->arena, "%.*s", STR_ARG(name)).p;
}

static enum status check_unknown(struct api_request *request, str name, struct error *err)
{
    const struct api_route *route = request->route;
    const char *shown = place_of(request, members_shown_name(name, request->http->arena));
    if (route_is_shared_part(name))
        return fail(err, ST_INVALID, shown, "%s %s does not take %s", route->method, route->pattern, shown);
    if (has_warned_enough(request)) return ST_OK;
    str known = route_query_names(route, request->http->arena);
    if (!request->surface->lenient)
        return fail(err, ST_INVALID, shown, "the parameter %s is unknown; %s %s %.*s", shown, route->method,
                    route->pattern, STR_ARG(known));
    request_warn(request, "the parameter %s is unknown and has no effect; %s %s %.*s", shown, route->method,
                 route->pattern, STR_ARG(known));
    return ST_OK;
}

static enum status check_known(struct api_request *request, str name, str value, bool repeats,
                               struct error *err)
{
    const char *place = place_of(request, name);
    bool is_part = route_is_shared_part(name);
    if (!value.p || (is_part && !value.n))
        return fail(err, ST_INVALID, place, "%s has no value that can be read", place);
    if (repeats || (!is_part && has_warned_enough(request))) return ST_OK;
    size_t count = count_of(request, name);
    if (count > 1 && (is_part || !request->surface->lenient))
        return fail(err, ST_INVALID, place, "%s is there %zu times", place, count);
    if (count > 1) request_warn(request, "%s is there %zu times; the first one counts", place, count);
    return ST_OK;
}

static enum status check_query(struct api_request *request, struct error *err)
{
    str rest = request->http->query, name, value;
    bool repeats;
    while (query_next_pair(request, &rest, &name, &value)) {
        if (!route_takes_query(request->route, name, &repeats)) TRY(check_unknown(request, name, err));
        else TRY(check_known(request, name, value, repeats, err));
    }
    return ST_OK;
}

/* ---- the body ---- */

static bool is_lenient(const struct api_request *request)
{
    return request->surface->lenient && !request->route->exact;
}

struct body_check {
    struct api_request *request;
    enum status status;
    struct error *err;
};

enum status takes_tell_member(struct api_request *request, const struct member_unknown *unknown,
                              struct error *err)
{
    if (!is_lenient(request))
        return fail(err, ST_INVALID, unknown->place, "the member %s of the body is unknown; %s",
                    unknown->place, unknown->advice);
    request_warn(request, "the member %s of the body is unknown and has no effect; %s", unknown->place,
                 unknown->advice);
    return ST_OK;
}

static bool tell_member(void *context, const struct member_unknown *unknown)
{
    struct body_check *check = context;
    check->status = takes_tell_member(check->request, unknown, check->err);
    return check->status == ST_OK && !request_is_warned(check->request);
}

enum status takes_check_body(struct api_request *request, const struct json *body, struct error *err)
{
    struct body_check check = { .request = request, .err = err };
    if (request->route->body)
        members_check(body, request->route->body, request->http->arena, tell_member, &check);
    return check.status;
}

/* Says nothing: white space, null, or an object without members. */
static bool is_nothing(str body)
{
    body = str_trim(body);
    if (body.n >= 2 && body.p[0] == '{' && body.p[body.n - 1] == '}')
        return !str_trim(str_slice(body, 1, body.n - 1)).n;
    return !body.n || str_equal(body, STR("null"));
}

/* Refuses a body, or warns about it, if the route takes none. */
static enum status check_no_body(struct api_request *request, struct error *err)
{
    const struct api_route *route = request->route;
    if (route->body || route->any_body || is_nothing(request->http->body)) return ST_OK;
    if (!is_lenient(request))
        return fail(err, ST_INVALID, "body", "%s %s takes no body", route->method, route->pattern);
    request_warn(request, "the body has no effect; %s %s takes none", route->method, route->pattern);
    return ST_OK;
}

enum status takes_check(struct api_request *request, struct error *err)
{
    const struct api_route *route = request->route;
    if (route->any_query) return ST_OK;
    TRY(takes_check_headers(request, err));
    TRY(check_no_body(request, err));
    return check_query(request, err);
}
