/* core/node_end.c — the region is done, or the instance complete, whatever else is open.
 *
 * Other tokens stay where they are, abandoned; their jobs and timers are closed, so nobody
 * works for a finished instance. An END of a branch ends its own token only, unless nobody
 * is left who could go on.
 */

#include "core/core_int.h"

/* Somebody who waits, failed or has not run yet: not those who are done with nowhere to go. */
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
