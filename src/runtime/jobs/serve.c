/* runtime/jobs/serve.c — polls, extensions, explanations and job lists: answered from memory after the
 * commit. */
#include "runtime/jobs/jobs_int.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "core/trail.h"
#include "dialect/show/plain.h"
#include "json/json.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

#include <stdlib.h>

enum {
    UNREADABLE_RETRY_MS = 1000,
};

/* The lease that was asked for, or the default, as far as the limit allows. */
static int64_t lease_ms_of(const struct engine *engine, int64_t lease_ms)
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
    if (status == ST_STORE || status == ST_AGAIN || status == ST_FULL) {
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
    metric_observe(&turn->engine->metrics->pickup_latency, (turn->now_ms - open->ready_ms) * 1000);
    const struct call_poll *poll = call_poll_of(call);
    jobs_lease(&turn->engine->memory.jobs, open, poll->worker, turn->now_ms,
               lease_ms_of(turn->engine, poll->lease_ms));
    live_note(&turn->engine->memory.live, TENANT_ANY, LIVE_WORKERS, STR_NONE);
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

enum status serve_check_types(const struct call *call, struct error *err)
{
    const struct call_poll *poll = call_poll_of(call);
    for (size_t i = 0; i < poll->type_count; i++)
        if (performer_queue_is_reserved(poll->type[i]) && !call->performs)
            return fail(err, ST_INVALID, "jobTypes", "this job type is the engine's own");
    for (size_t i = 0; call->caller && i < poll->type_count; i++) {
        int32_t ns;
        TRY(caller_check(call->caller, tenant_name(poll->type[i], &ns), err));
    }
    return ST_OK;
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

void serve_polls_at_once(struct turn *turn)
{
    must(!turn->in_transaction && !turn->wrote);
    if (!turn->polls.first) return;
    bool may = !turn->engine->broken;
    for (const struct call *call = turn->engine->work.writers.first; call && may; call = call->next_)
        may = !reports_on_free_job(turn->engine, call);
    struct call_list polls = turn->polls;
    turn->polls = (struct call_list){ 0 };
    for (struct call *call; (call = call_list_take(&polls)) != NULL;) {
        call->status = serve_check_types(call, &call->error);
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
        if (!call->performs) live_note(&turn->engine->memory.live, TENANT_ANY, LIVE_WORKERS, STR_NONE);
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

void serve_polls(struct turn *turn)
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
    must(turn->engine->nodes.shared);
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
    open.deadline.at_ms = turn->now_ms + lease_ms_of(turn->engine, asked->lease_ms);
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

void serve_extend(struct turn *turn, struct call *call)
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
    int64_t lease_ms = lease_ms_of(turn->engine, call->as.job.lease_ms);
    bool tells = !open->of_unit && (open->has_row || nodes_have_others(turn->engine));
    if (tells && !tell_extended(turn, call, open, turn->now_ms + lease_ms)) return;
    jobs_extend(&turn->engine->memory.jobs, open, turn->now_ms, lease_ms);
    if (tells) open->has_row = true, jobs_told(&turn->engine->memory.jobs, open);
    answer_extended(call, definition, instance, job, open);
}

/* Names the awaited child behind the sentence, ": instance 01…"; empty if it was not started yet. */
static str name_child(struct turn *turn, const struct instance *parent, const struct job *job,
                      struct arena *arena)
{
    struct child_row row;
    const struct instance *child;
    struct definition *definition;
    struct error err;
    if (!found_hint(store_find_child(turn->engine->store, parent->id, job->number, &row, &err)) ||
        !found_hint(transact_load(turn, row.instance, &child, &definition, &err)))
        return STR_NONE;
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = child->created_ms, .instance = child->id }, id);
    return arena_printf(arena, ": instance %s, %s", id, instance_status_word(child->status));
}

/* Rows of jobs that a list may show, of a shared store. */
struct listed_rows {
    struct job_row *row;
    size_t count;
};

static enum status find_rows(struct turn *turn, const uint64_t *instance, size_t count,
                             struct listed_rows *ret_rows, struct error *err)
{
    *ret_rows = (struct listed_rows){ 0 };
    return store_jobs_of(turn->engine->store, instance, count, &turn->arena, &ret_rows->row, &ret_rows->count,
                         err);
}

static int by_job(const void *a, const void *b)
{
    const struct job_row *one = a, *two = b;
    if (one->instance != two->instance) return one->instance < two->instance ? -1 : 1;
    return one->number < two->number ? -1 : one->number > two->number;
}

/* A job as lists show it. One that is in no queue here waits for any node, or another node has it. */
static void view_listed(const struct engine *engine, const struct program *program,
                        const struct instance *instance, const struct job *job,
                        const struct listed_rows *rows, struct arena *arena, struct job_view *ret_view)
{
    const struct open_job *open = jobs_find(&engine->memory.jobs, instance->id, job->number);
    const struct job_row wanted = { .instance = instance->id, .number = job->number };
    const struct job_row *row =
        !open && rows->count ? bsearch(&wanted, rows->row, rows->count, sizeof wanted, by_job) : NULL;
    struct open_job elsewhere;
    if (row) leases_show(row, engine->turn.now_ms, &elsewhere);
    view_job(program, instance, job, row ? &elsewhere : open, false, arena, ret_view);
    if (!open && job->available_ms > engine->turn.now_ms) ret_view->state = JOB_DELAYED;
}

static void explain_token(struct turn *turn, const struct program *program, const struct instance *instance,
                          const struct token *token, const struct listed_rows *rows, struct arena *arena,
                          struct token_view *ret_view)
{
    const struct program_node *node = core_authored_node(program, instance, token);
    *ret_view = (struct token_view){
        .execution = token->execution,
        .node = arena_str(arena, node->name),
        .title = arena_str(arena, node->title),
        .type = arena_str(arena, node->type),
        .state = token->state,
        .since_ms = token->since_ms,
        .why = core_explain(program, instance, token, turn->now_ms, arena),
    };
    for (size_t i = 0; i < instance->job_count; i++) {
        if (instance->job[i].execution != token->execution) continue;
        if (performer_place(instance->job[i].performer) == PERFORMED_INSIDE) {
            /* Nobody can poll for this job: the child that does it explains the wait. */
            str who =
                i < CHILDREN_SHOWN_MAX ? name_child(turn, instance, &instance->job[i], arena) : STR_NONE;
            ret_view->why = arena_printf(arena, "%.*s%.*s", STR_ARG(ret_view->why), STR_ARG(who));
            continue;
        }
        struct job_view *job = arena_make(arena, struct job_view);
        view_listed(turn->engine, program, instance, &instance->job[i], rows, arena, job);
        ret_view->job = job;
        if (job->state == JOB_LOCKED && !instance_status_ended(instance->status))
            ret_view->why = core_explain_held(program, instance, token, job->worker, turn->now_ms, arena);
    }
    int64_t *due = arena_make_n(arena, int64_t, instance->timer_count);
    for (size_t i = 0; i < instance->timer_count; i++)
        if (instance->timer[i].execution == token->execution)
            due[ret_view->timer_count++] = instance->timer[i].due_ms;
    ret_view->timer_due_ms = due;
}

void serve_tokens(struct turn *turn, const struct program *program, const struct instance *instance,
                  size_t max, struct arena *arena, struct token_view **ret_token, size_t *ret_count)
{
    size_t first = instance->token_count > max ? instance->token_count - max : 0, count = 0;
    struct token_view *view = arena_make_n(arena, struct token_view, instance->token_count - first);
    struct listed_rows rows;
    struct error err;
    /* Without them it shows the jobs, and not who has them. */
    if (!instance->job_count || find_rows(turn, &instance->id, 1, &rows, &err) != ST_OK)
        rows = (struct listed_rows){ 0 };
    for (size_t i = first; i < instance->token_count; i++) {
        const struct token *token = &instance->token[i];
        if (core_is_told_inside(program, instance, token)) continue;
        explain_token(turn, program, instance, token, &rows, arena, &view[count++]);
    }
    *ret_token = view;
    *ret_count = count;
}

void serve_explain(struct turn *turn, struct call *call)
{
    struct answer_instances *answer = &call->value.instances;
    const struct instance *instance;
    struct definition *definition;
    bool is_there;
    call->status = found_asked(
        transact_load_for(turn, call, call->as.read.id.instance, &instance, &definition, &call->error),
        &is_there);
    if (call->status == ST_OK && (!is_there || instance->created_ms != call->as.read.id.ms))
        call->status = fail(&call->error, ST_NOT_FOUND, "instance", "instance not found");
    if (call->status != ST_OK) return;
    answer->view = arena_make(call->arena, struct instance_view);
    answer->count = 1;
    view_instance(definition->program, instance, definition->id, definition->version, turn->now_ms,
                  call->arena, answer->view);
    answer->callback_count =
        callbacks_of(&turn->engine->memory.callbacks, instance->id, call->arena, &answer->callback);
    serve_tokens(turn, definition->program, instance, TOKENS_MAX, call->arena, &answer->token,
                 &answer->token_count);
}

/* Tells of one token again if a worker has its job. */
static void name_worker(struct turn *turn, const struct program *program, const struct instance *instance,
                        struct operate_why *why, const struct listed_rows *rows, struct arena *arena)
{
    const struct token *token = instance_find_token(instance, why->execution);
    for (size_t i = 0; token && i < instance->job_count; i++) {
        struct job_view job;
        if (instance->job[i].execution != why->execution || instance->job[i].performer != PERFORM_WORKER)
            continue;
        view_listed(turn->engine, program, instance, &instance->job[i], rows, arena, &job);
        if (job.state != JOB_LOCKED || !job.worker.n) continue;
        why->worker = job.worker;
        why->text = plain_why_held(program, instance, token, job.worker, turn->now_ms, arena);
    }
}

void serve_run(struct turn *turn, struct call *call)
{
    struct answer_run *run = call->value.instances.run;
    const struct instance *instance;
    struct definition *definition;
    struct listed_rows rows;
    struct error err;
    /* Without the instance, which may be gone by now, the run is told as the store had it. */
    if (!found_hint(transact_load_for(turn, call, call->as.run.id.instance, &instance, &definition, &err)))
        return;
    if (find_rows(turn, &instance->id, 1, &rows, &err) != ST_OK) rows = (struct listed_rows){ 0 };
    for (size_t i = 0; i < run->why_count; i++)
        name_worker(turn, definition->program, instance, &run->why[i], &rows, call->arena);
}

/* The sentence with the name of the worker; as it was if nobody holds the job. */
static void name_holder(struct turn *turn, const struct listed_rows *rows, struct operate_run *run,
                        struct arena *arena)
{
    const struct open_job *open = jobs_find(&turn->engine->memory.jobs, run->id.instance, run->job);
    const struct job_row wanted = { .instance = run->id.instance, .number = run->job };
    const struct job_row *row =
        !open && rows->count ? bsearch(&wanted, rows->row, rows->count, sizeof wanted, by_job) : NULL;
    struct open_job elsewhere;
    if (row) leases_show(row, turn->now_ms, &elsewhere);
    if (row) open = &elsewhere;
    if (!open || open->state != JOB_LOCKED || !open->worker.n) return;
    size_t at = str_find(run->why_held, STR(WORKER_HERE), 0);
    str before = str_slice(run->why_held, 0, at), after = str_slice(run->why_held, at + 1, SIZE_MAX);
    run->why = arena_printf(arena, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(open->worker), STR_ARG(after));
}

void serve_runs(struct turn *turn, struct call *call)
{
    struct answer_runs *answer = &call->value.runs;
    struct listed_rows rows;
    struct error err;
    uint64_t *id = arena_make_n(&turn->arena, uint64_t, answer->count);
    for (size_t i = 0; i < answer->count; i++) id[i] = answer->run[i].id.instance;
    if (find_rows(turn, id, answer->count, &rows, &err) != ST_OK) rows = (struct listed_rows){ 0 };
    for (size_t i = 0; i < answer->count; i++)
        if (answer->run[i].why_held.n) name_holder(turn, &rows, &answer->run[i], call->arena);
}

/* Adds the jobs of one instance that are asked for and lie behind the cursor. */
static void list_jobs_of(struct engine *engine, struct call *call, const struct program *program,
                         const struct instance *instance, const struct listed_rows *rows)
{
    struct answer_jobs *answer = &call->value.jobs;
    struct error refused;
    for (size_t i = 0; i < instance->job_count && answer->count < call->as.jobs.max; i++) {
        const struct job *job = &instance->job[i];
        if (!reaches(instance, job->execution)) continue;
        if (performer_place(job->performer) == PERFORMED_INSIDE)
            continue; /* A sub-flow: nobody can do it but that instance. */
        if (instance->id == call->as.jobs.cursor.instance && job->number <= call->as.jobs.cursor.number)
            continue;
        if (call->as.jobs.type.n && !str_equal(job->type, call->as.jobs.type)) continue;
        if (caller_check(call->caller, job->type, &refused) != ST_OK) continue;
        view_listed(engine, program, instance, job, rows, call->arena, &answer->view[answer->count++]);
    }
}

/* Adds what one instance has to the page. */
static enum status list_instance(struct engine *engine, struct call *call, uint64_t id,
                                 const struct listed_rows *rows, struct arena *arena, size_t *ret_bytes,
                                 struct error *err)
{
    struct instance_row row;
    const struct instance *instance;
    struct definition *definition;
    struct error unknown;
    TRY(found_needed(store_load_instance(engine->store, TENANT_ANY, id, arena, &row, err)));
    bool known;
    *ret_bytes = row.state.n;
    if (row.ns != call->ns) return ST_OK;
    TRY(found_intact(catalogue_get(&engine->memory.catalogue, row.definition, &definition, err), &known));
    if (core_decode(row.state, NULL, arena, &instance, &unknown) ==
        ST_OK) /* A damaged instance has no jobs to show. */
        list_jobs_of(engine, call, known ? definition->program : NULL, instance, rows);
    return ST_OK;
}

/* Open jobs live in their instances; which instances have any is an index of the store. The
 * scan is bounded, so a page may be short: the caller goes on from the cursor while `more`
 * says so. Instances are looked at one by one, as each may be large. */
void serve_list_jobs(struct turn *turn, struct call *call)
{
    struct answer_jobs *answer = &call->value.jobs;
    answer->view = arena_make_n(call->arena, struct job_view, call->as.jobs.max);
    uint64_t after = call->as.jobs.cursor.instance ? call->as.jobs.cursor.instance - 1 : 0;
    uint64_t only = call->as.jobs.instance;
    if (only) after = only - 1;
    uint64_t *id;
    size_t count = 0, scanned = 0, bytes = 0;
    struct arena one;
    arena_init(&one, 0);
    call->status = store_ids_with_jobs(turn->engine->store, after, only ? 1 : JOB_INSTANCES_SCANNED_MAX,
                                       &turn->arena, &id, &count, &call->error);
    struct listed_rows rows = { 0 };
    if (call->status == ST_OK) call->status = find_rows(turn, id, count, &rows, &call->error);
    for (; scanned < count && answer->count < call->as.jobs.max && bytes < JOB_BYTES_SCANNED_MAX &&
           call->status == ST_OK;
         scanned++) {
        if (only && id[scanned] != only) break;
        size_t more = 0;
        call->status = list_instance(turn->engine, call, id[scanned], &rows, &one, &more, &call->error);
        bytes += more;
        arena_reset(&one);
        call->as.jobs.cursor.instance = id[scanned];
        call->as.jobs.cursor.number =
            answer->count == call->as.jobs.max ? answer->view[answer->count - 1].number : ID_NUMBER_MAX;
    }
    arena_done(&one);
    answer->more = !only && (answer->count == call->as.jobs.max || scanned < count ||
                             count == JOB_INSTANCES_SCANNED_MAX);
}
