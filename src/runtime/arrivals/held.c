/* runtime/arrivals/held.c — a pause of all starts, and the instances that it holds.
 *
 * While starts are paused, new instances are created and do not begin. Each of them has a record, so a crash
 * forgets none. After the pause each turn lets some of them begin, in its transaction.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"

/* By priority, then in order of their creation. */
static enum status read_held(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                             size_t *ret_count, struct error *err)
{
    return backlog_read_records(run, RECORD_HELD, after, max, UINT64_MAX, ret_row, ret_count, err);
}

static enum status proceed(struct backlog_run *run, const struct backlog_row *row,
                           enum backlog_outcome *ret_outcome, struct error *err)
{
    struct turn *turn = run->turn;
    const struct instance *instance = NULL;
    struct definition *definition;
    struct transition *transition = NULL;
    (void)ret_outcome;
    enum status status = found_needed(transact_load(turn, row->instance, &instance, &definition, err));
    if (status == ST_OK && instance->is_held && lives(instance)) {
        const struct command command =
            command_proceed(turn->now_ms, STR("engine"), NULL, (struct command_proceed){ false });
        status = follow_command(turn, definition, instance, &command, &transition, err);
        if (status == ST_OK) return ST_OK; /* Its record went with the command. */
    }
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    if (status != ST_OK && status != ST_NOT_FOUND)
        log_write(LOG_ERROR, "a held instance cannot begin", "reason", err->message, NULL);
    struct changeset changeset = { .record_remove = row->of, .record_remove_count = 1 };
    return transact_rows(turn, &changeset, err);
}

void held_proceed(struct turn *turn)
{
    static const struct backlog_user user = {
        .max = HELD_PER_TURN_MAX,
        .passes_for_good = true, /* The next start of the engine tries it again. */
        .unread = "a held instance cannot be read and does not begin",
        .read = read_held,
        .row = proceed,
    };
    backlog_run(turn, &turn->engine->transact.backlog[BACKLOG_HELD], &user, NULL);
}

size_t held_filters(const struct engine *engine, struct arena *arena, struct record_filter *ret_filter)
{
    (void)engine, (void)arena;
    *ret_filter = (struct record_filter){ .ns = NAMESPACE_DEFAULT, .kind = RECORD_HELD };
    return 1;
}

int64_t held_next_ms(const struct engine *engine)
{
    return engine->transact.backlog[BACKLOG_HELD].due && !engine->transact.starts_paused ? engine->turn.now_ms
                                                                                         : INT64_MAX;
}

/* ---- a pause of all starts ---- */

/* The keys of triggers' pauses have a NUL. */
static const struct record_row pause_row = { .ns = NAMESPACE_DEFAULT,
                                             .kind = RECORD_PAUSED,
                                             .key = STR_INIT("*") };

enum status held_read_pause(struct engine *engine, struct error *err)
{
    struct record_row row;
    struct arena arena;
    arena_init(&arena, 0);
    bool is_there;
    enum status status = found_asked(
        store_find_record(engine->store, pause_row.ns, pause_row.kind, pause_row.key, &arena, &row, err),
        &is_there);
    arena_done(&arena);
    TRY(status);
    engine->transact.starts_paused = is_there;
    engine->transact.backlog[BACKLOG_HELD].due |= !engine->transact.starts_paused;
    return ST_OK;
}

/* It is written even if nothing changes: another node may have changed it since. */
enum status held_pause_call(struct turn *turn, struct call *call, struct error *err)
{
    struct engine *engine = turn->engine;
    bool paused = call->as.pause.paused;
    struct changeset changeset = { .record_put = &pause_row,
                                   .record_put_count = paused,
                                   .record_remove = &pause_row,
                                   .record_remove_count = !paused };
    TRY(transact_rows(turn, &changeset, err));
    if (!turn->pauses) turn->was_paused = engine->transact.starts_paused;
    turn->pauses = true;
    engine->transact.starts_paused = paused;
    engine->transact.backlog[BACKLOG_HELD].due |= !paused;
    live_note(&engine->memory.live, TENANT_ANY, LIVE_TRIGGERS, STR_NONE);
    return ST_OK;
}

void held_end(struct turn *turn, bool committed)
{
    must(!turn->pauses || turn->in_transaction);
    if (turn->pauses && !committed) turn->engine->transact.starts_paused = turn->was_paused;
    turn->pauses = false;
}

enum status held_open(struct engine *engine, struct error *err)
{
    TRY(held_read_pause(engine, err));
    if (engine->transact.starts_paused)
        log_write(LOG_WARN, "starts are paused: new instances do not begin until POST /api/engine/resume",
                  NULL);
    return ST_OK;
}
