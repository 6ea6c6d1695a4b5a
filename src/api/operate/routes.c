/* api/operate/routes.c — the paths of those who operate the engine. */
#include "api/operate/operate_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/overview", operate_overview },
    { "GET", "/api/series", operate_series },
    { "GET", "/api/workers", operate_workers },
    { "GET", "/api/instances", operate_runs,
      .query = "status definitionId version dialect businessKey reason failedAt waitingAt waitingFor "
               "startedAfter startedBefore keyword pageSize cursor" },
    { "GET", "/api/instances/groups", operate_runs_groups,
      .query = "status definitionId version dialect businessKey reason failedAt waitingAt waitingFor "
               "startedAfter startedBefore keyword" },
    { "GET", "/api/instances/{id}", operate_run },
    { "GET", "/api/instances/{id}/visits", operate_visits, .query = "pageSize cursor" },
    { "GET", "/api/instances/{id}/visits/{number}", operate_visit },
};

const struct surface operate_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
