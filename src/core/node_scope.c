/* core/node_scope.c — regions, each with data of its own and a token at its start.
 *
 * Where some regions are awaited and others not, the others are detached from the beginning.
 */

#include "core/core_int.h"

void node_scope_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct json *data;
    struct error err;
    if (expression_in_scope(step, node->as.scope.data, token->scope, NULL, &data, &err) != ST_OK) {
        token_raise_failed(step, token->execution, &err);
        return;
    }
    warn_of_filter(step, token->execution);
    size_t count = node->as.scope.region_count;
    if (step->instance->token_count + count > TOKENS_MAX) {
        token_raise(step, token->execution, step->program->error_names.limit,
                    arena_printf(step->arena, "%zu more tokens are too many: an instance has at most %d",
                                 count, TOKENS_MAX),
                    NULL);
        return;
    }
    bool awaits = scope_node_awaits(node);
    token_park(step, token->execution, TOKEN_REGION);
    for (uint32_t i = 0; i < count; i++) {
        const struct program_region *region = &node->as.scope.region[i];
        uint32_t scope = region_open(step, token, i, data);
        if (awaits && !region->awaited) region_end(step, scope, REGION_DETACHED, NULL);
        token_enter(step, region->start, scope, token->execution);
    }
}
