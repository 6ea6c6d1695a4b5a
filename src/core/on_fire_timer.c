/* core/on_fire_timer.c — a timer came due.
 *
 * Whether it is due is the caller's business: a clock that was set back must not lose it.
 */

#include "core/core_int.h"

static void interrupt(struct step *step, uint32_t execution)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    timers_close(step, execution);
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_INTERRUPT,
             .execution = execution,
             .text = STR("interrupted by boundary timer"),
         },
         NODE_NONE);
}

static void refuse_another_token(struct step *step, uint32_t execution)
{
    const struct job *job = instance_job_of(step->instance, execution);
    if (job) job_close(step, job->number, JOB_CANCELLED, STR_NONE);
    str reason =
        arena_printf(step->arena, "one more token is too many: an instance has at most %d", TOKENS_MAX);
    token_fail(step, execution, reason);
}

enum status on_fire_timer(struct step *step, struct error *rejection)
{
    (void)rejection;
    const struct timer *open = instance_find_timer(step->instance, step->command->number);
    if (!open || instance_status_ended(step->instance->status)) {
        step->unchanged = true;
        return ST_OK;
    }
    const struct timer timer = *open;
    const struct token parent = *instance_find_token(step->instance, timer.execution);
    const struct program_node *node = token_node(step, &parent);
    must(timer.index < node->timer_count);
    const struct program_timer *boundary = &node->timer[timer.index];

    timer_close(step, timer.number, true);
    if (boundary->interrupting) {
        interrupt(step, parent.execution);
    } else if (step->instance->token_count >= TOKENS_MAX) {
        refuse_another_token(step, parent.execution);
        return ST_OK;
    }
    token_enter(step, boundary->target, parent.scope, parent.execution);
    return ST_OK;
}
