/* tests/sim/checker_region.c — regions of a flow, and the jobs in it from attempt to attempt. */
#include "record.h"

#include "server.h"

#include <inttypes.h>

/* ---- regions ---- */

static size_t tokens_in(const struct model_instance *instance, uint32_t scope)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->tokens.count; i++) count += instance->tokens.item[i].scope == scope;
    return count;
}

void flow_region_open(struct record *record, const struct entry *entry)
{
    struct model_token *host = record_token(record, entry->execution);
    if (!host || !record_number(record, entry->scope)) return;
    if (host->state != TOKEN_REGION || host->scope != entry->from || !str_equal(host->node, entry->node))
        bad(record, "a region was opened at \"%.*s\"", STR_ARG(entry->node));
    *list_push(&record->checker->arena, &record->instance->scopes) =
        (struct model_scope){ entry->scope, entry->from,     host->step,
                              REGION_OPEN,  host->execution, entry->value };
    host->opened |= UINT32_C(1) << entry->value;
}

void flow_region_end(struct record *record, const struct entry *entry)
{
    struct model_scope *scope = model_scope(record->instance, entry->scope);
    if (!scope || scope->state != REGION_OPEN) {
        bad(record, "region %u has ended and was not open", entry->scope);
        return;
    }
    scope->state = (enum region_state)entry->value;
    struct model_token *host = model_token(record->instance, scope->host);
    if (scope->state == REGION_DONE && host) host->done |= UINT32_C(1) << scope->index;
    if (scope->state == REGION_DETACHED) scope->parent = scope->host = 0;
    else if (tokens_in(record->instance, entry->scope))
        bad(record, "region %u has ended with somebody in it", entry->scope);
}

void flow_scope_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    if (tokens_in(instance, entry->scope)) bad(record, "a region was closed with a token in it");
    for (size_t i = 0; i < instance->scopes.count; i++)
        if (instance->scopes.item[i].parent == entry->scope)
            bad(record, "a region was closed around another");
    for (size_t i = 0; i < instance->scopes.count; i++)
        if (instance->scopes.item[i].number == entry->scope) {
            list_cut(&instance->scopes, i);
            return;
        }
    bad(record, "a region was closed that is not open");
}

bool model_reaches(const struct model_instance *instance, uint32_t execution)
{
    if (model_live(instance)) return true;
    const struct model_token *token = model_token(instance, execution);
    if (!instance->spec->flow || !token) return false;
    const struct model_scope *scope = model_scope(instance, token->scope);
    while (scope && scope->state != REGION_DETACHED) scope = model_scope(instance, scope->parent);
    return scope != NULL;
}

bool model_lingers(const struct model_instance *instance)
{
    if (model_live(instance)) return false;
    for (size_t i = 0; i < instance->jobs.count; i++)
        if (model_reaches(instance, instance->jobs.item[i].execution)) return true;
    for (size_t i = 0; i < instance->timers.count; i++)
        if (model_reaches(instance, instance->timers.item[i].execution)) return true;
    return false;
}

/* ---- jobs ---- */

str model_queue(const struct model_job *job) { return performer_queue(job->performer, job->type); }

void flow_job_open(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    const struct model_job *closed = &record->closed;
    bool again = closed->number && closed->execution == token->execution;
    struct model_job job = {
        .number = entry->number,
        .execution = entry->execution,
        .attempt = again ? closed->attempt + 1 : 1,
        .created_ms = record->history->at_ms,
        .available_ms = entry->time_ms,
        .payload = again ? closed->payload : NULL,
        .type = arena_str(&record->checker->arena, entry->text),
        .performer = again ? closed->performer : PERFORM_WORKER,
    };
    if (again) memcpy(job.used, closed->used, sizeof job.used);
    if ((token->state != TOKEN_READY) != again || model_jobs_of(record->instance, token->execution))
        bad(record, "a job was opened at \"%.*s\"", STR_ARG(token->node));
    if (entry->from != job.attempt || entry->value != 0 ||
        (!again && entry->time_ms != record->history->at_ms) || (again && !str_equal(job.type, closed->type)))
        bad(record, "the job at \"%.*s\" is attempt %u, %" PRId64 " ms from now", STR_ARG(token->node),
            entry->from, entry->time_ms - record->history->at_ms);
    record->again |= again;
    *list_push(&record->checker->arena, &record->instance->jobs) = job;
}

void flow_job_input(struct record *record, const struct entry *entry)
{
    struct model_job *job = model_job(record->instance, entry->number);
    if (!job) {
        bad(record, "job %u got an input and is not open", entry->number);
        return;
    }
    job->performer = (enum performer)entry->value;
    job->payload = json_copy(&record->checker->arena, entry->json);
    const struct flow_state *state =
        &record->instance->spec->flow->states.item[model_token(record->instance, job->execution)->step];
    const struct flow_action *action = flow_action_of(record->instance->spec->flow, job->type);
    bool child = job->performer == PERFORM_CHILD;
    if (child ? !str_equal(state->child, job->type)
              : !action || action->performed != (job->performer != PERFORM_WORKER))
        bad(record, "job %u is done by a %s", job->number, performer_word(job->performer));
}

void flow_job_rule(struct record *record, const struct entry *entry)
{
    struct model_job *job = model_job(record->instance, entry->number);
    const struct flow_action *action = job ? flow_action_of(record->instance->spec->flow, job->type) : NULL;
    if (!action || entry->value >= action->policy_count || entry->from != action->policy_count ||
        !record->again) {
        bad(record, "a job is tried again by a rule that is not there");
        return;
    }
    const struct flow_policy *policy = &action->policy[entry->value];
    record->rule = entry->value;
    if (!policy->unlimited && job->used[entry->value]++ >= policy->count)
        bad(record, "job %u is tried again too often", job->number);
    if (job->available_ms != record->history->at_ms + policy->interval_ms)
        bad(record, "job %u is tried again after %" PRId64 " ms", job->number,
            job->available_ms - record->history->at_ms);
}

/* Was the job its reporter's at that moment? Of a failure that is asked; a completion of an open job
 * counts from anybody. */
static void check_holder(struct record *record, const struct model_job *job)
{
    if (!server_lives(record->world, job->lease_generation)) return;
    bool late = !world_is_shared(record->world) && job->expires_ms <= record->history->at_ms;
    if (late && record->report->id.delivery < job->former_deliveries) return;
    if (late) bad(record, "a report was accepted after its lease had run out");
    else if (!str_equal(job->worker, record->history->actor))
        bad(record, "%.*s holds the job", STR_ARG(job->worker));
    else if (record->report->id.delivery != job->delivery && !record->unsure)
        bad(record, "the report was on an older delivery");
}

static bool is_reported(const struct record *record, const struct model_job *job)
{
    if (record->by_child) return job->performer == PERFORM_CHILD;
    return record->report && record->report->id.number == job->number;
}

static str name_of_error(const struct job_report *report)
{
    const struct json *name = report ? json_get(report->failure, STR("name")) : NULL;
    return json_is(name, JSON_STRING) ? json_string(name) : STR("FunctionExecutionException");
}

void flow_job_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    enum command_kind command = record->history->command;
    struct model_job *job = model_job(instance, entry->number);
    if (!job) {
        bad(record, "job %u was closed and is not open", entry->number);
        return;
    }
    bool timed_out = command == COMMAND_FIRE_TIMER && record->fired == job->execution;
    switch ((enum job_verdict)entry->value) {
    case JOB_DONE:
        if (command != COMMAND_COMPLETE_JOB || !is_reported(record, job) || record->closed.number)
            bad(record, "job %u is done", entry->number);
        record->released = job->execution;
        record->closed = *job;
        break;
    case JOB_FAILED:
        if (!timed_out && (command != COMMAND_FAIL_JOB || !is_reported(record, job) || record->closed.number))
            bad(record, "job %u failed", entry->number);
        record->error_name = timed_out ? STR("TimeoutException") : name_of_error(record->report);
        record->closed = *job;
        break;
    case JOB_CANCELLED: break; /* Whether it may be is seen at the end. */
    }
    if (entry->value == JOB_FAILED && record->report) check_holder(record, job);
    family_job_closed(record, entry->number);
    list_cut(&instance->jobs, job - instance->jobs.item);
}

/* ---- trying again ---- */

static bool policy_holds(const struct record *record, const struct flow_policy *policy)
{
    const struct json *again = record->report ? json_get(record->report->data, STR("again")) : NULL;
    switch (policy->on) {
    case ON_AGAIN: return !record->error_name.n && json_is(again, JSON_BOOL) && json_bool(again);
    case ON_ERROR_NAMED: return str_equal(record->error_name, policy->name);
    default: return record->error_name.n > 0;
    }
}

/* The first policy that holds decides, and as often as it says. */
void flow_check_retry(struct record *record)
{
    const struct model_job *closed = &record->closed;
    if (!closed->number || record->unsure || closed->performer == PERFORM_CHILD) return;
    const struct flow_action *action = flow_action_of(record->instance->spec->flow, closed->type);
    if (!action) {
        bad(record, "a job of type \"%.*s\"", STR_ARG(closed->type));
        return;
    }
    size_t i = 0;
    while (i < action->policy_count && !policy_holds(record, &action->policy[i])) i++;
    bool again = i < action->policy_count &&
                 (action->policy[i].unlimited || closed->used[i] < action->policy[i].count);
    if (again != record->again || (again && record->rule != i))
        bad(record, "job %u (%.*s) is %stried again", closed->number,
            STR_ARG(record->error_name.n ? record->error_name : STR("done")), record->again ? "" : "not ");
}
