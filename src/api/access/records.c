/* api/access/records.c — users, keys, grants, issuers and tenants: lists, one of them, changes.
 *
 * The five kinds have the same calls, and the path says which kind is meant. The engine checks each record,
 * and the right to change it (runtime/access/).
 */
#include "api/access/records_int.h"

#include "base/must.h"
#include "json/put.h"

/* "/api/users/{name}" is about users. */
enum access_kind records_kind(const struct api_request *request)
{
    str rest = str_slice(str_of(request->route->pattern), sizeof "/api/" - 1, SIZE_MAX);
    str words = str_slice(rest, 0, str_find(rest, STR("/"), 0));
    int kind = 0;
    while (kind < ACCESS_KIND_COUNT && !str_equal(words, str_of(access_kind_words((enum access_kind)kind))))
        kind++;
    must(kind < ACCESS_KIND_COUNT);
    return (enum access_kind)kind;
}

/* ---- lists ---- */

/* The engine does not know of streams. */
static void put_view(const struct call *call, size_t i, struct buf *out)
{
    const struct answer_access_list *answer = &call->value.access_list;
    const struct json *view = answer->view[i], *usage = json_get(view, STR("usage"));
    const struct api_request *request = call->user;
    if (json_is(usage, JSON_OBJECT)) {
        size_t count = access_stream_count(request->api, answer->ns[i]);
        usage = json_set(call->arena, usage, str_of(quota_word(QUOTA_STREAMS)),
                         json_of_int(call->arena, (int64_t)count));
        view = json_set(call->arena, view, STR("usage"), usage);
    }
    json_print(view, out);
}

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_access_list *answer = &call->value.access_list;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_view(call, i, out);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.access_list.max);
    if (answer->more) {
        PUT(out, ",\"nextCursor\":");
        put_text(out, answer->name[answer->count - 1]);
    }
    buf_add_char(out, '}');
}

enum status records_submit_list(struct api_request *request, struct call_access_list *asked,
                                struct error *err)
{
    int64_t skip;
    TRY(query_page(request, &skip, &asked->max, err));
    asked->after = query_text(request, STR("cursor"));
    return request_submit(request, call_list_access(request_origin(request), asked), render_list, err);
}

enum status access_list(struct api_request *request, struct error *err)
{
    struct call_access_list asked = { .kind = records_kind(request) };
    asked.with_usage = asked.kind == ACCESS_TENANT;
    if (asked.kind == ACCESS_GRANT) asked.of = query_text(request, STR("to"));
    return records_submit_list(request, &asked, err);
}

static void render_one(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    must(call->value.access_list.count == 1);
    put_view(call, 0, out);
}

enum status access_show(struct api_request *request, struct error *err)
{
    struct call_access_list asked = { .kind = records_kind(request), .name = request->param[0], .max = 1 };
    asked.with_usage = asked.kind == ACCESS_TENANT;
    return request_submit(request, call_list_access(request_origin(request), &asked), render_one, err);
}

/* ---- changes ---- */

void records_render_made(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = call->value.access.is_new[0] ? 201 : 200;
    json_print(call->value.access.view[0], out);
}

enum status records_submit(struct api_request *request, const struct access_change *change, render_fn *render,
                           struct error *err)
{
    struct access_change *kept = arena_make(request->http->arena, struct access_change);
    *kept = *change;
    const struct call_access asked = { .change = kept, .count = 1 };
    issuer_secrets_warn(request, kept);
    return request_submit(request, call_change_access(request_origin(request), &asked), render, err);
}

enum status access_create(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = records_kind(request), .action = ACCESS_CREATE };
    TRY(request_body(request, true, &change.object, err));
    if (change.kind != ACCESS_GRANT)
        TRY(field_required_text(change.object, "name", ACCESS_NAME_BYTES_MAX, &change.name, err));
    return records_submit(request, &change, records_render_made, err);
}

enum status access_change(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = records_kind(request),
                                    .action = ACCESS_CHANGE,
                                    .name = request->param[0] };
    TRY(request_body(request, true, &change.object, err));
    return records_submit(request, &change, records_render_made, err);
}

enum status access_remove(struct api_request *request, struct error *err)
{
    const struct access_change change = { .kind = records_kind(request),
                                          .action = ACCESS_REMOVE,
                                          .name = request->param[0] };
    return records_submit(request, &change, answer_render_nothing, err);
}

/* A tenant goes with everything in it only if its name is said twice. */
enum status records_remove_tenant(struct api_request *request, struct error *err)
{
    str with = query_text(request, STR("with")), confirm = query_text(request, STR("confirm"));
    struct access_change change = { .kind = ACCESS_TENANT,
                                    .action = ACCESS_REMOVE,
                                    .name = request->param[0] };
    if (with.n && !str_equal(with, STR("everything")))
        return fail(err, ST_INVALID, "with", "with can only be \"everything\"");
    if (with.n && !str_equal(confirm, change.name))
        return fail(err, ST_INVALID, "confirm", "with=everything needs confirm=%.*s", STR_ARG(change.name));
    if (!with.n && confirm.n) return fail(err, ST_INVALID, "confirm", "confirm goes with with=everything");
    change.with_everything = with.n > 0;
    return records_submit(request, &change, answer_render_nothing, err);
}
