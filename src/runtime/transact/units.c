/* runtime/transact/units.c — steps that belong to a unit: staged, written or dropped. See units.h. */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

/* ---- a command in several parts ---- */

enum status unit_begin(struct turn *turn, struct call *call, struct error *err)
{
    must(!turn->unit);
    TRY(unit_check_room(turn, err));
    turn->unit = unit_stage(turn, NULL);
    turn->unit->call = call;
    return ST_OK;
}

void unit_forget(struct turn *turn)
{
    must(turn->unit && turn->unit->fate <= UNIT_WAITS);
    if (turn->unit->join) {
        unit_unjoin(turn);
        return;
    }
    turn->unit->fate = UNIT_DROPPED;
    turn->unit->call = NULL; /* The caller of unit_begin() answers the call. */
    turn->unit = NULL;
}

enum status unit_of_step(struct turn *turn, const struct instance *before, const struct command *command,
                         struct staged_unit **ret_staged, struct error *err)
{
    *ret_staged = turn->unit;
    if (!before || (!turn->first_unit && !turn->engine->units.count)) return ST_OK;
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

/* Does any instance of the unit wait for a job that holds? */
static bool still_holds(const struct staged_unit *staged)
{
    if (staged->anchor.instance && !staged->is_anchor_done) return true;
    for (const struct transition *it = staged->first; it; it = it->next_staged)
        if (it->holds && unit_last_of(staged, it->instance) == it) return true;
    for (size_t i = 0; staged->unit && i < staged->unit->member_count; i++)
        if (staged->unit->member[i].holds && !unit_last_of(staged, staged->unit->member[i].instance))
            return true;
    return false;
}

/* ---- writing ---- */

/* The instance as the store has it, at the nodes of the version that the unit works with. */
static enum status load_base(struct turn *turn, uint64_t instance, int64_t definition, uint32_t revision,
                             const struct instance **ret_now, struct definition **ret_definition,
                             struct error *err)
{
    struct definition *stored;
    TRY(transact_load_stored(turn, instance, ret_now, &stored, err));
    TRY(catalogue_get(&turn->engine->catalogue, definition, ret_definition, err));
    if ((*ret_now)->revision != revision)
        return fail(err, ST_CONFLICT, "instance", "somebody else has changed the instance meanwhile");
    if (stored->number != (*ret_definition)->number)
        TRY(transact_move(turn, instance, *ret_definition, ret_now, err));
    return ST_OK;
}

/* Makes the transitions of a member once more, on what the store has. */
static enum status write_member(struct turn *turn, const struct unit_member *member, struct error *err)
{
    must(member->history_count > 0);
    const struct instance *now = NULL;
    struct definition *definition;
    TRY(catalogue_get(&turn->engine->catalogue, member->definition, &definition, err));
    if (member->base)
        TRY(load_base(turn, member->instance, member->definition, member->base, &now, &definition, err));
    for (size_t i = 0; i < member->history_count; i++) {
        struct history *history = arena_make(&turn->arena, struct history);
        const struct created created = { .id = member->instance, .definition = member->definition };
        struct transition *transition = arena_make(&turn->arena, struct transition);
        const struct instance *after;
        TRY(history_decode(unit_text(member->history[i]), &turn->arena, history, err));
        TRY(core_replay(definition->program, now, &created, history, &turn->arena, &after, err));
        *transition = (struct transition){ .instance = member->instance,
                                           .before = now,
                                           .after = after,
                                           .history = history,
                                           .definition = member->definition,
                                           .program = definition->program };
        TRY(transact_apply(turn, transition, err));
        now = after;
    }
    return ST_OK;
}

/* Is what the store has what the members began with? Before anything is written. */
static enum status check_bases(struct turn *turn, const struct staged_unit *staged, struct error *err)
{
    for (size_t i = 0; staged->unit && i < staged->unit->member_count; i++) {
        const struct unit_member *member = &staged->unit->member[i];
        const struct instance *now;
        struct definition *stored;
        if (!member->base) continue;
        TRY(transact_load_stored(turn, member->instance, &now, &stored, err));
        if (now->revision != member->base)
            return fail(err, ST_CONFLICT, "instance", "somebody else has changed the instance meanwhile");
    }
    return ST_OK;
}

/* Another node may have done the same request meanwhile: memory knows only of those that wait here. */
static enum status check_key(struct turn *turn, const struct staged_unit *staged, struct error *err)
{
    const struct call *call = staged->unit ? staged->unit->call : NULL;
    struct idempotency_row row;
    if (!call || !call->idempotency_key.n) return ST_OK;
    enum status status =
        store_find_idempotency(turn->engine->store, call->ns, call->idempotency_key, &turn->arena, &row, err);
    if (status == ST_NOT_FOUND) return ST_OK;
    TRY(status);
    return fail_code(err, ST_CONFLICT, "IDEMPOTENCY_CONFLICT",
                     "another request with this key was done meanwhile; try again for its answer");
}

static enum status write_unit(struct turn *turn, struct staged_unit *staged, struct error *err)
{
    must(staged != turn->unit && staged->fate == UNIT_WAITS);
    staged->fate = UNIT_WRITTEN; /* From here on the store's state counts. */
    for (size_t i = 0; staged->unit && i < staged->unit->member_count; i++)
        TRY(write_member(turn, &staged->unit->member[i], err));
    for (struct transition *it = staged->first; it; it = it->next_staged) {
        const struct instance *now = NULL;
        struct definition *definition;
        if (it->before)
            TRY(load_base(turn, it->instance, it->definition, it->before->revision, &now, &definition, err));
        it->before = now;
        TRY(transact_apply(turn, it, err));
    }
    struct call *call = staged->unit ? staged->unit->call : NULL;
    return call && call->idempotency_key.n ? idempotency_remember(turn, call, err) : ST_OK;
}

/* ---- models ---- */

/* A unit that has waited makes models grow only when it is written: nothing is left of one that is dropped.
 */
static enum status grow_models(struct turn *turn, const struct staged_unit *staged, struct error *err)
{
    const struct unit *unit = staged->unit;
    unit_grow_fn *grow = staged->grow ? staged->grow : unit ? unit->grow : NULL;
    struct definition *definition;
    if (!unit || !grow) return ST_OK;
    for (size_t i = 0; i < unit->member_count; i++) {
        const struct unit_member *member = &unit->member[i];
        const struct instance *after;
        if (unit_last_of(staged, member->instance)) continue;
        TRY(unit_decode(turn, member, &after, &definition, err));
        TRY(grow(turn, definition, after, err));
    }
    for (const struct transition *it = staged->first; it; it = it->next_staged) {
        if (unit_last_of(staged, it->instance) != it) continue;
        TRY(catalogue_get(&turn->engine->catalogue, it->definition, &definition, err));
        TRY(grow(turn, definition, it->after, err));
    }
    return ST_OK;
}

/* ---- unique keys ---- */

/* Its last state and the one that the store has. */
static enum status add_claim(struct turn *turn, uint64_t instance, int64_t definition,
                             const struct instance *after, bool is_new, struct unique_change *ret_claim,
                             struct error *err)
{
    struct definition *of;
    const struct instance *before = NULL;
    if (!is_new) TRY(transact_load_stored(turn, instance, &before, &of, err));
    TRY(catalogue_get(&turn->engine->catalogue, definition, &of, err));
    *ret_claim = (struct unique_change){ of, before, after };
    return ST_OK;
}

/* Has the unit started the instance? */
static bool is_started(const struct staged_unit *staged, uint64_t instance)
{
    for (const struct transition *it = staged->first; it; it = it->next_staged)
        if (it->instance == instance) return !it->before;
    return false;
}

static enum status have_keys(struct turn *turn, const struct staged_unit *staged, bool *ret_have,
                             struct error *err)
{
    const struct unit *unit = staged->unit;
    *ret_have = false;
    for (size_t i = 0; unit && i < unit->member_count && !*ret_have; i++)
        TRY(unique_is_declared(turn, unit->member[i].definition, ret_have, err));
    for (const struct transition *it = staged->first; it && !*ret_have; it = it->next_staged)
        TRY(unique_is_declared(turn, it->definition, ret_have, err));
    return ST_OK;
}

/* The instances of a unit take their unique keys together. If it only waits, they could take them now. */
static enum status claim_keys(struct turn *turn, const struct staged_unit *staged, bool waits,
                              struct error *err)
{
    const struct unit *unit = staged->unit;
    size_t room = unit ? unit->member_count : 0, count = 0;
    bool have;
    TRY(have_keys(turn, staged, &have, err));
    if (!have) return ST_OK;
    for (const struct transition *it = staged->first; it; it = it->next_staged) room++;
    struct unique_change *claim = arena_make_n(&turn->arena, struct unique_change, room);
    for (size_t i = 0; unit && i < unit->member_count; i++) {
        const struct unit_member *member = &unit->member[i];
        const struct transition *last = unit_last_of(staged, member->instance);
        const struct instance *after = last ? last->after : NULL;
        struct definition *definition;
        if (!last) TRY(unit_decode(turn, member, &after, &definition, err));
        TRY(add_claim(turn, member->instance, member->definition, after, !member->base, &claim[count++],
                      err));
    }
    for (const struct transition *it = staged->first; it; it = it->next_staged) {
        if (unit_last_of(staged, it->instance) != it || (unit && unit_find_member(unit, it->instance)))
            continue;
        TRY(add_claim(turn, it->instance, it->definition, it->after, is_started(staged, it->instance),
                      &claim[count++], err));
    }
    must(count <= room);
    return unique_check(turn, claim, count, waits, err);
}

/* ---- dropping ---- */

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

/* ---- steps ---- */

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

/* A store that fails in the middle of a unit takes the turn with it: what the turn did to the unit must not
 * count. True if so. */
static bool is_lost(struct turn *turn, const struct error *why)
{
    if (!transact_is_lost(turn, why->status)) return false;
    if (turn->failed == ST_OK) transact_failed(turn, why);
    return true;
}

/* Nothing of the unit was written, and nothing will be. */
static enum status refuse_unit(struct turn *turn, struct staged_unit *staged, const struct error *why,
                               struct error *err)
{
    if (!is_lost(turn, why) && staged->unit) {
        unit_drop(staged, why);
        return ST_OK;
    }
    staged->fate = UNIT_DROPPED;
    staged->call = NULL; /* The caller of unit_begin() answers the call. */
    staged->is_settled = true;
    *err = *why;
    return why->status;
}

static enum status settle(struct turn *turn, struct staged_unit *staged, struct error *err)
{
    must(staged != turn->unit && staged->fate <= UNIT_WAITS);
    bool waits = still_holds(staged);
    struct error why;
    staged->fate = UNIT_WAITS;
    /* All of it is known to fit before the first part is written. */
    if ((!waits && (check_bases(turn, staged, &why) != ST_OK || check_key(turn, staged, &why) != ST_OK)) ||
        claim_keys(turn, staged, waits, &why) != ST_OK ||
        (!waits && grow_models(turn, staged, &why) != ST_OK))
        return refuse_unit(turn, staged, &why, err);
    if (waits || write_unit(turn, staged, &why) == ST_OK) return ST_OK;
    if (is_lost(turn, &why) || !staged->unit) {
        *err = why;
        return why.status;
    }
    unit_drop(staged, &why);
    return ST_OK;
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
    return staged == turn->unit ? ST_OK : settle(turn, staged, err);
}

enum status unit_end(struct turn *turn, struct error *err)
{
    must(turn->unit && turn->unit->fate <= UNIT_WAITS);
    struct staged_unit *staged = turn->unit;
    if (staged->join) {
        enum status status = claim_keys(turn, staged, true, err);
        if (status == ST_OK) unit_leave(turn);
        else unit_unjoin(turn);
        return status;
    }
    turn->unit = NULL;
    return settle(turn, staged, err);
}
