/* runtime/arrivals/not_recoverable.c — ends instances that must not outlive a restart of the engine.
 *
 * Each of them has a record with its node, so a crash forgets none. After a restart, and after the death of
 * another node, each turn ends some of them, in its transaction.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/log.h"
#include "json/json.h"
#include "runtime/transact/transact.h"

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
    return backlog_read_records(run, RECORD_TRANSIENT, after, max,
                                run->turn->engine->arrivals.transient_below, ret_row, ret_count, err);
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
void not_recoverable_end(struct turn *turn)
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

bool not_recoverable_are_left(const struct engine *engine)
{
    return engine->transact.backlog[BACKLOG_TRANSIENT].due;
}

void not_recoverable_end_of(struct engine *engine, int64_t node)
{
    engine->transact.backlog[BACKLOG_TRANSIENT].due = true;
    engine->arrivals.transient_below = UINT64_MAX;
    engine->arrivals.transient_node = node;
    backlog_restart(&engine->transact.backlog[BACKLOG_TRANSIENT]);
}

enum status not_recoverable_recover(struct engine *engine, struct error *err)
{
    const struct record_filter filter = { .ns = NAMESPACE_DEFAULT, .kind = RECORD_TRANSIENT, .max = 1 };
    struct record_row *row;
    size_t count;
    TRY(store_records(engine->store, &filter, &engine->turn.arena, &row, &count, err));
    engine->transact.backlog[BACKLOG_TRANSIENT].due = count > 0;
    engine->arrivals.transient_below = engine->transact.numbers.instance;
    return ST_OK;
}
