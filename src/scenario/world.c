/* scenario/world.c — the engine without threads, on a store in memory and a clock moved by hand. */
#include "scenario/scenario_int.h"

#include "base/heap.h"
#include "base/must.h"
#include "runtime/queries.h"
#include "vault/vault.h"

/* Mocks hold their jobs for as long as the scenario says, which may be years. */
enum { LEASE_SECONDS = INT32_MAX };

static int64_t virtual_now_ms(void *context) { return ((struct stage *)context)->now_ms; }

static void open_engine(struct stage *stage)
{
    struct error err;
    struct clock clock = { virtual_now_ms, stage };
    must(engine_open(&stage->engine, stage->store, clock, &stage->limits, (struct retention){ 0 },
                     &stage->metrics, &err) == ST_OK);
    stage->engine.is_trial = stage->hooks || (stage->scenario && stage->scenario->test_outputs);
    store_layer_keep_histories(stage->engine.store);
    must(query_open(&stage->query, stage->engine.store, &stage->limits, &err) == ST_OK);
    if (stage->vault) must(engine_use_vault(&stage->engine, stage->vault, &err) == ST_OK);
}

void world_use_secrets(struct stage *stage)
{
    struct vault *before = stage->vault;
    struct error err;
    struct json_each each = json_each(stage->secrets);
    stage->vault = vault_new(NULL);
    while (json_next(&each))
        must(vault_give(stage->vault, VAULT_FILE, each.name, json_string(each.value), &err) == ST_OK);
    must(engine_use_vault(&stage->engine, stage->vault, &err) == ST_OK);
    vault_free(before);
}

static void close_engine(struct stage *stage)
{
    engine_drain(&stage->engine);
    world_turn(stage);
    query_close(&stage->query);
    engine_close(&stage->engine);
}

/* Somebody else runs the engine that plays here, and others play beside. A scenario is of an instance that a
 * real engine has run; a rehearsal has less room. */
static void bound_limits(const struct stage *stage, struct limits *limits)
{
    limits->turn_bytes_max = BOUNDED_TURN_BYTES_MAX;
    limits->cache_bytes_max = BOUNDED_CACHE_BYTES_MAX;
    limits->programs_bytes_max = BOUNDED_PROGRAMS_BYTES_MAX;
    if (stage->scenario) return;
    limits->variables_bytes_max = REHEARSED_VARIABLES_BYTES_MAX;
    limits->step_bytes_max = REHEARSED_STEP_BYTES_MAX;
}

bool world_has_room(struct stage *stage)
{
    if (!stage->is_bounded) return true;
    if (stage->scenario)
        return !heap_exceeds(BOUNDED_BYTES_MAX) ||
               stage_stop(stage, "the run takes more than %d bytes of memory (BOUNDED_BYTES_MAX)",
                          BOUNDED_BYTES_MAX);
    return !heap_exceeds(REHEARSED_BYTES_MAX) ||
           stage_stop(stage, "the run takes more than %d bytes of memory (REHEARSED_BYTES_MAX)",
                      REHEARSED_BYTES_MAX);
}

void world_open(struct stage *stage)
{
    struct error err;
    arena_init(&stage->scratch, 0);
    stage->limits = limits_default();
    stage->limits.lease_seconds_max = LEASE_SECONDS;
    if (stage->is_bounded) bound_limits(stage, &stage->limits);
    must(store_open_memory(&stage->store, &err) == ST_OK);
    open_engine(stage);
    stage->next_instance = stage->engine.transact.numbers.instance;
    stage->open = true;
}

void world_close(struct stage *stage)
{
    if (!stage->open) return;
    close_engine(stage);
    store_close(stage->store);
    vault_free(stage->vault);
    for (size_t i = 0; i < stage->actor_count; i++) program_unref(stage->actor[i]->program);
    entities_forget_coming(stage);
    arena_done(&stage->scratch);
    stage->open = false;
}

void world_restart(struct stage *stage)
{
    close_engine(stage);
    open_engine(stage);
}

/* ---- calls ---- */

struct call *world_call(struct stage *stage, enum call_kind kind)
{
    return call_new(kind, stage->arena, NULL, NULL);
}

/* The submitter of a call still has it: answers need not be kept. */
static void drop_answers(struct stage *stage)
{
    for (struct call *call; (call = call_list_take(&stage->engine.for_query)) != NULL;)
        queries_call(&stage->query, call);
    for (struct call *call; (call = call_list_take(&stage->engine.answered)) != NULL;)
        entities_answered(stage, call);
}

/* Work that one turn causes may wait for the next: chained starts whose definition has come, sub-flows
 * that begin or end. A chain of them without end stops here, and goes on when time is moved. */
void world_submit_together(struct stage *stage, struct call_list *calls)
{
    struct call_list none = { 0 };
    engine_turn(&stage->engine, calls);
    drop_answers(stage);
    for (size_t i = 1;
         i < TURNS_MAX && engine_next_ms(&stage->engine) <= stage->now_ms && world_has_room(stage); i++) {
        engine_turn(&stage->engine, &none);
        drop_answers(stage);
    }
}

void world_turn(struct stage *stage)
{
    struct call_list none = { 0 };
    world_submit_together(stage, &none);
}

void world_submit(struct stage *stage, struct call *call)
{
    if (!call_description(call->kind)->on_engine && !queries_call(&stage->query, call)) return;
    struct call_list list = { 0 };
    call_list_add(&list, call);
    world_submit_together(stage, &list);
}

static int64_t next_timer_ms(const struct stage *stage, int64_t from_ms)
{
    const struct timer_row first = { .due_ms = from_ms };
    struct timer_row row;
    struct error err;
    size_t count = 0;
    must(store_timers(stage->store, &first, INT64_MAX, &row, 1, &count, &err) == ST_OK);
    return count ? row.due_ms : INT64_MAX;
}

int64_t world_next_ms(struct stage *stage)
{
    int64_t next_ms = next_timer_ms(stage, INT64_MIN);
    const struct timers *timers = &stage->engine.memory.timers;
    if (next_ms <= stage->now_ms && (timers->count || stage->engine.transact.units.count)) {
        /* A timer that began a unit, or whose instance is in one: the engine tries it again a little later.
         */
        next_ms = next_timer_ms(stage, stage->now_ms + 1);
        if (timers_first_ms(timers) < next_ms) next_ms = timers_first_ms(timers);
    }
    /* Retry delays and waiting units count; leases are longer than any scenario. */
    const struct deadline *deadline = deadlines_first(&stage->engine.memory.deadlines);
    if (deadline && (deadline->kind == DEADLINE_DELAY || deadline->kind == DEADLINE_UNIT) &&
        deadline->at_ms < next_ms)
        next_ms = deadline->at_ms;
    return next_ms;
}

int64_t world_next_slot_ms(const struct stage *stage)
{
    const struct deadline *slot = deadlines_first(&stage->engine.memory.schedules.due);
    return slot ? slot->at_ms : INT64_MAX;
}

const struct program *world_program(struct stage *stage, str definition, int32_t version)
{
    struct definition *found;
    struct error err;
    bool is_known = found_hint(
        catalogue_find(&stage->query.catalogue, NAMESPACE_DEFAULT, definition, version, &found, &err));
    return is_known ? found->program : NULL;
}
