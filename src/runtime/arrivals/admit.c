/* runtime/arrivals/admit.c — what waits to begin: arrivals in the queue, instances that are held, instances
 * that must not outlive a restart.
 *
 * All of them are records, so a crash forgets none. Each turn does a part, in its transaction, and what is
 * left goes on in the next turn.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/log.h"
#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/transact.h"

enum { HOLD_MS = 1000 }; /* The pause after a failed transaction. */

/* ---- records that cannot be read ---- */

/* A row that the store cannot read fails the whole transaction that reads it. The engine blames the row: the
 * next transaction ends before it, and the one after has it alone. If that fails, too, the engine passes the
 * row over, and those behind it go on. Its record stays: the record of an instance for the next start, that
 * of an arrival for the next round. */
static bool comes_later(uint64_t blamed, uint64_t id, size_t tried) { return id == blamed && tried; }

/* True: it has failed alone. */
static bool blame(uint64_t *blamed, uint64_t id, size_t tried)
{
    bool alone = *blamed == id && !tried;
    *blamed = id;
    return alone;
}

static bool blame_instance(uint64_t *blamed, uint64_t id, size_t tried, const char *what,
                           const struct error *err)
{
    if (!blame(blamed, id, tried)) return false;
    char text[ID_CHARS + 1];
    id_print((struct id){ .instance = id }, text);
    log_write(LOG_ERROR, what, "instance", text, "reason", err->message, NULL);
    return true;
}

/* ---- arrivals that wait for a place ---- */

/* The store has failed, perhaps only for this one. The arrivals behind it are of the same definition and keep
 * their order, so all of them are passed over. */
static void blame_arrival(struct turn *turn, const struct overflow_queue *queue,
                          const struct queued_arrival *queued, size_t tried, const struct error *err)
{
    struct engine *engine = turn->engine;
    if (turn->failed == ST_OK && err->status == ST_STORE &&
        blame(&engine->overflow_blamed, overflow_number_of(queued), tried)) {
        log_write(LOG_ERROR, "an arrival cannot leave the queue, and those of its definition wait",
                  "definition", arena_printf(&turn->arena, "%.*s", STR_ARG(queued->definition_id)).p,
                  "reason", err->message, NULL);
        engine->overflow_after.n = 0;
        buf_add_str(&engine->overflow_after, queue->place);
    }
    transact_failed(turn, err);
}

/* Routes the arrivals of one queue, from this one on, until one has to wait. *ret_over: the transaction is to
 * end here. *tried: those that have left their queues in it. */
static enum status admit_queue(struct turn *turn, const struct overflow_queue *queue,
                               struct queued_arrival *queued, size_t *tried, bool *ret_over,
                               struct error *err)
{
    for (size_t count = 0;; count++) {
        bool waits;
        if ((count && slice_is_over(turn)) ||
            comes_later(turn->engine->overflow_blamed, overflow_number_of(queued), *tried)) {
            *ret_over = true;
            return ST_OK;
        }
        TRY(arrive_again(turn, NAMESPACE_DEFAULT, queued, &waits, err));
        if (waits) {
            turn->engine->overflow_left = true;
            return ST_OK;
        }
        TRY(overflow_remove(turn, NAMESPACE_DEFAULT, queued, err));
        ++*tried;
        enum status status =
            overflow_first(turn, NAMESPACE_DEFAULT, queue->definition_id, queued->key, queued, err);
        if (status != ST_OK) return status == ST_NOT_FOUND ? ST_OK : status;
    }
}

static void keep_place(struct engine *engine, str after)
{
    struct buf *place = &engine->overflow_after;
    if (after.p == place->p) return;
    place->n = 0;
    buf_add_str(place, after);
}

/* Queues of a higher priority come first. The first arrival of a queue may be large, so the next turn goes on
 * where this one has done enough. */
static enum status admit_all(struct turn *turn, struct error *err)
{
    struct engine *engine = turn->engine;
    struct overflow_queue *queue;
    size_t count, tried = 0;
    str after = buf_str(&engine->overflow_after);
    bool over = false, looked = false;
    if (overflow_queues(turn, NAMESPACE_DEFAULT, &queue, &count, err) != ST_OK)
        return transact_failed(turn, err);
    for (size_t i = 0; i < count && !over; i++) {
        struct queued_arrival queued;
        if (str_compare(queue[i].place, after) <= 0) continue;
        if ((over = looked && slice_is_over(turn))) break;
        looked = true;
        enum status status =
            overflow_first(turn, NAMESPACE_DEFAULT, queue[i].definition_id, STR_NONE, &queued, err);
        if (status == ST_NOT_FOUND) continue;
        if (status != ST_OK) return transact_failed(turn, err);
        status = admit_queue(turn, &queue[i], &queued, &tried, &over, err);
        if (status != ST_OK && transact_is_lost(turn, status)) {
            blame_arrival(turn, &queue[i], &queued, tried, err);
            return status;
        }
        /* The definition cannot be had: its arrivals wait, and the others go on. */
        if (status != ST_OK) engine->overflow_left = true;
        if (!over) after = queue[i].place;
    }
    /* The next round tries all of them. */
    engine->overflow_left |= over || engine->overflow_after.n > 0;
    engine->overflow_due |= over;
    keep_place(engine, over ? after : STR_NONE);
    return ST_OK;
}

static void admit_arrivals(struct turn *turn)
{
    struct error err;
    turn->engine->overflow_due = turn->engine->overflow_left = false;
    if (admit_all(turn, &err) != ST_OK) turn->engine->overflow_left = true;
}

/* ---- instances that are held ---- */

static enum status proceed(struct turn *turn, const struct record_row *row, uint64_t id, struct error *err)
{
    const struct instance *instance = NULL;
    struct definition *definition;
    struct transition *transition = NULL;
    enum status status = transact_load(turn, id, &instance, &definition, err);
    if (status == ST_OK && instance->is_held && lives(instance)) {
        const struct command command =
            command_proceed(turn->now_ms, STR("engine"), NULL, (struct command_proceed){ false });
        status = follow_command(turn, definition, instance, &command, &transition, err);
        if (status == ST_OK) return ST_OK; /* Its record went with the command. */
    }
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    if (status != ST_OK && status != ST_NOT_FOUND)
        log_write(LOG_ERROR, "a held instance cannot begin", "reason", err->message, NULL);
    struct changeset changeset = { .record_remove = row, .record_remove_count = 1 };
    return transact_rows(turn, &changeset, err);
}

/* The store has failed, perhaps only for this one. */
static void blame_held(struct turn *turn, const struct record_row *row, size_t tried, bool reads,
                       const struct error *err)
{
    struct engine *engine = turn->engine;
    if (reads && err->status == ST_STORE &&
        blame_instance(&engine->held_blamed, mark_instance_of(row->key), tried,
                       "a held instance cannot be read and does not begin", err)) {
        engine->held_after.n = 0;
        buf_add_str(&engine->held_after, row->key);
    }
    transact_failed(turn, err);
}

/* By priority, then in order of their creation. */
static void proceed_held(struct turn *turn)
{
    struct engine *engine = turn->engine;
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT,
                                          .kind = RECORD_HELD,
                                          .after = buf_str(&engine->held_after),
                                          .max = HELD_PER_TURN_MAX };
    struct record_row *row;
    struct error err;
    size_t count, i = 0;
    engine->held_due = true;
    if (store_records(engine->store, &filter, &turn->arena, &row, &count, &err) != ST_OK) {
        transact_failed(turn, &err);
        return;
    }
    for (; i < count && (!i || !slice_is_over(turn)); i++) {
        uint64_t id = mark_instance_of(row[i].key);
        if (comes_later(engine->held_blamed, id, i)) break;
        if (proceed(turn, &row[i], id, &err) != ST_OK) {
            blame_held(turn, &row[i], i, turn->failed == ST_OK, &err);
            return;
        }
        if (id == engine->held_blamed) break; /* Alone. */
    }
    engine->held_due = i < count || count == HELD_PER_TURN_MAX;
    if (!engine->held_due) engine->held_after.n = 0; /* The next round tries all of them. */
}

/* ---- instances that end when the engine starts ---- */

/* {name, message} */
static const struct json *restart_error(struct arena *arena)
{
    struct json_builder error;
    json_builder_init(&error, arena);
    json_open_object(&error);
    json_add_name(&error, STR("name"));
    json_add_string(&error, STR("ENGINE_RESTART"));
    json_add_name(&error, STR("message"));
    json_add_string(&error, STR("the engine was restarted, and the definition is not recoverable"));
    json_close(&error);
    return json_built(&error);
}

static enum status end_instance(struct turn *turn, const struct instance *instance,
                                struct definition *definition, struct error *err)
{
    struct transition *transition = NULL;
    const struct command command = command_cancel(
        turn->now_ms, STR("engine"), NULL,
        (struct command_cancel){
            .reason = STR("the engine was restarted"), .fails = true, .error = restart_error(&turn->arena) });
    return lives(instance) ? follow_command(turn, definition, instance, &command, &transition, err) : ST_OK;
}

static enum status end_transient(struct turn *turn, const struct record_row *row, struct error *err)
{
    const struct instance *instance = NULL;
    struct definition *definition;
    enum status status = transact_load(turn, mark_instance_of(row->key), &instance, &definition, err);
    if (status == ST_OK) status = end_instance(turn, instance, definition, err);
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    if (status != ST_OK && status != ST_NOT_FOUND)
        log_write(LOG_ERROR, "an instance that is not recoverable cannot be ended", "reason", err->message,
                  NULL);
    /* Its end may have removed the record already, which is fine. */
    struct changeset changeset = { .record_remove = row, .record_remove_count = 1 };
    return transact_rows(turn, &changeset, err);
}

static enum status has_records(struct engine *engine, enum record_kind kind, bool *ret_has, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = kind, .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    *ret_has = count > 0;
    return ST_OK;
}

enum status admit_open(struct engine *engine, struct error *err)
{
    bool has;
    TRY(has_records(engine, RECORD_TRANSIENT, &has, err));
    /* If there are several nodes, each ends with its own. */
    engine->transient_below = has && !engine->nodes.shared ? engine->numbers.instance : 0;
    TRY(has_records(engine, RECORD_HELD, &engine->held_due, err));
    TRY(admit_read_pause(engine, err));
    if (engine->paused)
        log_write(LOG_WARN, "starts are paused: new instances do not begin until POST /api/engine/resume",
                  NULL);
    TRY(has_records(engine, RECORD_OVERFLOW, &engine->overflow_due, err));
    engine->overflow_left = engine->overflow_due;
    return ST_OK;
}

bool admit_ends_transients(const struct engine *engine) { return engine->transient_below > 0; }

/* Without space nothing runs that they could take part in, and cancels may make some. */
bool admit_must_end_transients(const struct engine *engine)
{
    return admit_ends_transients(engine) && room_to_go_on(engine) && !engine->broken &&
           engine->turn.now_ms >= engine->transient_hold_ms;
}

void admit_end_transients_of(struct engine *engine, int64_t node)
{
    engine->transient_below = UINT64_MAX;
    engine->transient_node = node;
    engine->transient_after = 0;
}

/* A record says on which node the instance began; empty: on an engine that was alone, whose node has a
 * negative number now. */
static bool is_of_node(const struct engine *engine, const struct record_row *row)
{
    int64_t node = engine->transient_node;
    return !node || (node < 0 ? !row->value.n : mark_node_of(row->value) == node);
}

/* The store has failed, perhaps only for this one. An instance that is passed over cannot run either. */
static void blame_transient(struct turn *turn, uint64_t id, size_t tried, bool reads, const struct error *err)
{
    struct engine *engine = turn->engine;
    if (reads && err->status == ST_STORE &&
        blame_instance(&engine->transient_blamed, id, tried,
                       "an instance that is not recoverable cannot be read and is not ended", err))
        engine->transient_after = id;
    transact_failed(turn, err);
}

/* Nothing else happens before all of them have ended, because nothing of them may run again. Only while the
 * store fails, calls run in between. How far we are counts when it has committed. */
void admit_end_transients(struct turn *turn)
{
    must(turn->engine->transient_below > 0 && !turn->ends_transients);
    struct engine *engine = turn->engine;
    uint64_t below = engine->transient_below, after = engine->transient_after;
    const struct record_filter filter = {
        .ns = NAMESPACE_DEFAULT,
        .kind = RECORD_TRANSIENT,
        .after = after ? mark_member(STR_NONE, after, &turn->arena) : STR_NONE,
        .max = TRANSIENTS_PER_TURN_MAX,
    };
    struct record_row *row;
    struct error err;
    size_t count, i = 0;
    bool stops = false;
    turn->ends_transients = true;
    turn->transient_below = below, turn->transient_after = after;
    if (store_records(engine->store, &filter, &turn->arena, &row, &count, &err) != ST_OK) {
        transact_failed(turn, &err);
        return;
    }
    for (; i < count && !stops && mark_instance_of(row[i].key) < below; i++) {
        uint64_t id = mark_instance_of(row[i].key);
        stops = id == engine->transient_blamed;
        if (comes_later(engine->transient_blamed, id, i)) break;
        if (is_of_node(engine, &row[i]) && end_transient(turn, &row[i], &err) != ST_OK) {
            blame_transient(turn, id, i, turn->failed == ST_OK, &err);
            return;
        }
        after = id;
    }
    bool done = i < TRANSIENTS_PER_TURN_MAX && !stops;
    turn->transient_below = done ? 0 : below;
    turn->transient_after = done ? 0 : after;
}

static void keep_transients(struct turn *turn)
{
    turn->engine->transient_below = turn->transient_below;
    turn->engine->transient_after = turn->transient_after;
}

/* ---- */

void admit_go_on(struct turn *turn)
{
    struct engine *engine = turn->engine;
    if (!room_for(engine, CALL_START) || turn->now_ms < engine->admit_hold_ms) return;
    turn->admits = engine->overflow_due || (engine->held_due && !engine->paused);
    if (engine->overflow_due && turn->failed == ST_OK) admit_arrivals(turn);
    if (engine->held_due && !engine->paused && turn->failed == ST_OK) proceed_held(turn);
}

static int64_t later_of(int64_t a_ms, int64_t b_ms) { return a_ms > b_ms ? a_ms : b_ms; }

int64_t admit_next_ms(const struct engine *engine)
{
    int64_t next_ms = INT64_MAX, now_ms = engine->turn.now_ms;
    if (admit_ends_transients(engine) && room_to_go_on(engine))
        next_ms = later_of(now_ms, engine->transient_hold_ms);
    if (room_for(engine, CALL_START) && (engine->overflow_due || (engine->held_due && !engine->paused)) &&
        later_of(now_ms, engine->admit_hold_ms) < next_ms)
        next_ms = later_of(now_ms, engine->admit_hold_ms);
    return next_ms;
}

/* ---- a pause of all starts ---- */

/* The keys of triggers' pauses have a NUL. */
static const struct record_row pause_row = { .ns = NAMESPACE_DEFAULT,
                                             .kind = RECORD_PAUSED,
                                             .key = STR_INIT("*") };

enum status admit_read_pause(struct engine *engine, struct error *err)
{
    struct record_row row;
    struct arena arena;
    arena_init(&arena, 0);
    enum status status =
        store_find_record(engine->store, pause_row.ns, pause_row.kind, pause_row.key, &arena, &row, err);
    arena_done(&arena);
    if (status != ST_OK && status != ST_NOT_FOUND) return status;
    engine->paused = status == ST_OK;
    engine->held_due |= !engine->paused;
    return ST_OK;
}

/* It is written even if nothing changes: another node may have changed it since. */
enum status admit_pause_call(struct turn *turn, struct call *call, struct error *err)
{
    struct engine *engine = turn->engine;
    bool paused = call->as.pause.paused;
    struct changeset changeset = { .record_put = &pause_row,
                                   .record_put_count = paused,
                                   .record_remove = &pause_row,
                                   .record_remove_count = !paused };
    TRY(transact_rows(turn, &changeset, err));
    if (!turn->pauses) turn->was_paused = engine->paused;
    turn->pauses = true;
    engine->paused = paused;
    engine->held_due |= !paused;
    live_note(&engine->live, LIVE_TRIGGERS, STR_NONE);
    return ST_OK;
}

void admit_end(struct turn *turn, bool committed)
{
    must(!turn->pauses || turn->in_transaction);
    if (turn->pauses && !committed) turn->engine->paused = turn->was_paused;
    turn->pauses = false;
    bool holds = !committed && turn->failed != ST_AGAIN;
    if (turn->ends_transients && committed) keep_transients(turn);
    if (turn->ends_transients && holds) turn->engine->transient_hold_ms = turn->now_ms + HOLD_MS;
    if (turn->admits && holds) turn->engine->admit_hold_ms = turn->now_ms + HOLD_MS;
    turn->ends_transients = turn->admits = false;
}
