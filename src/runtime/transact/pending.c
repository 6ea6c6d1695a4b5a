/* runtime/transact/pending.c — chained starts that had to wait for their definition or for room.
 *
 * A definition's starts have the priority of its latest version. Each priority has a round of its own over
 * its rows, oldest first. The rounds of lower priorities go on when those of higher ones have started what
 * they can.
 */
#include "runtime/transact/transact_int.h"

#include "json/json.h"
#include "runtime/memory/memory.h"

/* The instance that caused the start, or NULL if it is deleted or damaged. Fails if the store cannot tell
 * now. */
static enum status load_cause(struct turn *turn, uint64_t id, const struct instance **ret_instance,
                              struct error *err)
{
    struct definition *definition;
    enum status status = found_needed(transact_load(turn, id, ret_instance, &definition, err));
    if (status == ST_OK || transact_is_lost(turn, status)) return status;
    *ret_instance = NULL;
    return ST_OK;
}

/* True if the instance was started, or the transaction is lost anyway. *ret_full: its definition has no room
 * for one more. */
static bool start_row(struct turn *turn, const struct pending_row *row, bool *ret_full)
{
    struct error err;
    const struct instance *cause;
    *ret_full = false;
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
                           .waits_since_ms = row->created_ms,
                           .root = cause ? family_root(cause) : row->parent };
    struct transition *transition;
    if (!start.data) return false;
    enum status status = start_next(turn, &start, &transition, &err);
    *ret_full = status == ST_OVERLOAD;
    if (status != ST_OK) return turn->failed != ST_OK;
    struct changeset changeset = { .pending_remove = row };
    if (transact_rows(turn, &changeset, &err) == ST_OK &&
        (!cause || start_link(turn, row->parent, row->number, transition, &err) == ST_OK))
        start_chained(turn, transition, row->ns, &err);
    children_follow(turn, &err);
    return true;
}

/* Tries rows in their order as long as the turn may, and returns how many it has tried. If there is no room
 * for a row, there is none for the others of its definition either. */
static size_t start_rows(struct turn *turn, const struct pending_row *row, size_t count, int32_t priority)
{
    struct engine *engine = turn->engine;
    struct pending_round *round = &engine->pending_round[priority];
    str full = STR_NONE;
    size_t i = 0;
    for (; i < count && turn->failed == ST_OK && (!i || !slice_is_over(turn)); i++) {
        bool is_full = str_equal(row[i].target, full), started = false;
        if (!is_full && row[i].parent <= ID_INSTANCE_MAX) started = start_row(turn, &row[i], &is_full);
        if (is_full) full = row[i].target;
        round->blocked = started ? 0 : round->blocked + 1;
        if (!started) engine->pending_left |= pending_level(priority);
    }
    return i;
}

/* A round over all rows takes as many turns as it needs, one after the other. After very many rows in a row
 * that cannot start it pauses until pending_left is looked at. While a round goes on, pending_left says so,
 * and another one follows: rows whose start was rolled back, or that became ready behind the round's back,
 * come again. False: nothing of a lower priority may start in this turn. */
static bool start_level(struct turn *turn, int32_t priority)
{
    struct engine *engine = turn->engine;
    struct pending_round *round = &engine->pending_round[priority];
    uint32_t level = pending_level(priority);
    struct error err;
    struct pending_row *row = arena_make_n(&turn->arena, struct pending_row, PENDING_PER_TURN_MAX);
    size_t count = 0, max = round->alone ? 1 : PENDING_PER_TURN_MAX;
    engine->pending_due &= ~level;
    if (store_pending_ready(engine->store, NAMESPACE_DEFAULT, priority, &round->after, &turn->arena, row, max,
                            &count, &err) != ST_OK) {
        engine->pending_left |= level;
        return false;
    }
    /* Set again if a row is left, if a start leaves another one, or if the round goes on in a later turn. */
    if (!round->after.parent) engine->pending_left &= ~level;
    size_t tried = start_rows(turn, row, count, priority);
    if (turn->failed == ST_STORE && tried > 1) { /* The starts of the rows before it were rolled back, too. */
        round->alone = true;
        engine->pending_left |= level;
        return false;
    }
    bool ended = tried == count && count < max, pauses = ended || round->blocked >= PENDING_PER_TURN_MAX;
    round->alone &= !ended && turn->failed != ST_STORE;
    pending_note_place(&round->after, ended ? NULL : &row[tried - 1]);
    if (!ended) engine->pending_left |= level;
    if (pauses) round->blocked = 0;
    if (turn->failed == ST_OK && !pauses) engine->pending_due |= level;
    return pauses && turn->failed == ST_OK;
}

void pending_start(struct turn *turn)
{
    for (int32_t priority = PRIORITY_COUNT - 1; priority >= 0; priority--)
        if ((turn->engine->pending_due & pending_level(priority)) &&
            (!start_level(turn, priority) || slice_is_over(turn)))
            return;
}
