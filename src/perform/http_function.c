/* perform/http_function.c — turns a function's call into a request. */
#include "perform/http_function_int.h"

#include "base/ascii.h"
#include "base/escape.h"

/* ---- types ---- */

static const struct {
    str word;
    enum function_kind kind;
} kinds[] = {
    { STR_INIT(""), FUNCTION_PLAIN },
    { STR_INIT("http"), FUNCTION_PLAIN },
    { STR_INIT("rest"), FUNCTION_PLAIN },
    { STR_INIT("cloudevent"), FUNCTION_EVENT_BINARY },
    { STR_INIT("cloudevent:binary"), FUNCTION_EVENT_BINARY },
    { STR_INIT("cloudevent:structured"), FUNCTION_EVENT_STRUCTURED },
    { STR_INIT("emit"), FUNCTION_EMIT },
};

static const struct {
    str word;
    bool query; /* The request goes into the query. */
} methods[] = {
    { STR_INIT("GET"), true },     { STR_INIT("HEAD"), true },  { STR_INIT("DELETE"), true },
    { STR_INIT("OPTIONS"), true }, { STR_INIT("POST"), false }, { STR_INIT("PUT"), false },
    { STR_INIT("PATCH"), false },
};

bool http_function_type_parse(str type, enum function_kind *ret_kind, str *ret_method)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!str_equal_ignoring_case(type, kinds[i].word)) continue;
        *ret_kind = kinds[i].kind;
        *ret_method = STR("POST");
        return true;
    }
    str scheme = str_slice(type, 0, 5), method = type;
    if (str_equal_ignoring_case(scheme, STR("http:")) || str_equal_ignoring_case(scheme, STR("rest:")))
        method = str_slice(type, 5, type.n);
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (!str_equal_ignoring_case(method, methods[i].word)) continue;
        *ret_kind = FUNCTION_PLAIN;
        *ret_method = methods[i].word;
        return true;
    }
    return false;
}

static bool method_has_query(str method)
{
    for (size_t i = 0; i < COUNT(methods); i++)
        if (str_equal(method, methods[i].word)) return methods[i].query;
    return false;
}

/* ---- errors ---- */

const struct json *http_error(struct arena *arena, str name, str message, const struct json *data)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, name);
    json_add_name(&builder, STR("message"));
    json_add_string(&builder, message);
    json_add_name(&builder, STR("data"));
    json_add(&builder, data);
    json_close(&builder);
    return json_built(&builder);
}

const struct json *http_error_reason(struct arena *arena, const char *reason, str message)
{
    const struct json *data =
        json_set(arena, json_empty_object(), STR("reason"), json_of_string(arena, str_of(reason)));
    return http_error(arena, STR(FUNCTION_EXCEPTION), message, data);
}

/* ---- the URL ---- */

struct url {
    struct arena *arena;
    const struct json *request;
    struct buf out;
    bool filled; /* A value of the request is in it. */
};

/* A scalar as text. False for null, arrays and objects. */
static bool scalar_text(const struct json *value, struct arena *arena, str *ret_text)
{
    struct buf text;
    switch (json_kind(value)) {
    case JSON_STRING: *ret_text = json_string(value); return true;
    case JSON_BOOL: *ret_text = json_bool(value) ? STR("true") : STR("false"); return true;
    case JSON_NUMBER:
        buf_init(&text, arena);
        json_print(value, &text);
        *ret_text = buf_str(&text);
        return true;
    default: return false;
    }
}

static const struct json *fill_name(struct url *url, str name, bool in_host)
{
    const struct json *value = json_get(url->request, name);
    if (!value || json_is(value, JSON_NULL))
        return http_error_reason(
            url->arena, "missingParameter",
            arena_printf(url->arena, "the request has no \"%.*s\" for the function's URL", STR_ARG(name)));
    str text;
    if (!scalar_text(value, url->arena, &text))
        return http_error_reason(
            url->arena, "parameterNotScalar",
            arena_printf(url->arena,
                         "\"%.*s\" of the request is an %s, which has no place in the function's URL",
                         STR_ARG(name), json_kind_name(json_kind(value))));
    if (in_host && !escape_is_host(text))
        return http_error_reason(
            url->arena, "parameterNotHost",
            arena_printf(url->arena,
                         "\"%.*s\" of the request stands for a host in the function's URL, and is none",
                         STR_ARG(name)));
    if (in_host) buf_add_str(&url->out, text);
    else escape_url(&url->out, text);
    url->filled = true;
    return NULL;
}

static const struct json *malformed(struct url *url, const char *what)
{
    return http_error_reason(url->arena, "malformedTemplate",
                             arena_printf(url->arena, "the function's URL %s", what));
}

/* The path begins behind scheme and authority. */
static size_t path_start(str url)
{
    size_t at = str_find(url, STR("://"), 0);
    at = at == SIZE_MAX ? 0 : at + 3;
    while (at < url.n && url.p[at] != '/' && url.p[at] != '?') at++;
    return at;
}

/* Returns NULL, or an error. A fragment is for browsers and is left out. */
static const struct json *fill_template(struct url *url, str resource)
{
    size_t path = path_start(resource);
    for (size_t i = 0; i < resource.n && resource.p[i] != '#'; i++) {
        char c = resource.p[i];
        if (c == '}') return malformed(url, "has a } without a {");
        if (c == '{') {
            size_t end = str_find(resource, STR("}"), i);
            str name = str_slice(resource, i + 1, end);
            if (end == SIZE_MAX || memchr(name.p, '{', name.n)) return malformed(url, "has a { without a }");
            if (!name.n) return malformed(url, "has a {} without a name");
            const struct json *error = fill_name(url, name, i < path);
            if (error) return error;
            i = end;
        } else if ((unsigned char)c >= 0x80 && i >= path) {
            escape_byte(&url->out, (unsigned char)c);
        } else {
            buf_add_char(&url->out, c);
        }
    }
    return NULL;
}

/* A request must not climb out of the path that the document's author wrote. */
static bool has_dot_segment(str url)
{
    size_t at = path_start(url);
    size_t end = str_find(url, STR("?"), at);
    if (end == SIZE_MAX) end = url.n;
    while (at < end) {
        size_t next = str_find(url, STR("/"), at + 1);
        if (next > end) next = end;
        str segment = str_slice(url, at + 1, next);
        if (escape_is_dots(segment)) return true;
        at = next;
    }
    return false;
}

static void add_query(struct url *url, str resource)
{
    bool has_query = str_find(buf_str(&url->out), STR("?"), 0) != SIZE_MAX;
    struct json_each each = json_each(url->request);
    while (json_next(&each)) {
        str text;
        str used = arena_printf(url->arena, "{%.*s}", STR_ARG(each.name));
        if (str_find(resource, used, 0) != SIZE_MAX || !scalar_text(each.value, url->arena, &text)) continue;
        if (!has_query) buf_add_char(&url->out, '?');
        else if (!strchr("?&", url->out.p[url->out.n - 1])) buf_add_char(&url->out, '&');
        has_query = true;
        escape_url(&url->out, each.name);
        buf_add_char(&url->out, '=');
        escape_url(&url->out, text);
    }
}

/* ---- the request ---- */

static void set_plain(struct outcall *outcall, const struct json *request)
{
    static const struct outcall_header accept = { STR_INIT("Accept"), STR_INIT(ACCEPTED_TYPES) };
    outcall->header = &accept;
    outcall->header_count = 1;
    if (method_has_query(outcall->method)) return;
    struct buf body;
    buf_init(&body, outcall->arena);
    json_print(request, &body);
    outcall->content_type = STR("application/json");
    outcall->body = buf_str(&body);
}

bool http_function_render(const struct function_call *call, struct arena *arena, struct outcall *ret_outcall,
                          const struct json **ret_error)
{
    enum function_kind kind;
    str method;
    if (!http_function_type_parse(call->type, &kind, &method)) {
        str message = arena_printf(arena, "\"%.*s\" is no type of an HTTP function", STR_ARG(call->type));
        *ret_error = http_error_reason(arena, "unknownType", message);
        return false;
    }
    struct url url = { .arena = arena, .request = call->request ? call->request : json_empty_object() };
    buf_init(&url.out, arena);
    const struct json *error = fill_template(&url, call->resource);
    if (!error && url.filled && has_dot_segment(buf_str(&url.out)))
        error = http_error_reason(arena, "dotSegment",
                                  STR("the request would put . or .. into the path of the function's URL"));
    if (error) {
        *ret_error = error;
        return false;
    }
    if (method_has_query(method) && json_is(url.request, JSON_OBJECT)) add_query(&url, call->resource);
    if (call->query) http_add_query(&url.out, call->query, arena);

    struct outcall *outcall = ret_outcall;
    *outcall = (struct outcall){
        .method = method,
        .url = buf_str(&url.out),
        .idempotency_key = http_header_text(arena, call->idempotency_key),
        .traceparent = call->traceparent,
        .timeout_ms = call->timeout_ms,
        .arena = arena,
        .priority = ret_outcall->priority,
        .done = ret_outcall->done,
        .user = ret_outcall->user,
    };
    if (kind == FUNCTION_PLAIN) set_plain(outcall, url.request);
    else cloud_event_render(call, kind, url.request, outcall);
    const char *why = call->headers ? http_add_headers(outcall, call->headers) : NULL;
    if (why) *ret_error = http_error_reason(arena, "invalidHeader", str_of(why));
    return !why;
}
