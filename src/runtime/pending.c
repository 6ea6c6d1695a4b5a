/* runtime/pending.c — chained starts that had to wait for their definition or for room. */
#include "runtime/engine_int.h"

#include "json/json.h"

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
    struct start start = { .ns = row->ns,
                           .definition_id = row->target,
                           .business_key = row->business_key,
                           .data = json_decode(row->data, &turn->arena),
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

void pending_start(struct turn *turn)
{
    struct error err;
    struct pending_row *row = arena_make_n(&turn->arena, struct pending_row, PENDING_PER_TURN_MAX);
    size_t count = 0, left = 0, first, i;
    turn->engine->pending_due = false;
    if (store_pending(turn->engine->store, NAMESPACE_DEFAULT, STR_NONE, &turn->arena, row,
                      PENDING_PER_TURN_MAX, &count, &err) != ST_OK) {
        turn->engine->pending_left = true;
        return;
    }
    first = i = turn->engine->pending_passed < count ? turn->engine->pending_passed : 0;
    /* Set again below if a row is left, or if a start leaves another one. */
    turn->engine->pending_left = false;
    for (; i < count && turn->failed == ST_OK && (i == first || !slice_is_over(turn)); i++)
        if (row[i].parent > ID_INSTANCE_MAX || !start_row(turn, &row[i])) left++;
    left += first;
    turn->engine->pending_left |= left > 0;
    turn->engine->pending_passed = i < count ? left : 0;
    turn->engine->pending_due |=
        turn->failed == ST_OK && (i < count || (count == PENDING_PER_TURN_MAX && left == 0));
}
