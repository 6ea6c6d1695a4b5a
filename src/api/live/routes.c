/* api/live/routes.c — the path of the stream. */
#include "api/live/live_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/live", live_get, MAY_SELF, .takes = TAKES_LAST_EVENT | TAKES_ACTOR,
      .query = "topics draft" },
};

const struct surface live_surface = {
    .prefix = STR_INIT("/api/live"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
