/* runtime/nodes/lease_news.c — tells other nodes of leases that last, and judges reports on their jobs. */
#include "runtime/nodes/lease_news.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes_int.h"

enum {
    LEASE_YOUNG_MS = 50, /* Younger leases are nobody else's concern. */
    LEASE_TOLD_MS = 300, /* By then a living node has told: it heartbeats every 200 ms. */
    LEASE_LOOK_MS = 50,
};

/* ---- telling ---- */

static struct job_row row_of(const struct open_job *job)
{
    return (struct job_row){ .instance = job->instance,
                             .number = job->number,
                             .queue = jobs_type_of(job),
                             .priority = job->priority,
                             .available_ms = job->ready_ms,
                             .delivery = job->delivery,
                             .worker = job->worker,
                             .locked_ms = job->locked_ms,
                             .until_ms = job->deadline.at_ms };
}

/* A clock that was set back makes no lease young. */
static bool is_young(const struct open_job *job, int64_t now_ms)
{
    return now_ms >= job->locked_ms && now_ms - job->locked_ms < LEASE_YOUNG_MS;
}

void lease_news_write(struct engine *engine)
{
    must(!engine->turn.in_transaction && !engine->turn.all_loaded);
    struct jobs *jobs = &engine->memory.jobs;
    struct arena *arena = &engine->turn.arena;
    struct job_row *row = arena_make_n(arena, struct job_row, LEASES_TOLD_MAX);
    size_t count = 0;
    struct error err;
    for (const struct open_job *job = jobs->first_untold;
         job && count < LEASES_TOLD_MAX && !is_young(job, engine->turn.now_ms); job = job->after)
        row[count++] = row_of(job);
    enum status status = store_note_leases(engine->store, row, count, &err);
    if (status != ST_OK) /* The next heartbeat tries it again. */
        log_write(LOG_WARN, "other nodes do not know who has jobs here", "reason", err.message, NULL);
    for (; status == ST_OK && count; count--) {
        must(jobs->first_untold && jobs->first_untold->state == JOB_LOCKED);
        jobs->first_untold->has_row = true; /* If it is not ours any more, that does no harm. */
        jobs_told(jobs, jobs->first_untold);
    }
    arena_reset(arena);
}

/* ---- judging ---- */

static bool node_lives(const struct engine *engine, int64_t node)
{
    for (size_t i = 0; i < engine->nodes.seen_count; i++)
        if (engine->nodes.seen[i].id == node) return !engine->nodes.seen[i].dead;
    return false;
}

/* Another node has the job, and has not told who holds it. */
static bool must_wait(const struct turn *turn, struct call *call, int64_t node)
{
    const struct engine *engine = turn->engine;
    if (!node || node == store_node(engine->store) || !node_lives(engine, node) || engine->draining)
        return false;
    if (!call->await_until_ms_) call->await_until_ms_ = turn->now_ms + LEASE_TOLD_MS;
    return turn->now_ms < call->await_until_ms_;
}

enum status lease_news_judge(struct turn *turn, struct call *call, int64_t holder, struct error *err)
{
    const struct call_job *asked = &call->as.job;
    struct job_row row = { .claimed = holder }; /* As it is if the job has no row. */
    bool is_there;
    TRY(found_asked(
        store_find_job(turn->engine->store, asked->id.instance, asked->id.number, &turn->arena, &row, err),
        &is_there));
    call->dropped_ = CALLBACK_USED;
    if (row.delivery != asked->id.delivery) call->dropped_ = CALLBACK_EXPIRED;
    else if (row.claimed && row.worker.n && turn->now_ms >= row.until_ms) call->dropped_ = CALLBACK_EXPIRED;
    else if (row.claimed && row.worker.n)
        call->dropped_ = str_equal(row.worker, asked->worker) ? CALLBACK_USED : CALLBACK_HELD;
    else if (!call_completes_job(call)) call->awaits_ = must_wait(turn, call, row.claimed);
    return ST_OK;
}

/* ---- waiting ---- */

void lease_news_await(struct turn *turn, struct call *call)
{
    must(call->awaits_ && call->await_until_ms_);
    struct leases *leases = &turn->engine->nodes.leases;
    if (!leases->waiting.first) leases->look_ms = turn->now_ms + LEASE_LOOK_MS;
    call_list_add(&leases->waiting, call);
}

void lease_news_look(struct turn *turn)
{
    struct leases *leases = &turn->engine->nodes.leases;
    if (!leases->waiting.first || turn->now_ms < leases->look_ms) return;
    for (struct call *call; (call = call_list_take(&leases->waiting)) != NULL;) {
        call->awaits_ = false;
        call_list_add(&turn->engine->work.writers, call);
    }
}

int64_t lease_news_next_ms(const struct engine *engine)
{
    return engine->nodes.leases.waiting.first ? engine->nodes.leases.look_ms : INT64_MAX;
}

/* ---- showing ---- */

void lease_news_show(const struct job_row *row, int64_t now_ms, struct open_job *ret_job)
{
    bool held = row->claimed && row->worker.n && now_ms < row->until_ms;
    *ret_job = (struct open_job){ .instance = row->instance,
                                  .number = row->number,
                                  .delivery = row->delivery,
                                  .state = held ? JOB_LOCKED : JOB_UNLOCKED,
                                  .locked_ms = row->locked_ms,
                                  .worker = row->worker };
    ret_job->deadline.at_ms = row->until_ms;
}
