/* api/events/routes.c — the paths of CloudEvents. */
#include "api/events/events_int.h"
#include "api/route_int.h"

static const struct api_route routes[] = {
    { "POST", "/v1/events", events_take, MAY_EVENTS_SEND, .takes = TAKES_KEY | TAKES_CLOUD_EVENT,
      .read = events_read, .any_body = true, .query = "wait" },
    { "GET", "/v1/events/unmatched", events_unmatched, MAY_INSTANCES_READ, .query = "pageSize cursor" },
    { "POST", "/v1/events/unmatched/{number}/resend", events_resend, MAY_INSTANCES_OPERATE,
      .takes = TAKES_KEY, .query = "wait" },
};

const struct surface events_surface = {
    .prefix = STR_INIT("/v1/events"),
    .errors = &error_problem,
    .lenient = true,
    .route = routes,
    .route_count = COUNT(routes),
};
