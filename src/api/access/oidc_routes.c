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

#define PROVIDER "issuers expectedAudiences rolesClaim"

static const struct api_route cyoda_routes[] = {
    { "POST", "/api/oauth/token", oauth_token, MAY_DATA, .read = request_read_text, .any_body = true },
    { "GET", "/api/.well-known/jwks.json", signing_jwks, MAY_OPEN },
    { "GET", "/api/clients", clients_list, MAY_ACCESS_ADMIN },
    { "POST", "/api/clients", clients_create, MAY_ACCESS_ADMIN, .query = "withAdminRole" },
    { "DELETE", "/api/clients/{clientId}", clients_remove, MAY_ACCESS_ADMIN },
    { "PUT", "/api/clients/{clientId}/secret", clients_reset_secret, MAY_ACCESS_ADMIN },

    { "GET", "/api/oauth/oidc/providers", providers_list, MAY_SELF, .query = "activeOnly" },
    { "POST", "/api/oauth/oidc/providers", providers_register, MAY_ACCESS_ADMIN,
      .body = "wellKnownConfigUri " PROVIDER },
    { "POST", "/api/oauth/oidc/providers/reload", providers_reload, MAY_ACCESS_ADMIN },
    { "PATCH", "/api/oauth/oidc/providers/{id}", providers_change, MAY_ACCESS_ADMIN, .body = PROVIDER },
    { "DELETE", "/api/oauth/oidc/providers/{id}", providers_remove, MAY_ACCESS_ADMIN },
    { "POST", "/api/oauth/oidc/providers/{id}/invalidate", providers_invalidate, MAY_ACCESS_ADMIN },
    { "POST", "/api/oauth/oidc/providers/{id}/reactivate", providers_reactivate, MAY_ACCESS_ADMIN,
      .body = "reactivateKeys" },

    { "GET", "/api/oauth/keys/trusted", trusted_list, MAY_ACCESS_ADMIN },
    { "POST", "/api/oauth/keys/trusted", trusted_register, MAY_ACCESS_ADMIN,
      .body = "keyId jwk audience issuers validFrom validTo invalidatePrevious invalidateGracePeriodSec" },
    { "DELETE", "/api/oauth/keys/trusted/{keyId}", trusted_remove, MAY_ACCESS_ADMIN },
    { "POST", "/api/oauth/keys/trusted/{keyId}/invalidate", trusted_invalidate, MAY_ACCESS_ADMIN,
      .body = "gracePeriodSec" },
    { "POST", "/api/oauth/keys/trusted/{keyId}/reactivate", trusted_reactivate, MAY_ACCESS_ADMIN,
      .body = "validFrom validTo" },

    { "POST", "/api/oauth/keys/keypair", key_pairs_issue, MAY_GLOBAL_ADMIN,
      .body = "algorithm audience validFrom validTo invalidateCurrent invalidateGracePeriodSec" },
    { "GET", "/api/oauth/keys/keypair/current", key_pairs_current, MAY_GLOBAL_ADMIN, .query = "audience" },
    { "DELETE", "/api/oauth/keys/keypair/{keyId}", key_pairs_remove, MAY_GLOBAL_ADMIN },
    { "POST", "/api/oauth/keys/keypair/{keyId}/invalidate", key_pairs_invalidate, MAY_GLOBAL_ADMIN,
      .body = "gracePeriodSec" },
    { "POST", "/api/oauth/keys/keypair/{keyId}/reactivate", key_pairs_reactivate, MAY_GLOBAL_ADMIN,
      .body = "validFrom validTo" },
};

const struct surface oidc_cyoda_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &entity_errors,
    .lenient = true,
    .route = cyoda_routes,
    .route_count = COUNT(cyoda_routes),
};
