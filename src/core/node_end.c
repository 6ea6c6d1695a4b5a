/* core/node_end.c — the instance is complete, whatever else is open.
 *
 * Other tokens stay where they are, abandoned; their jobs and timers are closed, so nobody
 * works for a finished instance.
 */

#include "core/core_int.h"

void node_end_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    token_leave(step, token->execution);
    waits_close_all(step);
    status_note(step, INSTANCE_COMPLETED, STR_NONE);
    scope_settle(step, token->scope);
    if (!node->as.end.chain || step->program->next_definition.n == 0) return;
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_CHAIN,
             .number = fresh_number(step),
             .text = step->program->next_definition,
         },
         NODE_NONE);
}
