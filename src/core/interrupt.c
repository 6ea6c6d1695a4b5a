/* core/interrupt.c — tokens are taken away, with all that they wait for and all that runs inside them. */

#include "core/core_int.h"

static void waits_close(struct step *step, uint32_t execution, str why)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    timer_close_all(step, execution);
    interrupt_regions_of(step, execution, why);
}

void interrupt_token(struct step *step, uint32_t execution, str why)
{
    waits_close(step, execution, why);
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_INTERRUPT, .execution = execution, .reason = reason_cut(why) });
}

/* Backwards, because what goes is cut out of the arrays. */
void interrupt_inside(struct step *step, uint32_t scope, str why)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->token_count; i-- > 0;) {
        if (i >= instance->token_count || instance->token[i].scope != scope) continue;
        interrupt_token(step, instance->token[i].execution, why);
    }
    for (size_t i = instance->scope_count; i-- > 0;) {
        if (i >= instance->scope_count || instance->scope[i].parent != scope) continue;
        interrupt_region(step, instance->scope[i].number, why);
    }
}

void interrupt_region(struct step *step, uint32_t scope, str why)
{
    interrupt_inside(step, scope, why);
    note_scope_close(step, scope);
}

void interrupt_regions_of(struct step *step, uint32_t host, str why)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->scope_count; i-- > 0;) {
        if (i >= instance->scope_count || instance->scope[i].host != host) continue;
        if (instance->scope[i].state == REGION_OPEN || instance->scope[i].state == REGION_UNDO)
            interrupt_region(step, instance->scope[i].number, why);
        else note_scope_close(step, instance->scope[i].number);
    }
}

void interrupt_waits(struct step *step, bool detached_too)
{
    const struct instance *instance = step->instance;
    for (size_t i = instance->job_count; i-- > 0;)
        if (detached_too || !instance_is_detached(instance, instance->job[i].execution))
            job_close(step, instance->job[i].number, JOB_CANCELLED, STR_NONE);
    for (size_t i = instance->timer_count; i-- > 0;)
        if (detached_too || !instance_is_detached(instance, instance->timer[i].execution))
            timer_close(step, instance->timer[i].number, false);
    for (size_t i = instance->mail_count; i-- > 0;)
        note(step, &(struct entry){ .kind = ENTRY_KIND_MAIL_OUT, .mail = instance->mail[i].number });
}
