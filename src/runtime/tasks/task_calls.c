/* runtime/tasks/task_calls.c — people take tasks, give them back, hand them over and comment on them.
 *
 * All of it is one command of the core, which changes the details of the task. Its change is decided here,
 * with the task as it is in this turn: if two people claim one task at the same time, the second is told.
 */
#include "runtime/tasks/tasks_int.h"

#include "core/task.h"
#include "runtime/call/sight.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* The open task of a public id. A task that was open once is no longer: ST_CONFLICT. */
static enum status find_task(struct turn *turn, const struct call *call, const struct instance **ret_instance,
                             struct definition **ret_definition, const struct token **ret_token,
                             struct error *err)
{
    struct id id = call->as.task.id;
    bool is_there;
    TRY(found_asked(transact_load_for(turn, call, id.instance, ret_instance, ret_definition, err),
                    &is_there));
    const struct instance *instance = is_there ? *ret_instance : NULL;
    const struct token *token = instance ? instance_find_token(instance, id.number) : NULL;
    const struct sight sight = sight_of_tasks(call);
    bool is_hidden = token && !sight_has_task(&sight, (*ret_definition)->id, token->task);
    if (!is_hidden && token && token->since_ms == id.ms && token->state == TOKEN_PERSON &&
        reaches(instance, token->execution)) {
        *ret_token = token;
        return ST_OK;
    }
    if (!is_hidden && instance && id.number < instance->next_number && (!token || token->since_ms == id.ms))
        return fail_code(
            err, ST_CONFLICT, "TASK_ALREADY_COMPLETED",
            "the task is not open any more: it was completed, or it expired, or it was cancelled");
    return fail_code(err, ST_NOT_FOUND, "TASK_NOT_FOUND", "there is no task of this id");
}

static const struct json *assignee_change(const struct call *call, const struct json *assignee)
{
    return json_set(call->arena, json_empty_object(), STR("assignee"), assignee);
}

/* The details that the call changes; none: NULL. */
static enum status changes_of(const struct call *call, const struct token *token,
                              const struct json **ret_changes, struct error *err)
{
    const struct call_task *asked = &call->as.task;
    str assignee = task_read(token->task, 0).assignee;
    *ret_changes = asked->changes;
    switch (call->kind) {
    case CALL_CLAIM_TASK:
        TRY(task_check_claim(token->task,
                             &(struct task_person){ .name = asked->actor, .groups = asked->groups }, err));
        *ret_changes = assignee.n ? NULL : assignee_change(call, json_of_string(call->arena, asked->actor));
        break;
    case CALL_UNCLAIM_TASK:
        if (!assignee.n) return fail_code(err, ST_CONFLICT, "TASK_NOT_CLAIMED", "nobody has the task");
        if (asked->actor.n) TRY(task_check_unclaim(token->task, asked->actor, err));
        *ret_changes = assignee_change(call, json_null());
        break;
    default: break;
    }
    return ST_OK;
}

static void show_task(struct call *call, const struct definition *definition, const struct instance *instance,
                      const struct token *token)
{
    struct task_view *view = arena_make(call->arena, struct task_view);
    struct task_row row = effects_task(definition, instance, token);
    view->row = row;
    view->row.node = arena_str(call->arena, row.node);
    view->row.title = arena_str(call->arena, row.title);
    view->row.label = arena_str(call->arena, row.label);
    view->row.details = STR_NONE;
    view->row.definition_id = arena_str(call->arena, definition->id);
    view->row.definition_version = definition->version;
    view->row.instance_created_ms = instance->created_ms;
    view->row.business_key = arena_str(call->arena, instance->business_key);
    view->details = token->task ? json_copy(call->arena, token->task) : NULL;
    call->value.tasks.view = view;
    call->value.tasks.count = 1;
}

enum status task_call_run(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    const struct token *token = NULL;
    const struct json *changes;
    TRY(find_task(turn, call, &instance, &definition, &token, err));
    TRY(changes_of(call, token, &changes, err));
    if (changes || call->as.task.comment.n) {
        struct command command = command_assign_task(
            turn->now_ms, call->as.task.actor, changes,
            (struct command_task){ .execution = token->execution, .comment = call->as.task.comment });
        struct transition *transition = NULL;
        TRY(follow_command(turn, definition, instance, &command, &transition, err));
        if (transition) instance = transition->after;
        token = instance_find_token(instance, call->as.task.id.number);
    }
    show_task(call, definition, instance, token);
    return ST_OK;
}
