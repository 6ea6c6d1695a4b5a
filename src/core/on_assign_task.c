/* core/on_assign_task.c — change the details of a person's task: who does it, until when, how urgent it is.
 */

#include "core/core_int.h"

enum status on_assign_task(struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    TRY(instance_reject_ended(step->instance, rejection));
    const struct token *token = instance_find_token(step->instance, command->as.task.execution);
    if (!token || token->state != TOKEN_PERSON)
        return fail_code(rejection, ST_NOT_FOUND, "TASK_NOT_FOUND", "the task is not open");
    const struct json *more = command->data ? command->data : json_empty_object();
    if (json_count(more) > TASK_MEMBERS_MAX)
        return fail(rejection, ST_LIMIT, "", "a task has at most %d details (TASK_MEMBERS_MAX)",
                    TASK_MEMBERS_MAX);
    const struct json *details = task_with(step, token->task ? token->task : json_empty_object(), more);
    if (json_count(details) > TASK_MEMBERS_MAX || json_bytes(details) > TASK_DETAILS_BYTES_MAX ||
        json_depth(details) > JSON_DEPTH_MAX)
        return fail(
            rejection, ST_LIMIT, "",
            "a task has at most %d details of %d bytes in all (TASK_MEMBERS_MAX, TASK_DETAILS_BYTES_MAX)",
            TASK_MEMBERS_MAX, TASK_DETAILS_BYTES_MAX);
    note(step, &(struct entry){ .kind = ENTRY_KIND_TASK,
                                .execution = token->execution,
                                .comment = reason_cut(command->as.task.comment),
                                .task = details });
    return ST_OK;
}
