#include "api/api_int.h"

#include "json/json.h"

#define CORS_ORIGIN "Access-Control-Allow-Origin: %.*s\r\nVary: Origin\r\n"

str answer_cors(struct api_request *request)
{
    str origin = request->allowed_origin;
    if (!origin.n) return STR_NONE;
    return arena_printf(
        request->http->arena,
        CORS_ORIGIN "Access-Control-Expose-Headers: Retry-After, Idempotency-Replayed, WWW-Authenticate\r\n",
        STR_ARG(origin));
}

void answer_preflight(struct api_request *request)
{
    str lines = arena_printf(
        request->http->arena,
        CORS_ORIGIN
        "Access-Control-Allow-Methods: GET, POST, OPTIONS\r\n"
        "Access-Control-Allow-Headers: Accept, Authorization, Content-Type, Idempotency-Key, "
        "Last-Event-ID, ce-specversion, ce-id, ce-source, ce-type, ce-subject, ce-time, ce-dataschema\r\n"
        "Access-Control-Max-Age: 300\r\n",
        STR_ARG(request->allowed_origin));
    http_respond(request->http, 200, lines, STR_NONE);
}

void answer_typed(struct api_request *request, int http_status, str type, str headers, str body)
{
    str cors = answer_cors(request);
    if (!cors.n && !headers.n && str_equal(type, STR("application/json"))) {
        http_respond(request->http, http_status, STR("Content-Type: application/json\r\n"), body);
        return;
    }
    struct buf lines;
    buf_init(&lines, request->http->arena);
    if (type.n) buf_printf(&lines, "Content-Type: %.*s\r\n", STR_ARG(type));
    buf_add_str(&lines, cors);
    buf_add_str(&lines, headers);
    http_respond(request->http, http_status, buf_str(&lines), body);
}

static bool has_problems(const struct api_request *request)
{
    return request->route && request->route->problems;
}

void answer(struct api_request *request, int http_status, str headers, str body)
{
    str type = !body.n                                       ? STR_NONE
               : http_status >= 400 && has_problems(request) ? STR("application/problem+json")
                                                             : STR("application/json");
    answer_typed(request, http_status, type, headers, body);
}

/* How long to stay away, by what is wrong: a queue empties quickly, a disk does not. */
str answer_advice(enum status status)
{
    switch (status) {
    case ST_UNAUTHORIZED: return STR("WWW-Authenticate: Bearer\r\n");
    case ST_OVERLOAD:
    case ST_BUSY: return STR("Retry-After: 1\r\n");
    case ST_STORE: return STR("Retry-After: 5\r\n");
    case ST_DRAINING: return STR("Retry-After: 5\r\n");
    case ST_FULL: return STR("Retry-After: 30\r\n");
    default: return STR_NONE;
    }
}

/* The sentence for people: with its place, if it is about one in a text. */
static str sentence(const struct error *err, struct arena *arena)
{
    const char *text = err->message[0] ? err->message : status_meaning(err->status);
    if (!err->line) return str_of(text);
    return arena_printf(arena, "line %u, column %u: %s", err->line, err->column, text);
}

void put_error(const struct error *err, struct buf *out)
{
    str text = sentence(err, out->arena);
    PUT(out, "{\"error\":");
    put_text(out, str_of(status_word(err->status)));
    PUT(out, ",\"reason\":");
    put_text(out, text);
    PUT(out, ",\"message\":");
    put_text(out, text);
}

void put_problem(const struct error *err, struct buf *out)
{
    int http_status = status_http(err->status);
    put_error(err, out);
    PUT(out, ",\"type\":\"about:blank\",\"title\":");
    put_text(out, str_of(http_reason(http_status)));
    PUT(out, ",\"status\":");
    put_int(out, http_status);
    PUT(out, ",\"detail\":");
    put_text(out, sentence(err, out->arena));
}

void answer_error(struct api_request *request, const struct error *err)
{
    struct buf out;
    buf_init(&out, request->http->arena);
    if (has_problems(request)) put_problem(err, &out);
    else put_error(err, &out);
    buf_add_char(&out, '}');
    answer(request, status_http(err->status), answer_advice(err->status), buf_str(&out));
}
