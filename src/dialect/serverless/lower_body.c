/* dialect/serverless/lower_body.c — the value of a state's work, wherever that work stands: at the
 * state's own node, in a frame, or in one round of a loop. */
#include "dialect/serverless/lower_int.h"

bool lower_keeps_result(const struct state *state)
{
    return state->loop.given && state->loop.completion.text.p && state->filter.result;
}

struct expr_tree *lower_collected(const struct state_body *body, struct expr_tree *value)
{
    struct arena *arena = body->lowering->arena;
    const struct jsonpath *path = body->state->loop.output;
    if (!path) return body->whole;
    struct expr_tree *so_far = tree_collect(body->whole, path, body->out, arena);
    return tree_collect(so_far, path, tree_list(&value, 1, arena), arena);
}

struct expr_tree *lower_value(const struct state_body *body, struct expr_tree *result,
                              struct expr_tree *merged)
{
    return lower_placed(body->lowering, body->state, body->subject, result, body->loop ? result : merged);
}

void lower_finish(const struct state_body *body, uint32_t node, struct expr_tree *result,
                  struct expr_tree *merged)
{
    struct lowering *lowering = body->lowering;
    const struct state *state = body->state;
    struct expr_tree *value = lower_value(body, result, merged);
    if (!body->framed) {
        lower_output(lowering, node, STR(""), lower_let_go(lowering, state, value));
        return;
    }
    lower_output(lowering, node, STR("R"), value);
    if (lower_keeps_result(state)) lower_output(lowering, node, STR("result"), result);
}

struct expr_tree *lower_left_with(const struct state_body *body, struct expr_tree *value)
{
    return lower_let_go(body->lowering, body->state, body->loop ? lower_collected(body, value) : value);
}
