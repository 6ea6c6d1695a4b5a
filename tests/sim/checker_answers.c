/* tests/sim/checker_answers.c — does a query show what the history says?
 *
 * A query runs on what is committed, and the model has followed every commit: at the moment of
 * the answer both must be equal.
 */
#include "checker.h"

#include "server.h"

#include <inttypes.h>

static const struct request *request_of(const struct call *call)
{
    return ((const struct copy *)call->user)->request;
}

/* ---- one instance ---- */

static size_t current_steps(const struct model_instance *instance, size_t *ret_step)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        size_t k = 0;
        while (k < count && ret_step[k] != instance->tokens.item[i].step) k++;
        if (k == count) ret_step[count++] = instance->tokens.item[i].step;
    }
    return count;
}

static void check_children(struct world *world, const struct call *call,
                           const struct model_instance *instance, const struct instance_view *view)
{
    const struct checker *checker = world->checker;
    size_t next = 0;
    if (call->kind != CALL_GET_INSTANCE) return;
    for (size_t i = 0; i < checker->children.count; i++) {
        const struct model_child *child = &checker->children.item[i];
        const struct model_instance *other = model_instance_of(checker, child->instance);
        if (child->parent != instance->id || other->purged) continue;
        next++;
        /* In order of their jobs: of those that were put off, a later one may have been started first. */
        const struct child_view *listed = NULL;
        for (size_t k = 0; k < view->child_count; k++)
            if (view->child[k].id == other->id) listed = &view->child[k];
        if (!listed || listed->id != other->id || listed->status != other->status ||
            listed->awaited != child->awaited)
            violated(world, "op %u: child %" PRIu64 " is not shown as it is", request_of(call)->op,
                     other->id);
    }
    if (next != view->child_count)
        violated(world, "op %u is shown children that are none", request_of(call)->op);
    uint64_t follower = 0;
    for (size_t i = 0; i < checker->chains.count; i++)
        if (checker->chains.item[i].parent == instance->id) follower = checker->chains.item[i].instance;
    const struct model_instance *other = follower ? model_instance_of(checker, follower) : NULL;
    if ((view->chained_to ? view->chained_to->id : 0) != (other && !other->purged ? follower : 0))
        violated(world, "op %u: the instance that follows %" PRIu64 " is not shown as it is",
                 request_of(call)->op, instance->id);
}

/* What only flows have. */
static void check_flow(struct world *world, const struct call *call, const struct model_instance *instance,
                       const struct instance_view *view)
{
    bool same = view->lingers == model_lingers(instance) &&
                str_equal(view->correlation, instance->correlation) &&
                view->mail_count == instance->mail.count;
    for (size_t i = 0; same && i < view->mail_count; i++)
        same = str_equal(view->mail[i].id, json_string(json_get(instance->mail.item[i].event, STR("id"))));
    for (size_t i = 0; same && i < view->current_count; i++) {
        bool there = false;
        for (size_t k = 0; k < instance->tokens.count; k++)
            there |= str_equal(view->current[i], instance->tokens.item[k].node);
        same = there;
    }
    if (!same)
        violated(world, "op %u: instance %" PRIu64 " is not shown as it is", request_of(call)->op, view->id);
    check_children(world, call, instance, view);
}

static void check_instance(struct world *world, const struct call *call, const struct instance_view *view)
{
    const struct model_instance *instance = model_instance_of(world->checker, view->id);
    uint32_t op = request_of(call)->op;
    /* A turn purges last, after its answers. */
    if (!instance || (instance->purged && instance->purged_ms != world->now_ms)) {
        violated(world, "op %u is shown instance %" PRIu64 ", which is not there", op, view->id);
        return;
    }
    const struct {
        bool same;
        const char *what;
    } facts[] = {
        { view->created_ms == instance->created_ms, "creation time" },
        { view->ended_ms == instance->ended_ms, "end time" },
        { view->status == instance->status, "status" },
        { view->revision == instance->revision, "revision" },
        { str_equal(view->definition_id, instance->spec->id), "definition" },
        { view->definition_version == instance->spec->version, "version" },
        { str_equal(view->business_key, instance->business_key), "business key" },
        { str_equal(view->failure, instance->failure), "failure" },
        { json_equal(view->data, instance->replayed ? instance->replayed->data : instance->data),
          "variables" },
    };
    for (size_t i = 0; i < COUNT(facts); i++)
        if (!facts[i].same)
            violated(world, "op %u: the %s of instance %" PRIu64 " is not what its history says", op,
                     facts[i].what, view->id);
    if (instance->spec->program) {
        check_flow(world, call, instance, view);
        return;
    }
    size_t *step = arena_make_n(&world->checker->arena, size_t, instance->tokens.count);
    size_t count = current_steps(instance, step);
    bool same = count == view->current_count;
    for (size_t i = 0; same && i < count; i++)
        same = str_equal(instance->spec->step[step[i]].id, view->current[i]);
    if (!same) violated(world, "op %u: instance %" PRIu64 " is shown at other steps", op, view->id);
}

/* What failed or was cancelled has no visit that is still running. */
static enum execution_status shown_status(const struct model_instance *instance,
                                          const struct model_visit *visit)
{
    bool stopped = instance->status == INSTANCE_FAILED || instance->status == INSTANCE_CANCELLED;
    return stopped && visit->status == EXECUTION_RUNNING ? EXECUTION_FAILED : visit->status;
}

static void check_executions(struct world *world, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    const struct model_instance *instance = model_instance_of(world->checker, answer->view->id);
    size_t next = 0;
    if (instance->spec->program) return;
    for (size_t i = 0; i < instance->visits.count; i++) {
        const struct model_visit *visit = &instance->visits.item[i];
        if (visit->arrival) continue;
        const struct execution *shown = next < answer->execution_count ? &answer->execution[next++] : NULL;
        uint32_t attempt = 1;
        for (size_t k = 0; k < i; k++)
            attempt +=
                str_equal(instance->visits.item[k].node, visit->node) && !instance->visits.item[k].arrival;
        if (!shown || shown->number != visit->execution || shown->status != shown_status(instance, visit) ||
            shown->attempt != attempt || !json_equal(shown->input, visit->input) ||
            !str_equal(shown->node_name, visit->node)) {
            violated(world, "op %u: visit %u of instance %" PRIu64 " is not shown as it was",
                     request_of(call)->op, visit->execution, instance->id);
            return;
        }
    }
    if (next != answer->execution_count)
        violated(world, "op %u is shown visits that were not", request_of(call)->op);
}

static void check_watch(struct world *world, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    const struct model_instance *instance = model_instance_of(world->checker, answer->view->id);
    const struct request *request = request_of(call);
    size_t first = request->after < instance->revision ? request->after : instance->revision;
    bool same = answer->history_count == instance->revision - first;
    for (size_t i = 0; same && i < answer->history_count; i++) {
        struct buf bytes;
        buf_init(&bytes, call->arena);
        history_encode(&answer->history[i], &bytes);
        same = str_equal(buf_str(&bytes), instance->records.item[first + i]);
    }
    if (!same)
        violated(world, "op %u is shown another history of instance %" PRIu64, request->op, instance->id);
    const struct engine *engine = &world->server->engine;
    if (request->wait_ms && !answer->history_count && model_live(instance) && !engine->draining &&
        !engine->broken && world->now_ms == ((const struct copy *)call->user)->arrived_ms)
        violated(world, "op %u did not wait", request->op);
}

static void check_explained(struct world *world, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    const struct model_instance *instance = model_instance_of(world->checker, answer->view->id);
    bool flow = instance->spec->program != NULL; /* Not everything inside an author's state is shown. */
    bool same = flow || answer->token_count == instance->tokens.count;
    for (size_t i = 0; same && i < answer->token_count; i++) {
        const struct token_view *view = &answer->token[i];
        const struct model_token *token =
            flow ? model_token(instance, view->execution) : &instance->tokens.item[i];
        same = token != NULL;
        if (!same) break;
        size_t timers = 0;
        for (size_t k = 0; k < instance->timers.count; k++)
            timers += instance->timers.item[k].execution == token->execution;
        same = view->execution == token->execution && view->state == token->state &&
               view->timer_count == timers && view->why.n > 0 &&
               (flow ? str_starts(token->node, view->node)
                     : str_equal(view->node, model_place(instance, token)));
        if (view->job && !model_job(instance, view->job->number)) same = false;
    }
    if (!same)
        violated(world, "op %u: the tokens of instance %" PRIu64 " are explained wrongly",
                 request_of(call)->op, instance->id);
}

/* ---- lists ---- */

static void check_instances(struct world *world, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    const struct request *request = request_of(call);
    const struct checker *checker = world->checker;
    size_t next = 0;
    int64_t total = 0;
    for (size_t i = checker->instances.count; i-- > 0;) {
        const struct model_instance *instance = checker->instances.item[i];
        if (instance->purged || (request->status >= 0 && (int32_t)instance->status != request->status) ||
            (request->definition_id.n && !str_equal(request->definition_id, instance->spec->id)))
            continue;
        total++;
        if (next == request->max) continue;
        if (next == answer->count || answer->view[next].id != instance->id) {
            violated(world, "op %u: instance %" PRIu64 " is missing in a list", request->op, instance->id);
            return;
        }
        check_instance(world, call, &answer->view[next++]);
    }
    if (next != answer->count || total != answer->total)
        violated(world, "op %u: a list counts %" PRId64 " instances, there are %" PRId64, request->op,
                 answer->total, total);
}

static void check_tasks(struct world *world, const struct call *call)
{
    const struct answer_tasks *answer = &call->value.tasks;
    const struct request *request = request_of(call);
    const struct checker *checker = world->checker;
    size_t next = 0;
    int64_t total = 0;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        for (size_t k = 0; k < instance->tokens.count && model_live(instance); k++) {
            const struct model_token *token = &instance->tokens.item[k];
            if (token->state != TOKEN_PERSON) continue;
            total++;
            if (next == request->max) continue;
            const struct task_row *row = next < answer->count ? &answer->row[next] : NULL;
            if (!row || row->instance != instance->id || row->execution != token->execution ||
                !str_equal(row->node, instance->spec->step[token->step].id) ||
                row->definition_version != instance->spec->version ||
                row->instance_created_ms != instance->created_ms) {
                violated(world, "op %u: the task at \"%.*s\" of instance %" PRIu64 " is missing in a list",
                         request->op, STR_ARG(instance->spec->step[token->step].id), instance->id);
                return;
            }
            next++;
        }
    }
    if (next != answer->count || total != answer->total)
        violated(world, "op %u: a list counts %" PRId64 " tasks, there are %" PRId64, request->op,
                 answer->total, total);
}

/* The state that a list shows must agree with what polls have told. */
static void check_listed_job(struct world *world, const struct request *request, const struct model_job *job,
                             const struct job_view *view)
{
    int64_t wall_ms = world_wall_ms(world);
    if (world_is_shared(world)) return; /* A node knows only of its own leases. */
    bool leased = job->lease_generation == world->server->generation && job->expires_ms > wall_ms;
    if (leased && (view->state != JOB_LOCKED || !str_equal(view->worker, job->worker)))
        violated(world, "op %u: a job that %.*s holds is listed as %s", request->op, STR_ARG(job->worker),
                 call_job_state_word(view->state));
    if (!leased && view->state == JOB_LOCKED)
        violated(world, "op %u: a job that nobody holds is listed as locked", request->op);
}

static void check_jobs(struct world *world, const struct call *call)
{
    const struct answer_jobs *answer = &call->value.jobs;
    const struct request *request = request_of(call);
    const struct checker *checker = world->checker;
    size_t next = 0;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        for (size_t k = 0; k < instance->jobs.count && next < request->max; k++) {
            if (!model_reaches(instance, instance->jobs.item[k].execution)) continue;
            if (instance->jobs.item[k].performer == PERFORM_CHILD) continue; /* Nobody can poll for it. */
            const struct job_view *view = next < answer->count ? &answer->view[next++] : NULL;
            if (!view || view->instance != instance->id || view->number != instance->jobs.item[k].number) {
                violated(world, "op %u: job %" PRIu64 "/%u is missing in a list", request->op, instance->id,
                         instance->jobs.item[k].number);
                return;
            }
            check_listed_job(world, request, &instance->jobs.item[k], view);
        }
    }
    if (next != answer->count) violated(world, "op %u is shown jobs that are not there", request->op);
}

static void check_statistics(struct world *world, const struct call *call)
{
    const struct checker *checker = world->checker;
    struct store_statistics want = { .file_bytes = call->value.statistics.file_bytes };
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (instance->purged) continue;
        want.instances_by_status[instance->status]++;
        for (size_t k = 0; k < instance->timers.count; k++)
            want.timers += model_reaches(instance, instance->timers.item[k].execution);
        if (!model_live(instance)) continue;
        for (size_t k = 0; k < instance->tokens.count; k++)
            want.tasks += instance->tokens.item[k].state == TOKEN_PERSON;
    }
    for (size_t i = 0; i < checker->chains.count; i++) want.pending += !checker->chains.item[i].started;
    bool same = want.timers == call->value.statistics.timers && want.tasks == call->value.statistics.tasks;
    for (size_t i = 0; i < INSTANCE_STATUS_COUNT; i++)
        same &= want.instances_by_status[i] == call->value.statistics.instances_by_status[i];
    if (!same) violated(world, "op %u: the statistics do not add up", request_of(call)->op);
    /* Children that wait for space on the disk are among them. */
    if (world->profile.flow_count ? want.pending > call->value.statistics.pending
                                  : want.pending != call->value.statistics.pending)
        violated(world, "op %u: %" PRId64 " chained starts are pending, there should be %" PRId64,
                 request_of(call)->op, call->value.statistics.pending, want.pending);
}

static void check_definition(struct world *world, const struct call *call)
{
    const struct request *request = request_of(call);
    const struct checker *checker = world->checker;
    const struct spec *want = model_latest(checker, request->definition_id);
    for (size_t i = 0; i < checker->specs.count; i++)
        if (checker->specs.item[i]->version == request->version && !checker->specs.item[i]->is_gone &&
            str_equal(checker->specs.item[i]->id, request->definition_id))
            want = checker->specs.item[i];
    if (!want || want->version != call->value.definitions.row->version ||
        !str_equal(want->source, call->value.definitions.row->source))
        violated(world, "op %u is shown another definition", request->op);
}

void checker_query(struct world *world, const struct call *call)
{
    const struct answer_instances *answer = &call->value.instances;
    switch (call->kind) {
    case CALL_GET_INSTANCE: check_instance(world, call, answer->view); break;
    case CALL_GET_HISTORY:
        check_instance(world, call, answer->view);
        if (!world->failed) check_executions(world, call);
        break;
    case CALL_WATCH:
        check_instance(world, call, answer->view);
        if (!world->failed) check_watch(world, call);
        break;
    case CALL_EXPLAIN:
        check_instance(world, call, answer->view);
        if (!world->failed) check_explained(world, call);
        break;
    case CALL_LIST_INSTANCES: check_instances(world, call); break;
    case CALL_LIST_TASKS: check_tasks(world, call); break;
    case CALL_LIST_JOBS: check_jobs(world, call); break;
    case CALL_STATISTICS: check_statistics(world, call); break;
    case CALL_GET_DEFINITION: check_definition(world, call); break;
    case CALL_LIST_ARRIVALS:
        if (!world->profile.schedules) checker_arrivals_listed(world, call);
        break;
    case CALL_LIST_UNMATCHED:
        if (!world->profile.retention_ms &&
            call->value.unmatched.total != (int64_t)world->checker->unmatched_count)
            violated(world, "op %u: a list counts %" PRId64 " unmatched events, there are %zu",
                     request_of(call)->op, call->value.unmatched.total, world->checker->unmatched_count);
        break;
    default: break;
    }
}
