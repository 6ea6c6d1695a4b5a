/* core/on_fail_job.c — a worker could not do a job. attempt.c says whether it is tried again. */

#include "core/core_int.h"

static const struct json *member_of_kind(const struct json *error, const char *name, enum json_kind kind)
{
    const struct json *value = json_get(error, str_of(name));
    return json_is(value, kind) ? value : NULL;
}

/* The error as handlers see it: what the worker said, and what it left out. */
static const struct json *error_of(struct step *step, uint32_t execution, str text)
{
    const struct json *said = step->command->as.job.error;
    const struct json *name = member_of_kind(said, "name", JSON_STRING);
    const struct json *message = member_of_kind(said, "message", JSON_STRING);
    const struct json *data = json_get(said, STR("data"));
    return error_object(step, execution,
                        name && json_string(name).n ? json_string(name) : step->program->error_names.task,
                        message ? json_string(message) : text, data);
}

/* The code that an engine's performer, or a child, gave the failure. */
static str code_of(const struct json *said)
{
    str code = json_text(said, STR("code"));
    return reason_code_is_known(code) ? code : STR_NONE;
}

enum status on_fail_job(struct step *step, struct error *rejection)
{
    (void)rejection;
    const struct command *command = step->command;
    const struct job *open = instance_find_job(step->instance, command->as.job.number);
    if (!open || !instance_reaches(step->instance, open->execution)) {
        step->unchanged = true;
        return ST_OK;
    }
    const struct job job = *open;
    token_stamp(step, job.execution);
    str error = reason_cut(command->as.job.text);
    job_close(step, job.number, JOB_FAILED, error);
    if (token_node(step, instance_find_token(step->instance, job.execution))->kind == NODE_WAIT) {
        notice_failed(step, &job, error);
        return ST_OK;
    }
    const struct json *named = step->program->named_errors ? error_of(step, job.execution, error) : NULL;
    attempt_failed(step, &job, code_of(command->as.job.error), error, named, command->as.job.retryable);
    return ST_OK;
}
