/* scenario/invariants.c — conditions that must hold after every command of every run. */
#include "scenario/scenario_int.h"

static enum status read_one(const struct json *item, struct arena *arena, struct invariant *ret_invariant,
                            struct error *err)
{
    const struct json *check = json_is(item, JSON_STRING) ? item : json_get(item, STR("check"));
    const struct json *name = json_get(item, STR("name"));
    struct error why;
    if (!json_is(check, JSON_STRING))
        return fail(err, ST_INVALID, "invariants",
                    "an invariant is an expression, or {\"name\", \"check\": expression, \"definition\"}");
    if (expr_compile(json_string(check), arena, &ret_invariant->check, &why) != ST_OK)
        return fail(err, ST_INVALID, "invariants", "invariant \"%.*s\": column %u: %s",
                    STR_ARG(json_string(check)), why.column, why.message);
    ret_invariant->text = json_is(name, JSON_STRING) ? json_string(name) : json_string(check);
    ret_invariant->definition = json_text(item, STR("definition"));
    return ST_OK;
}

enum status invariants_read(const struct json *list, struct arena *arena, struct invariant **ret_invariant,
                            size_t *ret_count, struct error *err)
{
    if (!json_is(list, JSON_ARRAY)) return fail(err, ST_INVALID, "invariants", "\"invariants\" is a list");
    struct invariant *invariant = arena_make_n(arena, struct invariant, json_count(list));
    for (size_t i = 0; i < json_count(list); i++)
        TRY(read_one(json_item(list, i), arena, &invariant[i], err));
    *ret_invariant = invariant;
    *ret_count = json_count(list);
    return ST_OK;
}

static bool holds(struct stage *stage, const struct invariant *invariant, const struct actor *actor,
                  const struct json *data)
{
    struct expr_env env = { .data = data, .now_ms = stage->now_ms };
    int64_t fuel = stage->limits.fuel_max;
    const struct json *value;
    struct error err;
    if (expr_eval(invariant->check, &env, &fuel, stage->arena, &value, &err) != ST_OK)
        return stage_stop(stage, "invariant \"%.*s\" cannot be evaluated for %.*s: %s",
                          STR_ARG(invariant->text), STR_ARG(actor->name), err.message);
    if (json_is(value, JSON_BOOL) && json_bool(value)) return true;
    if (!json_is(value, JSON_BOOL))
        return stage_stop(stage, "invariant \"%.*s\" is neither true nor false for %.*s but %.*s",
                          STR_ARG(invariant->text), STR_ARG(actor->name), STR_ARG(stage_text(stage, value)));
    return stage_stop(stage, "invariant \"%.*s\" does not hold for %.*s", STR_ARG(invariant->text),
                      STR_ARG(actor->name));
}

bool invariants_hold(struct stage *stage)
{
    if (!stage->scenario || !stage->scenario->invariant_count) return true;
    for (size_t i = 0; i < stage->actor_count; i++) {
        struct actor *actor = stage->actor[i];
        const struct json *data = NULL;
        if (actor->checked == actor->revision) continue;
        actor->checked = actor->revision;
        for (size_t k = 0; k < stage->scenario->invariant_count; k++) {
            const struct invariant *invariant = &stage->scenario->invariant[k];
            if (invariant->definition.n && !str_equal(invariant->definition, actor->definition_id)) continue;
            if (!data) data = view_for_invariants(stage, actor);
            if (!holds(stage, invariant, actor, data)) return false;
        }
    }
    return true;
}
