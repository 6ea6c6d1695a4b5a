/* runtime/entities/entity_errors.c — codes of errors as clients of entities know them. */
#include "json/put.h"
#include "runtime/call/call.h"

#include <stdio.h>

/* Codes of errors that processors and functions raise, where the engine's status alone would mislead. */
static const struct {
    const char *code;
    int http_status;
} raised[] = {
    { "NO_COMPUTE_MEMBER_FOR_TAG", 503 },
    { "COMPUTE_MEMBER_DISCONNECTED", 503 },
    { "WORKFLOW_FAILED", 400 },
    { "TRANSITION_NOT_FOUND", 404 },
    { "PRECONDITION_REQUIRED", 428 },
    { "NOT_IMPLEMENTED", 501 },
    { "SCHEDULE_FUNCTION_INVALID_RESULT", 500 },
    { "UNSUPPORTED", 501 },
    { "METHOD_NOT_ALLOWED", 405 },
};

const char *entity_error_code(const struct error *err)
{
    if (err->code) return err->code;
    for (size_t i = 0; i < COUNT(raised); i++)
        if (str_equal(str_of(err->where), str_of(raised[i].code))) return raised[i].code;
    switch (err->status) {
    case ST_UNAUTHORIZED: return "UNAUTHORIZED";
    case ST_FORBIDDEN: return "FORBIDDEN";
    case ST_CONFLICT: return "CONFLICT";
    case ST_NOT_FOUND: return "NOT_FOUND";
    default: return status_http(err->status) < 500 ? "BAD_REQUEST" : "SERVER_ERROR";
    }
}

int entity_error_http(const struct error *err)
{
    const char *code = entity_error_code(err);
    for (size_t i = 0; i < COUNT(raised); i++)
        if (str_equal(str_of(code), str_of(raised[i].code))) return raised[i].http_status;
    return status_http(err->status);
}

/* ---- what programs read about an error ---- */

void entity_error_add(struct error *err, const char *name, str text)
{
    struct arena scratch;
    struct buf value;
    arena_init(&scratch, 0);
    buf_init(&value, &scratch);
    put_text(&value, text);
    fail_detail(err, name, buf_str(&value));
    arena_done(&scratch);
}

void entity_error_add_model(struct error *err, str name, int32_t version)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)version);
    entity_error_add(err, "entityName", name);
    fail_detail(err, "entityVersion", str_of(number));
}

void entity_error_add_id(struct error *err, struct uuid id)
{
    char text[UUID_CHARS + 1];
    uuid_print(id, text);
    entity_error_add(err, "entityId", str_of(text));
}

enum status entity_fail_not_found(struct uuid id, struct error *err)
{
    char text[UUID_CHARS + 1];
    uuid_print(id, text);
    fail_code(err, ST_NOT_FOUND, "ENTITY_NOT_FOUND", "there is no entity %s", text);
    entity_error_add_id(err, id);
    return ST_NOT_FOUND;
}

static void add_types(struct error *err, const char *name, model_types types)
{
    struct arena scratch;
    struct buf list;
    arena_init(&scratch, 0);
    buf_init(&list, &scratch);
    for (enum model_type type = 0; type < MODEL_TYPE_COUNT; type++) {
        if (!model_types_have(types, type)) continue;
        buf_add_char(&list, list.n ? ',' : '[');
        put_text(&list, str_of(model_type_name(type)));
    }
    buf_add_str(&list, list.n ? STR("]") : STR("[]"));
    fail_detail(err, name, buf_str(&list));
    arena_done(&scratch);
}

enum status entity_fail_problem(const struct model *model, const struct model_problem *problem,
                                struct error *err)
{
    fail_code(err, ST_INVALID, problem->code, "%.*s", STR_ARG(problem->message));
    entity_error_add(err, "fieldPath", problem->path);
    if (problem->expected) {
        add_types(err, "expectedType", problem->expected);
        entity_error_add(err, "actualType", str_of(model_type_name(problem->actual)));
    }
    entity_error_add_model(err, model->name, model->version);
    return ST_INVALID;
}
