/* api/entity/models.c — models: samples in, views out, locked and unlocked. */
#include "api/entity/entity_int.h"

#include "json/put.h"

/* ---- answers ---- */

void entity_put_model_id(struct buf *out, str name, int32_t version, struct arena *arena)
{
    char text[UUID_CHARS + 1];
    uuid_print(uuid_of_name(arena_printf(arena, "%.*s.%d", STR_ARG(name), (int)version)), text);
    put_text(out, str_of(text));
}

static void render_id(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    entity_put_model_id(out, call->as.model.name, call->as.model.version, call->arena);
}

static void render_changed(const struct call *call, int *ret_http_status, struct buf *out)
{
    static const char *const messages[] = {
        [MODEL_LOCK] = "the model is locked",
        [MODEL_UNLOCK] = "the model is unlocked",
        [MODEL_SET_LEVEL] = "the change level is set",
        [MODEL_REMOVE] = "the model is removed",
    };
    const struct call_model *asked = &call->as.model;
    *ret_http_status = 200;
    PUT(out, "{\"success\":true,\"message\":");
    put_text(out, str_of(messages[asked->action]));
    PUT(out, ",\"modelId\":");
    entity_put_model_id(out, asked->name, asked->version, call->arena);
    PUT(out, ",\"modelKey\":{\"name\":");
    put_text(out, asked->name);
    PUT(out, ",\"version\":");
    put_int(out, asked->version);
    PUT(out, "}}");
}

/* ---- changes ---- */

static enum status change(struct api_request *request, enum model_action action, enum model_level level,
                          struct error *err)
{
    struct call_model asked = { .action = action, .level = level };
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    return request_submit(request, call_change_model(request_origin(request), &asked), render_changed, err);
}

enum status entity_model_lock(struct api_request *request, struct error *err)
{
    return change(request, MODEL_LOCK, MODEL_LEVEL_NONE, err);
}

enum status entity_model_unlock(struct api_request *request, struct error *err)
{
    return change(request, MODEL_UNLOCK, MODEL_LEVEL_NONE, err);
}

enum status entity_model_remove(struct api_request *request, struct error *err)
{
    return change(request, MODEL_REMOVE, MODEL_LEVEL_NONE, err);
}

enum status entity_model_level(struct api_request *request, struct error *err)
{
    enum model_level level;
    if (model_level_find(request->param[2], &level)) return change(request, MODEL_SET_LEVEL, level, err);
    fail_code(err, ST_INVALID, "INVALID_CHANGE_LEVEL",
              "there is no change level \"%.*s\"; there are ARRAY_LENGTH, ARRAY_ELEMENTS, TYPE and "
              "STRUCTURAL",
              STR_ARG(request->param[2]));
    entity_error_add(err, "suppliedValue", request->param[2]);
    fail_detail(err, "validValues", STR("[\"ARRAY_LENGTH\",\"ARRAY_ELEMENTS\",\"TYPE\",\"STRUCTURAL\"]"));
    return ST_INVALID;
}

enum status entity_model_import(struct api_request *request, struct error *err)
{
    struct call_model asked = { .action = MODEL_IMPORT };
    if (!str_equal(request->param[1], STR("SAMPLE_DATA")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "models are imported from SAMPLE_DATA");
    TRY(entity_param_model(request, 2, &asked.name, &asked.version, err));
    TRY(entity_param_document(request, &asked.sample, err));
    return request_submit(request, call_change_model(request_origin(request), &asked), render_id, err);
}

/* ---- reading ---- */

static void put_state(struct buf *out, const struct model *model)
{
    put_text(out, model->is_locked ? STR("LOCKED") : STR("UNLOCKED"));
}

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_models *answer = &call->value.models;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        const struct model *model = &answer->view[i];
        buf_add_str(out, i ? STR(",{\"id\":") : STR("{\"id\":"));
        entity_put_model_id(out, model->name, model->version, call->arena);
        PUT(out, ",\"modelName\":");
        put_text(out, model->name);
        PUT(out, ",\"modelVersion\":");
        put_int(out, model->version);
        PUT(out, ",\"currentState\":");
        put_state(out, model);
        PUT(out, ",\"modelUpdateDate\":");
        put_time(out, model->updated_ms);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

enum status entity_model_list(struct api_request *request, struct error *err)
{
    const struct call_models asked = { .max = ENTITY_MODELS_LISTED_MAX };
    return request_submit(request, call_list_models(request_origin(request), &asked), render_list, err);
}

typedef void put_schema_fn(const struct model_schema *schema, struct buf *out);

static void put_exported(const struct call *call, put_schema_fn *put_schema, int *ret_http_status,
                         struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"currentState\":");
    put_state(out, call->value.models.view);
    PUT(out, ",\"model\":");
    put_schema(call->value.models.view->schema, out);
    PUT(out, ",\"uniqueKeys\":");
    entity_put_unique_keys(out, call->value.models.indexes);
    buf_add_char(out, '}');
}

static void render_simple_view(const struct call *call, int *ret_http_status, struct buf *out)
{
    put_exported(call, model_put_simple_view, ret_http_status, out);
}

static void render_json_schema(const struct call *call, int *ret_http_status, struct buf *out)
{
    put_exported(call, model_put_json_schema, ret_http_status, out);
}

/* The way back of an import: a sample that makes the same model, and its change level. */
static void render_sample(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct model *model = call->value.models.view;
    *ret_http_status = 200;
    PUT(out, "{\"currentState\":");
    put_state(out, model);
    PUT(out, ",\"changeLevel\":");
    put_text(out, str_of(model_level_name(model->level)));
    PUT(out, ",\"model\":");
    json_print(model_sample(model->schema, call->arena), out);
    PUT(out, ",\"uniqueKeys\":");
    entity_put_unique_keys(out, call->value.models.indexes);
    buf_add_char(out, '}');
}

enum status entity_model_export(struct api_request *request, struct error *err)
{
    static const struct {
        str view;
        render_fn *render;
    } views[] = { { STR_INIT("SIMPLE_VIEW"), render_simple_view },
                  { STR_INIT("JSON_SCHEMA"), render_json_schema },
                  { STR_INIT("SAMPLE_DATA"), render_sample } };
    struct call_model asked = { .needs_keys = true };
    size_t i = 0;
    while (i < COUNT(views) && !str_equal(request->param[0], views[i].view)) i++;
    if (i == COUNT(views))
        return fail_code(err, ST_INVALID, "BAD_REQUEST",
                         "a model is exported as SIMPLE_VIEW, JSON_SCHEMA or SAMPLE_DATA");
    TRY(entity_param_model(request, 1, &asked.name, &asked.version, err));
    return request_submit(request, call_get_model(request_origin(request), &asked), views[i].render, err);
}

/* Two reads have four parts behind the prefix: export/{view}/{name}/{version}, and
 * {name}/{version}/workflow/export. A model called "export" has its workflows under the second form only. */
enum status entity_model_get(struct api_request *request, struct error *err)
{
    bool of_workflows =
        str_equal(request->param[2], STR("workflow")) && str_equal(request->param[3], STR("export"));
    if (of_workflows) return entity_workflows_export(request, err);
    if (!str_equal(request->param[0], STR("export")))
        return fail_code(err, ST_NOT_FOUND, "NOT_FOUND", "there is nothing here");
    for (size_t i = 0; i < 3; i++) request->param[i] = request->param[i + 1];
    return entity_model_export(request, err);
}

/* The document is the sample: its answer tells whether it fits. */
static void render_validated(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct model *model = call->value.models.view;
    struct model_problem problem;
    bool changes;
    *ret_http_status = 200;
    bool fits =
        json_is(call->as.model.sample, JSON_OBJECT) &&
        model_check(model->schema, call->as.model.sample, model->level, call->arena, &changes, &problem);
    PUT(out, "{\"success\":");
    put_flag(out, fits);
    PUT(out, ",\"message\":");
    put_text(out, fits                                          ? STR("the document fits the model")
                  : json_is(call->as.model.sample, JSON_OBJECT) ? problem.message
                                                                : STR("an entity is an object"));
    buf_add_char(out, '}');
}

enum status entity_model_validate(struct api_request *request, struct error *err)
{
    struct call_model asked = { 0 };
    TRY(entity_param_model(request, 0, &asked.name, &asked.version, err));
    TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &asked.sample, err));
    return request_submit(request, call_get_model(request_origin(request), &asked), render_validated, err);
}
