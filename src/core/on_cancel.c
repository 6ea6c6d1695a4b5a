/* core/on_cancel.c — stop an instance and all it waits for.
 *
 * One that has failed is cancelled only if that is asked for: it then takes no more events and cannot be
 * retried. An instance that is cancelled may also fail instead: a retry can then begin it again.
 */

#include "core/core_int.h"

/* The oldest token outside of all regions that waits for something, or NULL. */
static const struct token *first_token(const struct instance *instance)
{
    for (size_t i = 0; i < instance->token_count; i++)
        if (instance->token[i].state != TOKEN_RESTING && !scope_region(instance, instance->token[i].scope))
            return &instance->token[i];
    return NULL;
}

/* It fails as by an error of its oldest token that nothing handles. A retry begins that token's node anew. */
static void fail_instance(struct step *step, str reason)
{
    const struct token *token = first_token(step->instance);
    if (!token) {
        note_code(step, STR_NONE);
        note_status(step, INSTANCE_FAILED, reason);
        return;
    }
    const struct job *job = instance_job_of(step->instance, token->execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    token_fail(step, token->execution, reason);
}

enum status on_cancel(struct step *step, struct error *rejection)
{
    const struct command_cancel *asked = &step->command->as.cancel;
    str reason = reason_cut(asked->reason);
    if (!asked->failed_too || step->instance->status != INSTANCE_FAILED)
        TRY(instance_reject_ended(step->instance, rejection));
    if (step->instance->token_count) token_stamp(step, step->instance->token[0].execution);
    if (asked->replaced_by)
        note(step, &(struct entry){ .kind = ENTRY_KIND_REPLACED, .replaced_by = asked->replaced_by });
    if (asked->fails) {
        if (step->instance->status == INSTANCE_FAILED)
            return fail(rejection, ST_CONFLICT, "", "instance is already FAILED");
        if (asked->error) note(step, &(struct entry){ .kind = ENTRY_KIND_ERROR, .error = asked->error });
        fail_instance(step, reason);
        return ST_OK;
    }
    interrupt_waits(step, true);
    if (asked->error) note(step, &(struct entry){ .kind = ENTRY_KIND_ERROR, .error = asked->error });
    note_status(step, INSTANCE_CANCELLED, reason);
    return ST_OK;
}
