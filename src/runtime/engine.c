#include "runtime/engine_int.h"

#include "base/log.h"
#include "base/must.h"

enum {
    CARE_INTERVAL_MS = 2000,
    PURGE_PER_TURN_MAX = 200,
    PURGE_WHEN_FULL_MAX = 10, /* It goes through the log, for which there is little room. */
    TIMERS_PER_TURN_MAX = 512,
    TIMERS_RETRY_MS = 1000,
    RECOVERED_AT_ONCE = 256,
};

/* ---- lists of calls ---- */

void call_list_add(struct call_list *list, struct call *call)
{
    call->next_ = NULL;
    if (list->last) list->last->next_ = call;
    else list->first = call;
    list->last = call;
    list->count++;
}

struct call *call_list_take(struct call_list *list)
{
    struct call *call = list->first;
    if (!call) return NULL;
    list->first = call->next_;
    if (!list->first) list->last = NULL;
    list->count--;
    call->next_ = NULL;
    return call;
}

void call_list_append(struct call_list *to, struct call_list *from)
{
    if (!from->first) return;
    if (to->last) to->last->next_ = from->first;
    else to->first = from->first;
    to->last = from->last;
    to->count += from->count;
    *from = (struct call_list){ 0 };
}

/* ---- opening ---- */

static enum status read_definition(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                   struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct engine *engine = context;
    return number ? store_load_definition(engine->store, number, arena, ret_row, err)
                  : store_find_definition(engine->store, ns, id, version, arena, ret_row, err);
}

/* Every open job is offered again: whoever held it before the stop may be gone. */
static enum status recover_jobs(struct engine *engine, struct error *err)
{
    struct instance_row row[RECOVERED_AT_ONCE];
    uint64_t after = 0;
    for (size_t count = COUNT(row); count == COUNT(row);) {
        TRY(store_instances_with_jobs(engine->store, after, &engine->arena, row, COUNT(row), &count, err));
        for (size_t i = 0; i < count; i++) {
            const struct instance *instance;
            struct definition *definition;
            TRY(catalogue_get(&engine->catalogue, row[i].definition, &definition, err));
            TRY(core_decode(row[i].state, definition->program, &engine->arena, &instance, err));
            for (size_t k = 0; k < instance->job_count; k++)
                if (reaches(instance, instance->job[k].execution))
                    jobs_add(&engine->jobs, instance->id, &instance->job[k], (uint8_t)definition->program->priority,
                             engine->now_ms);
            after = row[i].id;
        }
        arena_reset(&engine->arena);
        catalogue_trim(&engine->catalogue);
    }
    return ST_OK;
}

static enum status recover(struct engine *engine, struct error *err)
{
    engine->now_ms = clock_now_ms(&engine->clock);
    TRY(store_next_numbers(engine->store, &engine->next_instance, &engine->next_definition, err));
    TRY(recover_jobs(engine, err));
    TRY(timers_load(&engine->timers, engine->store, engine->now_ms, err));
    room_open(engine);
    engine->pending_due = engine->children_due = true;
    return ST_OK;
}

enum status engine_open(struct engine *engine, struct store *store, struct clock clock,
                        const struct limits *limits, int64_t retention_ms, struct metrics *metrics,
                        struct error *err)
{
    *engine = (struct engine){ .store = store, .clock = clock, .limits = *limits, .metrics = metrics,
                               .retention_ms = retention_ms };
    arena_init(&engine->arena, 0);
    catalogue_init(&engine->catalogue, read_definition, engine);
    cache_init(&engine->cache, (size_t)limits->cache_bytes_max);
    jobs_init(&engine->jobs, &engine->deadlines);
    timers_init(&engine->timers);
    watchers_init(&engine->watchers, &engine->deadlines);
    enum status status = recover(engine, err);
    if (status != ST_OK) engine_close(engine);
    return status;
}

void engine_close(struct engine *engine)
{
    catalogue_done(&engine->catalogue);
    cache_done(&engine->cache);
    jobs_done(&engine->jobs);
    timers_done(&engine->timers);
    watchers_done(&engine->watchers);
    deadlines_done(&engine->deadlines);
    arena_done(&engine->arena);
}

void engine_drain(struct engine *engine) { engine->draining = true; }

/* ---- a turn ---- */

static void fire_timer(struct engine *engine, const struct timer_row *row)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    struct change *change = NULL;
    struct command command = { .kind = COMMAND_FIRE_TIMER, .now_ms = engine->now_ms, .number = row->number,
                               .actor = STR("timer") };
    enum status status = transact_load(engine, row->instance, &instance, &definition, &err);
    if (status == ST_OK) status = transact_command(engine, definition, instance, &command, &change, &err);
    if (change) metric_add(&engine->metrics->timers_fired, 1);
    /* The store may read it the next time. */
    if (status == ST_STORE) transact_failed(engine, &err);
    else if (status != ST_OK && status != ST_NOT_FOUND && engine->failed == ST_OK)
        log_write(LOG_ERROR, "timer cannot fire", "reason", err.message, NULL);
}

static size_t take_timers(struct engine *engine, struct timer_row *ret_due, size_t max)
{
    size_t count = 0;
    struct error err;
    if (engine->broken || engine->now_ms < engine->hold_timers_ms || !engine->reserve_parts) return 0;
    if (timers_load(&engine->timers, engine->store, engine->now_ms, &err) != ST_OK) {
        log_write(LOG_ERROR, "timers cannot be read", "reason", err.message, NULL);
        engine->hold_timers_ms = engine->now_ms + TIMERS_RETRY_MS;
    }
    while (count < max && timers_take_due(&engine->timers, engine->now_ms, &ret_due[count])) count++;
    return count;
}

/* A timer that did not fire is still a row of the store. It has another chance soon. */
static void put_back(struct engine *engine, const struct timer_row *timer)
{
    timers_add(&engine->timers, timer);
    engine->hold_timers_ms = engine->now_ms + TIMERS_RETRY_MS;
}

static void take_call(struct engine *engine, struct call *call)
{
    /* Polls see the jobs of this turn; the others keep their order. */
    call_list_add(call->kind == CALL_POLL_JOBS ? &engine->polls : &engine->writers, call);
}

/* ---- the turn's transaction ---- */

static bool is_command(const struct call *call)
{
    static const bool writes[CALL_KIND_COUNT] = {
#define XX(NAME, where, writes) [CALL_##NAME] = writes,
        CALL_MAP(XX)
#undef XX
    };
    return writes[call->kind];
}

static void begin_attempt(struct engine *engine) { engine->failed = engine->broken ? ST_STORE : ST_OK; }

/* All in one transaction. False if nothing of it happened. */
static bool run_together(struct engine *engine, const struct timer_row *timer, size_t timer_count)
{
    begin_attempt(engine);
    for (size_t i = 0; i < timer_count; i++) fire_timer(engine, &timer[i]);
    for (struct call *call = engine->writers.first; call; call = call->next_)
        if (is_command(call)) command_call(engine, call);
    if (engine->pending_due && engine->failed == ST_OK && room_for(engine, CALL_START)) start_pending(engine);
    if (engine->failed == ST_OK) children_go_on(engine);
    return transact_end(engine);
}

static void run_alone(struct engine *engine, struct call *call)
{
    do {
        begin_attempt(engine);
        command_call(engine, call);
        if (transact_end(engine)) return;
        call->status = engine->failed;
        call->error = engine->failure;
        call->replayed = false;
    } while (call->status == ST_FULL && !engine->broken && room_give(engine));
}

/* Each in a transaction of its own: what cannot be done does not take the rest with it. Answers
 * of the attempt before are void, refusals too: they may rest on what was rolled back. */
static void run_apart(struct engine *engine, const struct timer_row *timer, size_t timer_count)
{
    for (size_t i = 0; i < timer_count; i++) {
        begin_attempt(engine);
        fire_timer(engine, &timer[i]);
        if (!transact_end(engine)) put_back(engine, &timer[i]);
    }
    for (struct call *call = engine->writers.first; call; call = call->next_)
        if (is_command(call)) run_alone(engine, call);
}

static void run_commands(struct engine *engine)
{
    struct timer_row timer[TIMERS_PER_TURN_MAX];
    size_t timer_count = take_timers(engine, timer, COUNT(timer));
    if (run_together(engine, timer, timer_count)) return;
    /* After a rollback the store can begin its log anew, which may be all the room it needs. */
    if (engine->failed == ST_FULL && run_together(engine, timer, timer_count)) return;
    if (engine->failed == ST_FULL && room_give(engine) && run_together(engine, timer, timer_count)) return;
    run_apart(engine, timer, timer_count);
}

/* ---- answers ---- */

/* The history a WATCH wants may be there already. */
static void serve_watch(struct engine *engine, struct call *call)
{
    const struct instance *instance;
    struct definition *definition;
    call->status = transact_load(engine, call->id.instance, &instance, &definition, &call->error);
    if (call->status == ST_OK && instance->created_ms != call->id.ms) call->status = ST_NOT_FOUND;
    if (call->status == ST_NOT_FOUND) fail(&call->error, ST_NOT_FOUND, "instance", "instance not found");
    if (call->status != ST_OK) {
        call_list_add(&engine->answered, call);
    } else if (instance->revision > call->after || instance_status_ended(instance->status) || call->wait_ms <= 0 ||
               engine->draining) {
        call_list_add(&engine->for_query, call);
    } else {
        watchers_add(&engine->watchers, call->id.instance, call, engine->now_ms + call->wait_ms);
    }
}

/* Shows the instance of a START as it is now: others may have changed it since. */
static void view_again(struct engine *engine, struct call *call)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    if (transact_load(engine, call->instance->id, &instance, &definition, &err) == ST_OK)
        view_instance(definition->program, instance, definition->id, definition->version, call->arena, call->instance);
}

/* The answer to a call whose transaction is over. */
static void answer(struct engine *engine, struct call *call)
{
    bool waits = call->kind == CALL_START && call->wait_ms > 0 && call->status == ST_OK && !call->replayed;
    /* What a broken engine remembers may lag behind what was committed: it tells nothing of it. */
    if (engine->broken && !is_command(call)) {
        call->status = ST_STORE;
        call->error = engine->failure;
        call_list_add(&engine->answered, call);
        return;
    }
    switch (call->kind) {
    case CALL_EXTEND_JOB: serve_extend(engine, call); break;
    case CALL_EXPLAIN: serve_explain(engine, call); break;
    case CALL_LIST_JOBS: serve_list_jobs(engine, call); break;
    case CALL_WATCH: serve_watch(engine, call); return;
    default:
        program_unref(call->program_);
        call->program_ = NULL;
        if (call->kind == CALL_EVENTS && call->status == ST_OK && !call->replayed) events_count(engine, call);
        if (waits) view_again(engine, call);
        if (waits && !instance_status_ended(call->instance->status) && !engine->draining) {
            watchers_add(&engine->watchers, call->instance->id, call, engine->now_ms + call->wait_ms);
            return;
        } else if (call->kind == CALL_BATCH && call->status == ST_OK && !call->replayed && call->job_type_count) {
            call_list_add(&engine->polls, call);
            return;
        }
    }
    call_list_add(&engine->answered, call);
}

/* The time of a call that waited for an instance is up: it shows the instance as it is now. */
static void answer_waited(struct engine *engine, struct call *call)
{
    if (call->kind == CALL_WATCH) {
        call_list_add(&engine->for_query, call);
        return;
    }
    view_again(engine, call);
    call_list_add(&engine->answered, call);
}

/* Leases that ran out, delays that are over, calls that waited long enough. */
static void meet_deadlines(struct engine *engine)
{
    for (struct deadline *first; (first = deadlines_first(&engine->deadlines)) && first->at_ms <= engine->now_ms;) {
        switch (first->kind) {
        case DEADLINE_LEASE:
            metric_add(&engine->metrics->job_timeouts, 1);
            jobs_expire(&engine->jobs, open_job_of(first), engine->now_ms);
            break;
        case DEADLINE_DELAY: jobs_ready(&engine->jobs, open_job_of(first), engine->now_ms); break;
        case DEADLINE_POLL: call_list_add(&engine->answered, jobs_take_late(&engine->jobs, first)); break;
        case DEADLINE_WATCH: answer_waited(engine, watchers_take_late(&engine->watchers, first)); break;
        }
    }
}

static void release_waiting(struct engine *engine)
{
    for (struct call *call; (call = jobs_take_any(&engine->jobs)) != NULL;) call_list_add(&engine->answered, call);
    for (struct call *call; (call = watchers_take_any(&engine->watchers)) != NULL;) answer_waited(engine, call);
}

static enum status purge(struct engine *engine, size_t max, size_t *ret_removed, struct error *err)
{
    int64_t before_ms = engine->retention_ms > 0 ? engine->now_ms - engine->retention_ms : INT64_MIN;
    int64_t keys_before_ms = engine->now_ms - engine->limits.idempotency_hours * 3600000;
    size_t removed = 0;
    TRY(store_begin(engine->store, err));
    enum status status = store_purge(engine->store, before_ms, keys_before_ms, max, &removed, err);
    if (status == ST_OK) status = store_commit(engine->store, err);
    if (status != ST_OK) store_rollback(engine->store);
    else *ret_removed = removed;
    return status;
}

/* Retention, and room given back to the file system: a little in every interval. */
static void take_care(struct engine *engine)
{
    if (engine->now_ms < engine->next_care_ms || engine->broken) return;
    struct error err;
    size_t removed = 0, max = engine->reserve_parts == STORE_RESERVE_PARTS ? PURGE_PER_TURN_MAX : PURGE_WHEN_FULL_MAX;
    bool more = false;
    enum status status = purge(engine, max, &removed, &err);
    if (status == ST_OK && engine->retention_ms > 0) status = store_shrink(engine->store, &more, &err);
    if (status == ST_OK) room_take(engine);
    if (status == ST_FULL) more = room_give(engine);
    if (status != ST_OK) {
        log_write(LOG_WARN, "retention failed", "reason", err.message, NULL);
        engine->broken = store_broken(engine->store);
        if (engine->broken) engine->failure = err;
    }
    metric_add(&engine->metrics->purged, removed);
    engine->pending_due |= engine->pending_left;
    engine->children_due |= engine->children_left;
    engine->next_care_ms = engine->now_ms + (removed == max || more ? 0 : CARE_INTERVAL_MS);
}

static void set_gauges(struct engine *engine)
{
    metric_set(&engine->metrics->jobs_ready, engine->jobs.ready_count);
    metric_set(&engine->metrics->jobs_leased, engine->jobs.leased_count);
    metric_set(&engine->metrics->polls_waiting, engine->jobs.waiting_count);
    metric_set(&engine->metrics->cache_bytes, engine->cache.bytes);
    metric_set(&engine->metrics->storage_full, !room_for(engine, CALL_START));
}

static void forget_ended(struct engine *engine)
{
    for (const struct ended *ended = engine->ended; ended; ended = ended->next)
        cache_drop(&engine->cache, ended->instance);
    engine->ended = NULL;
}

void engine_turn(struct engine *engine, struct call_list *calls)
{
    engine->now_ms = clock_now_ms(&engine->clock);
    if (calls->count) histogram_add(&engine->metrics->batch_calls, (int64_t)calls->count);
    /* Deadlines first: a completion that comes after its lease ran out is late. */
    meet_deadlines(engine);
    for (struct call *call; (call = call_list_take(calls)) != NULL;) take_call(engine, call);
    run_commands(engine);

    struct call_list done = engine->writers;
    engine->writers = (struct call_list){ 0 };
    for (struct call *call; (call = call_list_take(&done)) != NULL;) answer(engine, call);
    if (engine->draining || engine->broken) release_waiting(engine);
    serve_polls(engine);
    serve_waiting(engine);
    take_care(engine);
    set_gauges(engine);
    forget_ended(engine);
    arena_reset(&engine->arena);
    catalogue_trim(&engine->catalogue);
}

int64_t engine_next_ms(const struct engine *engine)
{
    if (engine->broken) return INT64_MAX;
    int64_t next_ms = timers_next_ms(&engine->timers);
    if (next_ms < engine->hold_timers_ms) next_ms = engine->hold_timers_ms;
    if (!engine->reserve_parts) next_ms = INT64_MAX;
    const struct deadline *first = deadlines_first(&engine->deadlines);
    if (first && first->at_ms < next_ms) next_ms = first->at_ms;
    if (engine->next_care_ms < next_ms) next_ms = engine->next_care_ms;
    if (engine->pending_due && room_for(engine, CALL_START)) next_ms = engine->now_ms;
    if (children_waiting(engine)) next_ms = engine->now_ms;
    return next_ms;
}
