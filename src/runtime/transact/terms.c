/* runtime/transact/terms.c — what a definition asks of any start: its input fits the schema, and there is a
 * place. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "schema/schema.h"

enum status terms_fail_schema(struct turn *turn, const struct schema_problem *problem, size_t count,
                              struct error *err)
{
    must(count > 0);
    str all = schema_print_problems(problem, count, STR("it"), &turn->arena);
    str where = arena_printf(&turn->arena, "%.*s", STR_ARG(problem->where));
    fail(err, ST_INVALID, where.n ? where.p : "input", "%.*s", STR_ARG(all));
    err->code = "REJECTED_SCHEMA";
    return ST_INVALID;
}

enum status terms_have_place(struct turn *turn, int32_t ns, const struct definition *definition,
                             bool *ret_has, struct error *err)
{
    int64_t most = definition->program->rules->active_max, living;
    *ret_has = true;
    if (most <= 0) return ST_OK;
    TRY(store_count_living(turn->engine->store, ns, definition->id, &living, err));
    *ret_has = living < most;
    if (*ret_has) return ST_OK;
    /* Tests live, too, and do not count. */
    const struct record_filter filter = { .ns = ns,
                                          .kind = RECORD_TEST,
                                          .prefix = index_record_prefix(definition->id, &turn->arena),
                                          .max = (size_t)(living - most) + 1 };
    struct record_row *row;
    size_t tests;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, &tests, err));
    *ret_has = living - (int64_t)tests < most;
    return ST_OK;
}

enum status terms_fail_place(struct error *err)
{
    fail(err, ST_OVERLOAD, "maxActiveInstances",
         "there are as many living instances of this definition as there may be, or others wait for a place "
         "(maxActiveInstances)");
    err->code = "MAX_ACTIVE_INSTANCES";
    return ST_OVERLOAD;
}

/* Does anybody wait for a place who came before this start? Chained starts wait for one another, whatever the
 * definition says of arrivals. */
static enum status others_wait(struct turn *turn, const struct definition *definition,
                               const struct start *start, bool *ret_wait, struct error *err)
{
    const struct program_rules *rules = definition->program->rules;
    int64_t since_ms = start->waits_since_ms ? start->waits_since_ms : turn->now_ms;
    struct pending_row row;
    size_t count = 0;
    *ret_wait = false;
    if (rules->active_max <= 0) return ST_OK;
    if (rules->overflow_waits)
        TRY(overflow_waits_since(turn, start->ns, definition->id, since_ms, ret_wait, err));
    if (*ret_wait || !start->chained_from || start->waits_since_ms) return ST_OK;
    TRY(store_pending(turn->engine->store, start->ns, definition->id, NULL, &turn->arena, &row, 1, &count,
                      err));
    *ret_wait = count > 0;
    return ST_OK;
}

enum status terms_check_start(struct turn *turn, const struct definition *definition,
                              const struct start *start, struct error *err)
{
    const struct schema *schema = definition->program->rules->input_schema;
    const struct schema_problem *problem;
    size_t count = 0;
    int64_t fuel = turn->engine->limits.fuel_max;
    bool has = true, wait = false;
    if (schema) {
        TRY(schema_check(schema, start->data ? start->data : json_empty_object(), &fuel, &turn->arena,
                         &problem, &count, err));
        turn->spent += turn->engine->limits.fuel_max - fuel;
    }
    if (count) return terms_fail_schema(turn, problem, count, err);
    if (start->is_test) return ST_OK;
    TRY(others_wait(turn, definition, start, &wait, err));
    if (!wait) TRY(terms_have_place(turn, start->ns, definition, &has, err));
    return has && !wait ? ST_OK : terms_fail_place(err);
}
