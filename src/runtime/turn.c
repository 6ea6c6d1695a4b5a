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

struct slice turn_begin_slice(struct engine *engine, int parts)
{
    struct slice before = engine->slice;
    int64_t fuel = engine->limits.turn_fuel_max / parts, bytes = engine->limits.turn_bytes_max / parts;
    engine->slice = (struct slice){ engine->spent + fuel, engine->arena.used + (size_t)bytes };
    return before;
}

bool turn_slice_is_over(const struct engine *engine)
{
    return engine->spent >= engine->slice.fuel_end || engine->arena.used >= engine->slice.bytes_end;
}

/* A definition that was expensive once is taken for expensive until several commands have shown otherwise. */
void turn_note_cost(struct engine *engine, struct definition *definition, int64_t fuel)
{
    int64_t faded = definition->cost - definition->cost / 8;
    definition->cost = fuel > faded ? fuel : faded;
    if (!definition->cost) definition->cost = 1;
    engine->spent += fuel + FUEL_COMMAND;
}

/* ---- which calls wait ---- */

bool turn_is_cheap(const struct definition *definition)
{
    return definition && definition->cost && definition->cost < FUEL_EXPENSIVE;
}

/* Must the call wait for the second part of a turn? */
static bool must_wait(struct engine *engine, const struct call *call, uint64_t *ret_share)
{
    const struct definition *definition;
    int64_t number;
    switch (call->kind) {
    case CALL_START:
        definition = catalogue_peek_latest(&engine->catalogue, call->ns, call->definition_id, call->version);
        *ret_share =
            definition ? (uint64_t)definition->number : hash_bytes(call->definition_id) | UINT64_C(1) << 63;
        break;
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_RETRY:
    case CALL_MODIFY:
        if (!transact_find_definition(engine, call->id.instance, &number)) return false;
        definition = catalogue_peek(&engine->catalogue, number);
        *ret_share = (uint64_t)number;
        break;
    default: return false; /* A cancel overtakes, and what has items looks at each of them. */
    }
    return !turn_is_cheap(definition) || shares_hold(&engine->shares, *ret_share);
}

bool turn_item_must_wait(struct engine *engine, const struct call *item)
{
    uint64_t share;
    return !engine->late && must_wait(engine, item, &share);
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

static void fire(struct engine *engine, const struct timer_row *row)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    struct change *change = NULL;
    struct command command = {
        .kind = COMMAND_FIRE_TIMER, .now_ms = engine->now_ms, .number = row->number, .actor = STR("timer")
    };
    enum status status = transact_load(engine, row->instance, &instance, &definition, &err);
    if (status == ST_OK) status = transact_command(engine, definition, instance, &command, &change, &err);
    if (change) metric_add(&engine->metrics->timers_fired, 1);
    /* The store may read it the next time. */
    if (status == ST_STORE) transact_failed(engine, &err);
    if (status == ST_OK || status == ST_NOT_FOUND || engine->failed != ST_OK) return;
    char id[ID_CHARS + 1];
    id_print((struct id){ .instance = row->instance }, id);
    log_write(LOG_ERROR, "timer cannot fire; it is tried again", "instance", id, "reason", err.message, NULL);
    metric_add(&engine->metrics->timers_failed, 1);
    timers_add_again(&engine->timers, row, engine->now_ms + TIMER_FAILED_RETRY_MS);
}

static void take_timers(struct engine *engine)
{
    struct due_timers *due = &engine->due;
    struct error err;
    due->count = due->late = 0;
    if (engine->broken || engine->now_ms < engine->hold_timers_ms || !engine->reserve_parts) return;
    if (timers_load(&engine->timers, engine->store, engine->now_ms, &err) != ST_OK) {
        log_write(LOG_ERROR, "timers cannot be read", "reason", err.message, NULL);
        engine->hold_timers_ms = engine->now_ms + TIMERS_RETRY_MS;
    }
    while (due->count < COUNT(due->timer) &&
           timers_take_due(&engine->timers, engine->now_ms, &due->timer[due->count].row))
        due->timer[due->count++].fired = false;
}

static bool timer_must_wait(struct engine *engine, const struct timer_row *row)
{
    int64_t number;
    return transact_find_definition(engine, row->instance, &number) &&
           !turn_is_cheap(catalogue_peek(&engine->catalogue, number));
}

static void fire_due(struct engine *engine)
{
    struct due_timers *due = &engine->due;
    turn_begin_slice(engine, 2);
    for (size_t i = 0; i < due->count && !turn_slice_is_over(engine); i++) {
        if (timer_must_wait(engine, &due->timer[i].row)) continue;
        due->timer[i].fired = true;
        fire(engine, &due->timer[i].row);
    }
}

/* One of those that the first part has left. */
static bool fire_late(struct engine *engine)
{
    struct due_timers *due = &engine->due;
    while (due->late < due->count && due->timer[due->late].fired) due->late++;
    if (due->late == due->count) return false;
    struct due_timer *timer = &due->timer[due->late++];
    timer->fired = true;
    fire(engine, &timer->row);
    return true;
}

/* A timer that did not fire is still a row of the store. It has another chance: in the next turn, or soon if
 * its transaction failed. */
static void put_back(struct engine *engine, const struct timer_row *timer, bool failed)
{
    timers_add(&engine->timers, timer);
    if (failed) engine->hold_timers_ms = engine->now_ms + TIMERS_RETRY_MS;
}

static void put_back_unfired(struct engine *engine)
{
    for (size_t i = 0; i < engine->due.count; i++)
        if (!engine->due.timer[i].fired) put_back(engine, &engine->due.timer[i].row, false);
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

static void run_call(struct engine *engine, struct call *call)
{
    if (turn_is_command(call)) command_call(engine, call);
    else engine->spent += FUEL_READ; /* Answered after the commit. */
}

static void run_and_keep(struct engine *engine, struct call *call)
{
    run_call(engine, call);
    call_list_add(&engine->ran, call);
}

static void run_cheap(struct engine *engine)
{
    turn_begin_slice(engine, 1);
    for (struct call *call;
         !turn_slice_is_over(engine) && (call = call_list_take(&engine->writers)) != NULL;) {
        uint64_t share;
        if (must_wait(engine, call, &share)) defer(engine, call, share);
        else run_and_keep(engine, call);
    }
}

static bool run_share(struct engine *engine)
{
    struct call *call = shares_take(&engine->shares);
    if (call) run_and_keep(engine, call);
    return call != NULL;
}

/* Each call that goes on has its slice once in a turn. */
static bool run_continued(struct engine *engine)
{
    struct call *call = call_list_take(&engine->continuing);
    if (!call) return false;
    struct slice rest = turn_begin_slice(engine, SLICES_PER_TURN);
    run_and_keep(engine, call);
    engine->slice = rest;
    return true;
}

static bool route_on(struct engine *engine)
{
    struct slice rest = turn_begin_slice(engine, SLICES_PER_TURN);
    bool did = routings_go_on(engine);
    engine->slice = rest;
    return did;
}

/* Expensive work, in rotation. The rotation goes on where the last turn stopped. */
static void run_late(struct engine *engine)
{
    static bool (*const work[LATE_KINDS])(struct engine *) = { fire_late, run_share, run_continued,
                                                               route_on };
    turn_begin_slice(engine, 2);
    engine->late = true;
    call_list_append(&engine->continuing, &engine->continued);
    for (int idle = 0; idle < LATE_KINDS && !turn_slice_is_over(engine);) {
        idle = work[engine->late_next](engine) ? 0 : idle + 1;
        engine->late_next = (engine->late_next + 1) % LATE_KINDS;
    }
    /* Those that had no turn come first in the next one. */
    call_list_append(&engine->continuing, &engine->continued);
    engine->continued = engine->continuing;
    engine->continuing = (struct call_list){ 0 };
    engine->late = false;
}

/* What commands of earlier turns have left to be done: a little of it in every turn. */
static void run_left_over(struct engine *engine)
{
    turn_begin_slice(engine, 4);
    if (engine->pending_due && engine->failed == ST_OK && room_for(engine, CALL_START)) start_pending(engine);
    turn_begin_slice(engine, 4);
    if (engine->failed == ST_OK) children_go_on(engine);
    turn_begin_slice(engine, SLICES_PER_TURN);
    if (engine->failed == ST_OK) bulk_go_on(engine);
}

/* ---- the transaction ---- */

static bool has_command(const struct engine *engine)
{
    for (const struct call *call = engine->writers.first; call; call = call->next_)
        if (turn_is_command(call)) return true;
    return engine->due.count || engine->shares.first || engine->continued.first || routings_waiting(engine);
}

static void begin_attempt(struct engine *engine)
{
    engine->failed = engine->broken ? ST_STORE : ST_OK;
    engine->spent = 0;
    engine->settled_count = 0;
}

static void keep_progress(struct call *call)
{
    call->done_ = call->ran_;
    call->routed_ = call->routing_;
}

/* The calls have taken their part of the way: what they have done counts. */
static void note_progress(struct engine *engine)
{
    for (struct call *call = engine->ran.first; call; call = call->next_) keep_progress(call);
}

/* All in one transaction. False if nothing of it happened. */
static bool run_together(struct engine *engine)
{
    begin_attempt(engine);
    /* Before the first of them reads: each read outside of a transaction is one of its own. */
    if (has_command(engine)) transact_begin(engine, &(struct error){ 0 });
    fire_due(engine);
    run_cheap(engine);
    if (!engine->solo) run_late(engine);
    if (!engine->solo) run_left_over(engine);
    if (!transact_end(engine)) return false;
    note_progress(engine);
    return true;
}

/* The same work once more, after a rollback. */
static bool run_again(struct engine *engine)
{
    begin_attempt(engine);
    transact_begin(engine, &(struct error){ 0 });
    engine->late = true; /* What was chosen stays chosen. */
    for (size_t i = 0; i < engine->due.count; i++)
        if (engine->due.timer[i].fired) fire(engine, &engine->due.timer[i].row);
    for (struct call *call = engine->ran.first; call; call = call->next_) {
        turn_begin_slice(engine, 1);
        run_call(engine, call);
    }
    engine->late = false;
    if (!transact_end(engine)) return false;
    note_progress(engine);
    return true;
}

static void run_alone(struct engine *engine, struct call *call)
{
    do {
        begin_attempt(engine);
        turn_begin_slice(engine, 1);
        command_call(engine, call);
        if (transact_end(engine)) {
            keep_progress(call);
            return;
        }
        call->status = engine->failed;
        call->error = engine->failure;
        call->replayed = call->unfinished_ = false;
    } while (call->status == ST_FULL && !engine->broken && room_give(engine));
}

/* Each in a transaction of its own: what cannot be done does not take the rest with it. Answers
 * of the attempt before are void, refusals too: they may rest on what was rolled back. */
static void run_apart(struct engine *engine)
{
    engine->late = true;
    for (size_t i = 0; i < engine->due.count; i++) {
        if (!engine->due.timer[i].fired) continue;
        begin_attempt(engine);
        fire(engine, &engine->due.timer[i].row);
        if (!transact_end(engine)) put_back(engine, &engine->due.timer[i].row, true);
    }
    for (struct call *call = engine->ran.first; call; call = call->next_)
        if (turn_is_command(call)) run_alone(engine, call);
    engine->late = false;
}

void turn_run(struct engine *engine)
{
    take_timers(engine);
    bool done = run_together(engine);
    /* After a rollback the store can begin its log anew, which may be all the room it needs. */
    if (!done && engine->failed == ST_FULL) done = run_again(engine);
    if (!done && engine->failed == ST_FULL && room_give(engine)) done = run_again(engine);
    if (!done) run_apart(engine);
    put_back_unfired(engine);
}

bool turn_waiting(const struct engine *engine)
{
    if (engine->writers.first || engine->shares.first || routings_waiting(engine)) return true;
    /* No event can begin a long way before one of those that are held has come further. */
    if (engine->routings.count >= ROUTINGS_MAX && engine->now_ms < engine->routings.hold_ms) return false;
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
