/* core/edge.c — which way out of a node. */

#include "core/core_int.h"

static enum status fail_spent(const struct step *step, struct error *err)
{
    return fail(err, ST_LIMIT, "", "the command used up its budget of %lld operations (command_fuel_max)",
                (long long)step->limits->command_fuel_max);
}

static enum status evaluate(struct step *step, const struct expr *expr, const struct expr_env *env,
                            const struct json **ret_value, struct error *err)
{
    if (arena_over(step->arena)) return fail(err, ST_LIMIT, "", "the command needs more memory than allowed");
    step_spend(step, FUEL_EVALUATION);
    if (step_is_spent(step)) return fail_spent(step, err);
    int64_t given = step->fuel < step->limits->fuel_max ? step->fuel : step->limits->fuel_max, fuel = given;
    enum status status = expr_eval(expr, env, &fuel, step->arena, ret_value, err);
    step_spend(step, given - fuel);
    return status == ST_LIMIT && step_is_spent(step) ? fail_spent(step, err) : status;
}

enum status expression_value(struct step *step, const struct expr *expr, const struct json *data,
                             const struct json **ret_value, struct error *err)
{
    const struct expr_env env = { .data = data,
                                  .now_ms = step->command->now_ms,
                                  .strict = step->limits->strict_paths != 0 };
    return evaluate(step, expr, &env, ret_value, err);
}

enum status expression_in_scope(struct step *step, const struct expr *expr, uint32_t scope,
                                const struct locals *locals, const struct json **ret_value, struct error *err)
{
    const struct expr_env env = {
        .data = scope_data(step->instance, scope),
        .local = locals ? locals->local : NULL,
        .local_count = locals ? locals->count : 0,
        .now_ms = step->command->now_ms,
        .strict = step->limits->strict_paths != 0,
        .missed = &step->missed,
    };
    return evaluate(step, expr, &env, ret_value, err);
}

void locals_add(struct locals *locals, str name, const struct json *value)
{
    must(locals->count < LOCALS_MAX);
    locals->local[locals->count++] = (struct expr_local){ name, value ? value : json_null() };
}

enum status condition_in_scope(struct step *step, const struct expr *expr, uint32_t scope,
                               const struct locals *locals, bool *ret_holds, struct error *err)
{
    const struct json *value;
    TRY(expression_in_scope(step, expr, scope, locals, &value, err));
    if (!json_is(value, JSON_BOOL))
        return fail(err, ST_INVALID, "", "the condition gives %s, not a boolean",
                    json_kind_name(json_kind(value)));
    *ret_holds = json_bool(value);
    return ST_OK;
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

enum edge_choice edge_choose(struct step *step, const struct token *token, const struct program_node *node,
                             const struct locals *locals, const struct program_edge **ret_edge, str *ret_name,
                             str *ret_reason)
{
    const struct program_error_names *names = &step->program->error_names;
    if (node->edge_count == 0) return EDGE_ABSENT;
    for (size_t i = 0; i < node->edge_count; i++) {
        const struct program_edge *edge = &node->edge[i];
        if (edge->when) {
            const struct json *value = NULL;
            struct error err;
            if (expression_in_scope(step, edge->when, token->scope, locals, &value, &err) != ST_OK) {
                *ret_name = error_name_of(step->program, &err);
                return edge_failed(step, edge->when, NULL, &err, ret_reason);
            }
            *ret_name = names->expression;
            if (!json_is(value, JSON_BOOL)) return edge_failed(step, edge->when, value, NULL, ret_reason);
            if (!json_bool(value)) continue;
        }
        *ret_edge = edge;
        return EDGE_TAKEN;
    }
    *ret_name = names->no_way;
    *ret_reason = node->no_edge_reason;
    return EDGE_FAILED;
}
