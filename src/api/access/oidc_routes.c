/* api/access/oidc_routes.c — the paths of logins by a provider. */
#include "api/access/oidc_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/oidc/{name}/start", oidc_start, MAY_OPEN, .query = "to challenge state" },
    { "GET", "/api/oidc/{name}/callback", oidc_callback, MAY_OPEN, .any_query = true },
    { "POST", "/api/oidc/{name}/session", oidc_session, MAY_DATA, .body = "code verifier" },
    { "POST", "/api/issuers/{name}/test", oidc_test, MAY_GLOBAL_ADMIN },
};

const struct surface oidc_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_plain,
    .route = routes,
    .route_count = COUNT(routes),
};
