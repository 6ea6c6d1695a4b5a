/* core/on_fail_job.c — a worker could not do a job: try again later, or give up.
 *
 * A retry is a new job for the same visit, with the same payload; timers keep running.
 */

#include "core/core_int.h"

enum status on_fail_job(struct step *step, struct error *rejection)
{
    (void)rejection;
    const struct command *command = step->command;
    const struct job *open = instance_find_job(step->instance, command->number);
    if (!open || instance_status_ended(step->instance->status)) {
        step->unchanged = true;
        return ST_OK;
    }
    const struct job job = *open;
    str error = reason_cut(command->text);
    job_close(step, job.number, JOB_FAILED, error);
    if (!command->retryable || job.retries_left == 0) {
        token_fail(step, job.execution, error);
        return ST_OK;
    }
    const struct program_node *node = token_node(step, instance_find_token(step->instance, job.execution));
    int64_t delay_ms = program_retry_delay_ms(&node->as.task.retry, job.attempt);
    job_open(step, job.execution, job.type, job.retries_left - 1, job.attempt + 1,
             time_after(command->now_ms, delay_ms));
    return ST_OK;
}
