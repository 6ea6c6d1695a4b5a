/* core/node_wait.c — waits for a signal, a person, events, a time or an arrival. */

#include "core/core_int.h"

/* A wait for a computed time that is over does not wait. True if so, or if the time cannot be computed. */
static bool is_over(struct step *step, const struct token *token, const struct program_node *node)
{
    struct error err;
    int64_t due_ms;
    if (node->timer_count != 1 || !node->timer[0].when || node->timer[0].does != TIMER_GO_ON) return false;
    if (timer_due(step, token, &node->timer[0], step->command->now_ms, &due_ms, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return true;
    }
    bool over = due_ms <= step->command->now_ms;
    if (!over && !rehearsal_is_due(step, node)) return false;
    if (!over) rehearsal_note(step, token->execution, TOKEN_TIME, NULL);
    struct locals locals = { .count = 0 };
    wait_add_due(step, node, &locals, due_ms);
    exit_with(step, token->execution, &locals);
    return true;
}

/* The details of a person's task. */
static enum status note_task(struct step *step, const struct token *token, const struct program_node *node,
                             struct error *err)
{
    const struct json *task;
    TRY(expression_at(step, node->as.wait.task, token, NULL, &task, err));
    if (!json_is(task, JSON_OBJECT))
        return fail(err, ST_INVALID, "", "the details of a task are an object, not %s",
                    json_kind_name(json_kind(task)));
    if (json_bytes(task) > TASK_DETAILS_BYTES_MAX)
        return fail(err, ST_LIMIT, "",
                    "the details of a task take %zu bytes; the most is %d (TASK_DETAILS_BYTES_MAX)",
                    json_bytes(task), TASK_DETAILS_BYTES_MAX);
    note(step, &(struct entry){ .kind = ENTRY_KIND_TASK, .execution = token->execution, .task = task });
    return ST_OK;
}

void node_wait_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    static const enum token_state states[] = {
        [WAIT_FOR_SIGNAL] = TOKEN_SIGNAL,   [WAIT_FOR_PERSON] = TOKEN_PERSON,
        [WAIT_FOR_EVENT] = TOKEN_EVENT,     [WAIT_FOR_TIME] = TOKEN_TIME,
        [WAIT_FOR_ARRIVAL] = TOKEN_ARRIVAL, [WAIT_FOR_TRANSITION] = TOKEN_TRANSITION,
    };
    enum wait_for what = node->as.wait.what;
    struct error err;
    if (what == WAIT_FOR_TIME && is_over(step, token, node)) return;
    if (what == WAIT_FOR_PERSON && node->as.wait.task && note_task(step, token, node, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    if (rehearsal_is_due(step, node) && rehearsal_of_wait(step, token, node, states[what])) return;
    if (timer_open_all(step, token, node, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    token_park(step, token->execution, states[what]);
    /* A branch that goes on when the instance has ended finds its mail gone. */
    bool served = what == WAIT_FOR_EVENT || what == WAIT_FOR_SIGNAL;
    if (served && step->instance->mail_count && !instance_status_ended(step->instance->status))
        mail_serve(step, token->execution);
    if (what == WAIT_FOR_ARRIVAL && early_is_kept(step, node)) early_serve(step, token->execution);
}
