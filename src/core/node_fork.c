/* core/node_fork.c — a scope with a token for each edge. */

#include "core/core_int.h"

static uint32_t scope_open(struct step *step, uint32_t parent, uint32_t fork)
{
    uint32_t number = note_number(step);
    note_at(step,
            &(struct entry){
                .kind = ENTRY_KIND_SCOPE_OPEN,
                .scope = number,
                .around = parent,
                .node = step->program->node[fork].name,
            },
            fork);
    return number;
}

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
