/* api/hooks/routes.c — the paths of webhooks, triggers and arrivals. */
#include "api/hooks/hooks_int.h"

/* A webhook is behind /hooks with the path that its trigger names, and proves itself what it asks for. */
static const struct api_route hook_routes[] = {
    { "POST", "/hooks/{path*}", hooks_take, MAY_DATA, .read = hooks_read, .any_query = true,
      .any_type = true },
    { "GET", "/hooks/{path*}", hooks_take, MAY_DATA, .read = hooks_read, .any_query = true,
      .any_type = true },
    { "PUT", "/hooks/{path*}", hooks_take, MAY_DATA, .read = hooks_read, .any_query = true,
      .any_type = true },
    { "DELETE", "/hooks/{path*}", hooks_take, MAY_DATA, .read = hooks_read, .any_query = true,
      .any_type = true },
};

const struct surface hooks_surface = {
    .prefix = STR_INIT("/hooks/"),
    .errors = &error_plain,
    .route = hook_routes,
    .route_count = COUNT(hook_routes),
};

static const struct api_route trigger_routes[] = {
    { "GET", "/api/triggers", hooks_list_triggers, MAY_DEFINITIONS_READ,
      .query = "definitionId keyword pageSize cursor" },
    { "POST", "/api/triggers/{definition}/{trigger}/pause", hooks_pause, MAY_TRIGGERS_OPERATE,
      .body = "reason" },
    { "POST", "/api/triggers/{definition}/{trigger}/resume", hooks_resume, MAY_TRIGGERS_OPERATE },
    { "POST", "/api/triggers/{definition}/{trigger}/fire", hooks_fire, MAY_TRIGGERS_OPERATE,
      .takes = TAKES_KEY | TAKES_ACTOR, .any_body = true, .query = "isTest" },
    { "GET", "/api/arrivals", hooks_list_arrivals, MAY_INSTANCES_READ,
      .query = "definitionId trigger outcome pageSize cursor" },
    { "POST", "/api/engine/pause", hooks_pause_engine, MAY_GLOBAL_ADMIN },
    { "POST", "/api/engine/resume", hooks_resume_engine, MAY_GLOBAL_ADMIN },
};

const struct surface hooks_trigger_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_plain,
    .route = trigger_routes,
    .route_count = COUNT(trigger_routes),
};
