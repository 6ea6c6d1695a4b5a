/* api/access/explain.c — why somebody may do something or not: the chain of reasons, the last refusals, and
 * the permission of every route, method and topic. */
#include "api/access/records_int.h"
#include "api/grpc/event_call_int.h"
#include "api/grpc/services_int.h"
#include "api/live/live_int.h"

#include "json/put.h"

/* ---- one question ---- */

struct explain_question {
    struct route_match match;
    enum permission permission;
    str object;
    int32_t tenant;
};

static void put_answer(struct buf *out, const struct explain_question *question,
                       const struct principal *principal)
{
    if (question->match.route) {
        buf_printf(out, "{\"route\":\"%s %s\",\"decision\":", question->match.route->method,
                   question->match.route->pattern);
    } else PUT(out, "{\"decision\":");
    principal_explain(principal, question->tenant, question->permission, question->object, out);
    buf_add_char(out, '}');
}

static void render_explained(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    const struct answer_resolve *answer = &call->value.resolve;
    *ret_http_status = 200;
    if (answer->principal) {
        put_answer(out, request->stream, answer->principal);
        principal_unref(answer->principal);
        return;
    }
    PUT(out, "{\"decision\":{\"principal\":");
    put_text(out, call->as.resolve.id);
    PUT(out, ",\"allowed\":false,\"reason\":");
    put_text(out, str_of(answer->why ? answer->why : "unknown"));
    PUT(out, "}}");
}

/* A path may begin with /t/NAME: the tenant is then that one, if this process knows it. */
static enum status find_route(struct api_request *request, struct explain_question *question,
                              struct error *err)
{
    str method = query_text(request, STR("method")), path = query_text(request, STR("path")),
        prefix = STR("/t/");
    struct tenant tenant;
    if (str_starts(path, prefix)) {
        size_t slash = str_find(path, STR("/"), prefix.n);
        if (!directory_tenant(request->api->directory, str_slice(path, prefix.n, slash), &tenant) ||
            !principal_may(request->caller.principal, tenant.number, MAY_ACCESS_ADMIN, STR_NONE))
            return fail(err, ST_NOT_FOUND, "path", "there is no tenant of this name");
        question->tenant = tenant.number;
        path = slash == SIZE_MAX ? STR("/") : str_slice(path, slash, path.n);
    }
    route_find(request->api->surfaces, method, path, request->http->arena, &question->match);
    if (!question->match.route) return fail(err, ST_NOT_FOUND, "path", "no route has this method and path");
    question->permission = question->match.route->needs;
    return ST_OK;
}

/* Either a permission with an object, or a method with a path. */
static enum status read_question(struct api_request *request, struct explain_question *question,
                                 struct error *err)
{
    str word = query_text(request, STR("permission"));
    question->tenant = request->caller.tenant;
    question->object = query_text(request, STR("object"));
    if (!word.n) return find_route(request, question, err);
    if (query_text(request, STR("path")).n || query_text(request, STR("method")).n)
        return fail(err, ST_INVALID, "permission", "send either a permission, or a method and a path");
    if (permission_find(word, &question->permission)) return ST_OK;
    return fail(err, ST_INVALID, "permission", "there is no permission \"%.*s\"", STR_ARG(word));
}

enum status access_explain(struct api_request *request, struct error *err)
{
    struct explain_question *question = arena_make(request->http->arena, struct explain_question);
    const struct principal *self = request->caller.principal;
    str principal = query_text(request, STR("principal"));
    TRY(read_question(request, question, err));
    if (!principal.n || str_equal(principal, self->id)) {
        struct buf out;
        buf_init(&out, request->http->arena);
        put_answer(&out, question, self);
        answer(request, 200, STR_NONE, buf_str(&out));
        return ST_OK;
    }
    TRY(caller_check_for(&request->caller, MAY_ACCESS_ADMIN, STR_NONE, err));
    if (str_find(principal, STR(":"), 0) == SIZE_MAX)
        principal = arena_printf(request->http->arena, "user:%.*s", STR_ARG(principal));
    const struct call_resolve asked = { .kind = CREDENTIAL_NAME, .id = principal };
    request->stream = question;
    request->looks_around = true;
    return request_submit(request, call_resolve(request_origin(request), &asked), render_explained, err);
}

/* ---- refusals ---- */

static void put_refusal(struct buf *out, const struct refusal_note *note)
{
    PUT(out, "{\"at\":");
    put_time(out, note->at_ms);
    PUT(out, ",\"address\":");
    put_text(out, str_of(note->address));
    PUT(out, ",\"asked\":");
    put_text(out, str_of(note->asked));
    if (note->principal[0]) {
        PUT(out, ",\"principal\":");
        put_text(out, str_of(note->principal));
    }
    PUT(out, ",\"why\":");
    put_text(out, str_of(note->why));
    buf_add_char(out, '}');
}

/* An admin of one tenant sees the refusals there. A credential that nobody knows belongs to no tenant. */
enum status access_refusals(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    struct refusal_note *note;
    struct buf out;
    bool sees_all = caller_check_for(&request->caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) == ST_OK,
         first = true;
    (void)err;
    size_t count = directory_refusals(request->api->directory, arena, &note);
    buf_init(&out, arena);
    PUT(&out, "{\"items\":[");
    for (size_t i = 0; i < count; i++) {
        if (!sees_all && (note[i].tenant != request->caller.tenant || !note[i].principal[0])) continue;
        if (!first) buf_add_char(&out, ',');
        first = false;
        put_refusal(&out, &note[i]);
    }
    PUT(&out, "]}");
    answer(request, 200, STR_NONE, buf_str(&out));
    return ST_OK;
}

/* ---- everything with its permission ---- */

static void put_permission(struct buf *out, enum permission permission)
{
    role_set roles = permission_roles(permission);
    bool first = true;
    buf_printf(out, ",\"permission\":\"%s\",\"roles\":[", permission_word(permission));
    for (int i = 0; i < ROLE_COUNT; i++) {
        if (!(roles & 1u << i)) continue;
        buf_printf(out, "%s\"%s\"", first ? "" : ",", role_word((enum role)i));
        first = false;
    }
    PUT(out, "]}");
}

static void put_routes(struct buf *out, const struct surface *const *surfaces)
{
    PUT(out, "{\"routes\":[");
    for (size_t i = 0, n = 0; surfaces[i]; i++)
        for (size_t k = 0; k < surfaces[i]->route_count; k++) {
            const struct api_route *route = &surfaces[i]->route[k];
            buf_printf(out, "%s{\"method\":\"%s\",\"path\":\"%s\"", n++ ? "," : "", route->method,
                       route->pattern);
            put_permission(out, route->needs);
        }
}

static void put_methods(struct buf *out, const struct grpc_service *const *services)
{
    PUT(out, "],\"calls\":[");
    for (size_t i = 0, n = 0; services[i]; i++)
        for (size_t k = 0; k < services[i]->count; k++) {
            const struct grpc_method *method = &services[i]->methods[k];
            buf_printf(out, "%s{\"service\":\"%.*s\",\"method\":\"%.*s\"", n++ ? "," : "",
                       STR_ARG(method->service), STR_ARG(method->name));
            put_permission(out, (enum permission)method->needs);
        }
}

static void put_kinds(struct buf *out, const struct event_kind *kind, size_t count, bool first)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s{\"type\":\"%.*s\"", first && !i ? "" : ",", STR_ARG(kind[i].type));
        put_permission(out, kind[i].needs);
    }
}

static void put_topics(struct buf *out)
{
    PUT(out, "],\"topics\":[{\"topic\":\"overview\"");
    put_permission(out, LIVE_OVERVIEW_NEEDS);
    for (int i = 0; i < LIVE_KIND_COUNT; i++) {
        buf_printf(out, ",{\"topic\":\"%s\"", live_kind_word((enum live_kind)i));
        put_permission(out, live_needs((enum live_kind)i));
    }
}

enum status access_routes(struct api_request *request, struct error *err)
{
    struct buf out;
    (void)err;
    buf_init(&out, request->http->arena);
    put_routes(&out, request->api->surfaces);
    put_methods(&out, request->api->services);
    PUT(&out, "],\"events\":[");
    put_kinds(&out, event_model_kinds, event_model_kind_count, true);
    put_kinds(&out, event_manage_kinds, event_manage_kind_count, false);
    put_kinds(&out, event_collection_kinds, event_collection_kind_count, false);
    put_kinds(&out, event_search_kinds, event_search_kind_count, false);
    put_kinds(&out, event_list_kinds, event_list_kind_count, false);
    put_topics(&out);
    PUT(&out, "]}");
    answer(request, 200, STR_NONE, buf_str(&out));
    return ST_OK;
}
