/* runtime/entity_errors.c — codes of errors as clients of entities know them. */
#include "runtime/entity_calls.h"

/* Codes of errors that processors and functions raise, where the engine's status alone would mislead. */
static const struct {
    const char *code;
    int http_status;
} raised[] = {
    { "NO_COMPUTE_MEMBER_FOR_TAG", 503 }, { "COMPUTE_MEMBER_DISCONNECTED", 503 },
    { "WORKFLOW_FAILED", 400 },           { "PRECONDITION_REQUIRED", 428 },
    { "NOT_IMPLEMENTED", 501 },           { "SCHEDULE_FUNCTION_INVALID_RESULT", 500 },
};

const char *entity_error_code(const struct error *err)
{
    if (err->code) return err->code;
    for (size_t i = 0; i < COUNT(raised); i++)
        if (str_equal(str_of(err->where), str_of(raised[i].code))) return raised[i].code;
    switch (err->status) {
    case ST_UNAUTHORIZED: return "UNAUTHORIZED";
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
