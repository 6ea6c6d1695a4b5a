/* runtime/memory/live.c — notes the things that turns change, and hands them to the call that waits. */
#include "runtime/memory/live.h"

#include "base/must.h"
#include "base/uuid.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory_int.h"

#include <stdlib.h>

const char *live_kind_word(enum live_kind kind)
{
    static const char *const words[] = {
#define XX(NAME, word) word,
        LIVE_MAP(XX)
#undef XX
    };
    return words[kind];
}

void live_init(struct live *live, struct deadlines *deadlines)
{
    *live = (struct live){ .deadlines = deadlines };
    arena_init(&live->arena, 0);
    arena_init(&live->told_arena, 0);
}

static void stop(struct live *live)
{
    free(live->round);
    live->round = NULL;
    arena_reset(&live->arena);
    live->listening = live->noted = false;
}

void live_done(struct live *live)
{
    must(!live->waiting);
    stop(live);
    arena_done(&live->arena);
    arena_done(&live->told_arena);
}

/* ---- noting ---- */

static size_t bit_of(int32_t ns, uint64_t instance)
{
    uint64_t number = instance ^ (uint64_t)(ns - TENANT_DEFAULT) << 40;
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LIVE_BITS;
}

bool live_has_changed(const struct live_round *round, int32_t ns, uint64_t instance)
{
    size_t bit = bit_of(ns, instance);
    return round->bits[bit / 64] >> bit % 64 & 1;
}

static bool has_id(const struct live_set *set, str id)
{
    for (size_t i = 0; i < set->count; i++)
        if (str_equal(set->id[i], id)) return true;
    return false;
}

/* Nodes tell each other of the rest in a way of its own, or not at all. */
static bool is_told(enum live_kind kind)
{
    return kind != LIVE_INSTANCES && kind != LIVE_ENTITIES && kind != LIVE_TASKS && kind != LIVE_WORKERS;
}

/* The last place says that there were more. */
static void tell(struct live *live, enum live_kind kind, str id)
{
    for (size_t i = 0; i < live->told_count; i++)
        if (live->told[i].kind == kind && (!live->told[i].id.n || str_equal(live->told[i].id, id))) return;
    if (live->told_count >= LIVE_TOLD_MAX - LIVE_KIND_COUNT) id = STR_NONE;
    live->told[live->told_count++] = (struct live_told){ kind, arena_str(&live->told_arena, id) };
}

/* An empty name stays empty: nobody knows which thing has changed. */
static void note(struct live *live, enum live_kind kind, str id)
{
    if (live->telling && is_told(kind)) tell(live, kind, id);
    live_note_remote(live, kind, id);
}

void live_note(struct live *live, int32_t ns, enum live_kind kind, str id)
{
    struct arena scratch;
    if (!live->listening && !live->telling) return;
    arena_init(&scratch, 0);
    note(live, kind, id.n ? tenant_key(ns, id, &scratch) : id);
    arena_done(&scratch);
}

void live_forget_told(struct live *live)
{
    if (!live->told_count) return;
    live->told_count = 0;
    arena_reset(&live->told_arena);
}

void live_note_remote(struct live *live, enum live_kind kind, str id)
{
    if (!live->listening) return;
    struct live_set *set = &live->round->set[kind];
    live->noted = set->changed = true;
    if (set->many || kind == LIVE_WORKERS) return;
    if (!id.n) set->many = true;
    else if (has_id(set, id)) return;
    else if (set->count == LIVE_IDS_MAX) set->many = true;
    else set->id[set->count++] = arena_str(&live->arena, id);
}

void live_note_id(struct live *live, int32_t ns, enum live_kind kind, struct id id)
{
    char text[ID_CHARS + 1];
    bool here = live->listening && !live->round->set[kind].many;
    if (!here && !(live->telling && is_told(kind))) return;
    id_print(id, text);
    live_note(live, ns, kind, str_of(text));
}

void live_note_instance(struct live *live, int32_t ns, enum live_kind kind, int64_t created_ms,
                        uint64_t instance)
{
    if (!live->listening) return;
    size_t bit = bit_of(ns, instance);
    live->round->bits[bit / 64] |= UINT64_C(1) << bit % 64;
    if (kind == LIVE_ENTITIES && !live->round->set[kind].many) {
        char text[UUID_CHARS + 1];
        uuid_print(uuid_of_instance(created_ms, instance), text);
        live_note(live, ns, kind, str_of(text));
    } else {
        live_note_id(live, ns, kind, (struct id){ .ms = created_ms, .instance = instance });
    }
}

/* ---- answering ---- */

/* Moves the round to the call's arena, and begins another one. */
static void answer(struct live *live, struct call *call, int64_t now_ms)
{
    call->status = ST_OK;
    call->value.live = (struct answer_live){ 0 };
    if (!live->noted) return;
    struct live_round *copy = arena_alloc(call->arena, sizeof *copy);
    *copy = *live->round;
    for (size_t kind = 0; kind < LIVE_KIND_COUNT; kind++)
        for (size_t i = 0; i < copy->set[kind].count; i++)
            copy->set[kind].id[i] = arena_str(call->arena, copy->set[kind].id[i]);
    call->value.live.round = copy;
    memset(live->round, 0, sizeof *live->round);
    arena_reset(&live->arena);
    live->noted = false;
    live->told_ms = now_ms;
}

static void start(struct live *live)
{
    if (live->listening) return;
    live->round = calloc(1, sizeof *live->round);
    must(live->round);
    live->listening = true;
}

bool live_wait(struct live *live, struct call *call, int64_t now_ms, bool may_wait)
{
    const struct call_watch_live *asked = &call->as.watch_live;
    if (live->waiting) {
        call->status =
            fail(&call->error, ST_CONFLICT, "", "somebody waits for changes already; one at a time");
        return false;
    }
    if (asked->stops) stop(live);
    else start(live);
    if (asked->stops || !may_wait || asked->wait_ms <= 0) {
        answer(live, call, now_ms);
        return false;
    }
    live->waiting = call;
    live->until_ms = now_ms + asked->wait_ms;
    deadline_set_of_call(live->deadlines, &live->deadline, DEADLINE_LIVE, live->until_ms, call->serial_);
    live_settle(live, now_ms);
    return true;
}

/* The first change after a while is told at once, and those that follow are gathered. */
void live_settle(struct live *live, int64_t now_ms)
{
    if (!live->waiting || !live->noted) return;
    int64_t at_ms = live->told_ms + LIVE_GATHER_MS;
    if (at_ms < now_ms || live->told_ms > now_ms) at_ms = now_ms;
    if (at_ms < live->deadline.at_ms) deadline_set(live->deadlines, &live->deadline, DEADLINE_LIVE, at_ms);
}

struct call *live_take(struct live *live, int64_t now_ms)
{
    struct call *call = live->waiting;
    if (!call) return NULL;
    live->waiting = NULL;
    deadline_clear_of_call(live->deadlines, &live->deadline, call->serial_);
    answer(live, call, now_ms);
    return call;
}
