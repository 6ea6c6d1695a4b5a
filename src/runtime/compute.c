/* runtime/compute.c — answers of calculation nodes.
 *
 * The document that a processor answers with must fit the model, as those of clients must. A processor that
 * answers after its commit point (its task does not hold) can make what follows impossible: then nothing of
 * what follows happens, its task fails, and the call that waits is told why.
 */
#include "runtime/engine_int.h"
#include "runtime/entities.h"
#include "runtime/models.h"

#include <stdio.h>

/* A processor's answer as an error of its task: ST_INVALID with the error's name as `where`. */
static enum status check_answer(struct turn *turn, const struct call *call,
                                const struct definition *definition, struct error *err)
{
    const struct json *data = json_get(call->as.job.data, STR("data"));
    struct model model;
    str name;
    int32_t version;
    bool grows;
    if (!data) return ST_OK;
    entity_model_of(definition->id, &name, &version);
    TRY(models_find(turn, definition->ns, name, version, &model, err));
    struct error why;
    enum status status = entity_check_document(turn, &model, data, &grows, &why);
    if (transact_is_lost(turn, status)) {
        *err = why;
        return status;
    }
    if (status != ST_OK)
        return fail(err, ST_INVALID, "WORKFLOW_FAILED", "the processor's answer does not fit the model: %s",
                    why.message);
    return grows ? models_save(turn, definition->ns, &model, err) : ST_OK;
}

static const struct json *error_value(struct turn *turn, const struct error *why)
{
    struct json_builder builder;
    json_builder_init(&builder, &turn->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, why->where[0] ? str_of(why->where) : STR("WORKFLOW_FAILED"));
    json_add_name(&builder, STR("message"));
    json_add_string(&builder, str_of(why->message));
    json_close(&builder);
    return json_built(&builder);
}

/* The error that a failed task tells its caller. */
static struct error told_failure(const struct call *call)
{
    const struct json *name = json_get(call->as.job.failure, STR("name"));
    const struct json *message = json_get(call->as.job.failure, STR("message"));
    str said = json_is(message, JSON_STRING) ? json_string(message) : call->as.job.text;
    char where[ERROR_WHERE_BYTES] = "WORKFLOW_FAILED";
    struct error why;
    if (json_is(name, JSON_STRING)) snprintf(where, sizeof where, "%.*s", STR_ARG(json_string(name)));
    fail(&why, ST_INVALID, where, "%.*s", STR_ARG(said));
    return why;
}

/* Why a function says no, which the history keeps. */
static str remark_of(const struct call *call)
{
    const struct json *reason = json_get(call->as.job.data, STR("reason"));
    return json_is(reason, JSON_STRING) ? json_string(reason) : STR_NONE;
}

static enum status fail_task(struct turn *turn, struct definition *definition,
                             const struct instance *instance, const struct call *call,
                             const struct error *why, struct error *err)
{
    struct transition *transition;
    /* What has joined the task's transaction goes with it, and what the task fails is the committed instance.
     */
    unit_drop_anchored(turn, instance->id, call->as.job.id.number, why);
    TRY(transact_load(turn, instance->id, &instance, &definition, err));
    bool holds = units_have(turn, instance->id);
    struct command command =
        command_fail_job(turn->now_ms, call->as.job.worker, NULL,
                         (struct command_job){ .number = call->as.job.id.number,
                                               .text = arena_str(&turn->arena, str_of(why->message)),
                                               .error = error_value(turn, why) });
    command.stamp = entity_time_stamp(turn);
    TRY(transact_step(turn, definition, instance, &command, &transition, err));
    if (!holds) units_note_failure(turn, instance->id, why);
    return ST_OK;
}

/* The call that waits for the run is answered when this turn has committed. */
static enum status remember_answer(struct turn *turn, const struct transition *transition, struct error *err)
{
    struct call *call = transition ? units_call_of(turn, transition->instance) : NULL;
    if (!call || !call->idempotency_key.n || transition->after->job_count) return ST_OK;
    return idempotency_remember(turn, call, err);
}

enum status compute_answer(struct turn *turn, struct call *call, struct definition *definition,
                           const struct instance *instance, struct error *err)
{
    struct error why;
    if (call->kind == CALL_FAIL_JOB) {
        why = told_failure(call);
        return fail_task(turn, definition, instance, call, &why, err);
    }
    enum status status = check_answer(turn, call, definition, &why);
    struct transition *transition = NULL;
    if (status == ST_OK) {
        struct command command = command_complete_job(
            turn->now_ms, call->as.job.worker, call->as.job.data,
            (struct command_job){ .number = call->as.job.id.number, .text = remark_of(call) });
        command.stamp = entity_time_stamp(turn);
        status = transact_step(turn, definition, instance, &command, &transition, &why);
        if (status == ST_OK) return remember_answer(turn, transition, err);
    }
    if (transact_is_lost(turn, status)) {
        *err = why;
        return status;
    }
    return fail_task(turn, definition, instance, call, &why, err);
}
