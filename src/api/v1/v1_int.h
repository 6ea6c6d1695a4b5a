/* api/v1/v1_int.h — the resources of /v1: handlers, and the views that several of them show. */
#ifndef API_V1_V1_INT_H
#define API_V1_V1_INT_H

#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/route_int.h"

#include "json/put.h"

route_fn v1_definitions_upload, v1_definitions_list, v1_definitions_get, v1_definitions_get_version;
route_fn v1_instances_start, v1_instances_start_of, v1_instances_list, v1_instances_get;
route_fn v1_instances_cancel, v1_instances_retry, v1_instances_signal, v1_instances_signal_key;
route_fn v1_instances_explain, v1_bulk_reasons, v1_modify;
route_fn v1_bulk_begin, v1_bulk_list, v1_bulk_get, v1_bulk_results, v1_bulk_cancel;
route_fn v1_bulk_pause, v1_bulk_resume, v1_bulk_undo, v1_migrations_begin;
route_fn v1_history_get, v1_events_get;
route_fn v1_tasks_list, v1_tasks_complete, v1_tasks_complete_step;
route_fn v1_jobs_list, v1_jobs_poll, v1_jobs_complete, v1_jobs_fail, v1_jobs_extend, v1_jobs_batch;

/* Writes an instance as its dialect shows it (struct dialect, put_instance). */
void v1_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                     int64_t bytes_max);

const char *v1_token_word(enum token_state state); /* "signal" */
/* Writes a token: where it stands, and why it waits. */
void v1_put_token(struct buf *out, const struct instance_view *instance, const struct token_view *token);

enum job_style {
    JOB_FOR_WORKER, /* As the engine's clients know it. */
    JOB_IN_LIST,    /* Without variables, with more about its state. */
};
void v1_put_job(struct buf *out, const struct job_view *view, enum job_style style);

void v1_render_instance(const struct call *call, int *ret_http_status, struct buf *out);

/* Reads what a COMPLETE_JOB or FAIL_JOB says: all but the id and the worker. `object` is the body of the
 * single request or an item of a batch. */
enum status v1_jobs_read_result(struct api_request *request, enum call_kind kind, const struct json *object,
                                struct call_job *ret_job, struct error *err);

/* Warns if an object has two members that mean the same: the first one is used. */
void v1_warn_of_both(struct api_request *request, const struct json *object, const char *used,
                     const char *other);
/* The worker that a body names which is no JSON, in the arena; empty: none. */
str unread_worker(str body, struct arena *arena);
/* Makes a completion of one whose result cannot be read: it fails its job. False if the error is not about
 * the result, or the worker is not known. */
bool unread_take(struct call_job *job, const struct error *why, struct arena *arena);
/* Reads what a poll says: all but the worker. */
enum status v1_jobs_read_poll(struct api_request *request, const struct json *object, struct arena *arena,
                              struct call_poll *ret_poll, struct error *err);
/* Checks the job types of a poll. `name` is that of their field, for errors. */
enum status v1_jobs_check_type_count(size_t count, const char *name, struct error *err);
enum status v1_jobs_check_type(str type, const char *name, struct error *err);

/* The stored document with its members in the author's order, and the version it got here unless the author
 * has one. NULL: the store has damaged it. */
const struct json *v1_definitions_document(const struct definition_row *row, struct arena *arena);

#endif
