/* perform/http_request.c — a request whose parts are all in the job's input, and its answer as a value:
 *
 *     {method, url, headers, query, body}  →  {status_code, headers, body}
 *
 * The type of such a call is "request". The body goes as JSON unless it is a text, which goes as it is, or
 * the Content-Type asks for a form. Every status but 2xx is an error: HTTP_404. If there is no answer, the
 * error has the name of the failure in outcall.h: CONNECTION_REFUSED.
 */
#include "perform/http_function_int.h"

#include "base/ascii.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "perform/limits.h"

#define FORM_TYPE "application/x-www-form-urlencoded"

/* ---- errors ---- */

const struct json *http_bad_request(struct arena *arena, str message)
{
    return http_error(arena, STR("INVALID_REQUEST"), message, json_null());
}

/* ---- the URL ---- */

/* Adds the URL without its fragment. Blanks and characters beyond ASCII are for people: they are sent
 * encoded. */
static void add_url(struct buf *out, str url)
{
    for (size_t i = 0; i < url.n && url.p[i] != '#'; i++) {
        unsigned char c = (unsigned char)url.p[i];
        if (c <= ' ' || c >= 0x7f) escape_byte(out, c);
        else buf_add_char(out, (char)c);
    }
}

/* ---- headers ---- */

/* Returns NULL, or why the headers cannot be sent. */
static const char *set_headers(struct outcall *outcall, const struct json *headers, uint32_t attempt)
{
    const struct outcall_header own[] = {
        { STR("Accept"), STR(ACCEPTED_TYPES) },
        { STR("X-Attempt"), arena_printf(outcall->arena, "%u", attempt ? attempt : 1) },
    };
    outcall->header = own;
    outcall->header_count = COUNT(own);
    const char *why = http_add_headers(outcall, headers);
    if (why) outcall->header_count = 0;
    return why;
}

/* ---- the body ---- */

static void set_body(struct outcall *outcall, const struct json *body)
{
    struct buf out;
    if (!body || json_is(body, JSON_NULL)) return;
    if (json_is(body, JSON_STRING)) {
        outcall->body = json_string(body).n ? json_string(body) : STR("");
        if (!outcall->content_type.n) outcall->content_type = STR("text/plain; charset=utf-8");
        return;
    }
    buf_init(&out, outcall->arena);
    if (json_is(body, JSON_OBJECT) &&
        str_equal_ignoring_case(http_media_type(outcall->content_type), STR(FORM_TYPE)))
        http_add_parameters(&out, '\0', body, outcall->arena);
    else json_print(body, &out);
    if (!outcall->content_type.n) outcall->content_type = STR("application/json");
    outcall->body = out.n ? buf_str(&out) : STR("");
}

/* ---- the request ---- */

static const struct json *object_member(const struct json *request, const char *name, struct arena *arena,
                                        const struct json **ret_error)
{
    const struct json *value = json_get(request, str_of(name));
    if (!value || json_is(value, JSON_NULL)) return json_empty_object();
    if (!json_is(value, JSON_OBJECT))
        *ret_error = http_bad_request(arena, arena_printf(arena, "%s must be names and values, and is %s",
                                                          name, json_kind_name(json_kind(value))));
    return value;
}

bool http_request_render(const struct function_call *call, struct arena *arena, struct outcall *ret_outcall,
                         const struct json **ret_error)
{
    const struct json *method = json_get(call->request, STR("method")),
                      *url = json_get(call->request, STR("url"));
    *ret_error = NULL;
    const struct json *query = object_member(call->request, "query", arena, ret_error);
    const struct json *headers = object_member(call->request, "headers", arena, ret_error);
    if (!json_is(url, JSON_STRING) || !json_string(url).n)
        *ret_error = http_bad_request(arena, STR("the address of the web service is empty, or no text"));
    if (*ret_error) return false;
    struct buf out;
    buf_init(&out, arena);
    add_url(&out, str_trim(json_string(url)));
    http_add_query(&out, query, arena);
    *ret_outcall = (struct outcall){
        .method = json_is(method, JSON_STRING) ? json_string(method) : STR("GET"),
        .url = buf_str(&out),
        .idempotency_key = http_header_text(arena, call->idempotency_key),
        .traceparent = call->traceparent,
        .timeout_ms = call->timeout_ms,
        .keeps_headers = true,
        .arena = arena,
        .priority = ret_outcall->priority,
        .done = ret_outcall->done,
        .user = ret_outcall->user,
    };
    const char *why = set_headers(ret_outcall, headers, call->attempt);
    if (why) {
        *ret_error = http_bad_request(arena, str_of(why));
        return false;
    }
    set_body(ret_outcall, json_get(call->request, STR("body")));
    return true;
}

/* ---- the answer ---- */

static str lower(str text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.n + 1);
    for (size_t i = 0; i < text.n; i++) copy[i] = ascii_lower(text.p[i]);
    return (str){ copy, text.n };
}

/* Names in lower case; a header that comes several times has its values with commas between. */
static const struct json *headers_of(const struct outcall *outcall)
{
    const struct json *headers = json_empty_object();
    for (size_t i = 0; i < outcall->answer_header_count; i++) {
        const struct outcall_header *header = &outcall->answer_header[i];
        if (!utf8_is_valid(header->name) || !utf8_is_valid(header->value)) continue;
        str name = lower(header->name, outcall->arena), value = header->value;
        const struct json *before = json_get(headers, name);
        if (before)
            value = arena_printf(outcall->arena, "%.*s, %.*s", STR_ARG(json_string(before)), STR_ARG(value));
        headers = json_set(outcall->arena, headers, name, json_of_string(outcall->arena, value));
    }
    return headers;
}

static const struct json *answer_value(const struct outcall *outcall)
{
    struct json_builder out;
    json_builder_init(&out, outcall->arena);
    json_open_object(&out);
    json_add_name(&out, STR("status_code"));
    json_add_int(&out, outcall->status);
    json_add_name(&out, STR("headers"));
    json_add(&out, headers_of(outcall));
    json_add_name(&out, STR("body"));
    json_add(&out, http_body_value(outcall));
    json_close(&out);
    return json_built(&out);
}

static const char *failure_name(enum outcall_failure failure)
{
    static const char *const names[OUTCALL_FAILURE_COUNT] = {
#define XX(NAME, word, why) #NAME,
        OUTCALL_FAILURE_MAP(XX)
#undef XX
    };
    return names[failure];
}

const struct json *http_failure_error(const struct outcall *outcall)
{
    struct arena *arena = outcall->arena;
    return perform_error_coded(
        arena, http_error(arena, str_of(failure_name(outcall->failure)), outcall->message, json_null()),
        reason_code_word(outcall->code));
}

str http_status_name(const struct outcall *outcall)
{
    return arena_printf(outcall->arena, "HTTP_%d", outcall->status);
}

bool http_request_read(const struct function_call *call, const struct outcall *outcall,
                       const struct json **ret_value, const struct json **ret_error)
{
    if (outcall->failure != OUTCALL_NONE) {
        *ret_error = http_failure_error(outcall);
        return false;
    }
    if (outcall->status >= 200 && outcall->status <= 299) {
        *ret_value = answer_value(outcall);
        return true;
    }
    *ret_error = http_status_error(call, outcall, http_status_name(outcall));
    return false;
}
