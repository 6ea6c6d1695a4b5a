/* runtime/work_due.c — the work of a turn: which timers and calls run, and in which order.
 *
 *     timers that are due ──► cheap calls, in order ──► expensive work, in rotation
 *                                                              │
 *                                work left by earlier turns ◄──┘
 *
 * A call is *cheap* if the commands of its definition have cost little so far. Calls on other definitions
 * wait in their shares (shares.h), those of a higher priority first. Expensive work runs in rotation: a
 * timer, a call of a share, a call that takes several turns (a batch, events), a piece of an event's way to
 * its instances (route.c). So each of them advances in every few turns, whatever the others do.
 */
#include "runtime/runtime_int.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum {
    TIMERS_RETRY_MS = 1000,
    TIMER_FAILED_RETRY_MS = 10000,
    TIMER_OF_UNIT_RETRY_MS = 100,
    LATE_KINDS = 4,
};

static void defer(struct engine *engine, struct call *call, struct share_place place)
{
    size_t max = (size_t)engine->limits.share_calls_max;
    if (shares_count(&engine->work.shares, place.key) < max) {
        shares_add(&engine->work.shares, place, call);
        return;
    }
    metric_add(&engine->metrics->rejected_overload, 1);
    call->status = fail(&call->error, ST_OVERLOAD, "definition",
                        "%zu requests wait for this definition, whose commands are expensive, the most "
                        "allowed (share_calls_max)",
                        max);
    call_list_add(&engine->answered, call);
}

void work_fire(struct turn *turn, const struct timer_row *row)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    struct transition *transition = NULL;
    if (units_have(turn, row->instance)) { /* It fires when the unit is over. */
        effects_fire_again(turn, row, turn->now_ms + TIMER_OF_UNIT_RETRY_MS);
        return;
    }
    enum status status = found_needed(transact_load(turn, row->instance, &instance, &definition, &err));
    /* An instance whose time is over does nothing more: its deadline comes before its other timers. */
    bool is_late = status == ST_OK && instance->deadline_ms && instance->deadline_ms <= turn->now_ms;
    struct command command = command_fire_timer(
        turn->now_ms, STR("timer"), NULL, (struct command_timer){ .number = is_late ? 0 : row->number });
    if (status == ST_OK && !is_late)
        command.stamp =
            dialect_timer_stamp(definition->program, instance, row->number, turn->now_ms, &turn->arena);
    if (status == ST_OK) status = follow_command(turn, definition, instance, &command, &transition, &err);
    if (transition) turn->counts.timers_fired++;
    /* The store may read it the next time. */
    if (status == ST_STORE) transact_failed(turn, &err);
    if (status == ST_OK || status == ST_NOT_FOUND || turn->failed != ST_OK) return;
    char id[ID_CHARS + 1];
    id_print((struct id){ .instance = row->instance }, id);
    log_write(LOG_ERROR, "timer cannot fire; it is tried again", "instance", id, "reason", err.message, NULL);
    turn->counts.timers_failed++;
    effects_fire_again(turn, row, turn->now_ms + TIMER_FAILED_RETRY_MS);
}

/* A turn goes round the tenants by what their calls cost; this is about 100 µs. */
enum { TENANT_QUANTUM = 5000 };

/* Orders the list: a call of each tenant, then one of each again. */
static void share_out(struct call_list *calls)
{
    struct fair_calls fair;
    size_t count = calls->count;
    fair_init(&fair, 1);
    fair_append(&fair, calls);
    fair_empty(&fair, calls);
    fair_done(&fair);
    must(calls->count == count);
}

void work_share_out(struct turn *turn) { share_out(&turn->engine->work.writers); }

static bool have_tenants(const struct call_list *calls)
{
    for (const struct call *call = calls->first; call; call = call->next_)
        if (call->ns != calls->first->ns) return true;
    return false;
}

void work_take_timers(struct turn *turn)
{
    struct due_timers *due = &turn->due;
    struct error err;
    due->count = due->late = 0;
    if (turn->engine->broken || turn->now_ms < turn->engine->work.hold_timers_ms ||
        !room_to_go_on(turn->engine))
        return;
    if (timers_load(&turn->engine->memory.timers, turn->engine->store, turn->now_ms, &err) != ST_OK) {
        log_write(LOG_ERROR, "timers cannot be read", "reason", err.message, NULL);
        turn->engine->work.hold_timers_ms = turn->now_ms + TIMERS_RETRY_MS;
    }
    while (due->count < COUNT(due->timer) &&
           timers_take_due(&turn->engine->memory.timers, turn->now_ms, &due->timer[due->count].row))
        due->timer[due->count++].fired = false;
}

static bool timer_must_wait(struct turn *turn, const struct timer_row *row)
{
    int64_t number;
    return transact_find_definition(turn, row->instance, &number) &&
           !catalogue_is_cheap(catalogue_peek(&turn->engine->memory.catalogue, number));
}

void work_fire_due(struct turn *turn)
{
    struct due_timers *due = &turn->due;
    slice_begin(turn, 2);
    for (size_t i = 0; i < due->count && !slice_is_over(turn); i++) {
        if (timer_must_wait(turn, &due->timer[i].row)) continue;
        due->timer[i].fired = true;
        work_fire(turn, &due->timer[i].row);
    }
}

/* One of those that the first part has left. */
static bool fire_late(struct turn *turn)
{
    struct due_timers *due = &turn->due;
    while (due->late < due->count && due->timer[due->late].fired) due->late++;
    if (due->late == due->count) return false;
    struct due_timer *timer = &due->timer[due->late++];
    must(!timer->fired);
    timer->fired = true;
    work_fire(turn, &timer->row);
    return true;
}

/* A timer that did not fire is still a row of the store. It has another chance: in the next turn, or soon if
 * its transaction failed. One that has come again may lie behind the window's end, and nobody would load it
 * a second time. */
void work_put_back(struct turn *turn, const struct timer_row *timer, bool failed)
{
    timers_add_again(&turn->engine->memory.timers, timer, timer->due_ms);
    if (failed) turn->engine->work.hold_timers_ms = turn->now_ms + TIMERS_RETRY_MS;
}

void work_put_back_unfired(struct turn *turn)
{
    for (size_t i = 0; i < turn->due.count; i++)
        if (!turn->due.timer[i].fired) work_put_back(turn, &turn->due.timer[i].row, false);
}

static void run_call(struct turn *turn, struct call *call)
{
    if (call_is_command(call)) command_call(turn, call);
    else turn->spent += FUEL_READ; /* Answered after the commit. */
}

static void run_and_keep(struct turn *turn, struct call *call)
{
    must(!call->in_turn_);
    run_call(turn, call);
    call->in_turn_ = true;
    call_list_add(&turn->ran, call);
}

static void run_or_defer(struct turn *turn, struct call *call)
{
    struct share_place place;
    if (cost_must_wait(turn, call, &place)) defer(turn->engine, call, place);
    else run_and_keep(turn, call);
}

/* The calls that had no turn come first in the next one, beginning with the tenant whose turn it is. */
static void run_by_turns(struct turn *turn)
{
    struct waiting_work *work = &turn->engine->work;
    struct fair_calls fair;
    fair_init(&fair, TENANT_QUANTUM);
    fair_append(&fair, &work->writers);
    for (struct call *call; !slice_is_over(turn) && (call = fair_take(&fair)) != NULL;) {
        int64_t spent = turn->spent;
        run_or_defer(turn, call);
        fair_charge(&fair, turn->spent - spent + 1);
    }
    fair_empty(&fair, &work->writers);
    fair_done(&fair);
    work->has_tenants = have_tenants(&work->writers);
}

void work_run_cheap(struct turn *turn)
{
    slice_begin(turn, 1);
    if (turn->engine->work.has_tenants) run_by_turns(turn);
    for (struct call *call;
         !slice_is_over(turn) && (call = call_list_take(&turn->engine->work.writers)) != NULL;)
        run_or_defer(turn, call);
}

static bool run_share(struct turn *turn)
{
    struct call *call = shares_take(&turn->engine->work.shares);
    if (!call) return false;
    int64_t spent = turn->spent;
    shared_jobs_ask(turn, call);
    run_and_keep(turn, call);
    shares_charge(&turn->engine->work.shares, turn->spent - spent + 1);
    return true;
}

/* Each call that goes on has its slice once in a turn. */
static bool run_continued(struct turn *turn)
{
    struct call *call = call_list_take(&turn->continuing);
    if (!call) return false;
    struct slice rest = slice_begin(turn, SLICES_PER_TURN);
    shared_jobs_ask(turn, call);
    run_and_keep(turn, call);
    turn->slice = rest;
    return true;
}

static bool route_on(struct turn *turn)
{
    struct slice rest = slice_begin(turn, SLICES_PER_TURN);
    bool did = routings_go_on(turn);
    turn->slice = rest;
    return did;
}

/* Expensive work, in rotation. The rotation goes on where the last turn stopped. */
void work_run_late(struct turn *turn)
{
    must(!turn->continuing.first);
    static bool (*const work[LATE_KINDS])(struct turn *) = { fire_late, run_share, run_continued, route_on };
    slice_begin(turn, 2);
    turn->late = true;
    call_list_append(&turn->continuing, &turn->engine->work.continued);
    if (have_tenants(&turn->continuing)) share_out(&turn->continuing);
    for (int idle = 0; idle < LATE_KINDS && !slice_is_over(turn);) {
        idle = work[turn->engine->work.late_next](turn) ? 0 : idle + 1;
        turn->engine->work.late_next = (turn->engine->work.late_next + 1) % LATE_KINDS;
    }
    /* Calls that had no turn come first in the next one. */
    call_list_append(&turn->continuing, &turn->engine->work.continued);
    turn->engine->work.continued = turn->continuing;
    turn->continuing = (struct call_list){ 0 };
    turn->late = false;
}

/* Goes on with work that commands of earlier turns have left, a little in every turn. */
void work_run_left_over(struct turn *turn)
{
    backlogs_go_on(turn);
    if (turn->failed == ST_OK && turn->engine->transact.units.late_count) units_go_on(turn);
}

static bool has_command(const struct turn *turn)
{
    for (const struct call *call = turn->engine->work.writers.first; call; call = call->next_)
        if (call_is_command(call)) return true;
    return turn->due.count || turn->engine->work.shares.call_count || turn->engine->work.continued.first ||
           routings_waiting(turn->engine);
}

void work_begin(struct turn *turn)
{
    turn->hooks->begin(turn);
    if (has_command(turn)) transact_begin(turn, &(struct error){ 0 });
}

bool work_waiting(const struct engine *engine)
{
    if (engine->work.writers.first || engine->work.shares.call_count || routings_waiting(engine) ||
        engine->transact.units.late_count)
        return true;
    /* No event can begin a long way before one of those that are held has come further. */
    if (engine->events.routings.count >= ROUTINGS_MAX &&
        engine->turn.now_ms < engine->transact.backlog[BACKLOG_ROUTING].hold_ms)
        return false;
    /* A call whose event is on its way only waits for that. */
    for (const struct call *call = engine->work.continued.first; call; call = call->next_)
        if (!routings_is_open(engine, call->routing_)) return true;
    return false;
}

/* The engine stops, or the store is gone: what has not been done will not be. */
void work_refuse_waiting(struct turn *turn, enum status status, const struct error *why)
{
    for (struct call *call; (call = shares_take(&turn->engine->work.shares)) != NULL;)
        call_list_add(&turn->engine->work.continued, call);
    call_list_append(&turn->engine->work.continued, &turn->engine->nodes.leases.waiting);
    turn->engine->nodes.leases.waiting = (struct call_list){ 0 };
    for (struct call *call; (call = call_list_take(&turn->engine->work.continued)) != NULL;) {
        call->status = status;
        call->error = *why;
        call_list_add(&turn->engine->answered, call);
    }
}

void work_repeat(struct turn *turn)
{
    turn->late = true; /* The choice of the first attempt stands, expensive calls included. */
    for (size_t i = 0; i < turn->due.count; i++)
        if (turn->due.timer[i].fired) work_fire(turn, &turn->due.timer[i].row);
    for (struct call *call = turn->ran.first; call; call = call->next_) {
        slice_begin(turn, 1);
        run_call(turn, call);
    }
    turn->late = false;
}
