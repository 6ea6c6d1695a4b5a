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

/* ---- arrivals that wait for a place ---- */

/* Queues of a higher priority come first. */
static enum status read_queues(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                               size_t *ret_count, struct error *err)
{
    struct overflow_queue *queue;
    size_t count, behind = 0;
    (void)max; /* Each of them may have many arrivals, or none. */
    TRY(overflow_queues(run->turn, &queue, &count, err));
    struct backlog_row *row = arena_make_n(&run->turn->arena, struct backlog_row, count);
    for (size_t i = 0; i < count; i++)
        if (str_compare(queue[i].place, after) > 0)
            row[behind++] = (struct backlog_row){ .place = queue[i].place, .name = queue[i].definition };
    run->has_all = true;
    *ret_row = row;
    *ret_count = behind;
    return ST_OK;
}

/* Routes the arrivals of one queue, until one has to wait. If one cannot be read, those behind it keep their
 * order, so the round passes the whole queue. */
static enum status admit_queue(struct backlog_run *run, const struct backlog_row *row,
                               enum backlog_outcome *ret_outcome, struct error *err)
{
    struct turn *turn = run->turn;
    struct queued_arrival queued = { .key = STR_NONE };
    enum status status;
    bool waits = false;
    int32_t ns;
    str definition_id = tenant_name(row->name, &ns);
    while ((status = found_needed(overflow_first(turn, ns, definition_id, queued.key, &queued, err))) ==
           ST_OK) {
        if (!backlog_take(run, queued.key)) return ST_OK;
        status = arrive_again(turn, ns, &queued, &waits, err);
        if (status != ST_OK || waits) break;
        TRY(overflow_remove(turn, ns, &queued, err));
    }
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    /* If the definition cannot be had, its arrivals wait, too. */
    if (status != ST_NOT_FOUND) *ret_outcome = BACKLOG_LEFT;
    return ST_OK;
}

void admit_arrivals(struct turn *turn)
{
    static const struct backlog_user user = {
        .max = ADMITTED_PER_TURN_MAX,
        .unread = "an arrival cannot leave the queue, and those of its definition wait",
        .read = read_queues,
        .row = admit_queue,
    };
    backlog_run(turn, &turn->engine->transact.backlog[BACKLOG_OVERFLOW], &user, NULL);
}

/* ---- records of instances ---- */

static enum status read_records(struct backlog_run *run, enum record_kind kind, str after, size_t max,
                                uint64_t below, struct backlog_row **ret_row, size_t *ret_count,
                                struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = kind, .after = after, .max = max };
    struct record_row *record;
    size_t count, i = 0;
    TRY(store_records(run->turn->engine->store, &filter, &run->turn->arena, &record, &count, err));
    struct backlog_row *row = arena_make_n(&run->turn->arena, struct backlog_row, count);
    for (; i < count && index_record_instance_of(record[i].key) < below; i++)
        row[i] = (struct backlog_row){ .key = record[i].key,
                                       .place = record[i].key,
                                       .instance = index_record_instance_of(record[i].key),
                                       .of = &record[i] };
    run->has_all = i < max;
    *ret_row = row;
    *ret_count = i;
    return ST_OK;
}

/* ---- instances that are held ---- */

/* By priority, then in order of their creation. */
static enum status read_held(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                             size_t *ret_count, struct error *err)
{
    return read_records(run, RECORD_HELD, after, max, UINT64_MAX, ret_row, ret_count, err);
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

void admit_held(struct turn *turn)
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

int64_t admit_held_next_ms(const struct engine *engine)
{
    const struct transact *transact = &engine->transact;
    bool may = transact->backlog[BACKLOG_HELD].due && !transact->starts_paused;
    return may ? engine->turn.now_ms : INT64_MAX;
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

/* A record says on which node the instance began; empty: on an engine that was alone, whose node has a
 * negative number now. */
static bool is_of_node(const struct engine *engine, const struct record_row *row)
{
    int64_t node = engine->arrivals.transient_node;
    return !node || (node < 0 ? !row->value.n : index_record_node_of(row->value) == node);
}

static enum status read_transients(struct backlog_run *run, str after, size_t max,
                                   struct backlog_row **ret_row, size_t *ret_count, struct error *err)
{
    return read_records(run, RECORD_TRANSIENT, after, max, run->turn->engine->arrivals.transient_below,
                        ret_row, ret_count, err);
}

static enum status end_transient(struct backlog_run *run, const struct backlog_row *row,
                                 enum backlog_outcome *ret_outcome, struct error *err)
{
    struct turn *turn = run->turn;
    const struct instance *instance = NULL;
    struct definition *definition;
    if (!is_of_node(turn->engine, row->of)) {
        *ret_outcome = BACKLOG_KEPT;
        return ST_OK;
    }
    enum status status = found_needed(transact_load(turn, row->instance, &instance, &definition, err));
    if (status == ST_OK) status = end_instance(turn, instance, definition, err);
    if (status != ST_OK && transact_is_lost(turn, status)) return status;
    if (status != ST_OK && status != ST_NOT_FOUND)
        log_write(LOG_ERROR, "an instance that is not recoverable cannot be ended", "reason", err->message,
                  NULL);
    /* Its end may have removed the record already, which is fine. */
    struct changeset changeset = { .record_remove = row->of, .record_remove_count = 1 };
    return transact_rows(turn, &changeset, err);
}

/* Nothing else happens before all of them have ended, because nothing of them may run again. Only while the
 * store fails, calls run in between. An instance that is passed cannot run either. */
void admit_end_transients(struct turn *turn)
{
    static const struct backlog_user user = {
        .max = TRANSIENTS_PER_TURN_MAX,
        .passes_for_good = true, /* Here, too. */
        .unread = "an instance that is not recoverable cannot be read and is not ended",
        .read = read_transients,
        .row = end_transient,
    };
    backlog_run(turn, &turn->engine->transact.backlog[BACKLOG_TRANSIENT], &user, NULL);
}

bool admit_ends_transients(const struct engine *engine)
{
    return engine->transact.backlog[BACKLOG_TRANSIENT].due;
}

void admit_end_transients_of(struct engine *engine, int64_t node)
{
    engine->transact.backlog[BACKLOG_TRANSIENT].due = true;
    engine->arrivals.transient_below = UINT64_MAX;
    engine->arrivals.transient_node = node;
    backlog_restart(&engine->transact.backlog[BACKLOG_TRANSIENT]);
}

enum status admit_open(struct engine *engine, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_TRANSIENT, .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    /* If there are several nodes, each ends with its own. */
    engine->transact.backlog[BACKLOG_TRANSIENT].due = count && !engine->nodes.shared;
    engine->arrivals.transient_below = engine->transact.numbers.instance;
    TRY(admit_read_pause(engine, err));
    if (engine->transact.starts_paused)
        log_write(LOG_WARN, "starts are paused: new instances do not begin until POST /api/engine/resume",
                  NULL);
    return ST_OK;
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
enum status admit_pause_call(struct turn *turn, struct call *call, struct error *err)
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

void admit_end(struct turn *turn, bool committed)
{
    must(!turn->pauses || turn->in_transaction);
    if (turn->pauses && !committed) turn->engine->transact.starts_paused = turn->was_paused;
    turn->pauses = false;
}
