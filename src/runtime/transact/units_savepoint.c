/* runtime/transact/units_savepoint.c — a part of a unit that is undone alone. See units.h.
 *
 * A *savepoint* is an open job whose failure does not undo its unit (the dialect says so: `savepoint`). Each
 * transition of a unit has the savepoint that it belongs to:
 *
 *     a call that joins by the token of such a job    that job
 *     a call that joins by another token              the savepoint of that job's instance
 *     an answer to a job                              the savepoint of its instance, the job itself excepted
 *
 * So savepoints nest: the *parent* of one is the savepoint of its instance when the job was opened. A
 * savepoint lives as long as its job is open. Its changes belong to its parent afterwards.
 *
 * Invariants:
 *  (1) Only the calls of a living savepoint, and of the savepoints inside it, change its entities again. So
 *      the changes of a savepoint are the last ones of each instance, and can be taken back.
 *  (2) Undoing does not wait for the commit of the turn. The job has failed; whether the engine can write
 *      that down in this turn makes no difference for the attempt.
 */
#include "runtime/transact/transact_int.h"

#include "base/array.h"
#include "base/log.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/units_int.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_same(struct savepoint a, struct savepoint b)
{
    return a.instance == b.instance && a.number == b.number;
}

static bool is_none(struct savepoint savepoint) { return savepoint.instance == 0; }

/* ---- who has changed what ---- */

static struct savepoint parent_of(const struct staged_unit *staged, struct savepoint savepoint)
{
    for (const struct transition *it = staged->first; it; it = it->next_staged)
        if (is_same(it->savepoint, savepoint)) return it->parent;
    for (size_t i = 0; staged->unit && i < staged->unit->link_count; i++)
        if (is_same(staged->unit->link[i].self, savepoint)) return staged->unit->link[i].parent;
    return (struct savepoint){ 0 };
}

/* Does the savepoint belong to the outer one, or is it the same? */
static bool is_inside(const struct staged_unit *staged, struct savepoint savepoint, struct savepoint outer)
{
    while (!is_none(savepoint) && !is_same(savepoint, outer)) savepoint = parent_of(staged, savepoint);
    return !is_none(savepoint);
}

static bool is_open(struct turn *turn, struct savepoint savepoint)
{
    const struct instance *instance;
    struct definition *definition;
    enum status status;
    struct error err;
    return unit_find(turn, savepoint.instance, &instance, &definition, &status, &err) && status == ST_OK &&
           instance_find_job(instance, savepoint.number);
}

/* The innermost living savepoint that has changed the instance. */
static struct savepoint owner_of(struct turn *turn, const struct staged_unit *staged, uint64_t instance)
{
    const struct transition *last = unit_last_of(staged, instance);
    const struct unit_member *member = staged->unit ? unit_find_member(staged->unit, instance) : NULL;
    struct savepoint owner = last ? last->savepoint : member ? member->savepoint : (struct savepoint){ 0 };
    while (!is_none(owner) && !is_open(turn, owner)) owner = parent_of(staged, owner);
    return owner;
}

void unit_enter_savepoint(struct turn *turn, const struct staged_unit *staged, bool is_savepoint,
                          uint32_t number, struct staged_join *join)
{
    const struct savepoint own = { join->by, number };
    struct savepoint owner = owner_of(turn, staged, join->by);
    if (!is_savepoint) {
        join->savepoint = owner;
        join->parent = parent_of(staged, owner);
        return;
    }
    join->savepoint = own;
    join->parent = is_same(owner, own) ? parent_of(staged, own) : owner;
}

/* The savepoint of an answer to a job of the instance; one that the job itself is, is over. */
static struct savepoint outer_of(struct turn *turn, const struct staged_unit *staged, uint64_t instance,
                                 const struct command *command)
{
    bool answers = command->kind == COMMAND_COMPLETE_JOB || command->kind == COMMAND_FAIL_JOB;
    if (!answers) return (struct savepoint){ 0 };
    struct savepoint owner = owner_of(turn, staged, instance);
    bool is_own = owner.instance == instance && owner.number == command->as.job.number;
    return is_own ? parent_of(staged, owner) : owner;
}

void unit_label(struct turn *turn, const struct staged_unit *staged, const struct command *command,
                struct transition *transition)
{
    if (staged->join) {
        transition->savepoint = staged->join->savepoint;
        transition->parent = staged->join->parent;
        return;
    }
    transition->savepoint = outer_of(turn, staged, transition->instance, command);
    transition->parent = parent_of(staged, transition->savepoint);
}

enum status unit_check_owner(struct turn *turn, const struct staged_unit *staged, uint64_t instance,
                             struct error *err)
{
    struct savepoint owner = owner_of(turn, staged, instance);
    if (!staged->join || is_none(owner) || is_same(owner, staged->join->savepoint) ||
        is_same(owner, staged->join->parent) || is_inside(staged, staged->join->parent, owner))
        return ST_OK;
    return fail_code(err, ST_CONFLICT, "CONFLICT",
                     "another processor of this transaction is changing the entity; try again later");
}

/* ---- undoing ---- */

/* Which of the staged transitions belong to the savepoint. */
static bool *find_staged(struct turn *turn, const struct staged_unit *staged, struct savepoint savepoint)
{
    size_t count = 0;
    bool *goes = arena_make_n(&turn->arena, bool, staged->count);
    for (const struct transition *it = staged->first; it; it = it->next_staged)
        goes[count++] = is_inside(staged, it->savepoint, savepoint);
    return goes;
}

/* Takes these transitions out of their list, and returns how many there were. */
static size_t undo_staged(struct staged_unit *staged, const bool *goes)
{
    struct transition *kept = NULL, **last = &kept, *tail = NULL;
    size_t count = 0, i = 0;
    for (struct transition *it = staged->first, *next; it; it = next) {
        next = it->next_staged;
        if (goes[i++]) {
            count++;
            continue;
        }
        *last = tail = it;
        last = &it->next_staged;
    }
    *last = NULL;
    must(i == staged->count);
    staged->first = kept;
    staged->last = tail;
    staged->count -= count;
    return count;
}

/* The oldest change of the member that belongs to the savepoint; NULL: there is none. */
static struct unit_before *first_change(const struct staged_unit *staged, const struct unit_member *member,
                                        struct savepoint savepoint)
{
    struct unit_before *found = NULL;
    for (struct unit_before *it = member->before; it; it = it->older)
        if (is_inside(staged, it->by, savepoint)) found = it;
    return found;
}

/* The member is as it was before that change, which was not its first. */
static void rewind_member(struct turn *turn, struct unit *unit, struct unit_member *member,
                          const struct unit_before *to)
{
    must(to->history_count && to->history_count <= member->history_count);
    const struct instance *now, *then;
    struct definition *definition;
    struct error err;
    enum status status = unit_decode(turn, member, &now, &definition, &err);
    while (member->history_count > to->history_count) {
        struct unit_text *last = &member->history[--member->history_count];
        unit->bytes -= last->n;
        free(last->p);
    }
    for (const struct unit_before *stop = to->older; member->before != stop;) {
        struct unit_before *it = member->before;
        unit->bytes -= member->state.n;
        free(member->state.p);
        member->state = it->state;
        member->holds = it->holds;
        member->savepoint = it->savepoint;
        member->before = it->older;
        free(it);
    }
    if (status == ST_OK && unit_decode(turn, member, &then, &definition, &err) == ST_OK)
        unit_offer_jobs(turn, definition->ns, now, then, definition->program);
}

/* The unit does not change the instance any more. */
static void forget_member(struct turn *turn, struct unit *unit, struct unit_member *member)
{
    must(unit->member_count > 0 &&
         map_get(&turn->engine->transact.units.by_instance, member->instance) == unit);
    unit_withdraw_jobs(turn, member);
    unit_restore_jobs(turn, member);
    for (size_t i = 0; i < member->history_count; i++) unit->bytes -= member->history[i].n;
    unit->bytes -= member->state.n;
    for (const struct unit_before *it = member->before; it; it = it->older) unit->bytes -= it->state.n;
    map_take(&turn->engine->transact.units.by_instance, member->instance);
    unit_free_member(member);
    *member = unit->member[--unit->member_count];
}

static void note_rewound(struct unit *unit, uint64_t instance)
{
    array_reserve(unit->rewound, unit->rewound_count, unit->rewound_cap);
    unit->rewound[unit->rewound_count++] = instance;
}

static size_t undo_members(struct turn *turn, const struct staged_unit *staged, struct savepoint savepoint)
{
    struct unit *unit = staged->unit;
    size_t count = 0, bytes = unit->bytes;
    for (size_t i = unit->member_count; i-- > 0;) {
        struct unit_member *member = &unit->member[i];
        const struct unit_before *first = first_change(staged, member, savepoint);
        if (!first) continue;
        count += member->history_count - first->history_count;
        note_rewound(unit, member->instance);
        if (first->history_count) rewind_member(turn, unit, member, first);
        else forget_member(turn, unit, member);
    }
    turn->engine->transact.units.bytes -= bytes - unit->bytes;
    return count;
}

/* Calls that have joined for the savepoint, and wait, fail. */
static void undo_joins(struct turn *turn, struct staged_unit *staged, struct savepoint savepoint,
                       const struct error *why)
{
    struct staged_join **place = &staged->first_join;
    while (*place) {
        struct staged_join *join = *place;
        if (!is_inside(staged, join->savepoint, savepoint)) {
            place = &join->next;
            continue;
        }
        *place = join->next;
        join->call->status = why->status;
        join->call->error = *why;
    }
    for (struct unit_join **kept = staged->unit ? &staged->unit->join : NULL; kept && *kept;) {
        struct unit_join *join = *kept;
        if (!is_inside(staged, join->savepoint, savepoint)) {
            kept = &join->next;
            continue;
        }
        *kept = join->next;
        unit_answer_call(turn, join->call, why->status, why);
        free(join);
    }
}

static void forget_links(struct turn *turn, const struct staged_unit *staged, struct savepoint savepoint)
{
    struct unit *unit = staged->unit;
    size_t count = 0;
    bool *goes = arena_make_n(&turn->arena, bool, unit->link_count);
    for (size_t i = 0; i < unit->link_count; i++) goes[i] = is_inside(staged, unit->link[i].self, savepoint);
    for (size_t i = 0; i < unit->link_count; i++)
        if (!goes[i]) unit->link[count++] = unit->link[i];
    unit->link_count = count;
}

static size_t undo(struct turn *turn, struct staged_unit *staged, struct savepoint savepoint,
                   const struct error *why)
{
    const bool *goes = find_staged(turn, staged, savepoint);
    undo_joins(turn, staged, savepoint, why);
    size_t count = staged->unit ? undo_members(turn, staged, savepoint) : 0;
    if (staged->unit) forget_links(turn, staged, savepoint);
    return count + undo_staged(staged, goes);
}

size_t unit_undo(struct turn *turn, uint64_t instance, uint32_t number, const struct error *why)
{
    const struct savepoint savepoint = { instance, number };
    if (!turn->first_unit && !turn->engine->transact.units.count) return 0;
    struct staged_unit *staged = unit_staged_with(turn, instance);
    struct unit *unit = staged ? staged->unit : unit_waiting_with(turn, instance);
    struct staged_unit only_kept = { .unit = unit };
    if (!staged && !unit) return 0;
    return undo(turn, staged ? staged : &only_kept, savepoint, why);
}

size_t unit_rewinds(const struct units *units, uint64_t instance)
{
    const struct unit *unit = map_get(&units->by_instance, instance);
    size_t count = 0;
    for (size_t i = 0; unit && i < unit->rewound_count; i++) count += unit->rewound[i] == instance;
    return count;
}

/* ---- failures inside ---- */

/* The job is failed at the end of the turn (units_settle.c), or of the next one if this one does not commit.
 * Calls that join by its token until then are undone there. */
bool unit_fail_inside(struct turn *turn, struct staged_unit *staged, uint64_t instance,
                      const struct command *command, const struct error *why)
{
    struct savepoint savepoint = outer_of(turn, staged, instance, command);
    if (is_none(savepoint)) return false;
    struct unit *unit = staged->unit; /* It has waited: a job of it is answered. */
    must(unit);
    struct failed_savepoint *failed = calloc(1, sizeof *failed);
    must(failed);
    *failed = (struct failed_savepoint){ .savepoint = savepoint, .next = unit->failed };
    fail(&failed->why, why->status, why->where, "a write that it made failed: %s", why->message);
    failed->undone = undo(turn, staged, savepoint, why);
    unit->failed = failed;
    turn->engine->transact.units.failed_count++;
    return true;
}

str unit_tell_undone(struct turn *turn, const struct error *why, size_t undone)
{
    if (!undone) return arena_str(&turn->arena, str_of(why->message));
    return arena_printf(&turn->arena, "%s (%zu %s that the processor made in the transaction %s undone)",
                        why->message, undone, undone == 1 ? "change" : "changes",
                        undone == 1 ? "was" : "were");
}

void unit_log_undone(const struct instance *instance, str text)
{
    char reason[ERROR_MESSAGE_BYTES], entity[UUID_CHARS + 1];
    snprintf(reason, sizeof reason, "%.*s", STR_ARG(text));
    uuid_print(uuid_of_instance(instance->created_ms, instance->id), entity);
    log_write(LOG_WARN, "a processor of mode ASYNC_NEW_TX failed, and the write goes on", "entity", entity,
              "reason", reason, NULL);
}
