#include "perform/errands.h"

#include "base/hash.h"
#include "perform/http_function.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    POLL_WAIT_MS = 20 * 1000,
    POLL_JOBS_MAX = 64,
    /* A call may take as long as its author allows, and wait for a free connection before that: its
     * lease is prolonged while it is under way. */
    LEASE_MS = 60 * 1000,
    RENEW_BEFORE_MS = 30 * 1000,
};

/* One job under way, and the memory of everything about it. */
struct errand {
    struct errands *errands;
    struct arena arena;
    struct id job;
    struct function_call function;
    struct outcall outcall;
    uint64_t number; /* The performer's. */
    int64_t lease_ends_ms;
    bool renewing;                /* Its lease is being prolonged: not to be freed before that is answered. */
    bool over;                    /* To be freed then. */
    struct errand *next;          /* In the list of finished ones. */
    struct errand *newer, *older; /* Of all there are. */
};

/* A lease that is being prolonged. The errand's own arena is the performer's meanwhile. */
struct renewal {
    struct arena arena;
    struct errand *errand;
};

struct errands {
    struct errands_config config;
    struct http_performer *performer; /* NULL until there is something to do. */
    struct arena poll_arena;
    bool polling, draining, stopped;
    size_t at_runtime; /* Answers and renewals that it has not confirmed yet. */
    struct errand *newest;
    pthread_mutex_t lock;        /* Of what follows. */
    struct errand *first, *last; /* Finished, not handed on yet. */
};

#define WORKER STR("pawl")

static struct errand *errand_new(struct errands *errands)
{
    struct errand *errand = calloc(1, sizeof *errand);
    if (!errand) return NULL;
    arena_init(&errand->arena, 0);
    errand->errands = errands;
    errand->older = errands->newest;
    if (errands->newest) errands->newest->newer = errand;
    errands->newest = errand;
    return errand;
}

static void errand_free(struct errand *errand)
{
    errand->over = true;
    if (errand->renewing) return;
    if (errand->newer) errand->newer->older = errand->older;
    else errand->errands->newest = errand->older;
    if (errand->older) errand->older->newer = errand->newer;
    arena_done(&errand->arena);
    free(errand);
}

/* ---- on the performer's thread ---- */

static void finished(struct outcall *outcall)
{
    struct errand *errand = outcall->user;
    struct errands *errands = errand->errands;
    pthread_mutex_lock(&errands->lock);
    errand->next = NULL;
    if (errands->last) errands->last->next = errand;
    else errands->first = errand;
    errands->last = errand;
    pthread_mutex_unlock(&errands->lock);
    errands->config.wake(errands->config.wake_context);
}

/* ---- the answer ---- */

static void confirmed(struct call *call)
{
    struct errand *errand = call->user;
    struct errands *errands = errand->errands;
    errands->at_runtime--;
    errand_free(errand);
}

/* False if the runtime does not take it now. */
static bool answer(struct errand *errand, const struct json *value, const struct json *error)
{
    struct errands *errands = errand->errands;
    struct call *call =
        call_new(error ? CALL_FAIL_JOB : CALL_COMPLETE_JOB, &errand->arena, confirmed, errand);
    call->ns = NAMESPACE_DEFAULT;
    call->id = errand->job;
    call->worker = WORKER;
    call->performs = true;
    if (error) {
        call->failure = error;
        call->text = json_string(json_get(error, STR("message")));
    } else {
        call->data = value;
    }
    if (runtime_submit(errands->config.runtime, call) != ST_OK) return false;
    errands->at_runtime++;
    return true;
}

/* What was broken off is nobody's failure: the job is offered again. */
static bool broken_off(const struct outcall *outcall)
{
    return outcall->failure == OUTCALL_STOPPED || outcall->failure == OUTCALL_CANCELLED;
}

static bool hand_on(struct errand *errand)
{
    const struct json *value = NULL, *error = NULL;
    if (broken_off(&errand->outcall)) {
        errand_free(errand);
        return true;
    }
    bool done = http_function_read(&errand->function, &errand->outcall, &value, &error);
    return answer(errand, done ? value : NULL, done ? NULL : error);
}

static struct errand *take_finished(struct errands *errands)
{
    pthread_mutex_lock(&errands->lock);
    struct errand *errand = errands->first;
    if (errand) errands->first = errand->next;
    if (!errands->first) errands->last = NULL;
    pthread_mutex_unlock(&errands->lock);
    return errand;
}

static void put_back(struct errands *errands, struct errand *errand)
{
    pthread_mutex_lock(&errands->lock);
    errand->next = errands->first;
    errands->first = errand;
    if (!errands->last) errands->last = errand;
    pthread_mutex_unlock(&errands->lock);
}

/* ---- leases ---- */

static void renewed(struct call *call)
{
    struct renewal *renewal = call->user;
    struct errand *errand = renewal->errand;
    struct errands *errands = errand->errands;
    errands->at_runtime--;
    errand->renewing = false;
    if (errand->over) errand_free(errand);
    else if (call->status == ST_OK && call->job_count)
        errand->lease_ends_ms = clock_now_ms(&errands->config.clock) + LEASE_MS;
    /* The job is gone, timed out or cancelled: nobody wants the answer any more. */
    else if (!errands->stopped && call->status != ST_DRAINING)
        performer_cancel(errands->performer, errand->number);
    arena_done(&renewal->arena);
    free(renewal);
}

static void renew(struct errand *errand)
{
    struct errands *errands = errand->errands;
    struct renewal *renewal = calloc(1, sizeof *renewal);
    if (!renewal) return;
    arena_init(&renewal->arena, 0);
    renewal->errand = errand;
    struct call *call = call_new(CALL_EXTEND_JOB, &renewal->arena, renewed, renewal);
    call->ns = NAMESPACE_DEFAULT;
    call->id = errand->job;
    call->worker = WORKER;
    call->performs = true;
    call->lease_ms = LEASE_MS;
    if (runtime_submit(errands->config.runtime, call) != ST_OK) {
        arena_done(&renewal->arena);
        free(renewal);
        return;
    }
    errands->at_runtime++;
    errand->renewing = true;
}

static void renew_all(struct errands *errands)
{
    int64_t now_ms = clock_now_ms(&errands->config.clock);
    for (struct errand *errand = errands->newest; errand; errand = errand->older)
        if (!errand->renewing && !errand->over && now_ms > errand->lease_ends_ms - RENEW_BEFORE_MS)
            renew(errand);
}

/* ---- the request ---- */

/* instance/node/visit: the same in all attempts of one visit. */
static str idempotency_key(const struct job_view *job, struct arena *arena)
{
    char instance[ID_CHARS + 1];
    id_print((struct id){ .ms = job->instance_created_ms, .instance = job->instance }, instance);
    return arena_printf(arena, "%s/%.*s/%u", instance, STR_ARG(job->node), job->execution);
}

/* The trace is the instance, the span the attempt. */
static str traceparent(const struct job_view *job, struct arena *arena)
{
    uint64_t trace[2] = { job->instance, (uint64_t)job->instance_created_ms };
    uint64_t span[2] = { job->instance, (uint64_t)job->number << 8 | job->delivery };
    return arena_printf(arena, "00-%016llx%016llx-%016llx-01",
                        (unsigned long long)hash_bytes((str){ (char *)trace, sizeof trace }),
                        (unsigned long long)job->instance,
                        (unsigned long long)hash_bytes((str){ (char *)span, sizeof span }) | 1);
}

/* Most engines never call anything: the performer and what it needs come with the first job. */
static enum status want_performer(struct errands *errands, struct error *err)
{
    if (errands->performer) return ST_OK;
    return performer_start(&errands->config.performer, &errands->performer, err);
}

static const struct json *cannot_call(const struct error *err, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("message"));
    json_add_string(&builder, str_of(err->message));
    json_close(&builder);
    return json_built(&builder);
}

static void begin(struct errands *errands, const struct job_view *job)
{
    struct errand *errand = errand_new(errands);
    if (!errand) return; /* The lease runs out, and it is offered again. */
    errand->job = job_view_id(job);
    errand->lease_ends_ms = clock_now_ms(&errands->config.clock) + LEASE_MS;
    const struct json *config = json_copy(&errand->arena, job->config);
    errand->function = (struct function_call){
        .resource = json_string(json_get(config, STR("resource"))),
        .type = json_string(json_get(config, STR("type"))),
        .function = performer_function(config),
        .request = json_copy(&errand->arena, job->data),
        .idempotency_key = idempotency_key(job, &errand->arena),
        .traceparent = traceparent(job, &errand->arena),
        .now_ms = clock_now_ms(&errands->config.clock),
        .timeout_ms = job->timeout_ms,
    };
    const struct json *error = NULL;
    struct error err;
    if (want_performer(errands, &err) != ST_OK) {
        if (!answer(errand, NULL, cannot_call(&err, &errand->arena))) errand_free(errand);
        return;
    }
    if (!http_function_render(&errand->function, &errand->arena, &errand->outcall, &error)) {
        if (!answer(errand, NULL, error)) errand_free(errand);
        return;
    }
    errand->outcall.done = finished;
    errand->outcall.user = errand;
    if (performer_submit(errands->performer, &errand->outcall, &errand->number, &err) != ST_OK)
        errand_free(errand);
}

/* ---- polling ---- */

static void poll_more(struct errands *errands);

static void polled(struct call *call)
{
    struct errands *errands = call->user;
    errands->polling = false;
    if (errands->draining) return; /* What it brought is offered again: its answer would find nobody. */
    for (size_t i = 0; call->status == ST_OK && i < call->job_count; i++) begin(errands, &call->job[i]);
    poll_more(errands);
}

static void poll_more(struct errands *errands)
{
    const str queues[] = { performer_queue(PERFORM_HTTP, STR_NONE), performer_queue(PERFORM_EMIT, STR_NONE) };
    size_t room =
        errands->performer ? performer_room(errands->performer) : errands->config.performer.calls_max;
    if (errands->polling || errands->draining || !room) return;
    arena_reset(&errands->poll_arena);
    struct call *call = call_new(CALL_POLL_JOBS, &errands->poll_arena, polled, errands);
    call->ns = NAMESPACE_DEFAULT;
    call->worker = WORKER;
    call->performs = true;
    call->job_type = arena_make_n(&errands->poll_arena, str, COUNT(queues));
    memcpy((void *)(uintptr_t)call->job_type, queues, sizeof queues);
    call->job_type_count = COUNT(queues);
    call->max = room < POLL_JOBS_MAX ? room : POLL_JOBS_MAX;
    call->wait_ms = POLL_WAIT_MS;
    call->lease_ms = LEASE_MS;
    errands->polling = runtime_submit(errands->config.runtime, call) == ST_OK;
}

/* ---- for the owner ---- */

enum status errands_new(const struct errands_config *config, struct errands **ret_errands, struct error *err)
{
    struct errands *errands = calloc(1, sizeof *errands);
    if (!errands) return fail(err, ST_INTERNAL, "", "no memory");
    errands->config = *config;
    arena_init(&errands->poll_arena, 0);
    pthread_mutex_init(&errands->lock, NULL);
    poll_more(errands);
    *ret_errands = errands;
    return ST_OK;
}

void errands_deliver(struct errands *errands)
{
    if (errands->stopped) return;
    for (struct errand *errand; (errand = take_finished(errands)) != NULL;) {
        if (hand_on(errand)) continue;
        put_back(errands, errand);
        break;
    }
    renew_all(errands);
    poll_more(errands);
}

void errands_drain(struct errands *errands) { errands->draining = true; }

void errands_stop(struct errands *errands)
{
    errands->draining = errands->stopped = true;
    performer_stop(errands->performer);
    errands->performer = NULL;
    for (struct errand *errand; (errand = take_finished(errands)) != NULL;) errand_free(errand);
}

bool errands_idle(const struct errands *errands) { return !errands->polling && !errands->at_runtime; }

void errands_free(struct errands *errands)
{
    if (!errands) return;
    if (!errands->stopped) errands_stop(errands);
    arena_done(&errands->poll_arena);
    pthread_mutex_destroy(&errands->lock);
    free(errands);
}
