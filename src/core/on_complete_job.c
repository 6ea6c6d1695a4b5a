/* core/on_complete_job.c — a worker finished a job.
 *
 * Deliveries are at least once, so a job that is not open any more is no mistake of the
 * worker's: the callback is accepted and nothing happens.
 */

#include "core/core_int.h"

/* The node's output says what becomes of the result, and its retry rules may ask for another one. */
static enum status complete_with_output(struct step *step, const struct job *job)
{
    const struct json *result = step->command->data ? step->command->data : json_null();
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("result"), result);
    job_close(step, job->number, JOB_DONE, STR_NONE);
    if (!attempt_unsatisfied(step, job, result)) exit_with(step, job->execution, &locals);
    return ST_OK;
}

enum status on_complete_job(struct step *step, struct error *rejection)
{
    const struct command *command = step->command;
    const struct job *job = instance_find_job(step->instance, command->as.job.number);
    if (!job || !instance_reaches(step->instance, job->execution)) {
        step->unchanged = true;
        return ST_OK;
    }
    const struct job done = *job;
    uint32_t execution = done.execution;
    const struct program_node *node = token_node(step, instance_find_token(step->instance, execution));
    if (node->as.task.result_is_local) return complete_with_output(step, &done);
    const struct json *data = command->data ? command->data : json_empty_object();
    struct error err;
    if (program_fields_check(&node->as.task.outputs, data, &err) != ST_OK)
        return fail(rejection, ST_INVALID, err.where, "%.*s violation: %s",
                    STR_ARG(node->as.task.outputs.word), err.message);

    job_close(step, command->as.job.number, JOB_DONE, STR_NONE);
    TRY(data_take(step, execution, data, node->as.task.merge, rejection));
    exit_node(step, execution);
    return ST_OK;
}
