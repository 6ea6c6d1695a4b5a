/* tests/sim/checker_retire.c — definitions that are retired, and those that go.
 *
 *   retired   nothing of it starts and no instance comes to it, until another version is published
 *   leaving   the same, and nothing is published; its ended runs go, whatever retention says
 *   gone      no run of it is left, and its id begins anew with version 1
 */
#include "record.h"

#include <inttypes.h>

static bool is_of(const struct spec *spec, str id) { return !spec->is_gone && str_equal(spec->id, id); }

bool model_is_retired(const struct checker *checker, str definition_id)
{
    const struct spec *latest = model_latest(checker, definition_id);
    return latest && latest->retired_ms;
}

bool model_is_leaving(const struct checker *checker, const struct spec *spec)
{
    const struct spec *latest = spec->is_gone ? spec : model_latest(checker, spec->id);
    return spec->is_gone || (latest && latest->is_leaving);
}

/* ---- commits ---- */

void checker_retired(struct world *world, const struct definition_row *row)
{
    struct checker *checker = world->checker;
    const struct spec *latest = model_latest(checker, row->id);
    trace(world, "commit: definition %.*s is %s", STR_ARG(row->id), row->is_leaving ? "leaving" : "retired");
    if (!latest || latest->number != row->number || !row->retired_ms) {
        violated(world, "definition %.*s was retired by a version that is not its latest", STR_ARG(row->id));
        return;
    }
    for (size_t i = 0; i < checker->specs.count; i++) {
        struct spec *spec = checker->specs.item[i];
        if (spec->is_gone || spec->number != row->number)
            continue; /* Numbers of what is gone may come again. */
        spec->retired_ms = row->retired_ms;
        spec->is_leaving = row->is_leaving;
    }
}

/* Starts that wait for it go, too. */
void checker_removed(struct world *world, const struct definition_row *row)
{
    struct checker *checker = world->checker;
    trace(world, "commit: definition %.*s is gone", STR_ARG(row->id));
    if (!model_latest(checker, row->id))
        violated(world, "definition %.*s was deleted and is not there", STR_ARG(row->id));
    for (size_t i = 0; i < checker->specs.count; i++) {
        struct spec *spec = checker->specs.item[i];
        if (!is_of(spec, row->id)) continue;
        spec->is_gone = true;
        spec->gone_commit = checker->commit_count;
    }
    for (size_t i = 0; i < checker->chains.count; i++)
        if (str_equal(checker->chains.item[i].target, row->id)) checker->chains.item[i].started = true;
}

void checker_retire_committed(struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (!instance->purged && instance->spec->is_gone)
            violated(world, "instance %" PRIu64 " has lost its definition", instance->id);
    }
}

/* ---- answers ---- */

static bool has_been(const struct checker *checker, str id, bool retired, bool leaving)
{
    for (size_t i = 0; i < checker->specs.count; i++) {
        const struct spec *spec = checker->specs.item[i];
        if (!str_equal(spec->id, id)) continue;
        if (spec->is_gone || (leaving && spec->is_leaving) || (retired && spec->retired_ms)) return true;
    }
    return false;
}

/* Are there runs or starts that forbid to delete it? */
static bool has_left(const struct checker *checker, str id)
{
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (!instance->purged && is_of(instance->spec, id)) return true;
    }
    for (size_t i = 0; i < checker->chains.count; i++)
        if (!checker->chains.item[i].started && str_equal(checker->chains.item[i].target, id)) return true;
    return false;
}

static bool is_code(const struct call *call, const char *code)
{
    return call->error.code && strcmp(call->error.code, code) == 0;
}

void checker_retire_answered(struct world *world, const struct copy *copy)
{
    const struct checker *checker = world->checker;
    const struct request *request = copy->request;
    const struct call *call = copy->call;
    const struct spec *latest = model_latest(checker, request->definition_id);
    if ((request->kind != CALL_RETIRE && request->kind != CALL_DELETE_DEFINITION) || call->replayed) return;
    bool deletes = request->kind == CALL_DELETE_DEFINITION;
    bool leaving = deletes && call->status == ST_OK && call->value.definitions.row->is_leaving;
    if (call->status == ST_OK && !has_been(checker, request->definition_id, !deletes, leaving))
        violated(world, "op %u was acknowledged, and the definition is in use", request->op);
    if (world_is_shared(world)) return;
    if (call->status == ST_NOT_FOUND && latest && latest->commit < copy->commit_before)
        violated(world, "op %u does not find a definition that is there", request->op);
    if (deletes && is_code(call, "RUNS_LEFT") && !has_left(checker, request->definition_id))
        violated(world, "op %u: a definition without runs cannot be deleted", request->op);
}

bool checker_deletion_forbids(const struct world *world, const struct copy *copy)
{
    const struct checker *checker = world->checker;
    struct arena arena;
    bool found = false;
    arena_init(&arena, 0);
    const struct spec *sent = spec_read(copy->request->text, &arena);
    for (size_t i = 0; i < checker->specs.count; i++) {
        const struct spec *spec = checker->specs.item[i];
        found |= str_equal(spec->id, sent->id) && spec->is_leaving &&
                 (!spec->is_gone || spec->gone_commit >= copy->commit_before);
    }
    arena_done(&arena);
    return found;
}

/* ---- the end ---- */

/* A definition that is being deleted is gone in the end, unless a run of it lives. */
bool checker_retire_done(const struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->specs.count; i++) {
        const struct spec *spec = checker->specs.item[i];
        bool lives = false;
        if (spec->is_gone || !spec->is_leaving) continue;
        for (size_t k = 0; k < checker->instances.count; k++) {
            const struct model_instance *instance = checker->instances.item[k];
            lives |= !instance->purged && model_live(instance) && is_of(instance->spec, spec->id);
        }
        if (!lives) return false;
    }
    return true;
}

/* The store has what the model has, also after all crashes. */
void checker_retire_end(struct world *world)
{
    const struct checker *checker = world->checker;
    struct arena arena;
    arena_init(&arena, 0);
    for (size_t i = 0; i < checker->specs.count && !world->failed; i++) {
        const struct spec *spec = checker->specs.item[i], *latest = model_latest(checker, spec->id);
        struct definition_row row;
        bool is_there = found_needed(store_find_definition(world->durable, world->tenant, spec->id,
                                                           VERSION_LATEST, &arena, &row, NULL)) == ST_OK;
        if (is_there != (latest != NULL))
            violated(world, "definition %.*s is %sthere", STR_ARG(spec->id), is_there ? "still " : "not ");
        else if (latest && (!row.retired_ms != !latest->retired_ms || row.is_leaving != latest->is_leaving))
            violated(world, "definition %.*s is not as retired as it was said", STR_ARG(spec->id));
    }
    arena_done(&arena);
}
