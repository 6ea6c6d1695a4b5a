/* api/api_int.h — what the files of this folder share.
 *
 *     gate.c      who may ask: host, origin, token, and what kind of body
 *     api.c       a request's way in: gate, route, handler; and its way out: metrics, log
 *     routes.c    every path, in one table
 *     request.c   what a request says: path, query, headers, body; how it becomes a call
 *     answer.c    what a client gets: errors, cross-origin headers, the pieces of JSON
 *     the rest    one file per resource: handlers on top, renderers below them
 *
 * A handler reads the request, fills in a call and submits it with a renderer, which writes
 * the body when the call succeeded. A renderer is pure and looks at nothing but the call: a
 * request with an Idempotency-Key has it run by the engine, before the commit.
 *
 * Everything a request needs lives in its arena. Between submit and answer that arena is the
 * runtime's: nothing here may touch it.
 */
#ifndef API_API_INT_H
#define API_API_INT_H

#include "api/api.h"

#include "base/map.h"
#include "json/put.h"

enum { ROUTE_PARAMS_MAX = 2 };

struct route;

struct api {
    struct api_config config;
    struct arena arena;   /* Of the configuration. */
    struct arena scratch; /* Of what is read and not kept. */
    bool draining;
    int64_t started_ms;
    struct map series; /* Measured requests: struct series, see metrics_page.c. */
};

/* One request on its way. The http_request's `user`. */
struct api_request {
    struct api *api;
    struct http_request *http;
    const struct route *route; /* NULL: no such path, or not for the method: */
    str allow;                 /* then those it is for. */
    struct error *refusal;     /* Of the gate; NULL: it may go on. */
    bool preflight;
    str allowed_origin;          /* Whose pages may read the answer; empty: none are mentioned. */
    str param[ROUTE_PARAMS_MAX]; /* Decoded, in UTF-8. */
    str identity;                /* What tells it from others with the same method, path and body. */
    struct call *call;           /* What it waits for, or NULL. */
    void *stream;                /* Of a request that is answered as a stream: its owner's. */
    bool gone;                   /* The client left. */
};

/* ---- routes ---- */

/* ST_OK: the request was answered or will be. Else it was not, and the error is the answer. */
typedef enum status route_fn(struct api_request *request, struct error *err);

struct route {
    const char *method;
    const char *pattern; /* "/v1/instances/{id}"; also its name in /metrics. */
    route_fn *handle;
    bool free;     /* Needs no token. */
    bool problems; /* Its errors are problem documents (RFC 9457). */
};

/* The route for a method and a path, or NULL; then `ret_allow` is the Allow header's value if
 * other methods would do, else empty. `ret_param` gets the parameters, still encoded. */
const struct route *route_find(str method, str path, str ret_param[ROUTE_PARAMS_MAX], str *ret_allow);

/* From 1, in the order of the table; 0 for NULL. */
size_t route_number(const struct route *route);

route_fn api_definitions_upload, api_definitions_list, api_definitions_get, api_definitions_get_version;
route_fn api_instances_start, api_instances_start_of, api_instances_list, api_instances_get;
route_fn api_instances_cancel, api_instances_retry, api_instances_signal, api_instances_signal_key;
route_fn api_instances_explain;
route_fn api_instances_reasons;
route_fn api_bulk_begin, api_bulk_list, api_bulk_get, api_bulk_results, api_bulk_cancel;
route_fn api_instances_modify;
route_fn api_history_get, api_events_get;
route_fn api_events_take, api_events_unmatched, api_events_resend;
route_fn api_tasks_list, api_tasks_complete, api_tasks_complete_step;
route_fn api_jobs_list, api_jobs_poll, api_jobs_complete, api_jobs_fail, api_jobs_extend, api_jobs_batch;
route_fn api_probe_health, api_probe_live, api_probe_ready, api_metrics_get, api_openapi_get, api_schemas_get;

/* ---- what a request says (request.c) ---- */

/* The body as an object. NULL if it is empty or null, unless it is required. */
enum status body_object(struct api_request *request, bool required, const struct json **ret_object,
                        struct error *err);

/* The same, parsed into another arena than the request's. */
enum status body_object_in(struct api_request *request, bool required, struct arena *arena,
                           const struct json **ret_object, struct error *err);

/* Members of an object (which may be NULL). A member that is null counts as absent; one of
 * another type than asked for is refused by name. */
enum status field_text(const struct json *object, const char *name, size_t bytes_max, str *ret_text,
                       struct error *err);
enum status field_required_text(const struct json *object, const char *name, size_t bytes_max, str *ret_text,
                                struct error *err);
enum status field_integer(const struct json *object, const char *name, int64_t *ret_value, struct error *err);
enum status field_flag(const struct json *object, const char *name, bool *ret_flag, struct error *err);
enum status field_list(const struct json *object, const char *name, const struct json **ret_list,
                       struct error *err);
/* Seconds, with decimals allowed, to milliseconds: between 0 and `seconds_max`. */
enum status field_seconds(const struct json *object, const char *name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err);
/* An object, or NULL. */
enum status field_variables(const struct json *object, const char *name, const struct json **ret_variables,
                            struct error *err);

/* Of the query; empty if absent. */
str query_text(struct api_request *request, str name);
/* true or false; false if it is not there. */
enum status query_flag(struct api_request *request, str name, bool *ret_flag, struct error *err);
enum status query_seconds(struct api_request *request, str name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err);
/* page and pageSize; whatever is no sensible number is the default. */
void query_page(struct api_request *request, int64_t *ret_skip, size_t *ret_size);
/* An id that a list gave as nextCursor. False: none was sent. */
enum status query_cursor(struct api_request *request, bool *ret_given, struct id *ret_id, struct error *err);
/* instanceId; 0 if absent. Text that is no id gives an id that no instance has. */
uint64_t query_instance(struct api_request *request);

/* The first path parameter as an instance's, a job's or a task's id. What has not the form of
 * one is not found. */
enum status param_instance(struct api_request *request, struct id *ret_id, struct error *err);
enum status param_job(struct api_request *request, struct id *ret_id, struct error *err);
enum status param_task(struct api_request *request, struct id *ret_id, struct error *err);

/* Content-Type without its parameters; empty if there is none. */
str request_media_type(const struct api_request *request);
/* Is the body's text in UTF-8, as far as Content-Type says? */
bool request_is_utf8(const struct api_request *request);

/* A call that answers the request with what `render` writes, or with its error. */
struct call *request_call(struct api_request *request, enum call_kind kind, call_render_fn *render);

/* Submits it, with the Idempotency-Key if it writes. */
enum status request_submit(struct api_request *request, struct call *call, struct error *err);

/* Abandons the call that the request waits for: the client has left. */
void request_left(struct api_request *request);

/* ---- answers (answer.c) ---- */

/* `headers` are complete lines; a body is JSON unless they name another Content-Type. */
void answer(struct api_request *request, int http_status, str headers, str body);
void answer_typed(struct api_request *request, int http_status, str type, str headers, str body);
void answer_error(struct api_request *request, const struct error *err);
/* The lines that let pages of other origins read the answer; empty if none asked. */
str answer_cors(struct api_request *request);
void answer_preflight(struct api_request *request);

/* Header lines that go with an error: when to come back, what to send. */
str answer_advice(enum status status);

/* {"error","reason","message"} without the closing brace. */
void put_error(const struct error *err, struct buf *out);
/* The same as a problem document: with type, title, status and detail. */
void put_problem(const struct error *err, struct buf *out);

/* ---- views that several resources show ---- */

/* Writes an instance as its dialect shows it (struct dialect, put_instance). */
void put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                  int64_t bytes_max);

const char *token_word(enum token_state state); /* "signal" */
/* Why a token does not move. */
void put_token(struct buf *out, const struct instance_view *instance, const struct token_view *token);

enum job_style {
    JOB_FOR_WORKER, /* As the engine's clients know it. */
    JOB_IN_LIST,    /* Without variables, with more about its state. */
};
void put_job(struct buf *out, const struct job_view *view, enum job_style style);

void render_nothing(const struct call *call, int *ret_http_status, struct buf *out); /* 204 */
void render_instance(const struct call *call, int *ret_http_status, struct buf *out);

/* One complete or fail as a call; `object` is the body of the single request or an item of
 * a batch. */
enum status jobs_read_result(const struct json *object, struct call *call, struct error *err);
/* The same for a poll; sets everything but the worker. */
enum status jobs_read_poll(struct api *api, const struct json *object, struct call *call, struct error *err);

/* Has the request attributes of a CloudEvent in its headers? If so: the event, not checked yet
 * (cloud_binary.c). err->where is the attribute that is wrong. */
bool cloud_binary_is(const struct http_request *http);
enum status cloud_binary_read(struct api_request *request, const struct json **ret_event, struct error *err);

/* The answer to a document that was refused. */
void definitions_answer_refusal(struct api_request *request, const struct call *call);

/* ---- metrics_page.c ---- */

void metrics_observe(struct api *api, const struct route *route, str method, int http_status,
                     int64_t took_us);
void metrics_done(struct api *api);

#endif
