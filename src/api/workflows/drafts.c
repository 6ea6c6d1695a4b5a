/* api/workflows/drafts.c — documents that somebody still works on.
 *
 * A draft's revision is its ETag. A builder that saves with If-Match is told when somebody else has saved in
 * between, instead of writing over it.
 */
#include "api/live/live_int.h"
#include "api/workflows/workflows_int.h"

static void put_members(struct buf *out, const struct draft_view *view)
{
    PUT(out, "{\"definitionId\":");
    put_text(out, view->id);
    PUT(out, ",\"revision\":");
    put_int(out, view->revision);
    PUT(out, ",\"updatedAt\":");
    put_time(out, view->updated_ms);
    PUT(out, ",\"author\":");
    put_text(out, view->author);
    if (view->name.n) {
        PUT(out, ",\"name\":");
        put_text(out, view->name);
    }
    if (view->document) {
        PUT(out, ",\"document\":");
        json_print(view->document, out);
    }
}

static void put_draft(struct buf *out, const struct draft_view *view)
{
    put_members(out, view);
    buf_add_char(out, '}');
}

static void render_draft(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    const struct draft_view *view = call->value.drafts.view;
    *ret_http_status = 200;
    put_members(out, view);
    live_put_readers(request->api, request->caller.tenant, view->id, out);
    buf_add_char(out, '}');
}

static void render_saved(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = call->value.drafts.view->revision == 1 ? 201 : 200;
    put_draft(out, call->value.drafts.view);
}

static void render_etag(const struct call *call, struct buf *lines)
{
    buf_printf(lines, "ETag: \"%u\"\r\n", call->value.drafts.view->revision);
}

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_drafts *answer = &call->value.drafts;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_draft(out, &answer->view[i]);
    }
    buf_add_char(out, ']');
    if (answer->more) {
        PUT(out, ",\"nextAfter\":");
        put_text(out, answer->view[answer->count - 1].id);
    }
    buf_add_char(out, '}');
}

enum status workflows_draft_list(struct api_request *request, struct error *err)
{
    struct call_drafts asked = { .after = query_text(request, STR("after")) };
    int64_t skip;
    TRY(query_page(request, &skip, &asked.max, err));
    return request_submit(request, call_list_drafts(request_origin(request), &asked), render_list, err);
}

enum status workflows_draft_get(struct api_request *request, struct error *err)
{
    struct call_draft asked = { .id = request->param[0] };
    request->render_headers = render_etag;
    return request_submit(request, call_get_draft(request_origin(request), &asked), render_draft, err);
}

/* If-Match: "3" is revision 3; * is any. */
static enum status read_match(struct api_request *request, struct call_draft *asked, struct error *err)
{
    str tag = takes_header(request, TAKES_MATCH);
    int64_t revision;
    asked->only_new = str_equal(takes_header(request, TAKES_NONE_MATCH), STR("*"));
    if (!tag.n || str_equal(tag, STR("*"))) return ST_OK;
    if (tag.n < 3 || tag.p[0] != '"' || tag.p[tag.n - 1] != '"' ||
        !str_to_int64(str_slice(tag, 1, tag.n - 1), &revision) || revision < 1 || revision > UINT32_MAX)
        return fail_code(err, ST_STALE, "DRAFT_CHANGED", "no draft has the ETag %.*s", STR_ARG(tag));
    asked->if_revision = (uint32_t)revision;
    return ST_OK;
}

enum status workflows_draft_save(struct api_request *request, struct error *err)
{
    struct call_draft asked = { .id = request->param[0], .author = takes_header(request, TAKES_ACTOR) };
    if (!asked.id.n || asked.id.n > DEFINITION_ID_BYTES_MAX)
        return fail(err, ST_INVALID, "id", "the id of a definition has 1 to %d bytes",
                    DEFINITION_ID_BYTES_MAX);
    TRY(read_match(request, &asked, err));
    TRY(request_json(request, JSON_DEPTH_MAX - 1, request->http->arena, &asked.document, err));
    request->render_headers = render_etag;
    return request_submit(request, call_save_draft(request_origin(request), &asked), render_saved, err);
}

enum status workflows_draft_remove(struct api_request *request, struct error *err)
{
    struct call_draft asked = { .id = request->param[0] };
    TRY(read_match(request, &asked, err));
    return request_submit(request, call_remove_draft(request_origin(request), &asked), answer_render_nothing,
                          err);
}
