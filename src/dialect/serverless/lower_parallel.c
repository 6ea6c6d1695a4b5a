/* dialect/serverless/lower_parallel.c — PARALLEL: a region per branch. The states of a branch are nodes
 * like those of the top level; their data is the region's. */
#include "dialect/serverless/lower_int.h"

#include "base/must.h"

/* Makes the node the scope of the state's branches; returns their values, by name. */
static struct expr_tree *make_branches(const struct state_body *body, uint32_t index)
{
    struct arena *arena = body->lowering->arena;
    const struct state *state = body->state;
    size_t count = state->as.parallel.count;
    struct program_region *region = arena_make_n(arena, struct program_region, count);
    for (size_t i = 0; i < count; i++) {
        const struct state_branch *branch = &state->as.parallel.branch[i];
        region[i] = (struct program_region){
            .name = lower_region_name(region, i, branch->name, arena),
            .start = branch->scope.start->node,
            .awaited = branch->awaited,
        };
    }
    must(count > 0 && count == body->state->as.parallel.count);
    struct program_node *node = lower_node(body->lowering, index);
    node->kind = NODE_SCOPE;
    node->as.scope.region = region;
    node->as.scope.region_count = count;
    node->as.scope.data = lower_expr(body->lowering, body->subject);
    if (count > 1) return tree_variable(STR("outputs"), arena);
    struct expr_tree *only = tree_variable(STR("frame"), arena);
    return tree_map(&region[0].name, &only, 1, arena);
}

static void lower_branches(const struct state_body *body, uint32_t node)
{
    struct arena *arena = body->lowering->arena;
    struct expr_tree *outputs = make_branches(body, node);
    lower_finish(body, node, outputs, tree_fold(body->subject, tree_wrapped(outputs, arena), arena));
}

void lower_parallel(struct lowering *lowering, const struct state *state)
{
    if (!state->loop.given) {
        struct expr_tree *subject = lower_subject(lowering, state);
        const struct state_body body = {
            .lowering = lowering, .state = state, .subject = subject, .whole = subject
        };
        lower_branches(&body, state->node);
        return;
    }
    struct loop_nodes loop = lower_loop_open(lowering, state, false);
    uint32_t branches = lower_inner(lowering, NODE_SCOPE, state, STR("branches"), state->pointer);
    lower_branches(&loop.body, branches);
    lower_edge_to(lowering, branches, NULL, loop.collect);
    lower_loop_close(&loop, branches, NULL);
}
