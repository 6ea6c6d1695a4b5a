/* api/routes.c — every path, in one table. The busiest come first. */
#include "api/api_int.h"

static const struct route routes[] = {
    { "POST", "/v1/jobs/poll", api_jobs_poll },
    { "POST", "/v1/jobs/batch", api_jobs_batch },
    { "POST", "/v1/jobs/{id}/complete", api_jobs_complete },
    { "POST", "/v1/jobs/{id}/fail", api_jobs_fail },
    { "POST", "/v1/jobs/{id}/extend", api_jobs_extend },
    { "GET", "/v1/jobs", api_jobs_list },

    { "POST", "/v1/instances", api_instances_start },
    { "GET", "/v1/instances", api_instances_list },
    { "GET", "/v1/instances/reasons", api_instances_reasons },
    { "GET", "/v1/instances/{id}", api_instances_get },
    { "GET", "/v1/instances/{id}/history", api_history_get },
    { "GET", "/v1/instances/{id}/events", api_events_get },
    { "GET", "/v1/instances/{id}/explain", api_instances_explain },
    { "POST", "/v1/instances/{id}/cancel", api_instances_cancel },
    { "POST", "/v1/instances/{id}/modify", api_instances_modify },
    { "POST", "/v1/instances/{id}/signals/{stepId}", api_instances_signal },
    { "POST", "/v1/instances/{id}/retry", api_instances_retry },
    { "POST", "/v1/instances/{id}/steps/{stepId}/retry", api_instances_retry },
    { "POST", "/v1/instances/{id}/user-tasks/{stepId}/complete", api_tasks_complete_step },

    { "POST", "/v1/bulk", api_bulk_begin },
    { "GET", "/v1/bulk", api_bulk_list },
    { "GET", "/v1/bulk/{id}", api_bulk_get },
    { "GET", "/v1/bulk/{id}/results", api_bulk_results },
    { "POST", "/v1/bulk/{id}/cancel", api_bulk_cancel },

    { "POST", "/v1/events", api_events_take, .problems = true },
    { "GET", "/v1/events/unmatched", api_events_unmatched, .problems = true },
    { "POST", "/v1/events/unmatched/{number}/resend", api_events_resend, .problems = true },

    { "GET", "/v1/user-tasks", api_tasks_list },
    { "POST", "/v1/user-tasks/{id}/complete", api_tasks_complete },

    { "POST", "/v1/definitions", api_definitions_upload },
    { "GET", "/v1/definitions", api_definitions_list },
    { "GET", "/v1/definitions/{id}", api_definitions_get },
    { "GET", "/v1/definitions/{id}/versions/{version}", api_definitions_get_version },
    { "POST", "/v1/definitions/{id}/instances", api_instances_start_of },
    { "POST", "/v1/definitions/{id}/signals/{stepId}", api_instances_signal_key },

    { "GET", "/healthz", api_probe_health, .free = true },
    { "GET", "/livez", api_probe_live, .free = true },
    { "GET", "/readyz", api_probe_ready, .free = true },
    { "GET", "/metrics", api_metrics_get },
    { "GET", "/openapi.json", api_openapi_get },
    { "GET", "/schemas/{name}", api_schemas_get, .free = true },
};

size_t route_number(const struct route *route) { return route ? (size_t)(route - routes) + 1 : 0; }

/* Whether the path has the pattern's form; a parameter takes one segment that is not empty. */
static bool fits(const char *pattern, str path, str ret_param[ROUTE_PARAMS_MAX])
{
    size_t at = 0, params = 0;
    for (size_t i = 0; i < ROUTE_PARAMS_MAX; i++) ret_param[i] = STR_NONE;
    while (*pattern) {
        if (*pattern != '{') {
            if (at == path.n || path.p[at] != *pattern) return false;
            at++, pattern++;
            continue;
        }
        size_t begin = at;
        while (at < path.n && path.p[at] != '/') at++;
        if (at == begin) return false;
        ret_param[params++] = str_slice(path, begin, at);
        while (*pattern++ != '}') continue;
    }
    return at == path.n;
}

const struct route *route_find(str method, str path, str ret_param[ROUTE_PARAMS_MAX], str *ret_allow)
{
    bool head = str_equal(method, STR("HEAD"));
    bool get = false, post = false;
    for (size_t i = 0; i < COUNT(routes); i++) {
        if (!fits(routes[i].pattern, path, ret_param)) continue;
        if (str_equal(head ? STR("GET") : method, str_of(routes[i].method))) return &routes[i];
        if (routes[i].method[0] == 'G') get = true;
        else post = true;
    }
    if (get && post) *ret_allow = STR("GET, HEAD, POST");
    else if (get) *ret_allow = STR("GET, HEAD");
    else if (post) *ret_allow = STR("POST");
    else *ret_allow = STR_NONE;
    return NULL;
}
