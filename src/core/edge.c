/* core/edge.c — chooses the edge by which a token leaves its node. */

#include "core/core_int.h"

/* The kinds' names that users of this format know from its messages. */
static const char *result_word(const struct json *value)
{
    return json_is(value, JSON_NUMBER) ? "float64" : json_kind_name(json_kind(value));
}

static enum edge_choice edge_failed(struct step *step, const struct expr *expr, const struct json *value,
                                    const struct error *err, struct edge_refusal *ret_refusal)
{
    str text = expr_text(expr);
    if (value) {
        ret_refusal->reason = arena_printf(step->arena, "expression \"%.*s\": result is %s, not bool",
                                           STR_ARG(text), result_word(value));
    } else {
        ret_refusal->code = reason_code_word(REASON_EXPRESSION);
        ret_refusal->reason = arena_printf(step->arena, "expression eval error: expression \"%.*s\": %s",
                                           STR_ARG(text), err->message);
    }
    return EDGE_FAILED;
}

enum edge_choice edge_choose(struct step *step, const struct token *token, const struct program_node *node,
                             const struct locals *locals, const struct program_edge **ret_edge,
                             struct edge_refusal *ret_refusal)
{
    const struct program_error_names *names = &step->program->error_names;
    if (node->edge_count == 0) return EDGE_ABSENT;
    for (size_t i = 0; i < node->edge_count; i++) {
        const struct program_edge *edge = &node->edge[i];
        if (edge->when) {
            const struct json *value = NULL;
            struct error err;
            if (expression_at(step, edge->when, token, locals, &value, &err) != ST_OK) {
                *ret_refusal = (struct edge_refusal){ .name = error_name_of(step->program, &err) };
                return edge_failed(step, edge->when, NULL, &err, ret_refusal);
            }
            if (!json_is(value, JSON_BOOL)) {
                *ret_refusal = (struct edge_refusal){ .name = names->expression };
                return edge_failed(step, edge->when, value, NULL, ret_refusal);
            }
            if (!json_bool(value)) continue;
        }
        *ret_edge = edge;
        return EDGE_TAKEN;
    }
    *ret_refusal =
        (struct edge_refusal){ names->no_way, reason_code_word(REASON_NO_BRANCH), node->no_edge_reason };
    return EDGE_FAILED;
}
