/* runtime/jobs/extend.c — a worker keeps a job for longer: its lease is extended, for all nodes. */
#include "runtime/jobs/jobs_int.h"

#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

static void answer_extended(struct call *call, const struct definition *definition,
                            const struct instance *instance, const struct job *job,
                            const struct open_job *open)
{
    struct answer_jobs *answer = &call->value.jobs;
    answer->view = arena_make(call->arena, struct job_view);
    answer->count = 1;
    view_job(definition->program, instance, job, open, false, call->arena, answer->view);
}

/* Another node has handed out the job. It looks at the row when the lease that it knows is over. */
static void extend_elsewhere(struct turn *turn, struct call *call, const struct definition *definition,
                             const struct instance *instance, const struct job *job)
{
    const struct call_job *asked = &call->as.job;
    const struct loaded *loaded = map_get(&turn->loaded_of, instance->id);
    struct open_job open = { .instance = instance->id,
                             .number = job->number,
                             .delivery = asked->id.delivery,
                             .state = JOB_LOCKED,
                             .locked_ms = turn->now_ms,
                             .worker = asked->worker };
    struct job_row before;
    struct error err;
    if (found_hint(
            store_find_job(turn->engine->store, instance->id, job->number, &turn->arena, &before, &err)) &&
        before.locked_ms)
        open.locked_ms = before.locked_ms;
    open.deadline.at_ms = turn->now_ms + poll_lease_ms(turn->engine, asked->lease_ms);
    struct job_row row = { .instance = instance->id,
                           .number = job->number,
                           .queue = jobs_queue_name(definition->ns, job, &turn->arena),
                           .priority = definition->program->priority,
                           .delivery = asked->id.delivery,
                           .claimed = loaded ? loaded->holder : 0,
                           .lease_ms = open.deadline.at_ms,
                           .worker = asked->worker,
                           .locked_ms = open.locked_ms };
    bool done;
    call->status = store_extend_job(turn->engine->store, &row, &done, &call->error);
    if (call->status == ST_OK && !done)
        call->status = fail(&call->error, ST_CONFLICT, "job", "this worker does not hold the job's lock");
    callbacks_note(&turn->engine->memory.callbacks, turn->engine->metrics, call, turn->now_ms);
    if (call->status == ST_OK) answer_extended(call, definition, instance, job, &open);
}

/* The row says when the lease is over, for all nodes: it is written before our memory believes it. False: the
 * call has its answer. */
static bool tell_extended(struct turn *turn, struct call *call, const struct open_job *open, int64_t until_ms)
{
    must(!open->of_unit && open->state == JOB_LOCKED);
    struct job_row row = { .instance = open->instance,
                           .number = open->number,
                           .queue = jobs_type_of(open),
                           .priority = open->priority,
                           .delivery = open->delivery,
                           .claimed = store_node(turn->engine->store),
                           .lease_ms = until_ms,
                           .worker = open->worker,
                           .locked_ms = open->locked_ms };
    bool done;
    call->status = store_extend_job(turn->engine->store, &row, &done, &call->error);
    if (call->status == ST_OK && done) return true;
    if (call->status != ST_OK) return false;
    /* The lease was shortened at another node, and is over: the job is offered, or another node has it. */
    call->dropped_ = CALLBACK_EXPIRED;
    jobs_remove(&turn->engine->memory.jobs, open->instance, open->number);
    callbacks_note(&turn->engine->memory.callbacks, turn->engine->metrics, call, turn->now_ms);
    return false;
}

void extend_job(struct turn *turn, struct call *call)
{
    const struct instance *instance;
    struct definition *definition;
    const struct job *job;
    call->status = job_call_find(turn, call, &instance, &definition, &job, &call->error);
    if (call->status == ST_OK) call->status = job_call_check(turn, call, instance, job, &call->error);
    if (call->status != ST_OK || call->awaits_) return;
    struct open_job *open =
        jobs_find(&turn->engine->memory.jobs, call->as.job.id.instance, call->as.job.id.number);
    if (!open && call->dropped_ == CALLBACK_USED) {
        extend_elsewhere(turn, call, definition, instance, job);
        return;
    }
    /* The delivery is current, but another worker or nobody holds the lock: the call is not late but wrong.
     */
    if (call->dropped_ == CALLBACK_HELD || (call->dropped_ == CALLBACK_USED && open->state != JOB_LOCKED))
        call->status = fail(&call->error, ST_CONFLICT, "job", "this worker does not hold the job's lock");
    callbacks_note(&turn->engine->memory.callbacks, turn->engine->metrics, call, turn->now_ms);
    if (call->status != ST_OK || call->dropped_ != CALLBACK_USED) return;
    int64_t lease_ms = poll_lease_ms(turn->engine, call->as.job.lease_ms);
    bool tells = !open->of_unit && (open->has_row || nodes_have_others(turn->engine));
    if (tells && !tell_extended(turn, call, open, turn->now_ms + lease_ms)) return;
    jobs_extend(&turn->engine->memory.jobs, open, turn->now_ms, lease_ms);
    if (tells) open->has_row = true, jobs_told(&turn->engine->memory.jobs, open);
    answer_extended(call, definition, instance, job, open);
}
