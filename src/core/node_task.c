/* core/node_task.c — work done outside: opens a job and waits for its result. */

#include "core/core_int.h"

/* The type of the job; empty, and an error is raised: the input should name it and does not. */
static str job_type_of(struct step *step, const struct token *token, const struct program_node *node,
                       const struct json *input)
{
    if (!node->as.task.type_in_input) return node->as.task.job_type;
    const struct json *said = json_get(input, STR("definition"));
    str type = json_is(said, JSON_STRING) ? json_string(said) : STR_NONE;
    if (type.n && type.n <= DEFINITION_ID_BYTES_MAX) return type;
    raise_error(step, token->execution, step->program->error_names.expression,
                arena_printf(step->arena,
                             "\"definition\" must be a text of 1 to %d bytes (DEFINITION_ID_BYTES_MAX)",
                             DEFINITION_ID_BYTES_MAX),
                NULL);
    return STR_NONE;
}

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
    str job_type = job_type_of(step, token, node, input);
    if (!job_type.n && node->as.task.type_in_input) return;
    job_open(step, token->execution, job_type, attempt_retries_shown(node), 1, step->command->now_ms);
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
