/* runtime/turn.c — the work of one turn: what is done, in which order, and how much of it.
 *
 *     timers that are due ──► cheap calls, in order ──► expensive work, in rotation ──► one commit
 *
 * A turn is bounded, so that nobody waits long for the next one. Its unit is the operation
 * (core/core.h), not the clock: a turn does the same in a test, in the simulation and on a slow machine. A
 * part of the turn ends when it has used up its slice of operations or memory; what is left goes on in the
 * next turn.
 *
 * *Cheap* is a call whose definition's commands have cost little so far. Calls on other definitions wait in
 * their shares (shares.h). Expensive work is done in rotation: a timer, a call of a share, a call that goes
 * on (a batch, events), a piece of an event's way to its instances (routing.c). Each of them advances in
 * every few turns, whatever the others do.
 *
 * Not here: what a call means (commands.c), the transaction (transact.c).
 */
#include "runtime/engine_int.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/must.h"

enum {
    TIMERS_RETRY_MS = 1000,
    TIMER_FAILED_RETRY_MS = 10000,
    LATE_KINDS = 4,
};

/* ---- budgets ---- */

struct slice turn_begin_slice(struct turn *turn, int parts)
{
    struct slice before = turn->slice;
    int64_t fuel = turn->engine->limits.turn_fuel_max / parts,
            bytes = turn->engine->limits.turn_bytes_max / parts;
    turn->slice = (struct slice){ turn->spent + fuel, turn->arena.used + (size_t)bytes };
    return before;
}

bool turn_slice_is_over(const struct turn *turn)
{
    return turn->spent >= turn->slice.fuel_end || turn->arena.used >= turn->slice.bytes_end;
}

/* A definition that was expensive once is taken for expensive until several commands have shown otherwise. */
void turn_note_cost(struct turn *turn, struct definition *definition, int64_t fuel)
{
    int64_t faded = definition->cost - definition->cost / 8;
    definition->cost = fuel > faded ? fuel : faded;
    if (!definition->cost) definition->cost = 1;
    turn->spent += fuel + FUEL_COMMAND;
}

/* ---- which calls wait ---- */

bool turn_is_cheap(const struct definition *definition)
{
    return definition && definition->cost && definition->cost < FUEL_EXPENSIVE;
}

/* Must the call wait for the second part of a turn? */
static bool must_wait(struct turn *turn, const struct call *call, uint64_t *ret_share)
{
    const struct definition *definition;
    int64_t number;
    switch (call->kind) {
    case CALL_START:
        definition =
            catalogue_peek_latest(&turn->engine->catalogue, call->ns, call->definition_id, call->version);
        *ret_share =
            definition ? (uint64_t)definition->number : hash_bytes(call->definition_id) | UINT64_C(1) << 63;
        break;
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_RETRY:
    case CALL_MODIFY:
        if (!transact_find_definition(turn, call->id.instance, &number)) return false;
        definition = catalogue_peek(&turn->engine->catalogue, number);
        *ret_share = (uint64_t)number;
        break;
    default: return false; /* A cancel overtakes, and what has items looks at each of them. */
    }
    return !turn_is_cheap(definition) || shares_hold(&turn->engine->shares, *ret_share);
}

bool turn_item_must_wait(struct turn *turn, const struct call *item)
{
    uint64_t share;
    return !turn->late && must_wait(turn, item, &share);
}

static void defer(struct engine *engine, struct call *call, uint64_t share)
{
    size_t max = (size_t)engine->limits.share_calls_max;
    if (shares_count(&engine->shares, share) < max) {
        shares_add(&engine->shares, share, call);
        return;
    }
    metric_add(&engine->metrics->rejected_overload, 1);
    call->status = fail(&call->error, ST_OVERLOAD, "definition",
                        "%zu requests wait for this definition, whose commands are expensive, the most "
                        "allowed (share_calls_max)",
                        max);
    call_list_add(&engine->answered, call);
}

/* ---- timers ---- */

static void fire(struct turn *turn, const struct timer_row *row)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    struct transition *transition = NULL;
    struct command command = {
        .kind = COMMAND_FIRE_TIMER, .now_ms = turn->now_ms, .number = row->number, .actor = STR("timer")
    };
    enum status status = transact_load(turn, row->instance, &instance, &definition, &err);
    if (status == ST_OK) status = transact_command(turn, definition, instance, &command, &transition, &err);
    if (transition) metric_add(&turn->engine->metrics->timers_fired, 1);
    /* The store may read it the next time. */
    if (status == ST_STORE) transact_failed(turn, &err);
    if (status == ST_OK || status == ST_NOT_FOUND || turn->failed != ST_OK) return;
    char id[ID_CHARS + 1];
    id_print((struct id){ .instance = row->instance }, id);
    log_write(LOG_ERROR, "timer cannot fire; it is tried again", "instance", id, "reason", err.message, NULL);
    metric_add(&turn->engine->metrics->timers_failed, 1);
    timers_add_again(&turn->engine->timers, row, turn->now_ms + TIMER_FAILED_RETRY_MS);
}

static void take_timers(struct turn *turn)
{
    struct due_timers *due = &turn->due;
    struct error err;
    due->count = due->late = 0;
    if (turn->engine->broken || turn->now_ms < turn->engine->hold_timers_ms || !room_to_go_on(turn->engine))
        return;
    if (timers_load(&turn->engine->timers, turn->engine->store, turn->now_ms, &err) != ST_OK) {
        log_write(LOG_ERROR, "timers cannot be read", "reason", err.message, NULL);
        turn->engine->hold_timers_ms = turn->now_ms + TIMERS_RETRY_MS;
    }
    while (due->count < COUNT(due->timer) &&
           timers_take_due(&turn->engine->timers, turn->now_ms, &due->timer[due->count].row))
        due->timer[due->count++].fired = false;
}

static bool timer_must_wait(struct turn *turn, const struct timer_row *row)
{
    int64_t number;
    return transact_find_definition(turn, row->instance, &number) &&
           !turn_is_cheap(catalogue_peek(&turn->engine->catalogue, number));
}

static void fire_due(struct turn *turn)
{
    struct due_timers *due = &turn->due;
    turn_begin_slice(turn, 2);
    for (size_t i = 0; i < due->count && !turn_slice_is_over(turn); i++) {
        if (timer_must_wait(turn, &due->timer[i].row)) continue;
        due->timer[i].fired = true;
        fire(turn, &due->timer[i].row);
    }
}

/* One of those that the first part has left. */
static bool fire_late(struct turn *turn)
{
    struct due_timers *due = &turn->due;
    while (due->late < due->count && due->timer[due->late].fired) due->late++;
    if (due->late == due->count) return false;
    struct due_timer *timer = &due->timer[due->late++];
    timer->fired = true;
    fire(turn, &timer->row);
    return true;
}

/* A timer that did not fire is still a row of the store. It has another chance: in the next turn, or soon if
 * its transaction failed. */
static void put_back(struct turn *turn, const struct timer_row *timer, bool failed)
{
    timers_add(&turn->engine->timers, timer);
    if (failed) turn->engine->hold_timers_ms = turn->now_ms + TIMERS_RETRY_MS;
}

static void put_back_unfired(struct turn *turn)
{
    for (size_t i = 0; i < turn->due.count; i++)
        if (!turn->due.timer[i].fired) put_back(turn, &turn->due.timer[i].row, false);
}

/* ---- calls ---- */

bool turn_is_command(const struct call *call)
{
    static const bool writes[CALL_KIND_COUNT] = {
#define XX(NAME, where, writes) [CALL_##NAME] = writes,
        CALL_MAP(XX)
#undef XX
    };
    return writes[call->kind];
}

static void run_call(struct turn *turn, struct call *call)
{
    if (turn_is_command(call)) command_call(turn, call);
    else turn->spent += FUEL_READ; /* Answered after the commit. */
}

static void run_and_keep(struct turn *turn, struct call *call)
{
    run_call(turn, call);
    call_list_add(&turn->ran, call);
}

static void run_cheap(struct turn *turn)
{
    turn_begin_slice(turn, 1);
    for (struct call *call;
         !turn_slice_is_over(turn) && (call = call_list_take(&turn->engine->writers)) != NULL;) {
        uint64_t share;
        if (must_wait(turn, call, &share)) defer(turn->engine, call, share);
        else run_and_keep(turn, call);
    }
}

static bool run_share(struct turn *turn)
{
    struct call *call = shares_take(&turn->engine->shares);
    if (call) run_and_keep(turn, call);
    return call != NULL;
}

/* Each call that goes on has its slice once in a turn. */
static bool run_continued(struct turn *turn)
{
    struct call *call = call_list_take(&turn->continuing);
    if (!call) return false;
    struct slice rest = turn_begin_slice(turn, SLICES_PER_TURN);
    run_and_keep(turn, call);
    turn->slice = rest;
    return true;
}

static bool route_on(struct turn *turn)
{
    struct slice rest = turn_begin_slice(turn, SLICES_PER_TURN);
    bool did = routings_go_on(turn);
    turn->slice = rest;
    return did;
}

/* Expensive work, in rotation. The rotation goes on where the last turn stopped. */
static void run_late(struct turn *turn)
{
    static bool (*const work[LATE_KINDS])(struct turn *) = { fire_late, run_share, run_continued, route_on };
    turn_begin_slice(turn, 2);
    turn->late = true;
    call_list_append(&turn->continuing, &turn->engine->continued);
    for (int idle = 0; idle < LATE_KINDS && !turn_slice_is_over(turn);) {
        idle = work[turn->engine->late_next](turn) ? 0 : idle + 1;
        turn->engine->late_next = (turn->engine->late_next + 1) % LATE_KINDS;
    }
    /* Those that had no turn come first in the next one. */
    call_list_append(&turn->continuing, &turn->engine->continued);
    turn->engine->continued = turn->continuing;
    turn->continuing = (struct call_list){ 0 };
    turn->late = false;
}

/* What commands of earlier turns have left to be done: a little of it in every turn. */
static void run_left_over(struct turn *turn)
{
    turn_begin_slice(turn, 4);
    if (turn->engine->pending_due && turn->failed == ST_OK && room_for(turn->engine, CALL_START))
        start_pending(turn);
    turn_begin_slice(turn, 4);
    if (turn->failed == ST_OK) children_go_on(turn);
    turn_begin_slice(turn, SLICES_PER_TURN);
    if (turn->failed == ST_OK) bulk_go_on(turn);
}

/* ---- the transaction ---- */

static bool has_command(const struct turn *turn)
{
    for (const struct call *call = turn->engine->writers.first; call; call = call->next_)
        if (turn_is_command(call)) return true;
    return turn->due.count || turn->engine->shares.first || turn->engine->continued.first ||
           routings_waiting(turn->engine);
}

static void begin_attempt(struct turn *turn)
{
    turn->failed = turn->engine->broken ? ST_STORE : ST_OK;
    if (turn->engine->broken) turn->failure = turn->engine->failure;
    turn->spent = 0;
    turn->settled_count = 0;
}

static void keep_progress(struct call *call)
{
    call->done_ = call->ran_;
    call->routed_ = call->routing_;
}

/* The calls have taken their part of the way: what they have done counts. */
static void note_progress(struct turn *turn)
{
    for (struct call *call = turn->ran.first; call; call = call->next_) keep_progress(call);
}

/* All in one transaction. False if nothing of it happened. */
static bool run_together(struct turn *turn)
{
    begin_attempt(turn);
    /* Before the first of them reads: each read outside of a transaction is one of its own. */
    if (has_command(turn)) transact_begin(turn, &(struct error){ 0 });
    fire_due(turn);
    run_cheap(turn);
    if (!turn->solo) run_late(turn);
    if (!turn->solo) run_left_over(turn);
    if (!transact_end(turn)) return false;
    note_progress(turn);
    return true;
}

/* The same work once more, after a rollback. */
static bool run_again(struct turn *turn)
{
    begin_attempt(turn);
    transact_begin(turn, &(struct error){ 0 });
    turn->late = true; /* What was chosen stays chosen. */
    for (size_t i = 0; i < turn->due.count; i++)
        if (turn->due.timer[i].fired) fire(turn, &turn->due.timer[i].row);
    for (struct call *call = turn->ran.first; call; call = call->next_) {
        turn_begin_slice(turn, 1);
        run_call(turn, call);
    }
    turn->late = false;
    if (!transact_end(turn)) return false;
    note_progress(turn);
    return true;
}

static void run_alone(struct turn *turn, struct call *call)
{
    do {
        begin_attempt(turn);
        turn_begin_slice(turn, 1);
        command_call(turn, call);
        if (transact_end(turn)) {
            keep_progress(call);
            return;
        }
        call->status = turn->failed;
        call->error = turn->failure;
        call->replayed = call->unfinished_ = false;
    } while (call->status == ST_FULL && !turn->engine->broken && room_release(turn->engine));
}

/* Each in a transaction of its own: what cannot be done does not take the rest with it. Answers
 * of the attempt before are void, refusals too: they may rest on what was rolled back. */
static void run_apart(struct turn *turn)
{
    turn->late = true;
    for (size_t i = 0; i < turn->due.count; i++) {
        if (!turn->due.timer[i].fired) continue;
        begin_attempt(turn);
        fire(turn, &turn->due.timer[i].row);
        if (!transact_end(turn)) put_back(turn, &turn->due.timer[i].row, true);
    }
    for (struct call *call = turn->ran.first; call; call = call->next_)
        if (turn_is_command(call)) run_alone(turn, call);
    turn->late = false;
}

void turn_run(struct turn *turn)
{
    take_timers(turn);
    bool done = run_together(turn);
    /* After a rollback the store can begin its log anew, which may be all the room it needs. */
    if (!done && turn->failed == ST_FULL) done = run_again(turn);
    if (!done && turn->failed == ST_FULL && room_release(turn->engine)) done = run_again(turn);
    if (!done) run_apart(turn);
    put_back_unfired(turn);
}

bool turn_waiting(const struct engine *engine)
{
    if (engine->writers.first || engine->shares.first || routings_waiting(engine)) return true;
    /* No event can begin a long way before one of those that are held has come further. */
    if (engine->routings.count >= ROUTINGS_MAX && engine->turn.now_ms < engine->routings.hold_ms)
        return false;
    /* A call whose event is on its way only waits for that. */
    for (const struct call *call = engine->continued.first; call; call = call->next_)
        if (!routings_is_open(engine, call->routing_)) return true;
    return false;
}

/* The engine stops, or the store is gone: what has not been done will not be. */
void turn_refuse_waiting(struct engine *engine, enum status status, const struct error *why)
{
    for (struct call *call; (call = shares_take(&engine->shares)) != NULL;)
        call_list_add(&engine->continued, call);
    for (struct call *call; (call = call_list_take(&engine->continued)) != NULL;) {
        call->status = status;
        call->error = *why;
        call_list_add(&engine->answered, call);
    }
}
