/* core/edge.c — which way out of a node. */

#include "core/core_int.h"

enum status expression_value(struct step *step, const struct expr *expr, const struct json *data,
                             const struct json **ret_value, struct error *err)
{
    if (arena_over(step->arena)) return fail(err, ST_LIMIT, "", "the command needs more memory than allowed");
    const struct expr_env env = { .data = data, .now_ms = step->command->now_ms };
    int64_t fuel = step->limits->fuel_max;
    return expr_eval(expr, &env, &fuel, step->arena, ret_value, err);
}

/* The kinds' names that users of this format know from its messages. */
static const char *result_word(const struct json *value)
{
    return json_is(value, JSON_NUMBER) ? "float64" : json_kind_name(json_kind(value));
}

static enum edge_choice edge_failed(struct step *step, const struct expr *expr, const struct json *value,
                                    const struct error *err, str *ret_reason)
{
    str text = expr_text(expr);
    if (value)
        *ret_reason = arena_printf(step->arena, "expression \"%.*s\": result is %s, not bool", STR_ARG(text),
                                   result_word(value));
    else
        *ret_reason = arena_printf(step->arena, "expression eval error: expression \"%.*s\": %s",
                                   STR_ARG(text), err->message);
    return EDGE_FAILED;
}

enum edge_choice edge_choose(struct step *step, const struct program_node *node, uint32_t *ret_target,
                             str *ret_reason)
{
    if (node->edge_count == 0) return EDGE_ABSENT;
    for (size_t i = 0; i < node->edge_count; i++) {
        const struct program_edge *edge = &node->edge[i];
        if (edge->when) {
            const struct json *value = NULL;
            struct error err;
            if (expression_value(step, edge->when, step->instance->data, &value, &err) != ST_OK)
                return edge_failed(step, edge->when, NULL, &err, ret_reason);
            if (!json_is(value, JSON_BOOL)) return edge_failed(step, edge->when, value, NULL, ret_reason);
            if (!json_bool(value)) continue;
        }
        *ret_target = edge->target;
        return EDGE_TAKEN;
    }
    *ret_reason = node->no_edge_reason;
    return EDGE_FAILED;
}
