/* api/definitions/routes.c — the paths about definitions and documents. */
#include "api/definitions/definitions_int.h"
#include "api/workflows/workflows_int.h"

static const struct api_route routes[] = {
    { "POST", "/api/checks", workflows_validate, .read = request_read_text },
    { "POST", "/api/pictures", definitions_draw, .read = request_read_text },
    { "GET", "/api/templates", definitions_templates },
    { "POST", "/api/ticks", definitions_ticks_of },
    { "GET", "/api/tables", definitions_tables },
    { "POST", "/api/tables/try", definitions_try_table },
    { "GET", "/api/triggers/{definition}/{trigger}/ticks", definitions_ticks },
    { "GET", "/api/definitions/{id}/compare", definitions_compare },
    { "GET", "/api/definitions", definitions_list },
    { "GET", "/api/definitions/{id}", definitions_get },
    { "GET", "/api/definitions/{id}/versions/{version}/picture", definitions_picture },
};

const struct surface definitions_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
