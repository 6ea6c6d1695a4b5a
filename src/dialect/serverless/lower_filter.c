/* dialect/serverless/lower_filter.c — filters, and the places where values go.
 *
 *     S  = filter(inputPath, data)        lower_subject()
 *     S' = place(S, resultPath, result)   lower_placed(); without a resultPath the caller decides
 *     filter(outputPath, S')              lower_let_go()
 */
#include "dialect/serverless/lower_int.h"

struct expr_tree *lower_register(const struct lowering *lowering, str name)
{
    return tree_member(tree_data(lowering->arena), name, lowering->arena);
}

struct expr_tree *lower_of_frame(const struct lowering *lowering, str name)
{
    return tree_member(tree_variable(STR("frame"), lowering->arena), name, lowering->arena);
}

struct expr_tree *lower_int(const struct lowering *lowering, int64_t value)
{
    return tree_literal(json_of_int(lowering->arena, value), lowering->arena);
}

/* ---- filters ---- */

static bool is_everything(const struct jsonpath *path, str text)
{
    return !path || str_equal(text, STR("$")) || str_equal(text, STR("$."));
}

struct expr_tree *lower_filtered(const struct lowering *lowering, const struct jsonpath *path, str text,
                                 struct expr_tree *value)
{
    return is_everything(path, text) ? value : tree_path(PATH_FILTER, path, value, lowering->arena);
}

struct expr_tree *lower_subject(const struct lowering *lowering, const struct state *state)
{
    struct arena *arena = lowering->arena;
    struct expr_tree *data = tree_data(arena);
    if (state->type == STATE_RELAY && state->as.relay.inject)
        data = tree_combine(data, tree_literal(state->as.relay.inject, arena), arena);
    return lower_filtered(lowering, state->filter.input, state->filter.input_text, data);
}

struct expr_tree *lower_let_go(const struct lowering *lowering, const struct state *state,
                               struct expr_tree *value)
{
    return lower_filtered(lowering, state->filter.output, state->filter.output_text, value);
}

struct expr_tree *lower_placed(const struct lowering *lowering, const struct state *state,
                               struct expr_tree *subject, struct expr_tree *result,
                               struct expr_tree *otherwise)
{
    if (!state->filter.result) return otherwise;
    return tree_place(subject, state->filter.result, result, lowering->arena);
}

bool lower_takes_everything(const struct state *state)
{
    if (state->type == STATE_RELAY && state->as.relay.inject) return false;
    return is_everything(state->filter.input, state->filter.input_text);
}

/* ---- outputs ---- */

static void add_output(struct lowering *lowering, uint32_t index, struct program_value value)
{
    struct program_node *node = lower_node(lowering, index);
    struct program_value *list = lower_grow(lowering->arena, node->output, node->output_count, sizeof *list);
    list[node->output_count++] = value;
    node->output = list;
}

void lower_output(struct lowering *lowering, uint32_t node, str name, struct expr_tree *tree)
{
    add_output(lowering, node, (struct program_value){ .name = name, .expr = lower_expr(lowering, tree) });
}

void lower_output_literal(struct lowering *lowering, uint32_t node, str name, const struct json *value)
{
    add_output(lowering, node, (struct program_value){ .name = name, .literal = value });
}

void lower_append(struct lowering *lowering, uint32_t node, str name, struct expr_tree *tree)
{
    add_output(lowering, node,
               (struct program_value){
                   .name = name,
                   .expr = lower_expr(lowering, tree),
                   .append = true,
               });
}

void lower_pass(struct lowering *lowering, const struct state *state)
{
    const struct filter *filter = &state->filter;
    if (lower_takes_everything(state) && !filter->result &&
        is_everything(filter->output, filter->output_text))
        return;
    struct expr_tree *subject = lower_subject(lowering, state);
    struct expr_tree *value = lower_placed(lowering, state, subject, subject, subject);
    lower_output(lowering, state->node, STR(""), lower_let_go(lowering, state, value));
}
