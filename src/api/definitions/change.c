/* api/definitions/change.c — people choose the version that new instances run, whether there are any, and
 * whether the definition stays. */
#include "api/definitions/definitions_int.h"
#include "api/versions_int.h"
#include "api/workflows/workflows_int.h"

enum status definitions_restore(struct api_request *request, struct error *err)
{
    struct call_restore asked = { .id = request->param[0] };
    str version = request->param[1];
    if (str_equal(version, STR("previous"))) asked.version = VERSION_PREVIOUS;
    else TRY(definitions_version(request, version, &asked.version, err));
    TRY(versions_read_revision(request, &asked.revision, err));
    return request_submit(request, call_restore(request_origin(request), &asked), workflows_render_published,
                          err);
}

static void render_retired(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct definition_row *row = call->value.definitions.row;
    *ret_http_status = 200;
    PUT(out, "{\"definitionId\":");
    put_text(out, row->id);
    PUT(out, ",\"version\":");
    put_int(out, row->version);
    versions_put_origin(out, row);
    buf_add_char(out, '}');
}

enum status definitions_retire(struct api_request *request, struct error *err)
{
    const struct call_definition asked = { .id = request->param[0] };
    return request_submit(request, call_retire(request_origin(request), &asked), render_retired, err);
}

static void render_deleted(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct definition_row *row = call->value.definitions.row;
    *ret_http_status = row->is_leaving ? 202 : 200;
    PUT(out, "{\"definitionId\":");
    put_text(out, row->id);
    PUT(out, ",\"version\":");
    put_int(out, row->version);
    PUT(out, ",\"state\":");
    put_text(out, row->is_leaving ? STR("deleting") : STR("deleted"));
    buf_add_char(out, '}');
}

enum status definitions_delete(struct api_request *request, struct error *err)
{
    str with = query_text(request, STR("with"));
    const struct call_deletion asked = { .id = request->param[0], .with_ended = with.n > 0 };
    if (with.n && !str_equal(with, STR("ended")))
        return fail(err, ST_INVALID, "with", "with can only be \"ended\"");
    return request_submit(request, call_delete_definition(request_origin(request), &asked), render_deleted,
                          err);
}
