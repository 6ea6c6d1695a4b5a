/* api/definitions/routes.c — the paths about definitions and documents. */
#include "api/definitions/definitions_int.h"
#include "api/workflows/workflows_int.h"

static const struct api_route routes[] = {
    { "POST", "/api/checks", workflows_validate, MAY_DEFINITIONS_READ, .read = request_read_text,
      .any_body = true },
    { "POST", "/api/apply", definitions_apply, MAY_DEFINITIONS_WRITE, .large = true, .takes = TAKES_ACTOR,
      .query = "dryRun changes revision",
      .body = "documents(file text document format) prune triggers(definition trigger state reason file) "
              "access(file remove(kind name tenant)) expected" },
    { "POST", "/api/pictures", definitions_draw, MAY_DEFINITIONS_READ, .read = request_read_text,
      .any_body = true, .query = "layout" },
    { "GET", "/api/templates", definitions_templates, MAY_DEFINITIONS_READ },
    { "POST", "/api/ticks", definitions_ticks_of, MAY_DEFINITIONS_READ, .query = "count zone",
      .body = "cronExpression cron timeZone timezone scheduleMode intervalValue intervalUnit" },
    { "GET", "/api/tables", definitions_tables, MAY_DEFINITIONS_READ, .query = "keyword pageSize cursor" },
    { "POST", "/api/tables/try", definitions_try_table, MAY_DEFINITIONS_READ,
      .body = "table rows(variables)" },
    { "GET", "/api/triggers/{definition}/{trigger}/ticks", definitions_ticks, MAY_DEFINITIONS_READ,
      .query = "count zone" },
    { "GET", "/api/definitions/{id}/compare", definitions_compare, MAY_DEFINITIONS_READ, .query = "from to" },
    { "GET", "/api/tools", definitions_agent_tools, MAY_INSTANCES_START, .query = "tool pageSize cursor" },
    { "GET", "/api/definitions", definitions_list, MAY_DEFINITIONS_READ,
      .query = "keyword dialect warnings pageSize cursor" },
    { "GET", "/api/definitions/{id}", definitions_get, MAY_DEFINITIONS_READ },
    { "DELETE", "/api/definitions/{id}", definitions_delete, MAY_DEFINITIONS_WRITE, .takes = TAKES_KEY,
      .query = "with" },
    { "POST", "/api/definitions/{id}/retire", definitions_retire, MAY_DEFINITIONS_WRITE, .takes = TAKES_KEY },
    { "POST", "/api/definitions/{id}/versions/{version}/restore", definitions_restore, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "revision" },
    { "GET", "/api/definitions/{id}/versions/{version}/picture", definitions_picture, MAY_DEFINITIONS_READ,
      .query = "layout" },
};

const struct surface definitions_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
