#include "runtime/engine_int.h"

#include "base/log.h"
#include "base/must.h"

enum {
    MAINTENANCE_INTERVAL_MS = 2000,
    HELD_BYTES_MIN = 64 << 10, /* Smaller answers are counted when they are handed to the network. */
    HELD_COPIES = 2,           /* The values, and soon their text. */
};

void call_hold(struct call *call, struct budget *answers)
{
    if (!answers || call->arena->used < HELD_BYTES_MIN) return;
    call->held_bytes_ = (int64_t)call->arena->used * HELD_COPIES;
    budget_add(answers, call->held_bytes_);
}

enum status fail_unread(struct error *err)
{
    return fail(err, ST_BUSY, "",
                "answers that clients have not read yet have reached the limit answers_bytes_max");
}

/* ---- opening ---- */

static enum status read_definition(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct engine *engine = context;
    TRY(number ? store_load_definition(engine->store, number, arena, ret_row, err)
               : store_find_definition(engine->store, ns, id, version, arena, ret_row, err));
    engine->turn.spent += (int64_t)ret_row->source.n * SOURCE_FUEL_PER_BYTE;
    return ST_OK;
}

static enum status recover_jobs_of(struct engine *engine, uint64_t id, struct error *err)
{
    struct instance_row row;
    const struct instance *instance;
    TRY(store_load_instance(engine->store, id, &engine->turn.arena, &row, err));
    struct error why, words;
    if (core_decode(row.state, NULL, &engine->turn.arena, &instance, &why) != ST_OK) {
        fail_damaged(&row, why.message, &words);
        log_write(LOG_ERROR, "an instance is damaged; the others go on", "reason", words.message, NULL);
        metric_add(&engine->metrics->damaged, 1);
        arena_reset(&engine->turn.arena);
        return ST_OK;
    }
    for (size_t i = 0; i < instance->job_count; i++)
        if (reaches(instance, instance->job[i].execution))
            jobs_add(&engine->jobs, id, &instance->job[i], (uint8_t)row.definition_priority,
                     engine->turn.now_ms);
    arena_reset(&engine->turn.arena);
    return ST_OK;
}

static enum status recover_all_jobs(struct engine *engine, struct arena *arena, struct error *err)
{
    uint64_t *id;
    size_t count;
    TRY(store_ids_with_jobs(engine->store, 0, SIZE_MAX, arena, &id, &count, err));
    for (size_t i = 0; i < count; i++) TRY(recover_jobs_of(engine, id[i], err));
    return ST_OK;
}

/* Every open job is offered again: whoever held it before the stop may be gone. No program is needed for
 * that, so the time does not depend on the number of definitions. */
static enum status recover_jobs(struct engine *engine, struct error *err)
{
    struct arena ids;
    arena_init(&ids, 0);
    /* It changes nothing, but within a transaction the store need not look for changes of others at every
     * row. */
    enum status status = store_begin(engine->store, err);
    if (status == ST_OK) {
        status = recover_all_jobs(engine, &ids, err);
        store_rollback(engine->store);
    }
    arena_done(&ids);
    return status;
}

static enum status recover(struct engine *engine, struct error *err)
{
    engine->turn.now_ms = clock_now_ms(&engine->clock);
    TRY(store_next_numbers(engine->store, &engine->next_instance, &engine->next_definition, err));
    TRY(recover_jobs(engine, err));
    TRY(timers_load(&engine->timers, engine->store, engine->turn.now_ms, err));
    TRY(routings_open(engine, err));
    room_open(engine);
    engine->pending_due = engine->children_due = engine->bulk_due = true;
    return ST_OK;
}

enum status engine_open(struct engine *engine, struct store *store, struct clock clock,
                        const struct limits *limits, struct retention retention, struct metrics *metrics,
                        struct error *err)
{
    *engine = (struct engine){ .store = store,
                               .clock = clock,
                               .limits = *limits,
                               .metrics = metrics,
                               .retention = retention,
                               .lease_ms = LEASE_MS_DEFAULT };
    engine->turn.engine = engine;
    arena_init(&engine->turn.arena, 0);
    size_t programs_bytes = (size_t)limits->programs_bytes_max;
    catalogue_init(&engine->catalogue, programs_bytes - programs_bytes / QUERY_PROGRAMS_PART, read_definition,
                   engine);
    map_init(&engine->turn.loaded_of);
    cache_init(&engine->cache, (size_t)limits->cache_bytes_max);
    jobs_init(&engine->jobs, &engine->deadlines);
    timers_init(&engine->timers);
    watchers_init(&engine->watchers, &engine->deadlines);
    shares_init(&engine->shares);
    enum status status = recover(engine, err);
    if (status != ST_OK) engine_close(engine);
    return status;
}

void engine_close(struct engine *engine)
{
    catalogue_done(&engine->catalogue);
    map_done(&engine->turn.loaded_of);
    cache_done(&engine->cache);
    jobs_done(&engine->jobs);
    timers_done(&engine->timers);
    watchers_done(&engine->watchers);
    callbacks_done(&engine->callbacks);
    deadlines_done(&engine->deadlines);
    shares_done(&engine->shares);
    routings_close(engine);
    arena_done(&engine->turn.arena);
}

void engine_drain(struct engine *engine) { engine->draining = true; }

/* ---- answers ---- */

/* The history a WATCH wants may be there already. */
static void serve_watch(struct turn *turn, struct call *call)
{
    const struct instance *instance;
    struct definition *definition;
    call->status = transact_load(turn, call->id.instance, &instance, &definition, &call->error);
    if (call->status == ST_OK && instance->created_ms != call->id.ms) call->status = ST_NOT_FOUND;
    if (call->status == ST_NOT_FOUND) fail(&call->error, ST_NOT_FOUND, "instance", "instance not found");
    if (call->status != ST_OK) {
        call_list_add(&turn->engine->answered, call);
    } else if (instance->revision > call->after || instance_status_ended(instance->status) ||
               call->wait_ms <= 0 || turn->engine->draining || call->abandoned) {
        call_list_add(&turn->engine->for_query, call);
    } else {
        watchers_add(&turn->engine->watchers, call->id.instance, call, turn->now_ms + call->wait_ms);
    }
}

/* Shows the instance of a START as it is now: others may have changed it since. */
static void view_again(struct turn *turn, struct call *call)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    if (transact_load(turn, call->instance->id, &instance, &definition, &err) == ST_OK)
        view_instance(definition->program, instance, definition->id, definition->version, call->arena,
                      call->instance);
}

/* The answer to a call whose transaction is over. */
static void answer(struct turn *turn, struct call *call)
{
    bool waits = call->kind == CALL_START && call->wait_ms > 0 && call->status == ST_OK && !call->replayed;
    /* What a broken engine remembers may lag behind what was committed: it tells nothing of it. */
    if (turn->engine->broken && !turn_is_command(call)) {
        call->status = ST_STORE;
        call->error = turn->engine->failure;
        call_list_add(&turn->engine->answered, call);
        return;
    }
    switch (call->kind) {
    case CALL_EXTEND_JOB: serve_extend(turn, call); break;
    case CALL_EXPLAIN: serve_explain(turn, call); break;
    case CALL_LIST_JOBS: serve_list_jobs(turn, call); break;
    case CALL_WATCH: serve_watch(turn, call); return;
    default:
        program_unref(call->program_);
        call->program_ = NULL;
        if (call->kind == CALL_EVENTS && call->status == ST_OK && !call->replayed)
            events_count(turn->engine, call);
        if (call->status == ST_OK && !call->replayed) command_note_callback(turn, call);
        if (waits) view_again(turn, call);
        if (waits && !instance_status_ended(call->instance->status) && !turn->engine->draining &&
            !call->abandoned) {
            watchers_add(&turn->engine->watchers, call->instance->id, call, turn->now_ms + call->wait_ms);
            return;
        } else if (call->kind == CALL_BATCH && call->status == ST_OK && !call->replayed &&
                   call->job_type_count) {
            call_list_add(&turn->polls, call);
            return;
        }
    }
    call_list_add(&turn->engine->answered, call);
}

/* The time of a call that waited for an instance is up: it shows the instance as it is now. */
static void answer_waited(struct turn *turn, struct call *call)
{
    if (call->kind == CALL_WATCH) {
        call_list_add(&turn->engine->for_query, call);
        return;
    }
    view_again(turn, call);
    call_list_add(&turn->engine->answered, call);
}

/* Leases that ran out, delays that are over, calls that waited long enough. */
static void meet_deadlines(struct turn *turn)
{
    for (struct deadline *first;
         (first = deadlines_first(&turn->engine->deadlines)) && first->at_ms <= turn->now_ms;) {
        switch (first->kind) {
        case DEADLINE_LEASE:
            metric_add(&turn->engine->metrics->job_timeouts, 1);
            jobs_expire(&turn->engine->jobs, open_job_of(first), turn->now_ms);
            break;
        case DEADLINE_DELAY: jobs_ready(&turn->engine->jobs, open_job_of(first), turn->now_ms); break;
        case DEADLINE_POLL:
            call_list_add(&turn->engine->answered, jobs_take_late(&turn->engine->jobs, first));
            break;
        case DEADLINE_WATCH: answer_waited(turn, watchers_take_late(&turn->engine->watchers, first)); break;
        }
    }
}

void engine_abandon(struct engine *engine, uint64_t serial)
{
    struct deadline *deadline = map_get(&engine->deadlines.of_call, serial);
    if (!deadline) return;
    struct call *call = deadline->kind == DEADLINE_POLL ? jobs_take_late(&engine->jobs, deadline)
                                                        : watchers_take_late(&engine->watchers, deadline);
    call_list_add(&engine->answered, call);
}

static void release_waiting(struct turn *turn)
{
    for (struct call *call; (call = jobs_take_any(&turn->engine->jobs)) != NULL;)
        call_list_add(&turn->engine->answered, call);
    for (struct call *call; (call = watchers_take_any(&turn->engine->watchers)) != NULL;)
        answer_waited(turn, call);
}

static void maintain_store(struct engine *engine)
{
    struct error err;
    if (store_maintain(engine->store, &err) == ST_OK) return;
    log_write(LOG_WARN, "maintenance of the store failed", "reason", err.message, NULL);
    engine->broken = store_broken(engine->store);
    if (engine->broken) engine->failure = err;
}

/* Retention, and room given back to the file system: a little in every interval. */
static void maintain(struct engine *engine)
{
    if (engine->turn.now_ms < engine->next_maintenance_ms || engine->broken) return;
    struct error err;
    struct purged removed = { .total = 0 };
    size_t max = room_for(engine, CALL_START) ? PURGED_PER_TURN_MAX : PURGED_WHEN_FULL_MAX;
    bool more = false, shrinks = engine->retention.ended_ms > 0 || engine->retention.failed_ms > 0;
    enum status status = retention_purge(engine, max, &removed, &err);
    if (status == ST_OK) status = room_reclaim(engine, shrinks, &more, &err);
    if (status == ST_FULL) more = room_release(engine);
    if (status != ST_OK) {
        log_write(LOG_WARN, "retention failed", "reason", err.message, NULL);
        engine->broken = store_broken(engine->store);
        if (engine->broken) engine->failure = err;
    }
    retention_count(engine, &removed, removed.total < max);
    engine->pending_due |= engine->pending_left;
    engine->children_due |= engine->children_left;
    engine->next_maintenance_ms =
        engine->turn.now_ms + (removed.total == max || more ? 0 : MAINTENANCE_INTERVAL_MS);
}

static void set_gauges(struct engine *engine)
{
    metric_set(&engine->metrics->jobs_ready, engine->jobs.ready_count);
    metric_set(&engine->metrics->jobs_leased, engine->jobs.leased_count);
    metric_set(&engine->metrics->polls_waiting, engine->jobs.waiting_count);
    metric_set(&engine->metrics->calls_deferred, engine->shares.call_count + engine->continued.count);
    metric_set(&engine->metrics->events_routing, engine->routings.count);
    metric_set(&engine->metrics->cache_bytes, engine->cache.bytes);
    metric_set(&engine->metrics->storage_full, !room_for(engine, CALL_START));
}

static void forget_ended(struct turn *turn)
{
    for (const struct ended *ended = turn->ended; ended; ended = ended->next)
        cache_drop(&turn->engine->cache, ended->instance);
    turn->ended = NULL;
}

static void take_call(struct turn *turn, struct call *call)
{
    /* Polls see the jobs of this turn; the others keep their order. */
    call_list_add(call->kind == CALL_POLL_JOBS ? &turn->polls : &turn->engine->writers, call);
}

void engine_accept(struct engine *engine, struct call_list *calls)
{
    engine->turn.now_ms = clock_now_ms(&engine->clock);
    if (calls->count) histogram_add(&engine->metrics->batch_calls, (int64_t)calls->count);
    /* Deadlines first: a failure or an extension that comes after its lease ran out is late. */
    meet_deadlines(&engine->turn);
    for (struct call *call; (call = call_list_take(calls)) != NULL;) take_call(&engine->turn, call);
    serve_polls_at_once(&engine->turn);
}

/* Answers the calls whose turn it was. Reads bring their instances into memory: those that find too much
 * there already wait for the next turn, before all others. */
static void answer_all(struct turn *turn)
{
    struct call_list done = turn->ran, left = { 0 };
    turn->ran = (struct call_list){ 0 };
    turn_begin_slice(turn, 1);
    for (struct call *call; (call = call_list_take(&done)) != NULL;) {
        if (call->unfinished_) call_list_add(&turn->engine->continued, call);
        else if (!turn_is_command(call) && turn_slice_is_over(turn)) call_list_add(&left, call);
        else answer(turn, call);
    }
    call_list_append(&left, &turn->engine->writers);
    turn->engine->writers = left;
}

/* Calls that wait for their turn will not have it. What they have opened goes on after a restart. */
static void refuse_waiting(struct turn *turn)
{
    struct error why = turn->engine->failure;
    if (!turn->engine->broken) fail(&why, ST_DRAINING, "", "the engine is stopping");
    turn_refuse_waiting(turn->engine, turn->engine->broken ? ST_STORE : ST_DRAINING, &why);
}

void engine_commit(struct engine *engine)
{
    turn_run(&engine->turn);
    answer_all(&engine->turn);
    if (engine->draining || engine->broken) {
        refuse_waiting(&engine->turn);
        release_waiting(&engine->turn);
    }
    serve_polls(&engine->turn);
    serve_waiting(&engine->turn);
    set_gauges(engine);
    forget_ended(&engine->turn);
    transact_forget(&engine->turn);
    arena_reset(&engine->turn.arena);
    catalogue_trim(&engine->catalogue);
}

void engine_maintain(struct engine *engine)
{
    if (store_maintenance_due(engine->store)) maintain_store(engine);
    maintain(engine);
}

void engine_turn(struct engine *engine, struct call_list *calls)
{
    engine_accept(engine, calls);
    engine_commit(engine);
    engine_maintain(engine);
}

int64_t engine_next_ms(const struct engine *engine)
{
    if (engine->broken) return INT64_MAX;
    int64_t next_ms = timers_next_ms(&engine->timers);
    if (next_ms < engine->hold_timers_ms) next_ms = engine->hold_timers_ms;
    if (!room_to_go_on(engine)) next_ms = INT64_MAX;
    const struct deadline *first = deadlines_first(&engine->deadlines);
    if (first && first->at_ms < next_ms) next_ms = first->at_ms;
    if (engine->next_maintenance_ms < next_ms) next_ms = engine->next_maintenance_ms;
    if (store_maintenance_due(engine->store)) next_ms = engine->turn.now_ms;
    if (engine->pending_due && room_for(engine, CALL_START)) next_ms = engine->turn.now_ms;
    if (engine->routings.first && engine->routings.hold_ms < next_ms) next_ms = engine->routings.hold_ms;
    if (children_waiting(engine) || turn_waiting(engine)) next_ms = engine->turn.now_ms;
    if (bulk_next_ms(engine) < next_ms) next_ms = bulk_next_ms(engine);
    return next_ms;
}
