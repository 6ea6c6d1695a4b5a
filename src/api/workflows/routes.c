/* api/workflows/routes.c — the paths of /api/workflows. */
#include "api/workflows/workflows_int.h"

static const struct api_route routes[] = {
    { "POST", "/api/workflows", workflows_publish },
    { "GET", "/api/workflows", workflows_list },
    { "POST", "/api/workflows/validate", workflows_validate },
    { "GET", "/api/workflows/drafts", workflows_draft_list },
    { "GET", "/api/workflows/{id}", workflows_get },
    { "GET", "/api/workflows/{id}/versions", workflows_versions },
    { "GET", "/api/workflows/{id}/versions/{version}", workflows_get_version },
    { "GET", "/api/workflows/{id}/draft", workflows_draft_get },
    { "PUT", "/api/workflows/{id}/draft", workflows_draft_save },
    { "DELETE", "/api/workflows/{id}/draft", workflows_draft_remove },
};

const struct surface workflows_surface = {
    .prefix = STR_INIT("/api/workflows"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
