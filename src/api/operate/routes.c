/* api/operate/routes.c — the paths of those who operate the engine. */
#include "api/operate/operate_int.h"
#include "api/v1/v1_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/overview", operate_overview, MAY_METRICS_READ },
    { "GET", "/api/series", operate_series, MAY_METRICS_READ },
    { "GET", "/api/workers", operate_workers, MAY_METRICS_READ },
    { "GET", "/api/locks", operate_locks, MAY_INSTANCES_READ, .query = "name pageSize cursor" },
    { "GET", "/api/instances", operate_runs, MAY_INSTANCES_READ,
      .query =
          "status definitionId version dialect businessKey reason reasonContains failedAt waitingAt step "
          "waitingFor startedAfter startedBefore keyword pageSize cursor" },
    { "GET", "/api/instances/groups", operate_runs_groups, MAY_INSTANCES_READ,
      .query =
          "status definitionId version dialect businessKey reason reasonContains failedAt waitingAt step "
          "waitingFor startedAfter startedBefore keyword" },
    { "GET", "/api/instances/{id}", operate_run, MAY_INSTANCES_READ },
    { "GET", "/api/instances/{id}/visits", operate_visits, MAY_INSTANCES_READ,
      .query = "pageSize cursor order" },
    { "GET", "/api/instances/{id}/visits/{number}", operate_visit, MAY_INSTANCES_READ },
    { "POST", "/api/migrations", v1_migrations_begin, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY | TAKES_ACTOR,
      .exact = true,
      .body = "definitionId from to map retry reason by dryRun "
              "where(status businessKey businessKeyPrefix reason reasonContains step startedBefore "
              "startedAfter ids)" },
};

const struct surface operate_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
