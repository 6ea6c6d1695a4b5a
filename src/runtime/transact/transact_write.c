/* runtime/transact/transact_write.c — rows of instances, with the effects that have rows of their own. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"

static bool has_jobs(const struct instance *instance)
{
    for (size_t i = 0; i < instance->job_count; i++)
        if (reaches(instance, instance->job[i].execution)) return true;
    return false;
}

/* The columns of an instance's row, all but the state's. */
static struct instance_row row_of(const struct instance *instance, const struct definition *definition,
                                  int64_t last_history)
{
    const struct program_rules *rules = definition->program->rules;
    /* An instance with a retention of its own is purged by its mark (index_records.c). */
    bool by_age = rules->retention_ms < 0 || rules->is_ephemeral;
    return (struct instance_row){
        .id = instance->id,
        .ns = definition->ns,
        .definition = instance->definition,
        .status = instance->status,
        .has_jobs = has_jobs(instance),
        .is_transient = rules->is_ephemeral,
        .created_ms = instance->created_ms,
        .ended_ms = is_over(instance) && by_age ? instance->ended_ms : 0,
        .business_key = instance->business_key,
        .last_history = last_history,
        .revision = instance->revision,
    };
}

/* The effects that have index rows. */
static void put_effects(const struct effects *effects, struct changeset *changeset)
{
    changeset->timer_add = effects->timer_set, changeset->timer_add_count = effects->timer_set_count;
    changeset->timer_remove = effects->timer_cleared,
    changeset->timer_remove_count = effects->timer_cleared_count;
    changeset->task_add = effects->task_opened, changeset->task_add_count = effects->task_opened_count;
    changeset->task_remove = effects->task_closed, changeset->task_remove_count = effects->task_closed_count;
    changeset->subscription_add = effects->subscribed;
    changeset->subscription_remove = effects->unsubscribed;
    changeset->failure_put = effects->failed;
    changeset->failure_remove = effects->mended;
    changeset->job_add = effects->job_offered, changeset->job_add_count = effects->job_offered_count;
    changeset->job_remove = effects->job_dropped, changeset->job_remove_count = effects->job_dropped_count;
    changeset->record_put = effects->marked, changeset->record_put_count = effects->marked_count;
    changeset->record_remove = effects->unmarked, changeset->record_remove_count = effects->unmarked_count;
}

enum status transact_write(struct turn *turn, struct loaded *loaded, const struct history *latest,
                           str history, struct error *err)
{
    const struct instance *after = loaded->now;
    struct buf state;
    buf_init(&state, &turn->arena);
    core_encode(after, &state);
    struct instance_row row = row_of(after, loaded->definition, loaded->last_history), before;
    row.state = buf_str(&state);
    turn->spent += (int64_t)(state.n / STATE_BYTES_PER_FUEL);
    struct changeset changeset = {
        .instance = &row, .insert = !loaded->written, .history = history, .at_ms = latest ? latest->at_ms : 0
    };
    if (loaded->written) {
        before = row_of(loaded->written, loaded->written_as, loaded->last_history);
        before.holder = loaded->holder;
        before.revision = after->revision - (latest != NULL);
        changeset.before = &before;
    }
    const struct child_row child = { after->parent, after->parent_job, after->id, after->parent_waits };
    if (!loaded->written && after->parent) changeset.child_add = &child;
    struct effects *effects = effects_of(turn, loaded);
    if (index_rows_change(turn, loaded, effects, err) != ST_OK) return transact_failed(turn, err);
    shared_jobs_decide(turn, loaded, effects, &row);
    put_effects(effects, &changeset);
    quota_note_write(turn, row.ns, &changeset);
    TRY(transact_rows(turn, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    loaded->written = after;
    loaded->written_as = loaded->definition;
    row.last_history = loaded->last_history;
    cache_put(&turn->engine->memory.cache, &row);
    return ST_OK;
}

enum status transact_move(struct turn *turn, uint64_t id, struct definition *definition,
                          const struct instance **ret_now, struct error *err)
{
    struct loaded *loaded = map_get(&turn->loaded_of, id);
    must(loaded && loaded->written);
    must(loaded->definition->ns == definition->ns);
    /* The stored state may stand at a node that the other version lacks. */
    if (loaded->written != loaded->now) TRY(transact_write(turn, loaded, NULL, STR_NONE, err));
    *ret_now = loaded->written = loaded->now = transact_moved(turn, loaded->now, definition);
    loaded->definition = loaded->written_as = definition;
    return ST_OK;
}

static void write_tallies(struct turn *turn)
{
    struct changeset change;
    struct error err;
    if (tallies_change(turn, &change, &err) != ST_OK) transact_failed(turn, &err);
    else if (change.record_put_count || change.record_remove_count) transact_rows(turn, &change, &err);
}

void transact_write_all(struct turn *turn)
{
    struct error err;
    for (struct loaded *loaded = turn->first_changed; loaded && turn->failed == ST_OK;
         loaded = loaded->next_changed)
        if (loaded->written != loaded->now) transact_write(turn, loaded, NULL, STR_NONE, &err);
    if (turn->failed == ST_OK) write_tallies(turn);
}
