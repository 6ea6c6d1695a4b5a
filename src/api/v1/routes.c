/* api/v1/routes.c — the paths of /v1. The busiest come first. */
#include "api/route_int.h"
#include "api/v1/v1_int.h"

static const struct api_route routes[] = {
    { "POST", "/v1/jobs/poll", v1_jobs_poll, MAY_JOBS_WORK, .quiet = true,
      .body = "workerId jobTypes maxJobs leaseSeconds waitSeconds" },
    { "POST", "/v1/jobs/batch", v1_jobs_batch, MAY_JOBS_WORK, .takes = TAKES_KEY,
      .body = "workerId complete(id variables result) fail(id errorMessage errorName errorData retryable) "
              "poll(jobTypes maxJobs leaseSeconds waitSeconds)" },
    { "POST", "/v1/jobs/{id}/complete", v1_jobs_complete, MAY_JOBS_WORK, .takes = TAKES_KEY,
      .body = "workerId variables result" },
    { "POST", "/v1/jobs/{id}/fail", v1_jobs_fail, MAY_JOBS_WORK, .takes = TAKES_KEY,
      .body = "workerId errorMessage errorName errorData retryable" },
    { "POST", "/v1/jobs/{id}/extend", v1_jobs_extend, MAY_JOBS_WORK, .body = "workerId leaseSeconds" },
    { "GET", "/v1/jobs", v1_jobs_list, MAY_INSTANCES_READ, .query = "jobType instanceId pageSize cursor" },

    { "POST", "/v1/instances", v1_instances_start, MAY_INSTANCES_START, .takes = TAKES_KEY | TAKES_ACTOR,
      .query = "wait", .body = "definitionId definitionVersion variables businessKey isTest" },
    { "GET", "/v1/instances", v1_instances_list, MAY_INSTANCES_READ,
      .query = "definitionId status businessKey page pageSize cursor" },
    { "GET", "/v1/instances/reasons", v1_bulk_reasons, MAY_INSTANCES_READ, .query = "definitionId step" },
    { "GET", "/v1/instances/{id}", v1_instances_get, MAY_INSTANCES_READ },
    { "GET", "/v1/instances/{id}/history", v1_history_get, MAY_INSTANCES_READ, .takes = TAKES_LAST_EVENT,
      .query = "attempts pageSize cursor order" },
    { "GET", "/v1/instances/{id}/events", v1_events_get, MAY_INSTANCES_READ, .takes = TAKES_LAST_EVENT },
    { "GET", "/v1/instances/{id}/explain", v1_instances_explain, MAY_INSTANCES_READ },
    { "POST", "/v1/instances/{id}/cancel", v1_instances_cancel, MAY_INSTANCES_OPERATE,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "failed", .body = "reason" },
    { "POST", "/v1/instances/{id}/modify", v1_modify, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY | TAKES_ACTOR,
      .query = "dryRun", .exact = true,
      .body = "set unset move(from to) add(step beside) cancel(step) ifRevision reason by" },
    { "POST", "/v1/instances/{id}/signals/{stepId}", v1_instances_signal, MAY_EVENTS_SEND,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "early", .any_body = true },
    { "POST", "/v1/instances/{id}/retry", v1_instances_retry, MAY_INSTANCES_OPERATE,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "alone", .body = "variables" },
    { "POST", "/v1/instances/{id}/steps/{stepId}/retry", v1_instances_retry, MAY_INSTANCES_OPERATE,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "alone", .body = "variables" },
    { "POST", "/v1/instances/{id}/user-tasks/{stepId}/complete", v1_tasks_complete_step, MAY_TASKS_OWN,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS, .body = "workerId variables completedBy result" },

    { "POST", "/v1/bulk", v1_bulk_begin, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY | TAKES_ACTOR,
      .exact = true,
      .body = "action all step variables by reason dryRun expectFound failed to map retry bulk "
              "filter(definitionId definitionVersion status businessKey businessKeyPrefix reason "
              "reasonContains step startedBefore startedAfter ids source type receivedBefore receivedAfter "
              "numbers)" },
    { "GET", "/v1/bulk", v1_bulk_list, MAY_INSTANCES_READ, .query = "pageSize cursor" },
    { "GET", "/v1/bulk/{id}", v1_bulk_get, MAY_INSTANCES_READ },
    { "GET", "/v1/bulk/{id}/results", v1_bulk_results, MAY_INSTANCES_READ,
      .query = "outcome pageSize cursor" },
    { "POST", "/v1/bulk/{id}/cancel", v1_bulk_cancel, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY },
    { "POST", "/v1/bulk/{id}/pause", v1_bulk_pause, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY },
    { "POST", "/v1/bulk/{id}/resume", v1_bulk_resume, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY },
    { "POST", "/v1/bulk/{id}/undo", v1_bulk_undo, MAY_INSTANCES_OPERATE, .takes = TAKES_KEY | TAKES_ACTOR,
      .exact = true, .body = "reason dryRun" },

    { "GET", "/v1/user-tasks", v1_tasks_list, MAY_TASKS_READ,
      .query = "instanceId definitionId jobType pageSize cursor" },
    { "POST", "/v1/user-tasks/{id}/complete", v1_tasks_complete, MAY_TASKS_OWN,
      .takes = TAKES_KEY | TAKES_ACTOR | TAKES_GROUPS, .body = "workerId variables completedBy result" },

    { "POST", "/v1/definitions", v1_definitions_upload, MAY_DEFINITIONS_WRITE,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "revision", .read = request_read_text, .any_body = true },
    { "GET", "/v1/definitions", v1_definitions_list, MAY_DEFINITIONS_READ, .query = "keyword page pageSize" },
    { "GET", "/v1/definitions/{id}", v1_definitions_get, MAY_DEFINITIONS_READ },
    { "GET", "/v1/definitions/{id}/versions/{version}", v1_definitions_get_version, MAY_DEFINITIONS_READ },
    { "POST", "/v1/definitions/{id}/instances", v1_instances_start_of, MAY_INSTANCES_START,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "wait",
      .body = "definitionId definitionVersion variables businessKey isTest" },
    { "POST", "/v1/definitions/{id}/signals/{stepId}", v1_instances_signal_key, MAY_EVENTS_SEND,
      .takes = TAKES_KEY | TAKES_ACTOR, .query = "businessKey early", .any_body = true },
};

const struct surface v1_surface = {
    .prefix = STR_INIT("/v1/"),
    .errors = &error_plain,
    .lenient = true,
    .route = routes,
    .route_count = COUNT(routes),
};
