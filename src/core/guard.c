/* core/guard.c — whether a token may take an edge. */

#include "core/core_int.h"

bool guard_holds(struct step *step, const struct token *token, const struct program_edge *edge,
                 const struct json *data, const struct json **ret_error)
{
    if (!edge->guard) return true;
    const struct json *value = NULL;
    struct error err = { 0 };
    enum status status = expression_value(step, edge->guard, data, &value, &err);
    if (status == ST_OK && json_is(value, JSON_BOOL) && json_bool(value)) return true;
    *ret_error = error_of_guard(step, token->execution, edge, data, status == ST_OK ? NULL : err.message);
    return false;
}
