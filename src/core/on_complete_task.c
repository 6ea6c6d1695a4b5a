/* core/on_complete_task.c — a person finished a task.
 *
 * An answer with which no way out can be chosen is refused, and the task stays open.
 */

#include "core/core_int.h"

enum status on_complete_task(struct step *step, struct error *rejection)
{
    str name = step->command->as.node.node;
    uint32_t index = program_find(step->program, name);
    if (index == NODE_NONE)
        return fail(rejection, ST_NOT_FOUND, "", "user task %.*s \"%.*s\" not found",
                    STR_ARG(step->program->node_word), STR_ARG(name));
    const struct program_node *node = &step->program->node[index];
    if (node->kind != NODE_WAIT || node->as.wait.what != WAIT_FOR_PERSON)
        return fail(rejection, ST_INVALID, "", "%.*s \"%.*s\" is not a user task but of type %.*s",
                    STR_ARG(step->program->node_word), STR_ARG(name), STR_ARG(node->type));
    TRY(instance_reject_ended(step->instance, rejection));
    const struct token *token = step->command->as.node.number
                                    ? instance_find_token(step->instance, step->command->as.node.number)
                                    : token_at(step, index, TOKEN_PERSON);
    if (!token || token->node != index || token->state != TOKEN_PERSON)
        return fail(rejection, ST_NOT_FOUND, "", "user task \"%.*s\" is not open", STR_ARG(name));

    uint32_t execution = token->execution;
    TRY(data_take(step, execution, step->command->data, MERGE_SHALLOW, rejection));
    return exit_or_refuse(step, execution, rejection);
}
