/* runtime/transact/units_runs.c — calls that wait until instances which they have written come to rest. See
 * units.h.
 *
 * Where several nodes share a store, another one may do the job that the instance waits for, or fire another
 * transition. The instance's history has everything that happened since the run began.
 */
#include "runtime/transact/transact_int.h"

#include "base/must.h"
#include "runtime/memory/memory.h"
#include "runtime/nodes/nodes.h"
#include "runtime/transact/units_int.h"
#include "store/nodes.h"

#include <stdio.h>
#include <stdlib.h>

/* A call that waits for instances to come to rest. */
struct unit_run {
    struct call *call;
    size_t open; /* Instances that it still waits for. */
    enum status status;
    struct error error;
};

/* One of its instances, which has one token. */
struct run_part {
    struct unit_run *run;
    int64_t definition;
    uint32_t revision; /* The newest that is taken account of… */
    size_t job_count;  /* … the jobs that were open then… */
    bool holds;        /* … and whether the token was at a task that holds. */
};

/* The call fails, and the entities that it has written stay. */
static void note_left(struct call *call)
{
    if (call->kind == CALL_WRITE_ENTITIES) call->as.entities.is_left = true;
}

bool unit_is_running(const struct instance *instance) { return lives(instance) && instance->job_count; }

static void end_run(struct turn *turn, uint64_t instance)
{
    struct run_part *part = map_take(&turn->engine->transact.units.runs, instance);
    must(part && part->run->open > 0);
    struct unit_run *run = part->run;
    free(part);
    if (--run->open) return;
    if (run->call && run->status != ST_OK) note_left(run->call);
    unit_answer_call(turn, run->call, run->status, &run->error);
    free(run);
}

static void note_failure(struct unit_run *run, const struct error *why)
{
    must(why->status != ST_OK);
    run->status = why->status;
    run->error = *why;
}

/* An attempt that is rolled back may end otherwise when it is repeated, so the run does not know yet. */
void units_note_failure(struct turn *turn, uint64_t instance, const struct error *why)
{
    struct run_failure *failure = arena_make(&turn->arena, struct run_failure);
    *failure = (struct run_failure){ .instance = instance, .why = *why };
    if (turn->last_failure) turn->last_failure->next = failure;
    else turn->first_failure = failure;
    turn->last_failure = failure;
}

void units_tell_failures(struct turn *turn)
{
    for (const struct run_failure *failure = turn->first_failure; failure; failure = failure->next) {
        struct run_part *part = map_get(&turn->engine->transact.units.runs, failure->instance);
        if (part) note_failure(part->run, &failure->why);
    }
}

/* Has a command of this attempt failed for the instance? */
static bool fails_now(const struct turn *turn, uint64_t instance)
{
    const struct run_failure *failure = turn->first_failure;
    while (failure && failure->instance != instance) failure = failure->next;
    return failure != NULL;
}

struct call *units_call_of(const struct turn *turn, uint64_t instance)
{
    const struct run_part *part = map_get(&turn->engine->transact.units.runs, instance);
    if (!part || part->run->open > 1 || part->run->status != ST_OK || fails_now(turn, instance)) return NULL;
    return part->run->call;
}

struct call *unit_waiting_call(const struct turn *turn, uint64_t instance)
{
    const struct unit *unit = map_get(&turn->engine->transact.units.by_instance, instance);
    return unit && unit->call ? unit->call : units_call_of(turn, instance);
}

enum status unit_fail_superseded(struct error *err)
{
    return fail(err, ST_CONFLICT, "instance",
                "another transition was fired before a calculation node had answered");
}

/* ---- what other nodes have done ---- */

static struct error told_failure(const struct history *history)
{
    struct error why;
    char where[ERROR_WHERE_BYTES] = "WORKFLOW_FAILED";
    str reason = STR_NONE;
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE && entry->verdict == JOB_FAILED) reason = entry->reason;
        if (entry->kind != ENTRY_KIND_RAISE) continue;
        const struct json *name = json_get(entry->error, STR("name"));
        if (json_is(name, JSON_STRING)) snprintf(where, sizeof where, "%.*s", STR_ARG(json_string(name)));
    }
    fail(&why, ST_INVALID, where, "%.*s", STR_ARG(reason));
    return why;
}

static bool holds(const struct program *program, str node)
{
    uint32_t index = program_find(program, node);
    return index != NODE_NONE && program->node[index].kind == NODE_TASK && program->node[index].as.task.holds;
}

/* Takes account of the jobs that the command has closed and opened. */
static void follow_jobs(struct run_part *part, const struct program *program, const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_JOB_CLOSE) part->job_count--;
        if (entry->kind == ENTRY_KIND_JOB_OPEN) part->job_count++;
        if (entry->kind == ENTRY_KIND_ENTER) part->holds = holds(program, entry->node);
        if (entry->kind == ENTRY_KIND_STATUS) part->job_count = 0; /* The instance has ended. */
    }
    part->revision = history->revision;
}

/* A job that has failed is tried again as another one. */
static bool opens_job(const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == ENTRY_KIND_JOB_OPEN) return true;
    return false;
}

/* True: the run is over. The instance came to rest, or another transition took the place of the one that the
 * call has fired. A task that holds may fail and the transition go on. */
static bool follow(struct run_part *part, const struct program *program, const struct history *history)
{
    struct error why;
    bool fails = history->command == COMMAND_FAIL_JOB && !part->holds && !opens_job(history);
    bool goes_on = history->command == COMMAND_COMPLETE_JOB || history->command == COMMAND_FAIL_JOB ||
                   history->command == COMMAND_FIRE_TIMER;
    follow_jobs(part, program, history);
    if (fails) why = told_failure(history);
    else if (!goes_on) unit_fail_superseded(&why);
    if (fails || !goes_on) note_failure(part->run, &why);
    return !goes_on || !part->job_count;
}

/* Ends the run if another node did that. A failure that may pass: the history cannot be read now. */
static enum status follow_others(struct turn *turn, const struct loaded *loaded, struct run_part *part,
                                 struct error *err)
{
    struct store *store = turn->engine->store;
    struct definition *definition;
    size_t count = 1;
    TRY(found_needed(catalogue_get(&turn->engine->memory.catalogue, part->definition, &definition, err)));
    while (count && part->revision < loaded->now->revision) {
        str *blob;
        struct history history;
        TRY(store_next_history(store, loaded->instance, part->revision, &turn->arena, &blob, &count, err));
        for (size_t i = 0; i < count; i++) {
            TRY(history_decode(blob[i], &turn->arena, &history, err));
            if (!follow(part, definition->program, &history)) continue;
            end_run(turn, loaded->instance);
            return ST_OK;
        }
    }
    return ST_OK;
}

/* Has another node changed the instance since the run has seen it? */
static bool others_went_on(const struct turn *turn, const struct loaded *loaded, const struct run_part *part)
{
    return turn->engine->nodes.shared && loaded->found != part->revision;
}

bool units_wake(struct turn *turn, const struct loaded *loaded)
{
    struct units *units = &turn->engine->transact.units;
    struct run_part *part = units->runs.count ? map_get(&units->runs, loaded->instance) : NULL;
    struct error err;
    if (!part) return true;
    if (others_went_on(turn, loaded, part)) {
        enum status status = follow_others(turn, loaded, part, &err);
        turn->reads_wait |= status == ST_AGAIN;
        if (status_retry(status)) return false;
        if (status == ST_OK) return true;
        note_failure(part->run, &err); /* The history is damaged: nobody will ever know. */
        end_run(turn, loaded->instance);
        return true;
    }
    part->revision = loaded->now->revision;
    part->job_count = loaded->now->job_count;
    part->holds = false;
    if (!unit_is_running(loaded->now)) end_run(turn, loaded->instance);
    return true;
}

/* ---- the commands of this node ---- */

void units_forget(struct turn *turn, uint64_t instance)
{
    const struct run_part *part = map_get(&turn->engine->transact.units.runs, instance);
    struct error why;
    if (!part) return;
    unit_fail_superseded(&why);
    note_failure(part->run, &why);
    end_run(turn, instance);
}

void unit_supersede_run(struct turn *turn, uint64_t instance)
{
    const struct loaded *loaded = map_get(&turn->loaded_of, instance);
    struct run_part *part = map_get(&turn->engine->transact.units.runs, instance);
    struct error err;
    /* It may have been over before. If that cannot be read now, units_wake() looks at it again. */
    if (part && loaded && others_went_on(turn, loaded, part) &&
        status_retry(follow_others(turn, loaded, part, &err)))
        return;
    units_forget(turn, instance);
}

static struct unit_run *new_run(struct call *call)
{
    struct unit_run *run = calloc(1, sizeof *run);
    must(run);
    run->call = call;
    return run;
}

bool unit_begin_run(struct turn *turn, struct call *call, const uint64_t *instance, size_t count)
{
    struct map *runs = &turn->engine->transact.units.runs;
    struct unit_run *run = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct loaded *loaded = map_get(&turn->loaded_of, instance[i]);
        if (!loaded || !unit_is_running(loaded->now) || map_get(runs, instance[i])) continue;
        if (!run) run = new_run(call);
        struct run_part *part = malloc(sizeof *part);
        must(part);
        *part = (struct run_part){ .run = run,
                                   .definition = loaded->definition->number,
                                   .revision = loaded->now->revision,
                                   .job_count = loaded->now->job_count };
        run->open++;
        map_put(runs, instance[i], part);
    }
    return run != NULL;
}

/* ---- the end of the engine ---- */

void unit_release_runs(struct turn *turn, enum status status, const struct error *why)
{
    size_t cursor = 0;
    for (struct run_part *part; (part = map_next(&turn->engine->transact.units.runs, &cursor)) != NULL;) {
        struct unit_run *run = part->run;
        if (run->call) note_left(run->call);
        unit_answer_call(turn, run->call, status, why);
        run->call = NULL;
    }
}

void unit_free_runs(struct units *units)
{
    size_t cursor = 0;
    for (struct run_part *part; (part = map_next(&units->runs, &cursor)) != NULL;) {
        if (!--part->run->open) free(part->run);
        free(part);
    }
    map_done(&units->runs);
}
