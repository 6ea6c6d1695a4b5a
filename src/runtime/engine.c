/* runtime/engine.c — opens the engine, recovers it, drives its turns and its maintenance. */
#include "runtime/runtime_int.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/call/call.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum {
    MAINTENANCE_INTERVAL_MS = 2000,
};

/* ---- opening ---- */

static struct found read_definition(void *context, int64_t number, int32_t ns, str id, int32_t version,
                                    struct arena *arena, struct definition_row *ret_row, struct error *err)
{
    struct engine *engine = context;
    TRY_FOUND(number ? store_load_definition(engine->store, number, arena, ret_row, err)
                     : store_find_definition(engine->store, ns, id, version, arena, ret_row, err));
    engine->turn.spent += (int64_t)ret_row->source.n * SOURCE_FUEL_PER_BYTE;
    return found_of(ST_OK);
}

static enum status recover_jobs_of(struct engine *engine, uint64_t id, struct error *err)
{
    struct instance_row row;
    const struct instance *instance;
    TRY(found_needed(store_load_instance(engine->store, TENANT_ANY, id, &engine->turn.arena, &row, err)));
    struct error why, words;
    if (core_decode(row.state, NULL, &engine->turn.arena, &instance, &why) != ST_OK) {
        damage_fail(&row, why.message, &words);
        log_write(LOG_ERROR, "an instance is damaged; the others go on", "reason", words.message, NULL);
        metric_add(&engine->metrics->damaged, 1);
        arena_reset(&engine->turn.arena);
        return ST_OK;
    }
    for (size_t i = 0; i < instance->job_count; i++)
        if (reaches(instance, instance->job[i].execution))
            jobs_add(&engine->memory.jobs, row.ns, id, &instance->job[i], (uint8_t)row.definition_priority,
                     engine->turn.now_ms);
    arena_reset(&engine->turn.arena);
    return ST_OK;
}

static enum status recover_all_jobs(struct engine *engine, struct arena *arena, struct error *err)
{
    uint64_t *id;
    size_t count;
    TRY(store_ids_with_jobs(engine->store, TENANT_ANY, 0, SIZE_MAX, arena, &id, &count, err));
    for (size_t i = 0; i < count; i++) TRY(recover_jobs_of(engine, id[i], err));
    return ST_OK;
}

/* Offers every open job again, because the worker that held it before the stop may be gone. This needs no
 * program, so the time does not depend on the number of definitions. */
static enum status recover_jobs(struct engine *engine, struct error *err)
{
    struct arena ids;
    arena_init(&ids, 0);
    /* The transaction changes nothing, but inside it the store need not look for changes of others at every
     * row. */
    enum status status = store_begin(engine->store, err);
    if (status == ST_OK) {
        status = recover_all_jobs(engine, &ids, err);
        store_rollback(engine->store);
    }
    arena_done(&ids);
    return status;
}

/* The only engine of a store goes on with the work of the last one. In a shared store the others go on, and
 * takeover.c gives them the work of a dead node. */
static enum status recover_work(struct engine *engine, struct error *err)
{
    TRY(recover_jobs(engine, err));
    TRY(routings_recover(engine, err));
    return not_recoverable_recover(engine, err);
}

static enum status recover(struct engine *engine, struct error *err)
{
    engine->began_ms = engine->turn.now_ms = clock_now_ms(&engine->clock);
    TRY(nodes_open(engine, err));
    TRY(store_take_numbers(engine->store, &engine->transact.numbers, err));
    routings_open(engine);
    engine->transact.kept =
        (struct kept_memory){ .any = true, .next_ms = INT64_MAX }; /* The store was not asked yet. */
    if (!engine->nodes.shared) TRY(recover_work(engine, err));
    TRY(timers_load(&engine->memory.timers, engine->store, engine->turn.now_ms, err));
    TRY(schedules_load(&engine->memory.schedules, engine->store, engine->turn.now_ms, err));
    TRY(arrive_log_open(engine, err));
    TRY(trigger_routes_open(engine, err));
    TRY(held_open(engine, err));
    room_open(engine);
    backlogs_wake(engine);
    return ST_OK;
}

enum status engine_open(struct engine *engine, struct store *store, struct clock clock,
                        const struct limits *limits, struct retention retention, struct metrics *metrics,
                        struct error *err)
{
    *engine = (struct engine){ .store = store_layer(store),
                               .clock = clock,
                               .limits = *limits,
                               .metrics = metrics,
                               .maintenance.retention = retention,
                               .lease_ms = LEASE_MS_DEFAULT };
    engine->turn.engine = engine;
    engine->turn.hooks = turn_hooks_of(engine->store);
    arena_init(&engine->turn.arena, 0);
    size_t programs_bytes = (size_t)limits->programs_bytes_max;
    catalogue_init(&engine->memory.catalogue, programs_bytes - programs_bytes / QUERY_PROGRAMS_PART,
                   read_definition, engine);
    map_init(&engine->turn.loaded_of);
    cache_init(&engine->memory.cache, (size_t)limits->cache_bytes_max);
    model_cache_init(&engine->memory.models);
    jobs_init(&engine->memory.jobs, &engine->memory.deadlines);
    shared_jobs_init(&engine->nodes.offers);
    timers_init(&engine->memory.timers);
    watchers_init(&engine->memory.watchers, &engine->memory.deadlines);
    schedules_init(&engine->memory.schedules);
    units_init(&engine->transact.units, &engine->memory.deadlines);
    engine->nodes.runs = &engine->transact.units.runs;
    activity_init(&engine->memory.activity, metrics, clock_now_ms(&engine->clock));
    run_series_init(&engine->memory.run_series, metrics);
    task_feed_init(&engine->memory.task_feed, &engine->memory.deadlines, clock_now_ms(&engine->clock));
    live_init(&engine->memory.live, &engine->memory.deadlines);
    shares_init(&engine->work.shares);
    usage_init(&engine->memory.usage, quotas_read, engine, metrics);
    trigger_routes_init(&engine->memory.trigger_routes);
    payloads_init(&engine->arrivals.payloads);
    map_init(&engine->arrivals.met);
    indexes_cache_init(&engine->transact.indexes);
    audit_note_open(engine);
    backlogs_open(engine);
    enum status status = recover(engine, err);
    if (status != ST_OK) engine_close(engine);
    return status;
}

enum status engine_use_vault(struct engine *engine, struct vault *vault, struct error *err)
{
    TRY(secrets_open(engine, vault, err));
    engine->secrets.vault = vault;
    return ST_OK;
}

enum status engine_use_directory(struct engine *engine, struct directory *directory, struct error *err)
{
    return access_state_open(engine, directory, err);
}

void engine_close(struct engine *engine)
{
    catalogue_done(&engine->memory.catalogue);
    map_done(&engine->turn.loaded_of);
    cache_done(&engine->memory.cache);
    model_cache_done(&engine->memory.models);
    units_done(&engine->transact.units);
    jobs_done(&engine->memory.jobs);
    shared_jobs_done(&engine->nodes.offers);
    nodes_close(engine);
    timers_done(&engine->memory.timers);
    watchers_done(&engine->memory.watchers);
    task_feed_done(&engine->memory.task_feed);
    live_done(&engine->memory.live);
    callbacks_done(&engine->memory.callbacks);
    activity_done(&engine->memory.activity);
    run_series_done(&engine->memory.run_series);
    deadlines_done(&engine->memory.deadlines);
    shares_done(&engine->work.shares);
    usage_done(&engine->memory.usage);
    trigger_routes_done(&engine->memory.trigger_routes);
    payloads_done(&engine->arrivals.payloads);
    map_done(&engine->arrivals.met);
    indexes_cache_done(&engine->transact.indexes);
    search_jobs_close(engine);
    access_state_close(engine);
    backlogs_close(engine);
    schedules_done(&engine->memory.schedules);
    routings_close(engine);
    arena_done(&engine->turn.arena);
    store_layer_close(engine->store);
}

void engine_wake(struct engine *engine, enum store_wake why)
{
    if (why == STORE_WAKE_ACCESS) engine->access.is_told = true;
    engine->nodes.offers.woken = true;
}

void engine_drain(struct engine *engine) { engine->draining = true; }

void engine_abandon(struct engine *engine, uint64_t serial)
{
    struct deadline *deadline = map_get(&engine->memory.deadlines.of_call, serial);
    if (!deadline) return;
    struct call *call =
        deadline->kind == DEADLINE_POLL        ? polls_take_late(&engine->memory.jobs, deadline)
        : deadline->kind == DEADLINE_TASK_FEED ? task_feed_take_late(&engine->memory.task_feed, deadline)
        : deadline->kind == DEADLINE_LIVE      ? live_take(&engine->memory.live, engine->turn.now_ms)
                                               : watchers_take_late(&engine->memory.watchers, deadline);
    call_list_add(&engine->answered, call);
}

/* ---- maintenance ---- */

static void maintain_store(struct engine *engine)
{
    struct error err;
    if (store_maintain(engine->store, &err) == ST_OK) return;
    log_write(LOG_WARN, "maintenance of the store failed", "reason", err.message, NULL);
    engine->broken = store_broken(engine->store);
    if (engine->broken) engine->failure = err;
}

static void note_failure(struct engine *engine, const struct error *err)
{
    log_write(LOG_WARN, "retention failed", "reason", err->message, NULL);
    engine->broken = store_broken(engine->store);
    if (engine->broken) engine->failure = *err;
}

/* Retention, and room given back to the file system: a little in every interval. */
static void maintain(struct engine *engine)
{
    if (!engine_is_due(engine, engine->maintenance.next_ms, MAINTENANCE_INTERVAL_MS) || engine->broken)
        return;
    struct error err;
    struct purged removed = { .total = 0 };
    const struct retention *retention = &engine->maintenance.retention;
    bool more = false, shrinks = retention->ended_ms > 0 || retention->failed_ms > 0;
    enum status status = nodes_lead(engine) ? retention_purge(engine, &removed, &err) : ST_OK;
    if (status != ST_OK) note_failure(engine, &err);
    if (status == ST_FULL) more = room_release(engine);
    /* The disk may have space again whatever has become of the purge. But what was released for the next
     * purge is not taken back before it. */
    status = more || engine->broken ? ST_OK : room_reclaim(engine, shrinks, &more, &err);
    if (status != ST_OK) note_failure(engine, &err);
    if (status == ST_FULL) more = room_release(engine);
    retention_count(engine, &removed, !removed.more);
    if (!engine->broken && touched_write(engine, &err) != ST_OK) note_failure(engine, &err);
    bool measures = false;
    if (!engine->broken && quotas_measure(engine, &measures, &err) != ST_OK)
        log_write(LOG_WARN, "the bytes of a tenant cannot be counted", "reason", err.message, NULL);
    more |= measures;
    backlogs_remind(engine);
    engine->maintenance.next_ms = engine->turn.now_ms + (removed.more || more ? 0 : MAINTENANCE_INTERVAL_MS);
}

void engine_maintain(struct engine *engine)
{
    if (store_maintenance_due(engine->store)) maintain_store(engine);
    maintain(engine);
    struct error err;
    if (engine->broken || audit_note_maintain(engine, &err) == ST_OK) return;
    log_write(LOG_WARN, "the ends of the audit's chains cannot be written yet", "reason", err.message, NULL);
    engine->broken = store_broken(engine->store);
    if (engine->broken) engine->failure = err;
}

/* ---- turns ---- */

void engine_accept(struct engine *engine, struct call_list *calls) { turn_accept(&engine->turn, calls); }

void engine_commit(struct engine *engine) { turn_finish(&engine->turn); }

void engine_turn(struct engine *engine, struct call_list *calls)
{
    engine_accept(engine, calls);
    engine_commit(engine);
    engine_maintain(engine);
}

int64_t engine_next_ms(const struct engine *engine)
{
    if (engine->broken) return INT64_MAX;
    int64_t next_ms = timers_next_ms(&engine->memory.timers);
    if (next_ms < engine->work.hold_timers_ms) next_ms = engine->work.hold_timers_ms;
    if (!room_to_go_on(engine)) next_ms = INT64_MAX;
    const struct deadline *first = deadlines_first(&engine->memory.deadlines);
    if (first && first->at_ms < next_ms) next_ms = first->at_ms;
    if (engine->maintenance.next_ms < next_ms) next_ms = engine->maintenance.next_ms;
    if (store_maintenance_due(engine->store)) next_ms = engine->turn.now_ms;
    if (work_waiting(engine)) next_ms = engine->turn.now_ms;
    if (nodes_next_ms(engine) < next_ms) next_ms = nodes_next_ms(engine);
    if (backlogs_next_ms(engine) < next_ms) next_ms = backlogs_next_ms(engine);
    return next_ms;
}
