/* core/node_task.c — work done outside: opens a job and waits for its result. */

#include "core/core_int.h"

void node_task_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct json *input = NULL;
    struct error err;
    if (node->as.task.input) {
        if (expression_at(step, node->as.task.input, token, NULL, &input, &err) != ST_OK) {
            raise_failed(step, token->execution, &err);
            return;
        }
    } else if (token->scope && scope_data(step->instance, token->scope) != step->instance->data) {
        input = scope_data(step->instance, token->scope);
    }
    data_warn_of_filter(step, token->execution);
    if (rehearsal_is_due(step, node)) {
        rehearsal_of_task(step, token, node, input);
        return;
    }
    job_open(step, token->execution, node->as.task.job_type, attempt_retries_shown(node), 1,
             step->command->now_ms);
    if (input || node->as.task.performer != PERFORMER_DEFAULT)
        note(step, &(struct entry){
                       .kind = ENTRY_KIND_JOB_INPUT,
                       .job = note_number(step) - 1,
                       .performer = node->as.task.performer,
                       .payload = input ? input : step->instance->data,
                   });
    if (timer_open_all(step, token, node, &err) != ST_OK) raise_failed(step, token->execution, &err);
    else token_park(step, token->execution, TOKEN_JOB);
}
