/* api/definitions/routes.c — the paths about definitions and documents. */
#include "api/definitions/definitions_int.h"
#include "api/workflows/workflows_int.h"

static const struct api_route routes[] = {
    { "POST", "/api/checks", workflows_validate, .read = request_read_text, .any_body = true },
    { "POST", "/api/pictures", definitions_draw, .read = request_read_text, .any_body = true,
      .query = "layout" },
    { "GET", "/api/templates", definitions_templates },
    { "POST", "/api/ticks", definitions_ticks_of, .query = "count zone",
      .body = "cronExpression cron timeZone timezone scheduleMode intervalValue intervalUnit" },
    { "GET", "/api/tables", definitions_tables, .query = "keyword pageSize cursor" },
    { "POST", "/api/tables/try", definitions_try_table, .body = "table rows(variables)" },
    { "GET", "/api/triggers/{definition}/{trigger}/ticks", definitions_ticks, .query = "count zone" },
    { "GET", "/api/definitions/{id}/compare", definitions_compare, .query = "from to" },
    { "GET", "/api/definitions", definitions_list, .query = "keyword dialect warnings pageSize cursor" },
    { "GET", "/api/definitions/{id}", definitions_get },
    { "GET", "/api/definitions/{id}/versions/{version}/picture", definitions_picture, .query = "layout" },
};

const struct surface definitions_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
