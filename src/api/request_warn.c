/* api/request_warn.c — what an answer says beside its body: the request is obeyed, but not to the letter. */
#include "api/limits.h"
#include "api/request_int.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

bool request_is_warned(const struct api_request *request)
{
    return request->warning.n > WARNING_BYTES_MAX / 2;
}

void request_warn(struct api_request *request, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (request->warning.n + strlen(text) > WARNING_BYTES_MAX) return; /* Earlier ones say enough. */
    request->warning = arena_printf(request->http->arena, "%.*s%s%s", STR_ARG(request->warning),
                                    request->warning.n ? "; " : "", text);
}
