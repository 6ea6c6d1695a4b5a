/* runtime/transact/units_settle.c — what is left to do when a unit is dropped. See units.h. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "dialect/entity/entity.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

/* Nodes join again when the engine has begun anew. Until then a timer that needs one comes again. */
static bool waits_for_nodes(const struct turn *turn, const struct staged_unit *staged)
{
    return staged->cause == UNIT_OF_TIMER && turn->now_ms - turn->engine->began_ms < NODES_GRACE_MS &&
           str_equal(str_of(staged->why.where), STR("NO_COMPUTE_MEMBER_FOR_TAG"));
}

/* The job or the timer that began the unit is over, although nothing came of it. */
static enum status settle_cause(struct turn *turn, const struct staged_unit *staged, struct error *err)
{
    must(staged->fate == UNIT_DROPPED && staged->is_settled);
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition;
    if (staged->cause == UNIT_OF_CALL) return ST_OK;
    if (waits_for_nodes(turn, staged)) {
        const struct timer_row row = { .instance = staged->instance, .number = staged->number };
        effects_fire_again(turn, &row, turn->now_ms + NODES_RETRY_MS);
        return ST_OK;
    }
    bool is_there;
    TRY(found_asked(transact_load(turn, staged->instance, &instance, &definition, err), &is_there));
    if (!is_there) return ST_OK; /* Another node has deleted it. */
    if (staged->cause == UNIT_OF_JOB && !instance_find_job(instance, staged->number)) return ST_OK;
    str why = arena_str(&turn->arena, str_of(staged->why.message));
    struct command command;
    if (staged->cause == UNIT_OF_JOB) {
        units_note_failure(turn, staged->instance, &staged->why);
        command = command_fail_job(turn->now_ms, STR_NONE, NULL,
                                   (struct command_job){ .number = staged->number, .text = why });
    } else {
        command = command_fire_timer(turn->now_ms, STR("timer"), NULL,
                                     (struct command_timer){ .number = staged->number, .refusal = why });
    }
    return transact_step(turn, definition, instance, &command, &transition, err);
}

static struct staged_unit *find_staged(const struct turn *turn, const struct unit *unit)
{
    struct staged_unit *staged = turn->first_unit;
    while (staged && staged->unit != unit) staged = staged->next;
    return staged;
}

static bool has_ended(const struct turn *turn, const struct unit *unit)
{
    const struct staged_unit *staged = find_staged(turn, unit);
    return staged && staged->fate > UNIT_WAITS;
}

/* The job whose savepoint has failed. */
static enum status settle_savepoint(struct turn *turn, const struct failed_savepoint *failed,
                                    struct error *err)
{
    const struct savepoint *of = &failed->savepoint;
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition;
    size_t undone = failed->undone + unit_undo(turn, of->instance, of->number, &failed->why);
    bool is_there;
    TRY(found_asked(transact_load(turn, of->instance, &instance, &definition, err), &is_there));
    if (!is_there) return ST_OK; /* It was undone itself. */
    if (!instance_find_job(instance, of->number)) return ST_OK;
    str text = unit_tell_undone(turn, &failed->why, undone);
    struct command command = command_fail_job(turn->now_ms, STR_NONE, NULL,
                                              (struct command_job){ .number = of->number, .text = text });
    command.stamp = entity_time_stamp(turn->now_ms, &turn->arena);
    unit_log_undone(instance, text);
    return transact_step(turn, definition, instance, &command, &transition, err);
}

/* Settling a savepoint may drop the unit, or make the savepoint around it fail: that one is added in front.
 */
static enum status settle_savepoints(struct turn *turn, struct error *err)
{
    for (struct unit *unit = turn->engine->transact.units.first; unit; unit = unit->after) {
        const struct failed_savepoint *done = NULL;
        while (unit->failed != done && !has_ended(turn, unit)) {
            const struct failed_savepoint *first = unit->failed;
            for (const struct failed_savepoint *it = first; it != done; it = it->next)
                TRY(settle_savepoint(turn, it, err));
            done = first;
        }
    }
    return ST_OK;
}

void units_go_on(struct turn *turn)
{
    struct error why;
    fail(&why, ST_INVALID, "WORKFLOW_FAILED", "no calculation node has answered in time");
    for (struct unit *unit = turn->engine->transact.units.first; unit; unit = unit->after) {
        struct staged_unit *staged = unit->is_late ? find_staged(turn, unit) : NULL;
        /* An answer of this very turn may have ended it. */
        if (!unit->is_late || (staged && staged->fate > UNIT_WAITS)) continue;
        unit_drop(staged ? staged : unit_stage(turn, unit), &why);
    }
}

enum status units_settle(struct turn *turn, struct error *err)
{
    must(!turn->unit && turn->failed == ST_OK);
    if (turn->engine->transact.units.failed_count) TRY(settle_savepoints(turn, err));
    for (struct staged_unit *staged = turn->first_unit; staged; staged = staged->next) {
        if (staged->fate != UNIT_DROPPED || staged->is_settled) continue;
        staged->is_settled = true;
        TRY(settle_cause(turn, staged, err));
    }
    return ST_OK;
}
