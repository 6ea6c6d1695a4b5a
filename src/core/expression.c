/* core/expression.c — expressions are evaluated on the budget of the command. */

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

enum status expression_condition(struct step *step, const struct expr *expr, uint32_t scope,
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
