/* perform/http_function_int.h — between http_function.c, http_answer.c and cloud_event.c. */
#ifndef PERFORM_HTTP_FUNCTION_INT_H
#define PERFORM_HTTP_FUNCTION_INT_H

#include "perform/http_function.h"

#define EVENT_CONTENT_TYPE "application/cloudevents+json"

enum function_kind { FUNCTION_PLAIN, FUNCTION_EVENT_BINARY, FUNCTION_EVENT_STRUCTURED, FUNCTION_EMIT };

/* False: no such type. The method's text is static. */
bool function_type_parse(str type, enum function_kind *ret_kind, str *ret_method);

/* The request as an event: headers and body of the outcall. */
void cloud_event_render(const struct function_call *call, enum function_kind kind, const struct json *request,
                        struct outcall *outcall);

#define FUNCTION_EXCEPTION "FunctionExecutionException"

/* {name, message, data} */
const struct json *function_error(struct arena *arena, str name, str message, const struct json *data);
/* The same of a FunctionExecutionException with data {reason}. */
const struct json *function_error_reason(struct arena *arena, const char *reason, str message);

/* Printable ASCII for a header; everything else, and blank, quote and percent, percent-encoded
 * as CloudEvents have it. */
str header_text(struct arena *arena, str text);

#endif
