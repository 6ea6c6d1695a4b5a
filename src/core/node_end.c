/* core/node_end.c — the region is done, or the instance complete, whatever else is open.
 *
 * Other tokens stay where they are, abandoned; their jobs and timers are closed, so nobody
 * works for a finished instance.
 */

#include "core/core_int.h"

void node_end_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct scope *region = node->as.end.region ? scope_region(step->instance, token->scope) : NULL;
    token_leave(step, token->execution);
    if (region) {
        region_finish(step, region->number);
        return;
    }
    waits_close_all(step, false);
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
