/* runtime/transact/units_step.c — a step of an instance: which unit it belongs to, and how it is staged. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

enum status unit_of_step(struct turn *turn, const struct instance *before, const struct command *command,
                         struct staged_unit **ret_staged, struct error *err)
{
    *ret_staged = turn->unit;
    if (!before || (!turn->first_unit && !turn->engine->transact.units.count)) return ST_OK;
    if (command->kind == COMMAND_COMPLETE_JOB && !turn->unit) {
        struct staged_unit *anchored = unit_anchored(turn, before->id, command->as.job.number);
        if (anchored) anchored->is_anchor_done = true;
        *ret_staged = anchored;
        if (anchored) return ST_OK;
    }
    struct staged_unit *staged = unit_staged_with(turn, before->id);
    struct unit *unit = staged ? staged->unit : unit_waiting_with(turn, before->id);
    if (staged && staged == turn->unit) return unit_check_owner(turn, staged, before->id, err);
    if (!staged && !unit) return ST_OK;
    bool answers = command->kind == COMMAND_COMPLETE_JOB || command->kind == COMMAND_FAIL_JOB;
    if (!answers || turn->unit)
        return fail(err, ST_CONFLICT, "instance",
                    "another change of this instance waits for a calculation node; try again later");
    *ret_staged = staged ? staged : unit_stage(turn, unit);
    return ST_OK;
}

enum status unit_reject(struct turn *turn, struct staged_unit *staged, const struct instance *before,
                        const struct command *command, const struct error *why, struct error *err)
{
    must(why->status != ST_OK && staged->fate <= UNIT_WAITS);
    if (transact_is_lost(turn, why->status)) {
        *err = *why;
        return err->status;
    }
    if (unit_fail_inside(turn, staged, before->id, command, why)) {
        staged->fate = UNIT_WAITS;
        return ST_OK;
    }
    unit_drop(staged, why);
    if (!staged->anchor.instance) return ST_OK;
    staged->is_settled = true; /* The job is still open, and fails. */
    *err = *why;
    return err->status;
}

static struct staged_unit *begin_without_call(struct turn *turn, const struct transition *transition,
                                              const struct command *command)
{
    struct staged_unit *staged = unit_stage(turn, NULL);
    staged->instance = transition->instance;
    if (command->kind == COMMAND_FIRE_TIMER) {
        staged->cause = UNIT_OF_TIMER;
        staged->number = command->as.timer.number;
    } else {
        must(command->kind == COMMAND_COMPLETE_JOB || command->kind == COMMAND_FAIL_JOB);
        staged->cause = UNIT_OF_JOB;
        staged->number = command->as.job.number;
    }
    return staged;
}

enum status unit_keep(struct turn *turn, struct staged_unit *staged, struct transition *transition,
                      const struct command *command, struct error *err)
{
    if (!staged) {
        TRY(unit_check_room(turn, err));
        staged = begin_without_call(turn, transition, command);
    }
    size_t kept = staged->unit ? staged->unit->member_count : 0;
    if (kept + staged->count >= UNIT_STEPS_MAX)
        return fail(err, ST_LIMIT, "unit", "one transaction changes at most %d entities (UNIT_STEPS_MAX)",
                    UNIT_STEPS_MAX);
    unit_label(turn, staged, command, transition);
    must(!transition->next_staged && staged->fate <= UNIT_WAITS);
    staged->count++;
    if (staged->last) staged->last->next_staged = transition;
    else staged->first = transition;
    staged->last = transition;
    return staged == turn->unit ? ST_OK : unit_write(turn, staged, err);
}
