/* core/on_retry.c — start a failed node again.
 *
 * The failed token is forgotten and its node entered anew, with a fresh job and timers.
 * Everything else goes on where the failure stopped it.
 */

#include "core/core_int.h"

enum status on_retry(struct step *step, struct error *rejection)
{
    if (step->instance->status != INSTANCE_FAILED)
        return fail(rejection, ST_CONFLICT, "",
                    "instance is not FAILED; only failed instances can be retried");
    str name = step->command->node, word = step->program->node_word;
    uint32_t index = program_find(step->program, name);
    if (index == NODE_NONE)
        return fail(rejection, ST_NOT_FOUND, "", "%.*s \"%.*s\" not found", STR_ARG(word), STR_ARG(name));
    const struct token *failed = token_at(step, index, TOKEN_FAILED);
    if (!failed) return fail(rejection, ST_CONFLICT, "", "%.*s is not in a retryable state", STR_ARG(word));

    const struct token token = *failed;
    TRY(data_take(step, 0, step->command->data, MERGE_SHALLOW, rejection));
    note(step, &(struct entry){ .kind = ENTRY_KIND_FORGET, .execution = token.execution }, NODE_NONE);
    status_note(step, instance_live_status(step->instance), STR_NONE);
    step->running = token_enter(step, index, token.scope, token.execution);
    mail_serve_late(step);
    return ST_OK;
}
