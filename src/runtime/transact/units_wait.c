/* runtime/transact/units_wait.c — units that wait in memory, and calls that wait for them. See units.h. */
#include "runtime/transact/transact_int.h"

#include "base/array.h"
#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/units_int.h"

#include <stdlib.h>
#include <sys/random.h>

enum {
    UNIT_MS_DEFAULT = 30000,
    UNIT_SLACK_MS = 5000, /* The one who calls calculation nodes gives up before. */
};

/* ---- life ---- */

static struct unit_text text_copy(str bytes)
{
    char *copy = malloc(bytes.n ? bytes.n : 1);
    must(copy);
    if (bytes.n) memcpy(copy, bytes.p, bytes.n);
    return (struct unit_text){ copy, bytes.n };
}

void units_init(struct units *units, struct deadlines *deadlines)
{
    *units = (struct units){ .deadlines = deadlines };
    map_init(&units->by_instance);
    map_init(&units->by_anchor);
    map_init(&units->runs);
    map_init(&units->unread);
    must(getrandom(units->secret, sizeof units->secret, 0) == sizeof units->secret);
    text_map_init(&units->keys);
}

void unit_free_member(struct unit_member *member)
{
    for (size_t i = 0; i < member->history_count; i++) free(member->history[i].p);
    free(member->history);
    free(member->state.p);
    for (struct unit_before *it = member->before, *older; it; it = older) {
        older = it->older;
        free(it->state.p);
        free(it);
    }
}

/* The jobs of the failed savepoints are over. */
static void forget_failed(struct units *units, struct unit *unit)
{
    for (struct failed_savepoint *next; unit->failed; unit->failed = next) {
        next = unit->failed->next;
        must(units->failed_count > 0);
        free(unit->failed);
        units->failed_count--;
    }
}

static void unit_free(struct units *units, struct unit *unit)
{
    must(units->count > 0 && units->bytes >= unit->bytes && units->late_count >= unit->is_late);
    for (size_t i = 0; i < unit->member_count; i++) {
        map_take(&units->by_instance, unit->member[i].instance);
        unit_free_member(&unit->member[i]);
    }
    if (unit->anchor.instance) map_take(&units->by_anchor, unit->anchor.instance);
    deadline_clear(units->deadlines, &unit->deadline);
    if (unit->before) unit->before->after = unit->after;
    else units->first = unit->after;
    if (unit->after) unit->after->before = unit->before;
    units->count--;
    units->late_count -= unit->is_late;
    units->bytes -= unit->bytes;
    free(unit->member);
    forget_failed(units, unit);
    free(unit->link);
    free(unit->rewound);
    free(unit);
}

void units_done(struct units *units)
{
    while (units->first) unit_free(units, units->first);
    unit_free_runs(units);
    map_done(&units->by_instance);
    map_done(&units->by_anchor);
    map_done(&units->unread);
    text_map_done(&units->keys);
}

/* ---- waiting ---- */

static struct unit_member *add_member(struct unit *unit, const struct transition *transition)
{
    struct unit_member *member = unit_find_member(unit, transition->instance);
    if (member) return member;
    array_reserve(unit->member, unit->member_count, unit->member_cap);
    member = &unit->member[unit->member_count++];
    *member = (struct unit_member){ .instance = transition->instance,
                                    .definition = transition->definition,
                                    .base = transition->before ? transition->before->revision : 0 };
    return member;
}

static void keep_link(struct unit *unit, const struct transition *transition)
{
    const struct savepoint self = transition->savepoint;
    for (size_t i = 0; i < unit->link_count; i++)
        if (unit->link[i].self.instance == self.instance && unit->link[i].self.number == self.number) return;
    array_reserve(unit->link, unit->link_count, unit->link_cap);
    unit->link[unit->link_count++] = (struct unit_link){ self, transition->parent };
}

/* The member goes on in another savepoint: its state is kept, since all that follows may be undone. */
static void keep_before(struct unit *unit, struct unit_member *member, const struct transition *transition)
{
    const struct savepoint by = transition->savepoint;
    if (by.instance) keep_link(unit, transition);
    if (member->savepoint.instance == by.instance && member->savepoint.number == by.number) return;
    struct unit_before *before = calloc(1, sizeof *before);
    must(before);
    *before = (struct unit_before){ .by = by,
                                    .savepoint = member->savepoint,
                                    .history_count = member->history_count,
                                    .state = member->state,
                                    .holds = member->holds,
                                    .older = member->before };
    member->before = before;
    member->savepoint = by;
    member->state = (struct unit_text){ 0 };
}

static void keep_transition(struct turn *turn, struct unit *unit, const struct transition *transition)
{
    struct unit_member *member = add_member(unit, transition);
    keep_before(unit, member, transition);
    struct buf bytes;
    buf_init(&bytes, &turn->arena);
    history_encode(transition->history, &bytes);
    array_reserve(member->history, member->history_count, member->history_cap);
    member->history[member->history_count++] = text_copy(buf_str(&bytes));
    unit->bytes += bytes.n;
    bytes.n = 0;
    core_encode(transition->after, &bytes);
    unit->bytes += bytes.n;
    unit->bytes -= member->state.n;
    free(member->state.p);
    member->state = text_copy(buf_str(&bytes));
    member->holds = transition->holds;
}

static bool job_holds(const struct instance *instance, const struct job *job, const struct program *program)
{
    const struct token *token = instance_find_token(instance, job->execution);
    const struct program_node *node = token ? &program->node[token->node] : NULL;
    return node && node->kind == NODE_TASK && node->as.task.holds;
}

void unit_offer_jobs(struct turn *turn, int32_t ns, const struct instance *before,
                     const struct instance *after, const struct program *program)
{
    struct jobs *jobs = &turn->engine->memory.jobs;
    for (size_t i = 0; before && i < before->job_count; i++)
        if (!instance_find_job(after, before->job[i].number))
            jobs_remove(jobs, after->id, before->job[i].number);
    for (size_t i = 0; i < after->job_count; i++)
        if (job_holds(after, &after->job[i], program))
            jobs_add(jobs, ns, after->id, &after->job[i], (uint8_t)program->priority, turn->now_ms)->of_unit =
                true;
}

/* A job with a row was there before the unit. Another node may have told of it, or this one has claimed it.
 */
static void withdraw_job(struct turn *turn, uint64_t instance, uint32_t number)
{
    const struct open_job *open = jobs_find(&turn->engine->memory.jobs, instance, number);
    if (open && open->has_row && !open->of_unit) return;
    if (!transact_has_job(turn, instance, number)) jobs_remove(&turn->engine->memory.jobs, instance, number);
}

void unit_withdraw_jobs(struct turn *turn, const struct unit_member *member)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    if (unit_decode(turn, member, &instance, &definition, &err) != ST_OK) return;
    for (size_t i = 0; i < instance->job_count; i++)
        withdraw_job(turn, instance->id, instance->job[i].number);
}

/* Offers the jobs that the instance has in the store. False: it cannot be read now. */
static bool restore_stored(struct turn *turn, uint64_t id)
{
    const struct instance *instance;
    struct definition *definition;
    struct error err;
    bool is_intact;
    if (found_intact(transact_load_stored(turn, id, &instance, &definition, &err), &is_intact) != ST_OK)
        return false;
    for (size_t i = 0; is_intact && i < instance->job_count; i++)
        claim_restore(turn, definition, instance->id, &instance->job[i]);
    return true;
}

void unit_restore_jobs(struct turn *turn, const struct unit_member *member)
{
    struct units *units = &turn->engine->transact.units;
    if (member->base && !restore_stored(turn, member->instance))
        map_put(&units->unread, member->instance, units);
}

void units_restore_unread(struct turn *turn)
{
    struct map *unread = &turn->engine->transact.units.unread;
    uint64_t id;
    size_t cursor = 0, count = 0;
    if (!unread->count) return;
    uint64_t *again = arena_make_n(&turn->arena, uint64_t, unread->count);
    while (map_next_entry(unread, &cursor, &id)) again[count++] = id;
    for (size_t i = 0; i < count; i++) {
        if (units_have(turn, again[i])) continue;    /* Its jobs come back when that unit is over, too. */
        if (!restore_stored(turn, again[i])) return; /* The others would hardly do better. */
        map_take(unread, again[i]);
    }
}

static void withdraw_jobs(struct turn *turn, const struct unit *unit)
{
    for (size_t i = 0; i < unit->member_count; i++) unit_withdraw_jobs(turn, &unit->member[i]);
}

static void restore_jobs(struct turn *turn, const struct unit *unit)
{
    for (size_t i = 0; i < unit->member_count; i++) unit_restore_jobs(turn, &unit->member[i]);
}

/* The longest time that a task may take which the unit waits for since this turn; 0: there is none. */
static int64_t patience_ms(const struct staged_unit *staged)
{
    int64_t most_ms = staged->patience_ms;
    bool any = most_ms > 0;
    for (const struct transition *it = staged->first; it; it = it->next_staged) any |= it->holds;
    if (any && most_ms < UNIT_MS_DEFAULT) most_ms = UNIT_MS_DEFAULT;
    for (const struct transition *it = staged->first; it; it = it->next_staged)
        for (size_t i = 0; it->holds && i < it->after->job_count; i++) {
            const struct token *token = instance_find_token(it->after, it->after->job[i].execution);
            const struct program_node *node = token ? &it->program->node[token->node] : NULL;
            const struct json *config = node && node->kind == NODE_TASK ? node->as.task.config : NULL;
            int64_t ms;
            if (json_int64(json_get(config, STR("timeoutMs")), &ms) && ms > most_ms) most_ms = ms;
        }
    return any ? most_ms + UNIT_SLACK_MS : 0;
}

static void set_deadline(struct turn *turn, struct unit *unit, const struct staged_unit *staged)
{
    int64_t at_ms = turn->now_ms + patience_ms(staged) + turn->engine->transact.compute_wait_ms;
    if (unit->deadline.place && unit->deadline.at_ms >= at_ms) return;
    deadline_set(turn->engine->transact.units.deadlines, &unit->deadline, DEADLINE_UNIT, at_ms);
}

static void follow_anchor(struct units *units, struct unit *unit, const struct staged_unit *staged)
{
    if (unit->anchor.instance) map_take(&units->by_anchor, unit->anchor.instance);
    unit->anchor = staged->is_anchor_done ? (struct unit_anchor){ 0 } : staged->anchor;
    if (unit->anchor.instance) map_put(&units->by_anchor, unit->anchor.instance, unit);
}

static void keep_waiting(struct turn *turn, struct staged_unit *staged)
{
    struct units *units = &turn->engine->transact.units;
    struct unit *unit = staged->unit;
    if (!unit) {
        unit = calloc(1, sizeof *unit);
        must(unit);
        *unit = (struct unit){ .call = staged->call,
                               .cause = staged->cause,
                               .cause_instance = staged->instance,
                               .cause_number = staged->number,
                               .after = units->first };
        if (units->first) units->first->before = unit;
        units->first = unit;
        units->count++;
        if (unit->call) unit_hold_call(units, unit->call);
    }
    size_t bytes = unit->bytes;
    for (const struct transition *it = staged->first; it; it = it->next_staged) {
        keep_transition(turn, unit, it);
        map_put(&units->by_instance, it->instance, unit);
        unit_offer_jobs(turn, it->ns, it->before, it->after, it->program);
    }
    units->bytes += unit->bytes - bytes;
    if (staged->grow) unit->grow = staged->grow;
    follow_anchor(units, unit, staged);
    set_deadline(turn, unit, staged);
    unit_keep_joins(turn, unit, staged);
}

/* ---- the end of a turn ---- */

static size_t instances_of(const struct staged_unit *staged, struct arena *arena, uint64_t **ret_instance)
{
    size_t count = 0, room = staged->unit ? staged->unit->member_count : 0;
    for (const struct transition *it = staged->first; it; it = it->next_staged) room++;
    *ret_instance = arena_make_n(arena, uint64_t, room);
    for (size_t i = 0; staged->unit && i < staged->unit->member_count; i++)
        (*ret_instance)[count++] = staged->unit->member[i].instance;
    for (const struct transition *it = staged->first; it; it = it->next_staged)
        (*ret_instance)[count++] = it->instance;
    return count;
}

void units_supersede(struct turn *turn)
{
    uint64_t *instance;
    if (!turn->engine->transact.units.runs.count) return;
    for (const struct staged_unit *staged = turn->first_unit; staged; staged = staged->next) {
        if (staged->fate != UNIT_WRITTEN || staged->cause != UNIT_OF_CALL) continue;
        size_t count = instances_of(staged, &turn->arena, &instance);
        for (size_t i = 0; i < count; i++) unit_supersede_run(turn, instance[i]);
    }
}

/* Has a later command of this turn taken the place of a transition whose processor was to be asked? */
static bool is_superseded(struct turn *turn, const struct staged_unit *staged)
{
    for (const struct transition *it = staged->first; it; it = it->next_staged) {
        const struct loaded *loaded = map_get(&turn->loaded_of, it->instance);
        if (it->history->command == COMMAND_FIRE && unit_is_running(it->after) && loaded &&
            loaded->now->revision != it->after->revision)
            return true;
    }
    return false;
}

static void finish_written(struct turn *turn, const struct staged_unit *staged)
{
    struct unit *unit = staged->unit;
    struct call *call = unit ? unit->call : staged->call;
    uint64_t *instance;
    size_t count = instances_of(staged, &turn->arena, &instance);
    if (unit) withdraw_jobs(turn, unit);
    struct error why;
    bool is_late = call && is_superseded(turn, staged);
    if (is_late) unit_fail_superseded(&why);
    bool waits = call && !is_late && unit_begin_run(turn, call, instance, count);
    if (waits && !unit) unit_hold_call(&turn->engine->transact.units, call);
    if (unit && !waits) unit_answer_call(turn, call, is_late ? why.status : ST_OK, is_late ? &why : NULL);
    else if (is_late) call->status = unit_fail_superseded(&call->error);
    if (unit) unit_end_joins(turn, unit, ST_OK, NULL);
    if (unit) unit_free(&turn->engine->transact.units, unit);
}

static void finish_dropped(struct turn *turn, const struct staged_unit *staged)
{
    struct unit *unit = staged->unit;
    for (const struct staged_join *it = staged->first_join; it; it = it->next) {
        it->call->status = staged->why.status;
        it->call->error = staged->why;
    }
    if (!unit) return;
    withdraw_jobs(turn, unit);
    restore_jobs(turn, unit);
    unit_end_joins(turn, unit, staged->why.status, &staged->why);
    unit_answer_call(turn, unit->call, staged->why.status, &staged->why);
    unit_free(&turn->engine->transact.units, unit);
}

/* A unit that begins to wait may have an instance, and jobs of the same numbers, of one that is over in the
 * same turn. */
void units_end(struct turn *turn, bool committed)
{
    struct staged_unit *first = committed ? turn->first_unit : NULL;
    for (struct staged_unit *staged = first; staged; staged = staged->next) {
        if (staged->fate == UNIT_WRITTEN) finish_written(turn, staged);
        if (staged->fate == UNIT_DROPPED) finish_dropped(turn, staged);
    }
    for (struct staged_unit *staged = first; staged; staged = staged->next)
        if (staged->fate == UNIT_WAITS) keep_waiting(turn, staged);
    struct units *units = &turn->engine->transact.units;
    for (struct unit *unit = units->first; committed && units->failed_count && unit; unit = unit->after)
        forget_failed(units, unit);
    turn->first_unit = turn->unit = NULL;
    turn->first_failure = turn->last_failure = NULL;
}

/* ---- time, and the end of the engine ---- */

void units_take_late(struct engine *engine, struct deadline *deadline)
{
    struct unit *unit = (struct unit *)(void *)((char *)deadline - offsetof(struct unit, deadline));
    deadline_clear(&engine->memory.deadlines, deadline);
    unit->is_late = true;
    engine->transact.units.late_count++;
}

void units_release(struct turn *turn, enum status status, const struct error *why)
{
    struct units *units = &turn->engine->transact.units;
    while (units->first) {
        struct unit *unit = units->first;
        withdraw_jobs(turn, unit);
        unit_answer_call(turn, unit->call, status, why);
        unit_end_joins(turn, unit, status, why);
        unit_free(units, unit);
    }
    unit_release_runs(turn, status, why);
}
