/* api/trials/routes.c — the paths of test runs and of tests made of runs. */
#include "api/trials/trials_int.h"

static const struct api_route routes[] = {
    { "POST", "/api/trials", trials_start, MAY_DEFINITIONS_WRITE,
      .body = "document text others input trigger answers(node after decision variables transition item "
              "repeat) pins "
              "events unanswered seed" },
    { "GET", "/api/instances/{id}/scenario", trials_scenario, MAY_INSTANCES_READ },
};

const struct surface trials_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
