/* api/trials/trials.c — test runs, from the request to the last line; and the threads of both kinds of jobs.
 */
#include "api/trials/trials_int.h"

#include "base/clock.h"
#include "base/must.h"
#include "json/put.h"

#include <stdlib.h>

/* ---- the answer ---- */

static void answer_refusal(struct trial_job *job)
{
    struct api_request *request = job->request;
    struct buf out;
    if (!job->problems) {
        job->error.status = job->status;
        answer_error(request, &job->error);
        return;
    }
    buf_init(&out, request->http->arena);
    error_problem.put(ST_INVALID, status_word(ST_INVALID), job->refusal, &out);
    PUT(&out, ",\"problems\":");
    json_print(job->problems, &out);
    buf_add_char(&out, '}');
    answer(request, status_http(ST_INVALID), STR_NONE, buf_str(&out));
}

static void answer_scenario(struct trial_job *job)
{
    struct buf out;
    buf_init(&out, job->request->http->arena);
    json_print_pretty(job->scenario, &out);
    buf_add_char(&out, '\n');
    answer(job->request, 200, STR_NONE, buf_str(&out));
}

static void begin(struct trial_job *job)
{
    str headers = arena_printf(job->request->http->arena,
                               "Content-Type: application/x-ndjson\r\nCache-Control: no-store\r\n%.*s",
                               STR_ARG(answer_lines(job->request)));
    http_stream_begin(job->request->http, 200, headers);
    job->begun = true;
}

static void drained(void *user) { trials_look(((struct api_request *)user)->api); }

/* The lines wait while the client does not read: there can be only so many (REHEARSED_LINES_BYTES_MAX). */
static void write_lines(struct trial_job *job)
{
    struct http_request *http = job->request->http;
    struct buf lines;
    if (job->begun && http_stream_behind(http) > STREAM_PAUSE_BYTES_MAX) {
        http->on_drained = drained;
        return;
    }
    pthread_mutex_lock(&job->mutex);
    lines = job->lines;
    buf_init(&job->lines, NULL);
    pthread_mutex_unlock(&job->mutex);
    if (lines.n && !job->begun) begin(job);
    if (lines.n && !http_stream_write(http, buf_str(&lines))) job->unwanted = true;
    buf_done(&lines);
}

static void join(struct trial_job *job)
{
    pthread_join(job->thread, NULL);
    trials_drop(job);
}

/* The test run was stopped before its first line went out: the client has left, or the engine stops. */
static void answer_stopped(struct trial_job *job)
{
    struct error err;
    fail(&err, ST_DRAINING, "", "the engine is stopping");
    answer_error(job->request, &err);
}

/* True: it was the last look at the job. */
static bool look_at(struct trial_job *job)
{
    pthread_mutex_lock(&job->mutex);
    bool done = job->done;
    pthread_mutex_unlock(&job->mutex);
    if (!job->unwanted) write_lines(job);
    if (!done || (job->lines.n && !job->unwanted)) return false;
    if (job->begun) http_stream_end(job->request->http);
    else if (job->scenario) answer_scenario(job);
    else if (job->unwanted || job->status == ST_OK) answer_stopped(job);
    else answer_refusal(job);
    return true;
}

void trials_look(struct api *api)
{
    for (struct trial_job **link = &api->trials; *link;) {
        struct trial_job *job = *link;
        if (api->draining) job->unwanted = true;
        if (!look_at(job)) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        join(job);
    }
}

/* The requests are gone already. */
void trials_free(struct api *api)
{
    for (struct trial_job *job = api->trials, *next; job; job = next) {
        next = job->next;
        job->unwanted = true;
        join(job);
    }
}

/* ---- the request ---- */

static void client_left(void *user)
{
    struct api_request *request = user;
    request->gone = true;
    ((struct trial_job *)request->stream)->unwanted = true;
}

static enum status check_list(const struct json *body, const char *name, size_t max, enum json_kind of,
                              struct error *err)
{
    const struct json *list;
    TRY(field_list(body, name, &list, err));
    if (list && json_count(list) > max)
        return fail(err, ST_LIMIT, name, "%s has %zu items; the most is %zu", name, json_count(list), max);
    for (size_t i = 0; list && i < json_count(list); i++)
        if (!json_is(json_item(list, i), of) &&
            !(of == JSON_OBJECT && str_equal(str_of(name), STR("others")) &&
              json_is(json_item(list, i), JSON_STRING)))
            return fail(err, ST_INVALID, name, "%s is a list of objects", name);
    return ST_OK;
}

static enum status check_body(const struct api_request *request, const struct json *body, struct error *err)
{
    const struct json *document = json_get(body, STR("document")), *object;
    str text, trigger, unanswered;
    int64_t seed;
    if (request->http->body.n > TRIAL_BODY_BYTES_MAX)
        return fail(err, ST_LIMIT, "", "the body has %zu bytes; the most is %d (TRIAL_BODY_BYTES_MAX)",
                    request->http->body.n, TRIAL_BODY_BYTES_MAX);
    TRY(field_text(body, "text", TRIAL_BODY_BYTES_MAX, &text, err));
    if ((document && json_is(document, JSON_OBJECT)) == (text.n > 0))
        return fail(err, ST_INVALID, "document", "give either \"document\", an object, or \"text\"");
    TRY(field_text(body, "trigger", NODE_NAME_BYTES_MAX, &trigger, err));
    TRY(field_text(body, "unanswered", NODE_NAME_BYTES_MAX, &unanswered, err));
    if (unanswered.n && !str_equal(unanswered, STR("wait")))
        return fail(err, ST_INVALID, "unanswered", "unanswered is \"wait\", or it is left out");
    TRY(field_variables(body, "input", &object, err));
    TRY(field_variables(body, "pins", &object, err));
    TRY(field_integer(body, "seed", &seed, err));
    TRY(check_list(body, "others", TRIAL_OTHERS_MAX, JSON_OBJECT, err));
    TRY(check_list(body, "answers", TRIAL_ANSWERS_MAX, JSON_OBJECT, err));
    return check_list(body, "events", TRIAL_ANSWERS_MAX, JSON_OBJECT, err);
}

enum status trials_new(struct api_request *request, struct trial_job **ret_job, struct error *err)
{
    struct api *api = request->api;
    if (api->draining) return fail(err, ST_DRAINING, "", "the engine is stopping");
    if (api->trial_count == TRIALS_MAX)
        return fail(err, ST_OVERLOAD, "TRIALS_MAX",
                    "%d test runs are under way, which is the most (TRIALS_MAX)", TRIALS_MAX);
    struct trial_job *job = calloc(1, sizeof *job);
    must(job);
    api->trial_count++;
    job->api = api;
    job->request = request;
    arena_init(&job->arena, 0);
    buf_init(&job->lines, NULL);
    pthread_mutex_init(&job->mutex, NULL);
    request->stream = job;
    *ret_job = job;
    return ST_OK;
}

void trials_drop(struct trial_job *job)
{
    job->api->trial_count--;
    pthread_mutex_destroy(&job->mutex);
    buf_done(&job->lines);
    arena_done(&job->arena);
    free(job);
}

enum status trials_launch(struct trial_job *job, struct error *err)
{
    job->began_us = clock_monotonic_us();
    if (pthread_create(&job->thread, NULL, trials_run, job) != 0)
        return fail(err, ST_OVERLOAD, "", "the machine gives no thread for it");
    job->request->http->on_gone = client_left;
    job->next = job->api->trials;
    job->api->trials = job;
    return ST_OK;
}

enum status trials_start(struct api_request *request, struct error *err)
{
    const struct json *body;
    struct trial_job *job;
    TRY(request_body(request, true, &body, err));
    TRY(check_body(request, body, err));
    TRY(trials_new(request, &job, err));
    job->body = json_copy(&job->arena, body);
    enum status status = trials_launch(job, err);
    if (status != ST_OK) trials_drop(job);
    return status;
}
