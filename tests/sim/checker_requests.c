/* tests/sim/checker_requests.c — what a request must come to.
 *
 * What clients were told must have happened, exactly once; what they were refused must not have,
 * and must have deserved it; nobody holds what somebody else holds; nobody waits in vain.
 */
#include "access.h"
#include "entity.h"
#include "record.h"

#include "server.h"

#include <inttypes.h>

enum {
    ANSWER_MS_MAX = 5000,
    READ_AGAIN_MS = 2000,
    HEARTBEAT_MS_MAX = 1000, /* So long may it take a node to look for jobs that others have offered. */
    NODES_MS_MAX = 4000,     /* So long may it take one node to hear of what another one has done. */
};

/* ---- requests ---- */

/* Is an early signal for this step one that has to wait? */
static bool keeps_signal(const struct model_instance *instance, str node)
{
    size_t step = instance->spec->flow ? STEP_NONE : spec_find(instance->spec, node);
    if (step == STEP_NONE || instance->spec->step[step].type != WAIT) return false;
    return instance->status == INSTANCE_FAILED ||
           (model_live(instance) && !model_waits(instance, node, TOKEN_SIGNAL));
}

static uint32_t failed_token(const struct model_instance *instance)
{
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].state == TOKEN_FAILED) return instance->tokens.item[i].execution;
    return 0;
}

/* A parent that waited for it and failed with it starts another child when it is retried. */
static bool parent_failed_too(const struct checker *checker, const struct model_instance *instance)
{
    for (size_t i = 0; i < checker->children.count; i++) {
        const struct model_child *child = &checker->children.item[i];
        if (child->instance != instance->id || !child->awaited) continue;
        const struct model_instance *parent = model_instance_of(checker, child->parent);
        return !parent->purged && parent->status == INSTANCE_FAILED && !model_job(parent, child->job);
    }
    return false;
}

/* Can the step be left with what was sent? What nobody can tell counts as no. */
static bool can_be_left(const struct checker *checker, const struct model_instance *instance,
                        uint32_t execution, const struct json *sent)
{
    const struct model_token *token = model_token(instance, execution);
    if (!token || instance->spec->program) return false;
    struct arena arena;
    arena_init(&arena, 0);
    const struct json *data = sent ? evaluate_merge(instance->data, sent, false, &arena) : instance->data;
    size_t to;
    enum way way = spec_way(instance->spec, &instance->spec->step[token->step], data, &arena, &to);
    arena_done(&arena);
    (void)checker;
    return way == WAY_TO || way == WAY_NOWHERE;
}

/* Can an instance be started like this? */
static bool can_start(struct checker *checker, const struct request *request)
{
    const struct spec *spec = model_version(checker, request->definition_id, request->version);
    if (!spec || model_is_retired(checker, spec->id) || !spec_accepts(spec, request->data)) return false;
    if (spec->graph) return model_has_trigger(checker, request); /* Its record tells the rest. */
    struct model_instance one = { .spec = spec, .business_key = request->business_key };
    return !model_key_taken(checker, &one);
}

/* Who waits for this call, so that a refusal can be judged. */
static uint32_t who_waits(const struct world *world, const struct request *request)
{
    if (request->kind == CALL_START) return can_start(world->checker, request);
    const struct model_instance *instance = model_instance_of(world->checker, request->id.instance);
    if (!instance || instance->purged) return 0;
    if (request->id.number) { /* A task by its own id. */
        const struct model_token *token =
            model_live(instance) ? model_token(instance, request->id.number) : NULL;
        return token && token->state == TOKEN_PERSON ? token->execution : 0;
    }
    if (instance->created_ms != request->id.ms) return 0;
    switch (request->kind) {
    case CALL_SIGNAL:
        if (request->early && keeps_signal(instance, request->node)) return UINT32_MAX;
        return model_live(instance) ? model_waits(instance, request->node, TOKEN_SIGNAL) : 0;
    case CALL_COMPLETE_TASK:
        return model_live(instance) ? model_waits(instance, request->node, TOKEN_PERSON) : 0;
    case CALL_RETRY:
        if (instance->status != INSTANCE_FAILED || model_key_taken(world->checker, instance) ||
            instance->undoing)
            return 0;
        if (!request->alone && parent_failed_too(world->checker, instance)) return 0;
        return request->node.n ? model_waits(instance, request->node, TOKEN_FAILED) : failed_token(instance);
    case CALL_CANCEL:
        return model_live(instance) || (request->failed_too && instance->status == INSTANCE_FAILED) ? 1 : 0;
    case CALL_MODIFY: return modify_is_allowed(world->checker, instance, request, &(struct modify_plan){ 0 });
    default: return 0;
    }
}

static struct model_job *open_job(const struct world *world, struct id id)
{
    const struct model_instance *instance = model_instance_of(world->checker, id.instance);
    struct model_job *job = instance ? model_job(instance, id.number) : NULL;
    return job && model_reaches(instance, job->execution) ? job : NULL;
}

/* The job, if the worker holds it beyond doubt, so that a failure or an extension must count. While one node
 * is stopped in its turn, for which the clock was read once, another one ends the lease in time. */
static struct model_job *held_job(const struct world *world, const struct request *request,
                                  const struct job_report *report)
{
    struct model_job *job = request->intrudes ? NULL : open_job(world, report->id);
    int64_t now_ms = world_is_shared(world) ? world_wall_ms(world) : world->server->turn_wall_ms;
    if (!job || !server_lives(world, job->lease_generation) || !str_equal(job->worker, request->worker) ||
        job->delivery != report->id.delivery || job->expires_ms <= now_ms)
        return NULL;
    return job;
}

/* A completion must count if the job is open, whoever holds it and whichever delivery it is for. */
static void expect_report(const struct world *world, const struct request *request, struct job_report *report)
{
    const struct model_job *job =
        report->fails ? held_job(world, request, report) : open_job(world, report->id);
    report->counts = job && !request->intrudes;
    report->life = job ? job->life : 0;
}

void checker_before(struct world *world, struct copy *copy)
{
    copy->in_turn = true;
    if (world->entities || copy->request->strays) return;
    copy->commit_before = world->checker->commit_count;
    checker_events_sent(world, copy->request);
    checker_bulk_before(world, copy->request);
    copy->waited = copy->request->wrong ? 0 : who_waits(world, copy->request);
    const struct model_instance *instance = model_instance_of(world->checker, copy->request->id.instance);
    copy->leaves =
        copy->waited && instance && can_be_left(world->checker, instance, copy->waited, copy->request->data);
    for (size_t i = 0; i < copy->request->report_count; i++)
        expect_report(world, copy->request, &copy->request->report[i]);
}

/* Another instance of the same key may have begun and ended in the turn that refused the request. */
static bool key_was_taken(const struct world *world, const struct request *request,
                          const struct model_instance *instance)
{
    const struct checker *checker = world->checker;
    const struct spec *spec = instance ? instance->spec : model_latest(checker, request->definition_id);
    str key = instance ? instance->business_key : spec ? request->business_key : STR_NONE;
    for (size_t i = 0; i < checker->instances.count && key.n; i++) {
        const struct model_instance *other = checker->instances.item[i];
        if (other != instance && str_equal(other->spec->id, spec->id) &&
            str_equal(other->business_key, key) && other->changed_ms >= world->server->turn_began_ms)
            return true;
    }
    return false;
}

/* A request that changes one instance and was refused: should it have been? */
static void check_refusal(struct world *world, const struct copy *copy)
{
    const struct request *request = copy->request;
    enum status status = copy->call->status;
    const struct model_instance *instance = model_instance_of(world->checker, request->id.instance);
    /* The core's last check of a repair is a net: everything else must have refused it before, in plain
     * words. */
    if (status == ST_CONFLICT && strstr(copy->call->error.message, "this cannot be"))
        violated(world, "op %u: %s", request->op, copy->call->error.message);
    if (status != ST_NOT_FOUND && status != ST_CONFLICT && status != ST_INVALID) return;
    if (request->kind == CALL_START && checker_start_refused(copy->call)) return; /* Its record says why. */
    /* A flow's data need not be an object, and then nothing can be merged into it. */
    if (status == ST_INVALID && instance && instance->spec->program && request->data) return;
    /* What leads nowhere is refused, and may be sent again. */
    bool asks = request->kind == CALL_SIGNAL || request->kind == CALL_COMPLETE_TASK;
    if (status == ST_INVALID && asks && instance && copy->waited &&
        !(copy->leaves && can_be_left(world->checker, instance, copy->waited, request->data)))
        return;
    if (status == ST_CONFLICT && instance && instance->spec->flow && request->unset) return;
    if ((request->kind == CALL_START || request->kind == CALL_RETRY) &&
        key_was_taken(world, request, instance))
        return;
    /* It may have failed in this turn, and another node has retried it while ours was stopped. */
    if (world_is_shared(world) && instance && instance->changed_ms >= world->server->turn_began_ms) return;
    if (copy->waited && who_waits(world, request) == copy->waited)
        violated(world, "op %u was refused (%s) although it was waited for", request->op,
                 copy->call->error.message);
}

/* A report on a job is accepted, or too late. It must never be an error for the worker, unless its
 * data is wrong or the instance was purged. */
static void check_report(struct world *world, const struct request *request, const struct job_report *report,
                         enum status status, const char *message)
{
    const struct model_instance *instance = model_instance_of(world->checker, report->id.instance);
    const struct model_job *job = open_job(world, report->id);
    if (status == ST_OK) {
        bool counts = report->counts && (!report->fails || held_job(world, request, report));
        if (counts && job && job->life == report->life)
            violated(world, "the report op %u on a job was acknowledged and forgotten", report->op);
    } else if (status == ST_INVALID) {
        if (report->fails || report->data)
            violated(world, "the report op %u was refused: %s", report->op, message);
    } else if (status == ST_NOT_FOUND) {
        if (instance && !instance->purged && !request->intrudes)
            violated(world, "op %u: a job that was handed out is not known", report->op);
    } else if (!status_retry(status)) {
        violated(world, "the report op %u was refused with %s: %s", report->op, status_word(status), message);
    }
}

static void check_reports(struct world *world, const struct copy *copy)
{
    const struct call *call = copy->call;
    const struct request *request = copy->request;
    if (call->replayed) return;
    if (request->kind != CALL_BATCH) {
        check_report(world, request, &request->report[0], call->status, call->error.message);
    } else if (call->status == ST_OK) {
        for (size_t i = 0; i < request->report_count; i++)
            check_report(world, request, &request->report[i], call->as.batch.item[i].status,
                         call->as.batch.item[i].error.message);
    } else if (!status_retry(call->status)) {
        violated(world, "the batch op %u was refused: %s", request->op, call->error.message);
    }
}

/* ---- jobs that are handed out ---- */

static bool was_asked_for(const struct request *request, str type)
{
    for (size_t i = 0; i < request->type_count; i++)
        if (str_equal(request->type[i], type)) return true;
    return false;
}

/* Nodes hear late of jobs that others have closed: such a job may still be handed out for the first time. One
 * that somebody has had before is looked at in the turn that hands it out, so it was open when that began. */
static bool was_open(const struct world *world, const struct model_instance *instance,
                     const struct job_view *view)
{
    if (!world_is_shared(world) || !instance || view->number > instance->highest) return false;
    if (instance->changed_ms >= world->server->turn_began_ms)
        return true; /* The node may have been stopped. */
    if (view->delivery) return false;
    return !world->calm || world->now_ms < instance->changed_ms + NODES_MS_MAX;
}

/* Who has the job now. */
static void take_lease(const struct world *world, const struct request *request, const struct job_view *view,
                       struct model_job *job)
{
    if (world->server->fenced) return; /* The others know nothing of it. */
    if (!server_lives(world, job->lease_generation)) model_void_lease(job);
    job->lease_generation = world->server->generation;
    job->worker = request->worker;
    job->expires_ms = view->lock_expires_ms;
    job->delivery = view->delivery;
}

static void check_lease(struct world *world, const struct request *request, const struct job_view *view,
                        const struct model_job *job)
{
    int64_t now_ms = world->server->turn_wall_ms; /* The turn read the clock once, at its beginning. */
    if (world_is_shared(world))
        trace(world, "answer: job %" PRIu64 "/%u.%u to %.*s", view->instance, view->number, view->delivery,
              STR_ARG(request->worker));
    if (job->available_ms > now_ms)
        violated(world, "job %" PRIu64 "/%u was handed out before its time", view->instance, view->number);
    if (view->locked_ms != now_ms || view->lock_expires_ms <= view->locked_ms)
        violated(world, "job %" PRIu64 "/%u has a strange lease", view->instance, view->number);
    if (view->lock_expires_ms - view->locked_ms != (request->lease_ms ? request->lease_ms : 30000))
        violated(world, "job %" PRIu64 "/%u is not leased for as long as was asked", view->instance,
                 view->number);
    if (!server_lives(world, job->lease_generation) || world->server->fenced) return;
    /* A node may have been stopped in the middle of the turn, and the lease ran out meanwhile. */
    if (job->expires_ms > view->locked_ms && job->expires_ms > world_wall_ms(world))
        violated(world, "job %" PRIu64 "/%u is held by %.*s and was given to %.*s", view->instance,
                 view->number, STR_ARG(job->worker), STR_ARG(request->worker));
    if (job->delivery == view->delivery)
        violated(world, "job %" PRIu64 "/%u was handed out again under its old id", view->instance,
                 view->number);
}

static void check_handed_out(struct world *world, const struct request *request, const struct job_view *view)
{
    struct model_instance *instance = model_instance_of(world->checker, view->instance);
    struct model_job *job = instance ? model_job(instance, view->number) : NULL;
    if ((!job || !model_reaches(instance, job->execution)) && was_open(world, instance, view)) return;
    if (!job || !model_reaches(instance, job->execution)) {
        violated(world, "op %u was given job %" PRIu64 "/%u, which is not open", request->op, view->instance,
                 view->number);
        return;
    }
    str place = model_place(instance, model_token(instance, job->execution));
    if (!was_asked_for(request, model_queue(job)) || !str_equal(view->type, job->type) ||
        view->performer != job->performer)
        violated(world, "op %u was given a job of another type", request->op);
    if (!str_equal(view->node, place) || view->execution != job->execution || view->attempt != job->attempt ||
        view->retries_left != job->retries_left || view->created_ms != job->created_ms)
        violated(world, "job %" PRIu64 "/%u is not shown as it is", view->instance, view->number);
    if (!json_equal(view->data, job->payload))
        violated(world, "job %" PRIu64 "/%u has other data than it was opened with", view->instance,
                 view->number);
    check_lease(world, request, view, job);
    take_lease(world, request, view, job);
}

static void check_poll(struct world *world, const struct copy *copy)
{
    const struct call *call = copy->call;
    const struct request *request = copy->request;
    if (request->type_count && performer_queue_is_reserved(request->type[0]) && !request->performs &&
        call->status == ST_OK)
        violated(world, "op %u asks for what the engine does itself, and may", request->op);
    if (call->abandoned && call->value.jobs.count)
        violated(world, "op %u was given jobs and nobody waits for them", request->op);
    if (call->value.jobs.count > request->max)
        violated(world, "op %u was given more jobs than it asked for", request->op);
    for (size_t i = 0; i < call->value.jobs.count && !world->failed; i++)
        check_handed_out(world, request, &call->value.jobs.view[i]);
}

static void check_extend(struct world *world, const struct copy *copy)
{
    const struct call *call = copy->call;
    struct model_job *held = held_job(world, copy->request, &copy->request->report[0]);
    bool extended = call->status == ST_OK && call->value.jobs.count;
    int64_t until_ms = world->server->turn_wall_ms + copy->request->lease_ms;
    /* Another node knows only the delivery. */
    if (extended && !held && world_is_shared(world)) {
        struct model_job *job = open_job(world, copy->request->report[0].id);
        if (job && job->delivery == copy->request->report[0].id.delivery) held = job;
        else return;
    }
    if ((call->status == ST_CONFLICT || call->status == ST_OK) && held && !extended)
        violated(world, "op %u could not extend a lease that its worker holds", copy->request->op);
    if (!extended) return;
    if (!held) violated(world, "op %u extended a lease that its worker does not hold", copy->request->op);
    else if (call->value.jobs.view->lock_expires_ms != until_ms)
        violated(world, "op %u did not extend its lease", copy->request->op);
    else held->expires_ms = call->value.jobs.view->lock_expires_ms;
}

/* An extension may end a lease sooner than it was. The others go by that at once. */
void checker_prolonged(struct world *world, const struct job_row *row)
{
    struct model_job *job = open_job(world, (struct id){ .instance = row->instance, .number = row->number });
    if (job && job->delivery == row->delivery && row->lease_ms < job->expires_ms)
        job->expires_ms = row->lease_ms;
}

/* The clock may be set back afterwards: then the job waits until it is that late again. */
void checker_offered(struct world *world, const struct job_row *row, size_t count)
{
    if (world->entities) return;
    for (size_t i = 0; i < count; i++) {
        struct model_job *job =
            open_job(world, (struct id){ .instance = row[i].instance, .number = row[i].number });
        if (job) job->offered_ms = row[i].available_ms;
    }
}

/* ---- answers ---- */

static bool writes(enum call_kind kind)
{
    switch (kind) {
    case CALL_DEPLOY:
    case CALL_START:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_CANCEL:
    case CALL_BULK:
    case CALL_MODIFY:
    case CALL_RETRY: return true;
    default: return false;
    }
}

static bool reports(enum call_kind kind)
{
    return kind == CALL_COMPLETE_JOB || kind == CALL_FAIL_JOB || kind == CALL_BATCH;
}

/* Is the request answered with one instance? */
static bool tells_of_instance(enum call_kind kind)
{
    switch (kind) {
    case CALL_START:
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_CANCEL:
    case CALL_MODIFY:
    case CALL_RETRY: return true;
    default: return false;
    }
}

/* What the first answer under a key and all later ones have in common. A START that waited shows how its
 * instance went on, and jobs come with the first answer alone. */
static void print_answer(const struct call *call, struct buf *out)
{
    buf_printf(out, "call %d", (int)call->kind);
    if (call->kind == CALL_DEPLOY) buf_printf(out, " version %d", call->value.definitions.row->version);
    if (call->kind == CALL_BULK) buf_printf(out, " bulk %" PRId64, call->value.bulks.view->row.number);
    if (tells_of_instance(call->kind)) {
        const struct answer_instances *answer = &call->value.instances;
        if (answer->arrival) buf_printf(out, " arrival %d", (int)answer->arrival->outcome);
        buf_printf(out, " instance %" PRIu64, answer->view ? answer->view->id : 0);
        if (call->kind != CALL_START)
            buf_printf(out, " revision %u status %d", answer->view->revision, (int)answer->view->status);
        buf_printf(out, " kept %d tokens %zu %zu", answer->kept, answer->token_before_count,
                   answer->token_count);
    }
    for (size_t i = 0; call->kind == CALL_BATCH && i < call->as.batch.item_count; i++)
        buf_printf(out, " item %d %s", (int)call->as.batch.item[i].status,
                   call->as.batch.item[i].error.message);
    for (size_t i = 0; call->kind == CALL_EVENTS && i < call->as.events.event_count; i++)
        buf_printf(out, " event %d %zu", (int)call->as.events.event[i].outcome,
                   call->as.events.event[i].instance_total);
}

/* Under a key the first answer is the only one. */
static void check_key(struct world *world, struct request *request, const struct call *call)
{
    struct buf answer;
    buf_init(&answer, &world->checker->arena);
    print_answer(call, &answer);
    if (call->replayed) {
        if (!request->ok_count && !request->unknown_count && request->inside_count < 2)
            violated(world, "op %u was answered from memory before it was done", request->op);
        if (request->answer.n && !str_equal(request->answer, buf_str(&answer)))
            violated(world, "op %u was answered differently the second time", request->op);
        return;
    }
    if (request->ok_count > 1)
        violated(world, "op %u has a key and was done %u times", request->op, request->ok_count);
    request->answer = buf_str(&answer);
}

static void check_view(struct world *world, const struct request *request, const struct instance_view *view)
{
    const struct model_instance *instance = model_instance_of(world->checker, view->id);
    if (!instance || instance->created_ms != view->created_ms || view->revision > instance->revision)
        violated(world, "op %u was answered with an instance that is not there", request->op);
    else if (request->id.instance && view->id != request->id.instance)
        violated(world, "op %u was answered with another instance", request->op);
}

static void check_success(struct world *world, struct request *request, const struct call *call)
{
    if (!call->replayed) request->ok_count++;
    if (request->key.n) check_key(world, request, call);
    if (tells_of_instance(request->kind) && !call->replayed && call->value.instances.view)
        check_view(world, request, call->value.instances.view);
    if (request->kind == CALL_DEPLOY && !call->replayed) {
        /* The same text may be several versions by now, if others came in between. */
        bool is_there = false;
        for (size_t i = 0; i < world->checker->specs.count; i++)
            is_there |= str_equal(world->checker->specs.item[i]->source, request->text) &&
                        world->checker->specs.item[i]->version == call->value.definitions.row->version;
        if (!is_there) violated(world, "op %u: the definition was accepted and is not there", request->op);
    } else if (writes(request->kind) && request->kind != CALL_DEPLOY &&
               request->effects < request->ok_count + (request->ok_count == 0)) {
        violated(world, "op %u was acknowledged and is not in any history", request->op);
    }
}

/* (17) What is there is found, or cannot be read now. */
static void check_not_found(struct world *world, const struct copy *copy)
{
    const struct request *request = copy->request;
    const struct model_instance *instance = model_instance_of(world->checker, request->id.instance);
    bool of_instance = request->kind == CALL_GET_INSTANCE || request->kind == CALL_GET_HISTORY ||
                       request->kind == CALL_WATCH || request->kind == CALL_EXPLAIN;
    bool of_definition = request->kind == CALL_GET_DEFINITION && request->version <= 0;
    if (copy->call->status != ST_NOT_FOUND) return;
    if ((of_instance && instance && !instance->purged && instance->created_ms == request->id.ms) ||
        (of_definition && model_latest(world->checker, request->definition_id)))
        violated(world, "op %u does not find what is there: %s", request->op, copy->call->error.message);
}

void checker_answered(struct world *world, struct copy *copy)
{
    if (copy->request->strays) {
        if (copy->call->status == ST_OK)
            violated(world, "op %u was answered to another tenant", copy->request->op);
        return;
    }
    if (checker_access_answered(world, copy)) return;
    if (world->entities) {
        entity_answered(world, copy);
        return;
    }
    struct request *request = copy->request;
    const struct call *call = copy->call;
    bool with_jobs = request->kind == CALL_POLL_JOBS || request->kind == CALL_BATCH;
    trace(world, "answer: op %u %s%s%s, %zu jobs", request->op, status_word(call->status),
          call->status == ST_OK ? "" : ": ", call->status == ST_OK ? "" : call->error.message,
          with_jobs ? call->value.jobs.count : 0);
    if (call->status == ST_INTERNAL) violated(world, "op %u: %s", request->op, call->error.message);
    if (writes(request->kind) || reports(request->kind)) {
        if (call->status == ST_OK) check_success(world, request, call);
        else if (call->status == ST_STORE) request->unknown_count++;
    }
    if ((call->status == ST_UNPROCESSABLE) != request->wrong && !status_retry(call->status))
        violated(world, "op %u, with the key of another request: %s", request->op, status_word(call->status));
    if (writes(request->kind)) check_refusal(world, copy);
    if (reports(request->kind)) check_reports(world, copy);
    if (request->kind == CALL_EVENTS) checker_events_answered(world, copy);
    if (request->kind == CALL_ARRIVE) checker_arrive_answered(world, copy);
    if (request->kind == CALL_START) checker_start_answered(world, copy);
    if (request->kind == CALL_BULK || request->kind == CALL_CANCEL_BULK) checker_bulk_answered(world, copy);
    if (request->kind == CALL_DEPLOY && call->status == ST_CONFLICT && !checker_deletion_forbids(world, copy))
        checker_trigger_routes_refused(world, copy);
    checker_retire_answered(world, copy);
    if (request->kind == CALL_DEPLOY && call->status == ST_INVALID)
        violated(world, "op %u: a generated definition was refused: %s\n%.*s", request->op,
                 call->error.message, STR_ARG(request->text));
    if (request->kind == CALL_POLL_JOBS || (request->kind == CALL_BATCH && call->status == ST_OK))
        check_poll(world, copy);
    if (request->kind == CALL_EXTEND_JOB) check_extend(world, copy);
    checker_secrets_answered(world, copy);
    /* A node that stopped in its turn shows how it was before. */
    if (world->server->paused_ms >= world->server->turn_began_ms) return;
    check_not_found(world, copy);
    if (call->status == ST_OK) checker_query(world, call);
}

/* ---- those who wait ---- */

/* Has everybody heard of the job? */
static bool is_known(const struct world *world, const struct model_instance *instance,
                     const struct model_job *job)
{
    int64_t long_ago_ms = world_wall_ms(world) - NODES_MS_MAX;
    if (!world_is_shared(world)) return true;
    return world->calm && world->calm_ms < world->now_ms - NODES_MS_MAX &&
           world->fenced_ms < world->now_ms - NODES_MS_MAX &&
           instance->changed_ms < world->now_ms - NODES_MS_MAX && job->available_ms < long_ago_ms &&
           job->offered_ms < long_ago_ms && job->expires_ms < long_ago_ms;
}

/* A job that somebody could take now, of one of these types: no poll waits if there is one. */
static void check_offered(struct world *world, const struct request *poll)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        for (size_t k = 0; k < instance->jobs.count; k++) {
            const struct model_job *job = &instance->jobs.item[k];
            str type = model_queue(job);
            if (!model_reaches(instance, job->execution) || !is_known(world, instance, job)) continue;
            bool held = server_lives(world, job->lease_generation) && job->expires_ms > world_wall_ms(world);
            for (size_t t = 0; t < poll->type_count; t++)
                if (!held && job->available_ms <= world_wall_ms(world) && str_equal(poll->type[t], type))
                    violated(world, "op %u waits for a job, and job %" PRIu64 "/%u waits for it", poll->op,
                             instance->id, job->number);
        }
    }
}

/* Has every node heard of what has become of the instance? */
static bool is_heard(const struct world *world, const struct model_instance *instance)
{
    return !world_is_shared(world) || (world->calm && world->calm_ms < world->now_ms - NODES_MS_MAX &&
                                       instance->changed_ms < world->now_ms - NODES_MS_MAX);
}

/* Nobody waits for what is there, nor for longer than was asked. */
static void check_waiting(struct world *world)
{
    for (size_t i = 0; i < world->inside.count; i++) {
        const struct copy *copy = world->inside.item[i];
        const struct request *request = copy->request;
        if (copy->server != world->server || !copy->in_turn || copy->call->status != ST_OK || copy->in_query)
            continue;
        if (world->server->paused_ms > copy->arrived_ms) continue;
        const struct model_instance *instance = model_instance_of(world->checker, request->id.instance);
        bool takes_turns = request->kind == CALL_EVENTS && world_has_small_turns(world);
        if (world->now_ms - copy->arrived_ms > request->wait_ms + ANSWER_MS_MAX && !takes_turns)
            violated(world, "op %u is not answered", request->op);
        /* A store that cannot read delays jobs. */
        bool reads =
            !world->profile.fail_read || (world->calm && world->now_ms > world->calm_ms + READ_AGAIN_MS);
        bool asked = !world_is_shared(world) || world->now_ms - copy->arrived_ms > HEARTBEAT_MS_MAX;
        if (request->kind == CALL_POLL_JOBS && reads && asked) check_offered(world, request);
        if (request->kind == CALL_WATCH && instance && is_heard(world, instance) &&
            (instance->revision > request->after || !model_live(instance)))
            violated(world, "op %u waits for what has happened", request->op);
        if (request->kind == CALL_START && copy->call->value.instances.view && !copy->call->replayed) {
            instance = model_instance_of(world->checker, copy->call->value.instances.view->id);
            if (!model_live(instance) && is_heard(world, instance) && !world->profile.fail_read)
                violated(world, "op %u waits for an instance that has ended", request->op);
        }
    }
}

void checker_turned(struct world *world)
{
    if (world->entities) {
        entity_turned(world);
        return;
    }
    if (world->failed || world->server->engine.broken) return;
    if (world_chance(world, world->profile.memory_check)) {
        check_waiting(world);
        checker_memory(world);
        checker_secrets_known(world, world->server);
    }
    if (world_chance(world, world->profile.recovery_check)) checker_recovery(world);
}
