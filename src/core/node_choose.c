/* core/node_choose.c — nothing but the choice of an edge.
 *
 * Elsewhere a visit is complete before its edge is chosen; here the choice is the visit, so
 * that failing to choose fails the visit, and a retry can choose again.
 */

#include "core/core_int.h"

void node_choose_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct program_edge *edge = NULL;
    struct edge_refusal refusal = { .reason = node->no_edge_reason };
    if (edge_choose(step, token, node, NULL, &edge, &refusal) != EDGE_TAKEN) {
        raise_error_code(step, token->execution, refusal.name, refusal.code, refusal.reason);
        return;
    }
    if (!node->output_count || !edge->name.n) {
        exit_by(step, token, node, edge, NULL);
        return;
    }
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("taken"), json_of_string(step->arena, edge->name));
    exit_by(step, token, node, edge, &locals);
}
