/* runtime/answers.c — answers to calls whose transaction is over. Some wait longer (answers_wake.c). */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/call/call.h"
#include "runtime/definitions/definitions.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/jobs/jobs.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/operate/operate.h"
#include "runtime/transact/transact.h"

/* Answers a WATCH at once if the history it wants is there already. */
static void serve_watch(struct turn *turn, struct call *call)
{
    const struct instance *instance;
    struct definition *definition;
    call->status = found_needed(
        transact_load_for(turn, call, call->as.watch.id.instance, &instance, &definition, &call->error));
    if (call->status == ST_OK && instance->created_ms != call->as.watch.id.ms) call->status = ST_NOT_FOUND;
    if (call->status == ST_NOT_FOUND) fail(&call->error, ST_NOT_FOUND, "instance", "instance not found");
    if (call->status != ST_OK) {
        call_list_add(&turn->engine->answered, call);
    } else if (instance->revision > call->as.watch.after || instance_status_ended(instance->status) ||
               call->as.watch.wait_ms <= 0 || turn->engine->draining || call->abandoned) {
        call_list_add(&turn->engine->for_query, call);
    } else {
        watchers_add(&turn->engine->memory.watchers, call->as.watch.id.instance, call,
                     turn->now_ms + call->as.watch.wait_ms);
    }
}

/* Answers a WATCH_TASKS at once if there is news, or if the client only asks where to begin. */
static void serve_task_feed(struct turn *turn, struct call *call)
{
    struct engine *engine = turn->engine;
    if (task_feed_answer(&engine->memory.task_feed, call) || call->as.watch_tasks.wait_ms <= 0 ||
        engine->draining || call->abandoned)
        call_list_add(&engine->answered, call);
    else task_feed_wait(&engine->memory.task_feed, call, turn->now_ms + call->as.watch_tasks.wait_ms);
}

/* Answers a WATCH_LIVE, or lets it wait for a change. */
static void serve_live(struct turn *turn, struct call *call)
{
    bool may_wait = !turn->engine->draining && !call->abandoned;
    if (!live_wait(&turn->engine->memory.live, call, turn->now_ms, may_wait))
        call_list_add(&turn->engine->answered, call);
}

static bool may_wait(const struct call *call)
{
    /* An event that is sent again waits as the first one did. */
    if (call->kind == CALL_EVENTS && call->status == ST_OK && !call->replayed_text && call_wait_ms(call) > 0)
        return call->as.events.event_count == 1 && call->as.events.event->instance_count;
    if (call->status != ST_OK || call->replayed || call_wait_ms(call) <= 0) return false;
    return (call->kind == CALL_START && call->value.instances.view) ||
           (call->kind == CALL_ARRIVE && call->value.arrivals.instance);
}

/* Answers a call whose transaction is over. */
void answers_give(struct turn *turn, struct call *call)
{
    must(!turn->in_transaction && !call->in_turn_ && !call->kept_);
    bool waits = may_wait(call);
    /* The memory of a broken engine may lag behind the store, so it answers no questions. */
    if (turn->engine->broken && !call_is_command(call)) {
        call->status = ST_STORE;
        call->error = turn->engine->failure;
        call_list_add(&turn->engine->answered, call);
        return;
    }
    /* An answer from memory must be as new as the changes that other nodes have acknowledged. */
    if (call->kind == CALL_LIST_TRIGGERS && nodes_have_others(turn->engine)) {
        transact_forget(turn); /* Nobody may hold a definition. */
        takeover_look(turn->engine);
    }
    switch (call->kind) {
    case CALL_EXTEND_JOB:
        extend_job(turn, call);
        if (!call->awaits_) break;
        lease_news_await(turn, call);
        return;
    case CALL_EXPLAIN: explain_instance(turn, call); break;
    case CALL_GET_RUN: explain_run(turn, call); break;
    case CALL_LIST_RUNS: explain_runs(turn, call); break;
    case CALL_GET_JOINED: call->status = entities_get_joined(turn, call, &call->error); break;
    case CALL_SEARCH: call->status = search_join(turn, call, &call->error); break;
    case CALL_LIST_JOBS: list_jobs(turn, call); break;
    case CALL_LIST_TRIGGERS:
        if (call->as.triggers.tools) tool_routes_list(turn, call);
        else trigger_routes_list(turn, call);
        break;
    case CALL_OVERVIEW: operate_serve_overview(turn, call); break;
    case CALL_SERIES: operate_serve_series(turn, call); break;
    case CALL_WORKERS: operate_serve_workers(turn, call); break;
    case CALL_JOB_SERIES: job_series_serve(turn, call); break;
    case CALL_LIST_ACCESS: quotas_show(turn, call); break;
    case CALL_VALIDATE: missing_leave_out_workers(turn, call); break;
    case CALL_WATCH: serve_watch(turn, call); return;
    case CALL_WATCH_TASKS: serve_task_feed(turn, call); return;
    case CALL_WATCH_LIVE: serve_live(turn, call); return;
    default:
        compile_release(call);
        if (call->kind == CALL_EVENTS && call->status == ST_OK && !call->replayed)
            events_count(turn->engine, call);
        if (call->status == ST_OK && !call->replayed)
            callbacks_note(&turn->engine->memory.callbacks, turn->engine->metrics, call, turn->now_ms);
        if (waits && answers_await(turn, call)) return;
        if (call->kind == CALL_BATCH && call->status == ST_OK && !call->replayed &&
            call->as.batch.poll.type_count) {
            call_list_add(&turn->polls, call);
            return;
        }
    }
    call_list_add(&turn->engine->answered, call);
}
