/* api/mcp/routes.c — the path of agents. */
#include "api/mcp/mcp_int.h"

/* Anybody who is known may ask. Each tool makes requests, and these need the permissions of their routes. */
static const struct api_route routes[] = {
    { "POST", "/mcp", mcp_take, MAY_SELF, .read = mcp_read, .any_body = true,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS },
};

const struct surface mcp_surface = {
    .prefix = STR_INIT("/mcp"),
    .errors = &mcp_errors,
    .lenient = true,
    .route = routes,
    .route_count = COUNT(routes),
};
