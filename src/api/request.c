/* api/request.c — a request's body and its type, and the way of a call to the engine and back.
 *
 *     handler ──► call_…(request_origin()) ──► request_submit() ──► engine ──► answered() ──► answer.c
 */
#include "api/access/access_int.h"
#include "api/ahead_int.h"
#include "api/answer_int.h"
#include "api/aside_int.h"
#include "api/limits.h"
#include "api/request_int.h"
#include "api/submit_int.h"

#include "base/hash.h"
#include "json/json.h"

/* ---- the body ---- */

int64_t request_body_max(const struct api_request *request)
{
    int64_t own = request->http->body_bytes_max;
    return own ? own : request->api->config.limits.body_bytes_max;
}

static enum status parse(const struct api_request *request, size_t depth_max, struct arena *arena,
                         const struct json **ret_value, struct error *err)
{
    const struct json_limits limits = { (size_t)request_body_max(request), (uint32_t)depth_max };
    return json_parse(request->http->body, &limits, arena, ret_value, err);
}

enum status request_read_json(const struct api_request *request, struct arena *arena,
                              const struct json **ret_value, struct error *err)
{
    return parse(request, JSON_DEPTH_MAX, arena, ret_value, err);
}

enum status request_read_text(const struct api_request *request, struct arena *arena,
                              const struct json **ret_value, struct error *err)
{
    (void)arena, (void)ret_value;
    return fail(err, ST_INTERNAL, "", "the body of %.*s is not read as a value",
                STR_ARG(request->http->path));
}

enum status request_read(struct api_request *request, body_fn *read, struct arena *arena,
                         const struct json **ret_value, struct error *err)
{
    struct ahead *ahead = request->ahead;
    body_fn *has_read = ahead && request->route->read ? request->route->read : request_read_json;
    if (!ahead || read != has_read) return read(request, arena, ret_value, err);
    if (ahead->status != ST_OK) {
        *err = ahead->error;
        return ahead->status;
    }
    arena_adopt(arena, &ahead->arena);
    *ret_value = ahead->value;
    return ST_OK;
}

enum status request_json(struct api_request *request, size_t depth_max, struct arena *arena,
                         const struct json **ret_value, struct error *err)
{
    const struct json *value;
    struct ahead *ahead = request->ahead;
    if (ahead) TRY(request_read(request, request_read_json, arena, &value, err));
    else TRY(parse(request, depth_max, arena, &value, err));
    if (ahead && ahead->depth > depth_max)
        return fail(err, ST_LIMIT, "", "nested deeper than %zu (JSON_DEPTH_MAX)", depth_max);
    if (!ahead) TRY(takes_check_body(request, value, err));
    for (size_t i = 0; ahead && i < ahead->unknown_count; i++)
        TRY(takes_tell_member(request, &ahead->unknown[i], err));
    *ret_value = value;
    return ST_OK;
}

enum status request_body(struct api_request *request, bool required, const struct json **ret_object,
                         struct error *err)
{
    return request_body_in(request, required, request->http->arena, ret_object, err);
}

enum status request_body_in(struct api_request *request, bool required, struct arena *arena,
                            const struct json **ret_object, struct error *err)
{
    const struct json *value = NULL;
    if (request->http->body.n) {
        TRY(request_json(request, JSON_DEPTH_MAX, arena, &value, err));
        if (json_is(value, JSON_NULL)) value = NULL;
    }
    if (!value && required) return fail(err, ST_INVALID, "", "the request needs a body: a JSON object");
    if (value && !json_is(value, JSON_OBJECT))
        return fail(err, ST_INVALID, "", "the body must be a JSON object, not %s",
                    json_kind_name(json_kind(value)));
    *ret_object = value;
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

void request_left(struct api_request *request)
{
    request->gone = true;
    if (request->call) runtime_abandon(request->api->config.client, request->call);
}

static void client_left(void *user) { request_left(user); }

/* The engine gives the call back, and the answer says why. */
static void end_access(void *context)
{
    struct api_request *request = context;
    request->expired = true;
    if (request->call) runtime_abandon(request->api->config.client, request->call);
}

/* A renderer may refuse, too. */
static str advice_of(int http_status)
{
    return http_status == status_http(ST_OVERLOAD) ? answer_advice(ST_OVERLOAD) : STR_NONE;
}

/* The answer to a call that succeeded, while its text is made. */
struct request_success {
    struct aside_work aside;
    struct api_request *request;
    struct call *call;
    int http_status;
    struct buf out, lines;
    int64_t held_bytes; /* In the budget of answers. */
};

/* On any thread. */
static void render_success(void *context)
{
    struct request_success *success = context;
    const struct api_request *request = success->request;
    struct call *call = success->call;
    buf_init(&success->out, call->arena);
    buf_init(&success->lines, call->arena);
    if (call->replayed_text) {
        success->http_status = call->replayed_text->http_status;
        buf_add_str(&success->out, call->replayed_text->body);
    } else {
        request->render(call, &success->http_status, &success->out);
    }
    if (call->replayed) buf_add_str(&success->lines, STR("Idempotency-Replayed: true\r\n"));
    buf_add_str(&success->lines, advice_of(success->http_status));
    if (request->render_headers && !call->replayed_text) request->render_headers(call, &success->lines);
}

static void drop_success(void *context)
{
    struct request_success *success = context;
    budget_add(success->request->api->config.answers, -success->held_bytes);
}

static void give_success(void *context)
{
    struct request_success *success = context;
    struct api_request *request = success->request;
    str lines = buf_str(&success->lines), body = buf_str(&success->out);
    drop_success(success); /* From now on the network counts it. */
    if (request->media_type.n) answer_typed(request, success->http_status, request->media_type, lines, body);
    else answer(request, success->http_status, lines, body);
}

/* The runtime counts the values of an answer until the call is delivered, and here the call goes on. */
static void answer_aside(const struct request_success *success)
{
    struct call *call = success->call;
    struct request_success *kept = arena_make(call->arena, struct request_success);
    *kept = *success;
    kept->aside = (struct aside_work){
        .run = render_success, .done = give_success, .drop = drop_success, .context = kept
    };
    kept->held_bytes = ASIDE_ANSWER_COPIES * (int64_t)call->arena->used;
    budget_add(success->request->api->config.answers, kept->held_bytes);
    aside_begin(success->request->api, &kept->aside);
}

static void answer_success(struct api_request *request, struct call *call)
{
    struct request_success success = { .request = request, .call = call, .http_status = 200 };
    if (request->gone) { /* The client has left. */
        answer(request, success.http_status, STR_NONE, STR_NONE);
        return;
    }
    submit_shorten(request->api, call);
    if (!request->looks_around && aside_answer_is_due(request->api, call->arena->used)) {
        answer_aside(&success);
        return;
    }
    render_success(&success);
    give_success(&success);
}

/* The problems of a call's document; NULL: the call has none. */
static const struct problems *problems_of(const struct call *call)
{
    if (call->kind == CALL_DEPLOY) return &call->value.definitions.problems;
    return call->kind == CALL_PICTURE ? &call->value.design.problems : NULL;
}

/* The problems of several documents, each with the name of its file. */
static str problems_of_files(const struct call_apply *asked, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    buf_add_char(&out, '[');
    for (size_t i = 0; i < asked->count; i++) {
        const struct apply_item *item = &asked->item[i];
        if (item->call->kind != CALL_DEPLOY || !item->call->value.definitions.problems.error_count) continue;
        struct json_each each = json_each(problems_json(&item->call->value.definitions.problems, arena));
        while (json_next(&each)) {
            if (out.n > 1) buf_add_char(&out, ',');
            json_print(json_set(arena, each.value, STR("file"), json_of_string(arena, item->file)), &out);
        }
    }
    buf_add_char(&out, ']');
    return buf_str(&out);
}

/* Answers a call whose documents have errors. False: they have none. */
static bool answer_documents(struct api_request *request, const struct call *call)
{
    const struct problems *problems = problems_of(call);
    struct buf list;
    if (call->kind == CALL_APPLY && call->as.apply.refused) {
        answer_problems(request, call, str_of(call->error.message),
                        problems_of_files(&call->as.apply, call->arena));
        return true;
    }
    if (!problems || !problems->error_count) return false;
    buf_init(&list, call->arena);
    json_print(problems_json(problems, call->arena), &list);
    answer_problems(request, call, dialect_refusal(problems, call->arena), buf_str(&list));
    return true;
}

static void answered(struct call *call)
{
    struct api_request *request = call->user;
    request->call = NULL;
    if (request->holder) access_let_go(request->holder);
    if (request->expired && access_ends_call(call)) {
        struct error err;
        access_refuse(request, "the credential ended while the request waited", &err);
        answer_error(request, &err);
        return;
    }
    if (call->status != ST_OK && answer_documents(request, call)) return;
    if (call->status != ST_OK) {
        call->error.status = call->status;
        request->failed = call;
        answer_error(request, &call->error);
        return;
    }
    answer_success(request, call);
}

struct call_origin request_origin(struct api_request *request)
{
    return (struct call_origin){ request->http->arena, answered, request, &request->caller };
}

/* Two requests are the same if method, path, body and, if there is one, identity are. */
uint64_t request_hash(const struct api_request *request)
{
    const struct http_request *http = request->http;
    uint64_t parts[] = { hash_bytes(http->method), hash_bytes(http->path),
                         request->ahead ? request->ahead->hash : hash_bytes(http->body),
                         hash_bytes(request->identity) };
    return hash_bytes(
        (str){ (const char *)parts, request->identity.n ? sizeof parts : sizeof parts - sizeof parts[0] });
}

void request_leave_body(struct api_request *request, struct call *call)
{
    if (!call_description(call->kind)->reads_text) http_drop_body(request->http);
    call->kept_bytes = request->http->body.n;
}

/* An agent reads what it is told, and has to pay for each word of it. */
static int64_t answer_max_of(const struct api_request *request)
{
    int64_t max = request->api->config.limits.answer_bytes_max;
    bool is_tool = request->caller.way == WAY_MCP && max > MCP_ANSWER_BYTES_MAX;
    return is_tool ? MCP_ANSWER_BYTES_MAX : max;
}

enum status request_submit(struct api_request *request, struct call *call, render_fn *render,
                           struct error *err)
{
    str key = takes_header(request, TAKES_KEY);
    request->render = render;
    if (key.n) TRY(submit_key(call, key, request_hash(request), err));
    str actor = request->route->takes & TAKES_ACTOR ? http_header(request->http, STR("X-Actor")) : STR_NONE;
    if (call->caller)
        TRY(submit_person(call, &request->caller, actor, takes_header(request, TAKES_GROUPS), err));
    request->call = call;
    request_leave_body(request, call);
    /* A client that only half-closed looks like one that left, and still gets quick answers. */
    bool takes_long = call_wait_ms(call) > 0 || call_may_stop(call);
    if (takes_long) request->http->on_gone = client_left;
    if (takes_long && call->caller) {
        request->holder = arena_make(request->http->arena, struct access_holder);
        access_hold(request->holder, request, end_access, request);
    }
    enum status status = submit_call(request->api, call, answer_max_of(request), err);
    if (status == ST_OK) return ST_OK;
    request->call = NULL;
    if (request->holder) access_let_go(request->holder);
    return status;
}
