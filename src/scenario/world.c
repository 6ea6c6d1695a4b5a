/* scenario/world.c — the engine without threads, on a store in memory and a clock moved by hand. */
#include "scenario/scenario_int.h"

#include "base/must.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* Mocks hold their jobs for as long as the scenario says, which may be years. */
enum { LEASE_SECONDS = INT32_MAX };

static int64_t virtual_now_ms(void *context) { return ((struct stage *)context)->now_ms; }

static void open_engine(struct stage *stage)
{
    struct error err;
    struct clock clock = { virtual_now_ms, stage };
    must(engine_open(&stage->engine, stage->store, clock, &stage->limits, (struct retention){ 0 },
                     &stage->metrics, &err) == ST_OK);
    must(query_open(&stage->query, stage->store, &stage->limits, &err) == ST_OK);
}

static void close_engine(struct stage *stage)
{
    engine_drain(&stage->engine);
    world_turn(stage);
    engine_close(&stage->engine);
    query_close(&stage->query);
}

void world_open(struct stage *stage)
{
    struct error err;
    arena_init(&stage->scratch, 0);
    stage->limits = limits_default();
    stage->limits.lease_seconds_max = LEASE_SECONDS;
    must(store_open_memory(&stage->store, &err) == ST_OK);
    open_engine(stage);
    stage->next_instance = stage->engine.next_instance;
    stage->open = true;
}

void world_close(struct stage *stage)
{
    if (!stage->open) return;
    close_engine(stage);
    store_close(stage->store);
    for (size_t i = 0; i < stage->actor_count; i++) program_unref(stage->actor[i]->program);
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

static bool for_engine(enum call_kind kind)
{
    static const bool where_[] = {
#define ENGINE true
#define QUERY false
#define XX(NAME, where, writes) where,
        CALL_MAP(XX)
#undef XX
#undef ENGINE
#undef QUERY
    };
    return where_[kind];
}

/* Whoever submitted a call has it in hand: answers need not be kept. */
static void drop_answers(struct stage *stage)
{
    for (struct call *call; (call = call_list_take(&stage->engine.for_query)) != NULL;)
        query_call(&stage->query, call);
    while (call_list_take(&stage->engine.answered)) {
    }
}

/* What one turn causes may wait for the next: chained starts whose definition has come, sub-flows
 * that begin or end. A chain of them without end stops here, and goes on when time is moved. */
void world_submit_together(struct stage *stage, struct call_list *calls)
{
    enum { TURNS_MAX = 1000 };
    struct call_list none = { 0 };
    engine_turn(&stage->engine, calls);
    drop_answers(stage);
    for (size_t i = 1; i < TURNS_MAX && engine_next_ms(&stage->engine) <= stage->now_ms; i++) {
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
    if (!for_engine(call->kind) && !query_call(&stage->query, call)) return;
    struct call_list list = { 0 };
    call_list_add(&list, call);
    world_submit_together(stage, &list);
}

int64_t world_next_ms(struct stage *stage)
{
    const struct timer_row first = { .due_ms = INT64_MIN };
    struct timer_row row;
    struct error err;
    size_t count = 0;
    int64_t next_ms = INT64_MAX;
    must(store_timers(stage->store, &first, INT64_MAX, &row, 1, &count, &err) == ST_OK);
    if (count) next_ms = row.due_ms;
    /* Retry delays; leases lie behind every horizon. */
    const struct deadline *deadline = deadlines_first(&stage->engine.deadlines);
    if (deadline && deadline->kind == DEADLINE_DELAY && deadline->at_ms < next_ms) next_ms = deadline->at_ms;
    return next_ms;
}

/* ---- what a run leaves behind ---- */

bool stage_stop(struct stage *stage, const char *format, ...)
{
    if (stage->problem.n) return false;
    char text[ERROR_MESSAGE_BYTES * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    stage->problem = arena_str(stage->arena, str_of(text));
    return false;
}

/* Cuts at a character's boundary. */
static str cut(struct arena *arena, str text)
{
    if (text.n <= RECORD_TEXT_BYTES_MAX) return text;
    text = utf8_cut(text, RECORD_TEXT_BYTES_MAX);
    return arena_printf(arena, "%.*s…", STR_ARG(text));
}

void stage_record(struct stage *stage, const char *word, str instance, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    must(n >= 0);
    char *text = arena_alloc(stage->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);

    struct record *record = arena_make(stage->arena, struct record);
    *record = (struct record){ .at_ms = stage->now_ms - stage->start_ms,
                               .word = arena_str(stage->arena, str_of(word)),
                               .instance = instance,
                               .text = cut(stage->arena, (str){ text, (size_t)n }) };
    if (stage->last_record) stage->last_record->next = record;
    else stage->first_record = record;
    stage->last_record = record;
}

void stage_differs(struct stage *stage, str where, str expected, str actual)
{
    if (stage->difference_count++ >= DIFFERENCES_MAX) return;
    struct difference *difference = arena_make(stage->arena, struct difference);
    *difference = (struct difference){ .where = where, .expected = expected, .actual = actual };
    if (stage->last_difference) stage->last_difference->next = difference;
    else stage->first_difference = difference;
    stage->last_difference = difference;
}

str stage_text(struct stage *stage, const struct json *value)
{
    struct buf out;
    if (!value) return STR("nothing");
    buf_init(&out, stage->arena);
    json_print(value, &out);
    return buf_str(&out);
}

const struct program *world_program(struct stage *stage, str definition, int32_t version)
{
    struct definition *found;
    struct error err;
    enum status status =
        catalogue_find(&stage->query.catalogue, NAMESPACE_DEFAULT, definition, version, &found, &err);
    return status == ST_OK ? found->program : NULL;
}
