/* core/node_join.c — waits for the other branches. What opens a join is in scope.c. */

#include "core/core_int.h"

void node_join_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    if (token->scope == 0) {
        str reason =
            arena_printf(step->arena, "join \"%.*s\" was reached outside of any fork", STR_ARG(node->name));
        token_fail(step, token->execution, reason);
        return;
    }
    const struct scope *scope = instance_find_scope(step->instance, token->scope);
    must(scope);
    if (scope_join(step->program, scope) != token->node) {
        str reason = arena_printf(step->arena,
                                  "join \"%.*s\" was reached by a branch of \"%.*s\", which it does not join",
                                  STR_ARG(node->name), STR_ARG(scope->fork_name));
        token_fail(step, token->execution, reason);
        return;
    }
    token_park(step, token->execution, TOKEN_JOIN);
    scope_settle(step, token->scope);
}
