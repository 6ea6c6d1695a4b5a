/* perform/http_performer.c — makes an outgoing HTTP call of a job, and a result of its answer. */
#include "perform/http_performer.h"

#include "base/must.h"
#include "perform/http_function.h"
#include "perform/limits.h"

#include <stdatomic.h>
#include <stdlib.h>

struct http_performer;

/* The part that differs between the rows. */
struct http_row {
    struct http_performer *performer;
    atomic_size_t under_way;
};

struct http_performer {
    struct outcalls_config config;
    struct outcalls *outcalls; /* NULL until there is something to do. */
    struct http_row http, emit;
    size_t row_count; /* Rows that are not stopped yet. */
};

/* A job under way, in the job's arena. */
struct http_job {
    struct engine_job *job;
    struct http_row *row;
    struct function_call function;
    struct outcall outcall;
    uint64_t number; /* The number of the outcall. */
};

static void finish(struct http_job *http, enum engine_job_end end)
{
    struct engine_job *job = http->job;
    job->end = end;
    atomic_fetch_sub(&http->row->under_way, 1);
    job->done(job);
}

static bool is_request(const struct function_call *call) { return str_equal(call->type, STR(REQUEST_TYPE)); }

static bool read_answer(const struct function_call *call, const struct outcall *outcall,
                        struct engine_job *job)
{
    job->retryable = http_answer_is_transient(outcall, job->now_ms, &job->retry_after_ms);
    return is_request(call) ? http_request_read(call, outcall, &job->value, &job->error)
                            : http_answer_read_function(call, outcall, &job->value, &job->error);
}

static bool render(struct http_job *http)
{
    struct engine_job *job = http->job;
    return is_request(&http->function)
               ? http_request_render(&http->function, job->arena, &http->outcall, &job->error)
               : http_function_render(&http->function, job->arena, &http->outcall, &job->error);
}

/* On the thread of the outcalls. */
static void answered(struct outcall *outcall)
{
    struct http_job *http = outcall->user;
    struct engine_job *job = http->job;
    bool broken_off = outcall->failure == OUTCALL_STOPPED || outcall->failure == OUTCALL_CANCELLED;
    if (broken_off) finish(http, ENGINE_JOB_BROKEN_OFF);
    else if (read_answer(&http->function, outcall, job)) finish(http, ENGINE_JOB_COMPLETED);
    else finish(http, ENGINE_JOB_FAILED);
}

static enum status want_outcalls(struct http_performer *performer, struct error *err)
{
    if (performer->outcalls) return ST_OK;
    struct outcalls_config config = performer->config;
    /* The calls of each row, with those that overtake at each level. */
    config.calls_max = 2 * (config.calls_max + (size_t)PRIORITY_COUNT * OVERTAKING_JOBS_MAX);
    return outcalls_start(&config, &performer->outcalls, err);
}

static void start(void *self, struct engine_job *job)
{
    struct http_row *row = self;
    struct http_performer *performer = row->performer;
    struct http_job *http = arena_make(job->arena, struct http_job);
    struct error err;
    *http = (struct http_job){
        .job = job,
        .row = row,
        .function = { .resource = json_text(job->config, STR("resource")),
                      .type = json_text(job->config, STR("type")),
                      .function = performer_function(job->config),
                      .request = job->input,
                      .headers = json_get(job->config, STR("headers")),
                      .query = json_get(job->config, STR("query")),
                      .idempotency_key = job->idempotency_key,
                      .traceparent = job->traceparent,
                      .now_ms = job->now_ms,
                      .timeout_ms = job->timeout_ms,
                      .attempt = job->attempt },
        .outcall = { .priority = job->priority, .done = answered, .user = http },
    };
    job->performing = http;
    atomic_fetch_add(&row->under_way, 1);
    if (want_outcalls(performer, &err) != ST_OK) {
        job->error = json_set(job->arena, json_empty_object(), STR("message"),
                              json_of_string(job->arena, str_of(err.message)));
        finish(http, ENGINE_JOB_FAILED);
    } else if (!render(http)) {
        finish(http, ENGINE_JOB_FAILED);
    } else if (outcalls_submit(performer->outcalls, &http->outcall, &http->number, &err) != ST_OK) {
        finish(http, ENGINE_JOB_BROKEN_OFF);
    }
}

static void cancel(void *self, struct engine_job *job)
{
    const struct http_row *row = self;
    const struct http_job *http = job->performing;
    if (http->number) outcalls_cancel(row->performer->outcalls, http->number);
}

static size_t room(void *self)
{
    struct http_row *row = self;
    size_t under_way = atomic_load(&row->under_way), max = row->performer->config.calls_max;
    return under_way < max ? max - under_way : 0;
}

/* The first row that stops ends the calls of both. */
static void stop(void *self)
{
    struct http_performer *performer = ((struct http_row *)self)->performer;
    outcalls_stop(performer->outcalls);
    performer->outcalls = NULL;
    if (--performer->row_count == 0) free(performer);
}

void http_performer_add(struct engine_worker *worker, const struct outcalls_config *config)
{
    static const struct perform_methods http = { PERFORM_HTTP, start, cancel, room, stop, true };
    static const struct perform_methods emit = { PERFORM_EMIT, start, cancel, room, stop, true };
    struct http_performer *performer = calloc(1, sizeof *performer);
    must(performer);
    *performer = (struct http_performer){ .config = *config,
                                          .http = { .performer = performer },
                                          .emit = { .performer = performer },
                                          .row_count = 2 };
    worker_add(worker, &http, &performer->http);
    worker_add(worker, &emit, &performer->emit);
}
