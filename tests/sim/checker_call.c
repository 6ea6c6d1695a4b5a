/* tests/sim/checker_call.c — calls and times of flow graphs: attempts, delays between them, timers. */
#include "record.h"

#include "server.h"

#include <inttypes.h>

/* ---- calls ---- */

static int64_t delay_ms(const struct graph_node *call, uint32_t attempt)
{
    int64_t delay_ms = call->first_delay_ms;
    for (uint32_t i = 1; i < attempt && call->doubles; i++) delay_ms *= 2;
    return delay_ms;
}

void graph_job_open(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    const struct graph_node *node = graph_node_at(record, token->step);
    const struct model_job *closed = &record->closed;
    bool again = record->again_at == token->execution;
    struct model_job job = {
        .number = entry->number,
        .execution = entry->execution,
        .attempt = again ? closed->attempt + 1 : 1,
        .created_ms = record->history->at_ms,
        .available_ms = record->history->at_ms + (again ? delay_ms(node, closed->attempt) : 0),
        .payload = again ? closed->payload : NULL,
        .type = arena_str(&record->checker->arena, entry->text),
        .performer = PERFORM_HTTP,
    };
    if (node->kind != GRAPH_CALL || (token->state != TOKEN_READY) != again ||
        model_jobs_of(record->instance, token->execution))
        bad(record, "a job was opened at \"%.*s\"", STR_ARG(token->node));
    if (entry->from != job.attempt || entry->time_ms != job.available_ms)
        bad(record, "the job at \"%.*s\" is attempt %u, %" PRId64 " ms from now", STR_ARG(token->node),
            entry->from, entry->time_ms - record->history->at_ms);
    if (again) record->again_at = 0;
    *list_push(&record->checker->arena, &record->instance->jobs) = job;
}

/* Calls in a loop say for which item they are. */
void graph_job_input(struct record *record, const struct entry *entry)
{
    struct model_job *job = model_job(record->instance, entry->number);
    const struct model_token *token = job ? model_token(record->instance, job->execution) : NULL;
    if (!token || entry->value != PERFORM_HTTP) {
        bad(record, "job %u got an input", entry->number);
        return;
    }
    const struct model_scope *scope = model_scope(record->instance, token->scope);
    const struct json *index = json_pointer(entry->payload, STR("/query/i"));
    int64_t number = -1;
    if (index && (!scope || !json_int64(index, &number) || number != scope->index))
        bad(record, "job %u is for another item", entry->number);
    job->payload = json_copy(&record->checker->arena, entry->payload);
}

/* Was the job its reporter's at that moment? Of a failure that is asked. */
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

/* Does the result have what a call promises? */
static bool is_as_promised(const struct json *result)
{
    return json_get(result, STR("status_code")) && json_get(result, STR("headers")) &&
           json_get(result, STR("body")) && json_count(result) == 3;
}

static void failed(struct record *record, const struct model_job *job)
{
    const struct model_token *token = model_token(record->instance, job->execution);
    bool permanent = record->history->command == COMMAND_COMPLETE_JOB || !record->report->retryable;
    if (record->history->command == COMMAND_FAIL_JOB) check_holder(record, job);
    if (!permanent && job->attempt < graph_node_at(record, token->step)->attempts_max)
        record->again_at = job->execution;
    else graph_begin_error(record, job->execution, false);
}

void graph_job_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    struct model_job *found = model_job(instance, entry->number);
    if (!found) {
        bad(record, "job %u was closed and is not open", entry->number);
        return;
    }
    const struct model_job job = *found;
    list_cut(&instance->jobs, found - instance->jobs.item);
    if (entry->value == JOB_CANCELLED) graph_note_errors(record);
    if (entry->value == JOB_CANCELLED) return; /* Its token goes, or fails: that is seen at the end. */
    bool reported = record->report && record->report->id.number == job.number && !record->closed.number;
    bool completes = record->history->command == COMMAND_COMPLETE_JOB;
    if (!reported || (!completes && record->history->command != COMMAND_FAIL_JOB)) {
        bad(record, "job %u is done", entry->number);
        return;
    }
    bool good = completes && is_as_promised(record->report->data);
    if (record->unsure) good = entry->value == JOB_DONE;
    if (good != (entry->value == JOB_DONE)) bad(record, "job %u has another verdict", entry->number);
    record->closed = job;
    if (good) record->released = job.execution;
    else failed(record, &job);
}

/* ---- times ---- */

void graph_timer_open(struct record *record, const struct entry *entry)
{
    const struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    const struct graph_node *node = graph_node_at(record, token->step);
    bool yields = (node->kind == GRAPH_LOOP || record->instance->undo_host == token->execution) &&
                  entry->value == TIMER_YIELD;
    bool waits = node->kind == GRAPH_PAUSE || node->kind == GRAPH_LISTEN;
    if ((!yields && !waits) || entry->time_ms != record->history->at_ms + (yields ? 0 : node->wait_ms))
        bad(record, "a timer of \"%.*s\" is due after %" PRId64 " ms", STR_ARG(token->node),
            entry->time_ms - record->history->at_ms);
    *list_push(&record->checker->arena, &record->instance->timers) =
        (struct model_timer){ entry->number, entry->execution, entry->value, entry->time_ms };
}

void graph_timer_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    size_t i = 0;
    while (i < instance->timers.count && instance->timers.item[i].number != entry->number) i++;
    if (i == instance->timers.count) {
        bad(record, "timer %u was closed and is not open", entry->number);
        return;
    }
    const struct model_timer timer = instance->timers.item[i];
    list_cut(&instance->timers, i);
    if (!entry->value) graph_note_errors(record);
    if (!entry->value) return;
    if (record->history->command != COMMAND_FIRE_TIMER || record->fired)
        bad(record, "timer %u fired", timer.number);
    if (timer.due_ms > record->history->at_ms) bad(record, "timer %u fired too early", timer.number);
    record->fired = timer.execution;
}
