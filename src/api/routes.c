/* api/routes.c — every surface of the API, and the operator's own, which has no folder. */
#include "api/route_int.h"

static const struct api_route operator_routes[] = {
    { "GET", "/healthz", probes_health, MAY_OPEN, .probe = true, .quiet = true },
    { "GET", "/livez", probes_live, MAY_OPEN, .probe = true, .quiet = true },
    { "GET", "/readyz", probes_ready, MAY_OPEN, .probe = true, .quiet = true },
    { "GET", "/metrics", metrics_get, MAY_METRICS_READ },
    { "GET", "/openapi.json", openapi_get, MAY_OPEN },
    { "GET", "/docs", docs_enter, MAY_OPEN, .quiet = true, .any_query = true },
    { "GET", "/docs/", docs_index, MAY_OPEN, .quiet = true, .any_query = true },
    { "GET", "/docs/{page}", docs_get, MAY_OPEN, .quiet = true, .any_query = true },
    { "GET", "/llms.txt", pages_llms, MAY_OPEN },
    { "GET", "/.well-known/oauth-protected-resource", mcp_metadata, MAY_OPEN },
    { "GET", "/.well-known/oauth-protected-resource/mcp", mcp_metadata, MAY_OPEN },
    { "GET", "/forms.css", forms_style, MAY_OPEN, .quiet = true },
    { "GET", "/schemas/{name}", schemas_get, MAY_OPEN, .quiet = true },
};

static const struct surface operator_surface = {
    .prefix = STR_INIT("/"),
    .errors = &error_plain,
    .lenient = true,
    .route = operator_routes,
    .route_count = COUNT(operator_routes),
};

/* The busiest come first. */
const struct surface *const routes_all[] = { &v1_surface,
                                             &events_surface,
                                             &entity_compute_surface,
                                             &workflows_surface,
                                             &definitions_surface,
                                             &secrets_surface,
                                             &connections_surface,
                                             &tasks_surface,
                                             &entity_surface,
                                             &entity_model_surface,
                                             &entity_audit_surface,
                                             &entity_search_surface,
                                             &entity_platform_surface,
                                             &entity_help_surface,
                                             &entity_health_surface,
                                             &operate_surface,
                                             &hooks_surface,
                                             &hooks_trigger_surface,
                                             &forms_surface,
                                             &live_surface,
                                             &trials_surface,
                                             &oidc_surface,
                                             &oidc_cyoda_surface,
                                             &access_surface,
                                             &ui_surface,
                                             &mcp_surface,
                                             &operator_surface,
                                             NULL };
