/* api/request_int.h — what a request says, and how it becomes a call. */
#ifndef API_REQUEST_INT_H
#define API_REQUEST_INT_H

#include "api/api_int.h"
#include "api/route_int.h"

/* ---- the body (request.c) ---- */

/* The longest body that the request may have: what the gate has said, or limits.body_bytes_max. */
int64_t request_body_max(const struct api_request *request);

/* The body as a value of any kind, as `read` reads it; or as it was read before, if the route names that
 * function. */
enum status request_read(struct api_request *request, body_fn *read, struct arena *arena,
                         const struct json **ret_value, struct error *err);

/* The body as a JSON value of any kind, by request_read_json. Its length has been checked when it arrived. A
 * member that the route does not list is refused or warned about (takes.c). */
enum status request_json(struct api_request *request, size_t depth_max, struct arena *arena,
                         const struct json **ret_value, struct error *err);

/* The body as an object. NULL if it is empty or null, unless it is required. */
enum status request_body(struct api_request *request, bool required, const struct json **ret_object,
                         struct error *err);

/* The same, parsed into another arena than the request's. */
enum status request_body_in(struct api_request *request, bool required, struct arena *arena,
                            const struct json **ret_object, struct error *err);

/* Content-Type without its parameters; empty if there is none. */
str request_media_type(const struct api_request *request);
/* Is the body's text in UTF-8, as far as Content-Type says? */
bool request_is_utf8(const struct api_request *request);

/* ---- headers (takes_headers.c) ---- */

/* A header by its bit of enum route_takes; empty if absent, or if the route does not take it. */
str takes_header(const struct api_request *request, enum route_takes part);

/* ---- members of the body (fields.c) ---- */

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

/* Seconds as JSON writes them, to milliseconds, rounded up: between 0 and `seconds_max`. */
enum status field_to_ms(const struct json *number, const char *name, int64_t seconds_max, int64_t *ret_ms,
                        struct error *err);

/* The same rules for fields that do not come as JSON. */
enum status field_check_length(str text, const char *name, size_t bytes_max, struct error *err);
enum status field_check_required(str text, const char *name, struct error *err);
enum status field_check_object(const struct json *value, const char *name, struct error *err);
enum status field_seconds_of(double seconds, const char *name, int64_t seconds_max, int64_t *ret_ms,
                             struct error *err);

/* ---- the query (query.c) ---- */

/* A parameter; empty if absent, or if the route does not take it. */
str query_text(struct api_request *request, str name);
/* The next parameter of that name in `rest`, which is the whole query at first; false: there is none. */
bool query_next(struct api_request *request, str name, str *rest, str *ret_value);
/* The next parameter of any name in `rest`, decoded. A value that is not UTF-8 in percent encoding is NULL.
 */
bool query_next_pair(struct api_request *request, str *rest, str *ret_name, str *ret_value);
/* true or false; false if it is not there. */
enum status query_flag(struct api_request *request, str name, bool *ret_flag, struct error *err);
enum status query_seconds(struct api_request *request, str name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err);
/* A number from `least` to `most`. A lenient surface uses the nearest sensible one instead and says so. */
enum status query_number(struct api_request *request, str name, int64_t least, int64_t most,
                         int64_t otherwise, int64_t *ret_number, struct error *err);
/* page and pageSize. A number out of its range is refused, or reported in X-Pawl-Warning if the surface is
 * lenient. */
enum status query_page(struct api_request *request, int64_t *ret_skip, size_t *ret_size, struct error *err);
/* Makes a number fit that only bounds an answer and came in a body: 0 means `otherwise`. Returns a warning if
 * the number is out of its range, else nothing. */
str query_fit(struct arena *arena, const char *name, int64_t most, int64_t otherwise, int64_t *number);
/* An id that a list gave as nextCursor. False: none was sent. */
enum status query_cursor(struct api_request *request, bool *ret_given, struct id *ret_id, struct error *err);
/* instanceId; 0 if absent. Text that is no id gives an id that no instance has. */
uint64_t query_instance(struct api_request *request);

/* ---- warnings (request_warn.c) ---- */

/* Adds a sentence to the answer's X-Pawl-Warning: the request is obeyed, but not to the letter. The text is
 * printable ASCII. */
void request_warn(struct api_request *request, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Has it said so much that whoever counts on says nothing new? */
bool request_is_warned(const struct api_request *request);

/* ---- the path (params.c) ---- */

/* The first path parameter as an instance's, a job's or a task's id. Text that has not the form of one
 * is not found. */
enum status param_instance(struct api_request *request, struct id *ret_id, struct error *err);
enum status param_job(struct api_request *request, struct id *ret_id, struct error *err);
enum status param_task(struct api_request *request, struct id *ret_id, struct error *err);

/* The same for ids that are not in a path. */
enum status param_read_instance(str text, struct id *ret_id, struct error *err);
enum status param_read_job(str text, struct id *ret_id, struct error *err);

/* ---- the call (request.c) ---- */

/* Tells two requests apart that have the same Idempotency-Key. Call it before the body is dropped. */
uint64_t request_hash(const struct api_request *request);

/* The origin of a call that answers the request. */
struct call_origin request_origin(struct api_request *request);

/* Submits the call, with the Idempotency-Key if it writes. The request is answered with the text that
 * `render` makes of the answer, or with the call's error. */
enum status request_submit(struct api_request *request, struct call *call, render_fn *render,
                           struct error *err);

/* Drops the body, or leaves it to the call, as the kind of the call says (CALL_MAP). For calls that are not
 * submitted by request_submit(). */
void request_leave_body(struct api_request *request, struct call *call);

/* Abandons the call that the request waits for: the client has left. */
void request_left(struct api_request *request);

#endif
