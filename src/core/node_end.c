/* core/node_end.c — ends a region, or the instance, whatever else is open in it.
 *
 * Other tokens of the instance stay where they are, abandoned. Their jobs and timers are closed, so that no
 * worker works for a finished instance. An END of a branch ends its own token only, unless no other token is
 * left that could go on.
 */

#include "core/core_int.h"

/* True if a token waits, has failed or has not run yet. Resting tokens are done. */
static bool others_remain(const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state != TOKEN_RESTING) return true;
    return false;
}

static void complete(struct step *step, uint32_t scope, const struct program_node *node)
{
    interrupt_waits(step, false);
    note_status(step, INSTANCE_COMPLETED, STR_NONE);
    node_join_settle(step, scope);
    if (!node->as.end.chain || step->program->next_definition.n == 0) return;
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_CHAIN,
                   .number = note_number(step),
                   .definition = step->program->next_definition,
               });
}

void node_end_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct scope *region = node->as.end.region ? scope_region(step->instance, token->scope) : NULL;
    token_leave(step, token->execution);
    if (region) node_scope_region_done(step, region->number);
    else if (node->as.end.branch && others_remain(step->instance)) node_join_settle(step, token->scope);
    else complete(step, token->scope, node);
}
