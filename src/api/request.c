#include "api/api_int.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "json/json.h"

#include <math.h>

enum { SHORT_BYTES_MAX = 64 << 10 };

/* ---- the body ---- */

enum status body_object(struct api_request *request, bool required, const struct json **ret_object,
                        struct error *err)
{
    return body_object_in(request, required, request->http->arena, ret_object, err);
}

enum status body_object_in(struct api_request *request, bool required, struct arena *arena,
                           const struct json **ret_object, struct error *err)
{
    str body = request->http->body;
    const struct json *value = NULL;
    if (body.n) {
        struct json_limits limits = { (size_t)request->api->config.limits.body_bytes_max, JSON_DEPTH_MAX };
        TRY(json_parse(body, &limits, arena, &value, err));
        if (json_is(value, JSON_NULL)) value = NULL;
    }
    if (!value && required) return fail(err, ST_INVALID, "", "the request needs a body: a JSON object");
    if (value && !json_is(value, JSON_OBJECT))
        return fail(err, ST_INVALID, "", "the body must be a JSON object, not %s",
                    json_kind_name(json_kind(value)));
    *ret_object = value;
    return ST_OK;
}

/* The member if it is of that kind, NULL if it is absent or null. */
static enum status member(const struct json *object, const char *name, enum json_kind kind,
                          const struct json **ret_value, struct error *err)
{
    const struct json *value = object ? json_get(object, str_of(name)) : NULL;
    if (value && json_is(value, JSON_NULL)) value = NULL;
    if (value && !json_is(value, kind))
        return fail(err, ST_INVALID, name, "%s must be of type %s, not %s", name, json_kind_name(kind),
                    json_kind_name(json_kind(value)));
    *ret_value = value;
    return ST_OK;
}

enum status field_text(const struct json *object, const char *name, size_t bytes_max, str *ret_text,
                       struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_STRING, &value, err));
    str text = value ? json_string(value) : STR_NONE;
    if (text.n > bytes_max)
        return fail(err, ST_LIMIT, name, "%s has %zu bytes; the most is %zu", name, text.n, bytes_max);
    *ret_text = text;
    return ST_OK;
}

enum status field_required_text(const struct json *object, const char *name, size_t bytes_max, str *ret_text,
                                struct error *err)
{
    str text;
    TRY(field_text(object, name, bytes_max, &text, err));
    if (!text.n) return fail(err, ST_INVALID, name, "%s is required", name);
    *ret_text = text;
    return ST_OK;
}

enum status field_integer(const struct json *object, const char *name, int64_t *ret_value, struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_NUMBER, &value, err));
    int64_t number = 0;
    if (value && !json_int64(value, &number))
        return fail(err, ST_INVALID, name, "%s must be an integer", name);
    *ret_value = number;
    return ST_OK;
}

enum status field_flag(const struct json *object, const char *name, bool *ret_flag, struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_BOOL, &value, err));
    *ret_flag = value && json_bool(value);
    return ST_OK;
}

enum status field_list(const struct json *object, const char *name, const struct json **ret_list,
                       struct error *err)
{
    return member(object, name, JSON_ARRAY, ret_list, err);
}

static enum status seconds_to_ms(const struct json *number, const char *name, int64_t seconds_max,
                                 int64_t *ret_ms, struct error *err)
{
    double seconds = json_double(number);
    if (!(seconds >= 0) || seconds > (double)seconds_max)
        return fail(err, ST_INVALID, name, "%s must be between 0 and %lld seconds", name,
                    (long long)seconds_max);
    *ret_ms = (int64_t)ceil(seconds * 1000);
    return ST_OK;
}

enum status field_seconds(const struct json *object, const char *name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_NUMBER, &value, err));
    *ret_ms = 0;
    return value ? seconds_to_ms(value, name, seconds_max, ret_ms, err) : ST_OK;
}

enum status field_variables(const struct json *object, const char *name, const struct json **ret_variables,
                            struct error *err)
{
    return member(object, name, JSON_OBJECT, ret_variables, err);
}

/* ---- the query ---- */

str query_text(struct api_request *request, str name)
{
    str value = STR_NONE;
    if (!request->http->query.n || !http_query(request->http, name, &value)) return STR_NONE;
    return value;
}

enum status query_seconds(struct api_request *request, str name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err)
{
    str text = query_text(request, name);
    *ret_ms = 0;
    if (!text.n) return ST_OK;
    const struct json *number = json_number_parse(text, request->http->arena);
    if (!number) return fail(err, ST_INVALID, name.p, "%s must be a number of seconds", name.p);
    return seconds_to_ms(number, name.p, seconds_max, ret_ms, err);
}

enum status query_flag(struct api_request *request, str name, bool *ret_flag, struct error *err)
{
    str text = query_text(request, name);
    *ret_flag = str_equal(text, STR("true"));
    if (text.n && !*ret_flag && !str_equal(text, STR("false")))
        return fail(err, ST_INVALID, name.p, "%s must be true or false", name.p);
    return ST_OK;
}

void query_page(struct api_request *request, int64_t *ret_skip, size_t *ret_size)
{
    enum { SIZE_DEFAULT = 20 };
    int64_t page, size;
    if (!str_to_int64(query_text(request, STR("page")), &page) || page < 0) page = 0;
    if (!str_to_int64(query_text(request, STR("pageSize")), &size) || size <= 0) size = SIZE_DEFAULT;
    if (size > request->api->config.limits.page_size_max) size = request->api->config.limits.page_size_max;
    if (page > INT32_MAX) page = INT32_MAX; /* Beyond every list, and the product still fits. */
    *ret_skip = page * size;
    *ret_size = (size_t)size;
}

enum status query_cursor(struct api_request *request, bool *ret_given, struct id *ret_id, struct error *err)
{
    str text = query_text(request, STR("cursor"));
    *ret_given = text.n > 0;
    if (text.n && !id_parse(text, ret_id))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    return ST_OK;
}

uint64_t query_instance(struct api_request *request)
{
    str text = query_text(request, STR("instanceId"));
    if (!text.n) return 0;
    struct id id;
    return id_parse(text, &id) && id.number == 0 ? id.instance : ID_INSTANCE_MAX;
}

/* ---- the path ---- */

static enum status not_found(const struct api_request *request, const char *what, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "", "%s \"%.*s\" not found", what, STR_ARG(request->param[0]));
}

enum status param_instance(struct api_request *request, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(request->param[0], &id) || id.number || id.delivery)
        return not_found(request, "instance", err);
    *ret_id = id;
    return ST_OK;
}

enum status param_job(struct api_request *request, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(request->param[0], &id) || !id.number) return not_found(request, "job", err);
    *ret_id = id;
    return ST_OK;
}

enum status param_task(struct api_request *request, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(request->param[0], &id) || !id.number || id.delivery)
        return not_found(request, "user task", err);
    *ret_id = id;
    return ST_OK;
}

/* ---- the body's type ---- */

str request_media_type(const struct api_request *request)
{
    str type = http_header(request->http, STR("Content-Type"));
    return str_trim(str_slice(type, 0, str_find(type, STR(";"), 0)));
}

/* The value of the parameter that begins here, without its quotes; empty if it is another one. */
static str parameter_value(str parameter, str name)
{
    size_t equals = str_find(parameter, STR("="), 0);
    if (equals == SIZE_MAX || !str_equal_ignoring_case(str_trim(str_slice(parameter, 0, equals)), name))
        return STR_NONE;
    str value = str_trim(str_slice(parameter, equals + 1, parameter.n));
    bool quoted = value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"';
    return quoted ? str_slice(value, 1, value.n - 1) : value;
}

bool request_is_utf8(const struct api_request *request)
{
    str rest = http_header(request->http, STR("Content-Type"));
    for (size_t mark; (mark = str_find(rest, STR(";"), 0)) != SIZE_MAX;) {
        rest = str_slice(rest, mark + 1, rest.n);
        str charset = parameter_value(str_slice(rest, 0, str_find(rest, STR(";"), 0)), STR("charset"));
        if (charset.n && !str_equal_ignoring_case(charset, STR("utf-8")) &&
            !str_equal_ignoring_case(charset, STR("us-ascii")))
            return false;
    }
    return true;
}

/* ---- calls ---- */

static const bool call_writes[] = {
#define XX(NAME, where, writes) [CALL_##NAME] = writes,
    CALL_MAP(XX)
#undef XX
};

void request_left(struct api_request *request)
{
    request->gone = true;
    if (request->call) runtime_abandon(request->api->config.runtime, request->call);
}

static void client_left(void *user) { request_left(user); }

/* A renderer may refuse, too. */
static str advice_of(int http_status)
{
    return http_status == status_http(ST_OVERLOAD) ? answer_advice(ST_OVERLOAD) : STR_NONE;
}

static void answered(struct call *call)
{
    struct api_request *request = call->user;
    request->call = NULL;
    if (call->replayed) {
        str lines = arena_printf(call->arena, "Idempotency-Replayed: true\r\n%.*s",
                                 STR_ARG(advice_of(call->replayed_http)));
        answer(request, call->replayed_http, lines, call->replayed_body);
        return;
    }
    if (call->status != ST_OK && call->problems.error_count) {
        definitions_answer_refusal(request, call);
        return;
    }
    if (call->status != ST_OK) {
        call->error.status = call->status;
        answer_error(request, &call->error);
        return;
    }
    struct buf out;
    int http_status = 200;
    buf_init(&out, call->arena);
    /* While clients do not read what they were given, others are given little. */
    if (budget_over(request->api->config.answers) && call->answer_max > SHORT_BYTES_MAX)
        call->answer_max = SHORT_BYTES_MAX;
    call->render(call, &http_status, &out);
    answer(request, http_status, advice_of(http_status), buf_str(&out));
}

struct call *request_call(struct api_request *request, enum call_kind kind, call_render_fn *render)
{
    struct call *call = call_new(kind, request->http->arena, answered, request);
    call->render = render;
    call->answer_max = request->api->config.limits.answer_bytes_max;
    return call;
}

/* What makes two requests the same: method, path, body and, if there is one, identity. */
static uint64_t request_hash(const struct api_request *request)
{
    const struct http_request *http = request->http;
    uint64_t parts[] = { hash_bytes(http->method), hash_bytes(http->path), hash_bytes(http->body),
                         hash_bytes(request->identity) };
    return hash_bytes(
        (str){ (const char *)parts, request->identity.n ? sizeof parts : sizeof parts - sizeof parts[0] });
}

static enum status take_key(struct api_request *request, struct call *call, struct error *err)
{
    str key = http_header(request->http, STR("Idempotency-Key"));
    if (!key.n) return ST_OK;
    if (key.n > IDEMPOTENCY_KEY_BYTES_MAX || !utf8_is_valid(key))
        return fail(err, ST_INVALID, "Idempotency-Key", "Idempotency-Key must be at most %d bytes of UTF-8",
                    IDEMPOTENCY_KEY_BYTES_MAX);
    call->idempotency_key = key;
    call->request_hash = request_hash(request);
    return ST_OK;
}

enum status request_submit(struct api_request *request, struct call *call, struct error *err)
{
    if (call_writes[call->kind]) TRY(take_key(request, call, err));
    request->call = call;
    if (call->kind != CALL_DEPLOY) http_drop_body(request->http); /* What was parsed is in the arena. */
    call->kept_bytes = request->http->body.n;
    /* A client that only half-closed looks like one that left, and still gets quick answers. */
    if (call->wait_ms > 0) request->http->on_gone = client_left;
    enum status status = runtime_submit(request->api->config.runtime, call);
    if (status == ST_OK) return ST_OK;
    request->call = NULL;
    return fail(err, status, "", "%s", status_meaning(status));
}
