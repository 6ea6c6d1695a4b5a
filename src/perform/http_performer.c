/* perform/http_performer.c — makes the outgoing HTTP calls of a job, and a result of their answers.
 *
 * A job makes one call, or a few one after the other if it uses a tool of an MCP server. */
#include "perform/http_performer.h"

#include "base/must.h"
#include "perform/http_function.h"
#include "perform/limits.h"
#include "perform/mcp_call.h"

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
    struct mcp_talk talk; /* Used by calls of tools. */
    struct outcall outcall;
    _Atomic uint64_t number; /* The number of the outcall. */
    atomic_bool cancelled;
};

static void finish(struct http_job *http, enum engine_job_end end)
{
    struct engine_job *job = http->job;
    job->end = end;
    atomic_fetch_sub(&http->row->under_way, 1);
    job->done(job);
}

static bool is_request(const struct function_call *call) { return str_equal(call->type, STR(REQUEST_TYPE)); }
static bool is_tool(const struct function_call *call) { return str_equal(call->type, STR(MCP_TYPE)); }

static bool render(struct http_job *http)
{
    struct engine_job *job = http->job;
    if (is_tool(&http->function))
        return mcp_talk_render(&http->function, &http->talk, job->arena, &http->outcall, &job->error);
    return is_request(&http->function)
               ? http_request_render(&http->function, job->arena, &http->outcall, &job->error)
               : http_function_render(&http->function, job->arena, &http->outcall, &job->error);
}

/* False: the job is finished, and will be offered again. */
static bool submit(struct http_job *http, uint64_t *ret_number)
{
    struct error err;
    if (outcalls_submit(http->row->performer->outcalls, &http->outcall, ret_number, &err) == ST_OK)
        return true;
    finish(http, ENGINE_JOB_BROKEN_OFF);
    return false;
}

/* On the worker's thread. The thread of the outcalls may have sent the next request already, whose number
 * counts then. */
static void begin(struct http_job *http)
{
    uint64_t number = 0;
    if (submit(http, &number)) atomic_compare_exchange_strong(&http->number, &(uint64_t){ 0 }, number);
}

/* ---- tools of MCP servers ---- */

static void said_goodbye(struct outcall *outcall)
{
    struct arena *arena = outcall->user;
    arena_done(arena);
    free(arena);
}

/* Tells the server that its session is over. The run does not wait for that. */
static void say_goodbye(struct http_job *http)
{
    struct error err;
    struct arena *arena = malloc(sizeof *arena);
    must(arena);
    arena_init(arena, 0);
    struct outcall *outcall = arena_make(arena, struct outcall);
    *outcall = (struct outcall){ .done = said_goodbye, .user = arena };
    if (!mcp_talk_end(&http->function, &http->talk, arena, outcall) ||
        outcalls_submit(http->row->performer->outcalls, outcall, NULL, &err) != ST_OK)
        said_goodbye(outcall);
}

/* On the thread of the outcalls, so nobody can be done with this request before the function returns.
 * cancel() writes the wish and then reads the number, and this function the other way round: one of them sees
 * both. */
static void go_on(struct http_job *http)
{
    uint64_t number = 0;
    if (!render(http)) {
        finish(http, ENGINE_JOB_FAILED);
        return;
    }
    if (!submit(http, &number)) return;
    atomic_store(&http->number, number);
    if (atomic_load(&http->cancelled)) outcalls_cancel(http->row->performer->outcalls, number);
}

static void read_tool(struct http_job *http)
{
    struct engine_job *job = http->job;
    enum mcp_outcome outcome = mcp_talk_read(&http->function, &http->talk, &http->outcall, &job->value,
                                             &job->error, &job->retryable);
    if (outcome == MCP_GOES_ON) {
        go_on(http);
        return;
    }
    if (http->talk.session.n) say_goodbye(http);
    finish(http, outcome == MCP_DONE ? ENGINE_JOB_COMPLETED : ENGINE_JOB_FAILED);
}

/* ---- answers ---- */

static bool read_answer(const struct function_call *call, const struct outcall *outcall,
                        struct engine_job *job)
{
    return is_request(call) ? http_request_read(call, outcall, &job->value, &job->error)
                            : http_answer_read_function(call, outcall, &job->value, &job->error);
}

/* On the thread of the outcalls. */
static void answered(struct outcall *outcall)
{
    struct http_job *http = outcall->user;
    struct engine_job *job = http->job;
    bool broken_off = outcall->failure == OUTCALL_STOPPED || outcall->failure == OUTCALL_CANCELLED;
    job->retryable = http_answer_is_transient(outcall, job->now_ms, &job->retry_after_ms);
    if (broken_off) finish(http, ENGINE_JOB_BROKEN_OFF);
    else if (is_tool(&http->function)) read_tool(http);
    else if (read_answer(&http->function, outcall, job)) finish(http, ENGINE_JOB_COMPLETED);
    else finish(http, ENGINE_JOB_FAILED);
}

/* ---- jobs ---- */

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
    } else {
        begin(http);
    }
}

static void cancel(void *self, struct engine_job *job)
{
    const struct http_row *row = self;
    struct http_job *http = job->performing;
    atomic_store(&http->cancelled, true);
    uint64_t number = atomic_load(&http->number);
    if (number) outcalls_cancel(row->performer->outcalls, number);
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
