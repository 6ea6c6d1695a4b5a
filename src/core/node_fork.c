/* core/node_fork.c — a scope with a token for each edge. */

#include "core/core_int.h"

void node_fork_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    if (node->edge_count == 0) {
        token_rest(step, token->execution);
        return;
    }
    if (step->instance->token_count - 1 + node->edge_count > TOKENS_MAX) {
        str reason = arena_printf(step->arena, "%zu more tokens are too many: an instance has at most %d",
                                  node->edge_count, TOKENS_MAX);
        token_fail(step, token->execution, reason);
        return;
    }
    token_leave(step, token->execution);
    uint32_t scope = scope_open(step, token->scope, token->node);
    for (size_t i = 0; i < node->edge_count; i++)
        token_enter(step, node->edge[i].target, scope, token->execution);
}
