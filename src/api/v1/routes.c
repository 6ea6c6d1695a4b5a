/* api/v1/routes.c — the paths of /v1. The busiest come first. */
#include "api/route_int.h"
#include "api/v1/v1_int.h"

static const struct api_route routes[] = {
    { "POST", "/v1/jobs/poll", v1_jobs_poll, .quiet = true },
    { "POST", "/v1/jobs/batch", v1_jobs_batch },
    { "POST", "/v1/jobs/{id}/complete", v1_jobs_complete },
    { "POST", "/v1/jobs/{id}/fail", v1_jobs_fail },
    { "POST", "/v1/jobs/{id}/extend", v1_jobs_extend },
    { "GET", "/v1/jobs", v1_jobs_list, .query = "jobType instanceId pageSize cursor" },

    { "POST", "/v1/instances", v1_instances_start, .query = "wait" },
    { "GET", "/v1/instances", v1_instances_list,
      .query = "definitionId status businessKey page pageSize cursor" },
    { "GET", "/v1/instances/reasons", v1_instances_reasons, .query = "definitionId step" },
    { "GET", "/v1/instances/{id}", v1_instances_get },
    { "GET", "/v1/instances/{id}/history", v1_history_get, .query = "attempts" },
    { "GET", "/v1/instances/{id}/events", v1_events_get },
    { "GET", "/v1/instances/{id}/explain", v1_instances_explain },
    { "POST", "/v1/instances/{id}/cancel", v1_instances_cancel, .query = "failed" },
    { "POST", "/v1/instances/{id}/modify", v1_instances_modify, .query = "dryRun" },
    { "POST", "/v1/instances/{id}/signals/{stepId}", v1_instances_signal, .query = "early" },
    { "POST", "/v1/instances/{id}/retry", v1_instances_retry, .query = "alone" },
    { "POST", "/v1/instances/{id}/steps/{stepId}/retry", v1_instances_retry, .query = "alone" },
    { "POST", "/v1/instances/{id}/user-tasks/{stepId}/complete", v1_tasks_complete_step },

    { "POST", "/v1/bulk", v1_bulk_begin },
    { "GET", "/v1/bulk", v1_bulk_list, .query = "pageSize cursor" },
    { "GET", "/v1/bulk/{id}", v1_bulk_get },
    { "GET", "/v1/bulk/{id}/results", v1_bulk_results, .query = "outcome pageSize cursor" },
    { "POST", "/v1/bulk/{id}/cancel", v1_bulk_cancel },

    { "GET", "/v1/user-tasks", v1_tasks_list, .query = "instanceId definitionId jobType pageSize cursor" },
    { "POST", "/v1/user-tasks/{id}/complete", v1_tasks_complete },

    { "POST", "/v1/definitions", v1_definitions_upload, .read = request_read_text },
    { "GET", "/v1/definitions", v1_definitions_list, .query = "keyword page pageSize" },
    { "GET", "/v1/definitions/{id}", v1_definitions_get },
    { "GET", "/v1/definitions/{id}/versions/{version}", v1_definitions_get_version },
    { "POST", "/v1/definitions/{id}/instances", v1_instances_start_of, .query = "wait" },
    { "POST", "/v1/definitions/{id}/signals/{stepId}", v1_instances_signal_key,
      .query = "businessKey early" },
};

const struct surface v1_surface = {
    .prefix = STR_INIT("/v1/"),
    .errors = &error_plain,
    .lenient = true,
    .route = routes,
    .route_count = COUNT(routes),
};
