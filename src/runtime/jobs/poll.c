/* runtime/jobs/poll.c — gives jobs in memory to polls of workers, after the commit, or lets polls wait. */
#include "runtime/jobs/jobs_int.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum {
    UNREADABLE_RETRY_MS = 1000,
};

int64_t poll_lease_ms(const struct engine *engine, int64_t lease_ms)
{
    int64_t max_ms = engine->limits.lease_seconds_max * 1000;
    if (lease_ms <= 0) lease_ms = engine->lease_ms;
    return lease_ms < max_ms ? lease_ms : max_ms;
}

/* Bytes of the text of a job's payload. For a small one a bound will do: no byte becomes more than six. */
static int64_t text_bytes(const struct json *payload)
{
    enum { SMALL_BYTES = 1024, ESCAPED = 6 };
    if (!payload) return 0;
    if (json_bytes(payload) <= SMALL_BYTES) return (int64_t)json_bytes(payload) * ESCAPED;
    struct buf text;
    buf_init(&text, NULL);
    json_print(payload, &text);
    int64_t bytes = (int64_t)text.n;
    buf_done(&text);
    return bytes;
}

/* A worker may see an instance as it was a moment ago. But a job that somebody has had before may have been
 * completed at another node since it was claimed. */
static bool may_be_stale(const struct turn *turn, const struct open_job *open)
{
    return !open->delivery || open->of_unit || open->claimed_ms == turn->now_ms;
}

/* Is it ours to hand out? A job without a row is of the node that its instance names: another node may have
 * closed it, and a retry opened it again, while it waited here for its time. */
static bool is_ours(const struct turn *turn, const struct open_job *open)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, open->instance);
    return open->has_row || open->of_unit || !loaded || loaded->holder == store_node(turn->engine->store);
}

enum job_taking { TAKEN, PASSED_OVER, NO_ROOM };

/* Leases one job and shows it, unless its payload would make the answer larger than answer_bytes_max: then it
 * stays for the next poll. If its instance cannot be read the job waits for a better moment, or is taken out
 * of its queue rather than offered for ever. */
static enum job_taking take_job(struct turn *turn, struct call *call, struct open_job *open, int64_t *room,
                                struct job_view *ret_view)
{
    must(open->state == JOB_UNLOCKED);
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    turn->trusts_cache = may_be_stale(turn, open);
    enum status status = found_needed(transact_load(turn, open->instance, &instance, &definition, &err));
    turn->trusts_cache = false;
    const struct job *job = status == ST_OK ? instance_find_job(instance, open->number) : NULL;
    if (job && (!reaches(instance, job->execution) || !is_ours(turn, open))) job = NULL;
    if (status_retry(status)) {
        turn->reads_wait |= status == ST_AGAIN;
        jobs_delay(&turn->engine->memory.jobs, open, turn->now_ms + UNREADABLE_RETRY_MS);
        return PASSED_OVER;
    }
    if (!job && turn->engine->nodes.shared && (status == ST_OK || status == ST_NOT_FOUND)) {
        /* Another node has closed it. If that was before, and we have claimed it anew, its row tells. */
        turn->engine->nodes.offers.is_unsure |= open->has_row;
        jobs_remove(&turn->engine->memory.jobs, open->instance, open->number);
        return PASSED_OVER;
    }
    if (!job) {
        log_write(LOG_ERROR, "job cannot be handed out", "reason",
                  status == ST_OK ? "not in its instance" : err.message, NULL);
        jobs_remove(&turn->engine->memory.jobs, open->instance, open->number);
        return PASSED_OVER;
    }
    *room -= text_bytes(instance_job_payload(instance, job));
    if (*room < 0 && call->value.jobs.count) return NO_ROOM;
    metric_add(&turn->engine->metrics->jobs_taken[job->performer], 1);
    int64_t waited_us = (turn->now_ms - open->ready_ms) * 1000;
    metric_observe(&turn->engine->metrics->pickup_latency, waited_us);
    activity_wait(&turn->engine->memory.activity, definition->ns, waited_us, turn->now_ms);
    const struct call_poll *poll = call_poll_of(call);
    jobs_lease(&turn->engine->memory.jobs, open, poll->worker, turn->now_ms,
               poll_lease_ms(turn->engine, poll->lease_ms));
    live_note(&turn->engine->memory.live, definition->ns, LIVE_WORKERS, STR_NONE);
    view_job(definition->program, instance, job, open, true, call->arena, ret_view);
    ret_view->ns = definition->ns;
    if (call->performs) ret_view->token = unit_token(turn, definition->program, instance, job, call->arena);
    /* Only the engine's own worker fills secrets in. */
    if (!call->performs && ret_view->secret_count)
        ret_view->data = performer_input_shown(ret_view->data, call->arena);
    return TAKEN;
}

/* Gives a poll as many jobs as there are, as it wants and as an answer may hold; false if there was none.
 * When somebody holds a lock on instances, one job has waited for it, and no other job of this turn does.
 * While answers wait for their readers a poll gets an error instead, and a batch no jobs: its results were
 * taken. */
static bool fill_poll(struct turn *turn, struct call *call)
{
    struct answer_jobs *answer = &call->value.jobs;
    const struct call_poll *poll = call_poll_of(call);
    size_t cap = 0;
    int64_t room = turn->engine->limits.answer_bytes_max;
    if (call->answer_max > 0 && call->answer_max < room) room = call->answer_max;
    while (answer->count < poll->max && room >= 0) {
        struct open_job *open = jobs_best_for(&turn->engine->memory.jobs, poll);
        if (!open) break;
        if (turn->reads_wait) return true; /* Its worker asks again. */
        if (!answer->count && !call->performs && budget_over(turn->engine->answers)) {
            if (call->kind == CALL_POLL_JOBS) call->status = call_fail_unread(&call->error);
            return call->kind == CALL_POLL_JOBS;
        }
        array_reserve_in(call->arena, answer->view, answer->count, cap);
        enum job_taking taken = take_job(turn, call, open, &room, &answer->view[answer->count]);
        if (taken == NO_ROOM) break;
        answer->count += taken == TAKEN;
    }
    must(answer->count <= poll->max);
    return answer->count > 0;
}

static void answer_poll(struct engine *engine, struct call *call)
{
    must(call->kind == CALL_POLL_JOBS || call->kind == CALL_BATCH);
    metric_observe(&engine->metrics->poll_latency, clock_monotonic_us() - call->submitted_us_);
    call_hold(call, engine->answers);
    call_list_add(&engine->answered, call);
}

enum status poll_check_types(const struct call *call, struct error *err)
{
    const struct call_poll *poll = call_poll_of(call);
    for (size_t i = 0; i < poll->type_count; i++)
        if (performer_queue_is_reserved(poll->type[i]) && !call->performs)
            return fail(err, ST_INVALID, "jobTypes", "this job type is the engine's own");
    for (size_t i = 0; call->caller && !call->caller->may_all && i < poll->type_count; i++) {
        int32_t ns;
        TRY(caller_check(call->caller, tenant_name(poll->type[i], &ns), err));
    }
    return ST_OK;
}

/* A worker whose tenant has as many jobs in flight as it may is told so. Polls that wait already go on, and
 * get the next job for which there is room. */
static enum status check_quota(struct turn *turn, const struct call *call, struct error *err)
{
    struct usage *usage = &turn->engine->memory.usage;
    const struct tenant_usage *tenant = usage_of(usage, call->ns);
    if (!tenant->is_limited || !lanes_are_full(&turn->engine->memory.jobs, call->ns)) return ST_OK;
    metric_add(&usage->metrics->tenant_refusals[QUOTA_JOBS_IN_FLIGHT], 1);
    return usage_refuse(tenant->name, QUOTA_JOBS_IN_FLIGHT, tenant->limit[QUOTA_JOBS_IN_FLIGHT], err);
}

/* True if the call reports on a job that a poll could take away from its worker. Nobody holds a job whose
 * lease ran out or that was handed out before a restart, but its worker may still report. */
static bool reports_on_free_job(const struct engine *engine, const struct call *call)
{
    for (size_t i = 0; call->kind == CALL_BATCH && i < call->as.batch.item_count; i++)
        if (reports_on_free_job(engine, &call->as.batch.item[i])) return true;
    if (call->kind != CALL_COMPLETE_JOB && call->kind != CALL_FAIL_JOB) return false;
    const struct open_job *open =
        jobs_find(&engine->memory.jobs, call->as.job.id.instance, call->as.job.id.number);
    if (!open || open->state != JOB_UNLOCKED) return false;
    return call->kind == CALL_COMPLETE_JOB || open->delivery == call->as.job.id.delivery;
}

void poll_serve_at_once(struct turn *turn)
{
    must(!turn->in_transaction && !turn->wrote);
    if (!turn->polls.first) return;
    bool may = !turn->engine->broken;
    for (const struct call *call = turn->engine->work.writers.first; call && may; call = call->next_)
        may = !reports_on_free_job(turn->engine, call);
    struct call_list polls = turn->polls;
    turn->polls = (struct call_list){ 0 };
    for (struct call *call; (call = call_list_take(&polls)) != NULL;) {
        call->status = poll_check_types(call, &call->error);
        if (call->status == ST_OK && !call->performs) call->status = check_quota(turn, call, &call->error);
        if (call->status != ST_OK) call_list_add(&turn->engine->answered, call);
        else if (may && !call->abandoned && fill_poll(turn, call)) answer_poll(turn->engine, call);
        else call_list_add(&turn->polls, call);
    }
}

/* A waiting poll keeps its memory for up to a minute, so polls beyond the budget are refused. A batch is not
 * refused, because its results are committed: it just brings no jobs. */
static void let_wait(struct turn *turn, struct call *call)
{
    must(call_poll_of(call)->wait_ms > 0 && !turn->engine->draining);
    size_t bytes = turn->engine->memory.jobs.waiting_bytes + polls_wait_bytes(call);
    if (call->performs || bytes <= (size_t)turn->engine->limits.polls_bytes_max) {
        polls_wait(&turn->engine->memory.jobs, call, turn->now_ms + call_poll_of(call)->wait_ms);
        if (!call->performs) live_note(&turn->engine->memory.live, call->ns, LIVE_WORKERS, STR_NONE);
        return;
    }
    if (call->kind == CALL_POLL_JOBS)
        call->status =
            fail(&call->error, ST_OVERLOAD, "polls_bytes_max", "too many polls are waiting; try again later");
    metric_add(&turn->engine->metrics->polls_refused, 1);
    answer_poll(turn->engine, call);
}

/* Gives jobs to polls that waited. */
static void serve_waiting(struct turn *turn)
{
    struct jobs *jobs = &turn->engine->memory.jobs;
    int64_t until_ms;
    for (struct call *call; (call = polls_take_served(jobs, &until_ms)) != NULL;) {
        const struct call_poll *poll = call_poll_of(call);
        bool found = !call->abandoned && fill_poll(turn, call);
        /* Another node has closed what was there. */
        if (!found && !call->abandoned && !jobs_best_for(jobs, poll)) polls_wait(jobs, call, until_ms);
        else answer_poll(turn->engine, call);
    }
}

void poll_serve(struct turn *turn)
{
    must(!turn->in_transaction && !turn->first_effects);
    for (struct call *call; (call = call_list_take(&turn->polls)) != NULL;) {
        const struct call_poll *poll = call_poll_of(call);
        bool found = !call->abandoned && !turn->engine->broken && fill_poll(turn, call);
        if (!found && poll->wait_ms > 0 && !turn->engine->draining && !turn->engine->broken &&
            !call->abandoned && poll->max > 0)
            let_wait(turn, call);
        else answer_poll(turn->engine, call);
    }
    serve_waiting(turn);
}
