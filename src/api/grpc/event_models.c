/* api/grpc/event_models.c — entityModelManage: models. */
#include "api/grpc/event_call_int.h"

#include "api/entity/entity_int.h"
#include "json/put.h"

static enum status change(struct event_call *event, enum model_action action, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_model asked = { .action = action };
    TRY(event_read_model(json_get(data, STR("model")), &asked.name, &asked.version, err));
    return event_call_submit(event, call_change_model(event_call_origin(event), &asked), err);
}

static enum status ask_import(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_model asked = { .action = MODEL_IMPORT };
    str converter;
    TRY(event_read_text(data, STR("converter"), &converter, err));
    if (converter.n && !str_equal(converter, STR("SAMPLE_DATA")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "models are imported from SAMPLE_DATA");
    TRY(event_read_model(json_get(data, STR("model")), &asked.name, &asked.version, err));
    TRY(event_read_document(event, json_get(data, STR("payload")), "payload", &asked.sample, err));
    return event_call_submit(event, call_change_model(event_call_origin(event), &asked), err);
}

static enum status ask_transition(struct event_call *event, struct error *err)
{
    str transition;
    TRY(event_read_text(event->envelope.data, STR("transition"), &transition, err));
    if (str_equal_ignoring_case(transition, STR("LOCK"))) return change(event, MODEL_LOCK, err);
    if (str_equal_ignoring_case(transition, STR("UNLOCK"))) return change(event, MODEL_UNLOCK, err);
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "a model's transition is LOCK or UNLOCK");
}

static enum status ask_delete(struct event_call *event, struct error *err)
{
    return change(event, MODEL_REMOVE, err);
}

static enum status ask_unique_keys(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_model asked = { .action = MODEL_SET_KEYS, .list = json_get(data, STR("uniqueKeys")) };
    if (!json_is(asked.list, JSON_ARRAY))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "uniqueKeys are needed, a list");
    TRY(event_read_model(json_get(data, STR("model")), &asked.name, &asked.version, err));
    return event_call_submit(event, call_change_model(event_call_origin(event), &asked), err);
}

static enum status ask_export(struct event_call *event, struct error *err)
{
    const struct json *data = event->envelope.data;
    struct call_model asked = { .needs_keys = true };
    str converter;
    TRY(event_read_text(data, STR("converter"), &converter, err));
    TRY(event_read_model(json_get(data, STR("model")), &asked.name, &asked.version, err));
    if (converter.n && !str_equal(converter, STR("SIMPLE_VIEW")) && !str_equal(converter, STR("JSON_SCHEMA")))
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "a model is exported as SIMPLE_VIEW or JSON_SCHEMA");
    return event_call_submit(event, call_get_model(event_call_origin(event), &asked), err);
}

static enum status ask_all(struct event_call *event, struct error *err)
{
    const struct call_models asked = { .max = ENTITY_MODELS_LISTED_MAX };
    return event_call_submit(event, call_list_models(event_call_origin(event), &asked), err);
}

/* ---- answers ---- */

static void put_model(const struct call *call, struct buf *out)
{
    PUT(out, ",\"modelId\":");
    entity_put_model_id(out, call->as.model.name, call->as.model.version, call->arena);
}

static bool put_changed(const struct call *call, size_t i, struct buf *out)
{
    if (i) return false;
    put_model(call, out);
    if (call->as.model.action == MODEL_LOCK) PUT(out, ",\"state\":\"LOCKED\"");
    if (call->as.model.action == MODEL_UNLOCK) PUT(out, ",\"state\":\"UNLOCKED\"");
    return true;
}

static bool put_exported(const struct call *call, size_t i, struct buf *out)
{
    const struct event_call *event = call->user;
    if (i) return false;
    PUT(out, ",\"model\":{\"name\":");
    put_text(out, call->as.model.name);
    PUT(out, ",\"version\":");
    put_int(out, call->as.model.version);
    PUT(out, "},\"payload\":");
    if (str_equal(envelope_text(&event->envelope, STR("converter")), STR("SIMPLE_VIEW")))
        model_put_simple_view(call->value.models.view->schema, out);
    else model_put_json_schema(call->value.models.view->schema, out);
    PUT(out, ",\"uniqueKeys\":");
    entity_put_unique_keys(out, call->value.models.indexes);
    return true;
}

static bool put_all(const struct call *call, size_t i, struct buf *out)
{
    const struct answer_models *answer = &call->value.models;
    if (i) return false;
    PUT(out, ",\"models\":[");
    for (size_t k = 0; k < answer->count; k++) {
        const struct model *model = &answer->view[k];
        buf_add_str(out, k ? STR(",{\"id\":") : STR("{\"id\":"));
        entity_put_model_id(out, model->name, model->version, call->arena);
        PUT(out, ",\"name\":");
        put_text(out, model->name);
        PUT(out, ",\"version\":");
        put_int(out, model->version);
        PUT(out, ",\"state\":");
        put_text(out, model->is_locked ? STR("LOCKED") : STR("UNLOCKED"));
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
    return true;
}

const struct event_kind event_model_kinds[] = {
    { STR_INIT("EntityModelImportRequest"), MAY_DEFINITIONS_WRITE, "EntityModelImportResponse", ask_import,
      put_changed, 0, "model(name version) converter dataFormat payload" },
    { STR_INIT("EntityModelExportRequest"), MAY_DEFINITIONS_READ, "EntityModelExportResponse", ask_export,
      put_exported, 0, "model(name version) converter" },
    { STR_INIT("EntityModelTransitionRequest"), MAY_DEFINITIONS_WRITE, "EntityModelTransitionResponse",
      ask_transition, put_changed, 0, "model(name version) transition" },
    { STR_INIT("EntityModelDeleteRequest"), MAY_DEFINITIONS_WRITE, "EntityModelDeleteResponse", ask_delete,
      put_changed, 0, "model(name version)" },
    { STR_INIT("EntityModelSetUniqueKeysRequest"), MAY_DEFINITIONS_WRITE, "EntityModelSetUniqueKeysResponse",
      ask_unique_keys, put_changed, 0, "model(name version) uniqueKeys(id name fields)" },
    { STR_INIT("EntityModelGetAllRequest"), MAY_DEFINITIONS_READ, "EntityModelGetAllResponse", ask_all,
      put_all, 0, NULL },
};
const size_t event_model_kind_count = COUNT(event_model_kinds);
