/* api/params.c — the parameters in the path that are ids. */
#include "api/request_int.h"

static enum status not_found(str text, const char *what, struct error *err)
{
    return fail(err, ST_NOT_FOUND, "", "%s \"%.*s\" not found", what, STR_ARG(text));
}

enum status param_read_instance(str text, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(text, &id) || id.number || id.delivery) return not_found(text, "instance", err);
    *ret_id = id;
    return ST_OK;
}

enum status param_read_job(str text, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(text, &id) || !id.number) return not_found(text, "job", err);
    *ret_id = id;
    return ST_OK;
}

enum status param_instance(struct api_request *request, struct id *ret_id, struct error *err)
{
    return param_read_instance(request->param[0], ret_id, err);
}

enum status param_job(struct api_request *request, struct id *ret_id, struct error *err)
{
    return param_read_job(request->param[0], ret_id, err);
}

enum status param_task(struct api_request *request, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(request->param[0], &id) || !id.number || id.delivery)
        return not_found(request->param[0], "user task", err);
    *ret_id = id;
    return ST_OK;
}
