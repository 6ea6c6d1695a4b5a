/* core/on_retry.c — start a failed node again.
 *
 * The failed token is forgotten and its node entered anew, with a fresh job and timers; if the token was
 * stuck at its exit, the new visit begins there. Everything else goes on where the failure stopped it.
 */

#include "core/core_int.h"

/* There is at most one. Older engines let a token rest when its way out failed: such a token rests at a node
 * with edges. */
static const struct token *failed_token(const struct step *step)
{
    const struct instance *instance = step->instance;
    const struct token *rests = NULL;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (token->state == TOKEN_FAILED) return token;
        if (token->state == TOKEN_RESTING && token_node(step, token)->edge_count) rests = token;
    }
    return rests;
}

/* True if this is the name of the node, or of the author's node around it. */
static bool is_called(const struct step *step, const struct token *token, str name)
{
    return str_equal(token->node_name, name) ||
           str_equal(core_authored_node(step->program, step->instance, token)->name, name);
}

static enum status find_failed(const struct step *step, str name, struct token *ret_token,
                               struct error *rejection)
{
    str word = step->program->node_word;
    if (step->instance->status != INSTANCE_FAILED)
        return fail(rejection, ST_CONFLICT, "",
                    "instance is not FAILED; only failed instances can be retried");
    if (step->instance->undo.error)
        return fail_code(rejection, ST_CONFLICT, "UNDONE",
                         "what the instance did was undone when it failed: it cannot go on. Start a new one");
    if (name.n && program_find(step->program, name) == NODE_NONE)
        return fail(rejection, ST_NOT_FOUND, "", "%.*s \"%.*s\" not found", STR_ARG(word), STR_ARG(name));
    const struct token *failed = failed_token(step);
    if (!failed || (name.n && !is_called(step, failed, name)))
        return fail(rejection, ST_CONFLICT, "", "%.*s is not in a retryable state", STR_ARG(word));
    *ret_token = *failed;
    return ST_OK;
}

/* Variables go where the failed node looks for them: in a branch with data of its own, there. */
static enum status patch(struct step *step, const struct token *token, const struct json *data,
                         struct error *rejection)
{
    if (!data || !json_count(data)) return ST_OK;
    const struct scope *region = scope_region(step->instance, token->scope);
    return region ? data_put(step, region->number, 0, data, MERGE_SHALLOW, rejection)
                  : data_take(step, 0, data, MERGE_SHALLOW, rejection);
}

enum status on_retry_failed(struct step *step, str name, const struct json *data, struct error *rejection)
{
    struct token token = { 0 };
    TRY(find_failed(step, name, &token, rejection));
    const struct stuck stuck = step->instance->stuck;
    bool at_exit = stuck.execution == token.execution || token.state == TOKEN_RESTING;
    TRY(patch(step, &token, data, rejection));
    if (step->instance->handled_count >=
        step->limits->handled_errors_max) /* Else its next error would stop it. */
        note(step, &(struct entry){ .kind = ENTRY_KIND_HANDLED, .handled_count = 0 });
    note(step, &(struct entry){ .kind = ENTRY_KIND_FORGET, .execution = token.execution });
    note_status(step, instance_live_status(step->instance), STR_NONE);
    uint32_t execution = token_enter_by(step, token.node, token.arrival, token.scope, token.execution);
    step->running = execution;
    if (at_exit) exit_again(step, execution, &stuck);
    mail_serve_late(step);
    return ST_OK;
}

enum status on_retry(struct step *step, struct error *rejection)
{
    return on_retry_failed(step, step->command->as.node.node, step->command->data, rejection);
}
