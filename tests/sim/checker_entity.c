/* tests/sim/checker_entity.c — follows the committed histories of entities; entity.h has the rules. */
#include "checker.h"
#include "entity.h"
#include "runs.h"
#include "server.h"

#include "dialect/entity/entity.h"
#include "runtime/entities/entity_check.h"
#include "runtime/transact/units_int.h"
#include "source/source.h"

#include <inttypes.h>
#include <stdlib.h>

/* A version of the model's workflows. */
struct seen_version {
    int64_t number;
    const struct json *document;
    struct program *program;
};

struct seen_entity {
    uint64_t id;
    uint32_t revision;
    const struct instance *state; /* What its history comes to. */
    size_t marks_commit;          /* The newest transaction of the store that changed it, */
    LIST(str) marks;              /* and whose transactions it had in that one, from the first to the last. */
};

struct entity_checker {
    struct arena arena;
    LIST(struct seen_version) versions;
    LIST(struct seen_entity *) entities; /* By id. */
    struct run_checker run_checker;
    size_t commit_count, command_count;
    size_t rows_checked; /* Commits, when rows were looked at last. */
};

enum { COMMITS_BETWEEN_CHECKS = 40 };

static struct entity_checker *self(const struct world *world) { return world->entity_checker; }

void entity_checker_begin(struct world *world)
{
    world->entity_checker = arena_make(&world->arena, struct entity_checker);
    arena_init(&self(world)->arena, 0);
}

void entity_checker_done(struct world *world)
{
    for (size_t i = 0; i < self(world)->versions.count; i++)
        program_unref(self(world)->versions.item[i].program);
    arena_done(&self(world)->arena);
}

void entity_checker_count(const struct world *world, struct run_result *result)
{
    result->instances = self(world)->entities.count;
    result->commits = self(world)->commit_count;
    result->commands = self(world)->command_count;
    result->crashes = world->crash_count;
}

/* ---- finding ---- */

static struct seen_entity *find_entity(const struct world *world, uint64_t id)
{
    for (size_t i = 0; i < self(world)->entities.count; i++)
        if (self(world)->entities.item[i]->id == id) return self(world)->entities.item[i];
    return NULL;
}

static const struct seen_version *find_version(const struct world *world, int64_t number)
{
    for (size_t i = 0; i < self(world)->versions.count; i++)
        if (self(world)->versions.item[i].number == number) return &self(world)->versions.item[i];
    return NULL;
}

static struct request *find_cause(struct world *world, str actor)
{
    int64_t op;
    if (!str_starts(actor, STR("op-")) || !str_to_int64(str_slice(actor, 3, actor.n), &op)) return NULL;
    return network_find(world, (uint32_t)op);
}

static str mark(const struct instance *state, str name)
{
    return state ? entity_mark(state, name) : STR_NONE;
}

/* ---- (6) moves ---- */

static const struct json *workflow_named(const struct json *document, str name)
{
    const struct json *list = json_get(document, STR("workflows"));
    for (size_t i = 0; i < json_count(list); i++)
        if (str_equal(json_string(json_get(json_item(list, i), STR("name"))), name))
            return json_item(list, i);
    return NULL;
}

/* Is there a way from one state to another, by a transition of that name (empty: any)? */
static bool has_way(const struct json *workflow, str from, str to, str name)
{
    const struct json *state = json_get(json_get(workflow, STR("states")), from);
    const struct json *list = json_get(state, STR("transitions"));
    for (size_t i = 0; i < (list ? json_count(list) : 0); i++) {
        const struct json *way = json_item(list, i);
        if (str_equal(json_string(json_get(way, STR("next"))), to) &&
            (!name.n || str_equal(json_string(json_get(way, STR("name"))), name)))
            return true;
    }
    return false;
}

static void check_move(struct world *world, const struct seen_version *version, uint64_t id,
                       str workflow_name, str from, str to, str name)
{
    const struct json *workflow = workflow_named(version->document, workflow_name);
    if (!workflow) {
        violated(world, "entity %" PRIu64 " is in a workflow \"%.*s\" that its version lacks", id,
                 STR_ARG(workflow_name));
    } else if (!from.n) {
        if (!str_equal(json_string(json_get(workflow, STR("initialState"))), to))
            violated(world, "entity %" PRIu64 " begins in state \"%.*s\"", id, STR_ARG(to));
    } else if (!has_way(workflow, from, to, name)) {
        violated(world, "entity %" PRIu64 " goes from \"%.*s\" to \"%.*s\" by \"%.*s\"", id, STR_ARG(from),
                 STR_ARG(to), STR_ARG(name));
    }
}

/* The states that the record brings the entity to, in order. */
static void check_moves(struct world *world, const struct seen_entity *entity, const struct history *history,
                        const struct instance *after)
{
    const struct seen_version *version = find_version(world, after->definition);
    str from = mark(entity->state, ENTITY_STATE), name = STR_NONE;
    if (!version) {
        violated(world, "entity %" PRIu64 " has a version that nobody has deployed", entity->id);
        return;
    }
    for (size_t i = 0; i < history->entry_count && !world->failed; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_FIRE) name = entry->transition;
        if (entry->kind != ENTRY_KIND_ENTER || !str_ends(entry->node, STR("/+"))) continue;
        uint32_t node = program_find(version->program, entry->node);
        if (node == NODE_NONE) {
            violated(world, "entity %" PRIu64 " comes to \"%.*s\", which its version lacks", entity->id,
                     STR_ARG(entry->node));
            return;
        }
        str to = version->program->node[node].title;
        check_move(world, version, entity->id, mark(after, ENTITY_WORKFLOW), from, to, name);
        from = to;
        name = STR_NONE;
    }
}

/* ---- (1) causes ---- */

static const struct entity_item *item_of(const struct request *request, const struct seen_entity *entity)
{
    for (size_t i = 0; i < request->item_count; i++) {
        int64_t ms;
        uint64_t id;
        if (request->item[i].action != ENTITY_CREATE && uuid_instance(request->item[i].id, &ms, &id) &&
            id == entity->id)
            return &request->item[i];
    }
    return NULL;
}

static void check_write(struct world *world, const struct seen_entity *entity, const struct history *history)
{
    struct request *request = find_cause(world, history->actor);
    if (!request || request->kind != CALL_WRITE_ENTITIES || !request->first_arrived_ms) {
        violated(world, "entity %" PRIu64 ": nobody asked for a %s", entity->id,
                 core_command_word(history->command));
        return;
    }
    const struct entity_item *item = item_of(request, entity);
    bool starts = history->command == COMMAND_START;
    if (!starts && (!item || (item->action == ENTITY_DELETE) != (history->command == COMMAND_CANCEL)))
        violated(world, "entity %" PRIu64 ": op %u did not ask for a %s", entity->id, request->op,
                 core_command_word(history->command));
    else if (item && item->if_match.n && !str_equal(item->if_match, mark(entity->state, ENTITY_TRANSACTION)))
        violated(world, "entity %" PRIu64 ": op %u wants transaction %.*s and changes %.*s", entity->id,
                 request->op, STR_ARG(item->if_match), STR_ARG(mark(entity->state, ENTITY_TRANSACTION)));
}

/* An answer that brings a document brings the number of the report, which must be for this job. */
static void check_report(struct world *world, const struct seen_entity *entity, const struct history *history,
                         uint32_t job)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        int64_t op;
        if (entry->kind != ENTRY_KIND_DATA || !json_int64(json_get(entry->data, STR("op")), &op)) continue;
        const struct request *request = network_find(world, (uint32_t)op);
        if (!request || !request->report_count || !request->first_arrived_ms ||
            request->id.instance != entity->id || request->id.number != job)
            violated(world, "entity %" PRIu64 ": the document of op %u is no answer to job %u", entity->id,
                     (unsigned)op, job);
    }
}

/* ---- (7) verdicts ---- */

static void check_closed(struct world *world, struct seen_entity *entity, const struct history *history,
                         const struct entry *entry)
{
    bool open = entity->state && instance_find_job(entity->state, entry->job);
    for (size_t i = 0; i < history->entry_count; i++)
        open |= history->entry[i].kind == ENTRY_KIND_JOB_OPEN && history->entry[i].job == entry->job;
    if (!open)
        violated(world, "entity %" PRIu64 ": job %u is closed and was not open", entity->id, entry->job);
    if (history->command == COMMAND_COMPLETE_JOB && entry->verdict == JOB_DONE)
        check_report(world, entity, history, entry->job);
}

static void check_timer(struct world *world, const struct seen_entity *entity, const struct history *history)
{
    for (size_t i = 0; i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind != ENTRY_KIND_TIMER_CLOSE || !entry->fired) continue;
        for (size_t k = 0; entity->state && k < entity->state->timer_count; k++) {
            const struct timer *timer = &entity->state->timer[k];
            if (timer->number != entry->timer) continue;
            if (timer->due_ms > history->at_ms)
                violated(world, "entity %" PRIu64 ": a timer fires %" PRId64 " ms early", entity->id,
                         timer->due_ms - history->at_ms);
            return;
        }
    }
    violated(world, "entity %" PRIu64 ": a timer fires that is not open", entity->id);
}

/* ---- records ---- */

static struct seen_entity *entity_of(struct world *world, uint64_t id)
{
    struct seen_entity *entity = find_entity(world, id);
    if (entity) return entity;
    entity = arena_make(&self(world)->arena, struct seen_entity);
    *entity = (struct seen_entity){ .id = id };
    *list_push(&self(world)->arena, &self(world)->entities) = entity;
    return entity;
}

static void follow(struct world *world, const struct journal_record *record)
{
    struct arena *arena = &self(world)->arena;
    struct seen_entity *entity = entity_of(world, record->instance);
    struct history *history = arena_make(arena, struct history);
    struct error err;
    const struct instance *after;
    const struct created created = { record->instance, record->definition_number, STR_NONE };
    must(history_decode(arena_str(arena, record->history), arena, history, &err) == ST_OK);
    trace(world, "commit: entity %" PRIu64 " revision %u, %s by %.*s", entity->id, history->revision,
          core_command_word(history->command), STR_ARG(history->actor));
    self(world)->command_count++;
    if (history->revision != entity->revision + 1)
        violated(world, "entity %" PRIu64 " goes from revision %u to %u", entity->id, entity->revision,
                 history->revision);
    if (core_replay(NULL, entity->state, &created, history, arena, &after, &err) != ST_OK) {
        violated(world, "entity %" PRIu64 ": its history does not replay: %s", entity->id, err.message);
        return;
    }
    bool writes = history->command == COMMAND_START || history->command == COMMAND_FIRE ||
                  history->command == COMMAND_CANCEL;
    if (writes) check_write(world, entity, history);
    const struct request *cause = find_cause(world, history->actor);
    if ((history->command == COMMAND_START || history->command == COMMAND_FIRE) &&
        !(cause && cause->token.n) && !str_equal(mark(after, ENTITY_TRANSACTION), history->actor))
        violated(world, "entity %" PRIu64 " has transaction %.*s after %.*s", entity->id,
                 STR_ARG(mark(after, ENTITY_TRANSACTION)), STR_ARG(history->actor));
    if (history->command == COMMAND_FIRE_TIMER) check_timer(world, entity, history);
    for (size_t i = 0; i < history->entry_count && !world->failed; i++)
        if (history->entry[i].kind == ENTRY_KIND_JOB_CLOSE)
            check_closed(world, entity, history, &history->entry[i]);
    if (!world->failed) check_moves(world, entity, history, after);
    bool is_first = entity->marks_commit != self(world)->commit_count;
    if (is_first) entity->marks.count = 0;
    entity->marks_commit = self(world)->commit_count;
    *list_push(arena, &entity->marks) = mark(after, ENTITY_TRANSACTION);
    runs_follow(&self(world)->run_checker, entity->id, history, is_first, after, arena);
    entity->state = after;
    entity->revision = history->revision;
}

/* (3), (8) */
static void check_stored(struct world *world, const struct journal_record *record)
{
    const struct seen_entity *entity = find_entity(world, record->instance);
    const struct seen_version *version = find_version(world, entity->state->definition);
    const struct instance *stored;
    struct buf bytes;
    struct error err;
    buf_init(&bytes, &self(world)->arena);
    core_encode(entity->state, &bytes);
    if (!str_equal(buf_str(&bytes), record->state))
        violated(world, "entity %" PRIu64 ": its history leads to another state than the stored one",
                 entity->id);
    else if (core_decode(record->state, version->program, &self(world)->arena, &stored, &err) != ST_OK)
        violated(world, "entity %" PRIu64 ": %s", entity->id, err.message);
    for (size_t i = 0; !world->failed && i < stored->job_count; i++) {
        const struct token *token = instance_find_token(stored, stored->job[i].execution);
        if (version->program->node[token->node].as.task.holds)
            violated(world, "entity %" PRIu64 " is stored with job %u, which holds", entity->id,
                     stored->job[i].number);
    }
}

/* (2): how often the write of each item is in this transaction. */
static void check_whole(struct world *world, const struct journal *journal)
{
    struct arena *arena = &self(world)->arena;
    size_t count = network_count(world);
    uint32_t *starts = arena_make_n(arena, uint32_t, count + 1),
             *changes = arena_make_n(arena, uint32_t, count + 1);
    memset(starts, 0, (count + 1) * sizeof *starts);
    memset(changes, 0, (count + 1) * sizeof *changes);
    for (size_t i = 0; i < journal->records.count; i++) {
        const struct journal_record *record = &journal->records.item[i];
        struct history history;
        struct error err;
        if (!record->history.n) continue;
        must(history_decode(record->history, arena, &history, &err) == ST_OK);
        const struct request *request = find_cause(world, history.actor);
        if (!request) continue;
        if (history.command == COMMAND_START) starts[request->op]++;
        if (history.command == COMMAND_FIRE || history.command == COMMAND_CANCEL) changes[request->op]++;
    }
    for (uint32_t op = 1; op <= count && !world->failed; op++) {
        struct request *request = network_find(world, op);
        size_t creates = 0;
        if (!starts[op] && !changes[op]) continue;
        for (size_t i = 0; i < request->item_count; i++) creates += request->item[i].action == ENTITY_CREATE;
        size_t others = request->item_count - creates;
        uint32_t times = creates ? starts[op] / (uint32_t)creates : changes[op] / (uint32_t)others;
        if (starts[op] != times * creates || changes[op] != times * others)
            violated(world, "op %u writes %zu entities; %u were created and %u changed in one transaction",
                     op, request->item_count, starts[op], changes[op]);
        request->effects += times;
        if (request->key.n && request->effects > 1)
            violated(world, "op %u took effect twice under its key", op);
    }
}

static bool has_had_mark(const struct seen_entity *entity, str transaction)
{
    for (size_t i = 0; i < entity->marks.count; i++)
        if (str_equal(entity->marks.item[i], transaction)) return true;
    return false;
}

/* The entity for which the processor works changes in the same transaction. The next write may change it once
 * more there. What has joined may commit a part early: then the call whose transaction it is may have
 * happened and fail. */
static void check_companion(struct world *world, const struct journal *journal,
                            const struct journal_record *record, const struct request *request)
{
    const struct seen_entity *own = find_entity(world, record->instance),
                             *outer = find_entity(world, request->id.instance);
    struct request *whole = find_cause(world, mark(own->state, ENTITY_TRANSACTION));
    bool together = false;
    if (whole) whole->commits_early = true;
    for (size_t i = 0; i < journal->records.count; i++)
        together |= journal->records.item[i].instance == request->id.instance &&
                    journal->records.item[i].history.n > 0;
    if (!together)
        violated(world, "op %u is committed without entity %" PRIu64 ", whose transaction it joined",
                 request->op, request->id.instance);
    else if (!has_had_mark(outer, mark(own->state, ENTITY_TRANSACTION)))
        violated(world, "op %u joined transaction %.*s and has %.*s", request->op,
                 STR_ARG(mark(outer->state, ENTITY_TRANSACTION)),
                 STR_ARG(mark(own->state, ENTITY_TRANSACTION)));
}

/* The job has come to its end: all that was acknowledged under its token is there. */
static void check_none_is_lost(struct world *world, uint64_t instance, uint32_t job)
{
    for (uint32_t op = 1; op <= network_count(world) && !world->failed; op++) {
        const struct request *request = network_find(world, op);
        if (request->unit && request->unit_server == world->server &&
            request->unit_generation == world->server->generation && request->id.instance == instance &&
            request->id.number == job && !request->effects)
            violated(world,
                     "op %u was acknowledged, and the transaction that it joined is committed without it",
                     op);
    }
}

/* (12) */
static void check_joined(struct world *world, const struct journal *journal)
{
    struct arena *arena = &self(world)->arena;
    for (size_t i = 0; i < journal->records.count && !world->failed; i++) {
        const struct journal_record *record = &journal->records.item[i];
        struct history history;
        struct error err;
        if (!record->history.n) continue;
        must(history_decode(record->history, arena, &history, &err) == ST_OK);
        const struct request *request = find_cause(world, history.actor);
        if (request && request->token.n) check_companion(world, journal, record, request);
        for (size_t k = 0; k < history.entry_count; k++)
            if (history.entry[k].kind == ENTRY_KIND_JOB_CLOSE && history.entry[k].verdict == JOB_DONE)
                check_none_is_lost(world, record->instance, history.entry[k].job);
    }
}

static void see_version(struct world *world, const struct definition_row *row)
{
    struct arena *arena = &self(world)->arena;
    struct problems problems;
    struct seen_version version = { .number = row->number };
    problems_init(&problems, arena);
    str source = arena_str(arena, row->source);
    must(json_parse(source, NULL, arena, &version.document, NULL) == ST_OK);
    version.program = source_compile(source, SOURCE_JSON, SIZE_MAX, &problems, NULL);
    must(version.program);
    trace(world, "commit: version %d, number %" PRId64, row->version, row->number);
    *list_push(arena, &self(world)->versions) = version;
}

void entity_committed(struct world *world, const struct journal *journal)
{
    self(world)->commit_count++;
    for (size_t i = 0; i < journal->records.count && !world->failed; i++) {
        const struct journal_record *record = &journal->records.item[i];
        if (record->definition) see_version(world, record->definition);
        if (record->definition || !record->instance) continue;
        trace_bytes(world, record->history);
        trace_bytes(world, record->state);
        if (record->history.n) follow(world, record);
        if (record->state.n && !world->failed) check_stored(world, record);
    }
    if (!world->failed) check_whole(world, journal);
    if (!world->failed) check_joined(world, journal);
}

/* ---- answers ---- */

/* Nobody is told of a success before the processors of the write have succeeded. */
static void check_rest(struct world *world, const struct request *request, const struct call *call)
{
    for (size_t i = 0; i < call->as.entities.count && !call->replayed; i++) {
        int64_t ms;
        uint64_t id;
        if (!uuid_instance(call->as.entities.item[i].id, &ms, &id)) continue;
        if (!runs_may_be_acknowledged(&self(world)->run_checker, id, request->worker))
            violated(world,
                     "op %u is acknowledged, and its processor of entity %" PRIu64 " has not succeeded",
                     request->op, id);
    }
}

static const void *unit_of(const struct server *server, const struct request *request)
{
    return map_get(&server->engine.transact.units.by_instance, request->id.instance);
}

/* The unit is gone, with an engine or by itself. The next one may have a job of the same number, and in
 * another engine the same address. */
static void leave_units(struct world *world)
{
    for (uint32_t op = 1; op <= network_count(world); op++) {
        struct request *request = network_find(world, op);
        const struct server *server = request->unit_server;
        if (request->unit && (!server->up || server->generation != request->unit_generation ||
                              unit_of(server, request) != request->unit))
            request->unit = NULL;
    }
}

static void check_written(struct world *world, struct request *request, const struct call *call)
{
    if (request->token.n) { /* It is acknowledged before it is committed. */
        request->ok_count += call->status == ST_OK;
        if (call->status == ST_OK) {
            request->unit = unit_of(world->server, request);
            request->unit_server = world->server;
            request->unit_generation = world->server->generation;
        }
        request->unknown_count += call->status == ST_STORE || call->status == ST_DRAINING;
        return;
    }
    if (call->status == ST_OK) check_rest(world, request, call);
    if (call->status == ST_OK) {
        if (!call->replayed) request->ok_count++;
        if (request->effects < request->ok_count || !request->effects)
            violated(world, "op %u was acknowledged and has not happened", request->op);
        struct buf ids;
        buf_init(&ids, &world->arena);
        for (size_t i = 0; i < call->as.entities.count; i++) {
            char text[UUID_CHARS + 1];
            uuid_print(call->as.entities.item[i].id, text);
            buf_add_str(&ids, str_of(text));
        }
        if (!request->answer.n) request->answer = buf_str(&ids);
        else if (request->key.n && !str_equal(request->answer, buf_str(&ids)))
            violated(world, "op %u has two answers under one key", request->op);
    } else if (call->status == ST_STORE || call->status == ST_DRAINING) {
        request->unknown_count++;
    }
}

static void check_read(struct world *world, const struct request *request, const struct call *call)
{
    int64_t ms;
    uint64_t id;
    must(uuid_instance(request->item->id, &ms, &id));
    const struct seen_entity *entity = find_entity(world, id);
    bool lives = entity && entity->state->status != INSTANCE_CANCELLED;
    if (call->status == ST_NOT_FOUND && lives)
        violated(world, "op %u does not find entity %" PRIu64, request->op, id);
    if (call->status != ST_OK) return;
    const struct entity_view *view = call->value.entities.view;
    if (!lives || !json_equal(view->data, entity->state->data) ||
        !str_equal(json_string(json_get(view->carried, ENTITY_TRANSACTION)),
                   mark(entity->state, ENTITY_TRANSACTION)))
        violated(world, "op %u is shown another entity %" PRIu64 " than the one that is committed",
                 request->op, id);
}

/* (11) The engine answers a search from one committed state, which is this one. */
static void check_found(struct world *world, const struct request *request, const struct call *call)
{
    const struct answer_search *answer = &call->value.search;
    size_t wanted = 0;
    for (size_t i = 0; i < self(world)->entities.count; i++) {
        const struct seen_entity *entity = self(world)->entities.item[i];
        wanted += !instance_status_ended(entity->state->status) &&
                  entity_fits(request->after, entity->state->data, mark(entity->state, ENTITY_STATE));
    }
    for (size_t i = 0; i < answer->count && !world->failed; i++) {
        int64_t ms;
        uint64_t id;
        must(uuid_instance(answer->view[i].id, &ms, &id));
        const struct seen_entity *entity = find_entity(world, id);
        if (!entity || instance_status_ended(entity->state->status) ||
            !entity_fits(request->after, entity->state->data, mark(entity->state, ENTITY_STATE)))
            violated(world, "op %u finds entity %" PRIu64 ", which does not fit", request->op, id);
        for (size_t k = 0; k < i; k++)
            if (uuid_equal(answer->view[i].id, answer->view[k].id))
                violated(world, "op %u finds entity %" PRIu64 " twice", request->op, id);
    }
    if (!world->failed && answer->count != wanted)
        violated(world, "op %u finds %zu entities, and %zu fit", request->op, answer->count, wanted);
}

/* (11) */
static void found_wrong(void *context, const char *sentence) { violated(context, "rows: %s", sentence); }

static void check_rows(struct world *world)
{
    struct error err;
    if (entity_check_rows(world->durable, found_wrong, world, &err) != ST_OK)
        violated(world, "rows: %s", err.message);
}

/* (10) A job of a task that does not hold leaves when what comes before it is committed. Another node may
 * have closed it since, as with other families. */
static void check_polled(struct world *world, const struct call *call)
{
    for (size_t i = 0; i < call->value.jobs.count && !world->failed; i++) {
        const struct job_view *job = &call->value.jobs.view[i];
        const struct seen_entity *entity = find_entity(world, job->instance);
        bool in_transaction = json_bool(json_get(job->config, STR("inTransaction")));
        bool committed = entity && instance_find_job(entity->state, job->number);
        if (world_is_shared(world)) committed |= entity && job->number < entity->state->next_number;
        if (!in_transaction && !committed)
            violated(world, "job %u of entity %" PRIu64 " leaves before its cause is committed", job->number,
                     job->instance);
    }
}

void entity_answered(struct world *world, struct copy *copy)
{
    struct request *request = copy->request;
    const struct call *call = copy->call;
    trace(world, "answer: op %u %s%s%s", request->op, status_word(call->status),
          call->status == ST_OK ? "" : ": ", call->status == ST_OK ? "" : call->error.message);
    if (call->status == ST_INTERNAL) violated(world, "op %u: %s", request->op, call->error.message);
    if (request->kind == CALL_WRITE_ENTITIES) check_written(world, request, call);
    /* A node that stopped in its turn shows how it was before. */
    bool stopped = world->server->paused_ms >= world->server->turn_began_ms;
    if (request->kind == CALL_GET_ENTITY && !stopped) check_read(world, request, call);
    if (request->kind == CALL_SEARCH && call->status == ST_OK && !stopped) check_found(world, request, call);
    if (request->kind == CALL_POLL_JOBS && call->status == ST_OK) check_polled(world, call);
    if (request->kind == CALL_DEPLOY && call->status == ST_INVALID)
        violated(world, "op %u: a document was refused: %s", request->op, call->error.message);
}

/* ---- (4) units ---- */

static bool is_inside(const struct world *world, const struct call *call)
{
    for (size_t i = 0; i < world->inside.count; i++)
        if (world->inside.item[i]->call == call) return true;
    return false;
}

void entity_turned(struct world *world)
{
    leave_units(world);
    const struct engine *engine = &world->server->engine;
    size_t count = 0;
    if (!world->failed && self(world)->commit_count >= self(world)->rows_checked + COMMITS_BETWEEN_CHECKS) {
        self(world)->rows_checked = self(world)->commit_count;
        check_rows(world);
    }
    for (const struct unit *unit = engine->transact.units.first; unit && !world->failed;
         unit = unit->after, count++) {
        bool holds = false;
        for (size_t i = 0; i < unit->member_count; i++) {
            const struct unit_member *member = &unit->member[i];
            const struct seen_entity *entity = find_entity(world, member->instance);
            holds |= member->holds;
            /* Another node may do so; the unit finds out when it is written. */
            if ((entity ? entity->revision : 0) != member->base && !world_is_shared(world))
                violated(world, "entity %" PRIu64 " was changed while a unit waits", member->instance);
            if (map_get(&engine->transact.units.by_instance, member->instance) != unit)
                violated(world, "entity %" PRIu64 " is in two units", member->instance);
        }
        if (!holds) violated(world, "a unit waits for nothing");
        if (unit->call && !is_inside(world, unit->call))
            violated(world, "a unit has a call that was answered");
    }
    if (count != engine->transact.units.count && !world->failed) violated(world, "the units are miscounted");
}

/* ---- the end ---- */

static bool has_rest(const struct seen_entity *entity)
{
    return entity->state->status == INSTANCE_CANCELLED ||
           (!entity->state->job_count && !entity->state->timer_count);
}

bool entity_all_done(struct world *world)
{
    if (!server_all_up(world) || !network_idle(world)) return false;
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->node[i]->engine.transact.units.count) return false;
    for (size_t i = 0; i < self(world)->entities.count; i++)
        if (!has_rest(self(world)->entities.item[i])) return false;
    return true;
}

void entity_not_done(struct world *world)
{
    for (size_t i = 0; i < self(world)->entities.count; i++) {
        const struct seen_entity *entity = self(world)->entities.item[i];
        if (!has_rest(entity))
            violated(world, "entity %" PRIu64 " still has %zu jobs and %zu timers", entity->id,
                     entity->state->job_count, entity->state->timer_count);
    }
    network_not_idle(world);
    violated(world, "%s",
             server_all_up(world) ? "requests are never answered" : "the server does not come back");
}

void entity_end(struct world *world)
{
    for (uint32_t op = 1; op <= network_count(world) && !world->failed; op++) {
        const struct request *request = network_find(world, op);
        if (request->kind != CALL_WRITE_ENTITIES || request->commits_early) continue;
        if (request->effects > request->ok_count + request->unknown_count)
            violated(world,
                     "op %u happened %u times; %u copies were acknowledged and %u have an unknown fate", op,
                     request->effects, request->ok_count, request->unknown_count);
    }
    if (!world->failed) check_rows(world);
    for (uint32_t i = 0; i < world->node_count; i++) {
        const struct engine *engine = &world->node[i]->engine;
        /* A node may not have heard yet that another one has closed a job. */
        if (engine->memory.jobs.ready_count + engine->memory.jobs.leased_count && !world_is_shared(world))
            violated(world, "jobs are left in the queues of an engine that has nothing to do");
        if (engine->transact.units.runs.count) violated(world, "a run waits for an entity at rest");
    }
}
