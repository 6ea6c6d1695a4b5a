/* dialect/serverless/lower_simple.c — RELAY, DELAY, SUBFLOW and OPERATION. */
#include "dialect/serverless/lower_int.h"

/* The work of a state at its own node. */
static struct state_body own_body(struct lowering *lowering, const struct state *state)
{
    struct expr_tree *subject = lower_subject(lowering, state);
    return (struct state_body){ .lowering = lowering, .state = state, .subject = subject, .whole = subject };
}

/* ---- RELAY ---- */

void lower_relay(struct lowering *lowering, const struct state *state)
{
    lower_node(lowering, state->node)->kind = NODE_SET;
    lower_pass(lowering, state);
}

/* ---- DELAY ---- */

static void make_delay(struct lowering *lowering, const struct state *state, uint32_t index)
{
    struct program_node *node = lower_node(lowering, index);
    node->kind = NODE_WAIT;
    node->as.wait.what = WAIT_FOR_TIME;
    lower_timer(lowering, index,
                (struct program_timer){
                    .delay_ms = state->as.delay.delay_ms,
                    .at_ms = state->as.delay.at_ms,
                    .does = TIMER_GO_ON,
                });
}

void lower_delay(struct lowering *lowering, const struct state *state)
{
    if (!state->loop.given) {
        make_delay(lowering, state, state->node);
        lower_pass(lowering, state);
        return;
    }
    struct loop_nodes loop = lower_loop_open(lowering, state, false);
    uint32_t wait = lower_inner(lowering, NODE_WAIT, state, STR("wait"), state->pointer);
    make_delay(lowering, state, wait);
    lower_edge_to(lowering, wait, NULL, loop.collect);
    lower_loop_close(&loop, wait, loop.body.subject);
}

/* ---- SUBFLOW ---- */

static void make_child(const struct state_body *body, uint32_t index)
{
    struct arena *arena = body->lowering->arena;
    const struct state *state = body->state;
    struct program_node *node = lower_node(body->lowering, index);
    node->kind = NODE_TASK;
    node->as.task.result_is_local = true;
    node->as.task.performer = PERFORM_CHILD;
    node->as.task.job_type = state->as.subflow.workflow;
    node->as.task.detached = !state->as.subflow.awaited;
    node->as.task.input = lower_expr(body->lowering, body->subject);
    if (!state->as.subflow.awaited) return;
    struct expr_tree *result = tree_variable(STR("result"), arena);
    lower_finish(body, index, result, tree_combine(body->subject, result, arena));
}

void lower_subflow(struct lowering *lowering, const struct state *state)
{
    bool awaited = state->as.subflow.awaited;
    if (!state->loop.given) {
        const struct state_body body = own_body(lowering, state);
        make_child(&body, state->node);
        if (!awaited) lower_pass(lowering, state);
        return;
    }
    struct loop_nodes loop = lower_loop_open(lowering, state, false);
    uint32_t child = lower_inner(lowering, NODE_TASK, state, STR("child"), state->pointer);
    make_child(&loop.body, child);
    lower_edge_to(lowering, child, NULL, loop.collect);
    lower_loop_close(&loop, child, awaited ? NULL : loop.body.subject);
}

/* ---- OPERATION ---- */

static void lower_operation_loop(struct lowering *lowering, const struct state *state)
{
    const struct actions *actions = &state->as.operation.actions;
    struct loop_nodes loop = lower_loop_open(lowering, state, false);
    if (actions->count)
        lower_loop_close(&loop, lower_actions(&loop.body, actions, STR(""), loop.collect), NULL);
    else lower_loop_close(&loop, loop.collect, loop.body.subject);
}

void lower_operation(struct lowering *lowering, const struct state *state)
{
    const struct actions *actions = &state->as.operation.actions;
    if (state->loop.given) {
        lower_operation_loop(lowering, state);
    } else if (!actions->count) {
        lower_relay(lowering, state);
    } else if (lower_actions_fit_one_node(actions)) {
        const struct state_body body = own_body(lowering, state);
        lower_actions_into(&body, actions, STR(""), state->node);
    } else {
        const struct state_body body = lower_frame_body(lowering, state);
        lower_frame(lowering, state, lower_actions(&body, actions, STR(""), lowering->end));
        lower_output(lowering, state->node, STR(""),
                     lower_let_go(lowering, state, lower_of_frame(lowering, STR("R"))));
    }
}
