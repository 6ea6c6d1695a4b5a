/* api/secrets/secrets.c — secrets are set, removed and listed by name; their values only go in. */
#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/secrets/secrets_int.h"

#include "json/json.h"
#include "json/put.h"

static void put_secret(struct buf *out, const struct secret_view *view)
{
    PUT(out, "{\"name\":");
    put_text(out, view->name);
    PUT(out, ",\"source\":");
    put_text(out, str_of(vault_source_word(view->source)));
    if (view->created_ms) {
        PUT(out, ",\"createdAt\":");
        put_time(out, view->created_ms);
        PUT(out, ",\"updatedAt\":");
        put_time(out, view->updated_ms);
    }
    if (view->overridden) PUT(out, ",\"overridden\":true");
    buf_add_char(out, '}');
}

/* ---- setting and removing ---- */

static void render_set(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = call->value.secrets.is_new ? 201 : 200;
    put_secret(out, call->value.secrets.view);
}

enum status secrets_put(struct api_request *request, struct error *err)
{
    struct call_secret asked = { .name = request->param[0] };
    const struct json *body;
    TRY(vault_check_name(asked.name, err));
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "value", SECRET_VALUE_BYTES_MAX, &asked.value, err));
    return request_submit(request, call_set_secret(request_origin(request), &asked), render_set, err);
}

enum status secrets_delete(struct api_request *request, struct error *err)
{
    const struct call_secret asked = { .name = request->param[0] };
    return request_submit(request, call_remove_secret(request_origin(request), &asked), answer_render_nothing,
                          err);
}

static void render_rekeyed(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"resealed\":");
    put_int(out, (int64_t)call->value.secrets.resealed);
    buf_add_char(out, '}');
}

enum status secrets_rekey(struct api_request *request, struct error *err)
{
    const struct call_nothing asked = { 0 };
    return request_submit(request, call_rekey_secrets(request_origin(request), &asked), render_rekeyed, err);
}

/* ---- the list ---- */

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_secrets *answer = &call->value.secrets;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_secret(out, &answer->view[i]);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.secrets.max);
    if (answer->more) {
        PUT(out, ",\"nextCursor\":");
        put_text(out, answer->view[answer->count - 1].name);
    }
    buf_add_char(out, '}');
}

enum status secrets_list_names(struct api_request *request, struct error *err)
{
    struct call_secrets asked = { .after = query_text(request, STR("cursor")) };
    int64_t skip;
    TRY(query_page(request, &skip, &asked.max, err));
    return request_submit(request, call_list_secrets(request_origin(request), &asked), render_list, err);
}
