/* runtime/commands.c — calls that change an instance: who may, which instance, what command. */
#include "runtime/engine_int.h"

#include "json/json.h"

void command_answer(struct call *call, const struct instance *instance, const struct definition *definition)
{
    call->instance = arena_make(call->arena, struct instance_view);
    call->instance_count = 1;
    view_instance(definition->program, instance, definition->id, definition->version, call->arena,
                  call->instance);
}

/* The instance after the command, or (a NULL change) as it was. */
static enum status answer_view(struct turn *turn, struct call *call, const struct instance *instance,
                               const struct transition *transition, struct definition *definition,
                               struct error *err)
{
    if (transition) instance = transition->after;
    /* Something followed, maybe with this instance: a child that ended at once, for one. */
    if (transition && turn->last_transition != transition)
        TRY(transact_load(turn, instance->id, &instance, &definition, err));
    command_answer(call, instance, definition);
    return ST_OK;
}

static enum status not_found(const struct call *call, const char *what, struct error *err)
{
    char text[ID_CHARS + 1];
    id_print(call->id, text);
    return fail(err, ST_NOT_FOUND, what, "%s %s not found", what, text);
}

/* The instance a public id names. Its time must fit too: an id that was never given out
 * names nothing. */
enum status command_load_named(struct turn *turn, struct call *call, const struct instance **ret_instance,
                               struct definition **ret_definition, struct error *err)
{
    if (call->id.number || call->id.delivery) return not_found(call, "instance", err);
    enum status status = transact_load(turn, call->id.instance, ret_instance, ret_definition, err);
    if (status == ST_NOT_FOUND || (status == ST_OK && (*ret_instance)->created_ms != call->id.ms))
        return not_found(call, "instance", err);
    return status;
}

static enum status start_call(struct turn *turn, struct call *call, struct error *err)
{
    struct start start = { .ns = call->ns,
                           .definition_id = call->definition_id,
                           .version = call->version,
                           .business_key = call->business_key,
                           .data = call->data,
                           .actor = call->worker };
    struct transition *transition;
    struct definition *definition;
    TRY(start_instance(turn, &start, &transition, &definition, err));
    return answer_view(turn, call, NULL, transition, definition, err);
}

/* Commands that name an instance and, some of them, a node. */
static enum status instance_call(struct turn *turn, struct call *call, enum command_kind kind,
                                 struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    TRY(command_load_named(turn, call, &instance, &definition, err));
    struct command command = { .kind = kind,
                               .now_ms = turn->now_ms,
                               .node = call->node,
                               .data = call->data,
                               .text = call->text,
                               .actor = call->worker,
                               .early = call->early,
                               .failed_too = call->failed_too };
    struct transition *transition = NULL;
    TRY(transact_command(turn, definition, instance, &command, &transition, err));
    call->kept = transition && transition->history->entry_count &&
                 transition->history->entry[0].kind == ENTRY_KIND_SIGNAL_IN;
    return answer_view(turn, call, instance, transition, definition, err);
}

/* The instance is named by its id, or it is the live one that has the business key. */
static enum status signal_call(struct turn *turn, struct call *call, struct error *err)
{
    if (call->definition_id.n) {
        uint64_t holder = 0;
        const struct instance *instance;
        struct definition *definition;
        TRY(store_find_business_key(turn->engine->store, call->ns, call->definition_id, call->business_key,
                                    &holder, err));
        if (!holder)
            return fail(err, ST_NOT_FOUND, "businessKey",
                        "no live instance of definition \"%.*s\" has the business key \"%.*s\"",
                        STR_ARG(call->definition_id), STR_ARG(call->business_key));
        TRY(transact_load(turn, holder, &instance, &definition, err));
        call->id = (struct id){ .ms = instance->created_ms, .instance = holder };
    }
    return instance_call(turn, call, COMMAND_SIGNAL, err);
}

/* A parent that failed with this child starts another one when it is retried: both would do the same work. */
static enum status refuse_orphan(struct turn *turn, const struct instance *child, struct error *err)
{
    const struct instance *parent;
    struct definition *definition;
    if (!child->parent_waits || child->status != INSTANCE_FAILED) return ST_OK;
    enum status status = transact_load(turn, child->parent, &parent, &definition, err);
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    if (parent->status != INSTANCE_FAILED || instance_find_job(parent, child->parent_job)) return ST_OK;
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = parent->created_ms, .instance = parent->id }, id);
    return fail(err, ST_CONFLICT, "instance",
                "instance %s waited for this one and failed with it: retry that one, and it starts another "
                "child; or retry "
                "this one alone",
                id);
}

enum status command_check_key(struct engine *engine, const struct instance *instance,
                              const struct definition *definition, struct error *err)
{
    uint64_t holder = 0;
    if (instance->business_key.n)
        TRY(store_find_business_key(engine->store, definition->ns, definition->id, instance->business_key,
                                    &holder, err));
    return holder && holder != instance->id ? fail_key_taken(err) : ST_OK;
}

static enum status retry_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    TRY(command_load_named(turn, call, &instance, &definition, err));
    if (!call->alone) TRY(refuse_orphan(turn, instance, err));
    TRY(command_check_key(turn->engine, instance, definition, err));
    return instance_call(turn, call, COMMAND_RETRY, err);
}

/* A person's task, named by its instance and node or by the id of the visit itself. */
static enum status task_call(struct turn *turn, struct call *call, struct error *err)
{
    if (!call->id.number) return instance_call(turn, call, COMMAND_COMPLETE_TASK, err);
    const struct instance *instance;
    struct definition *definition;
    enum status status = transact_load(turn, call->id.instance, &instance, &definition, err);
    const struct token *token = status == ST_OK ? instance_find_token(instance, call->id.number) : NULL;
    if (status == ST_NOT_FOUND || (status == ST_OK && (!token || token->since_ms != call->id.ms)))
        return not_found(call, "open user task", err);
    TRY(status);
    struct command command = { .kind = COMMAND_COMPLETE_TASK,
                               .now_ms = turn->now_ms,
                               .number = call->id.number,
                               .node = token->node_name,
                               .data = call->data,
                               .actor = call->worker };
    struct transition *transition = NULL;
    TRY(transact_command(turn, definition, instance, &command, &transition, err));
    return answer_view(turn, call, instance, transition, definition, err);
}

/* A job is as old as its instance at most, unless the machine's clock was set back between two
 * runs of the engine. */
enum { CLOCK_SLACK_MS = 24 * 3600 * 1000 };

enum status command_find_job(struct turn *turn, const struct call *call, const struct instance **ret_instance,
                             struct definition **ret_definition, const struct job **ret_job,
                             struct error *err)
{
    enum status status = transact_load(turn, call->id.instance, ret_instance, ret_definition, err);
    bool known = status == ST_OK && call->id.number && call->id.number < (*ret_instance)->next_number &&
                 call->id.ms >= (*ret_instance)->created_ms - CLOCK_SLACK_MS;
    if (status == ST_NOT_FOUND || (status == ST_OK && !known)) return not_found(call, "job", err);
    TRY(status);
    *ret_job = instance_find_job(*ret_instance, call->id.number);
    if (*ret_job && (*ret_job)->created_ms != call->id.ms) *ret_job = NULL;
    /* What the engine does itself is nobody else's, locked or not. */
    if (*ret_job && performer_place((*ret_job)->performer) != PERFORMED_OUTSIDE && !call->performs)
        return not_found(call, "job", err);
    return ST_OK;
}

/* Is the job this worker's, or nobody's? Else says why it is not. */
static enum callback_drop check_holder(const struct open_job *job, const struct call *call, int64_t now_ms)
{
    if (job->delivery != call->id.delivery) return CALLBACK_EXPIRED;
    if (job->state != JOB_LOCKED) return CALLBACK_USED;
    if (now_ms >= job->deadline.at_ms) return CALLBACK_EXPIRED;
    return str_equal(job->worker, call->worker) ? CALLBACK_USED : CALLBACK_HELD;
}

static bool is_tried_again(const struct instance *after, uint32_t execution)
{
    for (size_t i = 0; i < after->job_count; i++)
        if (after->job[i].execution == execution) return true;
    return false;
}

enum callback_drop command_check_callback(const struct engine *engine, struct call *call,
                                          const struct instance *instance, const struct job *job)
{
    const struct open_job *open = jobs_find(&engine->jobs, call->id.instance, call->id.number);
    call->late_ = false;
    if (job ? !reaches(instance, job->execution) : instance_status_ended(instance->status))
        return CALLBACK_ENDED;
    if (!job) return CALLBACK_CLOSED;
    /* A job that this turn opened, or a retry opened again, is in no queue yet. */
    enum callback_drop why = open ? check_holder(open, call, engine->turn.now_ms) : CALLBACK_EXPIRED;
    if (call->kind != CALL_COMPLETE_JOB) return why;
    /* Work that is done is done: the first result counts, whoever else has begun meanwhile. */
    call->late_ = why != CALLBACK_USED;
    return CALLBACK_USED;
}

void command_note_callback(struct turn *turn, const struct call *call)
{
    for (size_t i = 0; call->kind == CALL_BATCH && i < call->item_count; i++)
        command_note_callback(turn, &call->item[i]);
    if (call->status != ST_OK) return;
    if (call->late_) metric_add(&turn->engine->metrics->late_completions, 1);
    if (call->dropped_ == CALLBACK_USED) return;
    metric_add(&turn->engine->metrics->stale_callbacks, 1);
    if (call->dropped_ == CALLBACK_EXPIRED || call->dropped_ == CALLBACK_HELD)
        metric_add(&turn->engine->metrics->job_lock_conflicts, 1);
    callbacks_add(&turn->engine->callbacks, call, turn->now_ms);
}

/* A callback that comes too late is no error, since the worker has done nothing wrong, and has no effect. */
static enum status job_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    const struct job *job;
    call->dropped_ = CALLBACK_USED;
    TRY(command_find_job(turn, call, &instance, &definition, &job, err));
    call->dropped_ = command_check_callback(turn->engine, call, instance, job);
    struct transition *transition = NULL;
    bool failed = call->kind == CALL_FAIL_JOB;
    if (call->dropped_ == CALLBACK_USED) {
        if (call->data && !definition->program->any_data && !json_is(call->data, JSON_OBJECT))
            return fail(err, ST_INVALID, "variables", "variables must be an object");
        struct command command = { .kind = failed ? COMMAND_FAIL_JOB : COMMAND_COMPLETE_JOB,
                                   .now_ms = turn->now_ms,
                                   .number = call->id.number,
                                   .data = call->data,
                                   .text = call->text,
                                   .error = call->failure,
                                   .retryable = call->retryable,
                                   .actor = call->worker };
        TRY(transact_command(turn, definition, instance, &command, &transition, err));
        if (!transition) call->dropped_ = CALLBACK_CLOSED;
    }
    if (transition && failed && is_tried_again(transition->after, job->execution))
        metric_add(&turn->engine->metrics->job_retries, 1);
    return ST_OK;
}

static enum status batch_call(struct turn *turn, struct call *call, struct error *err)
{
    TRY(serve_check_types(call, err));
    for (call->ran_ = call->done_; call->ran_ < call->item_count; call->ran_++) {
        struct call *item = &call->item[call->ran_];
        call->unfinished_ =
            (call->ran_ > call->done_ && turn_slice_is_over(turn)) || turn_item_must_wait(turn, item);
        if (call->unfinished_) return ST_OK;
        item->status = job_call(turn, item, &item->error);
        if (turn->failed != ST_OK) {
            *err = turn->failure;
            return turn->failed;
        }
    }
    return ST_OK;
}

enum status command_run(struct turn *turn, struct call *call, struct error *err)
{
    /* A definition that is known already needs no room. */
    if (call->kind != CALL_DEPLOY) TRY(room_check(turn->engine, call->kind, err));
    switch (call->kind) {
    case CALL_DEPLOY: return deploy_call(turn, call, err);
    case CALL_START: return start_call(turn, call, err);
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB: return job_call(turn, call, err);
    case CALL_BATCH: return batch_call(turn, call, err);
    case CALL_COMPLETE_TASK: return task_call(turn, call, err);
    case CALL_SIGNAL: return signal_call(turn, call, err);
    case CALL_CANCEL: return instance_call(turn, call, COMMAND_CANCEL, err);
    case CALL_RETRY: return retry_call(turn, call, err);
    case CALL_MODIFY: return modify_call(turn, call, err);
    case CALL_EVENTS: return events_call(turn, call, err);
    case CALL_BULK: return bulk_call(turn, call, err);
    case CALL_CANCEL_BULK: return bulk_cancel_call(turn, call, err);
    default: return fail(err, ST_INTERNAL, "call", "not a command");
    }
}

/* Looks for the answer that was given under this key before. */
static enum status replay(struct engine *engine, struct call *call, struct error *err)
{
    struct idempotency_row row;
    enum status status =
        store_find_idempotency(engine->store, call->ns, call->idempotency_key, call->arena, &row, err);
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    if (row.request != call->request_hash)
        return fail(err, ST_UNPROCESSABLE, "Idempotency-Key",
                    "this key was used before for a different request");
    call->replayed = true;
    call->replayed_http = row.http_status;
    call->replayed_body = row.answer;
    metric_add(&engine->metrics->idempotent_replays, 1);
    return ST_OK;
}

static enum status remember(struct turn *turn, struct call *call, struct error *err)
{
    struct buf body;
    buf_init(&body, &turn->arena);
    int http_status = 0;
    call->render(call, &http_status, &body);
    if (http_status >= 400) return ST_OK; /* Nothing was done: the same request may do better later. */
    struct idempotency_row row = { .ns = call->ns,
                                   .key = call->idempotency_key,
                                   .request = call->request_hash,
                                   .created_ms = turn->now_ms,
                                   .http_status = http_status,
                                   .answer = buf_str(&body) };
    struct changeset changeset = { .idempotency = &row };
    return transact_rows(turn, &changeset, err);
}

static enum status run_once(struct turn *turn, struct call *call, struct error *err)
{
    bool keyed = call->idempotency_key.n > 0 && !call->dry_run;
    if (turn->failed != ST_OK) {
        *err = turn->failure;
        return turn->failed;
    }
    if (keyed && !call->done_ && !call->routing_) TRY(replay(turn->engine, call, err));
    if (call->replayed) return ST_OK;
    TRY(command_run(turn, call, err));
    return keyed && !call->unfinished_ ? remember(turn, call, err) : ST_OK;
}

void command_call(struct turn *turn, struct call *call)
{
    call->replayed = call->unfinished_ = false;
    call->ran_ = call->done_;
    call->routing_ = call->routed_;
    call->status = run_once(turn, call, &call->error);
}
