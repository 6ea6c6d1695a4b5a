/* api/params.c — the parameters in the path that are ids. */
#include "api/request_int.h"

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
