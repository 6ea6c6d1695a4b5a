/* dialect/steps/lower_value.c — expressions, values, tables. */
#include "dialect/steps/steps_int.h"

#include "base/must.h"

static void report_expression(struct steps *steps, str text, const char *what, str pointer,
                              const struct error *err)
{
    str place = STR("");
    if (err->line > 1) place = arena_printf(steps->arena, " at line %u column %u", err->line, err->column);
    else if (err->column) place = arena_printf(steps->arena, " at column %u", err->column);
    problem_error(steps->problems, err->status == ST_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_BAD_EXPRESSION,
                  pointer, NULL, "%s expression %s: %s%.*s", what, problem_quote(steps->arena, text),
                  err->message, STR_ARG(place));
}

static void warn_of_quoted_template(struct steps *steps, str text, const char *what, str pointer)
{
    str found = problems_have_room(steps->problems, true) ? template_quoted_in(text) : STR("");
    if (found.n)
        template_warn_text(steps->problems, found, pointer, what, "outside of the quotes: 'Hello ' + name");
}

const struct expr *steps_lower_expression(struct steps *steps, str text, const char *what, str pointer)
{
    const struct expr *expr = NULL;
    struct error err = { 0 };
    if (expr_compile(text, program_arena(steps->program), &expr, &err) == ST_OK) {
        warn_of_quoted_template(steps, text, what, pointer);
        return expr;
    }
    report_expression(steps, text, what, pointer, &err);
    return NULL;
}

/* Returns the text between "${" and "}". A text such as "${a} + ${b}" has both ends but is not one pair of
 * braces: it compiles only as a whole, in which each pair is a sub-expression. */
static const struct expr *lower_braced(struct steps *steps, str text, const char *what, str pointer)
{
    str inside = str_slice(text, 2, text.n - 1);
    struct arena *arena = program_arena(steps->program);
    const struct expr *expr = NULL;
    struct error err = { 0 };
    if (expr_compile(inside, arena, &expr, &err) == ST_OK) {
        warn_of_quoted_template(steps, inside, what, pointer);
        return expr;
    }
    if (expr_compile(text, arena, &expr, NULL) == ST_OK) return expr;
    report_expression(steps, inside, what, pointer, &err);
    return NULL;
}

struct program_value steps_lower_value(struct steps *steps, str name, const struct json *value,
                                       const char *what, str pointer)
{
    struct arena *arena = program_arena(steps->program);
    struct program_value lowered = { .name = arena_str(arena, name) };
    str text = json_is(value, JSON_STRING) ? json_string(value) : STR("");
    if (text.n >= 3 && str_starts(text, STR("${")) && str_ends(text, STR("}"))) {
        lowered.expr = lower_braced(steps, text, what, pointer);
        return lowered;
    }
    lowered.literal = json_copy(arena, value);
    template_warn(steps->problems, value, pointer, what,
                  "only a value that is ${…} as a whole is computed, and not inside lists and objects: "
                  "${'Hello ' + name}");
    return lowered;
}

/* ---- the instance that goes on ---- */

static void check_next(struct steps *steps, size_t index)
{
    const struct fields *fields = &steps->definition.step[index].fields;
    const char *label = step_typed_label(steps, index);
    if (str_equal(fields_text(fields, STEP_ENDS), STR("branch")))
        problem_error(steps->problems, PROBLEM_NOT_ALLOWED_HERE, fields_pointer(steps, fields, STEP_ENDS),
                      "leave ends out, or continueAs",
                      "%s: an END that continues ends the whole instance, not a branch", label);
    if (fields_flag(fields, STEP_CHAIN))
        problem_error(steps->problems, PROBLEM_NOT_ALLOWED_HERE, fields_pointer(steps, fields, STEP_CHAIN),
                      "leave chain out, or continueAs",
                      "%s: an END either continues or starts the next definition", label);
}

static void lower_input(struct steps *steps, size_t index, struct program_next *next)
{
    const struct fields *fields = steps->definition.step[index].next;
    const struct json *map = fields->at[NEXT_INPUT].value;
    if (!map) return;
    str pointer = fields_pointer(steps, fields, NEXT_INPUT);
    struct program_value *value =
        arena_make_n(program_arena(steps->program), struct program_value, json_count(map) + 1);
    struct json_each each = json_each(map);
    while (json_next(&each)) {
        const char *what =
            arena_printf(steps->arena, "%s: continueAs.input %s", step_typed_label(steps, index),
                         problem_quote(steps->arena, each.name))
                .p;
        value[next->value_count++] = steps_lower_value(steps, each.name, each.value, what,
                                                       problem_pointer(steps->arena, pointer, each.name));
    }
    must(next->value_count == json_count(map));
    next->value = value;
}

void steps_lower_next(struct steps *steps, size_t index)
{
    const struct fields *fields = steps->definition.step[index].next;
    struct program_next *next = arena_make(program_arena(steps->program), struct program_next);
    str definition = fields_text(fields, NEXT_DEFINITION);
    next->definition =
        definition.n ? arena_str(program_arena(steps->program), definition) : steps->program->id;
    if (next->definition.n > DEFINITION_ID_BYTES_MAX)
        problem_error(steps->problems, PROBLEM_TOO_LARGE, fields_pointer(steps, fields, NEXT_DEFINITION),
                      NULL, "%s: the id of a definition has at most %d bytes (DEFINITION_ID_BYTES_MAX)",
                      step_typed_label(steps, index), DEFINITION_ID_BYTES_MAX);
    if (!program_version_of(fields->at[NEXT_VERSION].value, &next->version))
        problem_error(steps->problems, PROBLEM_BAD_VALUE, fields_pointer(steps, fields, NEXT_VERSION), NULL,
                      "%s: continueAs.version must be a number from 1 on", step_typed_label(steps, index));
    check_next(steps, index);
    lower_input(steps, index, next);
    steps->node[index].as.end.next = next;
}

/* ---- tables ---- */

static enum hit_policy policy_of(str code)
{
    for (int i = 0; i < HIT_POLICY_COUNT; i++)
        if (str_equal(code, str_of(program_policy_code((enum hit_policy)i)))) return (enum hit_policy)i;
    return HIT_UNIQUE;
}

static const char *column_label(struct steps *steps, size_t index, size_t rule, const char *part, str column)
{
    return arena_printf(steps->arena, "%s: rules[%zu].%s %s", step_typed_label(steps, index), rule, part,
                        problem_quote(steps->arena, column))
        .p;
}

static void lower_cells(struct steps *steps, size_t index, size_t number, struct program_rule *rule)
{
    const struct fields *fields = &steps->definition.step[index].rule[number];
    const struct json *map = fields->at[RULE_WHEN].value;
    if (!map) return;
    struct arena *arena = program_arena(steps->program);
    str pointer = fields_pointer(steps, fields, RULE_WHEN);
    struct program_cell *cell = arena_make_n(arena, struct program_cell, json_count(map));
    struct json_each each = json_each(map);
    while (json_next(&each)) {
        if (!json_is(each.value, JSON_STRING) || !str_trim(json_string(each.value)).n) continue;
        cell[rule->cell_count++] = (struct program_cell){
            .column = arena_str(arena, each.name),
            .test = steps_lower_expression(steps, json_string(each.value),
                                           column_label(steps, index, number, "when", each.name),
                                           problem_pointer(steps->arena, pointer, each.name)),
        };
    }
    must(rule->cell_count <= json_count(map));
    rule->cell = cell;
}

static void lower_outputs(struct steps *steps, size_t index, size_t number, struct program_rule *rule)
{
    const struct fields *fields = &steps->definition.step[index].rule[number];
    const struct json *map = fields->at[RULE_OUTPUTS].value;
    if (!map) return;
    str pointer = fields_pointer(steps, fields, RULE_OUTPUTS);
    struct program_value *output =
        arena_make_n(program_arena(steps->program), struct program_value, json_count(map));
    struct json_each each = json_each(map);
    while (json_next(&each))
        output[rule->output_count++] = steps_lower_value(
            steps, each.name, each.value, column_label(steps, index, number, "outputs", each.name),
            problem_pointer(steps->arena, pointer, each.name));
    must(rule->output_count == json_count(map));
    rule->output = output;
}

void steps_lower_table(struct steps *steps, size_t index)
{
    must(steps->node[index].kind == NODE_TABLE);
    const struct steps_step *step = &steps->definition.step[index];
    struct program_node *node = &steps->node[index];
    struct program_rule *rule =
        arena_make_n(program_arena(steps->program), struct program_rule, step->rule_count);
    for (size_t i = 0; i < step->rule_count; i++) {
        lower_cells(steps, index, i, &rule[i]);
        lower_outputs(steps, index, i, &rule[i]);
    }
    node->as.table.policy = policy_of(fields_text(&step->fields, STEP_HIT_POLICY));
    node->as.table.rule = rule;
    node->as.table.rule_count = step->rule_count;
}
