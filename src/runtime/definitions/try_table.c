/* runtime/definitions/try_table.c — a decision table that somebody edits: what checks find, and what it makes
 * of values.
 *
 * The table is compiled as the one step of a definition, so findings and results are those that a published
 * one would have. Nothing is stored.
 */
#include "dialect/dialect.h"
#include "json/put.h"
#include "runtime/definitions/design.h"
#include "runtime/limits.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* ---- the definition around it ---- */

static bool is_step(const struct json *table) { return json_get(table, STR("decisionTable")) != NULL; }

static const struct json *document_of(const struct json *table, struct arena *arena)
{
    struct json_builder builder;
    const struct json *policy = json_get(table, STR("hitPolicy"));
    const struct json *rules =
        is_step(table) ? json_get(table, STR("decisionTable")) : json_without(arena, table, STR("hitPolicy"));
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("id"), STR("table"));
    json_add_text(&builder, STR("name"), STR("Table"));
    json_add_name(&builder, STR("steps"));
    json_open_array(&builder);
    json_open_object(&builder);
    json_add_text(&builder, STR("id"), STR("table"));
    json_add_text(&builder, STR("name"), STR("Table"));
    json_add_text(&builder, STR("type"), STR("DECISION_TABLE"));
    json_add_text(&builder, STR("nextStep"), STR("end"));
    if (policy) {
        json_add_name(&builder, STR("hitPolicy"));
        json_add(&builder, policy);
    }
    json_add_name(&builder, STR("decisionTable"));
    json_add(&builder, rules);
    json_close(&builder);
    json_open_object(&builder);
    json_add_text(&builder, STR("id"), STR("end"));
    json_add_text(&builder, STR("name"), STR("End"));
    json_add_text(&builder, STR("type"), STR("END"));
    json_close(&builder);
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

/* ---- findings ---- */

/* Numbers of rules that the pointer or the message names: "/rules/3", "rules[3]". */
static void put_rows(struct buf *out, const struct problem *problem)
{
    const struct {
        str text, mark;
    } places[] = { { problem->pointer, STR("/rules/") }, { problem->message, STR("rules[") } };
    bool first = true;
    buf_add_char(out, '[');
    for (size_t i = 0; i < COUNT(places) && first; i++)
        for (size_t at = 0; (at = str_find(places[i].text, places[i].mark, at)) != SIZE_MAX;) {
            size_t end = at += places[i].mark.n;
            int64_t number;
            while (end < places[i].text.n && places[i].text.p[end] >= '0' && places[i].text.p[end] <= '9')
                end++;
            if (!str_to_int64(str_slice(places[i].text, at, end), &number)) continue;
            if (!first) buf_add_char(out, ',');
            first = false;
            put_int(out, number);
        }
    buf_add_char(out, ']');
}

static void put_findings(struct buf *out, const struct problems *problems, bool of_step)
{
    str base = of_step ? STR("/steps/0") : STR("/steps/0/decisionTable"), label = STR("step \"table\"");
    PUT(out, "{\"findings\":[");
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->problem[i];
        str message = problem->message, pointer = problem->pointer;
        size_t colon = str_find(message, STR(": "), 0);
        if (str_starts(message, label) && colon != SIZE_MAX)
            message = str_slice(message, colon + 2, message.n);
        /* The step's own members are not in a table that comes alone: the finding is about all of it. */
        pointer = str_starts(pointer, base) ? str_slice(pointer, base.n, pointer.n) : STR_NONE;
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"severity\":");
        put_text(out, problem->warning ? STR("warning") : STR("error"));
        PUT(out, ",\"code\":");
        put_text(out, str_of(problem_code_name(problem->code)));
        PUT(out, ",\"message\":");
        put_text(out, message);
        PUT(out, ",\"rows\":");
        put_rows(out, problem);
        PUT(out, ",\"pointer\":");
        put_text(out, pointer);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

/* ---- results ---- */

static bool rule_holds(const struct query *query, const struct program_rule *rule, const struct expr_env *env,
                       struct arena *arena)
{
    for (size_t i = 0; i < rule->cell_count; i++) {
        int64_t fuel = query->limits.fuel_max;
        const struct json *value;
        struct error err;
        if (expr_eval(rule->cell[i].test, env, &fuel, arena, &value, &err) != ST_OK ||
            !json_is(value, JSON_BOOL) || !json_bool(value))
            return false;
    }
    return true;
}

static void put_matched(struct buf *out, const struct query *query, const struct program_node *node,
                        const struct json *variables, int64_t now_ms, struct arena *arena)
{
    const struct expr_env env = { .data = variables, .now_ms = now_ms };
    bool first = true;
    PUT(out, "{\"matched\":[");
    for (size_t i = 0; i < node->as.table.rule_count; i++) {
        if (!rule_holds(query, &node->as.table.rule[i], &env, arena)) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_int(out, (int64_t)i);
    }
    buf_add_char(out, ']');
}

/* The members that the table has set. */
static void put_output(struct buf *out, const struct json *before, const struct json *after)
{
    struct json_each each = json_each(after);
    bool first = true;
    PUT(out, ",\"output\":{");
    while (json_next(&each)) {
        const struct json *old = json_get(before, each.name);
        if (old && json_equal(old, each.value)) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, each.name);
        buf_add_char(out, ':');
        json_print(each.value, out);
    }
    buf_add_char(out, '}');
}

static void put_result(struct buf *out, const struct query *query, const struct program *program,
                       const struct json *variables, int64_t now_ms)
{
    struct arena scratch;
    struct outcome outcome;
    struct error err = { 0 };
    arena_init(&scratch, 0);
    const struct command start = command_start(
        now_ms, STR_NONE, variables, (struct command_start){ .instance = 1, .definition = 1, .root = 1 });
    enum status status = core_step(program, NULL, &start, &query->limits, &scratch, &outcome, &err);
    put_matched(out, query, &program->node[program->start], variables, now_ms, &scratch);
    if (status != ST_OK || outcome.instance->status == INSTANCE_FAILED) {
        PUT(out, ",\"error\":");
        put_text(out, status != ST_OK ? str_of(err.message) : outcome.instance->failure);
    } else {
        put_output(out, variables, outcome.instance->data);
    }
    buf_add_char(out, '}');
    arena_done(&scratch);
}

enum status try_table_call(struct query *query, struct call *call, struct error *err)
{
    const struct call_table *asked = &call->as.table;
    struct problems problems;
    struct buf out;
    int64_t now_ms = query->clock.now_ms ? clock_now_ms(&query->clock) : 0;
    (void)err;
    problems_init(&problems, call->arena);
    struct program *program = dialect_compile(document_of(asked->table, call->arena), &problems, NULL);
    buf_init(&out, call->arena);
    put_findings(&out, &problems, is_step(asked->table));
    PUT(&out, ",\"results\":[");
    struct json_each each = json_each(asked->rows);
    for (size_t i = 0; program && json_next(&each); i++) {
        const struct json *variables = json_get(each.value, STR("variables"));
        if (i) buf_add_char(&out, ',');
        put_result(&out, query, program, json_is(variables, JSON_OBJECT) ? variables : json_empty_object(),
                   now_ms);
    }
    PUT(&out, "]}");
    program_unref(program);
    call->value.design.text = buf_str(&out);
    return ST_OK;
}
