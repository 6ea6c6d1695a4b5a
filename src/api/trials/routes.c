/* api/trials/routes.c — the path of test runs. */
#include "api/trials/trials_int.h"

static const struct api_route routes[] = {
    { "POST", "/api/trials", trials_start },
};

const struct surface trials_surface = {
    .prefix = STR_INIT("/api/trials"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
