/* tests/sim/actors_worker.c — workers: they poll, work, fail, stall, die and come back late. */
#include "actors.h"

#include "generate.h"

/* A job in a worker's hands. */
struct work {
    struct worker *worker;
    uint64_t incarnation;
    struct id id;
    int64_t lease_ms;
    bool flow;  /* Any JSON will do. */
    bool call;  /* Of a flow graph: the result has the members that were promised. */
    bool again; /* It has been reported once and is reported again. */
};

static void poll(struct world *world, void *subject);

static void poll_after(struct world *world, struct worker *worker, int64_t delay_ms)
{
    world_after(world, delay_ms, poll, worker);
}

static const str *choose_types(struct world *world, const struct worker *worker, size_t *ret_count)
{
    str *type = arena_make_n(&world->arena, str, JOB_TYPE_COUNT + FLOW_JOB_TYPE_COUNT);
    size_t count = 0;
    if (worker->performs) {
        type[count++] = performer_queue(PERFORM_HTTP, STR_NONE);
        type[count++] = performer_queue(PERFORM_EMIT, STR_NONE);
        *ret_count = count;
        return type;
    }
    for (uint32_t i = 0; world->profile.flow_count && i < FLOW_JOB_TYPE_COUNT; i++)
        if (world->calm || world_below(world, 3)) type[count++] = arena_printf(&world->arena, "j%u", i);
    for (uint32_t i = 0; i < JOB_TYPE_COUNT; i++)
        if (world->calm || world_below(world, 3)) type[count++] = generate_job_type(world, i);
    if (!count) type[count++] = generate_job_type(world, world_below(world, JOB_TYPE_COUNT));
    *ret_count = count;
    return type;
}

/* ---- reporting ---- */

static struct job_report make_report(struct world *world, const struct work *work, uint32_t op)
{
    struct job_report report = { .id = work->id,
                                 .op = op,
                                 .fails = world_chance(world, world->profile.fail) };
    report.retryable = report.fails && world_below(world, 4);
    /* An answer that names no "op" may be refused, and then the job is done again. */
    if (report.fails && work->flow) report.failure = generate_flow_failure(world);
    if (report.fails) return report;
    report.data = work->call    ? generate_call_result(world, op)
                  : work->flow  ? generate_flow_result(world, op)
                  : world->calm ? generate_cure(world, op)
                                : generate_data(world, op);
    return report;
}

static void put_key(struct world *world, struct request *request)
{
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
}

/* Now and then somebody knows a performer's job and its name. */
static void report_as(struct world *world, struct request *request, const struct worker *worker)
{
    request->worker = worker->id;
    request->intrudes = worker->performs && world_fault(world, world->profile.wrong);
    request->performs = worker->performs && !request->intrudes;
}

static void report(struct world *world, const struct work *work)
{
    struct job_report *made = arena_make(&world->arena, struct job_report);
    struct request *request = network_request(world, CALL_COMPLETE_JOB);
    *made = make_report(world, work, request->op);
    request->kind = made->fails ? CALL_FAIL_JOB : CALL_COMPLETE_JOB;
    request->report = made;
    request->report_count = 1;
    request->id = work->id;
    report_as(world, request, work->worker);
    request->data = made->data;
    request->retryable = made->retryable;
    if (made->fails) request->text = arena_printf(&world->arena, "op-%u", request->op);
    put_key(world, request);
    trace(world, "%.*s: reports op %u, %s job %llu/%u.%u", STR_ARG(work->worker->id), request->op,
          made->fails ? "failed" : "done", (unsigned long long)work->id.instance, work->id.number,
          work->id.delivery);
    network_send(world, request);
}

static void extend(struct world *world, const struct work *work)
{
    struct job_report *held = arena_make(&world->arena, struct job_report);
    struct request *request = network_request(world, CALL_EXTEND_JOB);
    *held = (struct job_report){ .id = work->id };
    request->report = held;
    request->report_count = 1;
    request->id = work->id;
    report_as(world, request, work->worker);
    request->lease_ms = world_between(world, 500, 20000);
    network_send(world, request);
}

static void finish(struct world *world, void *subject)
{
    struct work *work = subject;
    if (work->incarnation != work->worker->incarnation) return;
    report(world, work);
    if (work->again || !world_chance(world, world->profile.twice)) return;
    work->again = true;
    world_after(world, world_between(world, 0, 2000), finish, work);
}

static void work_on(struct world *world, struct work *work)
{
    int64_t takes_ms = world_between(world, 1, 300);
    if (world_fault(world, world->profile.stall))
        takes_ms += work->lease_ms + world_between(world, -200, 5000);
    if (world_chance(world, world->profile.extend)) extend(world, work);
    world_after(world, takes_ms > 0 ? takes_ms : 1, finish, work);
}

/* ---- polling ---- */

static void wake_up(struct world *world, void *subject)
{
    struct worker *worker = subject;
    worker->asleep = false;
    trace(world, "%.*s: comes back", STR_ARG(worker->id));
    poll(world, worker);
}

static bool dies(struct world *world, struct worker *worker)
{
    if (!world_fault(world, world->profile.die)) return false;
    trace(world, "%.*s: dies", STR_ARG(worker->id));
    worker->incarnation++;
    worker->asleep = true;
    if (world_below(world, 2)) network_abandon(world, worker);
    world_after(world, world_between(world, 100, 20000), wake_up, worker);
    return true;
}

static void on_jobs(struct world *world, struct request *request, const struct call *answer);

static bool is_call(const struct job_view *job) { return str_equal(job->type, STR("action_http")); }
static bool is_flow(const struct job_view *job) { return !str_starts(job->type, STR("t")); }

/* All jobs of one poll reported at once, and the next ones asked for in the same request. */
static void report_batch(struct world *world, struct worker *worker, const struct call *answer,
                         int64_t lease_ms)
{
    struct request *request = network_request(world, CALL_BATCH);
    request->report = arena_make_n(&world->arena, struct job_report, answer->value.jobs.count);
    request->worker = worker->id;
    request->performs = worker->performs;
    for (size_t i = 0; i < answer->value.jobs.count; i++) {
        struct work work = { .worker = worker,
                             .id = job_view_id(&answer->value.jobs.view[i]),
                             .lease_ms = lease_ms,
                             .flow = is_flow(&answer->value.jobs.view[i]),
                             .call = is_call(&answer->value.jobs.view[i]) };
        request->report[request->report_count++] = make_report(world, &work, network_number(world, request));
    }
    if (world_below(world, 2)) {
        request->type = choose_types(world, worker, &request->type_count);
        request->max = 1 + world_below(world, 4);
        request->lease_ms = world_between(world, 500, 20000);
    }
    request->actor = worker;
    request->incarnation = worker->incarnation;
    request->on_reply = on_jobs;
    trace(world, "%.*s: reports %zu jobs, op %u", STR_ARG(worker->id), request->report_count, request->op);
    network_send(world, request);
}

static void on_jobs(struct world *world, struct request *request, const struct call *answer)
{
    struct worker *worker = request->actor;
    if (worker->asleep || worker->incarnation != request->incarnation) return;
    if (answer && answer->value.jobs.count) {
        if (dies(world, worker)) return;
        int64_t lease_ms = request->lease_ms ? request->lease_ms : 30000;
        if (world_chance(world, world->profile.batch)) {
            report_batch(world, worker, answer, lease_ms);
            return;
        }
        for (size_t i = 0; i < answer->value.jobs.count; i++) {
            struct work *work = arena_make(&world->arena, struct work);
            *work = (struct work){ .worker = worker,
                                   .incarnation = worker->incarnation,
                                   .id = job_view_id(&answer->value.jobs.view[i]),
                                   .lease_ms = lease_ms,
                                   .flow = is_flow(&answer->value.jobs.view[i]),
                                   .call = is_call(&answer->value.jobs.view[i]) };
            work_on(world, work);
        }
    }
    poll_after(world, worker, world_between(world, 10, 500));
}

static void poll(struct world *world, void *subject)
{
    struct worker *worker = subject;
    if (worker->asleep) return;
    struct request *request = network_request(world, CALL_POLL_JOBS);
    request->worker = worker->id;
    request->type = choose_types(world, worker, &request->type_count);
    /* Now and then somebody tries who may not. */
    request->performs = worker->performs && !world_fault(world, world->profile.wrong);
    request->max = 1 + world_below(world, 4);
    request->lease_ms = world_below(world, 4) ? world_between(world, 300, 8000) : 0;
    request->wait_ms = world_below(world, 3) ? world_between(world, 500, 10000) : 0;
    request->tries_left = 0;
    request->actor = worker;
    request->incarnation = worker->incarnation;
    request->on_reply = on_jobs;
    network_send(world, request);
}

void worker_begin(struct world *world, struct worker *worker)
{
    poll_after(world, worker, world_between(world, 1, 500));
}
