/* api/connections/routes.c — the paths of connections. No answer ever holds a value. */
#include "api/connections/connections_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/connections", connections_list, MAY_SECRETS_USE },
    { "POST", "/api/connections/{name}/test", connections_test, MAY_SECRETS_USE, .body = "kind to" },
};

const struct surface connections_surface = {
    .prefix = STR_INIT("/api/connections"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
