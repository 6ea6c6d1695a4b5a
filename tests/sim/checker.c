/* tests/sim/checker.c — the model, and how it follows what is committed. */
#include "checker.h"
#include "access.h"
#include "entity.h"

#include "server.h"
#include "source/source.h"

#include <inttypes.h>

/* ---- the journal ---- */

static void journal_add_bulk(struct journal *journal, const struct changeset *changeset, struct arena *arena)
{
    struct bulk_row *row = arena_make(arena, struct bulk_row);
    size_t count = changeset->bulk_part_add_count;
    struct bulk_part_row *part = arena_make_n(arena, struct bulk_part_row, count);
    *row = changeset->bulk_add ? *changeset->bulk_add : *changeset->bulk_update;
    if (changeset->bulk_add) row->number = changeset->ret_bulk;
    for (size_t i = 0; i < count; i++) {
        part[i] = changeset->bulk_part_add[i];
        part[i].blob = arena_str(arena, part[i].blob);
    }
    *list_push(arena, &journal->records) = (struct journal_record){
        .bulk = row, .bulk_begins = changeset->bulk_add != NULL, .bulk_part = part, .bulk_part_count = count
    };
}

static void journal_add_row(struct journal *journal, const struct record_row *row, bool removed,
                            struct arena *arena)
{
    int32_t ns;
    if (row->kind == RECORD_SECRET) {
        *list_push(arena, &journal->secrets) =
            (struct journal_secret){ arena_str(arena, tenant_name(row->key, &ns)),
                                     arena_str(arena, row->value), removed };
        return;
    }
    if (row->kind == RECORD_AUDIT_BLOCK || row->kind == RECORD_KEY || row->kind == RECORD_DRAFT) {
        *list_push(arena, &journal->access) =
            (struct journal_access){ row->kind, row->ns, arena_str(arena, row->key),
                                     arena_str(arena, row->value), removed };
        return;
    }
    bool waits = row->kind == RECORD_OVERFLOW && row->key.n;
    if (row->kind == RECORD_EARLY && row->key.n && row->key.p[0] == 'm') {
        *list_push(arena, &journal->records) =
            (struct journal_record){ .early_key = arena_str(arena, row->key),
                                     .early = arena_str(arena, row->value),
                                     .row_removed = removed };
        return;
    }
    if (!waits && (row->kind != RECORD_ARRIVAL || removed)) return;
    /* A record whose key begins with a byte that no id has only counts the others. */
    if (waits && (unsigned char)row->key.p[0] == 0xff) {
        int64_t count = 0;
        /* "12 5": how many wait, and their priority. */
        size_t space = str_find(row->value, STR(" "), 0);
        if (!removed)
            must(str_to_int64(str_slice(row->value, 0, space < row->value.n ? space : row->value.n), &count));
        *list_push(arena, &journal->counts) =
            (struct journal_count){ arena_str(arena, tenant_name(str_slice(row->key, 1, row->key.n), &ns)),
                                    count };
        return;
    }
    struct record_row *copy = arena_make(arena, struct record_row);
    *copy = *row;
    copy->key = arena_str(arena, waits ? tenant_name(row->key, &ns) : row->key);
    copy->value = arena_str(arena, row->value);
    *list_push(arena, &journal->records) = (struct journal_record){ .row = copy, .row_removed = removed };
}

static void journal_add_rows(struct journal *journal, const struct changeset *changeset, struct arena *arena)
{
    for (size_t i = 0; i < changeset->record_remove_count; i++)
        journal_add_row(journal, &changeset->record_remove[i], true, arena);
    for (size_t i = 0; i < changeset->record_put_count; i++)
        journal_add_row(journal, &changeset->record_put[i], false, arena);
}

/* Records about access are of no tenant, or of any; drafts are looked at when they have committed. */
static bool is_of_access(const struct world *world, const struct record_row *row)
{
    return world->access &&
           (row->ns == TENANT_ANY || row->kind == RECORD_KEY_OF || row->kind == RECORD_GRANT_OF ||
            row->kind == RECORD_AUDIT_BLOCK || row->kind == RECORD_AUDIT_HEAD || row->kind == RECORD_DRAFT);
}

void checker_crosses(struct world *world, const struct changeset *changeset)
{
    int32_t tenant = world->tenant;
    bool crosses = (changeset->instance && !changeset->row_later && changeset->instance->ns != tenant) ||
                   (changeset->definition && changeset->definition->ns != tenant) ||
                   (changeset->unmatched_add && changeset->unmatched_add->ns != tenant) ||
                   (changeset->failure_put && changeset->failure_put->ns != tenant) ||
                   (changeset->bulk_add && changeset->bulk_add->ns != tenant) ||
                   (changeset->idempotency && changeset->idempotency->ns != tenant);
    for (size_t i = 0; i < changeset->task_add_count; i++) crosses |= changeset->task_add[i].ns != tenant;
    for (size_t i = 0; i < changeset->record_put_count; i++)
        crosses |= changeset->record_put[i].ns != tenant && changeset->record_put[i].ns != TENANT_DEFAULT &&
                   !is_of_access(world, &changeset->record_put[i]);
    if (crosses) violated(world, "a transaction writes rows of another tenant than %d", tenant);
}

void journal_add_gone(struct journal *journal, const struct json *event, struct arena *arena)
{
    *list_push(arena, &journal->records) = (struct journal_record){ .unmatched = event, .row_removed = true };
}

static struct definition_row *definition_of(const struct definition_row *from, struct arena *arena)
{
    struct definition_row *row = arena_make(arena, struct definition_row);
    *row = *from;
    row->id = arena_str(arena, row->id);
    row->source = arena_str(arena, row->source);
    return row;
}

void journal_add(struct journal *journal, const struct changeset *changeset, struct arena *arena)
{
    if (changeset->definition)
        *list_push(arena, &journal->records) =
            (struct journal_record){ .definition = definition_of(changeset->definition, arena) };
    if (changeset->definition_retire)
        *list_push(arena, &journal->records) =
            (struct journal_record){ .retired = definition_of(changeset->definition_retire, arena) };
    if (changeset->definition_remove)
        *list_push(arena, &journal->records) =
            (struct journal_record){ .removed = definition_of(changeset->definition_remove, arena) };
    if (changeset->unmatched_add)
        *list_push(arena, &journal->records) =
            (struct journal_record){ .unmatched = json_decode(changeset->unmatched_add->event, arena) };
    if (changeset->bulk_add || changeset->bulk_update) journal_add_bulk(journal, changeset, arena);
    journal_add_rows(journal, changeset, arena);
    if (!changeset->instance) return;
    const struct instance_row *row = changeset->instance;
    *list_push(arena, &journal->records) = (struct journal_record){
        .instance = row->id,
        .insert = changeset->insert,
        .definition_number = row->definition,
        .business_key = arena_str(arena, row->business_key),
        .history = arena_str(arena, changeset->history),
        .state = changeset->row_later ? STR_NONE : arena_str(arena, row->state),
    };
}

/* ---- the model ---- */

void checker_begin(struct world *world)
{
    if (world->entities) entity_checker_begin(world);
    world->checker = arena_make(&world->arena, struct checker);
    arena_init(&world->checker->arena, 0);
}

void checker_done(struct world *world)
{
    if (world->entities) entity_checker_done(world);
    struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->specs.count; i++) program_unref(checker->specs.item[i]->program);
    arena_done(&checker->arena);
}

void checker_count(const struct world *world, struct run_result *result)
{
    if (world->entities) {
        entity_checker_count(world, result);
        return;
    }
    result->instances = world->checker->instances.count;
    result->commits = world->checker->commit_count;
    result->commands = world->checker->command_count;
    result->crashes = world->crash_count;
}

struct model_instance *model_instance_of(const struct checker *checker, uint64_t id)
{
    size_t low = 0, high = checker->instances.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct model_instance *instance = checker->instances.item[middle];
        if (instance->id == id) return instance;
        if (instance->id < id) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

bool model_live(const struct model_instance *instance)
{
    return instance->status == INSTANCE_ACTIVE || instance->status == INSTANCE_WAITING;
}

struct model_token *model_token(const struct model_instance *instance, uint32_t execution)
{
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].execution == execution) return &instance->tokens.item[i];
    return NULL;
}

struct model_job *model_job(const struct model_instance *instance, uint32_t number)
{
    for (size_t i = 0; i < instance->jobs.count; i++)
        if (instance->jobs.item[i].number == number) return &instance->jobs.item[i];
    return NULL;
}

uint32_t model_waits(const struct model_instance *instance, str step, enum token_state state)
{
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        str place = model_place(instance, token);
        /* What stands inside an author's node is found by its name, too. A state of a branch that cannot be
         * left is an author's node itself. */
        bool inside = instance->spec->flow && !token->stuck && str_starts(place, step) && place.n > step.n &&
                      place.p[step.n] == '/';
        if (token->state == state && (inside || str_equal(place, step))) return token->execution;
    }
    return 0;
}

str model_place(const struct model_instance *instance, const struct model_token *token)
{
    return instance->spec->program ? token->node : instance->spec->step[token->step].id;
}

const struct spec *model_latest(const struct checker *checker, str definition_id)
{
    const struct spec *latest = NULL;
    for (size_t i = 0; i < checker->specs.count; i++) {
        const struct spec *spec = checker->specs.item[i];
        if (spec->is_gone || !str_equal(spec->id, definition_id)) continue;
        if (!latest || spec->rank > latest->rank ||
            (spec->rank == latest->rank && spec->version > latest->version))
            latest = spec;
    }
    return latest;
}

const struct spec *model_version(const struct checker *checker, str definition_id, int32_t version)
{
    if (!version) return model_latest(checker, definition_id);
    for (size_t i = 0; i < checker->specs.count; i++)
        if (!checker->specs.item[i]->is_gone && str_equal(checker->specs.item[i]->id, definition_id) &&
            checker->specs.item[i]->version == version)
            return checker->specs.item[i];
    return NULL;
}

void model_void_lease(struct model_job *job)
{
    if (job->lease_generation && job->delivery >= job->former_deliveries)
        job->former_deliveries = job->delivery + 1u;
    job->lease_generation = 0;
}

void model_withdraw(struct model_job *job)
{
    model_void_lease(job);
    job->life++;
}

bool model_key_taken(const struct checker *checker, const struct model_instance *instance)
{
    for (size_t i = 0; i < checker->instances.count && instance->business_key.n; i++) {
        const struct model_instance *other = checker->instances.item[i];
        if (other != instance && model_live(other) && str_equal(other->spec->id, instance->spec->id) &&
            str_equal(other->business_key, instance->business_key))
            return true;
    }
    return false;
}

/* ---- commits ---- */

static void compile(struct world *world, struct spec *spec)
{
    struct problems problems;
    problems_init(&problems, &world->checker->arena);
    spec->program = source_compile(spec->source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
    if (!spec->program) violated(world, "definition %.*s was stored and is wrong", STR_ARG(spec->id));
}

/* Content that is there already makes a new version only if the latest has another. The new version names the
 * newest that has it, and is the latest. */
static void check_restored(struct world *world, const struct definition_row *row, struct spec *spec)
{
    const struct checker *checker = world->checker;
    const struct spec *latest = model_latest(checker, row->id);
    int32_t restores = 0;
    for (size_t i = 0; i < checker->specs.count; i++)
        if (!checker->specs.item[i]->is_gone && str_equal(checker->specs.item[i]->source, row->source))
            restores = checker->specs.item[i]->version;
    if (latest && !latest->retired_ms && str_equal(latest->source, row->source))
        violated(world, "definition %.*s was stored again with the content of its latest version",
                 STR_ARG(row->id));
    if (row->restores != restores)
        violated(world, "definition %.*s version %d restores %d, not %d", STR_ARG(row->id), row->version,
                 row->restores, restores);
    if (restores && latest->rank > spec->rank) spec->rank = latest->rank;
}

static void committed_definition(struct world *world, const struct definition_row *row)
{
    struct checker *checker = world->checker;
    struct spec *spec = spec_read(arena_str(&checker->arena, row->source), &checker->arena);
    int32_t newest = 0;
    for (size_t i = 0; i < checker->specs.count; i++)
        if (!checker->specs.item[i]->is_gone && str_equal(checker->specs.item[i]->id, row->id) &&
            checker->specs.item[i]->version > newest)
            newest = checker->specs.item[i]->version;
    spec->number = row->number;
    spec->version = row->version;
    spec->published_ms = row->created_ms;
    if (!str_equal(spec->id, row->id))
        violated(world, "definition %.*s was stored under another id", STR_ARG(row->id));
    if (model_latest(checker, row->id) && model_latest(checker, row->id)->is_leaving)
        violated(world, "definition %.*s was stored while it is being deleted", STR_ARG(row->id));
    if (row->version != newest + 1)
        violated(world, "definition %.*s has version %d after %d", STR_ARG(row->id), row->version, newest);
    for (size_t i = 0; i < checker->specs.count; i++)
        if (checker->specs.item[i]->number == row->number && !checker->specs.item[i]->is_gone)
            violated(world, "definition number %" PRId64 " is used twice", row->number);
    check_restored(world, row, spec);
    spec->commit = checker->commit_count;
    if (spec->flow || spec->graph) compile(world, spec);
    *list_push(&checker->arena, &checker->specs) = spec;
    checker_trigger_routes_published(world, spec);
    trace(world, "commit: definition %.*s version %d, number %" PRId64, STR_ARG(row->id), row->version,
          row->number);
}

/* Which of the ended instances are gone, and whether they may be. */
static void committed_purge(struct world *world, const struct journal *journal, struct store *store)
{
    struct checker *checker = world->checker;
    struct arena arena;
    arena_init(&arena, 0);
    if (journal->purged_before_ms > checker->purged_before_ms)
        checker->purged_before_ms = journal->purged_before_ms;
    for (size_t i = 0; i < checker->instances.count; i++) {
        struct model_instance *instance = checker->instances.item[i];
        struct instance_row row;
        if (instance->purged ||
            found_needed(store_load_instance(store, TENANT_ANY, instance->id, &arena, &row, NULL)) == ST_OK)
            continue;
        int64_t before_ms =
            instance->status == INSTANCE_FAILED ? journal->failed_before_ms : journal->purged_before_ms;
        if (model_live(instance) || model_lingers(instance) ||
            (instance->ended_ms >= before_ms && !model_is_leaving(checker, instance->spec)))
            violated(world, "instance %" PRIu64 " was purged too early", instance->id);
        trace(world, "commit: instance %" PRIu64 " is purged", instance->id);
        instance->purged = true;
        instance->purged_ms = world->now_ms;
    }
    arena_done(&arena);
}

void checker_committed(struct world *world, const struct journal *journal, struct store *store)
{
    checker_access_committed(world, journal);
    if (world->entities) {
        entity_committed(world, journal);
        return;
    }
    world->checker->commit_count++;
    world->checker->journal = journal;
    for (size_t i = 0; i < journal->records.count && !world->failed; i++) {
        const struct journal_record *record = &journal->records.item[i];
        world->checker->journal_at = i;
        if (record->row) {
            checker_arrival(world, record);
            continue;
        }
        if (record->early_key.n) {
            checker_early(world, record);
            continue;
        }
        if (record->definition) {
            committed_definition(world, record->definition);
            continue;
        }
        if (record->retired) {
            checker_retired(world, record->retired);
            continue;
        }
        if (record->removed) {
            checker_removed(world, record->removed);
            continue;
        }
        if (record->bulk) {
            checker_bulk(world, record);
            continue;
        }
        if (record->unmatched) {
            if (record->row_removed) checker_not_unmatched(world, record->unmatched);
            else checker_unmatched(world, record->unmatched);
            continue;
        }
        trace_bytes(world, record->history);
        trace_bytes(world, record->state);
        if (record->history.n) {
            world->checker->command_count++;
            checker_history(world, record);
        }
        if (record->state.n && !world->failed) checker_state(world, record);
    }
    for (size_t i = 0; i < journal->records.count && !world->failed; i++) {
        const struct model_instance *instance =
            model_instance_of(world->checker, journal->records.item[i].instance);
        if (instance && instance->stored_revision != instance->revision)
            violated(world, "instance %" PRIu64 ": its history is at revision %u, its state at %u",
                     instance->id, instance->revision, instance->stored_revision);
    }
    if (!world->failed) checker_events_committed(world);
    if (!world->failed) checker_family_committed(world);
    if (!world->failed) checker_bulks_committed(world);
    if (!world->failed) checker_arrivals_committed(world);
    if (!world->failed) checker_trigger_routes_committed(world, store);
    if (!world->failed) checker_secrets_committed(world);
    if (journal->purged) committed_purge(world, journal, store);
    if (!world->failed) checker_retire_committed(world);
}
