/* api/takes.c — what a request may carry whatever its path is: obeyed by the route, or refused here. */
#include "api/request_int.h"

static const struct {
    enum route_takes bit;
    str name;
} query_parts[] = {
    { TAKES_TIME, STR_INIT("pointInTime") },
    { TAKES_TRANSACTION, STR_INIT("transactionId") },
};

/* How often the parameter is in the query, whatever its value. */
static size_t count_of(str query, str name)
{
    size_t count = 0;
    while (query.n) {
        size_t end = str_find(query, STR("&"), 0);
        str part = str_slice(query, 0, end);
        count += str_equal(str_slice(part, 0, str_find(part, STR("="), 0)), name);
        query = end == SIZE_MAX ? STR_NONE : str_slice(query, end + 1, query.n);
    }
    return count;
}

static enum status check_query(const struct api_request *request, struct error *err)
{
    const struct api_route *route = request->route;
    str value;
    for (size_t i = 0; i < COUNT(query_parts) && request->http->query.n; i++) {
        const char *name = query_parts[i].name.p;
        size_t count = count_of(request->http->query, query_parts[i].name);
        if (!count) continue;
        if (!(route->takes & query_parts[i].bit))
            return fail(err, ST_INVALID, name, "%s %s does not take %s", route->method, route->pattern, name);
        if (count > 1) return fail(err, ST_INVALID, name, "%s is there %zu times", name, count);
        if (!http_query(request->http, query_parts[i].name, &value) || !value.n)
            return fail(err, ST_INVALID, name, "%s has no value that can be read", name);
    }
    return ST_OK;
}

enum status takes_fail_token(const char *name, struct error *err)
{
    return fail(err, ST_INVALID, name,
                "this request cannot be a part of a processor's transaction; send it without %s", name);
}

enum status takes_check(struct api_request *request, struct error *err)
{
    const struct api_route *route = request->route;
    if (route->open || route->free) return ST_OK;
    if (!(route->takes & TAKES_TOKEN) && http_header(request->http, STR("X-Tx-Token")).n)
        return takes_fail_token("X-Tx-Token", err);
    return check_query(request, err);
}
