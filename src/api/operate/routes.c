/* api/operate/routes.c — the paths of those who operate the engine. */
#include "api/operate/operate_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/overview", operate_overview },
    { "GET", "/api/series", operate_series },
    { "GET", "/api/workers", operate_workers },
    { "GET", "/api/instances", operate_runs },
    { "GET", "/api/instances/groups", operate_run_groups },
    { "GET", "/api/instances/{id}", operate_run },
    { "GET", "/api/instances/{id}/visits", operate_visits },
    { "GET", "/api/instances/{id}/visits/{number}", operate_visit },
};

const struct surface operate_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
