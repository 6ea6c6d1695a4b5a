#include "generate.h"

#include "base/buf.h"

/* A definition is built from its end to its beginning: each block is given the step that
 * follows it and returns its own first step. */
struct draft {
    struct world *world;
    struct arena *arena;
    LIST(str) steps; /* As JSON, in no order. */
    LIST(str) ids;
    str next; /* The definition that follows; empty: none. */
    uint32_t loops;
    bool in_branch; /* Gateways must not be nested. */
    int budget;     /* Blocks that may still be made. */
};

#define text(draft, ...) arena_printf((draft)->arena, __VA_ARGS__)

static uint32_t below(struct draft *draft, uint32_t n) { return world_below(draft->world, n); }
static bool odds(struct draft *draft, uint32_t percent) { return below(draft, 100) < percent; }

static str sequence(struct draft *draft, str next, uint32_t count);

static str new_id(struct draft *draft)
{
    str id = text(draft, "s%zu", draft->ids.count + 1);
    *list_push(draft->arena, &draft->ids) = id;
    return id;
}

static str put_step(struct draft *draft, str id, const char *type, str more)
{
    *list_push(draft->arena, &draft->steps) =
        text(draft, "{\"id\":\"%.*s\",\"name\":\"Step %.*s\",\"type\":\"%s\"%.*s}", STR_ARG(id), STR_ARG(id),
             type, STR_ARG(more));
    return id;
}

static str next_field(struct draft *draft, str next)
{
    return text(draft, ",\"nextStep\":\"%.*s\"", STR_ARG(next));
}

/* ---- expressions ---- */

static str condition(struct draft *draft)
{
    uint32_t a = below(draft, 10), b = 2 + below(draft, 3);
    switch (below(draft, 9)) {
    case 0: return text(draft, "n < %u", a);
    case 1: return text(draft, "n %% %u == %u", b, below(draft, b));
    case 2: return text(draft, "n == %u", a);
    case 3: return STR("f");
    case 4: return STR("!f");
    case 5: return text(draft, "n + 1 > %u", a);
    case 6: return text(draft, "n > %u && n < %u", a, a + b + 2);
    case 7: return text(draft, "n < %u || m > %u", a, b);
    default: return text(draft, "r.s == %u", b - 2);
    }
}

/* `"condition":"target",…`: without `last` it may be that none holds. */
static str branches(struct draft *draft, const str *target, size_t count, str last)
{
    struct buf out;
    buf_init(&out, draft->arena);
    str used[8];
    for (size_t i = 0; i < count && i < COUNT(used); i++) {
        used[i] = condition(draft);
        bool repeated = false;
        for (size_t k = 0; k < i; k++) repeated |= str_equal(used[k], used[i]);
        if (repeated) used[i] = text(draft, "(%.*s) && n != %zu", STR_ARG(used[i]), 100 + i);
        buf_printf(&out, "%s\"%.*s\":\"%.*s\"", i ? "," : "", STR_ARG(used[i]), STR_ARG(target[i]));
    }
    if (last.n) buf_printf(&out, ",\"true\":\"%.*s\"", STR_ARG(last));
    return buf_str(&out);
}

/* ---- steps that wait ---- */

/* Another instance takes the place of this one. Definitions follow each other in one direction, so that a run
 * of the simulation ends. */
static str continuing_end(struct draft *draft)
{
    str input = odds(draft, 50) ? text(draft, ",\"input\":{\"n\":%u}", below(draft, 10)) : STR_NONE;
    return put_step(
        draft, new_id(draft), "END",
        text(draft, ",\"continueAs\":{\"definition\":\"%.*s\"%.*s}", STR_ARG(draft->next), STR_ARG(input)));
}

static str end_step(struct draft *draft, uint32_t odds_alone)
{
    if (draft->next.n && odds(draft, 15)) return continuing_end(draft);
    const char *chain = odds(draft, 30) ? ",\"chain\":false" : "";
    const char *ends = odds(draft, odds_alone) ? ",\"ends\":\"branch\""
                       : odds(draft, 10)       ? ",\"ends\":\"instance\""
                                               : "";
    return put_step(draft, new_id(draft), "END", text(draft, "%s%s", chain, ends));
}

static str timer_target(struct draft *draft, str next, bool interrupting)
{
    if (!interrupting && odds(draft, 30)) {
        str last = end_step(draft, 90);
        return odds(draft, 50) ? last : sequence(draft, last, 1);
    }
    /* An interrupted branch that just ends is missed by its join for ever. */
    switch (below(draft, interrupting && !odds(draft, 10) ? 3 : 5)) {
    case 0: return sequence(draft, next, 1);
    case 1: return next;
    case 2: return odds(draft, 30) ? end_step(draft, 0) : sequence(draft, next, 1);
    case 3: return put_step(draft, new_id(draft), "USER_TASK", STR_NONE); /* Just ends. */
    default:
        return put_step(draft, new_id(draft), "SERVICE_TASK",
                        text(draft, ",\"jobType\":\"t%u\"", below(draft, JOB_TYPE_COUNT)));
    }
}

static str timers(struct draft *draft, str next)
{
    static const char *const durations[] = { "PT0.5S", "PT1S", "PT3S", "PT10S", "PT30S", "PT2M", "PT1H" };
    if (!odds(draft, 35)) return STR_NONE;
    struct buf out;
    buf_init(&out, draft->arena);
    uint32_t count = 1 + below(draft, 2);
    for (uint32_t i = 0; i < count; i++) {
        bool interrupting = odds(draft, 50);
        str target = timer_target(draft, next, interrupting);
        buf_printf(&out,
                   "%s{\"type\":\"TIMER\",\"duration\":\"%s\",\"interrupting\":%s,\"targetStepId\":\"%.*s\"}",
                   i ? "," : ",\"boundaryEvents\":[", durations[below(draft, COUNT(durations))],
                   interrupting ? "true" : "false", STR_ARG(target));
    }
    buf_add_char(&out, ']');
    return buf_str(&out);
}

/* How a waiting step is left. */
static str exits(struct draft *draft, str next)
{
    if (odds(draft, 85)) return next_field(draft, next);
    str target[2] = { next, sequence(draft, next, 1) };
    str list = branches(draft, target, 2, odds(draft, 80) ? next : STR_NONE);
    return text(draft, ",\"conditionalNextSteps\":{%.*s}", STR_ARG(list));
}

static str service_task(struct draft *draft, str next)
{
    struct buf out;
    buf_init(&out, draft->arena);
    buf_printf(&out, ",\"jobType\":\"t%u\"", below(draft, JOB_TYPE_COUNT));
    if (odds(draft, 70)) buf_printf(&out, ",\"retryCount\":%u", below(draft, 4));
    if (odds(draft, 30))
        buf_printf(&out, ",\"retryBackoff\":{\"initial\":\"PT%uS\",\"factor\":%u,\"max\":\"PT%uS\"}",
                   1 + below(draft, 3), 1 + below(draft, 3), 3 + below(draft, 10));
    if (odds(draft, 10))
        buf_add_str(&out, STR(",\"outputs_schema\":{\"properties\":{\"op\":{\"type\":\"integer\"}},"
                              "\"required\":[\"op\"]}"));
    buf_add_str(&out, timers(draft, next));
    buf_add_str(&out, exits(draft, next));
    return put_step(draft, new_id(draft), "SERVICE_TASK", buf_str(&out));
}

static str waiting(struct draft *draft, str next, const char *type)
{
    str more = timers(draft, next);
    str out = exits(draft, next);
    return put_step(draft, new_id(draft), type, text(draft, "%.*s%.*s", STR_ARG(more), STR_ARG(out)));
}

/* ---- steps that do not ---- */

static str decision(struct draft *draft, str next)
{
    str target[3];
    uint32_t count = 1 + below(draft, 3);
    for (uint32_t i = 0; i < count; i++) target[i] = odds(draft, 30) ? next : sequence(draft, next, 1);
    str list = branches(draft, target, count, odds(draft, 80) ? next : STR_NONE);
    return put_step(draft, new_id(draft), "DECISION",
                    text(draft, ",\"conditionalNextSteps\":{%.*s}", STR_ARG(list)));
}

static str transformation(struct draft *draft, str next)
{
    static const char *const values[] = {
        "\"m\":\"${n + 1}\",\"k\":\"${m * 2}\"",
        "\"n\":\"${(n + 3) % 10}\"",
        "\"f\":\"${n > 4}\",\"note\":\"Hi ${n}!\"",
        "\"r\":{\"s\":1},\"m\":3",
        "\"n\":\"${n % 2 == 0}\",\"n2\":7,\"m\":\"${r.s}\"",
    };
    uint32_t which = odds(draft, 3) ? 4 : below(draft, 4);
    str more = next_field(draft, next);
    return put_step(draft, new_id(draft), "TRANSFORMATION",
                    text(draft, ",\"transformations\":{%s}%.*s", values[which], STR_ARG(more)));
}

static str table(struct draft *draft, str next)
{
    static const char *const policies[] = { "U", "F", "A", "R", "C", "C+", "C#", "C>", "C<" };
    struct buf rules;
    buf_init(&rules, draft->arena);
    uint32_t count = 1 + below(draft, 3);
    for (uint32_t i = 0; i < count; i++) {
        str one = condition(draft), two = odds(draft, 50) ? condition(draft) : STR_NONE;
        buf_printf(&rules, "{\"when\":{\"a\":\"%.*s\",\"b\":\"%.*s\"},\"outputs\":{\"t\":%u%s}},",
                   STR_ARG(one), STR_ARG(two), below(draft, 3), odds(draft, 40) ? ",\"u\":\"${n * 2}\"" : "");
    }
    buf_printf(&rules, "{\"when\":{\"a\":\"%s\"},\"outputs\":{\"t\":%u}}", odds(draft, 60) ? "" : "n < 5",
               below(draft, 3));
    str more = next_field(draft, next);
    return put_step(draft, new_id(draft), "DECISION_TABLE",
                    text(draft, ",\"hitPolicy\":\"%s\",\"decisionTable\":{\"rules\":[%.*s]}%.*s",
                         policies[below(draft, COUNT(policies))], STR_ARG(buf_str(&rules)), STR_ARG(more)));
}

/* ---- blocks of several steps ---- */

static str parallel(struct draft *draft, str next)
{
    str join = put_step(draft, new_id(draft), "JOIN_GATEWAY", next_field(draft, next));
    struct buf heads;
    buf_init(&heads, draft->arena);
    uint32_t count = 2 + below(draft, 3);
    draft->in_branch = true;
    for (uint32_t i = 0; i < count; i++) {
        str head = sequence(draft, join, 1 + below(draft, 2));
        /* A branch needs a step of its own. */
        if (str_equal(head, join)) head = waiting(draft, join, "WAIT");
        buf_printf(&heads, "%s\"%.*s\"", i ? "," : "", STR_ARG(head));
    }
    draft->in_branch = false;
    return put_step(draft, new_id(draft), "PARALLEL_GATEWAY",
                    text(draft, ",\"parallelNextSteps\":[%.*s],\"joinStep\":\"%.*s\"",
                         STR_ARG(buf_str(&heads)), STR_ARG(join)));
}

/* zero ──► decide ──► body ──► count ──┐
 *            │  ▲──────────────────────┘
 *            └──► next                       */
static str loop(struct draft *draft, str next)
{
    uint32_t variable = draft->loops++;
    str decide = new_id(draft), count = new_id(draft), zero = new_id(draft);
    str body = sequence(draft, count, 1 + below(draft, 2));
    uint32_t rounds = 1 + below(draft, 2);
    put_step(draft, count, "TRANSFORMATION",
             text(draft, ",\"transformations\":{\"c%u\":\"${c%u + 1}\"},\"nextStep\":\"%.*s\"", variable,
                  variable, STR_ARG(decide)));
    put_step(draft, decide, "DECISION",
             text(draft, ",\"conditionalNextSteps\":{\"c%u < %u\":\"%.*s\",\"c%u >= %u\":\"%.*s\"}", variable,
                  rounds, STR_ARG(body), variable, rounds, STR_ARG(next)));
    return put_step(
        draft, zero, "TRANSFORMATION",
        text(draft, ",\"transformations\":{\"c%u\":0},\"nextStep\":\"%.*s\"", variable, STR_ARG(decide)));
}

static str block(struct draft *draft, str next)
{
    if (draft->budget-- <= 0) return next;
    switch (below(draft, draft->in_branch ? 14 : 17)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: return service_task(draft, next);
    case 5:
    case 6: return waiting(draft, next, "USER_TASK");
    case 7:
    case 8: return waiting(draft, next, "WAIT");
    case 9: return decision(draft, next);
    case 10: return table(draft, next);
    case 11: return transformation(draft, next);
    case 12: return odds(draft, 50) ? service_task(draft, next) : decision(draft, next);
    case 13: return loop(draft, next);
    default: return parallel(draft, next);
    }
}

static str sequence(struct draft *draft, str next, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) next = block(draft, next);
    return next;
}

/* The entry comes first. */
static void print_steps(const struct draft *draft, str entry, struct buf *out)
{
    str start = arena_printf(draft->arena, "{\"id\":\"%.*s\",", STR_ARG(entry));
    for (size_t i = 0; i < draft->steps.count; i++)
        if (str_starts(draft->steps.item[i], start)) buf_add_str(out, draft->steps.item[i]);
    for (size_t i = 0; i < draft->steps.count; i++) {
        if (str_starts(draft->steps.item[i], start)) continue;
        buf_add_char(out, ',');
        buf_add_str(out, draft->steps.item[i]);
    }
}

str generate_definition(struct world *world, str id, str next)
{
    struct draft draft = {
        .world = world, .arena = &world->arena, .next = next, .budget = 4 + (int)world_below(world, 14)
    };
    str entry = sequence(&draft, end_step(&draft, 10), 1 + below(&draft, 5));
    if (draft.steps.count == 1) entry = service_task(&draft, entry);
    struct buf out;
    buf_init(&out, draft.arena);
    buf_printf(&out, "{\"id\":\"%.*s\",\"name\":\"Definition %.*s\"", STR_ARG(id), STR_ARG(id));
    if (next.n)
        buf_printf(&out, ",\"autoStartNextWorkflow\":true,\"nextWorkflowId\":\"%.*s\"", STR_ARG(next));
    if (odds(&draft, 15))
        buf_add_str(
            &out,
            STR(",\"input_schema\":{\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}"));
    buf_add_str(&out, STR(",\"steps\":["));
    print_steps(&draft, entry, &out);
    buf_add_str(&out, STR("]}"));
    return buf_str(&out);
}

/* ---- data ---- */

const struct json *generate_input(struct world *world, uint32_t op)
{
    return world_below(world, 8) ? generate_cure(world, op) : generate_data(world, op);
}

const struct json *generate_data(struct world *world, uint32_t op)
{
    if (world_below(world, 12) == 0) return NULL;
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("op"));
    json_add_int(&builder, op);
    if (world_below(world, 10)) {
        json_add_name(&builder, STR("n"));
        if (world_below(world, 60)) json_add_int(&builder, world_below(world, 10));
        else json_add_string(&builder, STR("many"));
    }
    if (world_below(world, 5)) {
        json_add_name(&builder, STR("f"));
        json_add_bool(&builder, world_below(world, 2));
    }
    if (world_below(world, 3)) {
        json_add_name(&builder, STR("r"));
        json_open_object(&builder);
        json_add_name(&builder, world_below(world, 2) ? STR("s") : STR("q"));
        json_add_int(&builder, world_below(world, 3));
        json_close(&builder);
    }
    json_close(&builder);
    return json_built(&builder);
}

const struct json *generate_cure(struct world *world, uint32_t op)
{
    struct json_builder builder;
    json_builder_init(&builder, &world->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("op"));
    json_add_int(&builder, op);
    static const char *const names[] = { "n", "m", "c0", "c1", "c2", "c3" };
    for (size_t i = 0; i < COUNT(names); i++) {
        json_add_name(&builder, str_of(names[i]));
        json_add_int(&builder, (int64_t)world_below(world, 13) - 1); /* No condition asks for less or more. */
    }
    json_add_name(&builder, STR("f"));
    json_add_bool(&builder, world_below(world, 2));
    json_add_name(&builder, STR("r"));
    json_open_object(&builder);
    json_add_name(&builder, STR("s"));
    json_add_int(&builder, world_below(world, 3));
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

str generate_job_type(struct world *world, uint32_t index)
{
    return arena_printf(&world->arena, "t%u", index);
}

/* ---- another version ---- */

static bool leads_on(const struct json *step)
{
    static const char *const types[] = { "SERVICE_TASK", "USER_TASK", "WAIT", "TRANSFORMATION" };
    str type = json_text(step, STR("type"));
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_equal(type, str_of(types[i]))) return json_text(step, STR("nextStep")).n > 0;
    return false;
}

str generate_variation(struct world *world, str source, uint32_t number, str *ret_next)
{
    struct arena *arena = &world->arena;
    const struct json *document, *steps, *chosen = NULL;
    struct error err;
    must(json_parse(source, NULL, arena, &document, &err) == ST_OK);
    steps = json_get(document, STR("steps"));
    struct json_each each = json_each(steps);
    for (uint32_t seen = 0; json_next(&each);)
        if (leads_on(each.value) && world_below(world, ++seen) == 0) chosen = each.value;
    if (!chosen) return STR_NONE;
    *ret_next = json_text(chosen, STR("nextStep"));
    str id = arena_printf(arena, "x%u", number);
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_array(&builder);
    each = json_each(steps);
    while (json_next(&each)) {
        bool is_it = str_equal(json_text(each.value, STR("id")), json_text(chosen, STR("id")));
        json_add(&builder, is_it ? json_set(arena, each.value, STR("nextStep"), json_of_string(arena, id))
                                 : each.value);
    }
    str step = arena_printf(arena,
                            "{\"id\":\"%.*s\",\"name\":\"x\",\"type\":\"SERVICE_TASK\",\"jobType\":\"t%u\","
                            "\"nextStep\":\"%.*s\"}",
                            STR_ARG(id), world_below(world, JOB_TYPE_COUNT), STR_ARG(*ret_next));
    const struct json *added;
    must(json_parse(step, NULL, arena, &added, &err) == ST_OK);
    json_add(&builder, added);
    json_close(&builder);
    struct buf out;
    buf_init(&out, arena);
    json_print(json_set(arena, document, STR("steps"), json_built(&builder)), &out);
    return buf_str(&out);
}

/* ---- schedules ---- */

str generate_ticking(struct world *world, str id)
{
    static const int seconds[] = { 5, 10, 15, 20, 30 };
    int every = seconds[world_below(world, COUNT(seconds))];
    const char *policy = world_below(world, 2) ? "FireImmediately" : "Discard";
    str schedule = world_below(world, 2)
                       ? arena_printf(&world->arena, "\"cronExpression\":\"*/%d * * * * *\"", every)
                       : arena_printf(&world->arena, "\"intervalValue\":%d,\"intervalUnit\":\"Seconds\"",
                                      every + (int)world_below(world, 3));
    return arena_printf(
        &world->arena,
        "{\"id\":\"%.*s\",\"name\":\"v%u\",\"triggers\":[{\"id\":\"t\",\"type\":\"cron\",%.*s,"
        "\"misfirePolicy\":\"%s\"}],\"steps\":[{\"id\":\"s1\",\"name\":\"E\",\"type\":\"END\"}]}",
        STR_ARG(id), world_below(world, 1000), STR_ARG(schedule), policy);
}
