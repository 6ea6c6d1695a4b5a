/* api/definitions/change.c — people choose the version that new instances run. */
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
