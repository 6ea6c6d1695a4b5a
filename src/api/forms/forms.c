/* api/forms/forms.c — requests of forms: shown, checked, and started from. */
#include "api/forms/forms_int.h"

#include "api/access/access_int.h"
#include "api/hooks/hooks_int.h"
#include "api/request_int.h"
#include "api/submit_int.h"

#include "base/escape.h"
#include "base/hash.h"
#include "base/utf8.h"

#define KEY_FIELD "pawl-key"

/* One request of a form on its way. */
struct form_filling {
    struct api_request *request;
    const struct json *fields; /* As they were sent, or as the address has them. */
    bool is_sent;
    str key;
    const struct answer_form *form;
};

int64_t forms_body_max(const struct api_request *request)
{
    int64_t of_anybody = request->api->config.limits.hook_body_bytes_max;
    bool is_known = request->route->any_caller && request->http->known;
    return is_known && of_anybody < FORM_BODY_BYTES_MAX ? FORM_BODY_BYTES_MAX : of_anybody;
}

/* ---- the answer ---- */

static void answer_page(struct form_filling *filling, int http_status, str trouble)
{
    struct api_request *request = filling->request;
    struct arena *arena = request->http->arena;
    const struct form_page page = { .form = filling->form,
                                    .fields = filling->fields,
                                    .is_sent = filling->is_sent,
                                    .key = filling->key.n ? filling->key : key_random(arena),
                                    .trouble = trouble,
                                    .words = forms_words(request->http),
                                    .file_max = forms_body_max(request) / 4 * 3,
                                    .arena = arena };
    str body = forms_page(&page);
    struct error err;
    if (body.n) {
        answer_typed(request, http_status, forms_errors.media_type, forms_lines(), body);
        return;
    }
    fail(
        &err, ST_LIMIT, "",
        "the form has more than %d fields (FORM_CONTROLS_MAX), %d options in a list (FORM_OPTIONS_MAX) or %d "
        "bytes (FORM_PAGE_BYTES_MAX), so there is no page of it; start it by the API",
        FORM_CONTROLS_MAX, FORM_OPTIONS_MAX, FORM_PAGE_BYTES_MAX);
    answer_error(request, &err);
}

/* Somebody who is not signed in goes to the login and comes back. A form that is not there leads there,
 * too. */
static void answer_login(struct api_request *request)
{
    struct buf line;
    buf_init(&line, request->http->arena);
    buf_add_str(&line, STR("Location: "));
    if (request->tenant_name.n) buf_printf(&line, "/t/%.*s", STR_ARG(request->tenant_name));
    buf_add_str(&line, STR("/ui/login?back="));
    if (request->tenant_name.n)
        escape_url(&line, arena_printf(request->http->arena, "/t/%.*s", STR_ARG(request->tenant_name)));
    escape_url(&line, request->http->path);
    buf_add_str(&line, STR("\r\nCache-Control: no-store\r\n"));
    answer_typed(request, 303, STR_NONE, buf_str(&line), STR_NONE);
}

static void answer_failure(struct api_request *request, struct call *call)
{
    call->error.status = call->status;
    if (call->status == ST_UNAUTHORIZED && str_equal(str_of(request->route->method), STR("GET")))
        answer_login(request);
    else answer_error(request, &call->error);
}

/* ---- the start ---- */

static void started(struct call *call)
{
    struct form_filling *filling = call->user;
    struct api_request *request = filling->request;
    const struct instance_view *view = call->value.instances.view;
    char id[ID_CHARS + 1] = "";
    request->call = NULL;
    if (call->status == ST_UNAUTHORIZED || call->status == ST_NOT_FOUND) {
        answer_failure(request, call);
        return;
    }
    if (call->status != ST_OK) {
        call->error.status = call->status;
        str why = error_sentence(&call->error, request->http->arena);
        answer_page(filling, status_http(call->status), why);
        return;
    }
    if (view) id_print(instance_view_id(view), id);
    answer_typed(request, view ? 201 : 202, forms_errors.media_type, forms_lines(),
                 forms_thanks(forms_words(request->http), filling->form, str_of(id), request->http->arena));
}

/* The same fields with the same key are one start, however often they are sent. */
static enum status take_key(struct form_filling *filling, struct call *call, struct error *err)
{
    struct api_request *request = filling->request;
    struct buf text;
    buf_init(&text, request->http->arena);
    json_print(call->as.start.data, &text);
    uint64_t hash = hash_bytes(buf_str(&text));
    if (!filling->key.n) return ST_OK;
    str key = arena_printf(request->http->arena, "form %.*s %016llx", STR_ARG(filling->key),
                           (unsigned long long)hash);
    return submit_key(call, key, hash, err);
}

static enum status start(struct form_filling *filling, struct error *err)
{
    struct api_request *request = filling->request;
    const struct call_start asked = { .definition_id = request->param[0],
                                      .trigger = request->param[1],
                                      .data = filling->form->payload,
                                      .may_queue = true,
                                      .by_form = true };
    struct call *call =
        call_start((struct call_origin){ request->http->arena, started, filling, &request->caller }, &asked);
    TRY(take_key(filling, call, err));
    TRY(submit_person(call, &request->caller, STR_NONE, STR_NONE, err));
    request->call = call;
    enum status status = submit_call(request->api, call, request->api->config.limits.answer_bytes_max, err);
    if (status != ST_OK) request->call = NULL;
    return status;
}

/* ---- the form ---- */

static void form_found(struct call *call)
{
    struct form_filling *filling = call->user;
    struct api_request *request = filling->request;
    struct error err;
    request->call = NULL;
    if (call->status != ST_OK) {
        answer_failure(request, call);
        return;
    }
    struct answer_form *form = arena_make(request->http->arena, struct answer_form);
    *form = call->value.form;
    filling->form = form;
    if (!filling->is_sent) answer_page(filling, 200, STR_NONE);
    else if (form->problem_count) answer_page(filling, 400, STR_NONE);
    else if (start(filling, &err) != ST_OK) answer_error(request, &err);
}

static enum status ask(struct form_filling *filling, const struct json *checked, struct error *err)
{
    struct api_request *request = filling->request;
    const struct call_form asked = { .definition_id = request->param[0],
                                     .trigger = request->param[1],
                                     .fields = checked };
    struct call *call = call_get_form(
        (struct call_origin){ request->http->arena, form_found, filling, &request->caller }, &asked);
    request->call = call;
    request_leave_body(request, call);
    enum status status = submit_call(request->api, call, request->api->config.limits.answer_bytes_max, err);
    if (status != ST_OK) request->call = NULL;
    return status;
}

static struct form_filling *begin(struct api_request *request)
{
    struct form_filling *filling = arena_make(request->http->arena, struct form_filling);
    *filling = (struct form_filling){ .request = request };
    return filling;
}

/* ---- requests ---- */

/* A link may fill in fields: /forms/leave?days=5. Parameters that are no fields are for others. The first
 * value of a name counts. */
static const struct json *read_address(struct api_request *request)
{
    struct json_builder fields;
    str rest = request->http->query, seen[HOOK_QUERY_FIELDS_MAX], name, value;
    size_t count = 0;
    json_builder_init(&fields, request->http->arena);
    json_open_object(&fields);
    while (count < COUNT(seen) && query_next_pair(request, &rest, &name, &value)) {
        bool is_known = false;
        for (size_t i = 0; i < count; i++) is_known |= str_equal(seen[i], name);
        if (!name.n || !value.p || is_known || !utf8_is_valid(name)) continue;
        seen[count++] = name;
        json_add_name(&fields, name);
        json_open_array(&fields);
        json_add_string(&fields, value);
        json_close(&fields);
    }
    json_close(&fields);
    return json_built(&fields);
}

enum status forms_show(struct api_request *request, struct error *err)
{
    struct form_filling *filling = begin(request);
    filling->fields = read_address(request);
    return ask(filling, NULL, err);
}

enum status forms_read(const struct api_request *request, struct arena *arena, const struct json **ret_value,
                       struct error *err)
{
    str type = request_media_type(request);
    *ret_value = json_empty_object();
    if (!request->http->body.n) return ST_OK;
    if (!str_equal_ignoring_case(type, STR("application/x-www-form-urlencoded")) &&
        !str_equal_ignoring_case(type, STR("multipart/form-data")))
        return fail(err, ST_UNSUPPORTED, "Content-Type",
                    "a form is application/x-www-form-urlencoded or multipart/form-data");
    return hooks_read(request, arena, ret_value, err);
}

static bool is_empty(const struct json *value)
{
    return json_is(value, JSON_STRING) && !str_trim(json_string(value)).n;
}

/* Fields that somebody has filled in: a browser sends the others, too. */
static const struct json *drop_empty(const struct json *fields, struct arena *arena)
{
    struct json_builder kept;
    struct json_each each = json_each(fields);
    json_builder_init(&kept, arena);
    json_open_object(&kept);
    while (json_next(&each)) {
        size_t filled = 0;
        for (size_t i = 0; i < json_count(each.value); i++) filled += !is_empty(json_item(each.value, i));
        if (!filled || str_equal(each.name, STR(KEY_FIELD))) continue;
        json_add_name(&kept, each.name);
        json_open_array(&kept);
        for (size_t i = 0; i < json_count(each.value); i++)
            if (!is_empty(json_item(each.value, i))) json_add(&kept, json_item(each.value, i));
        json_close(&kept);
    }
    json_close(&kept);
    return json_built(&kept);
}

enum status forms_send(struct api_request *request, struct error *err)
{
    struct form_filling *filling = begin(request);
    const struct json *fields;
    TRY(request_read(request, forms_read, request->http->arena, &fields, err));
    const struct json *key = json_item(json_get(fields, STR(KEY_FIELD)), 0);
    if (json_is(key, JSON_STRING)) filling->key = json_string(key);
    filling->is_sent = true;
    filling->fields = drop_empty(fields, request->http->arena);
    return ask(filling, filling->fields, err);
}
