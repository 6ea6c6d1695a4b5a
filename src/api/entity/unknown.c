/* api/entity/unknown.c — paths under /api that no route has, and methods that their paths do not have.
 *
 * Clients of entities read a problem document whatever goes wrong. Edge messages (/api/message) are a part of
 * the original's API that this engine does not have, and it says so instead of knowing nothing of the path.
 */
#include "api/entity/entity_int.h"

static const struct surface unknown_surface = { .prefix = STR_INIT("/api"), .errors = &entity_errors };

/* Is the path the prefix, or below it? */
static bool is_below(str path, str prefix)
{
    return str_starts(path, prefix) && (path.n == prefix.n || path.p[prefix.n] == '/');
}

const struct surface *entity_surface_of(str path)
{
    return is_below(path, STR("/api")) ? &unknown_surface : NULL;
}

void entity_refuse_unknown(struct api_request *request)
{
    str path = request->http->path, line = STR_NONE;
    struct error err;
    if (is_below(path, STR("/api/message"))) {
        fail_code(&err, ST_UNSUPPORTED, "UNSUPPORTED", "this engine has no edge messages");
    } else if (request->allow.n) {
        fail_code(&err, ST_INVALID, "METHOD_NOT_ALLOWED", "this path takes %.*s", STR_ARG(request->allow));
        line = arena_printf(request->http->arena, "Allow: %.*s\r\n", STR_ARG(request->allow));
    } else {
        fail_code(&err, ST_NOT_FOUND, "NOT_FOUND", "there is nothing at this path");
    }
    answer(request, entity_error_http(&err), line, answer_error_body(request, &err, request->http->arena));
}
