/* runtime/jobs/job_calls.c — what a worker says about a job: completed, failed, or still at work.
 *
 * The first completion of an open job counts, whichever delivery it is for: finished work is not done again
 * because its worker was slow or the engine was restarted. A failure or an extension counts only for the
 * current delivery, and only from the worker that holds the job (lease_news.h for jobs of other nodes). A
 * callback that comes too late is no error, since the worker has done nothing wrong; it has no effect, and
 * the engine remembers it for explanations (callbacks.h).
 *
 * A result that the engine refuses is a failure of its job, with the refusal as the reason: the worker would
 * bring the same result again and again. The worker still gets the error as its answer. A result that
 * violates its schema is not tried again, because the schema and the worker's code stay as they are.
 */
#include "runtime/jobs/jobs_int.h"

#include "base/must.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

/* A job is as old as its instance at most, unless the machine's clock was set back between two
 * runs of the engine. */
enum { CLOCK_SLACK_MS = 24 * 3600 * 1000 };

enum status job_call_find(struct turn *turn, const struct call *call, const struct instance **ret_instance,
                          struct definition **ret_definition, const struct job **ret_job, struct error *err)
{
    turn->trusts_cache = transact_trusts(turn, call);
    /* The engine's own performers work for all tenants. */
    int32_t ns = call->performs ? TENANT_ANY : call->ns;
    bool is_there;
    enum status status = found_asked(
        transact_load_in(turn, ns, call->as.job.id.instance, ret_instance, ret_definition, err), &is_there);
    turn->trusts_cache = false;
    TRY(status);
    bool known = is_there && call->as.job.id.number &&
                 call->as.job.id.number < (*ret_instance)->next_number &&
                 call->as.job.id.ms >= (*ret_instance)->created_ms - CLOCK_SLACK_MS;
    if (!known) return call_not_found(call->as.job.id, "job", err);
    *ret_job = instance_find_job(*ret_instance, call->as.job.id.number);
    if (*ret_job && (*ret_job)->created_ms != call->as.job.id.ms) *ret_job = NULL;
    /* Nobody outside may answer for a job that the engine does itself. */
    if (*ret_job && performer_place((*ret_job)->performer) != PERFORMED_OUTSIDE && !call->performs)
        return call_not_found(call->as.job.id, "job", err);
    return *ret_job ? caller_check(call->caller, (*ret_job)->type, err) : ST_OK;
}

/* Checks that the worker holds the job, or that nobody does; else says why not. */
static enum callback_drop check_holder(const struct open_job *job, const struct call *call, int64_t now_ms)
{
    if (job->delivery != call->as.job.id.delivery) return CALLBACK_EXPIRED;
    if (job->state != JOB_LOCKED) return CALLBACK_USED;
    if (now_ms >= job->deadline.at_ms) return CALLBACK_EXPIRED;
    return str_equal(job->worker, call->as.job.worker) ? CALLBACK_USED : CALLBACK_HELD;
}

static bool is_tried_again(const struct instance *after, uint32_t execution)
{
    for (size_t i = 0; i < after->job_count; i++)
        if (after->job[i].execution == execution) return true;
    return false;
}

static int64_t holder_of(const struct turn *turn, uint64_t instance)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, instance);
    return loaded ? loaded->holder : 0;
}

/* The job is not in our memory. Another node may have handed it out. */
static enum status check_elsewhere(struct turn *turn, struct call *call, struct error *err)
{
    call->dropped_ = CALLBACK_EXPIRED;
    if (!turn->engine->nodes.shared) return ST_OK;
    return lease_news_judge(turn, call, holder_of(turn, call->as.job.id.instance), err);
}

/* Does our memory of the job still count? Another node may have it since: its lease was over, perhaps because
 * another node was told that it ends earlier, or a retry has opened it again. */
static enum status check_ownership(struct turn *turn, struct call *call, const struct open_job *open,
                                   struct error *err)
{
    int64_t holder = holder_of(turn, open->instance);
    struct job_row row = { .claimed = holder }; /* As it is if the job has no row. */
    bool is_there;
    TRY(found_asked(
        store_find_job(turn->engine->store, open->instance, open->number, &turn->arena, &row, err),
        &is_there));
    if (row.claimed == store_node(turn->engine->store)) return ST_OK;
    jobs_remove(&turn->engine->memory.jobs, open->instance, open->number);
    return lease_news_judge(turn, call, holder, err);
}

enum status job_call_check(struct turn *turn, struct call *call, const struct instance *instance,
                           const struct job *job, struct error *err)
{
    must(!turn->trusts_cache);
    const struct engine *engine = turn->engine;
    const struct open_job *open =
        jobs_find(&engine->memory.jobs, call->as.job.id.instance, call->as.job.id.number);
    call->late_ = call->awaits_ = false;
    call->dropped_ = CALLBACK_USED;
    if (job ? !reaches(instance, job->execution) : instance_status_ended(instance->status))
        call->dropped_ = CALLBACK_ENDED;
    else if (!job) call->dropped_ = CALLBACK_CLOSED;
    if (call->dropped_ != CALLBACK_USED) return ST_OK;
    /* A job that this turn opened, or a retry opened again, is in no queue yet. */
    if (!open && call_completes_job(call)) {
        call->late_ = !nodes_have_others(engine); /* Another node may have handed it out. */
        return ST_OK;
    }
    if (open) call->dropped_ = check_holder(open, call, turn->now_ms);
    else TRY(check_elsewhere(turn, call, err));
    bool fails = call->kind == CALL_FAIL_JOB || call->refused_;
    bool counts_once = call->dropped_ != CALLBACK_USED || fails;
    if (open && counts_once && !open->of_unit) TRY(check_ownership(turn, call, open, err));
    if (!call_completes_job(call)) return ST_OK;
    /* The first result counts, even if another worker has begun the job meanwhile. */
    call->late_ = call->dropped_ != CALLBACK_USED;
    call->dropped_ = CALLBACK_USED;
    return ST_OK;
}

/* ---- running ---- */

/* The job of a call, as the engine knows it. */
struct found_job {
    const struct instance *instance;
    struct definition *definition;
    const struct job *job; /* NULL: it is not open any more. */
};

static enum status find(struct turn *turn, struct call *call, struct found_job *ret_found, struct error *err)
{
    TRY(job_call_find(turn, call, &ret_found->instance, &ret_found->definition, &ret_found->job, err));
    TRY(job_call_check(turn, call, ret_found->instance, ret_found->job, err));
    call->unfinished_ = call->awaits_;
    return ST_OK;
}

static enum status fail_job(struct turn *turn, struct call *call, const struct found_job *found,
                            struct command_job said, struct error *err)
{
    must(found->job && call->dropped_ == CALLBACK_USED);
    struct transition *transition;
    said.number = call->as.job.id.number;
    struct command command = command_fail_job(turn->now_ms, call->as.job.worker, NULL, said);
    TRY(follow_command(turn, found->definition, found->instance, &command, &transition, err));
    if (!transition) call->dropped_ = CALLBACK_CLOSED;
    if (transition && is_tried_again(transition->after, found->job->execution)) turn->counts.job_retries++;
    return ST_OK;
}

/* Fails the job because its result is refused, if the worker holds the job. Returns the refusal in `err`, or
 * how the world failed. */
static enum status refuse(struct turn *turn, struct call *call, const struct error *why, bool retryable,
                          struct error *err)
{
    must(why->status != ST_OK);
    struct found_job found;
    call->refused_ = true;
    enum status status = find(turn, call, &found, err);
    if (status == ST_OK && call->awaits_) return ST_OK;
    bool counts = status == ST_OK && call->dropped_ == CALLBACK_USED;
    if (counts) {
        str words = call->as.job.unread ? call->as.job.text : str_of(why->message);
        str reason = arena_printf(&turn->arena, RESULT_REFUSED "%.*s", STR_ARG(words));
        struct command_job said = { .text = reason, .retryable = retryable };
        status = fail_job(turn, call, &found, said, err);
    }
    if (transact_is_lost(turn, status)) return status;
    call->refused_ = counts && status == ST_OK;
    *err = *why;
    return why->status;
}

static enum status complete_job(struct turn *turn, struct call *call, const struct found_job *found,
                                struct error *err)
{
    must(call->kind == CALL_COMPLETE_JOB && found->job);
    const struct call_job *asked = &call->as.job;
    struct transition *transition = NULL;
    struct error why;
    if (asked->data && found->definition->program->data_shape == DATA_OBJECT &&
        !json_is(asked->data, JSON_OBJECT)) {
        fail(&why, ST_INVALID, "variables", "variables must be an object");
        return refuse(turn, call, &why, true, err);
    }
    struct command command =
        command_complete_job(turn->now_ms, asked->worker, asked->data,
                             (struct command_job){ .number = asked->id.number, .text = asked->text });
    enum status status =
        follow_command(turn, found->definition, found->instance, &command, &transition, &why);
    if (status == ST_OK && !transition) call->dropped_ = CALLBACK_CLOSED;
    /* The core refuses a result as invalid only if it violates its schema. */
    bool refused = (status == ST_INVALID || status == ST_LIMIT) && !transition;
    if (refused && !transact_is_lost(turn, status)) return refuse(turn, call, &why, status == ST_LIMIT, err);
    if (status != ST_OK) *err = why;
    return status;
}

enum status job_call_run(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_job *asked = &call->as.job;
    struct found_job found;
    call->dropped_ = CALLBACK_USED;
    call->refused_ = false;
    if (asked->unread) return refuse(turn, call, asked->unread, true, err);
    TRY(find(turn, call, &found, err));
    if (call->awaits_ || call->dropped_ != CALLBACK_USED) return ST_OK;
    if (found.job->performer == PERFORM_COMPUTE)
        return compute_answer(turn, call, found.definition, found.instance, err);
    if (call->kind == CALL_COMPLETE_JOB) return complete_job(turn, call, &found, err);
    return fail_job(turn, call, &found,
                    (struct command_job){ .text = asked->text,
                                          .error = asked->failure,
                                          .retryable = asked->retryable,
                                          .retry_after_ms = asked->retry_after_ms },
                    err);
}
