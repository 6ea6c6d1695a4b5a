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
    if (arena_over(step->arena))
        return fail(err, ST_LIMIT, "", "the command needs more memory than %lld bytes (step_bytes_max)",
                    (long long)step->limits->step_bytes_max);
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

/* The region whose data a scope sees; NULL: it sees the instance's. */
static const struct scope *seen_region(const struct instance *instance, uint32_t number)
{
    while (number) {
        const struct scope *scope = scope_find(instance, number);
        if (!scope || scope->data) return scope;
        number = scope->parent;
    }
    return NULL;
}

/* The data around a region, as far outward as its names fall through. */
static void look_around(struct step *step, const struct scope *region, struct expr_env *env)
{
    const struct instance *instance = step->instance;
    size_t count = 0;
    for (const struct scope *at = region; at && scope_sees_around(step->program, at);
         at = seen_region(instance, at->parent))
        count++;
    const struct json **around = arena_alloc(step->arena, count * sizeof *around);
    env->around = around;
    env->around_count = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t outer = region->parent;
        region = seen_region(instance, outer);
        around[i] = region ? region->data : instance->data;
    }
}

/* The locals, and what the token carries. */
static void add_carried(struct step *step, const struct json *carried, struct expr_env *env)
{
    struct expr_local *local = arena_alloc(step->arena, (env->local_count + 1) * sizeof *local);
    if (env->local_count) memcpy(local, env->local, env->local_count * sizeof *local);
    local[env->local_count++] = (struct expr_local){ STR("carried"), carried };
    env->local = local;
}

enum status expression_at(struct step *step, const struct expr *expr, const struct token *token,
                          const struct locals *locals, const struct json **ret_value, struct error *err)
{
    const struct scope *region = token->scope ? seen_region(step->instance, token->scope) : NULL;
    struct expr_env env = {
        .data = region ? region->data : step->instance->data,
        .local = locals ? locals->local : NULL,
        .local_count = locals ? locals->count : 0,
        .now_ms = step->command->now_ms,
        .strict = step->limits->strict_paths != 0,
        .missed = &step->missed,
    };
    if (region && scope_sees_around(step->program, region)) look_around(step, region, &env);
    if (token->carried) add_carried(step, token->carried, &env);
    return evaluate(step, expr, &env, ret_value, err);
}

enum status expression_condition(struct step *step, const struct expr *expr, const struct token *token,
                                 const struct locals *locals, bool *ret_holds, struct error *err)
{
    const struct json *value;
    TRY(expression_at(step, expr, token, locals, &value, err));
    if (!json_is(value, JSON_BOOL))
        return fail(err, ST_INVALID, "", "the condition gives %s, not a boolean",
                    json_kind_name(json_kind(value)));
    *ret_holds = json_bool(value);
    return ST_OK;
}
