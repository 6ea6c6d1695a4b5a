/* runtime/backlogs.c — the table of all work that goes on in later turns, and what the engine asks of it:
 * when the next turn is due, a part of each in a turn, the end of a transaction.
 *
 * transact/backlog.h says what a backlog is, and has the rules that all of them share.
 */
#include "runtime/runtime_int.h"

#include "base/must.h"
#include "runtime/access/access.h"
#include "runtime/arrivals/arrivals.h"
#include "runtime/bulk/bulk.h"
#include "runtime/entities/entities.h"
#include "runtime/events/events.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

struct backlog_kind {
    enum backlog_name first, last;
    enum store_space space; /* It goes on while the store has at least this space. */
    bool once;              /* One node does it for all, and an engine that stops does not begin it. */
    bool waits;             /* backlog_end() */
    int parts;              /* It has one in so many parts of a turn; 0: the turn has another place for it. */
    size_t (*filters)(const struct engine *engine, struct arena *arena,
                      struct record_filter *ret_filter); /* backlogs_ask(); NULL: it waits for no records. */
    void (*go_on)(struct turn *turn);
    int64_t (*next_ms)(const struct engine *engine); /* NULL: at once if it is due. */
    void (*end)(struct turn *turn, bool committed);  /* Before backlog_end(); NULL: nothing more. */
};

static void go_on_bulk(struct turn *turn) { bulk_go_on(turn, command_run); }

#define KIND(NAME, space, ...)                                                  \
    {                                                                           \
        BACKLOG_##NAME, BACKLOG_##NAME##_LAST, STORE_SPACE_##space, __VA_ARGS__ \
    }

/* In the order of their parts of a turn. */
static const struct backlog_kind kinds[] = {
    /* clang-format off */
    /*   name       space   once   waits  parts            filters              go_on              next_ms           end */
    KIND(TRANSIENT, SHORT,  false, false, 0,               NULL,                NULL,              NULL,             NULL),
    KIND(ROUTING,   OUT,    false, false, 0,               NULL,                NULL,              routings_next_ms, routings_end),
    KIND(PENDING,   ENOUGH, false, true,  4,               NULL,                pending_start,     NULL,             NULL),
    KIND(CHILDREN,  OUT,    false, true,  4,               NULL,                children_go_on,    children_next_ms, children_end),
    KIND(OVERFLOW,  ENOUGH, false, false, 4,               overflow_filters,    queue_admit,       NULL,             NULL),
    KIND(HELD,      ENOUGH, false, false, 4,               held_filters,        held_proceed,      held_next_ms,     NULL),
    KIND(EARLY,     ENOUGH, false, true,  4,               kept_filters,        kept_go_on,        kept_next_ms,     NULL),
    KIND(LOCK,      SHORT,  false, true,  4,               locks_filters,       locks_go_on,       NULL,             NULL),
    KIND(BULK,      ENOUGH, true,  false, SLICES_PER_TURN, NULL,                go_on_bulk,        NULL,             bulk_end),
    KIND(INDEX,     ENOUGH, true,  false, SLICES_PER_TURN, NULL,                index_go_on,       NULL,             NULL),
    KIND(SEARCH,    ENOUGH, true,  false, SLICES_PER_TURN, search_jobs_filters, search_jobs_go_on, NULL,             search_jobs_end),
    KIND(TICK,      ENOUGH, true,  false, 2,               NULL,                ticks_go_on,       ticks_next_ms,    ticks_end),
    KIND(REMOVAL,   OUT,    true,  false, SLICES_PER_TURN, access_removal_filters, removal_go_on,  NULL,             NULL),
    KIND(DELETION,  OUT,    true,  false, SLICES_PER_TURN, deletion_filters,    deletion_go_on,    NULL,             NULL),
    /* clang-format on */
};

/* ---- all of them ---- */

void backlogs_open(struct engine *engine)
{
    for (size_t i = 0; i < BACKLOG_COUNT; i++) backlog_init(&engine->transact.backlog[i]);
}

void backlogs_close(struct engine *engine)
{
    for (size_t i = 0; i < BACKLOG_COUNT; i++) backlog_done(&engine->transact.backlog[i]);
}

void backlogs_wake(struct engine *engine)
{
    for (enum backlog_name name = 0; name < BACKLOG_COUNT; name++)
        engine->transact.backlog[name].due |= name != BACKLOG_TRANSIENT;
}

void backlogs_remind(struct engine *engine)
{
    struct backlog *backlog = engine->transact.backlog;
    for (size_t i = 0; i < BACKLOG_COUNT; i++) backlog[i].due |= backlog[i].left;
}

/* ---- work that any node may have left ---- */

/* The filters of all kinds, and the backlog of each. */
struct work_asked {
    struct record_filter filter[WORK_FILTERS_MAX];
    enum backlog_name of[WORK_FILTERS_MAX];
    size_t count;
};

static void gather_filters(const struct engine *engine, struct arena *arena, struct work_asked *ret_asked)
{
    ret_asked->count = 0;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (!kinds[i].filters) continue;
        size_t count = kinds[i].filters(engine, arena, ret_asked->filter + ret_asked->count);
        for (; count; count--) ret_asked->of[ret_asked->count++] = kinds[i].first;
        must(ret_asked->count <= WORK_FILTERS_MAX);
    }
}

/* Indexes are built, and their rows removed, after a change of the configuration, which wakes that backlog
 * (takeover.c). Slots of schedules and events on a long way are in memory. */
enum status backlogs_ask(struct engine *engine, int64_t lease_end_ms, struct work_found *ret_found,
                         struct error *err)
{
    struct backlog *backlog = engine->transact.backlog;
    struct arena *arena = &engine->turn.arena;
    struct work_asked asked;
    gather_filters(engine, arena, &asked);
    const struct work_question question = { .target = children_put_off_target,
                                            .bulk_state = BULK_STATE_RUNNING,
                                            .lease_end_ms = lease_end_ms,
                                            .filter = asked.filter,
                                            .filter_count = asked.count };
    TRY(store_find_work(engine->store, &question, arena, ret_found, err));
    for (int priority = 0; priority < PRIORITY_COUNT; priority++)
        backlog[BACKLOG_PENDING + priority].due |= ret_found->starts >> priority & 1;
    backlog[BACKLOG_CHILDREN].due |= ret_found->has_target;
    backlog[BACKLOG_BULK].due |= ret_found->has_bulk;
    for (size_t i = 0; i < asked.count; i++) backlog[asked.of[i]].due |= ret_found->records >> i & 1;
    return ST_OK;
}

/* ---- when ---- */

static int64_t at_once_if_due(const struct engine *engine, const struct backlog_kind *kind)
{
    for (enum backlog_name name = kind->first; name <= kind->last; name++)
        if (engine->transact.backlog[name].due) return engine->turn.now_ms;
    return INT64_MAX;
}

/* The rounds of a kind take part in the same transactions, so that they are held together. */
static int64_t next_of(const struct engine *engine, const struct backlog_kind *kind)
{
    if (engine->broken || store_space(engine->store) > kind->space) return INT64_MAX;
    if (kind->once && (engine->draining || !nodes_lead(engine))) return INT64_MAX;
    int64_t next_ms = kind->next_ms ? kind->next_ms(engine) : at_once_if_due(engine, kind);
    for (enum backlog_name name = kind->first; name <= kind->last; name++)
        if (next_ms < engine->transact.backlog[name].hold_ms)
            next_ms = engine->transact.backlog[name].hold_ms;
    return next_ms;
}

int64_t backlogs_next_ms(const struct engine *engine)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        int64_t next_ms = next_of(engine, &kinds[i]);
        if (next_ms < first_ms) first_ms = next_ms;
    }
    return first_ms;
}

bool backlogs_may_go_on(const struct engine *engine, enum backlog_name name)
{
    size_t i = 0;
    while (kinds[i].first != name) i++;
    return next_of(engine, &kinds[i]) <= engine->turn.now_ms;
}

/* ---- a turn ---- */

void backlogs_go_on(struct turn *turn)
{
    for (size_t i = 0; i < COUNT(kinds) && turn->failed == ST_OK; i++) {
        if (!kinds[i].parts || next_of(turn->engine, &kinds[i]) > turn->now_ms) continue;
        slice_begin(turn, kinds[i].parts);
        kinds[i].go_on(turn);
    }
}

void backlogs_end(struct turn *turn, bool committed)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].end) kinds[i].end(turn, committed);
        for (enum backlog_name name = kinds[i].first; name <= kinds[i].last; name++)
            backlog_end(turn, &turn->engine->transact.backlog[name], kinds[i].waits, committed);
    }
}
