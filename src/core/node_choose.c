/* core/node_choose.c — nothing but the choice of an edge.
 *
 * Elsewhere a visit is complete before its edge is chosen; here the choice is the visit, so
 * that failing to choose fails the visit, and a retry can choose again.
 */

#include "core/core_int.h"

void node_choose_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    uint32_t target = NODE_NONE;
    str reason = node->no_edge_reason;
    if (edge_choose(step, node, &target, &reason) == EDGE_TAKEN) {
        token_leave(step, token->execution);
        step->running = token_enter(step, target, token->scope, token->execution);
    } else {
        token_fail(step, token->execution, reason);
    }
}
