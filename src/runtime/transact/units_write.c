/* runtime/transact/units_write.c — the end of a unit's steps: all of it is written, waits or is dropped. */
#include "runtime/transact/transact_int.h"

#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

/* ---- writing ---- */

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

/* The instance as the store has it, at the nodes of the version that the unit works with. */
static enum status load_base(struct turn *turn, uint64_t instance, int64_t definition, uint32_t revision,
                             const struct instance **ret_now, struct definition **ret_definition,
                             struct error *err)
{
    struct definition *stored;
    TRY(found_needed(transact_load_stored(turn, instance, ret_now, &stored, err)));
    TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, definition, ret_definition, err)));
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
    TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, member->definition, &definition, err)));
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
                                           .ns = definition->ns,
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

/* The tenant may have been removed while the unit waited. All members are in one tenant. */
static enum status check_tenant(struct turn *turn, const struct staged_unit *staged, struct error *err)
{
    const struct unit *unit = staged->unit;
    struct definition *definition;
    int64_t number = staged->first                ? staged->first->definition
                     : unit && unit->member_count ? unit->member[0].definition
                                                  : 0;
    if (!number) return ST_OK;
    TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, number, &definition, err)));
    return usage_check_there(&turn->engine->memory.usage, definition->ns, err);
}

/* Is what the store has what the members began with? Before anything is written. */
static enum status check_bases(struct turn *turn, const struct staged_unit *staged, struct error *err)
{
    TRY(check_tenant(turn, staged, err));
    for (size_t i = 0; staged->unit && i < staged->unit->member_count; i++) {
        const struct unit_member *member = &staged->unit->member[i];
        const struct instance *now;
        struct definition *stored;
        if (!member->base) continue;
        TRY(found_needed(transact_load_stored(turn, member->instance, &now, &stored, err)));
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
    bool is_there;
    TRY(found_asked(
        store_find_idempotency(turn->engine->store, call->ns, call->idempotency_key, &turn->arena, &row, err),
        &is_there));
    if (!is_there) return ST_OK;
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
        TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, it->definition, &definition, err)));
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
    if (!is_new) TRY(found_needed(transact_load_stored(turn, instance, &before, &of, err)));
    TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, definition, &of, err)));
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

/* ---- the end ---- */

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

enum status unit_write(struct turn *turn, struct staged_unit *staged, struct error *err)
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
    return unit_write(turn, staged, err);
}
