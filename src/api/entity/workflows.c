/* api/entity/workflows.c — workflows of a model, imported and exported. */
#include "api/entity/entity_int.h"

#include "json/put.h"

static void render_imported(const struct call *call, int *ret_http_status, struct buf *out)
{
    (void)call;
    *ret_http_status = 200;
    PUT(out, "{\"success\":true}");
}

/* The answer's body is the original's, so that warnings go beside it. */
static void render_warnings(const struct call *call, struct buf *lines)
{
    const struct problems *problems = &call->value.definitions.problems;
    if (!problems->warning_count) return;
    size_t begin = lines->n;
    buf_add_str(lines, STR("X-Pawl-Warning: "));
    for (size_t i = 0; i < problems->count && lines->n - begin < WARNING_BYTES_MAX; i++) {
        const struct problem *problem = &problems->problem[i];
        buf_printf(lines, "%s%.*s: %.*s", i ? "; " : "", STR_ARG(str_slice(problem->pointer, 0, 200)),
                   STR_ARG(str_slice(problem->message, 0, 200)));
    }
    for (size_t i = begin; i < lines->n; i++)
        if (lines->p[i] < ' ' || lines->p[i] > '~') lines->p[i] = '?';
    buf_add_str(lines, STR("\r\n"));
}

enum status entity_workflows_import(struct api_request *request, struct error *err)
{
    struct call_import *import = arena_make(request->http->arena, struct call_import);
    const struct json *body;
    bool allows_cycles = false;
    str mode;
    *import = (struct call_import){ .incoming = NULL };
    TRY(entity_param_model(request, 0, &import->name, &import->version, err));
    TRY(request_body(request, true, &body, err));
    TRY(field_flag(body, "allowCycles", &allows_cycles, err));
    TRY(field_text(body, "importMode", ENTITY_MODEL_NAME_BYTES_MAX, &mode, err));
    TRY(field_list(body, "workflows", &import->incoming, err));
    if (!entity_import_mode_parse(mode, &import->mode))
        return fail_code(err, ST_INVALID, "BAD_REQUEST",
                         "there is no import mode \"%.*s\"; there are MERGE, REPLACE and ACTIVATE",
                         STR_ARG(mode));
    if (!import->incoming)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "an import needs workflows, a list");
    if (allows_cycles) import->incoming = entity_allow_cycles(import->incoming, request->http->arena);
    const struct call_deploy asked = { .import = import };
    request->render_headers = render_warnings;
    return request_submit(request, call_deploy(request_origin(request), &asked), render_imported, err);
}

static void render_exported(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct model *model = call->value.models.view;
    *ret_http_status = 200;
    PUT(out, "{\"entityName\":");
    put_text(out, model->name);
    PUT(out, ",\"modelVersion\":");
    put_int(out, model->version);
    PUT(out, ",\"workflows\":");
    json_print(model->workflows, out);
    buf_add_char(out, '}');
}

enum status entity_workflows_export(struct api_request *request, struct error *err)
{
    struct call_model asked = { .needs_workflows = true };
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    return request_submit(request, call_get_model(request_origin(request), &asked), render_exported, err);
}
