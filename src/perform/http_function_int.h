/* perform/http_function_int.h — shared by http_function.c, http_answer.c, http_request.c, http_parts.c,
 * cloud_event.c, http_text.c, mcp_call.c and mcp_answer.c. */
#ifndef PERFORM_HTTP_FUNCTION_INT_H
#define PERFORM_HTTP_FUNCTION_INT_H

#include "perform/http_function.h"
#include "perform/perform.h"

/* The types that a call asks for, unless its author asks for others. */
#define ACCEPTED_TYPES "application/json, */*;q=0.5"
#define EVENT_CONTENT_TYPE "application/cloudevents+json"

enum function_kind { FUNCTION_PLAIN, FUNCTION_EVENT_BINARY, FUNCTION_EVENT_STRUCTURED, FUNCTION_EMIT };

/* ---- http_function.c ---- */

/* False: no such type. The method's text is static. */
bool http_function_type_parse(str type, enum function_kind *ret_kind, str *ret_method);

#define FUNCTION_EXCEPTION "FunctionExecutionException"

/* {name, message, data} */
const struct json *http_error(struct arena *arena, str name, str message, const struct json *data);
/* A FunctionExecutionException with data {reason}. */
const struct json *http_error_reason(struct arena *arena, const char *reason, str message);

/* ---- http_answer.c ---- */

/* The type without parameters: "application/json" of "application/json; charset=utf-8". */
str http_media_type(str content_type);
/* The error of an answer with a status that is one. Without a name, that of the answer or the general one. */
const struct json *http_status_error(const struct function_call *call, const struct outcall *outcall,
                                     str name);
/* The answer's body: JSON if it is, else text; bytes that are no text in base64. */
const struct json *http_body_value(const struct outcall *outcall);

/* ---- http_request.c ---- */

/* INVALID_REQUEST: the input cannot be sent. */
const struct json *http_bad_request(struct arena *arena, str message);
/* The error of a request without an answer: CONNECTION_REFUSED. */
const struct json *http_failure_error(const struct outcall *outcall);
/* HTTP_503 */
str http_status_name(const struct outcall *outcall);

/* ---- http_parts.c ---- */

/* Adds name=value for each parameter; `between` goes before the first, '\0': nothing does. */
void http_add_parameters(struct buf *out, char between, const struct json *parameters, struct arena *arena);
/* Adds the parameters to the query of a URL. */
void http_add_query(struct buf *url, const struct json *query, struct arena *arena);
/* Adds headers to those that the outcall has; of a header that is there twice the given one is sent. Returns
 * NULL, or why it cannot be. */
const char *http_add_headers(struct outcall *outcall, const struct json *headers);

/* ---- cloud_event.c ---- */

/* Writes the request as an event: headers and body of the outcall. */
void cloud_event_render(const struct function_call *call, enum function_kind kind, const struct json *request,
                        struct outcall *outcall);

/* ---- http_text.c ---- */

/* Printable ASCII for a header; everything else, and blank, quote and percent, percent-encoded
 * as CloudEvents have it. */
str http_header_text(struct arena *arena, str text);
/* A value as text: a text as it is, anything else as JSON. */
str http_text_of(const struct json *value, struct arena *arena);
/* A date of HTTP: Wed, 21 Oct 2026 07:28:00 GMT. */
bool http_date_parse(str text, int64_t *ret_ms);

#endif
