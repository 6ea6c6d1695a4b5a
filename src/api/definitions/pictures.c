/* api/definitions/pictures.c — definitions and documents as pictures: nodes and lines with their places. */
#include "api/definitions/definitions_int.h"

void definitions_render_text(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    buf_add_str(out, call->value.design.text);
}

enum status definitions_version(struct api_request *request, str text, int32_t *ret_version,
                                struct error *err)
{
    int64_t version;
    *ret_version = 0;
    if (str_equal(text, STR("latest"))) return ST_OK;
    if (!str_to_int64(text, &version) || version < 1 || version > INT32_MAX)
        return fail(err, ST_NOT_FOUND, "version", "definition \"%.*s\" has no version \"%.*s\"",
                    STR_ARG(request->param[0]), STR_ARG(text));
    *ret_version = (int32_t)version;
    return ST_OK;
}

/* layout=auto: the engine lays everything out. By default nodes stay where their document puts them. */
static enum status read_layout(struct api_request *request, struct call_picture *asked, struct error *err)
{
    str layout = query_text(request, STR("layout"));
    if (layout.n && !str_equal(layout, STR("auto")) && !str_equal(layout, STR("own")))
        return fail(err, ST_INVALID, "layout", "layout must be own or auto");
    asked->own_places = !str_equal(layout, STR("auto"));
    return ST_OK;
}

enum status definitions_picture(struct api_request *request, struct error *err)
{
    struct call_picture asked = { .id = request->param[0] };
    TRY(definitions_version(request, request->param[1], &asked.version, err));
    TRY(read_layout(request, &asked, err));
    return request_submit(request, call_picture(request_origin(request), &asked), definitions_render_text,
                          err);
}

enum status definitions_draw(struct api_request *request, struct error *err)
{
    struct call_picture asked = { .text = request->http->body, .format = SOURCE_ANY };
    TRY(read_layout(request, &asked, err));
    return request_submit(request, call_picture(request_origin(request), &asked), definitions_render_text,
                          err);
}
