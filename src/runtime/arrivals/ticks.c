/* runtime/arrivals/ticks.c — schedules fire.
 *
 *     a slot is due ──► its record still has the mark that memory knows ──► the arrival
 *                                                                              │
 *                                             the record's mark is the slot ◄──┘
 *
 * All of it is one transaction, so a slot has fired exactly if its mark is stored: after a crash it fires
 * again only if nothing came of it. The engine's clock does not go back, and slots up to the mark are over,
 * so that no clock makes a slot fire twice. A slot that comes more than a minute late (the clock was set
 * forward, the disk was full) counts as missed, like those of the time when the engine was down: then one
 * arrival stands for all of them, or none. The newest slot that is due fires if it is in time, whatever was
 * missed before it.
 *
 * A transaction that fails takes the turn's slots with it. The next turns fire one schedule each, and one
 * that fails alone waits longer each time, so that it does not hold up the others. So does one for whose
 * instance the engine has no room. One that another node was faster than has not failed: it comes again at
 * once, or it would be too late after a few of them.
 *
 * If several nodes share the store, one of them fires. The others do not follow its marks: one that begins to
 * lead reads them first (nodes/heartbeat.c).
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/datetime.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

enum {
    MISSED_AFTER_MS = 60000,
    FAILED_HOLD_MS = 1000,
    FAILED_ALONE_MS = 1000, /* The first time; then twice as long each time, … */
    FAILED_DOUBLINGS = 4,   /* … so often. */
    AGAIN_MS = 20,          /* Another node was faster, and may be so for a moment. */
};

/* A definition whose records the transaction has changed. */
struct rescheduled {
    str definition; /* Its qualified name. */
    struct rescheduled *next;
};

static void note_rescheduled(struct turn *turn, str definition)
{
    struct rescheduled *rescheduled = arena_make(&turn->arena, struct rescheduled);
    rescheduled->definition = arena_str(&turn->arena, definition);
    rescheduled->next = turn->rescheduled;
    turn->rescheduled = rescheduled;
}

enum status ticks_forget(struct turn *turn, int32_t ns, size_t max, size_t *ret_count, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_SCHEDULE,
                                          .prefix = tenant_qualify(ns, STR_NONE, &turn->arena),
                                          .max = max };
    struct record_row *row;
    must(ns > TENANT_DEFAULT);
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &row, ret_count, err));
    for (size_t i = 0; i < *ret_count; i++)
        note_rescheduled(turn, str_slice(row[i].key, 0, str_find(row[i].key, (str){ "", 1 }, 0)));
    struct changeset changeset = { .record_remove = row, .record_remove_count = *ret_count };
    return *ret_count ? transact_rows(turn, &changeset, err) : ST_OK;
}

/* ---- deploying ---- */

static const struct record_row *find_row(const struct record_row *row, size_t count, str key)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(row[i].key, key)) return &row[i];
    return NULL;
}

/* An interval counts from the publication. A cron text that stays as it was goes on: a slot that is due now
 * fires, and those that were dropped stay so. */
static str record_of(struct turn *turn, str definition, const struct program_arrival *arrival,
                     const struct record_row *old)
{
    const struct arrival_terms *terms = &arrival->terms;
    const struct scheduled *armed =
        schedules_find(&turn->engine->memory.schedules, definition, arrival->name);
    struct schedule_record known, record = { .mark_ms = turn->now_ms,
                                             .anchor_ms = turn->now_ms,
                                             .interval_ms = terms->interval_ms,
                                             .cron = terms->interval_ms ? STR_NONE : terms->cron,
                                             .zone = terms->zone,
                                             .fires_missed = terms->fires_missed };
    if (!old || !schedule_record_decode(old->value, &known))
        return schedule_record_encode(&record, &turn->arena);
    if (armed && armed->mark_ms > known.mark_ms) known.mark_ms = armed->mark_ms;
    bool same = !known.interval_ms && !record.interval_ms && str_equal(known.cron, record.cron) &&
                str_equal(known.zone, record.zone);
    /* The clock may have been set back since. */
    if (same || known.mark_ms > record.mark_ms) record.mark_ms = known.mark_ms;
    return schedule_record_encode(&record, &turn->arena);
}

enum status ticks_deploy(struct turn *turn, const struct definition_row *row, const struct program *program,
                         struct error *err)
{
    str definition = tenant_key(row->ns, row->id, &turn->arena);
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_SCHEDULE,
                                          .prefix = schedule_key(definition, NULL, &turn->arena),
                                          .max = DEFINITION_STEPS_MAX };
    size_t arrival_count = program ? program->rules->arrival_count : 0;
    struct record_row *old, *put = arena_make_n(&turn->arena, struct record_row, arrival_count), *remove;
    size_t old_count, put_count = 0, remove_count = 0;
    struct definition_row latest;
    TRY(store_records(turn->engine->store, &filter, &turn->arena, &old, &old_count, err));
    for (size_t i = 0; i < arrival_count; i++) {
        const struct program_arrival *arrival = &program->rules->arrival[i];
        if (arrival->terms.type != ARRIVAL_CRON) continue;
        str key = schedule_key(definition, &arrival->name, &turn->arena);
        put[put_count++] = (struct record_row){ .ns = NAMESPACE_DEFAULT,
                                                .kind = RECORD_SCHEDULE,
                                                .key = key,
                                                .value = record_of(turn, definition, arrival,
                                                                   find_row(old, old_count, key)) };
    }
    if (!put_count && !old_count) return ST_OK;
    TRY(found_needed(store_find_definition(turn->engine->store, row->ns, row->id, VERSION_LATEST,
                                           &turn->arena, &latest, err)));
    if (latest.number != row->number) return ST_OK;

    remove = arena_make_n(&turn->arena, struct record_row, old_count);
    for (size_t i = 0; i < old_count; i++)
        if (!find_row(put, put_count, old[i].key)) remove[remove_count++] = old[i];
    struct changeset changeset = { .record_put = put,
                                   .record_put_count = put_count,
                                   .record_remove = remove,
                                   .record_remove_count = remove_count };
    TRY(transact_rows(turn, &changeset, err));
    note_rescheduled(turn, definition);
    return ST_OK;
}

/* ---- firing ---- */

/* The slot that fires now; false: none does. */
static bool choose_slot(struct turn *turn, struct scheduled *scheduled, int64_t *ret_slot_ms)
{
    int64_t mark_ms = scheduled->mark_ms;
    bool fires = schedules_choose_slot(&turn->engine->memory.schedules, scheduled, turn->now_ms,
                                       turn->now_ms - MISSED_AFTER_MS, ret_slot_ms);
    if (scheduled->mark_ms != mark_ms) metric_add(&turn->engine->metrics->slots_missed, 1);
    return fires;
}

/* The record, if it is as memory knows it. Otherwise another engine fired the slot or published another
 * version, and memory follows. */
static enum status load_record(struct turn *turn, const struct scheduled *scheduled, bool *ret_stale,
                               struct schedule_record *ret_record, struct error *err)
{
    struct record_row row;
    bool is_there;
    TRY(found_asked(store_find_record(turn->engine->store, NAMESPACE_DEFAULT, RECORD_SCHEDULE, scheduled->key,
                                      &turn->arena, &row, err),
                    &is_there));
    *ret_stale = !is_there || !schedule_record_decode(row.value, ret_record) ||
                 ret_record->mark_ms != scheduled->stored_mark_ms;
    return ST_OK;
}

static enum status save_mark(struct turn *turn, const struct scheduled *scheduled, int64_t mark_ms,
                             struct schedule_record *record, struct error *err)
{
    record->mark_ms = mark_ms;
    const struct record_row row = { .ns = NAMESPACE_DEFAULT,
                                    .kind = RECORD_SCHEDULE,
                                    .key = scheduled->key,
                                    .value = schedule_record_encode(record, &turn->arena) };
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return transact_rows(turn, &changeset, err);
}

/* ---- what was missed ---- */

/* "12 slots, from 2026-11-17T01:00:00Z to 2026-11-17T12:00:00Z" */
static str describe_missed(struct turn *turn, const struct scheduled *scheduled)
{
    int64_t first_ms = 0, last_ms = 0, until_ms = scheduled->missed_until_ms;
    char first[DATETIME_CHARS + 1], last[DATETIME_CHARS + 1];
    uint64_t count =
        slot_count(&scheduled->schedule, scheduled->missed_after_ms, until_ms, MISSED_COUNTED_MAX);
    turn->spent += (int64_t)count;
    if (!slot_next(&scheduled->schedule, scheduled->missed_after_ms, &first_ms) ||
        !slot_newest(&scheduled->schedule, scheduled->missed_after_ms, until_ms, &last_ms))
        return STR_NONE;
    datetime_print_seconds(first_ms, first);
    datetime_print_seconds(last_ms, last);
    if (first_ms == last_ms) return arena_printf(&turn->arena, "1 slot, %s", first);
    return arena_printf(&turn->arena, "%s%llu slots, from %s to %s",
                        count == MISSED_COUNTED_MAX ? "at least " : "", (unsigned long long)count, first,
                        last);
}

/* The transaction stores a mark behind them, so they are told of once. */
static enum status log_missed(struct turn *turn, struct scheduled *scheduled, struct error *err)
{
    struct trigger_route trigger_route = { .definition_id = scheduled->definition_id,
                                           .trigger = scheduled->trigger };
    struct definition *definition;
    TRY(trigger_routes_find_pause(turn, scheduled->ns, &trigger_route, err));
    enum status status =
        found_needed(catalogue_find(&turn->engine->memory.catalogue, scheduled->ns, scheduled->definition_id,
                                    VERSION_LATEST, &definition, err));
    if (status != ST_OK) return transact_is_lost(turn, status) ? status : ST_OK;
    struct arrival_view view = { .at_ms = turn->now_ms,
                                 .definition_id = scheduled->definition_id,
                                 .version = definition->version,
                                 .trigger = scheduled->trigger,
                                 .outcome = OUTCOME_MISFIRE_DISCARDED,
                                 .note = describe_missed(turn, scheduled) };
    /* A paused schedule has missed nothing. */
    return trigger_route.paused || !view.note.n ? ST_OK
                                                : arrive_record(turn, scheduled->ns, &view, false, err);
}

static void begin_telling(struct turn *turn, struct scheduled *scheduled)
{
    scheduled->told_mark_ms = 0;
    scheduled->next_missed = turn->told;
    turn->told = scheduled;
}

/* ---- a slot ---- */

static enum status arrive(struct turn *turn, const struct scheduled *scheduled, int64_t slot_ms,
                          struct error *err)
{
    const struct arrival_event event = {
        .type = ARRIVAL_CRON, .at_ms = turn->now_ms, .scheduled_ms = slot_ms, .zone = scheduled->zone
    };
    return arrive_event(turn, scheduled->ns, scheduled->definition_id, scheduled->trigger, &event, err);
}

/* An arrival that can never come to something is over; one that the engine had no room for comes again. */
static enum status fire(struct turn *turn, struct scheduled *scheduled, int64_t slot_ms, struct error *err)
{
    struct schedule_record record;
    bool stale;
    TRY(load_record(turn, scheduled, &stale, &record, err));
    if (stale) {
        note_rescheduled(turn, scheduled->definition);
        return ST_OK;
    }
    enum status status = arrive(turn, scheduled, slot_ms, err);
    if (status != ST_OK && (transact_is_lost(turn, status) || status_retry(status))) return status;
    if (status != ST_OK)
        log_write(LOG_ERROR, "an arrival of a schedule was refused", "reason", err->message, NULL);
    scheduled->slot_ms = slot_ms;
    if (scheduled->missed_until_ms) {
        /* The mark goes past those that were missed before it, so nobody could tell of them later. */
        schedules_forget_missed(&turn->engine->memory.schedules, scheduled);
        begin_telling(turn, scheduled);
        if (log_missed(turn, scheduled, err) != ST_OK) return transact_failed(turn, err);
    }
    return save_mark(turn, scheduled, slot_ms, &record, err);
}

static void tick(struct turn *turn, struct scheduled *scheduled)
{
    must(!scheduled->deadline.place);
    struct error err;
    int64_t slot_ms;
    scheduled->slot_ms = 0;
    scheduled->has_no_room = false;
    scheduled->next = turn->ticked;
    turn->ticked = scheduled;
    if (usage_check_there(&turn->engine->memory.usage, scheduled->ns, &err) != ST_OK) {
        scheduled->has_no_room = true; /* Its record goes soon. */
        return;
    }
    if (!choose_slot(turn, scheduled, &slot_ms)) return;
    enum status status = fire(turn, scheduled, slot_ms, &err);
    if (status == ST_OK) return;
    scheduled->slot_ms = 0;
    if (transact_is_lost(turn, status)) transact_failed(turn, &err);
    else scheduled->has_no_room = true;
}

/* ---- slots that were dropped, and none fires ---- */

static enum status tell_missed(struct turn *turn, struct scheduled *scheduled, struct error *err)
{
    struct schedule_record record;
    bool stale;
    TRY(load_record(turn, scheduled, &stale, &record, err));
    if (stale) return ST_OK; /* Another engine has told. */
    if (record.mark_ms < scheduled->missed_until_ms) record.mark_ms = scheduled->missed_until_ms;
    TRY(save_mark(turn, scheduled, record.mark_ms, &record, err));
    scheduled->told_mark_ms = record.mark_ms;
    return log_missed(turn, scheduled, err);
}

static void tell_all_missed(struct turn *turn)
{
    struct schedules *schedules = &turn->engine->memory.schedules;
    struct scheduled *scheduled;
    struct error err;
    for (size_t count = 0; count < SLOTS_PER_TURN_MAX && turn->failed == ST_OK && !slice_is_over(turn);
         count++) {
        if (!(scheduled = schedules_take_missed(schedules))) return;
        begin_telling(turn, scheduled);
        if (tell_missed(turn, scheduled, &err) != ST_OK) transact_failed(turn, &err);
    }
}

static void end_missed(struct turn *turn, bool committed)
{
    for (struct scheduled *scheduled = turn->told, *next; scheduled; scheduled = next) {
        next = scheduled->next_missed;
        if (!committed) schedules_keep_missed(&turn->engine->memory.schedules, scheduled);
        else scheduled->missed_until_ms = 0;
        if (committed && scheduled->told_mark_ms) scheduled->stored_mark_ms = scheduled->told_mark_ms;
    }
    turn->told = NULL;
}

/* ---- a turn ---- */

int64_t ticks_next_ms(const struct engine *engine)
{
    const struct deadline *first = deadlines_first(&engine->memory.schedules.due);
    if (engine->memory.schedules.stale || engine->memory.schedules.missed) return engine->turn.now_ms;
    return first ? first->at_ms : INT64_MAX;
}

static int64_t hold_after(enum status status) { return status == ST_AGAIN ? AGAIN_MS : FAILED_HOLD_MS; }

/* False: nothing fires by marks that may be old. */
static bool read_stale(struct turn *turn)
{
    struct schedules *schedules = &turn->engine->memory.schedules;
    struct error err;
    if (!schedules->stale || schedules_load_again(schedules, turn->engine->store, &err) == ST_OK) return true;
    turn->engine->transact.backlog[BACKLOG_TICK].hold_ms = turn->now_ms + hold_after(err.status);
    if (transact_is_lost(turn, err.status)) transact_failed(turn, &err);
    return false;
}

/* It failed: the next turns fire one each, until they have come through. */
static bool is_one_by_one(const struct engine *engine)
{
    return engine->transact.backlog[BACKLOG_TICK].slice == 1;
}

void ticks_go_on(struct turn *turn)
{
    struct schedules *schedules = &turn->engine->memory.schedules;
    struct scheduled *scheduled;
    struct error err;
    size_t max = is_one_by_one(turn->engine) ? 1 : SLOTS_PER_TURN_MAX;
    if (transact_begin(turn, &err) != ST_OK || !read_stale(turn)) return;
    for (size_t count = 0; count < max && turn->failed == ST_OK && !(count && slice_is_over(turn)); count++) {
        if (!(scheduled = schedules_take_due(schedules, turn->now_ms))) break;
        tick(turn, scheduled);
    }
    if (!turn->ticked) tell_all_missed(turn);
}

/* ---- afterwards ---- */

/* Others that are due come first. */
static void wait_after_failure(struct turn *turn, struct scheduled *scheduled)
{
    bool again = turn->failed == ST_AGAIN;
    int64_t delay_ms = again ? AGAIN_MS : (int64_t)FAILED_ALONE_MS << scheduled->failures;
    if (!again && scheduled->failures < FAILED_DOUBLINGS) scheduled->failures++;
    deadline_set(&turn->engine->memory.schedules.due, &scheduled->deadline, DEADLINE_SLOT,
                 turn->now_ms + delay_ms);
}

static void end_tick(struct turn *turn, struct scheduled *scheduled, bool committed)
{
    struct schedules *schedules = &turn->engine->memory.schedules;
    if (committed && scheduled->slot_ms) {
        scheduled->mark_ms = scheduled->stored_mark_ms = scheduled->slot_ms;
        metric_add(&turn->engine->metrics->slots_fired, 1);
    }
    bool waits = scheduled->has_no_room || (!committed && is_one_by_one(turn->engine));
    if (committed && !waits) scheduled->failures = 0;
    if (waits) wait_after_failure(turn, scheduled);
    else schedules_arm(schedules, scheduled);
}

/* A record that cannot be read now is read again soon. */
static void reload(struct turn *turn, const struct rescheduled *rescheduled)
{
    struct schedules *schedules = &turn->engine->memory.schedules;
    struct error err;
    if (schedules_load_definition(schedules, turn->engine->store, rescheduled->definition, &err) == ST_OK)
        return;
    schedules->stale = true;
    backlog_hold(&turn->engine->transact.backlog[BACKLOG_TICK], turn->now_ms);
    log_write(LOG_ERROR, "schedules cannot be read", "reason", err.message, NULL);
}

void ticks_end(struct turn *turn, bool committed)
{
    struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_TICK];
    if (turn->ticked) {
        if (!committed)
            backlog->hold_ms = turn->now_ms + (is_one_by_one(turn->engine) ? hold_after(turn->failed) : 0);
        for (struct scheduled *scheduled = turn->ticked; scheduled; scheduled = scheduled->next)
            end_tick(turn, scheduled, committed);
        backlog->slice = committed ? 0 : 1;
    }
    if (turn->told && !turn->ticked && !committed) backlog->hold_ms = turn->now_ms + hold_after(turn->failed);
    end_missed(turn, committed);
    for (const struct rescheduled *rescheduled = turn->rescheduled; rescheduled && committed;
         rescheduled = rescheduled->next)
        reload(turn, rescheduled);
    turn->ticked = NULL;
    turn->rescheduled = NULL;
}
