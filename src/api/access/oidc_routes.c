/* api/access/oidc_routes.c — the paths of logins by a provider, and those of tokens for clients of cyoda. */
#include "api/access/oidc_int.h"
#include "api/entity/entity_int.h"

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

static const struct api_route cyoda_routes[] = {
    { "POST", "/api/oauth/token", oauth_token, MAY_DATA, .read = request_read_text, .any_body = true },
    { "GET", "/api/.well-known/jwks.json", signing_jwks, MAY_OPEN },
    { "GET", "/api/clients", clients_list, MAY_ACCESS_ADMIN },
    { "POST", "/api/clients", clients_create, MAY_ACCESS_ADMIN, .query = "withAdminRole" },
    { "DELETE", "/api/clients/{clientId}", clients_remove, MAY_ACCESS_ADMIN },
    { "PUT", "/api/clients/{clientId}/secret", clients_reset_secret, MAY_ACCESS_ADMIN },
};

const struct surface oidc_cyoda_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &entity_errors,
    .lenient = true,
    .route = cyoda_routes,
    .route_count = COUNT(cyoda_routes),
};
