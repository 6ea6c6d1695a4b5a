/* api/secrets/routes.c — the paths of secrets. No answer ever holds a value. */
#include "api/secrets/secrets_int.h"

static const struct api_route routes[] = {
    { "GET", "/api/secrets", secrets_list_names, MAY_SECRETS_WRITE, .query = "pageSize cursor" },
    { "POST", "/api/secrets/rekey", secrets_rekey, MAY_GLOBAL_ADMIN },
    { "PUT", "/api/secrets/{name}", secrets_put, MAY_SECRETS_WRITE, .body = "value" },
    { "DELETE", "/api/secrets/{name}", secrets_delete, MAY_SECRETS_WRITE },
};

const struct surface secrets_surface = {
    .prefix = STR_INIT("/api/secrets"),
    .errors = &error_problem,
    .route = routes,
    .route_count = COUNT(routes),
};
