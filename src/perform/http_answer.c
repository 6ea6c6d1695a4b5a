/* perform/http_answer.c — turns an answer into a function's result or its error. */
#include "perform/http_function_int.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "perform/limits.h"

/* ---- bodies ---- */

enum body_kind {
    BODY_EMPTY,
    BODY_JSON,
    BODY_TEXT,
    BODY_BROKEN_JSON, /* Declared as JSON, and does not parse. */
    BODY_BYTES,       /* Not UTF-8. */
};

struct answer_body {
    enum body_kind kind;
    const struct json *value; /* Null unless JSON or text. Broken JSON is kept as text. */
    struct error err;         /* Why broken JSON does not parse. */
};

/* The type without parameters: "application/json" of "application/json; charset=utf-8". */
str http_media_type(str content_type)
{
    return str_trim(str_slice(content_type, 0, str_find(content_type, STR(";"), 0)));
}

static bool is_json_type(str type)
{
    str end = str_slice(type, type.n < 5 ? 0 : type.n - 5, type.n);
    return str_equal_ignoring_case(type, STR("application/json")) ||
           str_equal_ignoring_case(type, STR("text/json")) || str_equal_ignoring_case(end, STR("+json"));
}

/* Servers that do not know the type send this one, or none. */
static bool is_unknown_type(str type)
{
    return !type.n || str_equal_ignoring_case(type, STR("application/octet-stream"));
}

static struct answer_body read_body(const struct outcall *outcall)
{
    struct answer_body body = { .kind = BODY_EMPTY, .value = json_null() };
    str type = http_media_type(outcall->answer_type);
    if (!outcall->answer.n) return body;
    if (!utf8_is_valid(outcall->answer)) {
        body.kind = BODY_BYTES;
        return body;
    }
    bool declared = is_json_type(type);
    if ((declared || is_unknown_type(type)) &&
        json_parse(outcall->answer, NULL, outcall->arena, &body.value, &body.err) == ST_OK) {
        body.kind = BODY_JSON;
        return body;
    }
    body.kind = declared ? BODY_BROKEN_JSON : BODY_TEXT;
    body.value = json_of_string(outcall->arena, outcall->answer);
    return body;
}

/* ---- errors ---- */

/* The body as an error shows it. Long text is cut between two characters, and a value that would be too deep
 * inside the error's data is shown as text. */
static const struct json *body_shown(const struct outcall *outcall, const struct answer_body *body)
{
    str text = outcall->answer;
    if (json_is(body->value, JSON_STRING)) text = json_string(body->value);
    else if (json_depth(body->value) <= FUNCTION_ERROR_DEPTH_MAX) return body->value;

    return json_of_string(outcall->arena, utf8_cut(text, FUNCTION_ERROR_TEXT_BYTES_MAX));
}

static const struct json *answer_error(const struct outcall *outcall, const struct answer_body *body,
                                       str name, str message)
{
    struct json_builder data;
    json_builder_init(&data, outcall->arena);
    json_open_object(&data);
    json_add_name(&data, STR("status"));
    json_add_int(&data, outcall->status);
    json_add_name(&data, STR("body"));
    json_add(&data, body_shown(outcall, body));
    json_close(&data);
    return http_error(outcall->arena, name, message, json_built(&data));
}

/* Finds the error's name and message in the body: in exception, in error, or at its top. */
static void find_names(const struct json *body, str *name, str *message)
{
    const struct json *places[] = { json_get(body, STR("exception")), json_get(body, STR("error")), body };
    /* Our own word first, then those of RFC 9457. */
    static const str words[] = { STR_INIT("message"), STR_INIT("detail"), STR_INIT("title") };
    for (size_t i = 0; i < COUNT(places); i++) {
        str found = json_text(places[i], STR("name"));
        if (!name->n && found.n <= FUNCTION_ERROR_NAME_BYTES_MAX) *name = found;
        for (size_t w = 0; w < COUNT(words) && !message->n; w++) *message = json_text(places[i], words[w]);
    }
}

const struct json *http_status_error(const struct function_call *call, const struct outcall *outcall,
                                     str name)
{
    struct answer_body body = read_body(outcall);
    str found = STR_NONE, message = STR_NONE;
    if (body.kind == BODY_JSON) find_names(body.value, &found, &message);
    if (!name.n) name = found.n ? found : STR(FUNCTION_EXCEPTION);
    if (message.n) return answer_error(outcall, &body, name, message); /* The service says why. */
    message = call->function.n
                  ? arena_printf(outcall->arena, "the function %.*s answered with status %d",
                                 STR_ARG(call->function), outcall->status)
                  : arena_printf(outcall->arena, "the web service answered with status %d", outcall->status);
    return perform_error_coded(outcall->arena, answer_error(outcall, &body, name, message),
                               reason_code_of_status(outcall->status, outcall->arena));
}

const struct json *http_body_value(const struct outcall *outcall)
{
    struct answer_body body = read_body(outcall);
    if (body.kind != BODY_BYTES) return body.value;
    return json_of_string(outcall->arena, base64_encode(outcall->answer, outcall->arena));
}

static const struct json *transport_error(const struct outcall *outcall)
{
    struct arena *arena = outcall->arena;
    const char *reason = outcall_failure_word(outcall->failure);
    str code = reason_code_word(outcall->code);
    if (outcall->failure != OUTCALL_TIMEOUT)
        return perform_error_coded(arena, http_error_reason(arena, reason, outcall->message), code);
    const struct json *data =
        json_set(arena, json_empty_object(), STR("reason"), json_of_string(arena, str_of(reason)));
    return perform_error_coded(arena, http_error(arena, STR("TimeoutException"), outcall->message, data),
                               code);
}

/* ---- events ---- */

static bool is_binary_event(const struct outcall *outcall)
{
    for (size_t i = 0; i < outcall->answer_header_count; i++)
        if (str_equal_ignoring_case(outcall->answer_header[i].name, STR("ce-specversion"))) return true;
    return false;
}

static const struct json *event_data(const struct json *event)
{
    const struct json *data = json_get(event, STR("data"));
    if (!data) data = json_get(event, STR("data_base64"));
    return data ? data : json_null();
}

/* ---- the result ---- */

/* Returns the result, or NULL and an error. */
static const struct json *read_result(const struct function_call *call, const struct outcall *outcall,
                                      bool event, const struct json **ret_error)
{
    bool structured =
        event && str_equal_ignoring_case(http_media_type(outcall->answer_type), STR(EVENT_CONTENT_TYPE));
    struct answer_body body = read_body(outcall);
    str message;
    if (body.kind == BODY_BROKEN_JSON) {
        message = arena_printf(outcall->arena,
                               "the answer of %.*s says it is JSON and is not: line %u, column %u: %s",
                               STR_ARG(call->function), body.err.line, body.err.column, body.err.message);
    } else if (body.kind == BODY_BYTES && event && !structured && is_binary_event(outcall)) {
        /* Neither JSON nor text. */
        return json_of_string(outcall->arena, base64_encode(outcall->answer, outcall->arena));
    } else if (body.kind == BODY_BYTES) {
        message =
            arena_printf(outcall->arena, "the answer of %.*s is not UTF-8 text", STR_ARG(call->function));
    } else if (structured && !json_is(body.value, JSON_OBJECT)) {
        message = arena_printf(outcall->arena, "the answer of %.*s says it is a CloudEvent and is no object",
                               STR_ARG(call->function));
    } else {
        return structured ? event_data(body.value) : body.value;
    }
    *ret_error = answer_error(outcall, &body, STR(FUNCTION_EXCEPTION), message);
    return NULL;
}

bool http_answer_read_function(const struct function_call *call, const struct outcall *outcall,
                               const struct json **ret_value, const struct json **ret_error)
{
    enum function_kind kind = FUNCTION_PLAIN;
    str method;
    http_function_type_parse(call->type, &kind, &method);
    if (outcall->failure != OUTCALL_NONE) {
        *ret_error = transport_error(outcall);
        return false;
    }
    if (outcall->status < 200 || outcall->status > 299) {
        *ret_error = http_status_error(call, outcall, STR_NONE);
        return false;
    }
    if (kind == FUNCTION_EMIT) {
        *ret_value = json_null();
        return true;
    }
    const struct json *value = read_result(call, outcall, kind != FUNCTION_PLAIN, ret_error);
    if (value) *ret_value = value;
    return value != NULL;
}

/* "120", or a date: Wed, 21 Oct 2026 07:28:00 GMT. */
static bool parse_retry_after(str text, int64_t now_ms, int64_t *ret_ms)
{
    int64_t seconds, at_ms;
    text = str_trim(text);
    if (!str_to_int64(text, &seconds)) {
        if (!http_date_parse(text, &at_ms)) return false;
        seconds = (at_ms - now_ms + 999) / 1000;
    }
    if (seconds > RETRY_AFTER_SECONDS_MAX) seconds = RETRY_AFTER_SECONDS_MAX;
    *ret_ms = seconds > 0 ? seconds * 1000 : 0;
    return true;
}

bool http_answer_is_transient(const struct outcall *outcall, int64_t now_ms, int64_t *ret_after_ms)
{
    static const int statuses[] = { 408, 425, 429, 500, 502, 503, 504 };
    static const enum outcall_failure failures[] = { OUTCALL_CONNECTION_REFUSED, OUTCALL_CONNECTION_FAILED,
                                                     OUTCALL_NAME_NOT_FOUND, OUTCALL_TIMEOUT,
                                                     OUTCALL_MALFORMED };
    *ret_after_ms = 0;
    for (size_t i = 0; i < COUNT(failures); i++)
        if (outcall->failure == failures[i]) return true;
    bool transient = false;
    for (size_t i = 0; outcall->failure == OUTCALL_NONE && i < COUNT(statuses); i++)
        transient |= outcall->status == statuses[i];
    for (size_t i = 0; transient && i < outcall->answer_header_count; i++)
        if (str_equal_ignoring_case(outcall->answer_header[i].name, STR("retry-after")))
            parse_retry_after(outcall->answer_header[i].value, now_ms, ret_after_ms);
    return transient;
}
