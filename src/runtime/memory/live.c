/* runtime/memory/live.c — notes the things that turns change, and hands them to the call that waits. */
#include "runtime/memory/live.h"

#include "base/array.h"
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
    live->tenant_cap = 0;
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

/* The tenant in this round. The newest is often wanted again. */
static struct live_tenant *tenant_of(struct live *live, int32_t ns)
{
    struct live_round *round = live->round;
    for (size_t i = round->tenant_count; i-- > 0;)
        if (round->tenant[i].ns == ns) return &round->tenant[i];
    if (round->tenant_count == LIVE_TENANTS_MAX) ns = TENANT_ANY; /* From here on all hear of it. */
    for (size_t i = round->tenant_count; ns == TENANT_ANY && i-- > 0;)
        if (round->tenant[i].ns == ns) return &round->tenant[i];
    array_reserve_in(&live->arena, round->tenant, round->tenant_count, live->tenant_cap);
    round->tenant[round->tenant_count] = (struct live_tenant){ .ns = ns };
    return &round->tenant[round->tenant_count++];
}

/* An empty name: nobody knows which thing of the tenant has changed. */
static void note_here(struct live *live, int32_t ns, enum live_kind kind, str id)
{
    if (!live->listening) return;
    struct live_set *set = &live->round->set[kind];
    struct live_tenant *tenant = tenant_of(live, ns);
    live->noted = true;
    tenant->kinds |= 1u << kind;
    if (tenant->many >> kind & 1 || kind == LIVE_WORKERS) return;
    if (!id.n) tenant->many |= 1u << kind;
    else if (has_id(set, id)) return;
    else if (set->count == LIVE_IDS_MAX) tenant->many |= 1u << kind;
    else set->id[set->count++] = arena_str(&live->arena, id);
}

void live_note(struct live *live, int32_t ns, enum live_kind kind, str id)
{
    struct arena scratch;
    if (!live->listening && !live->telling) return;
    arena_init(&scratch, 0);
    str name = id.n ? tenant_key(ns, id, &scratch) : id;
    if (live->telling && is_told(kind)) tell(live, kind, name);
    note_here(live, ns, kind, name);
    arena_done(&scratch);
}

bool live_is_noted(const struct live_round *round, int32_t ns, enum live_kind kind, bool *ret_many)
{
    bool noted = false;
    *ret_many = false;
    for (size_t i = 0; i < round->tenant_count; i++) {
        const struct live_tenant *tenant = &round->tenant[i];
        if (tenant->ns != ns && tenant->ns != TENANT_ANY) continue;
        noted |= tenant->kinds >> kind & 1;
        *ret_many |= tenant->many >> kind & 1;
    }
    return noted;
}

void live_forget_told(struct live *live)
{
    if (!live->told_count) return;
    live->told_count = 0;
    arena_reset(&live->told_arena);
}

void live_note_remote(struct live *live, enum live_kind kind, str id)
{
    int32_t ns = TENANT_ANY;
    if (id.n) (void)tenant_name(id, &ns);
    note_here(live, ns, kind, id);
}

void live_note_id(struct live *live, int32_t ns, enum live_kind kind, struct id id)
{
    char text[ID_CHARS + 1];
    if (!live->listening && !(live->telling && is_told(kind))) return;
    /* Without an id the tenant is noted all the same. */
    if (live->listening && tenant_of(live, ns)->many >> kind & 1 && !(live->telling && is_told(kind))) return;
    id_print(id, text);
    live_note(live, ns, kind, str_of(text));
}

void live_note_instance(struct live *live, int32_t ns, enum live_kind kind, int64_t created_ms,
                        uint64_t instance)
{
    if (!live->listening) return;
    size_t bit = bit_of(ns, instance);
    live->round->bits[bit / 64] |= UINT64_C(1) << bit % 64;
    if (kind == LIVE_ENTITIES) {
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
    copy->tenant = arena_make_n(call->arena, struct live_tenant, copy->tenant_count);
    memcpy(copy->tenant, live->round->tenant, copy->tenant_count * sizeof *copy->tenant);
    call->value.live.round = copy;
    memset(live->round, 0, sizeof *live->round);
    live->tenant_cap = 0;
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
