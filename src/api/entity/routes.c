/* api/entity/routes.c — the paths of models and entities. */
#include "api/entity/entity_int.h"

static const struct api_route model_routes[] = {
    { "GET", "/api/model", entity_model_list, MAY_DEFINITIONS_READ },
    { "GET", "/api/model/", entity_model_list, MAY_DEFINITIONS_READ },
    { "POST", "/api/model/import/{format}/{kind}/{name}/{version}", entity_model_import,
      MAY_DEFINITIONS_WRITE, .takes = TAKES_KEY, .read = entity_read_document, .any_body = true },
    { "POST", "/api/model/validate/{name}/{version}", entity_model_validate, MAY_DEFINITIONS_READ,
      .any_body = true },
    { "GET", "/api/model/{a}/{b}/{c}/{d}", entity_model_get, MAY_DEFINITIONS_READ },
    { "PUT", "/api/model/{name}/{version}/lock", entity_model_lock, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY },
    { "PUT", "/api/model/{name}/{version}/unlock", entity_model_unlock, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY },
    { "PUT", "/api/model/{name}/{version}/indexes", entity_indexes_set, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY, .body = "fields" },
    { "GET", "/api/model/{name}/{version}/indexes", entity_indexes_get, MAY_DEFINITIONS_READ },
    { "PUT", "/api/model/{name}/{version}/unique-keys", entity_keys_set, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY, .body = "uniqueKeys(id name fields)" },
    { "GET", "/api/model/{name}/{version}/unique-keys", entity_keys_get, MAY_DEFINITIONS_READ },
    { "POST", "/api/model/{name}/{version}/changeLevel/{level}", entity_model_level, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY },
    { "POST", "/api/model/{name}/{version}/workflow/import", entity_workflows_import, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY | TAKES_ACTOR, .body = "importMode workflows allowCycles", .exact = true },
    { "DELETE", "/api/model/{name}/{version}", entity_model_remove, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY },
};

const struct surface entity_model_surface = {
    .prefix = STR_INIT("/api/model"),
    .errors = &entity_errors,
    .lenient = true,
    .route = model_routes,
    .route_count = COUNT(model_routes),
};

static const struct api_route entity_routes[] = {
    { "GET", "/api/entity/stats", entity_stats_all, MAY_ENTITIES_READ, .takes = TAKES_TIME },
    { "GET", "/api/entity/stats/states", entity_stats_states_all, MAY_ENTITIES_READ, .takes = TAKES_TIME,
      .query = "states*" },
    { "GET", "/api/entity/stats/{name}/{version}", entity_stats, MAY_ENTITIES_READ, .takes = TAKES_TIME },
    { "GET", "/api/entity/stats/states/{name}/{version}", entity_stats_states, MAY_ENTITIES_READ,
      .takes = TAKES_TIME, .query = "states*" },
    { "POST", "/api/entity/stats/{name}/{version}/query", entity_groups_query, MAY_ENTITIES_READ,
      .body = "groupBy condition(CONDITION) aggregations(op field as) pointInTime limit", .exact = true },
    { "GET", "/api/entity/{id}", entity_get, MAY_ENTITIES_READ, .takes = TAKES_TOKEN | TAKES_PAST },
    { "DELETE", "/api/entity/{id}", entity_remove, MAY_ENTITIES_WRITE,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR | TAKES_MATCH },
    { "GET", "/api/entity/{id}/transitions", entity_transition_names, MAY_ENTITIES_READ,
      .takes = TAKES_TOKEN | TAKES_PAST },
    { "GET", "/api/entity/{id}/changes", entity_changes, MAY_ENTITIES_READ, .takes = TAKES_PAST },
    { "GET", "/api/entity/{name}/{version}", entity_list, MAY_ENTITIES_READ, .takes = TAKES_TIME,
      .query = "pageSize pageNumber after" },
    { "POST", "/api/entity/{format}", entity_create_mixed, MAY_ENTITIES_WRITE, .large = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR, .query = "transactionWindow",
      .body = "model(name version) payload transition" },
    { "PUT", "/api/entity/{format}", entity_update_list, MAY_ENTITIES_WRITE, .large = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR, .query = "transactionWindow",
      .body = "id payload transition ifMatch" },
    { "DELETE", "/api/entity/{name}/{version}", entity_remove_all, MAY_ENTITIES_WRITE,
      .takes = TAKES_TOKEN | TAKES_TIME | TAKES_KEY | TAKES_ACTOR, .query = "verbose", .body = "CONDITION" },
    { "POST", "/api/entity/{format}/{name}/{version}", entity_create, MAY_ENTITIES_WRITE, .large = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR, .read = entity_read_document, .any_body = true,
      .query = "transactionWindow transition" },
    { "PUT", "/api/entity/{format}/{id}", entity_update, MAY_ENTITIES_WRITE, .large = true,
      .read = entity_read_document, .any_body = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR | TAKES_MATCH },
    { "PATCH", "/api/entity/{format}/{id}", entity_patch, MAY_ENTITIES_WRITE, .large = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR | TAKES_MATCH, .any_body = true },
    { "PUT", "/api/entity/{format}/{id}/{transition}", entity_fire, MAY_ENTITIES_WRITE, .large = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR | TAKES_MATCH, .read = entity_read_document,
      .any_body = true },
    { "PATCH", "/api/entity/{format}/{id}/{transition}", entity_patch_fire, MAY_ENTITIES_WRITE, .large = true,
      .takes = TAKES_TOKEN | TAKES_KEY | TAKES_ACTOR | TAKES_MATCH, .any_body = true },
};

const struct surface entity_surface = {
    .prefix = STR_INIT("/api/entity"),
    .errors = &entity_errors,
    .lenient = true,
    .route = entity_routes,
    .route_count = COUNT(entity_routes),
};

static const struct api_route audit_routes[] = {
    { "GET", "/api/audit/entity/{id}", entity_audit_list, MAY_ENTITIES_READ, .takes = TAKES_TRANSACTION,
      .query = "eventType* severity fromUtcTime toUtcTime limit cursor" },
    { "GET", "/api/audit/entity/{id}/workflow/{transaction}/finished", entity_audit_finish,
      MAY_ENTITIES_READ },
};

const struct surface entity_audit_surface = {
    .prefix = STR_INIT("/api/audit"),
    .errors = &entity_errors,
    .lenient = true,
    .route = audit_routes,
    .route_count = COUNT(audit_routes),
};

static const struct api_route search_routes[] = {
    { "POST", "/api/search/direct/{name}/{version}", entity_search_direct, MAY_ENTITIES_READ,
      .takes = TAKES_TOKEN | TAKES_TIME, .query = "limit sort explain", .body = "CONDITION" },
    { "POST", "/api/search/page/{name}/{version}", entity_search_leaf, MAY_ENTITIES_READ,
      .query = "pageSize cursor", .body = "CONDITION" },
    { "POST", "/api/search/async/{name}/{version}", entity_search_begin, MAY_ENTITIES_READ,
      .takes = TAKES_TIME | TAKES_KEY, .body = "CONDITION" },
    { "GET", "/api/search/async/{job}", entity_search_page, MAY_ENTITIES_READ,
      .query = "pageSize pageNumber" },
    { "GET", "/api/search/async/{job}/status", entity_search_status, MAY_ENTITIES_READ },
    { "PUT", "/api/search/async/{job}/cancel", entity_search_cancel, MAY_ENTITIES_READ, .takes = TAKES_KEY },
};

const struct surface entity_search_surface = {
    .prefix = STR_INIT("/api/search"),
    .errors = &entity_errors,
    .lenient = true,
    .route = search_routes,
    .route_count = COUNT(search_routes),
};

static const struct api_route platform_routes[] = {
    { "GET", "/api/platform-api/entity/fetch/transitions", entity_fetch_transitions, MAY_ENTITIES_READ,
      .takes = TAKES_TOKEN | TAKES_PAST, .query = "entityClass entityId" },
};

const struct surface entity_platform_surface = {
    .prefix = STR_INIT("/api/platform-api"),
    .errors = &entity_errors,
    .lenient = true,
    .route = platform_routes,
    .route_count = COUNT(platform_routes),
};

static const struct api_route help_routes[] = {
    { "GET", "/api/help", entity_help, MAY_OPEN },
    { "GET", "/api/help/{topic*}", entity_help_topic, MAY_OPEN },
};

const struct surface entity_help_surface = {
    .prefix = STR_INIT("/api/help"),
    .errors = &entity_errors,
    .lenient = true,
    .route = help_routes,
    .route_count = COUNT(help_routes),
};

static const struct api_route health_routes[] = {
    { "GET", "/api/health", entity_health, MAY_OPEN, .quiet = true },
};

const struct surface entity_health_surface = {
    .prefix = STR_INIT("/api/health"),
    .errors = &entity_health_errors,
    .lenient = true,
    .route = health_routes,
    .route_count = COUNT(health_routes),
};
