/* runtime/transact/transact_apply.c — one transition of an instance, applied to what the turn has loaded.
 *
 * The history of each command is written at once, the row of the instance when the turn ends. The row is
 * written earlier if a query of the same transaction may look for it: when the instance is new, begins or
 * ceases to live (its business key), when its correlation key changes (its subscription), and when it goes on
 * with another version (all rows that name the version).
 */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"

static void note_changed(struct turn *turn, struct loaded *loaded)
{
    must(!turn->first_changed == !turn->last_changed);
    if (loaded->changed) return;
    loaded->changed = true;
    loaded->next_changed = NULL;
    if (turn->last_changed) turn->last_changed->next_changed = loaded;
    else turn->first_changed = loaded;
    turn->last_changed = loaded;
}

/* The row comes later. */
static enum status write_history(struct turn *turn, struct loaded *loaded, const struct history *latest,
                                 str history, struct error *err)
{
    struct instance_row row = { .id = loaded->instance,
                                .definition = loaded->written->definition,
                                .is_transient = loaded->definition->program->rules->is_ephemeral,
                                .last_history = loaded->last_history,
                                .revision = loaded->now->revision - 1 };
    struct changeset changeset = {
        .instance = &row, .before = &row, .row_later = true, .history = history, .at_ms = latest->at_ms
    };
    quota_note_write(turn, loaded->definition->ns, &changeset);
    TRY(transact_rows(turn, &changeset, err));
    loaded->last_history = changeset.ret_last_history;
    return ST_OK;
}

/* Must its row be there for the next command? `loaded` is NULL for a new instance. */
static bool is_looked_for(const struct loaded *loaded, const struct instance *after)
{
    const struct instance *before = loaded ? loaded->written : NULL;
    return !before || lives(before) != lives(after) || !str_equal(before->correlation, after->correlation) ||
           loaded->written_as != loaded->definition;
}

/* All reads come before the first change of what the turn has loaded. A write that fails marks the turn as
 * failed, and nothing more runs in it. A read that fails does not: more calls follow until the store tells
 * that only a rollback is left, and they must find every instance as it was. */
static enum status apply_change(struct turn *turn, struct transition *transition, struct error *err)
{
    struct loaded *loaded = map_get(&turn->loaded_of, transition->instance);
    struct definition *definition = loaded ? loaded->definition : NULL;
    if (!loaded)
        TRY(found_needed(
            catalogue_get(&turn->engine->memory.catalogue, transition->definition, &definition, err)));
    must(definition->number == transition->definition);
    must((loaded ? loaded->now : NULL) == transition->before);
    bool looked_for = is_looked_for(loaded, transition->after);
    if (looked_for) TRY(kept_note(turn, definition, transition->before, transition->after, err));
    if (!loaded) loaded = transact_add_loaded(turn, transition->instance, definition, NULL);
    struct buf history;
    buf_init(&history, &turn->arena);
    history_encode(transition->history, &history);
    loaded->now = transition->after;
    note_changed(turn, loaded);
    return looked_for ? transact_write(turn, loaded, transition->history, buf_str(&history), err)
                      : write_history(turn, loaded, transition->history, buf_str(&history), err);
}

static void add_transition(struct turn *turn, struct transition *transition)
{
    must(!transition->next && transition != turn->last_transition);
    if (turn->last_transition) turn->last_transition->next = transition;
    else turn->first_transition = transition;
    turn->last_transition = transition;
    if (!turn->first_unnoticed) turn->first_unnoticed = transition;
}

enum status transact_apply(struct turn *turn, struct transition *transition, struct error *err)
{
    TRY(apply_change(turn, transition, err));
    unit_follow(turn, transition->after);
    add_transition(turn, transition);
    return ST_OK;
}
