/* runtime/entities/compute.c — answers of calculation nodes.
 *
 * The document that a processor answers with must fit the model, as those of clients must. A processor that
 * answers after its commit point (its task does not hold) can make what follows impossible: then nothing of
 * what follows happens, its task fails, and the call that waits is told why.
 */
#include "runtime/entities/entities_int.h"

#include "base/must.h"
#include "base/utf8.h"
#include "dialect/entity/entity.h"
#include "runtime/call/call.h"
#include "runtime/entities/models.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

#include <stdio.h>

/* ---- answers ---- */

/* A processor's answer as an error of its task: ST_INVALID with the error's name as `where`. `ret_model` is
 * the model as it is to be, if it grows. */
static enum status check_answer(struct turn *turn, const struct call *call,
                                const struct definition *definition, struct model *ret_model, bool *ret_grows,
                                struct error *err)
{
    const struct json *data = json_get(call->as.job.data, STR("data"));
    str name;
    int32_t version;
    *ret_grows = false;
    if (!data) return ST_OK;
    entity_model_of(definition->id, &name, &version);
    TRY(found_needed(models_find(turn, definition->ns, name, version, ret_model, err)));
    struct error why;
    enum status status = entity_fit_document(turn, ret_model, data, ret_grows, &why);
    if (transact_is_lost(turn, status)) {
        *err = why;
        return status;
    }
    if (status == ST_OK) return ST_OK;
    /* A field too many is the usual reason. */
    bool can_grow = why.code && str_equal(str_of(why.code), STR("BAD_REQUEST"));
    return fail(err, ST_INVALID, "WORKFLOW_FAILED", "the processor's answer does not fit the model: %s%s",
                why.message,
                can_grow ? "; leave it out, or let the model grow: POST /api/model/{name}/{version}"
                           "/changeLevel/STRUCTURAL"
                         : "");
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
static str remark_of(const struct call *call) { return json_text(call->as.job.data, STR("reason")); }

static bool is_told(const struct call_entities *asked, str warning)
{
    for (size_t i = 0; i < asked->warning_count; i++)
        if (str_equal(asked->warning[i], warning)) return true;
    return false;
}

/* The write that waits is told the warnings of the node, each once: a turn may be repeated. */
static void tell_warnings(const struct turn *turn, const struct json *answer, uint64_t instance)
{
    const struct json *warnings = json_get(answer, STR("warnings"));
    struct call *call = json_is(warnings, JSON_ARRAY) ? unit_waiting_call(turn, instance) : NULL;
    if (!call || call->kind != CALL_WRITE_ENTITIES) return;
    struct call_entities *asked = &call->as.entities;
    if (!asked->warning) asked->warning = arena_make_n(call->arena, str, ENTITY_WARNINGS_MAX);
    for (size_t i = 0; i < json_count(warnings) && asked->warning_count < ENTITY_WARNINGS_MAX; i++) {
        const struct json *warning = json_item(warnings, i);
        str text = json_is(warning, JSON_STRING) ? utf8_cut(json_string(warning), ENTITY_WARNING_BYTES_MAX)
                                                 : STR_NONE;
        if (text.n && !is_told(asked, text))
            asked->warning[asked->warning_count++] = arena_str(call->arena, text);
    }
}

/* A write that named a transition whose function says no is told the function's reason. */
static void tell_reason(const struct turn *turn, const struct call *call, uint64_t instance)
{
    const struct json *matches = json_get(call->as.job.data, STR("matches"));
    str reason = utf8_cut(remark_of(call), CRITERION_REASON_BYTES_MAX);
    if (reason.n && json_is(matches, JSON_BOOL) && !json_bool(matches))
        unit_add_reason(turn, instance, reason);
}

static enum status fail_task(struct turn *turn, struct definition *definition,
                             const struct instance *instance, const struct call *call,
                             const struct error *why, struct error *err)
{
    must(why->status != ST_OK);
    struct transition *transition;
    /* Everything that has joined the task's transaction goes with it, and the failure of the task concerns
     * the committed instance.
     */
    unit_drop_anchored(turn, instance->id, call->as.job.id.number, why);
    TRY(found_needed(transact_load(turn, instance->id, &instance, &definition, err)));
    bool holds = units_have(turn, instance->id);
    bool is_savepoint =
        entity_task_has_savepoint(entity_task(definition->program, instance, call->as.job.id.number));
    size_t undone = is_savepoint ? unit_undo(turn, instance->id, call->as.job.id.number, why) : 0;
    if (undone) TRY(found_needed(transact_load(turn, instance->id, &instance, &definition, err)));
    str text = unit_tell_undone(turn, why, undone);
    struct command command =
        command_fail_job(turn->now_ms, call->as.job.worker, NULL,
                         (struct command_job){ .number = call->as.job.id.number,
                                               .text = text,
                                               .error = error_value(turn, why),
                                               .retryable = call->kind == CALL_FAIL_JOB });
    command.stamp = entity_time_stamp(turn->now_ms, &turn->arena);
    if (entity_task_is_aside(entity_task(definition->program, instance, call->as.job.id.number)))
        unit_log_undone(instance, text);
    TRY(transact_step(turn, definition, instance, &command, &transition, err));
    bool goes_on = transition && transition->after->job_count; /* Its policy lets it try again. */
    if (!holds && !goes_on) units_note_failure(turn, instance->id, why);
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
    must(call->kind == CALL_COMPLETE_JOB || call->kind == CALL_FAIL_JOB);
    struct error why;
    if (call->kind == CALL_FAIL_JOB) {
        why = told_failure(call);
        tell_warnings(turn, call->as.job.failure, instance->id);
        return fail_task(turn, definition, instance, call, &why, err);
    }
    const struct json *data = call->as.job.data;
    struct transition *transition = NULL;
    struct model model;
    bool grows = false;
    tell_warnings(turn, data, instance->id);
    if (json_get(data, STR("warnings"))) data = json_without(&turn->arena, data, STR("warnings"));
    enum status status = ST_OK;
    const struct json *task = entity_task(definition->program, instance, call->as.job.id.number);
    if (entity_asks(task, STR(ENTITY_ASKS_FUNCTION)))
        status = entity_answer_schedule(call->as.job.data, turn->now_ms, &turn->arena, &data, &why);
    else if (!entity_task_is_aside(task)) status = check_answer(turn, call, definition, &model, &grows, &why);
    if (grows && unit_grows(turn, instance->id, entity_grow_model)) grows = false;
    if (status == ST_OK) {
        struct command command = command_complete_job(
            turn->now_ms, call->as.job.worker, data,
            (struct command_job){ .number = call->as.job.id.number, .text = remark_of(call) });
        command.stamp = entity_stamp_answer(definition->program, instance, call->as.job.id.number,
                                            turn->now_ms, &turn->arena);
        status = transact_step(turn, definition, instance, &command, &transition, &why);
        /* Only now a unit goes on with the changes that were committed before, or not at all. */
        if (status == ST_OK && grows && !unit_grows(turn, instance->id, entity_grow_model))
            TRY(models_save(turn, definition->ns, &model, err));
        if (status == ST_OK) tell_reason(turn, call, instance->id);
        if (status == ST_OK) return remember_answer(turn, transition, err);
    }
    if (transact_is_lost(turn, status)) {
        *err = why;
        return status;
    }
    return fail_task(turn, definition, instance, call, &why, err);
}
