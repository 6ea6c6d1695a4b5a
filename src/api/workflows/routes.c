/* api/workflows/routes.c — the paths of /api/workflows. */
#include "api/v1/v1_int.h"
#include "api/workflows/workflows_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/node-types", workflows_node_types, MAY_DEFINITIONS_READ },
    { "POST", "/api/workflows", workflows_publish, MAY_DEFINITIONS_WRITE, .takes = TAKES_KEY | TAKES_ACTOR,
      .query = "revision", .read = request_read_text, .any_body = true },
    { "GET", "/api/workflows", workflows_list, MAY_DEFINITIONS_READ, .query = "page pageSize keyword" },
    { "POST", "/api/workflows/validate", workflows_validate, MAY_DEFINITIONS_READ, .read = request_read_text,
      .any_body = true },
    { "GET", "/api/workflows/drafts", workflows_draft_list, MAY_DEFINITIONS_WRITE,
      .query = "pageSize after" },
    { "GET", "/api/runs/{id}", workflows_run, MAY_INSTANCES_READ },
    { "GET", "/api/runs/{id}/history", v1_history_get, MAY_INSTANCES_READ, .takes = TAKES_LAST_EVENT,
      .query = "attempts pageSize cursor order" },
    { "GET", "/api/runs/{id}/explain", v1_instances_explain, MAY_INSTANCES_READ },
    { "GET", "/api/runs/{id}/events", v1_events_get, MAY_INSTANCES_READ, .takes = TAKES_LAST_EVENT },
    { "GET", "/api/runs/{id}/trace", workflows_trace, MAY_INSTANCES_READ, .query = "cursor" },
    { "GET", "/api/workflows/{id}", workflows_get, MAY_DEFINITIONS_READ },
    { "POST", "/api/workflows/{id}/start", workflows_start, MAY_INSTANCES_START,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "wait", .body = "input trigger isTest businessKey version" },
    { "GET", "/api/workflows/{id}/runs", workflows_runs, MAY_INSTANCES_READ,
      .query = "pageSize cursor status" },
    { "POST", "/api/workflows/{id}/resume", workflows_resume, MAY_TASKS_OWN,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS, .any_body = true },
    { "POST", "/api/workflows/{id}/cancel", workflows_cancel, MAY_INSTANCES_OPERATE,
      .takes = TAKES_KEY | TAKES_ACTOR, .body = "reason failedToo" },
    { "POST", "/api/workflows/{id}/replay", workflows_replay, MAY_INSTANCES_START,
      .takes = TAKES_KEY | TAKES_ACTOR, .body = "isTest" },
    { "GET", "/api/workflows/{id}/versions", workflows_versions, MAY_DEFINITIONS_READ,
      .query = "pageSize before" },
    { "GET", "/api/workflows/{id}/versions/{version}", workflows_get_version, MAY_DEFINITIONS_READ },
    { "GET", "/api/workflows/{id}/draft", workflows_draft_get, MAY_DEFINITIONS_WRITE },
    { "PUT", "/api/workflows/{id}/draft", workflows_draft_save, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_MATCH | TAKES_NONE_MATCH, .any_body = true },
    { "DELETE", "/api/workflows/{id}/draft", workflows_draft_remove, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY | TAKES_MATCH },
};

const struct surface workflows_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
