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

/* ---- a round ---- */

struct level {
    int32_t priority;
    str full; /* A definition of the tenant that has no room for one more instance. */
    int32_t full_ns;
};

static enum status read_level(struct backlog_run *run, str after, size_t max, struct backlog_row **ret_row,
                              size_t *ret_count, struct error *err)
{
    const struct level *level = run->context;
    struct arena *arena = &run->turn->arena;
    struct pending_row *row = arena_make_n(arena, struct pending_row, max), last = backlog_row_at(after);
    TRY(store_pending_ready(run->turn->engine->store, level->priority, &last, arena, row, max, ret_count,
                            err));
    run->has_all = *ret_count < max;
    *ret_row = backlog_rows_of(row, *ret_count, arena);
    return ST_OK;
}

static struct start start_of(const struct pending_row *row, const struct instance *cause, struct arena *arena)
{
    const struct json *data = json_decode(row->data, arena);
    bool is_boxed = json_is(data, JSON_ARRAY);
    bool has_version = is_boxed && json_count(data) > 2;
    const struct json *said = has_version ? json_item(data, 1) : NULL;
    bool is_test = has_version ? json_is(said, JSON_BOOL) && json_bool(said) : is_boxed;
    return (struct start){ .ns = row->ns,
                           .definition_id = row->target,
                           .business_key = row->business_key,
                           .version = has_version ? (int32_t)json_item_int64(data, 2) : VERSION_LATEST,
                           .data = is_boxed ? json_item(data, 0) : data,
                           .is_test = is_test,
                           .actor = STR("chain"),
                           .chained_from = row->parent,
                           .waits_since_ms = row->created_ms,
                           .root = cause ? family_root(cause) : row->parent };
}

/* If there is no room for a row, there is none for the others of its definition either. */
static enum status start_row(struct backlog_run *run, const struct backlog_row *of,
                             enum backlog_outcome *ret_outcome, struct error *err)
{
    struct turn *turn = run->turn;
    struct level *level = run->context;
    const struct pending_row *row = of->of;
    const struct instance *cause;
    struct transition *transition;
    *ret_outcome = BACKLOG_LEFT;
    bool is_full = row->ns == level->full_ns && str_equal(row->target, level->full);
    if (is_full || row->parent > ID_INSTANCE_MAX) return ST_OK;
    TRY(load_cause(turn, row->parent, &cause, err));
    struct start start = start_of(row, cause, &turn->arena);
    if (!start.data) return ST_OK;
    enum status status = start_next(turn, &start, &transition, err);
    if (status == ST_OVERLOAD) level->full = row->target, level->full_ns = row->ns;
    if (status != ST_OK) return transact_is_lost(turn, status) ? status : ST_OK;
    *ret_outcome = BACKLOG_DONE;
    struct changeset changeset = { .pending_remove = row };
    if (transact_rows(turn, &changeset, err) == ST_OK &&
        (!cause || start_link(turn, row->parent, row->number, transition, err) == ST_OK))
        start_chained(turn, transition, row->ns, err);
    children_follow(turn, err);
    return ST_OK;
}

/* Maintenance looks again at starts that were not possible. Nothing of a lower priority starts before the
 * round of a higher one has come to its end, or to its pause. */
void pending_start(struct turn *turn)
{
    static const struct backlog_user user = { .max = PENDING_PER_TURN_MAX,
                                              .blocked_max = PENDING_PER_TURN_MAX,
                                              .blames_writes = true,
                                              .unread = "a chained start cannot be read and waits",
                                              .read = read_level,
                                              .row = start_row };
    for (int32_t priority = PRIORITY_COUNT - 1; priority >= 0; priority--) {
        struct backlog *backlog = &turn->engine->transact.backlog[BACKLOG_PENDING + priority];
        struct level level = { .priority = priority };
        if (!backlog->due) continue;
        backlog_run(turn, backlog, &user, &level);
        if (backlog->due || turn->failed != ST_OK || slice_is_over(turn)) return;
    }
}
