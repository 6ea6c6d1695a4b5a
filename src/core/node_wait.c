/* core/node_wait.c — waits for a signal, a person, events or a time. */

#include "core/core_int.h"

void node_wait_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    static const enum token_state states[] = {
        [WAIT_FOR_SIGNAL] = TOKEN_SIGNAL, [WAIT_FOR_PERSON] = TOKEN_PERSON,   [WAIT_FOR_EVENT] = TOKEN_EVENT,
        [WAIT_FOR_TIME] = TOKEN_TIME,     [WAIT_FOR_ARRIVAL] = TOKEN_ARRIVAL,
    };
    timer_open_all(step, token, node);
    token_park(step, token->execution, states[node->as.wait.what]);
    /* A branch that goes on when the instance has ended finds its mail gone. */
    bool served = node->as.wait.what == WAIT_FOR_EVENT || node->as.wait.what == WAIT_FOR_SIGNAL;
    if (served && step->instance->mail_count && !instance_status_ended(step->instance->status))
        mail_serve(step, token->execution);
}
