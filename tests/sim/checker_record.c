/* tests/sim/checker_record.c — who caused a history record, and is it complete? */
#include "record.h"

#include "server.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- causes ---- */

/* The number in "op-17", or 0. */
static uint32_t op_of(str text)
{
    int64_t number;
    if (!str_starts(text, STR("op-")) || !str_to_int64(str_slice(text, 3, text.n), &number)) return 0;
    return (uint32_t)number;
}

const struct entry *record_find(const struct history *history, enum entry_kind kind)
{
    for (size_t i = 0; i < history->entry_count; i++)
        if (history->entry[i].kind == kind) return &history->entry[i];
    return NULL;
}

static struct job_report *report_of(struct request *request, uint32_t op)
{
    for (size_t i = 0; request && i < request->report_count; i++)
        if (request->report[i].op == op) return &request->report[i];
    return NULL;
}

/* A report without data leaves no name, and in a flow none does: any that is in the engine and fits
 * will do. */
static void find_silent_report(struct record *record, uint32_t job)
{
    bool flow = record->instance->spec->program != NULL;
    for (uint32_t op = 1; op <= network_count(record->world); op++) {
        struct request *request = network_find(record->world, op);
        struct job_report *report = report_of(request, op);
        if (!report || (report->data && !flow) || report->fails || !request->inside_count ||
            request->kind == CALL_EXTEND_JOB || request->intrudes)
            continue;
        if (report->id.instance != record->instance->id || report->id.number != job) continue;
        if (!str_equal(request->worker, record->history->actor)) continue;
        record->unsure |= record->report != NULL;
        if (record->report && record->report->effects <= report->effects) continue;
        record->request = request;
        record->report = report;
    }
}

/* Did the job fail because its result was refused? That is a completion without data, which is the only one
 * that violates a schema. */
static bool is_refusal(const struct entry *closed)
{
    return str_starts(closed->text, STR("the result was refused: "));
}

/* A worker's report is found by the change it made. */
static void find_report(struct record *record)
{
    const struct entry *closed = record_find(record->history, ENTRY_KIND_JOB_CLOSE);
    const struct entry *data = record_find(record->history, ENTRY_KIND_DATA);
    if (!closed) {
        bad(record, "a report that closes no job");
        return;
    }
    int64_t named = 0;
    if (record->history->command == COMMAND_FAIL_JOB) named = op_of(closed->text);
    else if (data && !record->instance->spec->program && json_get(data->json, STR("op")))
        json_int64(json_get(data->json, STR("op")), &named);
    record->request = network_find(record->world, (uint32_t)named);
    record->report = report_of(record->request, (uint32_t)named);
    if (!record->report || record->report->id.instance != record->instance->id ||
        record->report->id.number != closed->number) {
        record->request = NULL;
        record->report = NULL;
        if (record->history->command == COMMAND_COMPLETE_JOB || is_refusal(closed))
            find_silent_report(record, closed->number);
    }
    const struct model_job *job = model_job(record->instance, closed->number);
    if (!record->report) bad(record, "nobody reported on job %u", closed->number);
    else if (!job || record->report->id.ms != job->created_ms) bad(record, "another job was meant");
    else if (!str_equal(record->request->worker, record->history->actor))
        bad(record, "another worker reported");
    else if (record->request->intrudes)
        bad(record, "job %u is the engine's own, and somebody else reported on it", closed->number);
}

static void count_effect(struct record *record)
{
    struct request *request = record->request;
    if (!request) return;
    uint32_t *effects = record->report ? &record->report->effects : &request->effects;
    ++*effects;
    uint32_t most = request->ok_count + request->unknown_count + request->inside_count;
    if (!request->inside_count) bad(record, "op %u is not in the engine", request->op);
    if (*effects > (request->key.n ? 1 : most))
        bad(record, "op %u took effect %u times", request->op, *effects);
}

static enum call_kind asked_by(enum command_kind command)
{
    switch (command) {
    case COMMAND_START: return CALL_START;
    case COMMAND_COMPLETE_TASK: return CALL_COMPLETE_TASK;
    case COMMAND_SIGNAL: return CALL_SIGNAL;
    case COMMAND_CANCEL: return CALL_CANCEL;
    case COMMAND_MODIFY: return CALL_MODIFY;
    default: return CALL_RETRY;
    }
}

/* Is it something that the engine does because of something else? */
static bool follows(struct record *record)
{
    const struct history *history = record->history;
    str actor = history->actor;
    switch (history->command) {
    case COMMAND_GRANT:
    case COMMAND_FIRE_TIMER: return true;
    case COMMAND_EVENT: flow_got_event(record); return true;
    case COMMAND_COMPLETE_JOB:
    case COMMAND_FAIL_JOB:
        if (!str_equal(actor, STR("child"))) return false;
        family_reported(record);
        return true;
    case COMMAND_ARRIVE: arrive_updated(record); return true;
    case COMMAND_CANCEL:
        if (str_equal(actor, STR("trigger"))) {
            arrive_replaced(record);
            return true;
        }
        if (!str_equal(actor, STR("parent"))) return false;
        family_cancelled(record);
        return true;
    case COMMAND_START:
        record->instance->by_event = str_equal(actor, STR("event"));
        if (str_equal(actor, STR("parent"))) family_born(record);
        if (str_equal(actor, STR("schedule"))) checker_slot(record);
        if (record->instance->spec->graph && !str_equal(actor, STR("schedule"))) arrive_created(record);
        return record->arriving || record->instance->by_event || str_equal(actor, STR("parent")) ||
               str_equal(actor, STR("chain")) || str_equal(actor, STR("schedule"));
    default: return false;
    }
}

static void find_cause(struct record *record)
{
    const struct history *history = record->history;
    if (follows(record) || bulk_commanded(record)) return;
    switch (history->command) {
    case COMMAND_COMPLETE_JOB:
    case COMMAND_FAIL_JOB: find_report(record); break;
    default:
        record->request = network_find(record->world, op_of(history->actor));
        if (!record->request || record->request->kind != asked_by(history->command))
            bad(record, "nobody asked for it");
        else if (history->command == COMMAND_SIGNAL && record->request->definition_id.n) {
            if (!str_equal(record->request->definition_id, record->instance->spec->id) ||
                !str_equal(record->request->business_key, record->instance->business_key))
                bad(record, "the instance with another business key was meant");
        } else if (history->command != COMMAND_START && record->request->id.instance != record->instance->id)
            bad(record, "another instance was meant");
        else if (history->command == COMMAND_CANCEL && !model_live(record->instance) &&
                 !record->request->failed_too)
            bad(record, "it had failed, and nobody gave it up");
    }
    if (record->world->failed) return;
    count_effect(record);
    if (history->command == COMMAND_SIGNAL && model_live(record->instance))
        record->released = model_waits(record->instance, record->request->node, TOKEN_SIGNAL);
    if (history->command == COMMAND_COMPLETE_TASK)
        record->released = record->request->id.number
                               ? record->request->id.number
                               : model_waits(record->instance, record->request->node, TOKEN_PERSON);
}

/* ---- starts ---- */

static void check_business_key(struct record *record)
{
    if (model_key_taken(record->checker, record->instance))
        bad(record, "another instance has its business key");
}

/* The end of another instance that asked for this one. */
static void find_parent(struct record *record)
{
    const struct entry *data = record_find(record->history, ENTRY_KIND_DATA);
    const struct json *given = data && !data->execution ? data->json : json_empty_object();
    for (size_t i = 0; i < record->checker->chains.count; i++) {
        struct model_chain *chain = &record->checker->chains.item[i];
        const struct entry *from = record_find(record->history, ENTRY_KIND_CHAINED);
        if (chain->started || !from || (uint64_t)from->time_ms != chain->parent ||
            !str_equal(chain->target, record->instance->spec->id) ||
            !str_equal(chain->business_key, record->instance->business_key) ||
            !json_equal(chain->data, given))
            continue;
        chain->started = true;
        const struct model_instance *parent = model_instance_of(record->checker, chain->parent);
        if (!parent->purged) chain->instance = record->instance->id;
        return;
    }
    bad(record, "no instance chains to it");
}

static void check_start(struct record *record)
{
    const struct spec *spec = record->instance->spec;
    const struct request *request = record->request;
    const struct spec *latest = model_latest(record->checker, spec->id);
    if (model_is_retired(record->checker, spec->id)) bad(record, "its definition is retired");
    if (!request) {
        if (spec != latest && !record->arriving)
            bad(record, "it is of version %d, the latest is %d", spec->version, latest->version);
        if (str_equal(record->history->actor, STR("chain"))) find_parent(record);
        if (str_equal(record->history->actor, STR("event")) && !spec->flow) bad(record, "an event starts it");
    } else {
        if (!str_equal(request->definition_id, spec->id)) bad(record, "another definition was meant");
        if (request->version > 0 ? spec->version != request->version : spec != latest)
            bad(record, "it is of version %d, the latest is %d", spec->version, latest->version);
        if (!str_equal(request->business_key, record->instance->business_key))
            bad(record, "it has another business key");
        if (!spec_accepts(spec, request->data)) bad(record, "its variables violate the schema");
    }
    if (!arrive_replaces(record)) check_business_key(record);
}

static const struct spec *spec_of(const struct checker *checker, int64_t number)
{
    for (size_t i = 0; i < checker->specs.count; i++)
        if (checker->specs.item[i]->number == number && !checker->specs.item[i]->is_gone)
            return checker->specs.item[i];
    return NULL;
}

static struct model_instance *new_instance(struct world *world, const struct journal_record *from,
                                           int64_t at_ms)
{
    struct checker *checker = world->checker;
    const struct spec *spec = spec_of(checker, from->definition_number);
    size_t count = checker->instances.count;
    if (!spec) violated(world, "instance %" PRIu64 " is of a definition that is not there", from->instance);
    else if (model_instance_of(checker, from->instance) ||
             (!world_is_shared(world) && count && checker->instances.item[count - 1]->id >= from->instance))
        violated(world, "the id %" PRIu64 " was used before", from->instance);
    if (world->failed) return NULL;
    struct model_instance *instance = arena_make(&checker->arena, struct model_instance);
    instance->id = from->instance;
    instance->spec = spec;
    instance->business_key = arena_str(&checker->arena, from->business_key);
    instance->created_ms = at_ms;
    instance->started_commit = checker->commit_count;
    instance->data = json_empty_object();
    list_push(&checker->arena, &checker->instances);
    /* Ids ascend on each node. */
    struct model_instance **item = checker->instances.item;
    for (; count && item[count - 1]->id > instance->id; count--) item[count] = item[count - 1];
    item[count] = instance;
    return instance;
}

/* ---- the end of a record ---- */

/* In a live instance nothing may have been left half done. */
static void check_live(struct record *record)
{
    const struct model_instance *instance = record->instance;
    bool waits = false;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        const struct spec_step *step = &instance->spec->step[token->step];
        waits |= token->state == TOKEN_SIGNAL || token->state == TOKEN_PERSON;
        if (token->state == TOKEN_READY || token->state == TOKEN_FAILED)
            bad(record, "it stands still at \"%.*s\"", STR_ARG(step->id));
        if (model_jobs_of(instance, token->execution) != (token->state == TOKEN_JOB))
            bad(record, "\"%.*s\" has %zu open jobs", STR_ARG(step->id),
                model_jobs_of(instance, token->execution));
    }
    if ((instance->status == INSTANCE_WAITING) != waits)
        bad(record, "its status is %s", instance_status_word(instance->status));
    for (size_t i = 0; i < record->silenced.count; i++)
        if (model_token(instance, record->silenced.item[i])) bad(record, "a timer was dropped");
    for (size_t i = 0; i < instance->scopes.count; i++) {
        const struct model_scope *scope = &instance->scopes.item[i];
        size_t moving, arrived = model_arrived(instance, scope->number, &moving), present = 0;
        for (size_t k = 0; k < instance->tokens.count; k++)
            present += instance->tokens.item[k].scope == scope->number;
        if (!present) bad(record, "a scope is open with nobody in it");
        if (!moving && arrived >= instance->spec->step[scope->fork].parallel_count)
            bad(record, "all %zu branches have arrived and the join is closed", arrived);
    }
}

static void check_status(struct record *record)
{
    const struct model_instance *instance = record->instance;
    switch (instance->status) {
    case INSTANCE_ACTIVE:
    case INSTANCE_WAITING:
        if (record->failed) bad(record, "a step failed and the instance goes on");
        check_live(record);
        break;
    case INSTANCE_COMPLETED:
    case INSTANCE_CANCELLED:
        if (instance->jobs.count || instance->timers.count) bad(record, "it has ended with work open");
        break;
    case INSTANCE_FAILED:
        if (!record->failed && record->history->command != COMMAND_SIGNAL &&
            record->history->command != COMMAND_MIGRATE)
            bad(record, "it failed and nothing in it did");
        break;
    case INSTANCE_STATUS_COUNT: bad(record, "it has no status"); break;
    }
    record_check_mail(record);
    const struct spec_step *end = record->end == STEP_NONE ? NULL : &instance->spec->step[record->end];
    bool chains = end && (end->successor || (end->chains && instance->spec->next_definition.n));
    if (record->end != STEP_NONE && instance->status != INSTANCE_COMPLETED)
        bad(record, "an END was reached and it goes on");
    if (record->chain_count != (chains ? 1 : 0)) bad(record, "it chains %zu times", record->chain_count);
}

static void check_timer_effect(struct record *record)
{
    const struct model_token *token = model_token(record->instance, record->fired);
    if (!record->fired) bad(record, "no timer fired");
    else if ((token != NULL) == record->timer->interrupting)
        bad(record, "the timer did %sinterrupt", token ? "not " : "");
}

static void check_command(struct record *record)
{
    const struct json *sent = record->report    ? record->report->data
                              : record->request ? record->request->data
                                                : NULL;
    if (sent && json_count(sent) && record->data_count != 1 && record->history->command != COMMAND_FAIL_JOB &&
        record->history->command != COMMAND_CANCEL)
        bad(record, "what was sent with op %u is lost", record->request->op);
    switch (record->history->command) {
    case COMMAND_FIRE_TIMER: check_timer_effect(record); break;
    case COMMAND_CANCEL:
        if (!record->cancelled) bad(record, "it was not cancelled");
        break;
    case COMMAND_RETRY:
    case COMMAND_MIGRATE:
        if (!record->forgot && (record->retries || record->history->command == COMMAND_RETRY))
            bad(record, "nothing was retried");
        break;
    default: break;
    }
    if (record->released) bad(record, "visit %u was finished and does not go on", record->released);
    if (record->job_failed) bad(record, "a job failed and nothing follows");
    for (size_t i = 0; i < record->passages.count; i++)
        if (!record->passages.item[i].done)
            bad(record, "a token left \"%.*s\" and was lost",
                STR_ARG(record->instance->spec->step[record->passages.item[i].step].id));
}

/* For reading a trace; no part of it. */
static void print_entry(const struct entry *entry)
{
    printf("%14s%-11s visit %u number %u scope %u from %u value %u %.*s %.*s\n", "", entry_word(entry->kind),
           entry->execution, entry->number, entry->scope, entry->from, entry->value, STR_ARG(entry->node),
           STR_ARG(entry->text));
}

/* True of commands that can reach a detached region of an ended instance. */
static bool is_of_region(enum command_kind command)
{
    return command == COMMAND_COMPLETE_JOB || command == COMMAND_FAIL_JOB || command == COMMAND_FIRE_TIMER;
}

/* True of commands that can reach a failed instance, a retry aside. */
static bool is_of_failed(enum command_kind command)
{
    return command == COMMAND_EVENT || command == COMMAND_SIGNAL || command == COMMAND_CANCEL ||
           command == COMMAND_MIGRATE;
}

void checker_history(struct world *world, const struct journal_record *from)
{
    struct checker *checker = world->checker;
    struct history history;
    struct error err;
    str blob = arena_str(&checker->arena, from->history);
    if (history_decode(blob, &checker->arena, &history, &err) != ST_OK) {
        violated(world, "instance %" PRIu64 ": a history row cannot be read: %s", from->instance,
                 err.message);
        return;
    }
    struct model_instance *instance =
        from->insert ? new_instance(world, from, history.at_ms) : model_instance_of(checker, from->instance);
    struct record record = {
        .world = world, .checker = checker, .instance = instance, .history = &history, .end = STEP_NONE
    };
    if (world->failed) return;
    enum instance_status status = instance ? instance->status : INSTANCE_STATUS_COUNT;
    if (instance) instance->changed_ms = world->now_ms;
    trace(world, "commit: instance %" PRIu64 " revision %u: %s by %.*s", from->instance, history.revision,
          core_command_word(history.command), STR_ARG(history.actor));
    if (!instance)
        violated(world, "instance %" PRIu64 " has a history and was never started", from->instance);
    else if (history.revision != instance->revision + 1 || from->insert != (history.command == COMMAND_START))
        bad(&record, "it comes after revision %u", instance->revision);
    else if (!model_live(instance) && history.command != COMMAND_RETRY && !from->insert &&
             !(instance->status == INSTANCE_FAILED && history.command == COMMAND_MODIFY) &&
             !(model_lingers(instance) && is_of_region(history.command)) &&
             !(instance->status == INSTANCE_FAILED && is_of_failed(history.command)))
        bad(&record, "it had ended");
    if (!world->failed) find_cause(&record);
    if (!world->failed && from->insert) check_start(&record);
    record.retries = history.command == COMMAND_MIGRATE && status == INSTANCE_FAILED && record.bulk_body &&
                     json_flag(record.bulk_body, STR("retry"));
    if (!world->failed && (history.command == COMMAND_RETRY || record.retries)) check_business_key(&record);
    if (!world->failed) modify_begin(&record);
    if (!world->failed && instance->spec->graph) graph_begin(&record);
    if (!model_live(instance) && history.command == COMMAND_MODIFY) instance->retried = true;
    for (size_t i = 0; i < history.entry_count && !world->failed; i++) {
        if (world->verbose) print_entry(&history.entry[i]);
        if (instance->spec->flow) flow_follow(&record, &history.entry[i]);
        else if (instance->spec->graph) graph_follow(&record, &history.entry[i]);
        else record_entry(&record, &history.entry[i]);
    }
    if (!world->failed) modify_end(&record);
    if (world->failed) return;
    if (instance->spec->flow) {
        flow_end(&record, from);
    } else if (instance->spec->graph) {
        graph_end(&record, from);
    } else {
        check_command(&record);
        check_status(&record);
    }
    if (history.command == COMMAND_RETRY || record.retries) instance->retried = true;
    if (from->insert || instance->status != status) {
        instance->status_ms = world->now_ms;
        instance->status_commit = checker->commit_count;
    }
    instance->revision++;
    *list_push(&checker->arena, &instance->records) = blob;
}
