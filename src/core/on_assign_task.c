/* core/on_assign_task.c — change the details of a person's task: who does it, until when, how urgent it is.
 */

#include "core/core_int.h"

/* The details with the members of `more`; a member that is null there goes. */
static const struct json *details_with(struct step *step, const struct json *details, const struct json *more)
{
    struct json_each each = json_each(more);
    while (json_next(&each))
        details = json_is(each.value, JSON_NULL) ? json_without(step->arena, details, each.name)
                                                 : json_set(step->arena, details, each.name, each.value);
    return details;
}

void task_change(struct step *step, const struct token *token, const struct json *more, str comment)
{
    const struct json *details = details_with(step, token->task ? token->task : json_empty_object(), more);
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_TASK, .execution = token->execution, .comment = comment, .task = details });
}

enum status on_assign_task(struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    TRY(instance_reject_ended(step->instance, rejection));
    const struct token *token = instance_find_token(step->instance, command->as.task.execution);
    if (!token || token->state != TOKEN_PERSON)
        return fail_code(rejection, ST_NOT_FOUND, "TASK_NOT_FOUND", "the task is not open");
    const struct json *more = command->data ? command->data : json_empty_object();
    if (json_count(more) > TASK_MEMBERS_MAX)
        return fail(rejection, ST_LIMIT, "", "a task has at most %d details", TASK_MEMBERS_MAX);
    const struct json *details = details_with(step, token->task ? token->task : json_empty_object(), more);
    if (json_count(details) > TASK_MEMBERS_MAX || json_bytes(details) > TASK_DETAILS_BYTES_MAX ||
        json_depth(details) > JSON_DEPTH_MAX)
        return fail(rejection, ST_LIMIT, "", "a task has at most %d details of %d bytes in all",
                    TASK_MEMBERS_MAX, TASK_DETAILS_BYTES_MAX);
    note(step, &(struct entry){ .kind = ENTRY_KIND_TASK,
                                .execution = token->execution,
                                .comment = reason_cut(command->as.task.comment),
                                .task = details });
    return ST_OK;
}
