/* api/access/routes.c — the paths of access: sessions, principals, tenants, the audit, and explanations. */
#include "api/access/access_int.h"

#define USER "displayName email roles groups state"
#define KEY "name roles scopes actsFor expiresAt note state"
#define ISSUER                                                                                        \
    "issuer label clientId clientSecretRef audience jwks jwksFile userClaim tenantClaim groupsClaim " \
    "rolesClaim roles requireGroup"
#define TENANT "label state quotas"

static const struct api_route routes[] = {
    { "GET", "/api/login", me_login_offers, MAY_OPEN, .quiet = true },
    { "POST", "/api/setup", setup_take, MAY_DATA, .body = "code name password" },
    { "POST", "/api/session", session_login, MAY_DATA, .body = "name password" },
    { "DELETE", "/api/session", session_logout, MAY_SELF },
    { "GET", "/api/sessions", sessions_list, MAY_SELF, .query = "user pageSize cursor" },
    { "DELETE", "/api/sessions/{id}", sessions_end, MAY_SELF },
    { "GET", "/api/me", me_get, MAY_SELF },

    { "GET", "/api/users", access_list, MAY_GLOBAL_ADMIN, .query = "pageSize cursor" },
    { "POST", "/api/users", users_create, MAY_GLOBAL_ADMIN, .body = "name password " USER },
    { "GET", "/api/users/{name}", access_show,
      MAY_SELF }, /* Others than oneself: the engine asks for more. */
    { "PATCH", "/api/users/{name}", access_change, MAY_GLOBAL_ADMIN, .body = USER },
    { "DELETE", "/api/users/{name}", access_remove, MAY_GLOBAL_ADMIN },
    { "POST", "/api/users/{name}/password", users_set_password, MAY_SELF, .body = "password oldPassword" },
    { "POST", "/api/users/{name}/end-sessions", users_end_sessions, MAY_SELF },

    { "GET", "/api/keys", access_list, MAY_ACCESS_ADMIN, .query = "pageSize cursor" },
    { "POST", "/api/keys", keys_create, MAY_ACCESS_ADMIN, .body = "tenant " KEY },
    { "GET", "/api/keys/{id}", access_show, MAY_ACCESS_ADMIN },
    { "PATCH", "/api/keys/{id}", access_change, MAY_ACCESS_ADMIN, .body = KEY },
    { "DELETE", "/api/keys/{id}", access_remove, MAY_ACCESS_ADMIN },
    { "POST", "/api/keys/{id}/rotate", keys_rotate, MAY_ACCESS_ADMIN },

    { "GET", "/api/grants", access_list, MAY_ACCESS_ADMIN, .query = "to pageSize cursor" },
    { "POST", "/api/grants", access_create, MAY_ACCESS_ADMIN, .body = "to role tenant scope" },
    { "GET", "/api/grants/{id}", access_show, MAY_ACCESS_ADMIN },
    { "DELETE", "/api/grants/{id}", access_remove, MAY_ACCESS_ADMIN },

    { "GET", "/api/issuers", access_list, MAY_GLOBAL_ADMIN, .query = "pageSize cursor" },
    { "POST", "/api/issuers", access_create, MAY_GLOBAL_ADMIN, .body = "name " ISSUER },
    { "GET", "/api/issuers/{name}", access_show, MAY_GLOBAL_ADMIN },
    { "PATCH", "/api/issuers/{name}", access_change, MAY_GLOBAL_ADMIN, .body = ISSUER },
    { "DELETE", "/api/issuers/{name}", access_remove, MAY_GLOBAL_ADMIN },

    { "GET", "/api/tenants", access_list, MAY_SELF, .query = "pageSize cursor" }, /* Only the caller's. */
    { "POST", "/api/tenants", access_create, MAY_GLOBAL_ADMIN, .body = "name " TENANT },
    { "GET", "/api/tenants/{name}", access_show, MAY_SELF },
    { "PATCH", "/api/tenants/{name}", access_change, MAY_GLOBAL_ADMIN, .body = TENANT },
    { "DELETE", "/api/tenants/{name}", records_remove_tenant, MAY_GLOBAL_ADMIN, .query = "with confirm" },

    { "GET", "/api/audit", audit_list, MAY_AUDIT_READ,
      .query = "principal action object outcome since until pageSize cursor" },
    { "POST", "/api/audit/verify", audit_verify, MAY_AUDIT_READ },
    { "GET", "/api/access/explain", access_explain, MAY_SELF,
      .query = "principal method path permission object" },
    { "POST", "/api/access/apply", access_apply, MAY_ACCESS_ADMIN, .query = "dryRun",
      .body = "file remove(kind name tenant)" },
    { "GET", "/api/access/refusals", access_refusals, MAY_ACCESS_ADMIN },
    { "GET", "/api/access/routes", access_routes, MAY_SELF },
};

const struct surface access_surface = {
    .prefix = STR_INIT("/api/"),
    .errors = &error_plain,
    .route = routes,
    .route_count = COUNT(routes),
};
