/* core/rehearsal.c — nodes of an instance that is a test: nothing leaves the engine, and nothing is awaited.
 *
 * A node brings what its program says (program_rehearsal), or else placeholders for what it declares: a
 * task the members of its outputs, a person the first decision, a wait for an arrival one without a payload,
 * a wait for events one empty event for each trigger of its first case. Retry rules are not asked, because
 * there was no attempt. History tells of each such visit (SIMULATE), with what its job would have been given.
 *
 * A trial (command.is_trial) is an instance whose outside somebody pretends who knows better than
 * placeholders: only an arrival and the result of another definition that the author has written are
 * pretended here, because nobody else could bring them.
 *
 * A task that starts another instance is no exception from the rule: its child is a test, too, unless the
 * author has written what it brings. A task that only reads (program_node.acts_in_tests) opens its job as
 * always.
 */

#include "core/core_int.h"

#include "base/datetime.h"

bool rehearsal_is_due(const struct step *step, const struct program_node *node)
{
    bool is_told = node->rehearsal && node->rehearsal->given;
    bool starts = node->kind == NODE_TASK && performer_starts(node->as.task.performer);
    if (!step->instance->is_test) {
        bool arrives = node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_ARRIVAL;
        return step->command->is_trial && is_told && (arrives || starts);
    }
    if (node->kind == NODE_WAIT) return node->as.wait.what != WAIT_FOR_TRANSITION;
    return !node->acts_in_tests && (is_told || !starts);
}

void rehearsal_note(struct step *step, uint32_t execution, enum token_state state, const struct json *input)
{
    note(step, &(struct entry){
                   .kind = ENTRY_KIND_SIMULATE, .execution = execution, .state = state, .payload = input });
}

/* The value that the program gives the node; NULL: none. */
static const struct json *brought_by(const struct program_node *node)
{
    return node->rehearsal ? node->rehearsal->brought : NULL;
}

/* ---- tasks ---- */

void rehearsal_of_task(struct step *step, const struct token *token, const struct program_node *node,
                       const struct json *input)
{
    const struct json *result = brought_by(node);
    if (!result) result = program_fields_placeholder(&node->as.task.outputs, step->arena);
    struct locals locals = { .count = 0 };
    struct error err;
    step->given.execution = token->execution;
    step->given.input = input;
    rehearsal_note(step, token->execution, TOKEN_JOB, input);
    if (node->as.task.result_is_local) {
        locals_add(&locals, STR("result"), result);
    } else if (data_take(step, token->execution, result, node->as.task.merge, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    exit_with(step, token->execution, &locals);
}

/* ---- waits ---- */

/* The arrival that a test pretends: it comes now and is empty, unless the program says more. */
static const struct json *arrived(struct step *step, const struct program_node *node)
{
    char now[DATETIME_CHARS + 1];
    if (step->command->now_ms % 1000) datetime_print(step->command->now_ms, now);
    else datetime_print_seconds(step->command->now_ms, now);
    const struct json *made = json_set(step->arena, json_empty_object(), STR("payload"), json_empty_object());
    made = json_set(step->arena, made, STR("triggered_at"), json_of_string(step->arena, str_of(now)));
    return brought_by(node) ? json_merge(made, brought_by(node), step->arena) : made;
}

static const struct json *answer_of(struct step *step, const struct program_node *node)
{
    if (node->as.wait.what == WAIT_FOR_ARRIVAL) return arrived(step, node);
    if (brought_by(node)) return brought_by(node);
    if (!node->as.wait.decision_count) return json_empty_object();
    return json_set(step->arena, json_empty_object(), STR("decision"),
                    json_of_string(step->arena, node->as.wait.decision[0]));
}

static void answer(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct json *brought = answer_of(step, node);
    struct locals locals = { .count = 0 };
    struct error err;
    if (node->as.wait.answer_is_local || node->as.wait.what == WAIT_FOR_ARRIVAL) {
        wait_add_answer(step, token, &locals, brought);
    } else if (json_is(brought, JSON_OBJECT) &&
               data_take(step, token->execution, brought, MERGE_SHALLOW, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    exit_with(step, token->execution, &locals);
}

/* True if a signal came early for this node: somebody sent it to the test. */
static bool has_signal(const struct step *step, const struct token *token)
{
    for (size_t i = 0; i < step->instance->mail_count; i++)
        if (str_equal(step->instance->mail[i].node, token->node_name)) return true;
    return false;
}

bool rehearsal_of_wait(struct step *step, const struct token *token, const struct program_node *node,
                       enum token_state state)
{
    enum wait_for what = node->as.wait.what;
    struct locals locals = { .count = 0 };
    if (what == WAIT_FOR_SIGNAL && has_signal(step, token)) return false;
    if (what == WAIT_FOR_ARRIVAL && early_is_kept(step, node)) return false;
    rehearsal_note(step, token->execution, state, NULL);
    if (what == WAIT_FOR_EVENT) {
        mail_pretend(step, token);
    } else if (what == WAIT_FOR_TIME) {
        wait_add_due(step, node, &locals, step->command->now_ms);
        exit_with(step, token->execution, &locals);
    } else {
        answer(step, token, node);
    }
    return true;
}
