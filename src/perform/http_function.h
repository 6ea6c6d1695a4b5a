/* perform/http_function.h — a function's call as HTTP, and its answer as a value or an error.
 *
 * Pure: no thread, no clock, no socket. http_function_render() turns a call into the request part of a
 * struct outcall, and http_answer_read_function() turns the answer into a value or an error. The function's
 * type, in upper or lower case, decides how:
 *
 *     (none), http, rest   POST, application/json, the body is the request
 *     GET, http:GET        that method: GET, HEAD, DELETE, OPTIONS put the request's scalars
 *                          into the query; POST, PUT, PATCH send the request as the body
 *     cloudevent           a CloudEvent in binary mode, whose data is the request; an answer
 *                          that is a CloudEvent (binary or structured) is its data
 *     cloudevent:structured   the same, sent in structured mode
 *     emit                 the request as an event, to a sink: structured; the result is null
 *
 * `{name}` in the resource is filled from the request's top level, percent-encoded. A member that is used
 * there does not go into the query as well. Arrays, objects and null have no place in a URL: in the
 * resource they are an error, in the query they are left out.
 *
 * The dialect writes the function as the performer's configuration, {function, type, resource, headers,
 * query}. headers are sent beside the engine's own, and query is added to the URL.
 *
 * Errors are objects {name, message, data}, as workflows see them. The name comes from the answer's body
 * (exception.name, error.name, name), or is TimeoutException or FunctionExecutionException. data is
 * {status, body} if there was an answer, and {reason} if there was none: a word of outcall.h or, if nothing
 * was sent, one of these:
 *     unknownType, malformedTemplate, missingParameter, parameterNotScalar, dotSegment, invalidHeader
 */
#ifndef PERFORM_HTTP_FUNCTION_H
#define PERFORM_HTTP_FUNCTION_H

#include "json/json.h"
#include "perform/outcall.h"

/* The type of a CloudEvent that calls a function; its subject is the function's name. */
#define FUNCTION_REQUEST_EVENT_TYPE "io.pawl.function.request"
/* The source of events that do not bring their own. */
#define FUNCTION_EVENT_SOURCE "pawl"

struct function_call {
    str resource; /* The URL, with its {names}. */
    str type;
    str function;               /* The function's name. */
    const struct json *request; /* NULL counts as {}. */
    const struct json *headers; /* The headers of a function; NULL: none. */
    const struct json *query;   /* The query of a function; NULL: none. */
    str idempotency_key;        /* Equal in all attempts. Not empty for cloudevent: it is the event's id. */
    str traceparent;
    str event_id;       /* For emit, if the request brings none; empty: the idempotency key. */
    int64_t now_ms;     /* The time of events. */
    int64_t timeout_ms; /* 0: that of the outcalls. */
    uint32_t attempt;   /* From 1. */
};

/* Fills the request part of the outcall; `done` and `user` stay as the caller set them. The outcall borrows
 * from the call and from the arena, which also becomes its arena. False: nothing can be sent, and *ret_error
 * says why. */
bool http_function_render(const struct function_call *call, struct arena *arena, struct outcall *ret_outcall,
                          const struct json **ret_error);

/* Reads the answer to a request that http_function_render() made of the same call. Returns true and a value,
 * or false and an error, in the outcall's arena. */
bool http_answer_read_function(const struct function_call *call, const struct outcall *outcall,
                               const struct json **ret_value, const struct json **ret_error);

/* ---- requests (http_request.c) ----
 * A call of type "request" has no function: its input is {method, url, headers, query, body}, and its value
 * {status_code, headers, body}. Errors are named by the status (HTTP_503) or by why there is no answer
 * (CONNECTION_REFUSED). These two stand for the two above. */
#define REQUEST_TYPE "request"
bool http_request_render(const struct function_call *call, struct arena *arena, struct outcall *ret_outcall,
                         const struct json **ret_error);
bool http_request_read(const struct function_call *call, const struct outcall *outcall,
                       const struct json **ret_value, const struct json **ret_error);

/* True if another attempt may have more luck: no connection, no answer in time, or a status that says so. The
 * server may ask for a pause first (Retry-After); 0: it does not. */
bool http_answer_is_transient(const struct outcall *outcall, int64_t now_ms, int64_t *ret_after_ms);

#endif
