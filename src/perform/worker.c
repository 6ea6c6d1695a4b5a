/* perform/worker.c — polls for engine jobs, hands them to performers, renews leases, reports results. */
#include "perform/worker.h"

#include "base/list.h"
#include "base/must.h"
#include "core/task.h"
#include "core/trace.h"
#include "json/json.h"
#include "perform/limits.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    POLL_WAIT_MS = 20 * 1000,
    /* A job may take as long as its author allows, and wait inside its performer before that: its lease is
     * prolonged while it is under way. */
    LEASE_MS = 60 * 1000,
    RENEW_BEFORE_MS = 30 * 1000,
    RENEW_AGAIN_MS = 1000, /* Between two attempts to prolong a lease. */
    AGAIN_MS = 50,         /* Between two attempts to hand on a result. */
};

static const str worker_name = STR_INIT("pawl");

/* A poll of a station. */
struct station_poll {
    struct station *station;
    bool polling;       /* It is at the runtime, … */
    struct arena arena; /* … and this is its memory. */
};

/* A registered performer. */
struct station {
    struct engine_worker *worker;
    const struct perform_methods *methods; /* NULL: nobody performs jobs of this row. */
    void *self;
    struct station_poll any;    /* For jobs, while there is room. */
    struct station_poll urgent; /* For jobs that overtake those which have taken all room. */
    size_t held[PRIORITY_COUNT];
};

/* A job that the worker holds, from the poll until the runtime has confirmed the result. */
struct held_job {
    struct engine_job job;
    struct station *station;
    struct arena arena;
    int64_t lease_ends_ms;
    int64_t renew_ms;               /* It is not prolonged before. */
    bool renewing;                  /* Its lease is being prolonged: not to be freed before the answer. */
    bool over;                      /* To be freed then. */
    int64_t again_ms;               /* The runtime could not take the result: when it is asked again. */
    struct held_job *next;          /* In the list of finished ones. */
    struct held_job *newer, *older; /* In the list of all. */
};

/* A lease that is being prolonged. It has memory of its own: the job's arena is the performer's meanwhile. */
struct renewal {
    struct arena arena;
    struct held_job *held;
};

struct engine_worker {
    struct worker_config config;
    struct station station[PERFORMER_COUNT];
    bool draining, stopped;
    size_t at_runtime; /* Results and renewals that the runtime has not confirmed yet. */
    struct held_job *newest;
    struct held_job *again;        /* Finished, and to be handed to the runtime once more. */
    pthread_mutex_t lock;          /* Guards the list below. */
    struct held_job *first, *last; /* Finished, not handed to the runtime yet. */
};

/* ---- held jobs ---- */

static size_t *count_of(struct station *station, int32_t priority)
{
    return &station->held[priority < 0 ? 0 : priority < PRIORITY_COUNT ? priority : PRIORITY_COUNT - 1];
}

static struct held_job *hold(struct station *station, int32_t priority)
{
    struct engine_worker *worker = station->worker;
    struct held_job *held = calloc(1, sizeof *held);
    must(held);
    arena_init(&held->arena, 0);
    held->station = station;
    held->job.priority = priority;
    ++*count_of(station, priority);
    held->older = worker->newest;
    if (worker->newest) worker->newest->newer = held;
    worker->newest = held;
    return held;
}

static void release(struct held_job *held)
{
    held->over = true;
    if (held->renewing) return;
    --*count_of(held->station, held->job.priority);
    if (held->newer) held->newer->older = held->older;
    else held->station->worker->newest = held->older;
    if (held->older) held->older->newer = held->newer;
    arena_done(&held->arena);
    free(held);
}

/* The jobs' `done`, on any thread. */
static void finished(struct engine_job *job)
{
    struct held_job *held = job->taker;
    struct engine_worker *worker = held->station->worker;
    pthread_mutex_lock(&worker->lock);
    list_append(worker, held, next);
    pthread_mutex_unlock(&worker->lock);
    worker->config.wake(worker->config.wake_context);
}

static struct held_job *take_finished(struct engine_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    struct held_job *held = worker->first;
    if (held) list_drop_first(worker, next);
    pthread_mutex_unlock(&worker->lock);
    return held;
}

static void put_back(struct engine_worker *worker, struct held_job *held)
{
    pthread_mutex_lock(&worker->lock);
    list_prepend(worker, held, next);
    pthread_mutex_unlock(&worker->lock);
}

/* ---- calls to the runtime ---- */

static bool submit(struct engine_worker *worker, struct call *call)
{
    call->performs = true;
    return runtime_submit(worker->config.client, call) == ST_OK;
}

/* ---- results ---- */

/* Nothing of the call has happened, and the next one may fare better. */
static bool may_pass(enum status status)
{
    return status == ST_AGAIN || status == ST_STORE || status == ST_FULL || status == ST_OVERLOAD ||
           status == ST_BUSY;
}

/* A result is not lost because another node was faster, or the store was away for a moment. Its lease is
 * prolonged meanwhile; when the job is closed, the runtime says so. */
static void confirmed(struct call *call)
{
    struct held_job *held = call->user;
    struct engine_worker *worker = held->station->worker;
    worker->at_runtime--;
    if (!may_pass(call->status) || worker->draining) {
        release(held);
        return;
    }
    held->again_ms = clock_now_ms(&worker->config.clock) + AGAIN_MS;
    held->next = worker->again;
    worker->again = held;
}

static void hand_on_again(struct engine_worker *worker)
{
    int64_t now_ms = clock_now_ms(&worker->config.clock);
    for (struct held_job **place = &worker->again; *place;) {
        struct held_job *held = *place;
        if (now_ms < held->again_ms) {
            place = &held->next;
            continue;
        }
        *place = held->next;
        put_back(worker, held);
    }
}

/* False if the runtime does not take the result now. */
static bool hand_on(struct engine_worker *worker, struct held_job *held)
{
    const struct engine_job *job = &held->job;
    if (job->end == ENGINE_JOB_BROKEN_OFF) {
        release(held);
        return true;
    }
    bool failed = job->end == ENGINE_JOB_FAILED;
    struct call_job asked = { .id = job->id, .worker = worker_name };
    struct call_origin origin = { &held->arena, confirmed, held };
    if (failed) {
        asked.failure = scrub_json(&job->secrets, job->error, &held->arena);
        asked.text = json_string(json_get(asked.failure, STR("message")));
        asked.retryable = job->retryable;
        asked.retry_after_ms = job->retry_after_ms;
    } else {
        asked.data = scrub_json(&job->secrets, job->value, &held->arena);
    }
    struct call *call = failed ? call_fail_job(origin, &asked) : call_complete_job(origin, &asked);
    if (!submit(worker, call)) return false;
    worker->at_runtime++;
    return true;
}

/* ---- leases ---- */

static void renewed(struct call *call)
{
    struct renewal *renewal = call->user;
    struct held_job *held = renewal->held;
    struct engine_worker *worker = held->station->worker;
    int64_t now_ms = clock_now_ms(&worker->config.clock);
    worker->at_runtime--;
    held->renewing = false;
    if (held->over) release(held);
    else if (call->status == ST_OK && call->value.jobs.count) held->lease_ends_ms = now_ms + LEASE_MS;
    else if (may_pass(call->status) && now_ms < held->lease_ends_ms) held->renew_ms = now_ms + RENEW_AGAIN_MS;
    /* The job was closed meanwhile, by a time-out or a cancellation, or its lease is over and others may have
     * it: nobody wants its result any more. */
    else if (!worker->stopped && call->status != ST_DRAINING)
        held->station->methods->cancel(held->station->self, &held->job);
    arena_done(&renewal->arena);
    free(renewal);
}

static void renew(struct engine_worker *worker, struct held_job *held)
{
    struct renewal *renewal = calloc(1, sizeof *renewal);
    must(renewal);
    arena_init(&renewal->arena, 0);
    renewal->held = held;
    const struct call_job asked = { .id = held->job.id, .worker = worker_name, .lease_ms = LEASE_MS };
    struct call *call = call_extend_job((struct call_origin){ &renewal->arena, renewed, renewal }, &asked);
    if (!submit(worker, call)) {
        arena_done(&renewal->arena);
        free(renewal);
        return;
    }
    worker->at_runtime++;
    held->renewing = true;
}

static void renew_all(struct engine_worker *worker)
{
    int64_t now_ms = clock_now_ms(&worker->config.clock);
    for (struct held_job *held = worker->newest; held; held = held->older)
        if (!held->renewing && !held->over && now_ms >= held->renew_ms &&
            now_ms > held->lease_ends_ms - RENEW_BEFORE_MS)
            renew(worker, held);
}

/* ---- for performers ---- */

enum status perform_secret(struct engine_job *job, str ref, str *ret_text, struct error *err)
{
    const struct vault_lookup lookup = scrub_lookup(&job->secrets);
    return vault_reference(&lookup, ref, job->arena, ret_text, err);
}

const struct json *perform_error_coded(struct arena *arena, const struct json *error, str code)
{
    return code.n ? json_set(arena, error, STR("code"), json_of_string(arena, code)) : error;
}

const struct json *perform_error(struct arena *arena, str name, str message)
{
    struct json_builder error;
    json_builder_init(&error, arena);
    json_open_object(&error);
    json_add_name(&error, STR("name"));
    json_add_string(&error, name);
    json_add_name(&error, STR("message"));
    json_add_string(&error, message);
    json_close(&error);
    return json_built(&error);
}

/* ---- taking jobs ---- */

/* instance/node/visit; an e-mail about a task has a number of its own, because a visit may have several. */
static str idempotency_key(const struct job_view *job, struct arena *arena)
{
    char instance[ID_CHARS + 1];
    id_print((struct id){ .ms = job->instance_created_ms, .instance = job->instance }, instance);
    str key = arena_printf(arena, "%s/%.*s/%u", instance, STR_ARG(job->node), job->execution);
    int64_t number;
    if (!job->task || !json_int64(json_get(job->data, STR("number")), &number)) return key;
    return arena_printf(arena, "%.*s/%lld", STR_ARG(key), (long long)number);
}

static str traceparent(const struct job_view *job, struct arena *arena)
{
    return arena_printf(
        arena, "00-%.*s-%016llx-01", STR_ARG(trace_id(job->instance, job->instance_created_ms, arena)),
        (unsigned long long)trace_span(job->instance, job->instance_created_ms, TRACE_JOB, job->number));
}

/* The lookup of a job: only the secrets that its definition lists. */
struct listed_secrets {
    struct vault_lookup lookup;
    const str *name;
    size_t count;
};

static bool find_listed(void *context, int32_t tenant, str name, struct arena *arena, str *ret_value)
{
    const struct listed_secrets *listed = context;
    for (size_t i = 0; i < listed->count; i++)
        if (str_equal(listed->name[i], name))
            return listed->lookup.find(listed->lookup.context, tenant, name, arena, ret_value);
    return false;
}

/* Puts the secrets into the job's configuration and input. Data cannot ask for one. The dialect builds the
 * whole configuration from the document. It also builds the top level of an input whose definition lists
 * secrets, and the inputs of all other definitions stay as they are. */
static enum status fill_secrets(struct engine_job *job, const struct job_view *view, struct error *err)
{
    const struct vault_lookup any = scrub_lookup(&job->secrets);
    TRY(vault_resolve(job->config, &any, job->arena, &job->config, err));
    if (!view->secret_count) return ST_OK;
    struct listed_secrets listed = { scrub_lookup(&job->secrets), view->secret, view->secret_count };
    const struct vault_lookup lookup = { find_listed, &listed, any.tenant };
    return vault_resolve(job->input, &lookup, job->arena, &job->input, err);
}

static void break_off(struct held_job *held)
{
    held->job.end = ENGINE_JOB_BROKEN_OFF;
    finished(&held->job);
}

static void recipients_found(struct call *call)
{
    struct held_job *held = call->user;
    struct perform_notice *notice = arena_make(&held->arena, struct perform_notice);
    held->station->worker->at_runtime--;
    if (held->station->worker->draining || call->status != ST_OK) {
        break_off(held); /* The job is offered again. */
        return;
    }
    *notice = *held->job.notice;
    notice->who = &call->value.recipients;
    held->job.notice = notice;
    held->station->methods->start(held->station->self, &held->job);
}

/* The people whom the task asks now are found before the job begins. */
static void begin_notice(struct held_job *held, const struct job_view *view)
{
    struct arena *arena = &held->arena;
    struct perform_notice *notice = arena_make(arena, struct perform_notice);
    *notice = (struct perform_notice){
        .kind = arena_str(arena, view->type),
        .task = { .ms = view->execution_ms, .instance = view->instance, .number = view->execution },
        .title = arena_str(arena, view->title),
        .details = json_copy(arena, view->task),
        .opened_ms = view->execution_ms,
    };
    held->job.notice = notice;
    struct task_asked asked = task_asked(notice->details);
    struct call *call =
        call_find_recipients((struct call_origin){ arena, recipients_found, held },
                             &(struct call_recipients){ .people = asked.people, .groups = asked.groups });
    call->ns = view->ns;
    if (submit(held->station->worker, call)) held->station->worker->at_runtime++;
    else break_off(held);
}

static void begin(struct station *station, const struct job_view *view)
{
    struct held_job *held = hold(station, view->priority);
    struct arena *arena = &held->arena;
    int64_t now_ms = clock_now_ms(&station->worker->config.clock);
    held->lease_ends_ms = now_ms + LEASE_MS;
    held->job = (struct engine_job){
        .config = view->config ? json_copy(arena, view->config) : NULL,
        .input = view->data ? json_copy(arena, view->data) : NULL,
        .carried = view->carried ? json_copy(arena, view->carried) : NULL,
        .token = arena_str(arena, view->token),
        .timeout_ms = view->timeout_ms,
        .now_ms = now_ms,
        .id = job_view_id(view),
        .attempt = view->attempt,
        .priority = view->priority,
        .idempotency_key = idempotency_key(view, arena),
        .traceparent = traceparent(view, arena),
        .arena = arena,
        .done = finished,
        .taker = held,
        .secrets = { .lookup = vault_lookup_in(station->worker->config.vault, view->ns), .arena = arena },
    };
    struct error err;
    if (view->task) {
        begin_notice(held, view);
        return;
    }
    if (fill_secrets(&held->job, view, &err) == ST_OK) {
        station->methods->start(station->self, &held->job);
        return;
    }
    held->job.end = ENGINE_JOB_FAILED;
    held->job.error = perform_error(arena, str_of(err.where), str_of(err.message));
    finished(&held->job);
}

static void poll_more(struct station *station);

static void polled(struct call *call)
{
    struct station_poll *poll = call->user;
    struct station *station = poll->station;
    poll->polling = false;
    if (station->worker->draining) return; /* The jobs are offered again: nobody would take their results. */
    for (size_t i = 0; call->status == ST_OK && i < call->value.jobs.count; i++)
        begin(station, &call->value.jobs.view[i]);
    poll_more(station);
}

static void ask(struct station_poll *poll, size_t room, int32_t priority_min)
{
    struct station *station = poll->station;
    arena_reset(&poll->arena);
    str *queue = arena_make(&poll->arena, str);
    *queue = performer_queue(station->methods->performer, STR_NONE);
    const struct call_poll asked = { .worker = worker_name,
                                     .type = queue,
                                     .type_count = 1,
                                     .max = room < POLL_JOBS_MAX ? room : POLL_JOBS_MAX,
                                     .lease_ms = LEASE_MS,
                                     .wait_ms = POLL_WAIT_MS,
                                     .priority_min = priority_min };
    struct call *call = call_poll_jobs((struct call_origin){ &poll->arena, polled, poll }, &asked);
    poll->polling = submit(station->worker, call);
}

/* Jobs that wait inside a performer for their slow server must not keep out those that are more urgent. */
static void poll_urgent(struct station *station)
{
    int32_t least = 0, lowest = PRIORITY_COUNT;
    size_t held = 0;
    while (least < PRIORITY_COUNT && !station->held[least]) least++;
    while (lowest - 1 > least && held + station->held[lowest - 1] < OVERTAKING_JOBS_MAX)
        held += station->held[--lowest];
    if (lowest < PRIORITY_COUNT) ask(&station->urgent, OVERTAKING_JOBS_MAX - held, lowest);
}

static void poll_more(struct station *station)
{
    if (!station->methods || station->worker->draining) return;
    size_t room = station->methods->room(station->self);
    if (room && !station->any.polling) ask(&station->any, room, 0);
    else if (!room && !station->urgent.polling && station->methods->overtakes) poll_urgent(station);
}

/* ---- for the owner ---- */

enum status worker_try(struct engine_worker *worker, enum performer performer, int32_t tenant,
                       struct engine_job *job, struct error *err)
{
    must(performer < PERFORMER_COUNT && job->done && job->arena);
    struct station *station = &worker->station[performer];
    if (!station->methods) return fail(err, ST_CONFLICT, "", "this engine cannot try that");
    if (worker->draining || worker->stopped) return fail(err, ST_DRAINING, "", "the engine stops");
    if (!station->methods->room(station->self))
        return fail(err, ST_BUSY, "", "too many jobs of this kind are under way; try again soon");
    job->now_ms = clock_now_ms(&worker->config.clock);
    job->attempt = 1;
    job->secrets =
        (struct scrub_used){ .lookup = vault_lookup_in(worker->config.vault, tenant), .arena = job->arena };
    station->methods->start(station->self, job);
    return ST_OK;
}

struct engine_worker *worker_new(const struct worker_config *config)
{
    struct engine_worker *worker = calloc(1, sizeof *worker);
    must(worker);
    worker->config = *config;
    pthread_mutex_init(&worker->lock, NULL);
    for (size_t i = 0; i < PERFORMER_COUNT; i++) {
        struct station *station = &worker->station[i];
        station->worker = worker;
        station->any.station = station->urgent.station = station;
        arena_init(&station->any.arena, 0);
        arena_init(&station->urgent.arena, 0);
    }
    return worker;
}

void worker_add(struct engine_worker *worker, const struct perform_methods *methods, void *self)
{
    struct station *station = &worker->station[methods->performer];
    must(performer_place(methods->performer) == PERFORMED_BESIDE && !station->methods && !worker->stopped);
    station->methods = methods;
    station->self = self;
    poll_more(station);
}

void worker_deliver(struct engine_worker *worker)
{
    if (worker->stopped) return;
    hand_on_again(worker);
    for (struct held_job *held; (held = take_finished(worker)) != NULL;) {
        if (hand_on(worker, held)) continue;
        put_back(worker, held);
        break;
    }
    renew_all(worker);
    for (size_t i = 0; i < PERFORMER_COUNT; i++) poll_more(&worker->station[i]);
}

void worker_drain(struct engine_worker *worker) { worker->draining = true; }

void worker_stop(struct engine_worker *worker)
{
    if (worker->stopped) return;
    worker->draining = worker->stopped = true;
    for (size_t i = 0; i < PERFORMER_COUNT; i++) {
        struct station *station = &worker->station[i];
        if (!station->methods) continue;
        if (worker->config.stopping) worker->config.stopping(performer_word(station->methods->performer));
        station->methods->stop(station->self);
    }
    for (struct held_job *held; (held = take_finished(worker)) != NULL;) release(held);
    while (worker->again) {
        struct held_job *held = worker->again;
        worker->again = held->next;
        release(held);
    }
}

bool worker_idle(const struct engine_worker *worker)
{
    for (size_t i = 0; i < PERFORMER_COUNT; i++)
        if (worker->station[i].any.polling || worker->station[i].urgent.polling) return false;
    return !worker->at_runtime;
}

void worker_free(struct engine_worker *worker)
{
    if (!worker) return;
    worker_stop(worker);
    for (size_t i = 0; i < PERFORMER_COUNT; i++) {
        arena_done(&worker->station[i].any.arena);
        arena_done(&worker->station[i].urgent.arena);
    }
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
