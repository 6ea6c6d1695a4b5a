/* core/node_task.c — work done outside: opens a job and waits for its result. */

#include "core/core_int.h"

void node_task_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    job_open(step, token->execution, node->as.task.job_type, node->as.task.retry.count, 1,
             step->command->now_ms);
    timers_open(step, token, node);
    token_park(step, token->execution, TOKEN_JOB);
}
