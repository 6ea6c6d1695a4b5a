/* core/on_retry.c — start a failed node again.
 *
 * The failed token is forgotten and its node, which may be inside the one that is named, entered
 * anew, with a fresh job and timers. Everything else goes on where the failure stopped it.
 */

#include "core/core_int.h"

/* The failed token if it stands at the node, or in a region that was opened there: authors know
 * only their own nodes. */
static const struct token *failed_within(const struct step *step, uint32_t node)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->token_count; i++) {
        const struct token *failed = &instance->token[i], *token = failed;
        if (failed->state != TOKEN_FAILED) continue;
        while (token && token->node != node) {
            const struct scope *region = scope_region(instance, token->scope);
            token = region && region->host ? instance_find_token(instance, region->host) : NULL;
        }
        return token ? failed : NULL;
    }
    return NULL;
}

enum status on_retry(struct step *step, struct error *rejection)
{
    if (step->instance->status != INSTANCE_FAILED)
        return fail(rejection, ST_CONFLICT, "",
                    "instance is not FAILED; only failed instances can be retried");
    str name = step->command->node, word = step->program->node_word;
    uint32_t index = program_find(step->program, name);
    if (index == NODE_NONE)
        return fail(rejection, ST_NOT_FOUND, "", "%.*s \"%.*s\" not found", STR_ARG(word), STR_ARG(name));
    const struct token *failed = failed_within(step, index);
    if (!failed) return fail(rejection, ST_CONFLICT, "", "%.*s is not in a retryable state", STR_ARG(word));

    const struct token token = *failed;
    TRY(data_take(step, 0, step->command->data, MERGE_SHALLOW, rejection));
    note(step, &(struct entry){ .kind = ENTRY_KIND_FORGET, .execution = token.execution }, NODE_NONE);
    status_note(step, instance_live_status(step->instance), STR_NONE);
    step->running = token_enter(step, token.node, token.scope, token.execution);
    return ST_OK;
}
