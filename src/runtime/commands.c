/* runtime/commands.c — the meaning of each call that writes: which instance, which command. */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "json/json.h"
#include "program/arrival.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/call.h"
#include "runtime/call/sight.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/jobs/jobs.h"
#include "runtime/memory/memory.h"
#include "runtime/tasks/tasks.h"
#include "runtime/transact/transact.h"

/* Answers with the instance after the command; without a transition, as it was. */
static enum status answer_view(struct turn *turn, struct call *call, const struct instance *instance,
                               const struct transition *transition, struct definition *definition,
                               struct error *err)
{
    if (transition) instance = transition->after;
    /* Something followed and may have changed this instance, such as a child that ended at once. */
    if (transition && turn->last_transition != transition)
        TRY(found_needed(transact_load(turn, instance->id, &instance, &definition, err)));
    target_answer(turn, call, instance, definition);
    return ST_OK;
}

/* A definition without triggers for people begins at its start, with the input as its data. */
static enum status start_plainly(struct turn *turn, struct call *call, struct definition *known,
                                 struct error *err)
{
    const struct start start = { .ns = call->ns,
                                 .definition_id = call->as.start.definition_id,
                                 .version = call->as.start.version,
                                 .known = known,
                                 .business_key = call->as.start.business_key,
                                 .data = call->as.start.data,
                                 .actor = call->as.start.actor,
                                 .is_test = call->as.start.is_test };
    struct transition *transition;
    struct definition *definition;
    TRY(follow_start(turn, &start, &transition, &definition, err));
    return answer_view(turn, call, NULL, transition, definition, err);
}

/* A start wants an instance: an arrival that brings none is an error. */
static enum status fail_start(const struct arrival_view *view, const struct error *refusal, struct error *err)
{
    if (refusal->status != ST_OK) {
        *err = *refusal;
        return err->status;
    }
    str trigger = view->trigger;
    switch (view->outcome) {
    case OUTCOME_PAUSED:
        fail(err, ST_BUSY, "trigger", "the trigger \"%.*s\" is paused%s%.*s", STR_ARG(trigger),
             view->note.n ? ": " : "", STR_ARG(view->note));
        err->code = "TRIGGER_PAUSED";
        break;
    case OUTCOME_FILTERED:
        fail(err, ST_UNPROCESSABLE, "filter", "the input does not pass the filter of the trigger \"%.*s\"",
             STR_ARG(trigger));
        err->code = "FILTERED";
        break;
    case OUTCOME_DISCARDED:
        fail(err, ST_CONFLICT, "onMatch",
             "the trigger \"%.*s\" starts nothing (MapOrDiscard), and no living instance has the key",
             STR_ARG(trigger));
        err->code = "DISCARDED";
        break;
    default:
        fail(err, ST_CONFLICT, "trigger", "%s", arrive_outcome_meaning(view->outcome));
        err->code = "NOT_STARTED";
        break;
    }
    return err->status;
}

/* The instance that the arrival has created or found, or the queue that it waits in. */
static enum status answer_started(struct turn *turn, struct call *call, struct arrival_view *view,
                                  const struct error *refusal, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    call->value.instances.arrival = view;
    arrive_keep_view(view, call->arena);
    if (view->outcome == OUTCOME_QUEUED) return ST_OK;
    if (!view->instance) return fail_start(view, refusal, err);
    bool is_there;
    TRY(found_asked(transact_load(turn, view->instance, &instance, &definition, err), &is_there));
    if (!is_there) return fail_start(view, refusal, err);
    target_answer(turn, call, instance, definition);
    return ST_OK;
}

/* A start by hand is an arrival whose payload is the input. One that names an older version, or that repeats
 * an instance, cannot wait for a place: the queue knows neither. */
static enum status start_by_trigger(struct turn *turn, struct call *call, struct definition *definition,
                                    const struct program_arrival *arrival, struct error *err)
{
    const struct call_start *asked = &call->as.start;
    struct arrive_hand hand = { .ns = call->ns,
                                .definition = definition,
                                .latest = definition,
                                .arrival = arrival,
                                .payload = asked->data,
                                .actor = asked->actor,
                                .business_key = asked->business_key,
                                .is_test = asked->is_test,
                                .creates = asked->replays,
                                .answers_now = !asked->may_queue || asked->replays };
    struct arrival_view *view = arena_make(call->arena, struct arrival_view);
    struct error refusal;
    if (asked->version > 0)
        TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, call->ns, asked->definition_id,
                                        VERSION_LATEST, &hand.latest, err)));
    hand.answers_now |= hand.latest != definition;
    TRY(arrive_by_hand(turn, &hand, view, &refusal, err));
    return answer_started(turn, call, view, &refusal, err);
}

/* The rules of the latest version count for older ones, too: else somebody whom it keeps out would name an
 * older one. */
static enum status check_starter(struct turn *turn, const struct call *call,
                                 const struct definition *definition, const struct program_arrival *arrival,
                                 struct error *err)
{
    const struct call_start *asked = &call->as.start;
    struct definition *latest;
    const struct program_arrival *entry = NULL;
    TRY(arrive_check_person(call, definition->program, arrival, err));
    if (asked->version <= 0 || !call->caller) return ST_OK;
    TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, call->ns, asked->definition_id,
                                    VERSION_LATEST, &latest, err)));
    struct error gone; /* A trigger that the latest version has not any more has no rules there. */
    bool has_entry = arrive_find_trigger(latest, asked->trigger, &entry, &gone) == ST_OK;
    return arrive_check_person(call, latest->program, has_entry ? entry : arrival, err);
}

static enum status start_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_start *asked = &call->as.start;
    struct definition *definition;
    const struct program_arrival *arrival;
    call->value.instances = (struct answer_instances){ .count = 0 };
    if (asked->is_test && asked->business_key.n)
        return fail(err, ST_INVALID, "businessKey",
                    "a test has no business key: nothing that arrives may find it");
    bool is_there;
    TRY(found_asked(catalogue_find(&turn->engine->memory.catalogue, call->ns, asked->definition_id,
                                   asked->version, &definition, err),
                    &is_there));
    if (!is_there) return start_plainly(turn, call, NULL, err); /* The start says so. */
    TRY(arrive_find_trigger(definition, asked->trigger, &arrival, err));
    if (asked->by_form) TRY(arrive_check_form(call, definition, arrival, err));
    TRY(check_starter(turn, call, definition, arrival, err));
    if (!arrival) return start_plainly(turn, call, definition, err);
    return start_by_trigger(turn, call, definition, arrival, err);
}

/* Commands that name an instance and, some of them, a node. */
static enum status instance_call(struct turn *turn, struct call *call, enum command_kind kind,
                                 struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    TRY(found_needed(target_load(turn, call, call->as.instance.id, &instance, &definition, err)));
    const struct call_instance *asked = &call->as.instance;
    struct command command = {
        .kind = kind, .now_ms = turn->now_ms, .data = asked->data, .actor = asked->actor
    };
    if (kind == COMMAND_CANCEL)
        command.as.cancel = (struct command_cancel){ .reason = asked->text, .failed_too = asked->failed_too };
    else
        command.as.node = (struct command_node){ .node = asked->node,
                                                 .early = asked->early,
                                                 .groups = asked->groups,
                                                 .in_any_group = asked->in_any_group };
    struct transition *transition = NULL;
    TRY(follow_command(turn, definition, instance, &command, &transition, err));
    call->value.instances.kept = transition && transition->history->entry_count &&
                                 transition->history->entry[0].kind == ENTRY_KIND_SIGNAL_IN;
    return answer_view(turn, call, instance, transition, definition, err);
}

/* The instance is named by its id, or it is the live one that has the business key. */
static enum status signal_call(struct turn *turn, struct call *call, struct error *err)
{
    if (call->as.instance.definition_id.n) {
        uint64_t holder;
        const struct instance *instance;
        struct definition *definition;
        bool is_there;
        TRY(found_asked(store_find_business_key(turn->engine->store, call->ns,
                                                call->as.instance.definition_id,
                                                call->as.instance.business_key, &holder, err),
                        &is_there));
        if (!is_there)
            return fail(err, ST_NOT_FOUND, "businessKey",
                        "no live instance of definition \"%.*s\" has the business key \"%.*s\"",
                        STR_ARG(call->as.instance.definition_id), STR_ARG(call->as.instance.business_key));
        TRY(found_needed(transact_load(turn, holder, &instance, &definition, err)));
        call->as.instance.id = (struct id){ .ms = instance->created_ms, .instance = holder };
    }
    return instance_call(turn, call, COMMAND_SIGNAL, err);
}

static enum status retry_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    TRY(found_needed(target_load(turn, call, call->as.instance.id, &instance, &definition, err)));
    if (!call->as.instance.alone) TRY(target_check_parent(turn, instance, err));
    TRY(target_check_key(turn->engine, instance, definition, err));
    return instance_call(turn, call, COMMAND_RETRY, err);
}

/* Is a task of the instance open, at this node or at this visit, that the caller may not see? For the caller
 * it is not there. */
static bool is_hidden(const struct call *call, const struct definition *definition,
                      const struct instance *instance, uint32_t visit)
{
    const struct sight sight = sight_of_tasks(call);
    bool hidden = false;
    for (size_t i = 0; !sight.all && i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        bool is_meant =
            visit ? token->execution == visit : str_equal(token->node_name, call->as.instance.node);
        if (token->state != TOKEN_PERSON || !is_meant) continue;
        if (sight_has_task(&sight, definition->id, token->task)) return false;
        hidden = true;
    }
    return hidden;
}

/* The task of an instance at a node. */
static enum status node_task_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    TRY(found_needed(target_load(turn, call, call->as.instance.id, &instance, &definition, err)));
    if (is_hidden(call, definition, instance, 0))
        return fail(err, ST_NOT_FOUND, "", "user task \"%.*s\" is not open", STR_ARG(call->as.instance.node));
    return instance_call(turn, call, COMMAND_COMPLETE_TASK, err);
}

/* A person's task, named by its instance and node or by the id of the visit itself. */
static enum status task_call(struct turn *turn, struct call *call, struct error *err)
{
    struct id id = call->as.instance.id;
    if (call->as.instance.resumes) TRY(resume_find(turn, call, &id, err));
    if (!id.number) return node_task_call(turn, call, err);
    const struct instance *instance;
    struct definition *definition;
    bool is_there;
    TRY(found_asked(transact_load_for(turn, call, id.instance, &instance, &definition, err), &is_there));
    const struct token *token = is_there ? instance_find_token(instance, id.number) : NULL;
    if (!token || token->since_ms != id.ms || is_hidden(call, definition, instance, id.number))
        return call_not_found(id, "open user task", err);
    struct command command =
        command_complete_task(turn->now_ms, call->as.instance.actor, call->as.instance.data,
                              (struct command_node){ .number = id.number,
                                                     .node = token->node_name,
                                                     .groups = call->as.instance.groups,
                                                     .in_any_group = call->as.instance.in_any_group });
    struct transition *transition = NULL;
    TRY(follow_command(turn, definition, instance, &command, &transition, err));
    return answer_view(turn, call, instance, transition, definition, err);
}

static enum status batch_call(struct turn *turn, struct call *call, struct error *err)
{
    must(call->done_ <= call->as.batch.item_count);
    TRY(poll_check_types(call, err));
    for (call->ran_ = call->done_; call->ran_ < call->as.batch.item_count; call->ran_++) {
        struct call *item = &call->as.batch.item[call->ran_];
        item->ns = call->ns;
        item->caller = call->caller;
        call->unfinished_ =
            (call->ran_ > call->done_ && slice_is_over(turn)) || cost_item_must_wait(turn, item);
        if (call->unfinished_) return ST_OK;
        item->await_until_ms_ = call->await_until_ms_;
        item->status = job_call_run(turn, item, &item->error);
        call->await_until_ms_ = item->await_until_ms_; /* All of them wait no longer than one. */
        call->unfinished_ = call->awaits_ = item->awaits_;
        if (call->unfinished_) return ST_OK;
        if (turn->failed != ST_OK) {
            *err = turn->failure;
            return turn->failed;
        }
    }
    return ST_OK;
}

static enum status cancel_call(struct turn *turn, struct call *call, struct error *err)
{
    return instance_call(turn, call, COMMAND_CANCEL, err);
}

enum status command_run(struct turn *turn, struct call *call, struct error *err)
{
    static enum status (*const functions[CALL_KIND_COUNT])(struct turn *, struct call *, struct error *) = {
        [CALL_DEPLOY] = deploy_call,
        [CALL_APPLY] = apply_call,
        [CALL_RETIRE] = retire_call,
        [CALL_DELETE_DEFINITION] = deletion_call,
        [CALL_START] = start_call,
        [CALL_COMPLETE_JOB] = job_call_run,
        [CALL_FAIL_JOB] = job_call_run,
        [CALL_BATCH] = batch_call,
        [CALL_COMPLETE_TASK] = task_call,
        [CALL_CLAIM_TASK] = task_call_run,
        [CALL_UNCLAIM_TASK] = task_call_run,
        [CALL_ASSIGN_TASK] = task_call_run,
        [CALL_COMMENT_TASK] = task_call_run,
        [CALL_SIGNAL] = signal_call,
        [CALL_CANCEL] = cancel_call,
        [CALL_RETRY] = retry_call,
        [CALL_MODIFY] = modify_call,
        [CALL_EVENTS] = events_call,
        [CALL_ARRIVE] = arrive_call,
        [CALL_PAUSE_TRIGGER] = trigger_routes_pause_call,
        [CALL_PAUSE_ENGINE] = held_pause_call,
        [CALL_BULK] = bulk_call,
        [CALL_CANCEL_BULK] = bulk_state_call,
        [CALL_PAUSE_BULK] = bulk_state_call,
        [CALL_RESUME_BULK] = bulk_state_call,
        [CALL_SAVE_DRAFT] = draft_save_call,
        [CALL_REMOVE_DRAFT] = draft_remove_call,
        [CALL_CHANGE_MODEL] = models_call,
        [CALL_BEGIN_SEARCH] = search_jobs_begin,
        [CALL_CANCEL_SEARCH] = search_jobs_cancel,
        [CALL_WRITE_ENTITIES] = entities_call,
        [CALL_REMOVE_ENTITIES] = entity_removal_call,
        [CALL_SET_SECRET] = secrets_set_call,
        [CALL_REMOVE_SECRET] = secrets_remove_call,
        [CALL_REKEY_SECRETS] = secrets_rekey_call,
        [CALL_TEST_CONNECTION] = secrets_test_call,
        [CALL_CHANGE_ACCESS] = change_access_call,
        [CALL_NOTE_ACCESS] = audit_note_call,
    };
    must(functions[call->kind]); /* Else it is no command. */
    /* A definition that is known already needs no space. */
    if (call->kind != CALL_DEPLOY) TRY(room_check(turn->engine, call->kind, err));
    if (call->kind != CALL_DEPLOY && call_description(call->kind)->space == STORE_SPACE_ENOUGH)
        TRY(quota_check_bytes(turn, call->ns, err));
    return functions[call->kind](turn, call, err);
}

static enum status run_once(struct turn *turn, struct call *call, struct error *err)
{
    bool preview = call->kind == CALL_MODIFY && call->as.modify.dry_run;
    bool keyed = call->idempotency_key.n > 0 && !preview;
    if (turn->failed != ST_OK) {
        *err = turn->failure;
        return turn->failed;
    }
    if (keyed && units_have_key(turn, call))
        return fail_code(err, ST_CONFLICT, "IDEMPOTENCY_CONFLICT",
                         "an earlier request with this key is not over yet; try again later");
    if (keyed && !call->done_ && !call->routing_) TRY(idempotency_replay(turn, call, err));
    if (call->replayed) return call->status;
    enum status status = command_run(turn, call, err);
    /* A refused result has taken effect: its job has failed. */
    if (status != ST_OK && !call->refused_) return status;
    if (status == ST_OK && !call->unfinished_) TRY(audit_calls_note(turn, call, err));
    if (!keyed || call->unfinished_ || units_hold(turn, call)) return status;
    call->status = status;
    TRY(idempotency_remember(turn, call, err));
    return status;
}

void command_call(struct turn *turn, struct call *call)
{
    must(call_is_command(call) && !turn->unit);
    call->status = ST_OK;
    call->replayed = call->unfinished_ = call->awaits_ = call->refused_ = false;
    call->replayed_text = NULL;
    call->ran_ = call->done_;
    call->routing_ = call->routed_;
    call->status = run_once(turn, call, &call->error);
}
