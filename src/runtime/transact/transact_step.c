/* runtime/transact/transact_step.c — one command for one instance: into the running transaction, or into a
 * unit. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"

/* The command as the core gets it. */
static const struct command *played(struct turn *turn, const struct command *command)
{
    if (!turn->engine->is_trial) return command;
    struct command *made = arena_make(&turn->arena, struct command);
    *made = *command;
    made->is_trial = true;
    return made;
}

enum status transact_step(struct turn *turn, struct definition *definition, const struct instance *before,
                          const struct command *command, struct transition **ret_transition,
                          struct error *err)
{
    must(!turn->arena.budget);
    struct staged_unit *unit;
    if (!before) TRY(room_check_transients(turn->engine, definition->program, err));
    TRY(unit_of_step(turn, before, command, &unit, err));
    *ret_transition = NULL;
    turn->arena.budget = turn->arena.used + (size_t)turn->engine->limits.step_bytes_max;
    struct outcome outcome = { .fuel = 0 };
    enum status status = core_step(definition->program, before, played(turn, command), &turn->engine->limits,
                                   &turn->arena, &outcome, err);
    turn->arena.budget = 0;
    catalogue_note_cost(definition, outcome.fuel);
    turn->spent += outcome.fuel + FUEL_COMMAND;
    if (status != ST_OK && unit && unit != turn->unit && (unit->unit || unit->anchor.instance)) {
        struct error why = *err;
        return unit_reject(turn, unit, before, command, &why, err);
    }
    if (status != ST_OK || outcome.unchanged) return status;

    must(!before || outcome.instance->id == before->id);
    must(outcome.instance->revision == (before ? before->revision : 0) + 1);
    struct transition *transition = arena_make(&turn->arena, struct transition);
    struct history *history = arena_make(&turn->arena, struct history);
    *history = outcome.history;
    *transition = (struct transition){ .instance = outcome.instance->id,
                                       .ns = definition->ns,
                                       .before = before,
                                       .after = outcome.instance,
                                       .history = history,
                                       .definition = definition->number,
                                       .holds = outcome.holds,
                                       .program = definition->program };
    if (unit || outcome.holds) return unit_keep(turn, unit, transition, command, err);
    const struct unique_change change = { definition, before, outcome.instance };
    TRY(unique_check(turn, &change, 1, false, err));
    TRY(transact_apply(turn, transition, err));
    *ret_transition = transition;
    return ST_OK;
}

enum status transact_migrate(struct turn *turn, struct definition *definition, const struct instance *before,
                             const struct command *command, struct transition **ret_transition,
                             struct error *err)
{
    struct loaded *loaded = map_get(&turn->loaded_of, before->id);
    must(loaded && loaded->now == before);
    must(loaded->definition->ns == definition->ns && command->kind == COMMAND_MIGRATE);
    struct definition *old = loaded->definition;
    /* The rows of the next write are compared with those of the old version. */
    if (loaded->written != loaded->now) TRY(transact_write(turn, loaded, NULL, STR_NONE, err));
    loaded->definition = definition;
    enum status status = transact_step(turn, definition, before, command, ret_transition, err);
    if (loaded->now == before) loaded->definition = old;
    return status;
}
