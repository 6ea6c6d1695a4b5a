/* core/node_table.c — computes data by a decision table.
 *
 *     match every rule ──► evaluate the outputs of those that match ──► hit policy ──► merge
 *
 * All of it sees the variables as they were before. table_policy.c makes the result of the outputs. The words
 * at the start of a reason are promised to users.
 */

#include "core/core_int.h"

struct matching {
    struct step *step;
    const struct program_node *node;
    struct table_hits hits;
    uint32_t *rule;
    str *column;
    size_t column_cap;
    str reason; /* Why the node fails; empty while it does not. */
    enum reason_code code;
};

static bool cell_failed(struct matching *matching, size_t rule, const struct program_cell *cell,
                        const struct json *value, const struct error *err)
{
    struct arena *arena = matching->step->arena;
    str column = cell->column, text = expr_text(cell->test);
    matching->code = REASON_TABLE_CELL;
    if (value)
        matching->reason =
            arena_printf(arena,
                         "DecisionTableCellError: ruleIndex=%zu column=\"%.*s\" expression \"%.*s\": "
                         "result is %s, not bool",
                         rule, STR_ARG(column), STR_ARG(text), json_kind_name(json_kind(value)));
    else
        matching->reason = arena_printf(
            arena, "DecisionTableCellError: ruleIndex=%zu column=\"%.*s\" expression \"%.*s\": %s", rule,
            STR_ARG(column), STR_ARG(text), err->message);
    return false;
}

/* True if every cell of the rule holds. */
static bool rule_matches(struct matching *matching, size_t index)
{
    struct step *step = matching->step;
    const struct program_rule *rule = &matching->node->as.table.rule[index];
    for (size_t i = 0; i < rule->cell_count; i++) {
        const struct program_cell *cell = &rule->cell[i];
        const struct json *value = NULL;
        struct error err;
        if (expression_value(step, cell->test, step->instance->data, &value, &err) != ST_OK)
            return cell_failed(matching, index, cell, NULL, &err);
        if (!json_is(value, JSON_BOOL)) return cell_failed(matching, index, cell, value, NULL);
        if (!json_bool(value)) return false;
    }
    return true;
}

static void match_rules(struct matching *matching)
{
    size_t count = matching->node->as.table.rule_count;
    matching->rule = arena_alloc(matching->step->arena, count * sizeof *matching->rule);
    for (size_t i = 0; i < count && !matching->reason.n; i++)
        if (rule_matches(matching, i)) matching->rule[matching->hits.rule_count++] = (uint32_t)i;
    if (matching->reason.n || matching->hits.rule_count) return;
    matching->code = REASON_TABLE_NO_RULE;
    matching->reason =
        arena_printf(matching->step->arena, "DecisionTableNoRuleMatched: %.*s \"%.*s\", none of %zu rules",
                     STR_ARG(matching->step->program->node_word), STR_ARG(matching->node->name), count);
}

/* The column's index; new ones are added. Rules mostly have their columns in one order, so
 * the position in the rule is tried first. */
static size_t column_index(struct matching *matching, str name, size_t position)
{
    struct table_hits *hits = &matching->hits;
    if (position < hits->column_count && str_equal(matching->column[position], name)) return position;
    for (size_t i = 0; i < hits->column_count; i++)
        if (str_equal(matching->column[i], name)) return i;
    if (hits->column_count == matching->column_cap) {
        matching->column_cap = matching->column_cap ? matching->column_cap * 2 : 8;
        str *more = arena_alloc(matching->step->arena, matching->column_cap * sizeof *more);
        if (hits->column_count) memcpy(more, matching->column, hits->column_count * sizeof *more);
        matching->column = more;
    }
    matching->column[hits->column_count] = name;
    return hits->column_count++;
}

static void find_columns(struct matching *matching)
{
    struct table_hits *hits = &matching->hits;
    for (size_t hit = 0; hit < hits->rule_count; hit++) {
        const struct program_rule *rule = &matching->node->as.table.rule[matching->rule[hit]];
        for (size_t i = 0; i < rule->output_count; i++) {
            column_index(matching, rule->output[i].name, i);
            if (hits->column_count <= TABLE_COLUMNS_MAX) continue;
            matching->code = REASON_TABLE_OUTPUT;
            matching->reason = arena_printf(matching->step->arena,
                                            "DecisionTableOutputError: ruleIndex=%u more than %d columns",
                                            matching->rule[hit], TABLE_COLUMNS_MAX);
            return;
        }
    }
}

static bool output_value(struct matching *matching, uint32_t rule, const struct program_value *output,
                         const struct json **ret_value)
{
    struct error err;
    if (!output->expr) {
        *ret_value = output->literal;
        return true;
    }
    struct step *step = matching->step;
    if (expression_value(step, output->expr, step->instance->data, ret_value, &err) == ST_OK) return true;
    str text = expr_text(output->expr);
    matching->code = REASON_TABLE_OUTPUT;
    matching->reason = arena_printf(
        step->arena, "DecisionTableOutputError: ruleIndex=%u column=\"%.*s\" expression \"%.*s\": %s", rule,
        STR_ARG(output->name), STR_ARG(text), err.message);
    return false;
}

static void evaluate_outputs(struct matching *matching)
{
    struct table_hits *hits = &matching->hits;
    const struct json **cell =
        arena_make_n(matching->step->arena, const struct json *, hits->column_count * hits->rule_count);
    for (size_t hit = 0; hit < hits->rule_count; hit++) {
        const struct program_rule *rule = &matching->node->as.table.rule[matching->rule[hit]];
        for (size_t i = 0; i < rule->output_count; i++) {
            size_t column = column_index(matching, rule->output[i].name, i);
            if (!output_value(matching, matching->rule[hit], &rule->output[i],
                              &cell[column * hits->rule_count + hit]))
                return;
        }
    }
    hits->rule = matching->rule;
    hits->column = matching->column;
    hits->cell = cell;
}

void node_table_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    struct matching matching = { .step = step, .node = node };
    const struct json *result = NULL;
    struct error err;

    match_rules(&matching);
    if (!matching.reason.n) find_columns(&matching);
    if (!matching.reason.n) evaluate_outputs(&matching);
    if (!matching.reason.n) {
        str where = arena_printf(step->arena, "%.*s \"%.*s\"", STR_ARG(step->program->node_word),
                                 STR_ARG(node->name));
        matching.reason = table_collapse(&matching.hits, node->as.table.policy, where, step->arena, &result);
    }
    if (!matching.reason.n && data_take(step, token->execution, result, MERGE_SHALLOW, &err) != ST_OK)
        matching.reason = arena_str(step->arena, str_of(err.message));

    if (matching.reason.n)
        token_fail_code(step, token->execution, reason_code_word(matching.code), matching.reason);
    else exit_node(step, token->execution);
}
