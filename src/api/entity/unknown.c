/* api/entity/unknown.c — paths under /api that no route has, and methods that their paths do not have.
 *
 * Clients of entities read a problem document whatever goes wrong. Edge messages (/api/message) are a part of
 * the original's API that this engine does not have, and it says so instead of knowing nothing of the path.
 */
#include "api/entity/entity_int.h"

static const struct surface unknown_surface = { .prefix = STR_INIT("/api"), .errors = &entity_errors };

bool entity_is_below(str path, str prefix)
{
    return str_starts(path, prefix) && (path.n == prefix.n || path.p[prefix.n] == '/');
}

/* The first part of a path: "/v1" of "/v1/instances". */
static str first_part(str path)
{
    size_t end = str_find(path, STR("/"), 1);
    return str_slice(path, 0, end);
}

static bool is_taken(str part)
{
    for (const struct surface *const *surface = routes_all; *surface; surface++)
        for (size_t i = 0; i < (*surface)->route_count; i++)
            if (str_equal(first_part(str_of((*surface)->route[i].pattern)), part)) return true;
    return false;
}

enum status api_check_context_path(str path, struct error *err)
{
    bool is_path = path.n > 1 && path.p[0] == '/' && path.p[path.n - 1] != '/';
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                        c == '_' || c == '-' || c == '.' || (c == '/' && !(i && path.p[i - 1] == '/'));
        is_path &= is_plain;
    }
    if (!is_path)
        return fail(err, ST_INVALID, "--context-path",
                    "--context-path is a path like /cyoda, of letters, digits, '_', '-' and '.'");
    if (!str_equal(path, STR("/api")) && is_taken(first_part(path)))
        return fail(err, ST_INVALID, "--context-path",
                    "--context-path: the engine has other routes below %.*s", STR_ARG(first_part(path)));
    return ST_OK;
}

const struct surface *entity_surface_of(str path)
{
    return entity_is_below(path, STR("/api")) ? &unknown_surface : NULL;
}

void entity_refuse_unknown(struct api_request *request)
{
    str path = request->http->path, line = STR_NONE;
    struct error err;
    if (entity_is_below(path, STR("/api/message"))) {
        fail_code(&err, ST_UNSUPPORTED, "UNSUPPORTED", "this engine has no edge messages");
    } else if (request->allow.n) {
        fail_code(&err, ST_INVALID, "METHOD_NOT_ALLOWED", "this path takes %.*s", STR_ARG(request->allow));
        line = arena_printf(request->http->arena, "Allow: %.*s\r\n", STR_ARG(request->allow));
    } else {
        fail_code(&err, ST_NOT_FOUND, "NOT_FOUND", "there is nothing at this path");
    }
    answer(request, entity_error_http(&err), line, answer_error_body(request, &err, request->http->arena));
}
