/* tests/sim/checker_work.c — jobs and timers: opened as the definition says, each with one verdict. */
#include "record.h"

#include "server.h"

#include <inttypes.h>

/* When the faults have stopped and everything has settled, timers are punctual. */
enum { TIMER_GRACE_MS = 10000, TIMER_LATE_MS_MAX = 50, SHARED_TIMER_LATE_MS_MAX = 1500 };

static int64_t backoff_ms(const struct spec_step *step, uint32_t retry)
{
    int64_t delay_ms = step->backoff_ms;
    for (uint32_t i = 1; i < retry && delay_ms < step->backoff_max_ms; i++) delay_ms *= step->backoff_factor;
    return delay_ms < step->backoff_max_ms ? delay_ms : step->backoff_max_ms;
}

void record_job_open(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    const struct spec_step *step = record_step(record, token->step);
    const struct model_job *closed = &record->closed;
    bool again = record->job_failed && closed->execution == token->execution;
    struct model_job job = {
        .number = entry->number,
        .execution = entry->execution,
        .attempt = again ? closed->attempt + 1 : 1,
        .retries_left = again ? closed->retries_left - 1 : step->retry_count,
        .created_ms = record->history->at_ms,
        .available_ms = record->history->at_ms + (again ? backoff_ms(step, closed->attempt) : 0),
        .payload = again ? closed->payload : record->instance->data,
        .type = step->job_type,
    };
    if (step->type != SERVICE_TASK || (token->state != TOKEN_READY) != again ||
        model_jobs_of(record->instance, token->execution))
        bad(record, "a job was opened at \"%.*s\"", STR_ARG(step->id));
    if (again && (!record->report->retryable || closed->retries_left == 0))
        bad(record, "a job was retried that must not be");
    if (entry->from != job.attempt || entry->value != job.retries_left ||
        entry->time_ms != job.available_ms || !str_equal(entry->text, step->job_type))
        bad(record, "the job at \"%.*s\" is attempt %u with %u retries left, %" PRId64 " ms from now",
            STR_ARG(step->id), entry->from, entry->value, entry->time_ms - record->history->at_ms);
    if (again) record->job_failed = false;
    *list_push(&record->checker->arena, &record->instance->jobs) = job;
}

/* Was the job its reporter's at that moment? Of a failure that is asked; a completion of an open job
 * counts from anybody. Nodes know only the delivery of a job that another one has handed out. */
static void check_holder(struct record *record, const struct model_job *job)
{
    if (!server_lives(record->world, job->lease_generation)) return;
    bool late = !world_is_shared(record->world) && job->expires_ms <= record->history->at_ms;
    if (late && record->report->id.delivery < job->former_deliveries) return;
    if (late) bad(record, "a report was accepted after its lease had run out");
    else if (!str_equal(job->worker, record->history->actor))
        bad(record, "%.*s holds the job", STR_ARG(job->worker));
    else if (record->report->id.delivery != job->delivery) bad(record, "the report was on an older delivery");
}

void record_job_close(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    struct model_job *job = model_job(instance, entry->number);
    if (!job) {
        bad(record, "job %u was closed and is not open", entry->number);
        return;
    }
    record->closed = *job;
    bool reported = record->report && record->report->id.number == entry->number;
    switch ((enum job_verdict)entry->value) {
    case JOB_DONE:
        if (record->history->command != COMMAND_COMPLETE_JOB || !reported)
            bad(record, "job %u is done", entry->number);
        record->released = job->execution;
        break;
    case JOB_FAILED:
        if (record->history->command != COMMAND_FAIL_JOB || !reported)
            bad(record, "job %u failed", entry->number);
        else check_holder(record, job);
        record->job_failed = true;
        break;
    case JOB_CANCELLED: break; /* Whether it may be is seen at the end. */
    }
    list_cut(&instance->jobs, job - instance->jobs.item);
}

void record_timer_open(struct record *record, const struct entry *entry)
{
    struct model_token *token = record_token(record, entry->execution);
    if (!token || !record_number(record, entry->number)) return;
    const struct spec_step *step = record_step(record, token->step);
    if (token->state != TOKEN_READY || entry->value >= step->timer_count ||
        entry->time_ms != record->history->at_ms + step->timer[entry->value].delay_ms)
        bad(record, "a timer of \"%.*s\" is due after %" PRId64 " ms", STR_ARG(step->id),
            entry->time_ms - record->history->at_ms);
    *list_push(&record->checker->arena, &record->instance->timers) =
        (struct model_timer){ entry->number, entry->execution, entry->value, entry->time_ms };
}

void record_timer_close(struct record *record, const struct entry *entry)
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
    if (!entry->value) {
        *list_push(&record->checker->arena, &record->silenced) = timer.execution;
        return;
    }
    const struct model_token *token = record_token(record, timer.execution);
    if (!token) return;
    if (record->history->command != COMMAND_FIRE_TIMER || record->fired)
        bad(record, "timer %u fired", timer.number);
    if (timer.due_ms > record->history->at_ms) bad(record, "timer %u fired too early", timer.number);
    if (record->world->calm &&
        timer.due_ms > record->world->calm_ms + record->world->skew_ms + TIMER_GRACE_MS &&
        record->history->at_ms - timer.due_ms >
            (world_is_shared(record->world) ? SHARED_TIMER_LATE_MS_MAX : TIMER_LATE_MS_MAX))
        bad(record, "timer %u fired %" PRId64 " ms late", timer.number,
            record->history->at_ms - timer.due_ms);
    record->fired = timer.execution;
    record->timer = &record_step(record, token->step)->timer[timer.index];
    record_departure(record, (struct passage){ .from = timer.execution,
                                               .scope = token->scope,
                                               .to = record->timer->target,
                                               .step = token->step });
}
