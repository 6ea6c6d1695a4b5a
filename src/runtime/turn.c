/* runtime/turn.c — one turn of the engine, from the calls it takes to the answers it gives.
 *
 *     accept      take the calls; meet deadlines; answer polls that find a job at once
 *     step        run timers and calls: each command steps an instance into the transaction
 *     commit      make the rows of all of them durable together
 *     effects     let the queues, the timers and the watchers follow what has committed
 *     answers     tell the callers; nobody hears anything before this
 *
 * Each part is a section below, in this order. work_due.c decides which calls run and how much of them,
 * commands.c what a call means, transact/transact.c how instances are loaded, stepped and written,
 * effects_apply.c what follows. turn_shared.c adds the steps for stores that nodes share.
 */
#include "runtime/runtime_int.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/jobs/jobs.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

/* ---- accept ---- */

/* From here on a poll names queues of its tenant. The engine's own types stay, and are refused. */
static void qualify_poll(struct call *call)
{
    struct call_poll *poll = call->kind == CALL_BATCH ? &call->as.batch.poll : &call->as.poll;
    str *queue = NULL;
    for (size_t i = 0; i < poll->type_count; i++) {
        str name = performer_queue_is_reserved(poll->type[i])
                       ? poll->type[i]
                       : tenant_key(call->ns, poll->type[i], call->arena);
        if (name.p == poll->type[i].p) continue;
        if (!queue) queue = arena_make_n(call->arena, str, poll->type_count);
        queue[i] = name;
    }
    for (size_t i = 0; queue && i < poll->type_count; i++)
        if (!queue[i].p) queue[i] = poll->type[i];
    if (queue) poll->type = queue;
}

static bool is_same_poll(const struct call_poll *a, const struct call_poll *b)
{
    if (a->type_count != b->type_count || !str_equal(a->worker, b->worker)) return false;
    for (size_t i = 0; i < a->type_count; i++)
        if (!str_equal(a->type[i], b->type[i])) return false;
    return true;
}

/* Workers mostly poll over several connections: one of their polls in a row is enough. */
static void note_poll(struct turn *turn, const struct call_poll *poll, const struct call_poll **noted)
{
    if (*noted && is_same_poll(*noted, poll)) return;
    for (size_t i = 0; i < poll->type_count; i++)
        activity_poll(&turn->engine->memory.activity, poll->type[i], poll->worker, turn->now_ms);
    *noted = poll;
}

/* `*noted`: the last poll of this turn whose worker was noted. */
static void take_call(struct turn *turn, struct call *call, const struct call_poll **noted)
{
    must(call_has_tenant(call));
    const struct call_poll *poll =
        call->kind == CALL_POLL_JOBS || call->kind == CALL_BATCH ? call_poll_of(call) : NULL;
    usage_meet(&turn->engine->memory.usage, call->ns);
    call->status = usage_check_there(&turn->engine->memory.usage, call->ns, &call->error);
    if (call->status != ST_OK) {
        call_list_add(&turn->engine->answered, call);
        return;
    }
    if (poll && !call->performs) qualify_poll(call);
    if (poll && !call->performs) note_poll(turn, poll, noted);
    if (poll && turn->engine->nodes.offers.expected_count) shared_jobs_meet(turn->engine, poll->worker);
    /* Polls see the jobs of this turn; the others keep their order. */
    struct waiting_work *work = &turn->engine->work;
    work->has_tenants |= work->writers.first && work->writers.first->ns != call->ns;
    call_list_add(call->kind == CALL_POLL_JOBS ? &turn->polls : &work->writers, call);
}

static void end_measure(struct turn *turn)
{
    if (!turn->is_measured) return;
    int64_t store_us = store_waited_us(turn->engine->store) - turn->waited_us;
    metric_observe(&turn->engine->metrics->turn_store, store_us);
    metric_observe(&turn->engine->metrics->turn_step, clock_monotonic_us() - turn->began_us - store_us);
}

void turn_accept(struct turn *turn, struct call_list *calls)
{
    struct engine *engine = turn->engine;
    turn->now_ms = engine->memory.usage.now_ms = clock_now_ms(&engine->clock);
    turn->began_us = clock_monotonic_us();
    turn->commit_us = 0;
    turn->reads_wait = turn->is_measured = false;
    turn->hooks->accept(turn, calls);
    activity_tick(&engine->memory.activity, turn->now_ms);
    if (calls->count) metric_observe(&engine->metrics->batch_calls, (int64_t)calls->count);
    /* Deadlines come first: a failure or an extension that arrives after its lease ran out is late. */
    answers_meet_deadlines(turn);
    const struct call_poll *noted = NULL;
    for (struct call *call; (call = call_list_take(calls)) != NULL;) take_call(turn, call, &noted);
    if (engine->work.has_tenants) work_share_out(turn);
    poll_serve_at_once(turn);
}

/* ---- step and commit ---- */

/* A turn tries at first to do all of its work in one transaction. If that fails, it does the same work again:
 * once more together if the disk was full and there may be room now, or if another node was in the way; else
 * each call in a transaction of its own. */

static void begin_attempt(struct turn *turn)
{
    must(!turn->in_transaction && !turn->first_unit && !turn->wrote);
    turn->failed = turn->engine->broken ? ST_STORE : ST_OK;
    if (turn->engine->broken) turn->failure = turn->engine->failure;
    turn->spent = 0;
    turn->settled_count = 0;
}

static void note_live(struct turn *turn, const struct loaded *loaded)
{
    struct live *live = &turn->engine->memory.live;
    if (!live->listening) return;
    bool entity = loaded->definition->program->rules->lists_state;
    live_note_instance(live, loaded->definition->ns, entity ? LIVE_ENTITIES : LIVE_INSTANCES,
                       loaded->now->created_ms, loaded->instance);
}

/* The transaction has committed: memory follows it, and calls that waited for an instance are answered. */
static void apply_effects(struct turn *turn)
{
    effects_apply(turn);
    for (struct loaded *loaded = turn->first_changed; loaded; loaded = loaded->next_changed) {
        answers_wake(turn, loaded);
        note_live(turn, loaded);
        if (!units_wake(turn, loaded)) news_look_again(turn->engine, loaded->instance);
        /* An ended instance is rarely asked for again; a retry loads it from the store. */
        if (is_over(loaded->now)) cache_drop(&turn->engine->memory.cache, loaded->instance);
        loaded->changed = false;
    }
    answers_tell(turn);
}

static bool end_attempt(struct turn *turn)
{
    struct error err;
    bool unsettled = turn->first_unit || turn->engine->transact.units.failed_count;
    if (unsettled && turn->failed == ST_OK && units_settle(turn, &err) != ST_OK) transact_failed(turn, &err);
    audit_note_settle(turn);
    int64_t settled_us = clock_monotonic_us();
    bool committed = transact_end(turn);
    turn->commit_us += clock_monotonic_us() - settled_us;
    usage_end(&turn->engine->memory.usage, committed);
    if (committed) units_tell_failures(turn);
    if (committed) units_supersede(turn);
    if (committed) apply_effects(turn);
    secrets_end(turn, committed);
    access_state_end(turn, committed);
    audit_note_end(turn, committed);
    transact_say_end(turn, committed);
    held_end(turn, committed);
    backlogs_end(turn, committed);
    units_end(turn, committed);
    transact_clear(turn);
    turn->hooks->after_commit(turn, committed);
    return committed;
}

/* The progress that the call has made in this transaction counts. */
static void keep_progress(struct call *call)
{
    must(call->done_ <= call->ran_ || !call->ran_);
    call->done_ = call->ran_;
    call->routed_ = call->routing_;
}

static void note_progress(struct turn *turn)
{
    for (struct call *call = turn->ran.first; call; call = call->next_) keep_progress(call);
}

/* False: nothing of it happened. */
static bool run_together(struct turn *turn)
{
    begin_attempt(turn);
    work_begin(turn);
    work_fire_due(turn);
    work_run_cheap(turn);
    if (!turn->solo) work_run_late(turn);
    bool fails = turn->failed != ST_OK;
    if (!turn->solo) work_run_left_over(turn);
    turn->left_over_failed = !fails && turn->failed != ST_OK;
    if (!end_attempt(turn)) return false;
    note_progress(turn);
    return true;
}

/* Does the same work once more, after a rollback. */
static bool run_again(struct turn *turn)
{
    begin_attempt(turn);
    transact_begin(turn, &(struct error){ 0 });
    work_repeat(turn);
    if (!end_attempt(turn)) return false;
    note_progress(turn);
    return true;
}

/* The turn has lasted so long that whoever is in the way will stay there: somebody else's lock, for one. */
static bool is_long(const struct turn *turn)
{
    return clock_monotonic_us() - turn->began_us > TURN_AGAIN_MS_MAX * INT64_C(1000);
}

/* Is it worth another try? `*again` counts those that another node was in the way of. */
static bool may_pass(struct turn *turn, enum status status, int *again)
{
    if (turn->engine->broken) return false;
    if (status == ST_AGAIN) metric_add(&turn->engine->metrics->conflicts, 1);
    if (status == ST_AGAIN) return ++*again < TURNS_AGAIN_MAX && !is_long(turn);
    return status == ST_FULL && room_release(turn->engine);
}

/* Answers the call with the failure of the last attempt. */
static void give_up(const struct turn *turn, struct call *call)
{
    call->status = turn->failed;
    call->error = turn->failure;
    call->replayed = call->unfinished_ = call->awaits_ = false;
}

/* False if the transaction failed. */
static bool run_alone(struct turn *turn, struct call *call)
{
    int again = 0;
    do {
        begin_attempt(turn);
        slice_begin(turn, 1);
        transact_begin(turn, &(struct error){ 0 });
        command_call(turn, call);
        if (end_attempt(turn)) {
            keep_progress(call);
            return true;
        }
        give_up(turn, call);
    } while (may_pass(turn, call->status, &again));
    return false;
}

/* False if the transaction failed. */
static bool fire_alone(struct turn *turn, const struct timer_row *timer)
{
    begin_attempt(turn);
    transact_begin(turn, &(struct error){ 0 });
    work_fire(turn, timer);
    if (end_attempt(turn)) return true;
    work_put_back(turn, timer, true);
    return false;
}

/* Each in a transaction of its own: what cannot be done does not take the rest with it. But if two in a row
 * fail when the turn is long already, those behind them would only wait as long. Answers of the attempt
 * before are void, refusals too: they may rest on what was rolled back. */
static void run_apart(struct turn *turn)
{
    int failed = 0; /* In a row. */
    turn->late = true;
    for (size_t i = 0; i < turn->due.count; i++) {
        const struct timer_row *timer = &turn->due.timer[i].row;
        if (!turn->due.timer[i].fired) continue;
        if (failed > 1 && is_long(turn)) work_put_back(turn, timer, true);
        else failed = fire_alone(turn, timer) ? 0 : failed + 1;
    }
    for (struct call *call = turn->ran.first; call; call = call->next_) {
        if (!call_is_command(call)) continue;
        if (failed > 1 && is_long(turn)) give_up(turn, call);
        else failed = run_alone(turn, call) ? 0 : failed + 1;
    }
    turn->late = false;
}

/* A turn of its own: what fails in a transaction with them must not keep them alive. */
static void end_transients(struct turn *turn)
{
    int again = 0;
    do {
        begin_attempt(turn);
        transact_begin(turn, &(struct error){ 0 });
        not_recoverable_end(turn);
    } while (!end_attempt(turn) && may_pass(turn, turn->failed, &again));
}

/* A turn of its own, too. It changes the configuration, and with busy nodes only a repetition succeeds, which
 * keeps all of them waiting from its beginning on (store/postgres/commit.c). */
static void finish_index(struct turn *turn)
{
    int again = 0;
    bool done;
    do {
        begin_attempt(turn);
        index_finish(turn);
        done = end_attempt(turn);
    } while (!done && may_pass(turn, turn->failed, &again));
    if (!done) backlog_hold(&turn->engine->transact.backlog[BACKLOG_INDEX], turn->now_ms);
}

/* Was it the work left by earlier turns that the first attempt had no room for? It is not repeated, and would
 * find the disk full again. */
static bool left_over_is_full(const struct turn *turn, enum status first)
{
    if (first != ST_FULL || turn->left_over_failed) return first == ST_FULL;
    for (size_t i = 0; i < turn->due.count; i++)
        if (turn->due.timer[i].fired) return false;
    for (const struct call *call = turn->ran.first; call; call = call->next_)
        if (call_is_command(call)) return false;
    return true;
}

static void run(struct turn *turn)
{
    if (backlogs_may_go_on(turn->engine, BACKLOG_TRANSIENT)) {
        end_transients(turn);
        if (!turn->engine->draining) return; /* Else no turn may follow, and every call is answered. */
    }
    if (!turn->solo && turn->engine->entities.index_finished &&
        backlogs_may_go_on(turn->engine, BACKLOG_INDEX))
        finish_index(turn);
    work_take_timers(turn);
    bool done = run_together(turn);
    if (!done && !turn->engine->broken) metric_add(&turn->engine->metrics->turns_repeated, 1);
    enum status first = done ? ST_OK : turn->failed;
    /* After a rollback the store can begin its log anew, which may be all the room it needs. */
    if (!done && turn->failed == ST_AGAIN) metric_add(&turn->engine->metrics->conflicts, 1);
    if (!done && (turn->failed == ST_FULL || turn->failed == ST_AGAIN)) done = run_again(turn);
    if (done && left_over_is_full(turn, first)) room_release(turn->engine);
    if (!done && turn->failed == ST_FULL && room_release(turn->engine)) done = run_again(turn);
    if (!done) run_apart(turn);
    work_put_back_unfired(turn);
}

/* ---- answers ---- */

/* Reads bring their instances into memory. Calls that find too much there already wait for the next turn,
 * before all others. */
static void answer_calls(struct turn *turn)
{
    struct call_list done = turn->ran, left = { 0 };
    turn->ran = (struct call_list){ 0 };
    slice_begin(turn, 1);
    for (struct call *call; (call = call_list_take(&done)) != NULL;) {
        call->in_turn_ = false;
        if (call->kept_) continue; /* A unit has it, and answers it. */
        if (call->awaits_) lease_news_await(turn, call);
        else if (call->unfinished_) call_list_add(&turn->engine->work.continued, call);
        else if (!call_is_command(call) && slice_is_over(turn)) call_list_add(&left, call);
        else answers_give(turn, call);
    }
    call_list_append(&left, &turn->engine->work.writers);
    turn->engine->work.writers = left;
}

/* The engine stops, or its store is gone. Calls that wait for a turn will not have one; what they have opened
 * goes on after a restart. */
static void answer_waiting(struct turn *turn)
{
    struct error why = turn->engine->failure;
    if (!turn->engine->broken) fail(&why, ST_DRAINING, "", "the engine is stopping");
    work_refuse_waiting(turn, turn->engine->broken ? ST_STORE : ST_DRAINING, &why);
    units_release(turn, turn->engine->broken ? ST_STORE : ST_DRAINING, &why);
    answers_release(turn);
}

/* Jobs that were handed out or came back. */
static void follow_jobs(struct engine *engine)
{
    struct usage *usage = &engine->memory.usage;
    int32_t ns;
    size_t count;
    while (lanes_take_moved(&engine->memory.jobs, &ns, &count)) {
        struct tenant_usage *tenant = usage_of(usage, ns);
        if (tenant->is_limited) usage_set(usage, tenant, QUOTA_JOBS_IN_FLIGHT, (int64_t)count);
    }
}

static void set_gauges(const struct engine *engine)
{
    metric_set(&engine->metrics->jobs_ready, engine->memory.jobs.ready_count);
    metric_set(&engine->metrics->jobs_leased, engine->memory.jobs.leased_count);
    metric_set(&engine->metrics->polls_waiting, engine->memory.jobs.waiting_count);
    metric_set(&engine->metrics->calls_deferred,
               engine->work.shares.call_count + engine->work.continued.count);
    metric_set(&engine->metrics->events_routing, engine->events.routings.count);
    metric_set(&engine->metrics->schedules, engine->memory.schedules.count);
    metric_set(&engine->metrics->cache_bytes, engine->memory.cache.bytes);
    metric_set(&engine->metrics->nodes, engine->nodes.count);
    metric_set(&engine->metrics->storage_full, !room_for(engine, CALL_START));
}

/* Everybody waits for a turn. So the log tells which part of a long one it was. */
static void tell_slow(struct turn *turn, const char *first, int64_t ran_us)
{
    int64_t now_us = clock_monotonic_us(), took_us = now_us - turn->began_us;
    if (took_us < TURN_SLOW_MS * INT64_C(1000)) return;
    int64_t work_us = ran_us - turn->began_us - turn->commit_us;
    bool commits = turn->commit_us > work_us && turn->commit_us > now_us - ran_us;
    const char *cause = commits                     ? "the commit"
                        : now_us - ran_us > work_us ? "its answers"
                        : first                     ? first
                                                    : "timers and work of earlier turns";
    log_write(LOG_WARN, "a turn took long", "cause", cause, "#ms",
              arena_printf(&turn->arena, "%lld", (long long)took_us / 1000).p, "#commit_ms",
              arena_printf(&turn->arena, "%lld", (long long)turn->commit_us / 1000).p, NULL);
}

/* Nothing of a turn is left over for the next one: its memory is forgotten now. */
static void verify_end(const struct turn *turn)
{
    must(!turn->in_transaction && !turn->wrote && !turn->unit && !turn->first_unit);
    must(!turn->first_transition && !turn->first_changed && !turn->first_effects && !turn->timers_again);
    must(!turn->ran.first && !turn->continuing.first && !turn->polls.first);
    must(!turn->first_child && !turn->ripe && !turn->ticked && !turn->told && !turn->first_secret);
    must(!turn->all_loaded && !turn->ended && !turn->late && !turn->trusts_cache);
}

void turn_finish(struct turn *turn)
{
    turn->hooks->before(turn);
    run(turn);
    const char *first = turn->ran.first ? call_description(turn->ran.first->kind)->name : NULL;
    int64_t ran_us = clock_monotonic_us();
    answer_calls(turn);
    units_restore_unread(turn);
    turn->hooks->after(turn);
    if (turn->engine->draining || turn->engine->broken) answer_waiting(turn);
    poll_serve(turn);
    live_settle(&turn->engine->memory.live, turn->now_ms);
    follow_jobs(turn->engine);
    set_gauges(turn->engine);
    end_measure(turn);
    tell_slow(turn, first, ran_us);
    transact_forget(turn);
    verify_end(turn);
    arena_reset(&turn->arena);
    catalogue_trim(&turn->engine->memory.catalogue);
    model_cache_trim(&turn->engine->memory.models);
}
