/* api/ui/routes.c — the paths of the web application, and the way to it.
 *
 * They need no secret: the files say nothing about this engine, and the application asks for the secret.
 */
#include "api/ui/ui_int.h"

static const struct api_route routes[] = {
    { "GET", "/ui/", ui_get, MAY_OPEN, .quiet = true, .any_query = true },
    { "GET", "/ui/{path*}", ui_get, MAY_OPEN, .quiet = true, .any_query = true },
    { "GET", "/ui", ui_enter, MAY_OPEN, .quiet = true, .any_query = true },
    { "GET", "/", ui_root, MAY_OPEN, .quiet = true, .any_query = true },
    { "POST", "/", ui_root, MAY_OPEN, .any_query = true },
    { "PUT", "/", ui_root, MAY_OPEN, .any_query = true },
    { "PATCH", "/", ui_root, MAY_OPEN, .any_query = true },
    { "DELETE", "/", ui_root, MAY_OPEN, .any_query = true },
};

const struct surface ui_surface = {
    .prefix = STR_INIT("/"),
    .errors = &error_plain,
    .route = routes,
    .route_count = COUNT(routes),
};
