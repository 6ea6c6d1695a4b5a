/* core/node_wait.c — waits for a signal or for a person. */

#include "core/core_int.h"

void node_wait_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    timers_open(step, token, node);
    token_park(step, token->execution, node->as.wait.what == WAIT_FOR_PERSON ? TOKEN_PERSON : TOKEN_SIGNAL);
}
