/* runtime/transact/units_stage.c — units in the turn that runs: staged, found, dropped. See units.h. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

#include <stdio.h>
#include <string.h>

/* ---- staging ---- */

struct staged_unit *unit_stage(struct turn *turn, struct unit *unit)
{
    must(!unit || turn->engine->transact.units.count > 0);
    struct staged_unit *staged = arena_make(&turn->arena, struct staged_unit);
    *staged = (struct staged_unit){ .unit = unit, .next = turn->first_unit };
    if (unit) {
        staged->cause = unit->cause;
        staged->instance = unit->cause_instance;
        staged->number = unit->cause_number;
        staged->anchor = unit->anchor;
    }
    turn->first_unit = staged;
    return staged;
}

enum status unit_check_room(const struct turn *turn, struct error *err)
{
    const struct units *units = &turn->engine->transact.units;
    if (units->count < UNITS_MAX && units->bytes < UNITS_BYTES_MAX) return ST_OK;
    return fail(err, ST_OVERLOAD, "units",
                "%zu changes wait for calculation nodes, as many as may; try again later", units->count);
}

void unit_drop(struct staged_unit *staged, const struct error *why)
{
    must(why->status != ST_OK);
    staged->fate = UNIT_DROPPED;
    staged->why = *why;
}

void unit_add_reason(const struct turn *turn, uint64_t instance, str reason)
{
    for (struct staged_unit *staged = turn->first_unit; staged; staged = staged->next) {
        if (staged->fate != UNIT_DROPPED || !staged->unit || !unit_find_member(staged->unit, instance))
            continue;
        fail_more(&staged->why, ": %.*s", STR_ARG(reason));
        return;
    }
}

/* ---- finding ---- */

struct unit_member *unit_find_member(const struct unit *unit, uint64_t instance)
{
    for (size_t i = 0; i < unit->member_count; i++)
        if (unit->member[i].instance == instance) return &unit->member[i];
    return NULL;
}

struct transition *unit_last_of(const struct staged_unit *staged, uint64_t instance)
{
    struct transition *last = NULL;
    for (struct transition *it = staged->first; it; it = it->next_staged)
        if (it->instance == instance) last = it;
    return last;
}

struct staged_unit *unit_staged_with(const struct turn *turn, uint64_t instance)
{
    for (struct staged_unit *staged = turn->first_unit; staged; staged = staged->next)
        if (staged->fate <= UNIT_WAITS &&
            (unit_last_of(staged, instance) || (staged->unit && unit_find_member(staged->unit, instance))))
            return staged;
    return NULL;
}

struct unit *unit_waiting_with(const struct turn *turn, uint64_t instance)
{
    struct unit *unit = map_get(&turn->engine->transact.units.by_instance, instance);
    for (const struct staged_unit *staged = turn->first_unit; unit && staged; staged = staged->next)
        if (staged->unit == unit && staged->fate > UNIT_WAITS) return NULL;
    return unit;
}

bool units_have(const struct turn *turn, uint64_t instance)
{
    return turn->engine->transact.units.count && unit_waiting_with(turn, instance);
}

bool units_hold(const struct turn *turn, const struct call *call)
{
    for (const struct staged_unit *staged = turn->first_unit; staged; staged = staged->next)
        if (staged->call == call) return staged->fate == UNIT_WAITS;
    return false;
}

bool unit_grows(struct turn *turn, uint64_t instance, unit_grow_fn *grow)
{
    struct staged_unit *staged = unit_staged_with(turn, instance);
    if (staged) staged->grow = grow;
    struct unit *unit = staged ? staged->unit : unit_waiting_with(turn, instance);
    /* If the turn fails, the models are looked at for nothing. */
    if (unit) unit->grow = grow;
    return staged || unit;
}

enum status unit_decode(struct turn *turn, const struct unit_member *member,
                        const struct instance **ret_instance, struct definition **ret_definition,
                        struct error *err)
{
    TRY(found_needed(
        catalogue_get(&turn->engine->memory.catalogue, member->definition, ret_definition, err)));
    *ret_instance = core_decode_own(unit_text(member->state), (*ret_definition)->program, &turn->arena);
    return ST_OK;
}

bool unit_find(struct turn *turn, uint64_t instance, const struct instance **ret_instance,
               struct definition **ret_definition, enum status *ret_status, struct error *err)
{
    if (!turn->first_unit && !turn->engine->transact.units.count) return false;
    const struct staged_unit *staged = unit_staged_with(turn, instance);
    const struct transition *last = staged ? unit_last_of(staged, instance) : NULL;
    if (last) {
        *ret_instance = last->after;
        *ret_status = found_needed(
            catalogue_get(&turn->engine->memory.catalogue, last->definition, ret_definition, err));
        return true;
    }
    const struct unit *unit = unit_waiting_with(turn, instance);
    if (!unit) return false;
    *ret_status = unit_decode(turn, unit_find_member(unit, instance), ret_instance, ret_definition, err);
    return true;
}

/* ---- anchors ---- */

struct staged_unit *unit_anchored(struct turn *turn, uint64_t instance, uint32_t number)
{
    struct unit *unit = map_get(&turn->engine->transact.units.by_anchor, instance);
    for (struct staged_unit *staged = turn->first_unit; staged; staged = staged->next) {
        if (staged->fate <= UNIT_WAITS && !staged->is_anchor_done && staged->anchor.instance == instance &&
            (!number || staged->anchor.number == number))
            return staged;
        if (staged->unit == unit) unit = NULL; /* It is over, or has no anchor any more. */
    }
    return unit && (!number || unit->anchor.number == number) ? unit_stage(turn, unit) : NULL;
}

bool unit_drop_anchored(struct turn *turn, uint64_t instance, uint32_t number, const struct error *why)
{
    if (!turn->first_unit && !turn->engine->transact.units.by_anchor.count) return false;
    struct staged_unit *staged = unit_anchored(turn, instance, number);
    if (!staged) return false;
    unit_drop(staged, why);
    staged->is_settled = true; /* The caller that drops the unit decides what happens to its job. */
    return true;
}

void unit_follow(struct turn *turn, const struct instance *after)
{
    struct error why;
    if (!turn->first_unit && !turn->engine->transact.units.by_anchor.count) return;
    struct staged_unit *staged = unit_anchored(turn, after->id, 0);
    if (!staged || instance_find_job(after, staged->anchor.number)) return;
    fail(&why, ST_CONFLICT, "instance",
         "another transition was fired before a calculation node had answered");
    unit_drop_anchored(turn, after->id, 0, &why);
}

/* ---- calls that join ---- */

bool unit_is_joined_by(const struct turn *turn, uint64_t instance)
{
    return turn->unit && turn->unit->join && turn->unit->join->by == instance;
}

bool unit_takes(const struct turn *turn, uint64_t instance)
{
    return turn->unit && turn->unit->unit && unit_find_member(turn->unit->unit, instance);
}

/* The instances that the call has changed and whose tasks hold: it waits for them. */
static void note_instances(struct turn *turn, const struct staged_unit *staged, struct staged_join *join)
{
    must(!join->count);
    struct transition *first = join->mark ? join->mark->next_staged : staged->first;
    size_t count = 0;
    for (const struct transition *it = first; it; it = it->next_staged) count++;
    join->instance = arena_make_n(&turn->arena, uint64_t, count);
    for (const struct transition *it = first; it; it = it->next_staged)
        if (it->holds && it->instance != join->by && unit_last_of(staged, it->instance) == it)
            join->instance[join->count++] = it->instance;
}

void unit_leave(struct turn *turn)
{
    must(turn->unit && turn->unit->join);
    struct staged_unit *staged = turn->unit;
    struct staged_join *join = staged->join;
    turn->unit = NULL;
    staged->join = NULL;
    staged->fate = UNIT_WAITS;
    note_instances(turn, staged, join);
    if (!join->count) return;
    join->next = staged->first_join;
    staged->first_join = join;
}

void unit_unjoin(struct turn *turn)
{
    must(turn->unit && turn->unit->join);
    struct staged_unit *staged = turn->unit;
    struct transition *mark = staged->join->mark;
    if (mark) mark->next_staged = NULL;
    else staged->first = NULL;
    staged->last = mark;
    staged->count = 0;
    for (const struct transition *it = staged->first; it; it = it->next_staged) staged->count++;
    staged->join = NULL;
    /* A unit that was to begin with this call does not. */
    if (!staged->unit && !staged->first) staged->fate = UNIT_DROPPED, staged->is_settled = true;
    turn->unit = NULL;
}
