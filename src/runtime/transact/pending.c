/* runtime/transact/pending.c — chained starts that had to wait for their definition or for room. */
#include "runtime/transact/transact_int.h"

#include "json/json.h"
#include "runtime/memory/memory.h"

/* The instance that caused the start, or NULL if it is deleted or damaged. Fails if the store cannot tell
 * now. */
static enum status load_cause(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                              struct error *err)
{
    struct definition *definition;
    enum status status = transact_load(turn, id, ret_instance, &definition, err);
    if (status == ST_OK || transact_is_lost(turn, status)) return status;
    *ret_instance = NULL;
    return ST_OK;
}

/* True if the instance was started, or the transaction is lost anyway. */
static bool start_row(struct turn *turn, const struct pending_row *row)
{
    struct error err;
    const struct instance *cause;
    if (load_cause(turn, row->parent, &cause, &err) != ST_OK) return turn->failed != ST_OK;
    const struct json *data = json_decode(row->data, &turn->arena);
    bool is_test = json_is(data, JSON_ARRAY);
    struct start start = { .ns = row->ns,
                           .definition_id = row->target,
                           .business_key = row->business_key,
                           .data = is_test ? json_item(data, 0) : data,
                           .is_test = is_test,
                           .actor = STR("chain"),
                           .chained_from = row->parent,
                           .root = cause ? family_root(cause) : row->parent };
    struct transition *transition;
    if (!start.data || start_next(turn, &start, &transition, &err) != ST_OK) return turn->failed != ST_OK;
    struct changeset changeset = { .pending_remove = row };
    if (transact_rows(turn, &changeset, &err) == ST_OK &&
        (!cause || start_link(turn, row->parent, row->number, transition, &err) == ST_OK))
        start_chained(turn, transition, row->ns, &err);
    children_follow(turn, &err);
    return true;
}

/* A round over all rows takes as many turns as it needs, one after the other. After very many rows in a row
 * that cannot start it pauses until pending_left is looked at. While a round goes on, pending_left is true,
 * so another one follows: rows whose start was rolled back, or that became ready behind the round's back,
 * come again. */
void pending_start(struct turn *turn)
{
    struct engine *engine = turn->engine;
    struct error err;
    struct pending_row *row = arena_make_n(&turn->arena, struct pending_row, PENDING_PER_TURN_MAX);
    size_t count = 0, i = 0, max = engine->pending_alone ? 1 : PENDING_PER_TURN_MAX;
    engine->pending_due = false;
    if (store_pending(engine->store, NAMESPACE_DEFAULT, STR_NONE, &engine->pending_after, &turn->arena, row,
                      max, &count, &err) != ST_OK) {
        engine->pending_left = true;
        return;
    }
    /* Set again if a row is left, if a start leaves another one, or if the round goes on in a later turn. */
    if (!engine->pending_after.parent) engine->pending_left = false;
    for (; i < count && turn->failed == ST_OK && (!i || !slice_is_over(turn)); i++) {
        bool started = row[i].parent <= ID_INSTANCE_MAX && start_row(turn, &row[i]);
        engine->pending_blocked = started ? 0 : engine->pending_blocked + 1;
        engine->pending_left |= !started;
    }
    if (turn->failed == ST_STORE && i > 1) { /* The starts of the rows before it were rolled back, too. */
        engine->pending_alone = engine->pending_left = true;
        return;
    }
    bool ended = i == count && count < max;
    engine->pending_alone &= !ended && turn->failed != ST_STORE;
    bool pauses = ended || engine->pending_blocked >= PENDING_PER_TURN_MAX;
    pending_note_place(&engine->pending_after, ended ? NULL : &row[i - 1]);
    engine->pending_left |= !ended;
    if (pauses) engine->pending_blocked = 0;
    engine->pending_due |= turn->failed == ST_OK && !pauses;
}
