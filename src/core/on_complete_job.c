/* core/on_complete_job.c — a worker finished a job.
 *
 * Deliveries are at least once, so a job that is not open any more is no mistake of the
 * worker's: the callback is accepted and nothing happens.
 */

#include "core/core_int.h"

/* How the result differs from the members that the task promises; empty: not at all. */
static str members_unlike(struct step *step, const struct program_node *node, const struct json *result)
{
    const str *member = node->as.task.result_member;
    size_t count = node->as.task.result_member_count;
    if (!count) return STR_NONE;
    if (!json_is(result, JSON_OBJECT))
        return arena_printf(step->arena, "the result is no object but %s", json_kind_name(json_kind(result)));
    for (size_t i = 0; i < count; i++)
        if (!json_get(result, member[i]))
            return arena_printf(step->arena, "the result lacks \"%.*s\"", STR_ARG(member[i]));
    if (json_count(result) == count) return STR_NONE;
    struct json_each each = json_each(result);
    while (json_next(&each)) {
        size_t i = 0;
        while (i < count && !str_equal(member[i], each.name)) i++;
        if (i < count) continue;
        str name = utf8_cut(each.name, NODE_NAME_BYTES_MAX);
        return arena_printf(step->arena, "the result has a member \"%.*s\", which the task does not promise",
                            STR_ARG(name));
    }
    return STR_NONE;
}

/* The node's output says what becomes of the result, and its retry rules may ask for another one. */
static enum status complete_with_output(struct step *step, const struct program_node *node,
                                        const struct job *job)
{
    const struct json *result = step->command->data ? step->command->data : json_null();
    struct locals locals = { .count = 0 };
    str unlike = members_unlike(step, node, result);
    if (unlike.n) {
        job_close(step, job->number, JOB_FAILED, unlike);
        raise_error(step, job->execution, step->program->error_names.contract, unlike, NULL);
        return ST_OK;
    }
    locals_add(&locals, STR("result"), result);
    job_close(step, job->number, JOB_DONE, reason_cut(step->command->as.job.text));
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
    token_stamp(step, execution);
    if (node->kind == NODE_WAIT) {
        notice_done(step, &done);
        return ST_OK;
    }
    if (node->as.task.result_is_local) return complete_with_output(step, node, &done);
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
